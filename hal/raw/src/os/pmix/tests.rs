//! Tests the client with a table of fake library functions.

#![allow(non_snake_case, reason = "the library's functions are called so")]

use core::ffi::{CStr, c_char, c_void};
use std::cell::RefCell;
use std::time::{Duration, Instant};

use oxshmem_core::host::ErrorKind;

use super::ffi::{self, ByteObject, Data, Functions, Info, OpDone, PmixStatus, Proc, Value};
use super::{Client, Library};

/// The fake library's answers on the test's thread, and the calls it received.
struct Script {
    version: &'static CStr,
    init: PmixStatus,
    put: PmixStatus,
    /// `None`: a fence that never ends.
    fence: Option<PmixStatus>,
    fence_ends: Option<PmixStatus>,
    get: PmixStatus,
    /// The type of a value, and its content.
    value: (u16, &'static [u8]),
    calls: Vec<String>,
    published: Vec<u8>,
}

const USUAL: Script = Script {
    version: c"OpenPMIx 4.2.2 (PMIx Standard: 4.2)",
    init: ffi::SUCCESS,
    put: ffi::SUCCESS,
    fence: Some(ffi::SUCCESS),
    fence_ends: Some(ffi::SUCCESS),
    get: ffi::SUCCESS,
    value: (ffi::UINT32, &[7, 0, 0, 0]),
    calls: Vec::new(),
    published: Vec::new(),
};

thread_local! {
    static SCRIPT: RefCell<Script> = const { RefCell::new(USUAL) };
}

/// Records a call and answers it by the script.
fn called<T>(name: String, answer: impl FnOnce(&mut Script) -> T) -> T {
    SCRIPT.with_borrow_mut(|script| {
        script.calls.push(name);
        answer(script)
    })
}

fn calls() -> Vec<String> {
    SCRIPT.with_borrow(|script| script.calls.clone())
}

unsafe extern "C" fn PMIx_Get_version() -> *const c_char {
    SCRIPT.with_borrow(|script| script.version.as_ptr())
}

unsafe extern "C" fn PMIx_Error_string(status: PmixStatus) -> *const c_char {
    match status {
        ffi::ERR_UNREACH => c"UNREACHABLE".as_ptr(),
        -1 => c"ERROR".as_ptr(),
        _ => std::ptr::null(),
    }
}

unsafe extern "C" fn PMIx_Init(me: *mut Proc, infos: *mut Info, n: usize) -> PmixStatus {
    assert!(infos.is_null() && n == 0);
    // SAFETY: the caller passes a valid out pointer.
    unsafe { (*me).rank = 3 };
    called("init".into(), |script| script.init)
}

unsafe extern "C" fn PMIx_Finalize(_: *const Info, n: usize) -> PmixStatus {
    assert_eq!(n, 0);
    called("finalize".into(), |_| ffi::SUCCESS)
}

unsafe extern "C" fn PMIx_Put(scope: u8, key: *const c_char, value: *mut Value) -> PmixStatus {
    // SAFETY: the caller passes a name that ends with a zero, and a valid value.
    let (key, value) = unsafe { (CStr::from_ptr(key), *value) };
    assert_eq!((scope, value.type_), (ffi::GLOBAL, ffi::BYTE_OBJECT));
    // SAFETY: by its type, which was checked, the value holds readable bytes.
    let bytes = unsafe { core::slice::from_raw_parts(value.data.bo.bytes.cast::<u8>(), value.data.bo.size) };
    called(format!("put {}", key.to_str().unwrap()), |script| {
        script.published = bytes.to_vec();
        script.put
    })
}

unsafe extern "C" fn PMIx_Commit() -> PmixStatus {
    called("commit".into(), |_| ffi::SUCCESS)
}

unsafe extern "C" fn PMIx_Fence_nb(
    procs: *const Proc,
    _: usize,
    infos: *const Info,
    n: usize,
    done: Option<OpDone>,
    pending: *mut c_void,
) -> PmixStatus {
    assert!(procs.is_null());
    // SAFETY: the caller passes `n` infos.
    let infos = unsafe { core::slice::from_raw_parts(infos, n) };
    let keys: Vec<String> = infos
        .iter()
        // SAFETY: a key ends with a zero.
        .map(|info| unsafe { CStr::from_ptr(info.key.as_ptr()) }.to_str().unwrap().to_string())
        .collect();
    let (begin_status, ends) = called(format!("fence {}", keys.join(" ")), |script| (script.fence, script.fence_ends));
    if let (Some(ffi::SUCCESS), Some(status), Some(done)) = (begin_status, ends, done) {
        // Pointers are not `Send`, so the address is passed as a number.
        let pending = pending as usize;
        std::thread::spawn(move || {
            // SAFETY: it is the pointer that the caller passed, used once.
            unsafe { done(status, pending as *mut c_void) }
        });
    }
    begin_status.unwrap_or(ffi::SUCCESS)
}

unsafe extern "C" fn PMIx_Get(
    who: *const Proc,
    key: *const c_char,
    _: *const Info,
    _: usize,
    found: *mut *mut Value,
) -> PmixStatus {
    // SAFETY: the caller passes a valid process and a name that ends with a zero.
    let (rank, key) = unsafe { ((*who).rank, CStr::from_ptr(key)) };
    let (status, (type_, bytes)) =
        called(format!("get {} of {rank}", key.to_str().unwrap()), |script| (script.get, script.value));
    if status != ffi::SUCCESS {
        return status;
    }
    let mut data = Data { words: [0; 3] };
    if type_ == ffi::BYTE_OBJECT {
        data.bo = ByteObject { bytes: malloc(bytes).cast(), size: bytes.len() };
    } else {
        data.uint32 = u32::from_ne_bytes(bytes.try_into().unwrap());
    }
    let value = Value { type_, data };
    // SAFETY: `malloc` returned enough bytes for a value, and `found` is a valid out pointer.
    unsafe {
        let copy = malloc(&[0; size_of::<Value>()]).cast::<Value>();
        copy.write(value);
        *found = copy;
    }
    ffi::SUCCESS
}

/// Allocates as the library does for values that it returns.
fn malloc(bytes: &[u8]) -> *mut u8 {
    // SAFETY: the new memory has room for the bytes, and no other code has its address yet.
    unsafe {
        let copy = libc::malloc(bytes.len().max(1)).cast::<u8>();
        assert!(!copy.is_null());
        copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        copy
    }
}

fn library(script: Script) -> Library {
    SCRIPT.set(script);
    Library {
        functions: Functions {
            PMIx_Get_version,
            PMIx_Error_string,
            PMIx_Init,
            PMIx_Finalize,
            PMIx_Put,
            PMIx_Commit,
            PMIx_Fence_nb,
            PMIx_Get,
        },
    }
}

#[test]
fn a_library_that_is_not_there_is_named_with_the_package_to_install() {
    let error = Library::open_named("libpmix-of-nobody.so.2").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let text = error.to_string();
    for part in ["open libpmix-of-nobody.so.2", "No such file", "Debian: libpmix2", "LD_LIBRARY_PATH"] {
        assert!(text.contains(part), "{part} in: {text}");
    }
}

#[test]
fn a_library_without_the_functions_is_another_one() {
    let error = Library::open_named("libc.so.6").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incompatible);
    assert!(error.to_string().contains("no function PMIx_Get_version"), "{error}");
}

#[test]
fn versions_whose_structs_are_others_are_refused_by_name() {
    for known in [c"PMIx 3.2.3", c"OpenPMIx 4.2.2rc2 (PMIx Standard: 4.2)", c"OpenPMIx 5.0.3"] {
        library(Script { version: known, ..USUAL }).checked().unwrap();
    }
    for other in [c"PMIx 2.2.1", c"OpenPMIx 6.0.0 (PMIx Standard: 5.0)", c"PMIx, of no number"] {
        let error = library(Script { version: other, ..USUAL }).checked().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Incompatible);
        assert!(error.to_string().contains(other.to_str().unwrap()), "{error}");
    }
}

#[test]
fn a_server_that_does_not_answer_is_an_error_with_the_librarys_text_and_a_hint() {
    let error = Client::connect(library(Script { init: ffi::ERR_UNREACH, ..USUAL })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    let text = error.to_string();
    for part in ["PMIx_Init returned -25: UNREACHABLE", "OpenPMIx 4.2.2", "OXSHMEM_BOOTSTRAP=env"] {
        assert!(text.contains(part), "{part} in: {text}");
    }
    assert_eq!(calls(), ["init"], "libpmix crashes at a good-bye of who was not taken");
    let error = Client::connect(library(Script { init: -1, ..USUAL })).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Refused, Some(-1)));
    assert_eq!(calls(), ["init"], "nor does it in any other case");
}

#[test]
fn a_client_knows_its_place_and_says_good_bye_once() {
    let client = Client::connect(library(USUAL)).unwrap();
    assert_eq!((client.rank(), client.job_size().unwrap(), client.local_size().unwrap()), (3, 7, Some(7)));
    let all = u32::MAX - 1;
    drop(client);
    let asked = [format!("get pmix.job.size of {all}"), format!("get pmix.local.size of {all}")];
    assert_eq!(calls(), ["init", &asked[0], &asked[1], "finalize"]);
}

#[test]
fn a_value_that_the_server_lacks_is_none_and_one_of_another_type_is_an_error() {
    let client = Client::connect(library(Script { get: ffi::ERR_NOT_FOUND, ..USUAL })).unwrap();
    assert_eq!(client.local_size().unwrap(), None);
    let error = client.job_size().unwrap_err();
    assert!(error.to_string().contains("no pmix.job.size"), "{error}");
    assert_eq!(client.get(0, "k", None).unwrap_err().kind(), ErrorKind::NotFound);
    let client = Client::connect(library(Script { value: (ffi::BYTE_OBJECT, b"four"), ..USUAL })).unwrap();
    assert_eq!(client.job_size().unwrap_err().kind(), ErrorKind::Malformed);
    let client = Client::connect(library(Script { get: -1, ..USUAL })).unwrap();
    let error = client.local_size().unwrap_err();
    assert!(error.to_string().contains("PMIx_Get returned -1: ERROR"), "{error}");
}

#[test]
fn published_bytes_are_read_back_unchanged_after_a_fence() {
    let client = Client::connect(library(Script { value: (ffi::BYTE_OBJECT, b"\0there\0"), ..USUAL })).unwrap();
    client.put("here", b"\0mine").unwrap();
    client.fence(Some(Duration::from_secs(60))).unwrap();
    client.fence(None).unwrap();
    assert_eq!(client.get(0, "there", None).unwrap(), b"\0there\0");
    assert_eq!(SCRIPT.with_borrow(|script| script.published.clone()), b"\0mine");
    let fences: Vec<_> = calls().into_iter().filter(|call| call.starts_with("fence")).collect();
    assert_eq!(fences, ["fence pmix.collect pmix.timeout", "fence pmix.collect"]);
    assert!(calls().contains(&"commit".into()), "what is not committed nobody sees");
}

#[test]
fn a_name_that_c_can_not_have_is_refused() {
    let client = Client::connect(library(USUAL)).unwrap();
    for wrong in ["a\0b".to_string(), "k".repeat(ffi::KEY_BYTES)] {
        assert_eq!(client.put(&wrong, b"x").unwrap_err().kind(), ErrorKind::InvalidArgument);
    }
}

#[test]
fn a_fence_that_fails_says_so_whether_at_once_or_later() {
    for script in [Script { fence: Some(-1), ..USUAL }, Script { fence_ends: Some(-1), ..USUAL }] {
        let client = Client::connect(library(script)).unwrap();
        let error = client.fence(None).unwrap_err();
        assert!(error.to_string().contains("PMIx_Fence_nb returned -1: ERROR"), "{error}");
    }
    let client = Client::connect(library(Script { fence: Some(ffi::OPERATION_SUCCEEDED), ..USUAL })).unwrap();
    client.fence(None).unwrap();
}

#[test]
fn a_fence_to_which_not_all_come_ends_with_the_limit() {
    let client = Client::connect(library(Script { fence: None, fence_ends: None, ..USUAL })).unwrap();
    let (limit, start) = (Duration::from_millis(50), Instant::now());
    let error = client.fence(Some(limit)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(start.elapsed() >= limit && error.to_string().contains("50ms"), "{error}");
}

//! The declarations of `pmix.h` and `pmix_common.h` that are used here; they are the same from PMIx 3 to 5. A test
//! compares them with the headers.

use core::ffi::{c_char, c_int, c_void};

/// `pmix_status_t`: 0, or a negative number.
pub(crate) type PmixStatus = c_int;

/// `PMIX_SUCCESS`.
pub(crate) const SUCCESS: PmixStatus = 0;
/// `PMIX_ERR_UNREACH`.
pub(crate) const ERR_UNREACH: PmixStatus = -25;
/// `PMIX_ERR_NOT_FOUND`.
pub(crate) const ERR_NOT_FOUND: PmixStatus = -46;

/// `PMIX_OPERATION_SUCCEEDED`: the operation is already done, and no callback follows.
pub(crate) const OPERATION_SUCCEEDED: PmixStatus = -157;

/// `PMIX_RANK_WILDCARD`: all processes of a namespace, or the namespace itself.
pub(crate) const RANK_WILDCARD: u32 = u32::MAX - 1;

/// `PMIX_GLOBAL`: for processes on this host and on others.
pub(crate) const GLOBAL: u8 = 3;

/// `PMIX_BOOL`.
pub(crate) const BOOL: u16 = 1;
/// `PMIX_INT`.
pub(crate) const INT: u16 = 6;
/// `PMIX_UINT32`.
pub(crate) const UINT32: u16 = 14;
/// `PMIX_BYTE_OBJECT`.
pub(crate) const BYTE_OBJECT: u16 = 27;

/// `PMIX_JOB_SIZE`.
pub(crate) const JOB_SIZE: &str = "pmix.job.size";
/// `PMIX_LOCAL_SIZE`.
pub(crate) const LOCAL_SIZE: &str = "pmix.local.size";
/// `PMIX_COLLECT_DATA`.
pub(crate) const COLLECT_DATA: &str = "pmix.collect";
/// `PMIX_TIMEOUT`.
pub(crate) const TIMEOUT: &str = "pmix.timeout";

/// `PMIX_MAX_NSLEN` and the final zero.
pub(crate) const NAMESPACE_BYTES: usize = 256;
/// `PMIX_MAX_KEYLEN` and the final zero.
pub(crate) const KEY_BYTES: usize = 512;

/// `pmix_proc_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Proc {
    pub(crate) nspace: [c_char; NAMESPACE_BYTES],
    pub(crate) rank: u32,
}

/// `pmix_byte_object_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct ByteObject {
    pub(crate) bytes: *mut c_char,
    pub(crate) size: usize,
}

/// The union in `pmix_value_t`, with the members that are used. `words` has the size of its largest member
/// (`pmix_envar_t`).
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union Data {
    pub(crate) flag: bool,
    pub(crate) integer: c_int,
    pub(crate) uint32: u32,
    pub(crate) bo: ByteObject,
    pub(crate) words: [u64; 3],
}

/// `pmix_value_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Value {
    pub(crate) type_: u16,
    pub(crate) data: Data,
}

/// `pmix_info_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Info {
    pub(crate) key: [c_char; KEY_BYTES],
    pub(crate) flags: u32,
    pub(crate) value: Value,
}

/// `pmix_op_cbfunc_t`: receives the status of a finished operation, on a thread of the library.
pub(crate) type OpDone = unsafe extern "C" fn(PmixStatus, *mut c_void);

/// The functions.
#[derive(Clone, Copy)]
#[allow(non_snake_case, reason = "they are called so")]
pub(crate) struct Functions {
    pub(crate) PMIx_Get_version: unsafe extern "C" fn() -> *const c_char,
    pub(crate) PMIx_Error_string: unsafe extern "C" fn(PmixStatus) -> *const c_char,
    pub(crate) PMIx_Init: unsafe extern "C" fn(*mut Proc, *mut Info, usize) -> PmixStatus,
    pub(crate) PMIx_Finalize: unsafe extern "C" fn(*const Info, usize) -> PmixStatus,
    pub(crate) PMIx_Put: unsafe extern "C" fn(u8, *const c_char, *mut Value) -> PmixStatus,
    pub(crate) PMIx_Commit: unsafe extern "C" fn() -> PmixStatus,
    pub(crate) PMIx_Fence_nb:
        unsafe extern "C" fn(*const Proc, usize, *const Info, usize, Option<OpDone>, *mut c_void) -> PmixStatus,
    pub(crate) PMIx_Get:
        unsafe extern "C" fn(*const Proc, *const c_char, *const Info, usize, *mut *mut Value) -> PmixStatus,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    use core::mem::offset_of;
    assert!(size_of::<Proc>() == 260 && offset_of!(Proc, rank) == 256);
    assert!(size_of::<Value>() == 32 && offset_of!(Value, data) == 8);
    assert!(size_of::<Info>() == 552 && offset_of!(Info, flags) == 512 && offset_of!(Info, value) == 520);
};

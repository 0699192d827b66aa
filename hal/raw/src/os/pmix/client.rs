//! This process as a member of a job.

use core::ffi::{c_char, c_int, c_void};
use std::ffi::CString;
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::Library;
use super::ffi::{self, Data, Info, PmixStatus, Proc, Value};

/// This process's connection to the launcher's server. Dropping it ends the connection.
#[derive(Debug)]
pub struct Client {
    library: Library,
    me: Proc,
}

impl core::fmt::Debug for Proc {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "rank {}", self.rank)
    }
}

impl Client {
    /// Connects to the server that the environment names.
    ///
    /// # Errors
    /// `Unreachable` if it does not answer; `Refused` if it rejects this process. Both include the status.
    pub fn connect(library: Library) -> Result<Self> {
        let mut me = Proc { nspace: [0; ffi::NAMESPACE_BYTES], rank: 0 };
        // SAFETY: `me` is a valid out pointer of the required type. No infos are passed, so their pointer may be null.
        let status = unsafe { (library.functions.PMIx_Init)(&mut me, ptr::null_mut(), 0) };
        if status != ffi::SUCCESS {
            // `PMIx_Finalize` would crash after this failure (4.2.2); there is no connection to end.
            let kind = if status == ffi::ERR_UNREACH { ErrorKind::Unreachable } else { ErrorKind::Refused };
            return Err(status_error(&library, kind, "connect to the launcher's PMIx server", "PMIx_Init", status)
                .hint("start the program with a launcher of a compatible PMIx version, or set OXSHMEM_BOOTSTRAP=env to use no PMIx"));
        }
        Ok(Self { library, me })
    }

    /// Returns the library of this connection.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Returns the number of this process in the job, from 0.
    pub fn rank(&self) -> u32 {
        self.me.rank
    }

    /// Returns the number of processes in the job.
    ///
    /// # Errors
    /// The server does not provide it.
    pub fn job_size(&self) -> Result<u32> {
        let action = "ask how many processes the job has";
        self.number(ffi::JOB_SIZE, action)?.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, action)
                .because(format!("the launcher's PMIx server has no {}", ffi::JOB_SIZE))
        })
    }

    /// Returns the number of processes of the job on this host; `None` if the server does not provide it.
    ///
    /// # Errors
    /// The server reports an error.
    pub fn local_size(&self) -> Result<Option<u32>> {
        self.number(ffi::LOCAL_SIZE, "ask how many processes of the job are on this host")
    }

    fn number(&self, key: &str, action: &str) -> Result<Option<u32>> {
        match self.value(ffi::RANK_WILDCARD, key, &[], action)? {
            None => Ok(None),
            Some(answer) => match answer.value().type_ {
                // SAFETY: by the value's type, the library wrote this member.
                ffi::UINT32 => Ok(Some(unsafe { answer.value().data.uint32 })),
                other => Err(unexpected(action, key, other)),
            },
        }
    }

    /// Publishes bytes under a name. The others see them after the next [`fence`](Self::fence).
    ///
    /// # Errors
    /// The library refuses them.
    pub fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        let action = "publish a value for the other processes";
        let name = c_name(key)?;
        // The library copies the bytes and does not write them.
        let bo = ffi::ByteObject { bytes: bytes.as_ptr().cast::<c_char>().cast_mut(), size: bytes.len() };
        let mut value = Value { type_: ffi::BYTE_OBJECT, data: Data { words: [0; 3] } };
        value.data.bo = bo;
        // SAFETY: the name ends with a zero, the value has the member that its type says, and both outlive the call,
        // which copies them.
        let status = unsafe { (self.library.functions.PMIx_Put)(ffi::GLOBAL, name.as_ptr(), &mut value) };
        self.check(action, "PMIx_Put", status)?;
        // SAFETY: it has no arguments, and `connect` initialised the library.
        let status = unsafe { (self.library.functions.PMIx_Commit)() };
        self.check(action, "PMIx_Commit", status)
    }

    /// Waits for all processes of the job, and collects the values that they published. Collective.
    ///
    /// # Errors
    /// `Timeout` if some did not come within the limit; the server's own errors.
    pub fn fence(&self, limit: Option<Duration>) -> Result<()> {
        let action = "meet the other processes through the launcher's PMIx server";
        let mut infos = vec![info(ffi::COLLECT_DATA, Value { type_: ffi::BOOL, data: Data { flag: true } })];
        if let Some(limit) = limit {
            // A server may enforce the limit itself, in whole seconds. With other servers this call stops waiting at
            // the limit.
            let seconds = c_int::try_from(limit.as_secs().saturating_add(1)).unwrap_or(c_int::MAX);
            infos.push(info(ffi::TIMEOUT, Value { type_: ffi::INT, data: Data { integer: seconds } }));
        }
        let pending: Arc<PendingFence> = Arc::default();
        // The library owns one reference, which it returns by calling `fence_done`.
        let theirs = Arc::into_raw(Arc::clone(&pending)).cast_mut().cast::<c_void>();
        // The library may read the infos until it has called `fence_done`, possibly after the limit, so they are never
        // freed.
        let (infos, count) = (Vec::leak(infos), if limit.is_some() { 2 } else { 1 });
        // SAFETY: no processes are passed, which means all processes of this job. The infos are never freed or written.
        // `fence_done` takes the one reference to `pending` that is passed.
        let status = unsafe {
            let fence = self.library.functions.PMIx_Fence_nb;
            fence(ptr::null(), 0, infos.as_ptr(), count, Some(fence_done), theirs)
        };
        // With any other status the library does not call `fence_done`.
        if status != ffi::SUCCESS {
            // SAFETY: it is the pointer from `into_raw` above, and the library does not take its reference.
            drop(unsafe { Arc::from_raw(theirs.cast_const().cast::<PendingFence>()) });
            return match status {
                ffi::OPERATION_SUCCEEDED => Ok(()),
                status => self.check(action, "PMIx_Fence_nb", status),
            };
        }
        match pending.wait(limit) {
            Some(status) => self.check(action, "PMIx_Fence_nb", status),
            None => Err(Error::new(ErrorKind::Timeout, action)
                .because(format!("not all of them arrived within {:?}", limit.unwrap_or_default()))
                .hint("check that every process of the job starts a world")),
        }
    }

    /// Returns the bytes that another process published under a name before a fence.
    ///
    /// # Errors
    /// `NotFound` if it published nothing; the server's own errors.
    pub fn get(&self, rank: u32, key: &str, limit: Option<Duration>) -> Result<Vec<u8>> {
        let action = format!("read a value of process {rank} of the job");
        // A fence has collected the values already. A server that does not collect is asked now, with a limit.
        let seconds = limit.map_or(0, |limit| c_int::try_from(limit.as_secs().saturating_add(1)).unwrap_or(c_int::MAX));
        let infos = [info(ffi::TIMEOUT, Value { type_: ffi::INT, data: Data { integer: seconds } })];
        let answer = self.value(rank, key, &infos, &action)?;
        let Some(answer) = answer else {
            return Err(Error::new(ErrorKind::NotFound, action)
                .because(format!("the PMIx server has no {key} of that process")));
        };
        answer.bytes().map(<[u8]>::to_vec).ok_or_else(|| unexpected(&action, key, answer.value().type_))
    }

    /// Asks the server for one value; `None` if it has none under this name.
    fn value(&self, rank: u32, key: &str, infos: &[Info], action: &str) -> Result<Option<ReturnedValue>> {
        let whose = Proc { rank, ..self.me };
        let name = c_name(key)?;
        let mut found = ptr::null_mut();
        // SAFETY: process, name and infos outlive the call, which waits for the answer, and `found` is a valid out
        // pointer.
        let status = unsafe {
            let get = self.library.functions.PMIx_Get;
            get(&whose, name.as_ptr(), infos.as_ptr(), infos.len(), &mut found)
        };
        match status {
            ffi::SUCCESS if !found.is_null() => Ok(Some(ReturnedValue(found))),
            ffi::SUCCESS | ffi::ERR_NOT_FOUND => Ok(None),
            status => self.check(action, "PMIx_Get", status).map(|()| None),
        }
    }

    fn check(&self, action: &str, call: &'static str, status: PmixStatus) -> Result<()> {
        match status {
            ffi::SUCCESS => Ok(()),
            status => Err(status_error(&self.library, ErrorKind::System, action, call, status)),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Without it, a launcher takes the end of this process for a crash. SAFETY: no infos are passed, and `connect`
        // initialised the library.
        unsafe { (self.library.functions.PMIx_Finalize)(ptr::null(), 0) };
    }
}

/// A value that the library allocated for this process.
struct ReturnedValue(*mut Value);

impl ReturnedValue {
    fn value(&self) -> &Value {
        // SAFETY: the library returned this pointer, which is not null, and this value alone owns it until it is
        // dropped.
        unsafe { &*self.0 }
    }

    /// Returns the bytes of a value of type `BYTE_OBJECT`; `None` for other types.
    fn bytes(&self) -> Option<&[u8]> {
        if self.value().type_ != ffi::BYTE_OBJECT {
            return None;
        }
        // SAFETY: the library initialised all bytes of the union, and any bytes are a valid pointer and length.
        let bo = unsafe { self.value().data.bo };
        if bo.bytes.is_null() {
            return Some(&[]);
        }
        // SAFETY: by the value's type, the library stored this number of bytes there, and they live as long as the
        // value.
        Some(unsafe { core::slice::from_raw_parts(bo.bytes.cast::<u8>(), bo.size) })
    }
}

impl Drop for ReturnedValue {
    fn drop(&mut self) {
        // `PMIX_VALUE_RELEASE` is a macro that calls `free`. This client asks only for values of these types; for a
        // value of another type, any memory that it points to is leaked.
        if self.value().type_ == ffi::BYTE_OBJECT {
            // SAFETY: the library allocated the bytes with `malloc` for this process, and no other code frees them.
            unsafe { libc::free(self.value().data.bo.bytes.cast()) };
        }
        // SAFETY: the library allocated the value with `malloc` for this process, no other code frees it, and it is not
        // used after this.
        unsafe { libc::free(self.0.cast()) };
    }
}

/// A fence in progress.
#[derive(Default)]
struct PendingFence {
    ended: Mutex<Option<PmixStatus>>,
    changed: Condvar,
}

impl PendingFence {
    fn wait(&self, limit: Option<Duration>) -> Option<PmixStatus> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |ended: &mut Option<PmixStatus>| ended.is_none();
        match limit {
            None => *self.changed.wait_while(ended, open).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                *self.changed.wait_timeout_while(ended, limit, open).unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }
}

/// Records the status of a fence, and releases the library's reference to its [`PendingFence`].
unsafe extern "C" fn fence_done(status: PmixStatus, pending: *mut c_void) {
    // SAFETY: it is the pointer that `fence` passed together with one reference, and the library calls this once.
    let pending = unsafe { Arc::from_raw(pending.cast_const().cast::<PendingFence>()) };
    *pending.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
    pending.changed.notify_all();
}

/// `PMIX_INFO_LOAD`.
fn info(key: &str, value: Value) -> Info {
    let mut info = Info { key: [0; ffi::KEY_BYTES], flags: 0, value };
    for (to, from) in info.key.iter_mut().zip(key.bytes()) {
        *to = from as c_char;
    }
    info
}

fn c_name(key: &str) -> Result<CString> {
    match CString::new(key) {
        Ok(name) if key.len() < ffi::KEY_BYTES => Ok(name),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("use the PMIx key {key:?}"))
            .because(format!("a key has fewer than {} bytes, and no zero byte", ffi::KEY_BYTES))),
    }
}

fn status_error(library: &Library, kind: ErrorKind, action: &str, call: &'static str, status: PmixStatus) -> Error {
    let text = library.status_text(status);
    Error::new(kind, action).because(format!("{library:?}")).call(call, i64::from(status), text)
}

fn unexpected(action: &str, key: &str, type_: u16) -> Error {
    Error::new(ErrorKind::Malformed, action).because(format!("the value of {key} has the unexpected type {type_}"))
}

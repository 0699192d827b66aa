//! This process as one of a job.

use core::ffi::{c_char, c_int, c_void};
use std::ffi::CString;
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::Library;
use super::ffi::{self, Data, Info, PmixStatus, Proc, Value};

/// This process as the launcher's server knows it. Says good-bye to the server when dropped.
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
    /// `Unreachable` if it does not answer; `Refused` if it does not take this process. The status is named.
    pub fn connect(library: Library) -> Result<Self> {
        let mut me = Proc { nspace: [0; ffi::NAMESPACE_BYTES], rank: 0 };
        // SAFETY: `me` is writable and of the type that is asked for; no infos are passed, so that their pointer counts
        // for nothing.
        let status = unsafe { (library.functions.PMIx_Init)(&mut me, ptr::null_mut(), 0) };
        if status != ffi::SUCCESS {
            // `PMIx_Finalize` behind this would end in a crash (4.2.2): there is nothing to say good-bye to.
            let kind = if status == ffi::ERR_UNREACH { ErrorKind::Unreachable } else { ErrorKind::Refused };
            return Err(status_error(&library, kind, "connect to the launcher's PMIx server", "PMIx_Init", status)
                .hint("start the program by a launcher whose PMIx fits, or set OXSHMEM_BOOTSTRAP=env to do without"));
        }
        Ok(Self { library, me })
    }

    /// The library, by which this process is connected.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Which process of the job this is, from 0 on.
    pub fn rank(&self) -> u32 {
        self.me.rank
    }

    /// How many processes the job has.
    ///
    /// # Errors
    /// The server does not say.
    pub fn job_size(&self) -> Result<u32> {
        let action = "ask how many processes the job has";
        self.number(ffi::JOB_SIZE, action)?.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, action)
                .because(format!("the launcher's PMIx server has no {}", ffi::JOB_SIZE))
        })
    }

    /// How many of them are on this host; nothing if the server does not say.
    ///
    /// # Errors
    /// It answers that something went wrong.
    pub fn local_size(&self) -> Result<Option<u32>> {
        self.number(ffi::LOCAL_SIZE, "ask how many processes of the job are on this host")
    }

    fn number(&self, key: &str, action: &str) -> Result<Option<u32>> {
        match self.value(ffi::RANK_WILDCARD, key, &[], action)? {
            None => Ok(None),
            Some(answer) => match answer.value().type_ {
                // SAFETY: the type says that this member was written.
                ffi::UINT32 => Ok(Some(unsafe { answer.value().data.uint32 })),
                other => Err(unexpected(action, key, other)),
            },
        }
    }

    /// Lays out bytes for the others under a name. They see it after the next [`fence`](Self::fence).
    ///
    /// # Errors
    /// The library does not take it.
    pub fn put(&self, key: &str, bytes: &[u8]) -> Result<()> {
        let action = "lay out something for the other processes";
        let name = c_name(key)?;
        // The library copies the bytes, and does not write them.
        let bo = ffi::ByteObject { bytes: bytes.as_ptr().cast::<c_char>().cast_mut(), size: bytes.len() };
        let mut value = Value { type_: ffi::BYTE_OBJECT, data: Data { words: [0; 3] } };
        value.data.bo = bo;
        // SAFETY: the name ends with a zero, the value has the member that its type says, and both outlive the call,
        // which copies them.
        let status = unsafe { (self.library.functions.PMIx_Put)(ffi::GLOBAL, name.as_ptr(), &mut value) };
        self.check(action, "PMIx_Put", status)?;
        // SAFETY: it takes nothing.
        let status = unsafe { (self.library.functions.PMIx_Commit)() };
        self.check(action, "PMIx_Commit", status)
    }

    /// Waits for all processes of the job, and takes along what they laid out. Collective.
    ///
    /// # Errors
    /// `Timeout` if some did not come within the limit; what the server answers.
    pub fn fence(&self, limit: Option<Duration>) -> Result<()> {
        let action = "meet the other processes through the launcher's PMIx server";
        let mut infos = vec![info(ffi::COLLECT_DATA, Value { type_: ffi::BOOL, data: Data { flag: true } })];
        if let Some(limit) = limit {
            // Servers may end it by themselves, in whole seconds; those that don't are waited for no longer than that.
            let seconds = c_int::try_from(limit.as_secs().saturating_add(1)).unwrap_or(c_int::MAX);
            infos.push(info(ffi::TIMEOUT, Value { type_: ffi::INT, data: Data { integer: seconds } }));
        }
        let pending: Arc<PendingFence> = Arc::default();
        // One count is the library's, which gives it back by calling `done`.
        let theirs = Arc::into_raw(Arc::clone(&pending)).cast_mut().cast::<c_void>();
        // The library may read the infos until it has called `done`, which may be after the limit: they are kept.
        let (infos, count) = (Vec::leak(infos), if limit.is_some() { 2 } else { 1 });
        // SAFETY: no processes are passed, which means all of this job. The infos are never freed or written. `done`
        // takes the one count of `pending` that is passed.
        let status = unsafe {
            let fence = self.library.functions.PMIx_Fence_nb;
            fence(ptr::null(), 0, infos.as_ptr(), count, Some(fence_done), theirs)
        };
        // Of anything else `done` is not told.
        if status != ffi::SUCCESS {
            // SAFETY: it is the pointer from above, whose count nobody takes now.
            drop(unsafe { Arc::from_raw(theirs.cast_const().cast::<PendingFence>()) });
            return match status {
                ffi::OPERATION_SUCCEEDED => Ok(()),
                status => self.check(action, "PMIx_Fence_nb", status),
            };
        }
        match pending.wait(limit) {
            Some(status) => self.check(action, "PMIx_Fence_nb", status),
            None => Err(Error::new(ErrorKind::Timeout, action)
                .because(format!("not all of them came within {:?}", limit.unwrap_or_default()))
                .hint("check that every process of the job starts a world")),
        }
    }

    /// What another process laid out under a name before a fence.
    ///
    /// # Errors
    /// `NotFound` if it laid out nothing; what the server answers.
    pub fn get(&self, rank: u32, key: &str, limit: Option<Duration>) -> Result<Vec<u8>> {
        let action = format!("read what process {rank} of the job laid out");
        // What a fence collected is here already; servers that collect nothing are asked, and not for ever.
        let seconds = limit.map_or(0, |limit| c_int::try_from(limit.as_secs().saturating_add(1)).unwrap_or(c_int::MAX));
        let infos = [info(ffi::TIMEOUT, Value { type_: ffi::INT, data: Data { integer: seconds } })];
        let answer = self.value(rank, key, &infos, &action)?;
        let Some(answer) = answer else {
            return Err(Error::new(ErrorKind::NotFound, action).because(format!("the PMIx server has no {key} of it")));
        };
        answer.bytes().map(<[u8]>::to_vec).ok_or_else(|| unexpected(&action, key, answer.value().type_))
    }

    /// One answer of the server; nothing if it has none under this name.
    fn value(&self, rank: u32, key: &str, infos: &[Info], action: &str) -> Result<Option<ReturnedValue>> {
        let whose = Proc { rank, ..self.me };
        let name = c_name(key)?;
        let mut found = ptr::null_mut();
        // SAFETY: process, name and infos outlive the call, which waits for the answer, and `found` is writable.
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
        // Without it a launcher takes the end of this process for a crash.
        // SAFETY: no infos are passed; `connect` succeeded.
        unsafe { (self.library.functions.PMIx_Finalize)(ptr::null(), 0) };
    }
}

/// A value that the library allocated for this process.
struct ReturnedValue(*mut Value);

impl ReturnedValue {
    fn value(&self) -> &Value {
        // SAFETY: the library gave it, it is not null, and only this has it until it is dropped.
        unsafe { &*self.0 }
    }

    /// The bytes of a value of type `BYTE_OBJECT`; `None` for other types.
    fn bytes(&self) -> Option<&[u8]> {
        if self.value().type_ != ffi::BYTE_OBJECT {
            return None;
        }
        // SAFETY: all bytes of the union were written by the library; whatever they are is a pointer and a length.
        let bo = unsafe { self.value().data.bo };
        if bo.bytes.is_null() {
            return Some(&[]);
        }
        // SAFETY: the type says that there are so many bytes, which live as long as the value.
        Some(unsafe { core::slice::from_raw_parts(bo.bytes.cast::<u8>(), bo.size) })
    }
}

impl Drop for ReturnedValue {
    fn drop(&mut self) {
        // `PMIX_VALUE_RELEASE` is a macro that calls `free`. Values of other types than these are not asked for, and what
        // one that came against that points to is left.
        if self.value().type_ == ffi::BYTE_OBJECT {
            // SAFETY: the library allocated the bytes with `malloc` for this process, which nobody has freed.
            unsafe { libc::free(self.value().data.bo.bytes.cast()) };
        }
        // SAFETY: as above, of the value itself, which is not used behind this.
        unsafe { libc::free(self.0.cast()) };
    }
}

/// A fence under way.
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

/// Takes one count of a [`PendingFence`].
unsafe extern "C" fn fence_done(status: PmixStatus, pending: *mut c_void) {
    // SAFETY: it is what `fence` passed, with the count that is the library's, which calls this once.
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
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("name something {key:?} in PMIx"))
            .because(format!("names have fewer than {} bytes, and no zero", ffi::KEY_BYTES))),
    }
}

fn status_error(library: &Library, kind: ErrorKind, action: &str, call: &'static str, status: PmixStatus) -> Error {
    let text = library.status_text(status);
    Error::new(kind, action).because(format!("{library:?}")).call(call, i64::from(status), text)
}

fn unexpected(action: &str, key: &str, type_: u16) -> Error {
    Error::new(ErrorKind::Malformed, action).because(format!("the value of {key} has the unexpected type {type_}"))
}

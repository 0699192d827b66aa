//! Requests: operations that UCX has not completed yet.

use std::ffi::c_void;

use super::ffi::{UCS_ERR_LAST, UCS_INPROGRESS, UCS_OK, ucs_status_t};
use super::library::{Library, StatusPtr};

/// The state of an operation after a call or a poll.
#[derive(Debug)]
pub(crate) enum Progress {
    /// UCX has completed it.
    Done,
    /// It failed, with this status.
    Failed(ucs_status_t),
    /// UCX has not completed it yet.
    Pending(Request),
}

/// A request of UCX, which is given back when it is dropped. UCX may use its memory until it has completed.
#[derive(Debug)]
pub(crate) struct Request {
    at: *mut c_void,
    library: &'static Library,
}

// SAFETY: the request belongs to a worker of the mode "serialized", which any thread may use, one at a time. Only the
// owner of the worker polls and drops requests.
unsafe impl Send for Request {}

impl Progress {
    /// Takes the result of a call.
    ///
    /// # Safety
    ///
    /// - **fresh**: a nonblocking call of UCX has just returned it, and no other code has it.
    pub(super) unsafe fn of(result: StatusPtr, library: &'static Library) -> Self {
        match result as isize {
            0 => Self::Done,
            // Statuses are the last numbers of the address space.
            status if (UCS_ERR_LAST.into()..0).contains(&status) => Self::Failed(status as ucs_status_t),
            _ => Self::Pending(Request { at: result, library }),
        }
    }
}

impl Request {
    /// Returns the state of the request after the last progress of its worker.
    pub(crate) fn state(&self) -> Result<bool, ucs_status_t> {
        // SAFETY: **live**: this value holds the request.
        match unsafe { (self.library.ucp_request_check_status)(self.at) } {
            UCS_OK => Ok(true),
            UCS_INPROGRESS => Ok(false),
            status => Err(status),
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // SAFETY: **live**: this value holds the request, and ends here. UCX keeps one that has not completed until it
        // has.
        unsafe { (self.library.ucp_request_free)(self.at) };
    }
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UCX")
    }
}

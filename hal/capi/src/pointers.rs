//! Pointers that C passes.

use oxshmem_hal::{Error, ErrorKind, Result};

/// Writes a result, unless the caller does not ask for it.
///
/// # Safety
///
/// **pointers**, as the crate defines them.
pub(crate) unsafe fn give<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: **pointers** by the caller; it is not null.
        unsafe { to.write(value) }
    }
}

/// Returns the pointer if it is not null; `what` is for the error.
pub(crate) fn not_null<T>(at: *const T, what: &str) -> Result<*const T> {
    if at.is_null() { Err(null(what)) } else { Ok(at) }
}

/// Returns the error of a null pointer.
pub(crate) fn null(what: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, "read the arguments").because(format!("{what} is a null pointer"))
}

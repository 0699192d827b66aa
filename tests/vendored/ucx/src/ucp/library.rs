//! UCX, opened at run time.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{
    UCS_ERR_EXCEEDS_LIMIT, UCS_ERR_INVALID_ADDR, UCS_ERR_INVALID_PARAM, UCS_ERR_NO_DEVICE, UCS_ERR_NO_MEMORY,
    UCS_ERR_UNREACHABLE, UCS_OK, ucp_address, ucp_config, ucp_context, ucp_ep, ucp_ep_params, ucp_mem,
    ucp_mem_map_params, ucp_params, ucp_request_param, ucp_rkey, ucp_worker, ucp_worker_params, ucs_status_t,
};

/// The file that the dynamic linker looks for; Debian's package is `libucx0`.
const FILE: &str = "libucp.so.0";
/// The oldest version with all that is used. Its interface is requested from newer ones.
pub(super) const LEAST: (u32, u32) = (1, 13);

/// Null, a status as a small negative number, or a request.
pub(super) type StatusPtr = *mut c_void;

/// Declares the functions of UCX with their types, and looks each of them up by its name.
macro_rules! functions {
    ($($name:ident: fn($($of:ty),*) $(-> $to:ty)?;)*) => {
        /// The functions of UCX.
        pub(crate) struct Library {
            $(pub(super) $name: unsafe extern "C" fn($($of),*) $(-> $to)?,)*
        }

        impl Library {
            fn find(library: &'static libloading::Library) -> std::result::Result<Self, libloading::Error> {
                Ok(Self {
                    $(
                        // SAFETY: **type**: the field has the type that `<ucp/api/ucp.h>` or `<ucs/type/status.h>`
                        // declares for this symbol.
                        $name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }?,
                    )*
                })
            }
        }
    };
}

functions! {
    ucp_get_version: fn(*mut c_uint, *mut c_uint, *mut c_uint);
    // In libucs, on which libucp depends: the search includes it.
    ucs_status_string: fn(ucs_status_t) -> *const c_char;
    ucp_config_read: fn(*const c_char, *const c_char, *mut *mut ucp_config) -> ucs_status_t;
    ucp_config_modify: fn(*mut ucp_config, *const c_char, *const c_char) -> ucs_status_t;
    ucp_config_release: fn(*mut ucp_config);
    ucp_init_version: fn(c_uint, c_uint, *const ucp_params, *const ucp_config, *mut *mut ucp_context) -> ucs_status_t;
    ucp_cleanup: fn(*mut ucp_context);
    ucp_worker_create: fn(*mut ucp_context, *const ucp_worker_params, *mut *mut ucp_worker) -> ucs_status_t;
    ucp_worker_destroy: fn(*mut ucp_worker);
    ucp_worker_get_address: fn(*mut ucp_worker, *mut *mut ucp_address, *mut usize) -> ucs_status_t;
    ucp_worker_release_address: fn(*mut ucp_worker, *mut ucp_address);
    ucp_worker_progress: fn(*mut ucp_worker) -> c_uint;
    ucp_mem_map: fn(*mut ucp_context, *const ucp_mem_map_params, *mut *mut ucp_mem) -> ucs_status_t;
    ucp_mem_unmap: fn(*mut ucp_context, *mut ucp_mem) -> ucs_status_t;
    ucp_rkey_pack: fn(*mut ucp_context, *mut ucp_mem, *mut *mut c_void, *mut usize) -> ucs_status_t;
    ucp_rkey_buffer_release: fn(*mut c_void);
    ucp_ep_create: fn(*mut ucp_worker, *const ucp_ep_params, *mut *mut ucp_ep) -> ucs_status_t;
    ucp_ep_close_nbx: fn(*mut ucp_ep, *const ucp_request_param) -> StatusPtr;
    ucp_ep_flush_nbx: fn(*mut ucp_ep, *const ucp_request_param) -> StatusPtr;
    ucp_ep_rkey_unpack: fn(*mut ucp_ep, *const c_void, *mut *mut ucp_rkey) -> ucs_status_t;
    ucp_rkey_destroy: fn(*mut ucp_rkey);
    ucp_put_nbx: fn(*mut ucp_ep, *const c_void, usize, u64, *mut ucp_rkey, *const ucp_request_param) -> StatusPtr;
    ucp_get_nbx: fn(*mut ucp_ep, *mut c_void, usize, u64, *mut ucp_rkey, *const ucp_request_param) -> StatusPtr;
    ucp_atomic_op_nbx: fn(
        *mut ucp_ep, c_int, *const c_void, usize, u64, *mut ucp_rkey, *const ucp_request_param
    ) -> StatusPtr;
    ucp_request_check_status: fn(*mut c_void) -> ucs_status_t;
    ucp_request_free: fn(*mut c_void);
}

impl Library {
    /// Opens the library once a process; it is never closed, because it keeps a thread.
    ///
    /// # Errors
    /// The file is missing, lacks a function, or is too old.
    pub(crate) fn get() -> Result<&'static Self> {
        static OPENED: OnceLock<std::result::Result<Library, String>> = OnceLock::new();
        OPENED.get_or_init(Self::open).as_ref().map_err(|why| {
            let (major, minor) = LEAST;
            Error::new(ErrorKind::NotFound, format!("open {FILE}")).because(why.clone()).hint(format!(
                "install UCX {major}.{minor} or newer (Debian: libucx0), or name its folder in LD_LIBRARY_PATH"
            ))
        })
    }

    fn open() -> std::result::Result<Self, String> {
        // SAFETY: **initializers**: UCX's initializers have no preconditions; it may be opened from any thread.
        let library = unsafe { libloading::Library::new(FILE) }.map_err(|error| error.to_string())?;
        let library: &'static _ = Box::leak(Box::new(library));
        let this = Self::find(library).map_err(|error| error.to_string())?;
        let (major, minor, _) = this.version();
        is_usable((major, minor))?;
        Ok(this)
    }

    /// Returns the library's version: major, minor, release.
    pub(crate) fn version(&self) -> (u32, u32, u32) {
        let (mut major, mut minor, mut release) = (0, 0, 0);
        // SAFETY: **plain**: the function stores three constants to places that are alive.
        unsafe { (self.ucp_get_version)(&mut major, &mut minor, &mut release) };
        (major, minor, release)
    }

    /// Describes a status.
    pub(crate) fn text(&self, status: ucs_status_t) -> String {
        // SAFETY: **static**: the function returns a string that stays for every number.
        unsafe { CStr::from_ptr((self.ucs_status_string)(status)) }.to_string_lossy().into_owned()
    }

    /// Converts a status that a call returned to an error.
    pub(crate) fn check(
        &self,
        status: ucs_status_t,
        call: &'static str,
        action: impl FnOnce() -> String,
    ) -> Result<()> {
        let kind = match status {
            UCS_OK => return Ok(()),
            UCS_ERR_NO_DEVICE => ErrorKind::NotFound,
            UCS_ERR_UNREACHABLE => ErrorKind::Unreachable,
            UCS_ERR_NO_MEMORY | UCS_ERR_EXCEEDS_LIMIT => ErrorKind::Exhausted,
            UCS_ERR_INVALID_PARAM | UCS_ERR_INVALID_ADDR => ErrorKind::InvalidArgument,
            _ => ErrorKind::System,
        };
        Err(Error::new(kind, action()).call(call, status.into(), self.text(status)))
    }
}

/// Checks that a library of this version has the interface of [`LEAST`].
fn is_usable(version: (u32, u32)) -> std::result::Result<(), String> {
    // Another major version is another interface.
    if version.0 == LEAST.0 && version >= LEAST {
        return Ok(());
    }
    let ((major, minor), (own, least)) = (version, LEAST);
    Err(format!("it is UCX {major}.{minor}, and {own}.{least} or a newer {own}.x is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_1_13_on_are_usable() {
        for version in [(1, 13), (1, 14), (1, 22)] {
            is_usable(version).unwrap();
        }
        for version in [(0, 20), (1, 0), (1, 12), (2, 0)] {
            let why = is_usable(version).unwrap_err();
            assert!(why.starts_with(&format!("it is UCX {}.{}, ", version.0, version.1)), "{why}");
        }
    }
}

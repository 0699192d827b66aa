//! libfabric, opened at run time.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{fi_fabric_attr, fi_info, fid_fabric};

/// The file that the dynamic linker looks for; Debian's package is `libfabric1`.
const FILE: &str = "libfabric.so.1";

/// The functions of libfabric that are symbols. All others are in tables of its objects.
pub(crate) struct Library {
    pub(crate) getinfo:
        unsafe extern "C" fn(u32, *const c_char, *const c_char, u64, *const fi_info, *mut *mut fi_info) -> c_int,
    pub(crate) freeinfo: unsafe extern "C" fn(*mut fi_info),
    pub(crate) dupinfo: unsafe extern "C" fn(*const fi_info) -> *mut fi_info,
    pub(crate) fabric: unsafe extern "C" fn(*mut fi_fabric_attr, *mut *mut fid_fabric, *mut std::ffi::c_void) -> c_int,
    strerror: unsafe extern "C" fn(c_int) -> *const c_char,
    version: unsafe extern "C" fn() -> u32,
}

impl Library {
    /// Opens the library once a process; it is never closed, because its providers keep threads.
    ///
    /// # Errors
    /// The file is missing, or lacks a function.
    pub(crate) fn get() -> Result<&'static Self> {
        static OPENED: OnceLock<std::result::Result<Library, String>> = OnceLock::new();
        OPENED.get_or_init(Self::open).as_ref().map_err(|why| {
            Error::new(ErrorKind::NotFound, format!("open {FILE}"))
                .because(why.clone())
                .hint("install libfabric (Debian: libfabric1), or name its folder in LD_LIBRARY_PATH")
        })
    }

    fn open() -> std::result::Result<Self, String> {
        // SAFETY: **initializers**: libfabric's initializers have no preconditions; it may be opened from any thread.
        let library = unsafe { libloading::Library::new(FILE) }.map_err(|error| error.to_string())?;
        let library = Box::leak(Box::new(library));
        macro_rules! symbol {
            ($name:literal) => {
                // SAFETY: **type**: the field has the type that `<rdma/fabric.h>` declares for this symbol.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }.map_err(|error| error.to_string())?
            };
        }
        Ok(Self {
            getinfo: symbol!("fi_getinfo"),
            freeinfo: symbol!("fi_freeinfo"),
            dupinfo: symbol!("fi_dupinfo"),
            fabric: symbol!("fi_fabric"),
            strerror: symbol!("fi_strerror"),
            version: symbol!("fi_version"),
        })
    }

    /// Returns the library's version: major and minor.
    pub(crate) fn version(&self) -> (u32, u32) {
        // SAFETY: **plain**: the function takes nothing and reads constants.
        let version = unsafe { (self.version)() };
        (version >> 16, version & 0xffff)
    }

    /// Describes an error number (positive).
    pub(crate) fn text(&self, errno: i32) -> String {
        // SAFETY: **static**: the function returns a constant string for every number.
        unsafe { CStr::from_ptr((self.strerror)(errno)) }.to_string_lossy().into_owned()
    }

    /// Converts the answer of a call to an error: it is 0 or a negative error number.
    pub(crate) fn check(&self, answer: c_int, call: &'static str, action: impl FnOnce() -> String) -> Result<()> {
        if answer >= 0 { Ok(()) } else { Err(self.error(-answer, call, action())) }
    }

    /// Converts a positive error number to an error.
    pub(crate) fn error(&self, errno: i32, call: &'static str, action: String) -> Error {
        let kind = match errno {
            libc::ENOENT | libc::ENODATA | libc::ENODEV => ErrorKind::NotFound,
            libc::ENOMEM | libc::ENOSPC => ErrorKind::Exhausted,
            libc::EINVAL => ErrorKind::InvalidArgument,
            _ => ErrorKind::System,
        };
        Error::new(kind, action).call(call, errno.into(), self.text(errno))
    }
}

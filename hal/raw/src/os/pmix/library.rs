//! Finding and opening libpmix.

use core::ffi::{CStr, c_void};
use std::mem::ManuallyDrop;

use libloading::os::unix::{Library as Handle, RTLD_LOCAL, RTLD_NOW};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::ffi::{Functions, PmixStatus};

/// The file name, which versions 2 to 5 of PMIx share.
const NAME: &str = "libpmix.so.2";
/// The versions whose structs are declared here.
const VERSIONS: core::ops::RangeInclusive<u32> = 3..=5;
const INSTALL: &str = "install PMIx 3 to 5 (Debian: libpmix2), or name the folder of libpmix.so.2 in LD_LIBRARY_PATH";

/// libpmix, opened, of a known version. It stays open because it has threads of its own.
#[derive(Clone, Copy)]
pub struct Library {
    pub(super) functions: Functions,
}

impl core::fmt::Debug for Library {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{NAME} ({})", self.version())
    }
}

impl Library {
    /// Opens the library by the system's search path.
    ///
    /// # Errors
    /// `NotFound` if it is missing, with the package to install; `Incompatible` for an unknown version.
    pub fn open() -> Result<Self> {
        Self::open_named(NAME)
    }

    pub(super) fn open_named(name: &str) -> Result<Self> {
        // SAFETY: opening runs the library's constructors. Those of libpmix and its dependencies initialise their own
        // tables; the user answers for another file of this name.
        let handle = unsafe { Handle::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| {
            Error::new(ErrorKind::NotFound, format!("open {name}")).because(words(&error)).hint(INSTALL)
        })?;
        let handle = ManuallyDrop::new(handle);
        // SAFETY: **type**: each is declared as in `pmix.h`.
        let functions = unsafe {
            Functions {
                PMIx_Get_version: function(&handle, name, "PMIx_Get_version")?,
                PMIx_Error_string: function(&handle, name, "PMIx_Error_string")?,
                PMIx_Init: function(&handle, name, "PMIx_Init")?,
                PMIx_Finalize: function(&handle, name, "PMIx_Finalize")?,
                PMIx_Put: function(&handle, name, "PMIx_Put")?,
                PMIx_Commit: function(&handle, name, "PMIx_Commit")?,
                PMIx_Fence_nb: function(&handle, name, "PMIx_Fence_nb")?,
                PMIx_Get: function(&handle, name, "PMIx_Get")?,
            }
        };
        Self { functions }.checked()
    }

    /// Returns the library if the structs of its version are known.
    pub(super) fn checked(self) -> Result<Self> {
        let version = self.version();
        match major(&version) {
            Some(major) if VERSIONS.contains(&major) => Ok(self),
            _ => Err(Error::new(ErrorKind::Incompatible, format!("use {NAME}"))
                .because(format!("it is \"{version}\""))
                .hint(INSTALL)),
        }
    }

    /// Returns the library's version text: "OpenPMIx 4.2.2 (PMIx Standard: ...)".
    pub fn version(&self) -> String {
        // SAFETY: it has no arguments and may be called before all others. It returns null or a string that lives as
        // long as the library.
        text(unsafe { (self.functions.PMIx_Get_version)() })
    }

    /// Returns the library's name of a status.
    pub(super) fn status_text(&self, status: PmixStatus) -> String {
        // SAFETY: the function accepts any number, and the text lives as long as the library.
        text(unsafe { (self.functions.PMIx_Error_string)(status) })
    }
}

/// Finds a function of the library by name.
///
/// # Safety
///
/// - **type**: `F` is the type of a function pointer, and the function has that type.
unsafe fn function<F: Copy>(handle: &Handle, file: &str, name: &str) -> Result<F> {
    const { assert!(size_of::<F>() == size_of::<*const c_void>()) };
    // SAFETY: **type** by the caller.
    unsafe { handle.get::<F>(name.as_bytes()) }.map(|found| *found).map_err(|_| {
        Error::new(ErrorKind::Incompatible, format!("use {file}"))
            .because(format!("it has no function {name}"))
            .hint(INSTALL)
    })
}

fn words(error: &libloading::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| error.to_string(), |why| why.to_string())
}

fn text(answer: *const core::ffi::c_char) -> String {
    if answer.is_null() {
        return String::new();
    }
    // SAFETY: a pointer that is not null is a C string of the library, which is never closed.
    unsafe { CStr::from_ptr(answer) }.to_string_lossy().into_owned()
}

/// Returns the first number of a version text.
fn major(version: &str) -> Option<u32> {
    let from = version.find(|c: char| c.is_ascii_digit())?;
    let digits = &version[from..];
    digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())].parse().ok()
}

//! The place of this library in an installation.

use std::ffi::{CStr, OsStr};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Returns the folders in which an installation has the library's own kernels: beside this library.
pub(crate) fn kernel_folders() -> Vec<PathBuf> {
    let Some(folder) = own_file().and_then(|file| Some(file.canonicalize().ok()?.parent()?.to_path_buf())) else {
        return Vec::new();
    };
    vec![folder.join("ptx"), folder.join("..").join("ptx"), folder]
}

/// Returns the file of this library.
fn own_file() -> Option<PathBuf> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address is this function's own, and `found` has room for the answer.
    if unsafe { libc::dladdr(own_file as *const () as *const libc::c_void, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the call succeeded; zeros are valid for the struct in any case.
    let name = unsafe { found.assume_init() }.dli_fname;
    // SAFETY: a name that is not null is a C string of the dynamic linker, which lives as long as this library.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })?;
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

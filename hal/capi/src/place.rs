//! The place of this library in an installation.

use std::ffi::{CStr, OsStr, c_char};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The folder of the archive, if this library was linked into the program from one.
static ARCHIVE: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Announces the folder of the archive that has this library. Its constructor calls it when the program is loaded.
#[unsafe(no_mangle)]
unsafe extern "C" fn oxshmem_find_kernels_in(folder: *const c_char) {
    // SAFETY: **pointers**: the archive's constant is a C string.
    let folder = unsafe { CStr::from_ptr(folder) };
    *ARCHIVE.lock().unwrap_or_else(PoisonError::into_inner) = Some(OsStr::from_bytes(folder.to_bytes()).into());
}

/// Returns the folders in which an installation has the library's own kernels: beside this library or the program that
/// has it, and beside the archive that it was linked from.
pub(crate) fn kernel_folders() -> Vec<PathBuf> {
    let own = own_file().and_then(|file| Some(file.canonicalize().ok()?.parent()?.to_path_buf()));
    let archive = ARCHIVE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let beside = |folder: PathBuf| [folder.join("ptx"), folder.join("..").join("ptx"), folder];
    own.into_iter().chain(archive).flat_map(beside).collect()
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

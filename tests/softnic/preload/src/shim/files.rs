//! Files and folders: each function does the same as libc's, with another path if the device is meant.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint, c_void};

use crate::config::{Deny, Presence};
use crate::shim::device;
use crate::shim::next::{next, set_errno};
use crate::shim::paths::{self, stand_in};

/// Returns the path to use: the replacement, or the caller's own.
fn or_own(other: &Option<CString>, own: *const c_char) -> *const c_char {
    other.as_ref().map_or(own, |other| other.as_ptr())
}

/// Opens the device, if `path` names one.
fn open_device(path: *const c_char, flags: c_int) -> Option<c_int> {
    let which = paths::device(path)?;
    if Presence::asked() != Presence::Device {
        set_errno(libc::ENOENT);
        return Some(-1);
    }
    if Deny::Open.is_asked() {
        set_errno(libc::EACCES);
        return Some(-1);
    }
    Some(device::open(which, flags))
}

macro_rules! opens {
    ($($name:ident $literal:literal),*) => {$(
        /// Replaces libc's function of this name. Reads `mode` only if `flags` request it, as libc does.
        ///
        /// # Safety
        /// As libc's. It is variadic there; on this ABI a third word has the place of a variadic one.
        #[unsafe(no_mangle)]
        pub(in crate::shim) unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
            if let Some(fd) = open_device(path, flags) {
                return fd;
            }
            let other = stand_in(path);
            next!(variadic fn(*const c_char, c_int) -> c_int, $literal, or_own(&other, path), flags, mode; else -1)
        }
    )*};
}
opens!(open c"open", open64 c"open64");

macro_rules! fortified_opens {
    ($($name:ident $literal:literal),*) => {$(
        /// Replaces libc's function of this name.
        ///
        /// # Safety
        /// As libc's.
        #[unsafe(no_mangle)]
        pub(in crate::shim) unsafe extern "C" fn $name(path: *const c_char, flags: c_int) -> c_int {
            if let Some(fd) = open_device(path, flags) {
                return fd;
            }
            let other = stand_in(path);
            next!(fn(*const c_char, c_int) -> c_int, $literal, or_own(&other, path), flags; else -1)
        }
    )*};
}
fortified_opens!(__open_2 c"__open_2", __open64_2 c"__open64_2");

macro_rules! opens_at {
    ($($name:ident $literal:literal),*) => {$(
        /// Replaces libc's function of this name. Reads `mode` only if `flags` request it, as libc does.
        ///
        /// # Safety
        /// As libc's. It is variadic there; on this ABI a fourth word has the place of a variadic one.
        #[unsafe(no_mangle)]
        pub(in crate::shim) unsafe extern "C" fn $name(folder: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
            if let Some(fd) = open_device(path, flags) {
                return fd;
            }
            let other = stand_in(path);
            next!(variadic fn(c_int, *const c_char, c_int) -> c_int, $literal, folder, or_own(&other, path), flags,
                mode; else -1)
        }
    )*};
}
opens_at!(openat c"openat", openat64 c"openat64");

/// A function of libc that takes a path as its first argument.
macro_rules! by_path {
    ($($name:ident $literal:literal ($($argument:ident: $kind:ty),*) -> $back:ty, else $otherwise:expr;)*) => {$(
        /// Replaces libc's function of this name.
        ///
        /// # Safety
        /// As libc's.
        #[unsafe(no_mangle)]
        pub(in crate::shim) unsafe extern "C" fn $name(path: *const c_char $(, $argument: $kind)*) -> $back {
            let other = stand_in(path);
            next!(fn(*const c_char $(, $kind)*) -> $back, $literal, or_own(&other, path) $(, $argument)*;
                else $otherwise)
        }
    )*};
}
by_path! {
    stat c"stat" (buffer: *mut c_void) -> c_int, else -1;
    stat64 c"stat64" (buffer: *mut c_void) -> c_int, else -1;
    lstat c"lstat" (buffer: *mut c_void) -> c_int, else -1;
    lstat64 c"lstat64" (buffer: *mut c_void) -> c_int, else -1;
    readlink c"readlink" (buffer: *mut c_char, size: usize) -> isize, else -1;
    __readlink_chk c"__readlink_chk" (buffer: *mut c_char, size: usize, room: usize) -> isize, else -1;
    opendir c"opendir" () -> *mut c_void, else std::ptr::null_mut();
    fopen c"fopen" (mode: *const c_char) -> *mut c_void, else std::ptr::null_mut();
    fopen64 c"fopen64" (mode: *const c_char) -> *mut c_void, else std::ptr::null_mut();
    getxattr c"getxattr" (name: *const c_char, buffer: *mut c_void, size: usize) -> isize, else -1;
    lgetxattr c"lgetxattr" (name: *const c_char, buffer: *mut c_void, size: usize) -> isize, else -1;
    listxattr c"listxattr" (buffer: *mut c_char, size: usize) -> isize, else -1;
    llistxattr c"llistxattr" (buffer: *mut c_char, size: usize) -> isize, else -1;
    statfs c"statfs" (buffer: *mut c_void) -> c_int, else -1;
    statfs64 c"statfs64" (buffer: *mut c_void) -> c_int, else -1;
    scandir c"scandir" (list: *mut c_void, filter: *mut c_void, compare: *mut c_void) -> c_int, else -1;
    scandir64 c"scandir64" (list: *mut c_void, filter: *mut c_void, compare: *mut c_void) -> c_int, else -1;
}

/// A function of libc that takes a word before the path.
macro_rules! by_word_and_path {
    ($($name:ident $literal:literal ($($argument:ident: $kind:ty),*) -> $back:ty;)*) => {$(
        /// Replaces libc's function of this name.
        ///
        /// # Safety
        /// As libc's.
        #[unsafe(no_mangle)]
        pub(in crate::shim) unsafe extern "C" fn $name(word: c_int, path: *const c_char $(, $argument: $kind)*) -> $back {
            let other = stand_in(path);
            next!(fn(c_int, *const c_char $(, $kind)*) -> $back, $literal, word, or_own(&other, path) $(, $argument)*;
                else -1)
        }
    )*};
}
by_word_and_path! {
    __xstat c"__xstat" (buffer: *mut c_void) -> c_int;
    __xstat64 c"__xstat64" (buffer: *mut c_void) -> c_int;
    __lxstat c"__lxstat" (buffer: *mut c_void) -> c_int;
    __lxstat64 c"__lxstat64" (buffer: *mut c_void) -> c_int;
    __openat_2 c"__openat_2" (flags: c_int) -> c_int;
    __openat64_2 c"__openat64_2" (flags: c_int) -> c_int;
    fstatat c"fstatat" (buffer: *mut c_void, flags: c_int) -> c_int;
    fstatat64 c"fstatat64" (buffer: *mut c_void, flags: c_int) -> c_int;
    statx c"statx" (flags: c_int, mask: c_uint, buffer: *mut c_void) -> c_int;
    readlinkat c"readlinkat" (buffer: *mut c_char, size: usize) -> isize;
    __readlinkat_chk c"__readlinkat_chk" (buffer: *mut c_char, size: usize, room: usize) -> isize;
}

/// Reports whether access to a device's file is refused.
fn is_denied(path: *const c_char, mode: c_int) -> bool {
    mode & (libc::R_OK | libc::W_OK) != 0 && paths::device(path).is_some() && Deny::Open.is_asked()
}

/// Replaces libc's `access`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(in crate::shim) unsafe extern "C" fn access(path: *const c_char, mode: c_int) -> c_int {
    if is_denied(path, mode) {
        set_errno(libc::EACCES);
        return -1;
    }
    let other = stand_in(path);
    next!(fn(*const c_char, c_int) -> c_int, c"access", or_own(&other, path), mode; else -1)
}

/// Replaces libc's `faccessat`.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(in crate::shim) unsafe extern "C" fn faccessat(
    folder: c_int,
    path: *const c_char,
    mode: c_int,
    flags: c_int,
) -> c_int {
    if is_denied(path, mode) {
        set_errno(libc::EACCES);
        return -1;
    }
    let other = stand_in(path);
    next!(fn(c_int, *const c_char, c_int, c_int) -> c_int, c"faccessat", folder, or_own(&other, path), mode, flags;
        else -1)
}

macro_rules! realpaths {
    ($($name:ident $literal:literal ($($size:ident: $kind:ty)?);)*) => {$(
        /// Replaces libc's function of this name. A path into the tree is answered with the machine's path.
        ///
        /// # Safety
        /// As libc's.
        #[unsafe(no_mangle)]
        pub(in crate::shim) unsafe extern "C" fn $name(
            path: *const c_char, resolved: *mut c_char $(, $size: $kind)?
        ) -> *mut c_char {
            let other = stand_in(path);
            let answer = next!(fn(*const c_char, *mut c_char $(, $kind)?) -> *mut c_char, $literal,
                or_own(&other, path), resolved $(, $size)?; else std::ptr::null_mut());
            if other.is_some() && !answer.is_null() {
                // SAFETY: libc's answer is a C string that this function's caller owns.
                unsafe { name_as_the_machine(answer) };
            }
            answer
        }
    )*};
}
realpaths! {
    realpath c"realpath" ();
    __realpath_chk c"__realpath_chk" (size: usize);
}

/// Replaces a path into the tree by the machine's path.
///
/// # Safety
/// - **string**: `answer` is a C string that the caller may change.
unsafe fn name_as_the_machine(answer: *mut c_char) {
    // SAFETY: **string** is the caller's promise.
    let found = unsafe { CStr::from_ptr(answer) }.to_bytes_with_nul().to_vec();
    if let Some(rest) = paths::as_the_machine_has_it(&found) {
        // SAFETY: `rest` is the end of `found`, so that it is no longer than the text at `answer`, and elsewhere in
        // memory.
        unsafe { std::ptr::copy_nonoverlapping(rest.as_ptr().cast(), answer, rest.len()) };
    }
}

/// Replaces libc's `inotify_add_watch`. When the device file is refused, libibverbs would watch for another for five
/// seconds. It gets an error at once.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(in crate::shim) unsafe extern "C" fn inotify_add_watch(fd: c_int, path: *const c_char, mask: u32) -> c_int {
    if Deny::Open.is_asked() && !path.is_null() {
        // SAFETY: the caller gave a path to a function that takes C strings, and it is not null.
        let path = unsafe { CStr::from_ptr(path) };
        if path == c"/dev/char/" {
            set_errno(libc::EACCES);
            return -1;
        }
    }
    let other = stand_in(path);
    next!(fn(c_int, *const c_char, u32) -> c_int, c"inotify_add_watch", fd, or_own(&other, path), mask; else -1)
}

/// Replaces libc's `socket`. There is no RDMA netlink, so that libibverbs reads sysfs.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub(in crate::shim) unsafe extern "C" fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int {
    const NETLINK_RDMA: c_int = 20;
    if domain == libc::AF_NETLINK && protocol == NETLINK_RDMA {
        set_errno(libc::EPROTONOSUPPORT);
        return -1;
    }
    next!(fn(c_int, c_int, c_int) -> c_int, c"socket", domain, kind, protocol; else -1)
}

/// The type of `ioctl`'s request: a word.
pub(super) type Request = c_long;

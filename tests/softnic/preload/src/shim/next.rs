//! The functions that this library's functions replace.

use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Returns the address of the next function of this name, in the libraries after this one; null if there is none.
pub(super) fn resolve(cache: &AtomicPtr<libc::c_void>, name: &CStr) -> *mut libc::c_void {
    let known = cache.load(Ordering::Relaxed);
    if !known.is_null() {
        return known;
    }
    // SAFETY: the name is a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    cache.store(found, Ordering::Relaxed);
    found
}

/// Sets this thread's `errno`.
pub(super) fn set_errno(code: libc::c_int) {
    // SAFETY: libc gives each thread an `errno` of its own, at an address that lives as long as the thread.
    let at = unsafe { libc::__errno_location() };
    // SAFETY: the address is this thread's `errno`.
    unsafe { at.write(code) };
}

/// Calls the function of this name and type that this library's function replaces; without one: `ENOSYS`.
///
/// The first word after `fn` is the name as a C string literal. The caller's SAFETY line argues for the type and the
/// arguments, which are its own, unchanged.
macro_rules! next {
    (fn($($kind:ty),*) -> $back:ty, $name:literal, $($argument:expr),* ; else $otherwise:expr) => {{
        static CACHE: std::sync::atomic::AtomicPtr<libc::c_void> =
            std::sync::atomic::AtomicPtr::new(std::ptr::null_mut());
        let at = $crate::shim::next::resolve(&CACHE, $name);
        if at.is_null() {
            $crate::shim::next::set_errno(libc::ENOSYS);
            $otherwise
        } else {
            // SAFETY: libc's function of this name has this type, and its address is not null.
            let function = unsafe {
                std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn($($kind),*) -> $back>(at)
            };
            // SAFETY: the arguments are those that the caller gave to a function of this name; a replaced path is a C
            // string that outlives the call.
            unsafe { function($($argument),*) }
        }
    }};
    (variadic fn($($kind:ty),*) -> $back:ty, $name:literal, $($argument:expr),* ; else $otherwise:expr) => {{
        static CACHE: std::sync::atomic::AtomicPtr<libc::c_void> =
            std::sync::atomic::AtomicPtr::new(std::ptr::null_mut());
        let at = $crate::shim::next::resolve(&CACHE, $name);
        if at.is_null() {
            $crate::shim::next::set_errno(libc::ENOSYS);
            $otherwise
        } else {
            // SAFETY: libc's function of this name has this type, and its address is not null.
            let function = unsafe {
                std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn($($kind),*, ...) -> $back>(at)
            };
            // SAFETY: the arguments are those that the caller gave to a function of this name; a replaced path is a C
            // string that outlives the call.
            unsafe { function($($argument),*) }
        }
    }};
}
pub(in crate::shim) use next;

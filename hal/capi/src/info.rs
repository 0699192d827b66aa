//! Names and versions.

use std::ffi::{CStr, c_char, c_int};

use crate::call;
use crate::pointers::give;

/// The OpenSHMEM version that NVSHMEM 3.8 reports.
const STANDARD: (c_int, c_int) = (1, 3);
/// The NVSHMEM version whose interface this is.
const VENDOR: (c_int, c_int, c_int) = (3, 8, 0);
/// The name of the interface, below `NVSHMEM_MAX_NAME_LEN` bytes (256). Programs compare it with their headers'
/// `NVSHMEM_VENDOR_STRING`.
const NAME: &CStr = c"NVSHMEM v3.8.0";

#[unsafe(no_mangle)]
extern "C" fn nvshmem_my_pe() -> c_int {
    call::query("nvshmem_my_pe", |met| Some(met.my_pe().number()), |face| Ok(face.world.my_pe().number()))
}

#[unsafe(no_mangle)]
extern "C" fn nvshmem_n_pes() -> c_int {
    call::query("nvshmem_n_pes", |met| Some(met.n_pes()), |face| Ok(face.world.n_pes()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmem_info_get_version(major: *mut c_int, minor: *mut c_int) {
    // SAFETY: **pointers** by the caller.
    unsafe {
        give(major, STANDARD.0);
        give(minor, STANDARD.1);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmem_info_get_name(name: *mut c_char) {
    if !name.is_null() {
        // SAFETY: **pointers** by the caller: `name` has room for NVSHMEM_MAX_NAME_LEN bytes.
        unsafe { name.copy_from_nonoverlapping(NAME.as_ptr(), NAME.to_bytes_with_nul().len()) }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvshmemx_vendor_get_version_info(major: *mut c_int, minor: *mut c_int, patch: *mut c_int) {
    // SAFETY: **pointers** by the caller.
    unsafe {
        give(major, VENDOR.0);
        give(minor, VENDOR.1);
        give(patch, VENDOR.2);
    }
}

/// Returns the name of a status code.
#[unsafe(no_mangle)]
extern "C" fn nvshmemx_status_string(status: c_int) -> *const c_char {
    let names = [
        c"NVSHMEMX_SUCCESS",
        c"NVSHMEMX_ERROR_INVALID_VALUE",
        c"NVSHMEMX_ERROR_OUT_OF_MEMORY",
        c"NVSHMEMX_ERROR_NOT_SUPPORTED",
        c"NVSHMEMX_ERROR_SYMMETRY",
        c"NVSHMEMX_ERROR_GPU_NOT_SELECTED",
        c"NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED",
        c"NVSHMEMX_ERROR_INTERNAL",
    ];
    let name = usize::try_from(status).ok().and_then(|status| names.get(status).copied());
    name.unwrap_or(c"NVSHMEMX_ERROR_<unknown>").as_ptr()
}

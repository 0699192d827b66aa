//! Copies by the host.

use std::ffi::{c_int, c_void};

use crate::face::Until::{Done, Quiet};

export! {
    fn nvshmem_putmem(dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put(dest.cast::<u8>(), source.cast(), bytes, pe, Done) }
    };
    fn nvshmem_getmem(dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.get(dest.cast::<u8>(), source.cast(), bytes, pe, Done) }
    };
    fn nvshmem_putmem_nbi(dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put(dest.cast::<u8>(), source.cast(), bytes, pe, Quiet) }
    };
    fn nvshmem_getmem_nbi(dest: *mut c_void, source: *const c_void, bytes: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.get(dest.cast::<u8>(), source.cast(), bytes, pe, Quiet) }
    };
}

family! { rma_types {
    fn ["nvshmem_" "_p"](dest: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.p(face.sym(dest)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_g"](source: *const T, pe: c_int) -> T = or_exit |face| {
        face.world.g(face.sym(source)?, face.pe(pe)?)
    };
    fn ["nvshmem_" "_put"](dest: *mut T, source: *const T, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put(dest, source, count, pe, Done) }
    };
    fn ["nvshmem_" "_get"](dest: *mut T, source: *const T, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.get(dest, source, count, pe, Done) }
    };
    fn ["nvshmem_" "_put_nbi"](dest: *mut T, source: *const T, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put(dest, source, count, pe, Quiet) }
    };
    fn ["nvshmem_" "_get_nbi"](dest: *mut T, source: *const T, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.get(dest, source, count, pe, Quiet) }
    };
    fn ["nvshmem_" "_iput"](dest: *mut T, source: *const T, dst: isize, sst: isize, count: usize, pe: c_int)
        = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.iput(dest, source, (dst, sst), count, pe) }
    };
    fn ["nvshmem_" "_iget"](dest: *mut T, source: *const T, dst: isize, sst: isize, count: usize, pe: c_int)
        = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.iget(dest, source, (dst, sst), count, pe) }
    };
} }

// An element of 128 bits is two words (`PARTS`).
family! { sizes {
    fn ["nvshmem_put" ""](dest: *mut c_void, source: *const c_void, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put(dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS), pe, Done) }
    };
    fn ["nvshmem_get" ""](dest: *mut c_void, source: *const c_void, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.get(dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS), pe, Done) }
    };
    fn ["nvshmem_put" "_nbi"](dest: *mut c_void, source: *const c_void, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.put(dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS), pe, Quiet) }
    };
    fn ["nvshmem_get" "_nbi"](dest: *mut c_void, source: *const c_void, count: usize, pe: c_int) = or_exit |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.get(dest.cast::<T>(), source.cast(), count.saturating_mul(PARTS), pe, Quiet) }
    };
    fn ["nvshmem_iput" ""](dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, count: usize, pe: c_int)
        = or_exit |face| crate::face::each_part::<T>(PARTS, dest, source, (dst, sst), |dest, source, strides| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.iput(dest, source, strides, count, pe) }
    });
    fn ["nvshmem_iget" ""](dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, count: usize, pe: c_int)
        = or_exit |face| crate::face::each_part::<T>(PARTS, dest, source, (dst, sst), |dest, source, strides| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.iget(dest, source, strides, count, pe) }
    });
} }

//! Atomics by the host. On a GPU's memory that is reached by loads and stores, where a processor has none, a kernel of
//! one thread performs them.

use std::ffi::c_int;

use oxshmem_hal::F16;

export! {
    // A copy of 16 bits is never seen in part.
    fn nvshmem_half_atomic_fetch(at: *const F16, pe: c_int) -> F16 = or_exit |face| {
        face.world.g(face.sym(at)?, face.pe(pe)?)
    };
    fn nvshmem_half_atomic_set(at: *mut F16, value: F16, pe: c_int) = or_exit |face| {
        face.world.p(face.sym(at)?, value, face.pe(pe)?)
    };
    fn nvshmem_half_atomic_swap(at: *mut F16, value: F16, pe: c_int) -> F16 = or_exit |face| {
        face.world.atomic_swap_half(face.sym(at)?, value, face.pe(pe)?)
    };
}

family! { amo_types {
    fn ["nvshmem_" "_atomic_inc"](at: *mut T, pe: c_int) = or_exit |face| {
        face.world.atomic_inc(face.sym(at)?, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_fetch_inc"](at: *mut T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_fetch_inc(face.sym(at)?, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_add"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.atomic_add(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_fetch_add"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_fetch_add(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_compare_swap"](at: *mut T, compare: T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_compare_swap(face.sym(at)?, compare, value, face.pe(pe)?)
    };
} }

family! { extended_amo_types {
    fn ["nvshmem_" "_atomic_fetch"](at: *const T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_fetch(face.sym(at)?, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_set"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.atomic_set(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_swap"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_swap(face.sym(at)?, value, face.pe(pe)?)
    };
} }

family! { bitwise_amo_types {
    fn ["nvshmem_" "_atomic_and"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.atomic_and(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_or"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.atomic_or(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_xor"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.atomic_xor(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_fetch_and"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_fetch_and(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_fetch_or"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_fetch_or(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmem_" "_atomic_fetch_xor"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_fetch_xor(face.sym(at)?, value, face.pe(pe)?)
    };
} }

family! { float_add_types {
    fn ["nvshmemx_" "_atomic_add"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.atomic_add(face.sym(at)?, value, face.pe(pe)?)
    };
    fn ["nvshmemx_" "_atomic_fetch_add"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.atomic_fetch_add(face.sym(at)?, value, face.pe(pe)?)
    };
} }

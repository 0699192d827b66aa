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
        face.world.at(face.sym(at)?, face.pe(pe)?).swap_half(value)
    };
}

family! { amo_types {
    fn ["nvshmem_" "_atomic_inc"](at: *mut T, pe: c_int) = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).inc()
    };
    fn ["nvshmem_" "_atomic_fetch_inc"](at: *mut T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).fetch_inc()
    };
    fn ["nvshmem_" "_atomic_add"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).add(value)
    };
    fn ["nvshmem_" "_atomic_fetch_add"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).fetch_add(value)
    };
    fn ["nvshmem_" "_atomic_compare_swap"](at: *mut T, compare: T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).compare_swap(compare, value)
    };
} }

family! { extended_amo_types {
    fn ["nvshmem_" "_atomic_fetch"](at: *const T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).fetch()
    };
    fn ["nvshmem_" "_atomic_set"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).set(value)
    };
    fn ["nvshmem_" "_atomic_swap"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).swap(value)
    };
} }

family! { bitwise_amo_types {
    fn ["nvshmem_" "_atomic_and"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).and(value)
    };
    fn ["nvshmem_" "_atomic_or"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).or(value)
    };
    fn ["nvshmem_" "_atomic_xor"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).xor(value)
    };
    fn ["nvshmem_" "_atomic_fetch_and"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).fetch_and(value)
    };
    fn ["nvshmem_" "_atomic_fetch_or"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).fetch_or(value)
    };
    fn ["nvshmem_" "_atomic_fetch_xor"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).fetch_xor(value)
    };
} }

family! { float_add_types {
    fn ["nvshmemx_" "_atomic_add"](at: *mut T, value: T, pe: c_int) = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).add(value)
    };
    fn ["nvshmemx_" "_atomic_fetch_add"](at: *mut T, value: T, pe: c_int) -> T = or_exit |face| {
        face.world.at(face.sym(at)?, face.pe(pe)?).fetch_add(value)
    };
} }

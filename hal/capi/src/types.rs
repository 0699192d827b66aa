//! NVSHMEM's structs, of version 3.8. Source: its headers `nvshmem_types.h` and `nvshmem_uniqueid.h`.

use std::ffi::{c_int, c_void};
use std::mem::{offset_of, size_of};

/// Returns the version word of a struct: the version, and the size in bytes.
pub(crate) const fn version_of<T>(version: c_int) -> c_int {
    (version << 16) + size_of::<T>() as c_int
}

/// `nvshmemx_uniqueid_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct UniqueIdC {
    pub(crate) version: c_int,
    pub(crate) internal: [u8; 124],
}

/// `nvshmemx_uniqueid_args_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct UniqueIdArgs {
    pub(crate) version: c_int,
    pub(crate) id: *const UniqueIdC,
    pub(crate) my_rank: c_int,
    pub(crate) n_ranks: c_int,
}

/// `nvshmemx_init_args_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct InitArgs {
    pub(crate) version: c_int,
    pub(crate) uid_args: UniqueIdArgs,
    /// The GPU to use, or -1; from version 2 on.
    pub(crate) cuda_device_id: c_int,
    pub(crate) content: [u8; 92],
}

/// `nvshmemx_init_attr_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct InitAttr {
    pub(crate) version: c_int,
    /// The address of an `MPI_Comm`.
    pub(crate) mpi_comm: *const c_void,
    pub(crate) args: InitArgs,
}

/// `nvshmem_team_config_t`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct TeamConfig {
    pub(crate) version: c_int,
    pub(crate) num_contexts: c_int,
    /// From version 2 on.
    pub(crate) uniqueid: u64,
    pub(crate) padding: [u8; 48],
}

const _: () = {
    assert!(size_of::<UniqueIdC>() == 128);
    assert!(size_of::<UniqueIdArgs>() == 24 && offset_of!(UniqueIdArgs, my_rank) == 16);
    assert!(size_of::<InitArgs>() == 128 && offset_of!(InitArgs, cuda_device_id) == 32);
    assert!(size_of::<InitAttr>() == 144 && offset_of!(InitAttr, args) == 16);
    assert!(size_of::<TeamConfig>() == 64 && offset_of!(TeamConfig, uniqueid) == 8);
};

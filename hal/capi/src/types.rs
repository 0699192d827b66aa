//! NVSHMEM's structs, of version 3.8. Source: its headers `nvshmem_types.h` and `nvshmem_uniqueid.h`.

use std::ffi::{c_int, c_void};
use std::mem::{offset_of, size_of};

use oxshmem_hal::{Error, ErrorKind, Result};

/// Returns the version word of a struct: the version, and the size in bytes.
pub(crate) const fn version_of<T>(version: c_int) -> c_int {
    (version << 16) + size_of::<T>() as c_int
}

/// Returns the version that a word of [`version_of`] says, or `None` if the program has set none: most programs fill the
/// members that they need and no more, and NVSHMEM takes such a struct too.
///
/// # Errors
/// `InvalidArgument`: the word is of a version after `last`, whose members are unknown.
pub(crate) fn version_in<T>(word: c_int, last: c_int, name: &str) -> Result<Option<c_int>> {
    match word.wrapping_sub(version_of::<T>(0)) {
        above if above <= 0 || above & 0xffff != 0 => Ok(None),
        above if above >> 16 <= last => Ok(Some(above >> 16)),
        above => Err(Error::new(ErrorKind::InvalidArgument, format!("read {name}"))
            .because(format!("it is of version {}, and this library knows versions to {last}", above >> 16))),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_and_a_word_that_nobody_set_is_none() {
        let read = |word| version_in::<InitAttr>(word, 2, "attributes").ok();
        assert_eq!(read(version_of::<InitAttr>(1)), Some(Some(1)));
        assert_eq!(read(version_of::<InitAttr>(2)), Some(Some(2)));
        for word in [0, -1, 0x5a5a_5a5a, c_int::MIN, c_int::MAX, version_of::<InitAttr>(0), version_of::<TeamConfig>(2)]
        {
            assert_eq!(read(word), Some(None), "{word:#x}");
        }
        let error = version_in::<InitAttr>(version_of::<InitAttr>(3), 2, "attributes").unwrap_err().to_string();
        assert!(error.contains("version 3") && error.contains("versions to 2"), "{error}");
    }
}

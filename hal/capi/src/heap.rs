//! Symmetric memory.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use oxshmem_hal::{Error, ErrorKind, Result, SymPtr};

use crate::face::Face;

export! {
    fn nvshmem_malloc(bytes: usize) -> *mut c_void = or(null_mut()) |face| {
        face.allocated(bytes, face.world.malloc::<u8>(bytes))
    };
    fn nvshmem_calloc(count: usize, bytes: usize) -> *mut c_void = or(null_mut()) |face| {
        let bytes = count.saturating_mul(bytes);
        face.allocated(bytes, face.world.calloc::<u8>(bytes))
    };
    fn nvshmem_align(alignment: usize, bytes: usize) -> *mut c_void = or(null_mut()) |face| {
        face.allocated(bytes, face.world.align::<u8>(alignment, bytes))
    };
    fn nvshmem_free(at: *mut c_void) = or_exit |face| match at.is_null() {
        true => Ok(()),
        false => face.world.free(face.sym(at.cast::<u8>())?),
    };
    fn nvshmem_ptr(at: *const c_void, pe: c_int) -> *mut c_void = or(null_mut()) |face| {
        Ok(face.world.ptr(face.sym(at.cast::<u8>())?, face.pe(pe)?)?.map_or(null_mut(), |at| at.cast()))
    };
    /// Returns null: memory is not mapped for multicast.
    fn nvshmemx_mc_ptr(team: c_int, at: *const c_void) -> *mut c_void = or(null_mut()) |face| {
        face.team(team)?;
        face.sym(at.cast::<u8>()).map(|_| null_mut())
    };
}

impl Face {
    /// Returns the address of allocated memory in this PE's heap. No bytes are no error, and have no address.
    fn allocated(&self, bytes: usize, made: Result<SymPtr<u8>>) -> Result<*mut c_void> {
        match made {
            Err(error) if bytes == 0 && error.kind() == ErrorKind::InvalidArgument => Ok(null_mut()),
            made => {
                let own = self.world.ptr(made?, self.world.my_pe())?;
                own.map(<*mut u8>::cast).ok_or_else(|| {
                    Error::new(ErrorKind::System, "find the address of symmetric memory").because("it is not mapped")
                })
            }
        }
    }
}

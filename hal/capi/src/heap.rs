//! Symmetric memory.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use oxshmem_hal::{Error, ErrorKind, Result, SymAddr, SymPtr};

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
    /// Returns null for memory that is not symmetric too: programs probe memory with it.
    fn nvshmem_ptr(at: *const c_void, pe: c_int) -> *mut c_void = or(null_mut()) |face| {
        let (pe, at) = (face.pe(pe)?, face.world.symmetric(at as u64));
        match at.map_or(Ok(None), |at| face.world.ptr(SymPtr::<u8>::new(at), pe)) {
            // No memory is in a gap of the heap.
            Err(error) if error.kind() == ErrorKind::OutOfRange => Ok(null_mut()),
            mapped => Ok(mapped?.map_or(null_mut(), <*mut u8>::cast)),
        }
    };
    fn nvshmemx_buffer_register_symmetric(at: *mut c_void, bytes: usize, flags: c_int) -> *mut c_void
        = or(null_mut()) |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.register(at, bytes, null_mut(), flags) }
    };
    fn nvshmemx_buffer_register_symmetric_at_preferred_address(
        at: *mut c_void,
        bytes: usize,
        wish: *mut c_void,
        flags: c_int,
    ) -> *mut c_void = or(null_mut()) |face| {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { face.register(at, bytes, wish, flags) }
    };
    fn nvshmemx_buffer_unregister_symmetric(at: *mut c_void, bytes: usize) -> c_int = status |face| {
        // SAFETY: **unused**: by **pointers** of the caller, whose work on the memory has ended.
        unsafe { face.unregister(at.cast(), bytes) }
    };
    /// Returns null: memory is not mapped for multicast.
    fn nvshmemx_mc_ptr(team: c_int, _at: *const c_void) -> *mut c_void = or(null_mut()) |face| {
        face.team(team).map(|_| null_mut())
    };
}

/// A place that no heap has.
const NOWHERE: SymAddr = SymAddr::new(u64::MAX);

impl Face {
    /// Returns the address of allocated memory in this PE's heap. No bytes are no error, and have no address.
    fn allocated(&self, bytes: usize, made: Result<SymPtr<u8>>) -> Result<*mut c_void> {
        match made {
            Err(error) if bytes == 0 && error.kind() == ErrorKind::InvalidArgument => Ok(null_mut()),
            made => self.own_address(made?),
        }
    }

    fn own_address(&self, at: SymPtr<u8>) -> Result<*mut c_void> {
        let own = self.world.ptr(at, self.world.my_pe())?;
        own.map(<*mut u8>::cast).ok_or_else(|| {
            Error::new(ErrorKind::System, "find the address of symmetric memory").because("it is not mapped")
        })
    }

    /// Registers memory of the program as symmetric memory, if possible at `wish`, and returns its address in this PE's
    /// heap.
    ///
    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, until the memory is unregistered.
    unsafe fn register(&self, at: *mut c_void, bytes: usize, wish: *mut c_void, flags: c_int) -> Result<*mut c_void> {
        if flags != 0 {
            let reason = Error::new(ErrorKind::InvalidArgument, format!("register memory with flags {flags:#x}"))
                .because("NVSHMEM reserves the flags, which are 0");
            // The call is collective: the other PEs get an error too.
            return Err(self.world.refuse_to_register(bytes, reason));
        }
        let wish = self.world.symmetric_place(wish as u64);
        // SAFETY: **mapped** and **unshared** by the caller.
        let made = unsafe { self.world.user_memory().register_symmetric_at(at as u64, bytes, wish) };
        self.own_address(made?)
    }

    /// Takes memory of the program out of the symmetric heap.
    ///
    /// # Safety
    ///
    /// - **unused**: as for [`World::unregister_symmetric`](oxshmem_hal::World::unregister_symmetric).
    unsafe fn unregister(&self, at: *const u8, bytes: usize) -> Result<()> {
        // The call is collective: a PE with an address outside of the heap still takes part. A place after the heap's end
        // may be one whose memory has been unregistered already, and `hal` says so.
        let place = self.world.symmetric_place(at as u64).map(SymPtr::new).map_or_else(|| self.sym(at), Ok);
        // SAFETY: **unused** by the caller.
        let gone = unsafe {
            self.world.user_memory().unregister_symmetric(*place.as_ref().unwrap_or(&SymPtr::new(NOWHERE)), bytes)
        };
        place.map_err(|error| error.hint("pass the address that the registration returned")).and(gone)
    }
}

//! Streams that the library makes for programs on host PEs.

use std::ffi::{c_int, c_void};

use oxshmem_hal::{Error, ErrorKind};

use crate::pointers::give;

export! {
    /// Makes a stream of a host PE. On GPUs the program makes streams by CUDA.
    fn oxshmem_stream_create(stream: *mut *mut c_void) -> c_int = status |face| {
        if !face.world.on_host() {
            return Err(Error::new(ErrorKind::InvalidArgument, "make a stream")
                .because("this world runs on GPUs")
                .hint("make it by cudaStreamCreate"));
        }
        let made = face.world.stream()?.detached();
        let name = made.address().cast_mut();
        face.streams.known().insert(name as u64, made);
        // SAFETY: **pointers** by the caller.
        unsafe { give(stream, name) };
        Ok(())
    };
    /// Waits for a stream of a host PE, or of a GPU, and reports the failures of its kernels.
    fn oxshmem_stream_synchronize(stream: *mut c_void) -> c_int = status |face| {
        // SAFETY: **stream** by the caller.
        unsafe { face.on(stream, |stream| stream.synchronize()) }
    };
    /// Waits for a stream of a host PE and removes it.
    fn oxshmem_stream_destroy(stream: *mut c_void) -> c_int = status |face| {
        let gone = if stream.is_null() { None } else { face.streams.known().remove(&(stream as u64)) };
        gone.map(drop).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("destroy stream {stream:p}"))
                .because("oxshmem_stream_create did not make it")
        })
    };
}

//! The memory of a PE: a GPU's, or the host's for a host PE.

mod chunk;
mod extent_slots;
mod program_memory;
mod windows;
pub mod world_copy;

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use oxshmem_core::host::Result;

use crate::gpu::cuda;

pub use chunk::{Chunk, MemoryAddress};
pub use extent_slots::ExtentSlots;
pub use program_memory::{ProgramMemory, ShareableMemory};
pub use windows::Windows;

/// Stores bytes in pieces of one type, each as a whole. The address is aligned to the type, and the length is a
/// multiple.
macro_rules! store_all {
    ($atomic:ident, $word:ty, $to:expr, $from:expr) => {
        for (i, piece) in $from.as_chunks::<{ size_of::<$word>() }>().0.iter().enumerate() {
            $atomic::from_ptr(($to as *mut $word).add(i)).store(<$word>::from_ne_bytes(*piece), Ordering::Relaxed);
        }
    };
}

/// Loads bytes in pieces of one type, each as a whole. The address is aligned to the type, and the length is a
/// multiple.
macro_rules! load_all {
    ($atomic:ident, $word:ty, $to:expr, $from:expr) => {
        for (i, piece) in $to.as_chunks_mut::<{ size_of::<$word>() }>().0.iter_mut().enumerate() {
            *piece = $atomic::from_ptr(($from as *mut $word).add(i)).load(Ordering::Relaxed).to_ne_bytes();
        }
    };
}

/// The memory that holds a PE's heap and its kernels' data.
#[derive(Clone, Debug)]
pub enum Memory {
    /// Shared memory of this host. Kernels run on host threads.
    Host,
    /// Memory of a GPU.
    Gpu(cuda::Context),
}

impl Memory {
    /// Returns the size, in bytes, of which extents and reservations are multiples.
    pub fn granularity(&self) -> Result<usize> {
        match self {
            Memory::Host => Ok(crate::os::shm::granularity()),
            Memory::Gpu(context) => cuda::granularity(&context.device()),
        }
    }

    /// Copies from the host to `to`.
    ///
    /// # Safety
    ///
    /// - **mapped**: `to` is a mapped range of that many bytes in this memory's address space.
    pub unsafe fn write(&self, to: u64, from: &[u8]) -> Result<()> {
        match self {
            Memory::Host => {
                // By atomics: another PE may access the range at the same time, also a kernel that waits for this
                // write.
                // SAFETY: **mapped**: each piece is in the range, aligned because address and length are multiples of
                // its size.
                unsafe {
                    match to as usize | from.len() {
                        grain if grain & 7 == 0 => store_all!(AtomicU64, u64, to, from),
                        grain if grain & 3 == 0 => store_all!(AtomicU32, u32, to, from),
                        grain if grain & 1 == 0 => store_all!(AtomicU16, u16, to, from),
                        _ => store_all!(AtomicU8, u8, to, from),
                    }
                }
                Ok(())
            }
            // SAFETY: **mapped** by the caller. A concurrent access is a race of the program, and reads old or new
            // bytes.
            Memory::Gpu(context) => unsafe { cuda::copy::host_to_device(context, to, from) },
        }
    }

    /// Copies from `from` to the host.
    ///
    /// # Safety
    ///
    /// - **mapped**: `from` is a mapped range of that many bytes in this memory's address space.
    pub unsafe fn read(&self, to: &mut [u8], from: u64) -> Result<()> {
        match self {
            Memory::Host => {
                // SAFETY: **mapped**: each piece is in the range, aligned because address and length are multiples of
                // its size.
                unsafe {
                    match from as usize | to.len() {
                        grain if grain & 7 == 0 => load_all!(AtomicU64, u64, to, from),
                        grain if grain & 3 == 0 => load_all!(AtomicU32, u32, to, from),
                        grain if grain & 1 == 0 => load_all!(AtomicU16, u16, to, from),
                        _ => load_all!(AtomicU8, u8, to, from),
                    }
                }
                Ok(())
            }
            // SAFETY: **mapped** by the caller. A concurrent access is a race of the program, and this reads old or new
            // bytes.
            Memory::Gpu(context) => unsafe { cuda::copy::device_to_host(context, to, from) },
        }
    }

    /// Fills `bytes` bytes at `at` with `value`.
    ///
    /// # Safety
    ///
    /// - **mapped**: `at` is a mapped range of that many bytes in this memory's address space.
    pub unsafe fn fill(&self, at: u64, value: u8, bytes: usize) -> Result<()> {
        match self {
            Memory::Host => {
                // SAFETY: **mapped** by the caller for `bytes` bytes, for as long as this call uses the slice.
                unsafe { bytes_at(at, bytes) }.iter().for_each(|b| b.store(value, Ordering::Relaxed));
                Ok(())
            }
            // It waits for its own work only: a kernel in another stream may run for as long as the program.
            // SAFETY: **mapped** by the caller for `bytes` bytes.
            Memory::Gpu(context) => unsafe { cuda::copy::fill_u8(context, at, value, bytes) },
        }
    }
}

/// Returns the `bytes` bytes at `at` as atomic bytes.
///
/// # Safety
/// - **mapped**: `at` is mapped for `bytes` bytes as long as the slice is used.
unsafe fn bytes_at<'a>(at: u64, bytes: usize) -> &'a [AtomicU8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: **mapped** by the caller, and an `AtomicU8` has the layout of a byte.
    unsafe { std::slice::from_raw_parts(at as *const AtomicU8, bytes) }
}

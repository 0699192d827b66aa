//! The memory of a PE, on whichever machine it runs: a GPU's, or the host's for a host PE.

mod windows;

use std::sync::atomic::{AtomicU8, Ordering};

use oxshmem_core::host::Result;

use crate::cuda;

pub use windows::{MAX_ALIGNMENT, Windows};

/// Where a PE's heap and its kernels are.
#[derive(Clone, Debug)]
pub enum Memory {
    /// Shared memory of this host; kernels run on host threads.
    Host,
    /// Memory of a GPU.
    Gpu(cuda::Context),
}

impl Memory {
    /// What extents and reservations are multiples of, in bytes.
    pub fn granularity(&self) -> Result<usize> {
        match self {
            Memory::Host => Ok(crate::shm::granularity()),
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
                // Byte by byte as atomics: another PE may read or write there, and be wrong, but not undefined.
                // SAFETY: **mapped**.
                unsafe { bytes_at(to, from.len()) }.iter().zip(from).for_each(|(b, v)| b.store(*v, Ordering::Relaxed));
                Ok(())
            }
            // SAFETY: **mapped**; who races with it is wrong, and reads what is there.
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
                // SAFETY: **mapped**.
                let bytes = unsafe { bytes_at(from, to.len()) };
                to.iter_mut().zip(bytes).for_each(|(v, b)| *v = b.load(Ordering::Relaxed));
                Ok(())
            }
            // SAFETY: **mapped**; who races with it is wrong, and gives what is there.
            Memory::Gpu(context) => unsafe { cuda::copy::device_to_host(context, to, from) },
        }
    }

    /// Makes `bytes` bytes at `at` be `value`.
    ///
    /// # Safety
    ///
    /// - **mapped**: `at` is a mapped range of that many bytes in this memory's address space.
    pub unsafe fn fill(&self, at: u64, value: u8, bytes: usize) -> Result<()> {
        match self {
            Memory::Host => {
                // SAFETY: **mapped**.
                unsafe { bytes_at(at, bytes) }.iter().for_each(|b| b.store(value, Ordering::Relaxed));
                Ok(())
            }
            // It waits for its own work alone: a kernel in another stream may run for as long as the program.
            // SAFETY: **mapped**.
            Memory::Gpu(context) => unsafe { cuda::copy::fill_u8(context, at, value, bytes) },
        }
    }
}

/// # Safety
/// `at` is mapped for `bytes` bytes as long as the slice is used.
unsafe fn bytes_at<'a>(at: u64, bytes: usize) -> &'a [AtomicU8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: the caller's promise; an `AtomicU8` is a byte.
    unsafe { std::slice::from_raw_parts(at as *const AtomicU8, bytes) }
}

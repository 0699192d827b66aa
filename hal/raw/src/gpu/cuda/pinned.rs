//! Host memory that kernels read and write in place.

use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicU32, AtomicU64};
use core::{fmt, slice};

use cudarc::driver::sys::{CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::context::Context;

/// Zeroed, page-aligned bytes on the host that every device of the process can access.
pub struct PinnedBytes {
    context: Context,
    host: NonNull<u8>,
    device: u64,
    bytes: usize,
}

// SAFETY: it owns plain memory; shared access goes through atomics, or through the caller's unsafe code.
unsafe impl Send for PinnedBytes {}
// SAFETY: as for `Send`: safe code accesses the memory through atomics alone.
unsafe impl Sync for PinnedBytes {}

impl PinnedBytes {
    /// Allocates and zeroes `bytes`.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` for 0 bytes; `Exhausted` if the system can't pin this much.
    pub fn zeroed(context: &Context, bytes: usize) -> Result<Self> {
        let action = || format!("pin {bytes} bytes of host memory");
        if bytes == 0 || bytes > isize::MAX as usize {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the size must be from 1 to {} bytes", isize::MAX)));
        }
        let _current = context.enter()?;
        let driver = context.driver();
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        let mut host = ptr::null_mut();
        // SAFETY: `host` is a valid out pointer, and the context is current.
        unsafe { driver.cuMemHostAlloc(&mut host, bytes, flags) }.or_cannot(action)?;
        let Some(host) = NonNull::new(host.cast::<u8>()) else {
            return Err(Error::new(ErrorKind::System, action()).because("the driver gave a null pointer"));
        };
        // From here on, dropping `pinned` releases the memory.
        let mut pinned = Self { context: context.clone(), host, device: 0, bytes };
        // SAFETY: the memory was just allocated with this size, and no other code has its address.
        unsafe { host.write_bytes(0, bytes) };
        // SAFETY: `device` is a valid out pointer, the memory was allocated with DEVICEMAP, and flags are 0 as
        // required.
        unsafe { driver.cuMemHostGetDevicePointer_v2(&mut pinned.device, host.as_ptr().cast(), 0) }
            .or_cannot(|| format!("map {bytes} bytes of host memory for {}", context.device()))?;
        Ok(pinned)
    }

    /// Returns the address of the first byte on the host.
    pub fn host(&self) -> NonNull<u8> {
        self.host
    }

    /// Returns the first address for kernels.
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the bytes as whole 32-bit words.
    pub fn words_u32(&self) -> &[AtomicU32] {
        // SAFETY: the memory is page-aligned, initialised with zeros, lives as long as `self`, and safe code accesses
        // it as atomics alone.
        unsafe { slice::from_raw_parts(self.host.as_ptr().cast(), self.bytes / 4) }
    }

    /// Returns the bytes as whole 64-bit words.
    pub fn words_u64(&self) -> &[AtomicU64] {
        // SAFETY: the memory is page-aligned, initialised with zeros, lives as long as `self`, and safe code accesses
        // it as atomics alone.
        unsafe { slice::from_raw_parts(self.host.as_ptr().cast(), self.bytes / 8) }
    }
}

impl Drop for PinnedBytes {
    fn drop(&mut self) {
        let _current = self.context.enter();
        // SAFETY: the memory comes from cuMemHostAlloc, and this value alone owns it.
        unsafe { self.context.driver().cuMemFreeHost(self.host.as_ptr().cast()) }.ignore();
    }
}

impl fmt::Debug for PinnedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBytes({} bytes at {:p}, {:#x} on the device)", self.bytes, self.host, self.device)
    }
}

/// One value in pinned host memory.
pub struct PinnedBox<T> {
    memory: PinnedBytes,
    value: PhantomData<T>,
}

impl<T: Sync> PinnedBox<T> {
    /// Creates a value of zero bytes. It is never dropped as a `T`; its memory is released.
    ///
    /// # Safety
    ///
    /// - **zero**: zero bytes are a valid `T`.
    /// - **shared**: the fields that kernels write during its lifetime are atomic in `T`, and kernels keep the values
    ///   valid.
    pub unsafe fn zeroed(context: &Context) -> Result<Self> {
        const { assert!(align_of::<T>() <= 4096 && size_of::<T>() > 0) };
        Ok(Self { memory: PinnedBytes::zeroed(context, size_of::<T>())?, value: PhantomData })
    }

    /// Returns the address for kernels.
    pub fn device(&self) -> u64 {
        self.memory.device()
    }
}

impl<T: Sync> Deref for PinnedBox<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: `zeroed` promised **zero** and **shared**; the memory is page-aligned, large enough, and lives as
        // long as `self`.
        unsafe { self.memory.host().cast::<T>().as_ref() }
    }
}

//! Memory of the measured machine.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use oxshmem_hal::{Error, ErrorKind, Result};
use oxshmem_nic_kernels::table::SinkQueue;
use oxshmem_raw::gpu::cuda::{self, DeviceMemory};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::WorldState;
use oxshmem_transport_ibgda::state::{ExtentKeys, NicState, QueueState};

/// A type whose values are adjacent numbers.
///
/// # Safety
///
/// - **plain**: it has no gaps, and any bits are a value of it.
pub(super) unsafe trait Plain {}

macro_rules! plain {
    ($($t:ty)*) => { $(
        // SAFETY: **plain**: numbers; the sizes of the structs are asserted to be those of their fields.
        unsafe impl Plain for $t {}
    )* };
}
plain!(u32 u64 SinkQueue ExtentKeys NicState QueueState WorldState);

/// Zeroed bytes that kernels reach, aligned to [`Region::ALIGNMENT`] and assigned from the start on.
#[derive(Debug)]
pub(super) struct Region {
    memory: Memory,
    kind: Kind,
    bytes: usize,
    used: usize,
}

#[derive(Debug)]
enum Kind {
    Gpu(DeviceMemory),
    Host(*mut u8, Layout),
}

// SAFETY: the region owns plain memory, which it reads and writes through `Memory` alone.
unsafe impl Send for Region {}

impl Region {
    /// Alignment of each part: no two parts share a cache line.
    pub(super) const ALIGNMENT: usize = 256;

    /// Allocates `bytes` zeroed bytes.
    pub(super) fn new(memory: &Memory, bytes: usize) -> Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(Self::ALIGNMENT);
        let kind = match memory {
            Memory::Gpu(context) => {
                let device = DeviceMemory::alloc(context, bytes)?;
                // SAFETY: **mapped** and **unshared**: the memory was just allocated.
                unsafe { cuda::copy::fill_u8(context, device.address(), 0, bytes)? }
                Kind::Gpu(device)
            }
            Memory::Host => {
                let action = || format!("allocate {bytes} bytes");
                let layout = Layout::from_size_align(bytes, 4096)
                    .map_err(|why| Error::new(ErrorKind::InvalidArgument, action()).because(why.to_string()))?;
                // SAFETY: the layout has at least one byte.
                let at = unsafe { alloc_zeroed(layout) };
                if at.is_null() {
                    return Err(Error::new(ErrorKind::Exhausted, action()));
                }
                Kind::Host(at, layout)
            }
        };
        Ok(Self { memory: memory.clone(), kind, bytes, used: 0 })
    }

    fn base(&self) -> u64 {
        match &self.kind {
            Kind::Gpu(device) => device.address(),
            Kind::Host(at, _) => *at as u64,
        }
    }

    /// Takes the next bytes. Returns their address.
    pub(super) fn take(&mut self, bytes: usize) -> Result<u64> {
        let start = self.used.next_multiple_of(Self::ALIGNMENT);
        if bytes > self.bytes - start.min(self.bytes) {
            return Err(Error::new(ErrorKind::Exhausted, "lay out the queues").amount(
                bytes as u64,
                (self.bytes - start.min(self.bytes)) as u64,
                "bytes",
            ));
        }
        self.used = start + bytes;
        Ok(self.base() + start as u64)
    }

    fn check(&self, at: u64, bytes: usize) -> Result<()> {
        let inside = at >= self.base() && at + bytes as u64 <= self.base() + self.bytes as u64;
        if inside {
            return Ok(());
        }
        Err(Error::new(ErrorKind::OutOfRange, format!("reach {bytes} bytes at {at:#x}")))
    }

    /// Writes plain values from `at` on.
    pub(super) fn write<T: Plain>(&self, at: u64, values: &[T]) -> Result<()> {
        let bytes = size_of_val(values);
        self.check(at, bytes)?;
        // SAFETY: `values` is live; **plain**.
        let raw = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), bytes) };
        // SAFETY: **mapped**: inside the region.
        unsafe { self.memory.write(at, raw) }
    }

    /// Reads plain values from `at` on.
    pub(super) fn read<T: Plain + Copy + Default>(&self, at: u64, count: usize) -> Result<Vec<T>> {
        let mut values = vec![T::default(); count];
        let bytes = size_of_val(&values[..]);
        self.check(at, bytes)?;
        // SAFETY: `values` is live and exclusive; **plain**.
        let raw = unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), bytes) };
        // SAFETY: **mapped**: inside the region.
        unsafe { self.memory.read(raw, at)? }
        Ok(values)
    }

    /// Sets bytes from `at` on to `value`.
    pub(super) fn fill(&self, at: u64, value: u8, bytes: usize) -> Result<()> {
        self.check(at, bytes)?;
        // SAFETY: **mapped**: inside the region.
        unsafe { self.memory.fill(at, value, bytes) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Kind::Host(at, layout) = self.kind {
            // SAFETY: it was allocated with this layout, and this value alone owns it.
            unsafe { dealloc(at, layout) }
        }
    }
}

//! The machine of a PE, and the words that its kernels share with the host.

use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::Fault;
use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{Context, Device, DeviceMemory, PinnedBytes};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::{FaultSlot, LocalState, StopWord};

const WORDS: usize = 8;

// Each of the three fills one cache line.
const _: () = assert!(size_of::<LocalState>() == 64 && size_of::<StopWord>() == 64 && size_of::<FaultSlot>() == 64);

/// A PE's machine: a GPU, or threads of this host.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) memory: Memory,
    shared: KernelWords,
}

#[derive(Debug)]
enum KernelWords {
    Host(Box<HostWords>),
    Gpu { local: DeviceMemory, pinned: PinnedBytes },
}

/// `LocalState`, `StopWord` and `FaultSlot` of a host PE, as atomic words, which both sides use.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct HostWords([AtomicU64; 3 * WORDS]);

impl Machine {
    /// Returns the machine of a host PE.
    pub(crate) fn host() -> Arc<Self> {
        Arc::new(Self { memory: Memory::Host, shared: KernelWords::Host(Box::default()) })
    }

    /// Sets up the machine of a PE on a GPU.
    pub(crate) fn gpu(device: Device) -> Result<Arc<Self>> {
        let context = Context::primary(device)?;
        let local = DeviceMemory::alloc(&context, size_of::<LocalState>())?;
        let pinned = PinnedBytes::zeroed(&context, size_of::<StopWord>() + size_of::<FaultSlot>())?;
        let memory = Memory::Gpu(context);
        // SAFETY: **mapped**: the allocation has exactly these bytes.
        unsafe { memory.fill(local.address(), 0, size_of::<LocalState>())? }
        Ok(Arc::new(Self { memory, shared: KernelWords::Gpu { local, pinned } }))
    }

    /// Returns whether kernels run on host threads.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.memory, Memory::Host)
    }

    /// Returns the ordinal of the GPU that kernels run on.
    pub(crate) fn gpu_ordinal(&self) -> Option<u32> {
        match &self.memory {
            Memory::Host => None,
            Memory::Gpu(context) => Some(context.device().ordinal()),
        }
    }

    /// Describes the machine in words.
    pub(crate) fn describe(&self) -> String {
        match &self.memory {
            Memory::Host => "host threads".into(),
            Memory::Gpu(context) => {
                let device = context.device();
                device.name().map_or_else(|_| device.to_string(), |name| format!("{name} ({device})"))
            }
        }
    }

    /// Returns the device address of the [`LocalState`].
    pub(crate) fn local(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(words) => words.0.as_ptr() as u64,
            KernelWords::Gpu { local, .. } => local.address(),
        }
    }

    /// Returns the device address of the word that counts the completed barriers on streams.
    pub(crate) fn stream_barriers(&self) -> u64 {
        self.local() + offset_of!(LocalState, stream_barriers) as u64
    }

    /// Returns the device address of the [`StopWord`].
    pub(crate) fn notice(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(words) => words.0[WORDS..].as_ptr() as u64,
            KernelWords::Gpu { pinned, .. } => pinned.device(),
        }
    }

    /// Returns the device address of the [`FaultSlot`].
    pub(crate) fn fault_slot(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(words) => words.0[2 * WORDS..].as_ptr() as u64,
            KernelWords::Gpu { pinned, .. } => pinned.device() + size_of::<StopWord>() as u64,
        }
    }

    /// Returns the stop word and the fault slot, as the host sees them.
    fn words(&self) -> &[AtomicU64] {
        match &self.shared {
            KernelWords::Host(words) => &words.0[WORDS..],
            KernelWords::Gpu { pinned, .. } => pinned.words_u64(),
        }
    }

    /// Asks this PE's kernels to stop, with a reason (see [`StopWord`]). The first reason stays.
    pub(crate) fn stop(&self, reason: u64) {
        let _ = self.words()[0].compare_exchange(0, reason, Ordering::Release, Ordering::Relaxed);
    }

    /// Returns the fault that this PE's device code has reported, if any.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let slot = &self.words()[WORDS..];
        if slot[0].load(Ordering::Acquire) != FaultSlot::WRITTEN {
            return None;
        }
        FaultSlot::decode(std::array::from_fn(|i| slot[1 + i].load(Ordering::Relaxed)))
    }
}

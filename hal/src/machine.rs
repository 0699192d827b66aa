//! What a PE runs on, and the words that its kernels share with the host.

use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_core::Fault;
use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{Context, Device, DeviceMemory, PinnedBytes};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::{FaultSlot, LocalState, StopWord};

const WORDS: usize = 8;

// Each of the three fills a line of its own.
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

/// LocalState, StopWord and FaultSlot of a host PE, as the atomic words that both sides use them as.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct HostWords([AtomicU64; 3 * WORDS]);

impl Machine {
    /// A host PE.
    pub(crate) fn host() -> Arc<Self> {
        Arc::new(Self { memory: Memory::Host, shared: KernelWords::Host(Box::default()) })
    }

    /// A PE on a GPU.
    pub(crate) fn gpu(device: Device) -> Result<Arc<Self>> {
        let context = Context::primary(device)?;
        let local = DeviceMemory::alloc(&context, size_of::<LocalState>())?;
        let pinned = PinnedBytes::zeroed(&context, size_of::<StopWord>() + size_of::<FaultSlot>())?;
        let memory = Memory::Gpu(context);
        // SAFETY: **mapped**: the allocation has these bytes.
        unsafe { memory.fill(local.address(), 0, size_of::<LocalState>())? }
        Ok(Arc::new(Self { memory, shared: KernelWords::Gpu { local, pinned } }))
    }

    /// Whether kernels run on host threads.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.memory, Memory::Host)
    }

    /// The ordinal of the GPU that kernels run on.
    pub(crate) fn gpu_ordinal(&self) -> Option<u32> {
        match &self.memory {
            Memory::Host => None,
            Memory::Gpu(context) => Some(context.device().ordinal()),
        }
    }

    /// The machine in words.
    pub(crate) fn describe(&self) -> String {
        match &self.memory {
            Memory::Host => "host threads".into(),
            Memory::Gpu(context) => {
                let device = context.device();
                device.name().map_or_else(|_| device.to_string(), |name| format!("{name} ({device})"))
            }
        }
    }

    /// Device address of the [`LocalState`].
    pub(crate) fn local(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(words) => words.0.as_ptr() as u64,
            KernelWords::Gpu { local, .. } => local.address(),
        }
    }

    /// Device address of the word that counts the barriers on streams that have ended.
    pub(crate) fn stream_barriers(&self) -> u64 {
        self.local() + offset_of!(LocalState, stream_barriers) as u64
    }

    /// Device address of the [`StopWord`].
    pub(crate) fn notice(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(words) => words.0[WORDS..].as_ptr() as u64,
            KernelWords::Gpu { pinned, .. } => pinned.device(),
        }
    }

    /// Device address of the [`FaultSlot`].
    pub(crate) fn fault_slot(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(words) => words.0[2 * WORDS..].as_ptr() as u64,
            KernelWords::Gpu { pinned, .. } => pinned.device() + size_of::<StopWord>() as u64,
        }
    }

    /// Stop word and fault slot as the host sees them.
    fn words(&self) -> &[AtomicU64] {
        match &self.shared {
            KernelWords::Host(words) => &words.0[WORDS..],
            KernelWords::Gpu { pinned, .. } => pinned.words_u64(),
        }
    }

    /// Tells this PE's kernels to stop, and why (see [`StopWord`]); the first reason stays.
    pub(crate) fn stop(&self, reason: u64) {
        let _ = self.words()[0].compare_exchange(0, reason, Ordering::Release, Ordering::Relaxed);
    }

    /// The fault that device code of this PE has reported, if it has.
    pub(crate) fn fault(&self) -> Option<Fault> {
        let slot = &self.words()[WORDS..];
        if slot[0].load(Ordering::Acquire) != FaultSlot::WRITTEN {
            return None;
        }
        FaultSlot::decode(std::array::from_fn(|i| slot[1 + i].load(Ordering::Relaxed)))
    }
}

//! The machine of a PE, and the words that its kernels share with the host.

use std::collections::BTreeMap;
use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use oxshmem_core::Fault;
use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{Context, Device, DeviceMemory, PinnedBytes};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::{ExitWord, FaultSlot, FaultThread, LocalState, StopWord};

use crate::recording::lock;

const WORDS: usize = 8;

// Each of the two fills one cache line.
const _: () = assert!(size_of::<LocalState>() == 64 && size_of::<FaultSlot>() == 64);

/// A PE's machine: a GPU, or threads of this host.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) memory: Memory,
    n_pes: u32,
    shared: KernelWords,
    /// The names of the kernels that run on host threads, by the number of their launch.
    kernels: Mutex<BTreeMap<u64, Arc<str>>>,
}

#[derive(Debug)]
enum KernelWords {
    /// `LocalState`, `FaultSlot`, the list of `StopWord`s and the `ExitWord`, as atomic words, which both sides use.
    Host(Box<[Line]>),
    /// `pinned` has the `FaultSlot`, the list of `StopWord`s and the `ExitWord`.
    Gpu { local: DeviceMemory, pinned: PinnedBytes },
}

/// A cache line of words.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Line([AtomicU64; WORDS]);

impl Machine {
    /// Returns the machine of a host PE in a world of `n_pes` PEs.
    pub(crate) fn host(n_pes: u32) -> Arc<Self> {
        let lines = 2 + (StopWord::words(n_pes) + 1).div_ceil(WORDS);
        Arc::new(Self {
            memory: Memory::Host,
            n_pes,
            shared: KernelWords::Host((0..lines).map(|_| Line::default()).collect()),
            kernels: Mutex::default(),
        })
    }

    /// Sets up the machine of a PE on a GPU in a world of `n_pes` PEs.
    pub(crate) fn gpu(device: Device, n_pes: u32) -> Result<Arc<Self>> {
        let context = Context::primary(device)?;
        let local = DeviceMemory::alloc(&context, size_of::<LocalState>())?;
        let words = StopWord::words(n_pes) + 1;
        let pinned = PinnedBytes::zeroed(&context, size_of::<FaultSlot>() + size_of::<u64>() * words)?;
        let memory = Memory::Gpu(context);
        // SAFETY: **mapped**: the allocation has exactly these bytes.
        unsafe { memory.fill(local.address(), 0, size_of::<LocalState>())? }
        Ok(Arc::new(Self { memory, n_pes, shared: KernelWords::Gpu { local, pinned }, kernels: Mutex::default() }))
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
            KernelWords::Host(lines) => lines.as_ptr() as u64,
            KernelWords::Gpu { local, .. } => local.address(),
        }
    }

    /// Returns the device address of the word that counts the completed barriers on streams.
    pub(crate) fn stream_barriers(&self) -> u64 {
        self.local() + offset_of!(LocalState, stream_barriers) as u64
    }

    /// Returns the device address of the first [`StopWord`].
    pub(crate) fn notice(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(lines) => lines[2..].as_ptr() as u64,
            KernelWords::Gpu { pinned, .. } => pinned.device() + size_of::<FaultSlot>() as u64,
        }
    }

    /// Returns the device address of the [`FaultSlot`].
    pub(crate) fn fault_slot(&self) -> u64 {
        match &self.shared {
            KernelWords::Host(lines) => lines[1..].as_ptr() as u64,
            KernelWords::Gpu { pinned, .. } => pinned.device(),
        }
    }

    /// Returns a word of the fault slot, the list of stop words and the exit word after it, as the host sees them; `None`
    /// after the end.
    fn word(&self, at: usize) -> Option<&AtomicU64> {
        match &self.shared {
            KernelWords::Host(lines) => lines.get(1 + at / WORDS).map(|line| &line.0[at % WORDS]),
            KernelWords::Gpu { pinned, .. } => pinned.words_u64().get(at),
        }
    }

    /// Asks this PE's kernels to stop, with a reason (see [`StopWord`]), unless the reason is given already. Earlier
    /// reasons stay.
    pub(crate) fn stop(&self, reason: u64) {
        // The last word stays 0 and ends the list, which has room for every reason before it.
        let reasons = WORDS..WORDS + StopWord::words(self.n_pes) - 1;
        for word in reasons.filter_map(|at| self.word(at)) {
            match word.compare_exchange(0, reason, Ordering::Release, Ordering::Relaxed) {
                Err(other) if other != reason => {}
                _ => return,
            }
        }
    }

    /// Returns the exit status with which device code of this PE has asked to end the program, if it has.
    pub(crate) fn exit_status(&self) -> Option<i32> {
        let word = self.word(WORDS + StopWord::words(self.n_pes))?;
        ExitWord::status(word.load(Ordering::Acquire))
    }

    /// Returns the fault that this PE's device code has reported, if any.
    pub(crate) fn fault(&self) -> Option<Fault> {
        FaultSlot::decode(self.fault_words()?)
    }

    fn fault_words(&self) -> Option<[u64; 7]> {
        let slot = |at| self.word(at);
        let written = slot(0)?.load(Ordering::Acquire) == FaultSlot::WRITTEN;
        written.then(|| std::array::from_fn(|i| slot(1 + i).map_or(0, |word| word.load(Ordering::Relaxed))))
    }

    /// Describes the thread that reported the fault, in words that follow the fault's: empty without a fault.
    pub(crate) fn fault_thread(&self) -> String {
        let Some(FaultThread { block, thread, launch }) = self.fault_words().map(FaultThread::decode) else {
            return String::new();
        };
        let kernel = lock(&self.kernels).get(&launch).map_or_else(String::new, |name| format!(" of kernel `{name}`"));
        format!(" (thread {thread:?} of block {block:?}{kernel})")
    }

    /// Notes the name of a kernel that begins to run on host threads.
    pub(crate) fn kernel_begins(&self, launch: u64, name: &Arc<str>) {
        lock(&self.kernels).insert(launch, name.clone());
    }

    /// Forgets the name of a kernel that has ended, unless it has reported the fault.
    pub(crate) fn kernel_ended(&self, launch: u64) {
        if self.fault_words().is_none_or(|words| FaultThread::decode(words).launch != launch) {
            lock(&self.kernels).remove(&launch);
        }
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_core::Pe;

    use super::*;

    #[test]
    fn each_reason_to_stop_is_listed_once_and_a_zero_ends_the_list() {
        for n_pes in [1, 5, 6, 7, 100] {
            let machine = Machine::host(n_pes);
            let of_deaths = (0..n_pes).map(|pe| StopWord::peer_died(Pe::new(pe)));
            let reasons: Vec<u64> = of_deaths.chain([StopWord::ABORT]).collect();
            reasons.iter().chain(&reasons).for_each(|reason| machine.stop(*reason));
            let word = |at: usize| machine.word(WORDS + at).map(|word| word.load(Ordering::Relaxed));
            assert!((0..).zip(&reasons).all(|(at, reason)| word(at) == Some(*reason)), "{n_pes} PEs");
            assert_eq!(word(reasons.len()), Some(0), "{n_pes} PEs");
            assert!(machine.fault().is_none() && machine.exit_status().is_none(), "{n_pes} PEs");
        }
    }
}

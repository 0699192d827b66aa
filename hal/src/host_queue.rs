//! Operations of a host PE's own threads, outside kernels.

use oxshmem_core::{Cmp, Completion, Fault, OrderingDomain, PeSet, QpResource, QpSet, Remote, SymAddr, Waitable};
use oxshmem_raw::gpu::group::{Block, Thread};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::queue::barrier;
use oxshmem_raw::queue::host_path::HostPaths;
use oxshmem_raw::queue::remote_queue::Signal;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::wait::{self, WaitBudget};

use crate::transports::LoadStore;

/// The queues of a host PE's own threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostQueue {
    world: WorldState,
    paths: HostPaths,
}

impl HostQueue {
    /// Returns the queues of this world.
    ///
    /// # Safety
    ///
    /// - **live**: `world` is the state of a world on host threads, whose memory stays mapped while the value is used,
    ///   and `paths` are its remote paths.
    pub(crate) const unsafe fn new(world: WorldState, paths: HostPaths) -> Self {
        Self { world, paths }
    }

    fn load_store(&self) -> LoadStore<'_> {
        // SAFETY: **live**: by `new`'s **live**, the state's memory is mapped while `self` is used.
        unsafe { LoadStore::new(&self.world) }
    }

    /// Waits for every PE. With `complete`, it first completes everything that this PE issued on queues.
    ///
    /// # Errors
    /// A PE did not arrive within the limit, or died; a queue has stopped.
    pub(crate) fn barrier_all(&self, complete: bool) -> Result<(), Fault> {
        // SAFETY: **live**: by `new`'s **live**, the state's memory is mapped, and `paths` are its remote paths.
        unsafe { barrier::barrier_all(&self.world, Block, self.paths, complete) }
    }

    /// Copies from address `from` to another PE's heap and then signals there, if `signal` is given. A copy without a
    /// signal is complete when the call returns. The caller has checked that the other PE's range and the word are in
    /// the heap.
    ///
    /// # Errors
    /// A queue has stopped, or a wait took too long.
    ///
    /// # Safety
    ///
    /// - **mapped**: this PE's end is mapped and, but for races of the program, unshared during the call.
    pub(crate) unsafe fn put(
        &self,
        to: Remote,
        from: u64,
        bytes: usize,
        signal: Option<oxshmem_core::Signal>,
    ) -> Result<(), Fault> {
        let signal = signal.map(|given| Signal { word: given.word.addr(), op: given.op, value: given.value });
        // SAFETY: **owned**: the caller's **mapped**.
        let from = unsafe { LocalAddr::new(from as *mut u8) };
        if self.world.is_load_store(to.pe) {
            match signal {
                None => self.load_store().put(Thread, to, from, bytes, Completion::Blocking)?,
                Some(Signal { word, op, value }) => {
                    let queue = self.load_store();
                    queue.put_signal(Thread, to, from, bytes, word, op, value, Completion::Blocking)?;
                }
            }
        } else {
            let (path, slot) = self.paths.to(&self.world, to.pe);
            // SAFETY: **live**: by `new`'s **live**, the state's memory is mapped, and the path is one of its remote
            // paths.
            unsafe {
                match signal {
                    None => path.put(&self.world, slot, to, from, bytes)?,
                    Some(signal) => path.put_signal(&self.world, slot, to, from, bytes, signal)?,
                }
            }
        }
        // A put returns when its source may be reused; completion needs a quiet.
        if signal.is_none() { self.quiet_of(PeSet::One(to.pe), QpSet::Default) } else { Ok(()) }
    }

    /// Copies from another PE's heap to address `to`. The data has arrived when the call returns.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    ///
    /// # Safety
    ///
    /// - **mapped**: as for [`put`](Self::put).
    pub(crate) unsafe fn get(&self, to: u64, from: Remote, bytes: usize) -> Result<(), Fault> {
        // SAFETY: **owned**: the caller's **mapped**.
        let to = unsafe { LocalAddr::new(to as *mut u8) };
        if self.world.is_load_store(from.pe) {
            return self.load_store().get(Thread, to, from, bytes, Completion::Blocking);
        }
        let (path, slot) = self.paths.to(&self.world, from.pe);
        // SAFETY: **live**: by `new`'s **live**, the state's memory is mapped, and the path is one of its remote paths.
        unsafe { path.get(&self.world, slot, to, from, bytes) }
    }

    /// Completes everything that this PE's threads and kernels have issued.
    ///
    /// # Errors
    /// A queue has stopped, or a wait took too long.
    pub(crate) fn quiet(&self) -> Result<(), Fault> {
        self.quiet_of(PeSet::All, QpSet::All)
    }

    fn quiet_of(&self, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        self.load_store().quiet(Thread, pes, qps)?;
        if !self.world.has_remote() {
            return Ok(());
        }
        // SAFETY: **live**: by `new`'s **live**, the state's memory is mapped, and `paths` are its remote paths.
        unsafe { self.paths.quiet(&self.world, pes, qps) }
    }

    /// Waits for a word of this PE's heap. The caller has checked that the word is in the heap.
    ///
    /// # Errors
    /// The limit was reached, or the stop word was set.
    pub(crate) fn wait<T: Waitable>(&self, word: SymAddr, cmp: Cmp, value: T) -> Result<(), Fault> {
        let at = self.world.own_address(word);
        // SAFETY: **live**: an aligned word in this PE's heap, which by `new`'s **live** is mapped.
        let seen = || unsafe { wait::acquire::<T>(at) };
        let holds = || cmp.holds(seen(), value).then_some(());
        let late = || wait::late(word, cmp, value, seen());
        wait::until(&self.world, &mut WaitBudget::new(), 1, holds, late)
    }
}

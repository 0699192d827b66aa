//! PEs that reach each other over a software NIC.

use std::mem::offset_of;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use oxshmem_core::host::Transport;
use oxshmem_core::{Fault, FaultStep, Qp, QpHandle, SymAddr, SymPtr};
use oxshmem_device::{OnQp, Shmem};
use oxshmem_fakes::soft_nic;
pub(crate) use oxshmem_kit::rig::{LONG, grid as grid_sharing, pattern};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::queue::rows::queue_number;
use oxshmem_raw::state::{FaultSlot, LocalState, RESERVED_BYTES, WorldState};
use oxshmem_softnic::{HostMemory, SoftProvider};
use oxshmem_transport_ibgda::host::Ibgda;
use oxshmem_transport_ibgda::state::{NicState, QueueState};

pub(crate) use crate::made::Made;
pub(crate) use crate::seen::Seen;

/// Long enough for a wait to see the present state, and short enough for many waits that must not succeed.
pub(crate) const SHORT: Duration = Duration::from_millis(20);
/// Bytes of the first extent of the heap.
pub(crate) const EXTENT: u64 = 1 << 20;

/// The PEs.
pub(crate) struct Rig {
    rig: oxshmem_kit::rig::Rig<Ibgda>,
    pub(crate) nic: Arc<SoftProvider>,
    /// Whether rules may be broken, because the device half is not the only user of the NIC's queues.
    pub(crate) lawless: bool,
}

impl Deref for Rig {
    type Target = oxshmem_kit::rig::Rig<Ibgda>;

    fn deref(&self) -> &Self::Target {
        &self.rig
    }
}

impl DerefMut for Rig {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.rig
    }
}

impl Rig {
    /// Creates the PEs of `made`, whose heap is one extent.
    pub(crate) fn new(made: Made) -> Self {
        Self::grown(made, &[EXTENT])
    }

    /// Creates PEs whose heap has these extents.
    pub(crate) fn grown(made: Made, extents: &[u64]) -> Self {
        let n_pes = made.n_pes;
        let options = made.nic.clone();
        let nic = Arc::new(match made.resident {
            true => SoftProvider::with_plane(options, Arc::new(HostMemory), soft_nic::resident_plane()).unwrap(),
            false => SoftProvider::new(options).unwrap(),
        });
        let rig = oxshmem_kit::rig::Rig::new(n_pes, extents, made.config.rows, |me, windows, far| {
            Ibgda::open(&made.config(me.number()), nic.clone(), Memory::Host, windows, me, n_pes, far)
        });
        Self { rig, nic, lawless: false }
    }

    /// Returns the world for kernels of a PE.
    pub(crate) fn shmem(&self, me: u32) -> Shmem<'static> {
        shmem_of(self.state(me))
    }

    /// Returns the host half of a PE.
    pub(crate) fn host(&mut self, me: u32) -> &mut Ibgda {
        &mut self.pes[me as usize]
    }

    /// Returns the number of PEs.
    pub(crate) fn n_pes(&self) -> u32 {
        self.pes.len() as u32
    }

    /// Clears the fault that a PE's threads reported.
    pub(crate) fn forget_fault(&self, me: u32) {
        let state = self.state(me);
        let (claimed, written) = (offset_of!(LocalState, fault_claimed) as u64, offset_of!(FaultSlot, state) as u64);
        word(state.fault + written).store(0, Ordering::SeqCst);
        half(state.local + claimed).store(0, Ordering::SeqCst);
    }

    /// Asserts that `wait` ends at the limit with a fault of the queue, because an entry has not completed. Returns the
    /// awaited index and the completed one.
    pub(crate) fn waits_in_vain(&mut self, me: u32, wait: impl FnOnce(&Shmem) -> Result<(), Fault>) -> (u64, u64) {
        self.set_limit(SHORT);
        let fault = wait(&self.shmem(me)).unwrap_err();
        assert_eq!(fault.step, FaultStep::Queue, "{fault}");
        self.forget_fault(me);
        self.set_limit(LONG);
        (fault.asked, fault.seen)
    }

    /// Returns the queue of a PE in this row.
    pub(crate) fn queue(&self, me: u32, row: u32, pe: u32) -> Seen {
        let table = self.pes[me as usize].path_view().queues;
        Seen(table + u64::from(row * self.pes.len() as u32 + pe) * size_of::<QueueState>() as u64)
    }

    /// Returns the default queue from PE 0 to PE 1.
    pub(crate) fn first(&self) -> Seen {
        self.queue(0, 0, 1)
    }

    /// Returns the queue of a PE for a handle.
    pub(crate) fn queue_of(&self, me: u32, handle: QpHandle, pe: u32) -> Seen {
        let n_pes = self.pes.len() as u32;
        let number = queue_number(handle.raw(), self.default_rows(), n_pes, pe);
        self.queue(me, number / n_pes, number % n_pes)
    }

    /// Sets the limit of a message in the queues' shared state.
    pub(crate) fn set_longest(&self, me: u32, bytes: u64) {
        let shared = self.pes[me as usize].path_view().shared;
        word(shared + offset_of!(NicState, max_message) as u64).store(bytes, Ordering::SeqCst);
    }

    /// Returns the original limit of a message.
    pub(crate) fn longest(&self, me: u32) -> u64 {
        word(self.pes[me as usize].path_view().shared + offset_of!(NicState, max_message) as u64).load(Ordering::SeqCst)
    }

    /// Holds a queue of the NIC, or releases it.
    pub(crate) fn hold(&self, queue: Seen, held: bool) {
        self.nic.hold(queue.qpn(), held);
    }

    /// Makes queues count from another index, as the NIC does with [`Options::first_index`].
    pub(crate) fn start_at(&self, queue: Seen, index: u64) {
        for field in [
            offset_of!(QueueState, reserved),
            offset_of!(QueueState, done),
            offset_of!(QueueState, posted),
            offset_of!(QueueState, claim),
        ] {
            queue.set(field, index);
        }
    }

    /// Returns bytes at an offset of a PE's heap.
    pub(crate) fn heap(&self, pe: u32, at: SymPtr<u8>, bytes: usize) -> Vec<u8> {
        self.rig.heap(pe, at.addr().offset(), bytes)
    }

    /// Writes bytes at an offset of a PE's heap.
    pub(crate) fn set_heap(&self, pe: u32, at: SymPtr<u8>, bytes: &[u8]) {
        self.rig.set_heap(pe, at.addr().offset(), bytes);
    }

    /// Returns a word of a PE's heap.
    pub(crate) fn word(&self, pe: u32, at: SymPtr<u64>) -> u64 {
        self.rig.word(pe, at.addr().offset()).load(Ordering::SeqCst)
    }

    /// Sets a word of a PE's heap.
    pub(crate) fn set_word(&self, pe: u32, at: SymPtr<u64>, value: u64) {
        self.rig.word(pe, at.addr().offset()).store(value, Ordering::SeqCst);
    }

    /// Asserts that no rule was broken.
    pub(crate) fn assert_lawful(&self) {
        let violations = self.nic.violations();
        assert!(violations.is_empty(), "{violations:#?}");
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.pes.clear();
        if !std::thread::panicking() && !self.lawless {
            // Violations during the drop count too.
            self.assert_lawful();
        }
    }
}

/// Returns an 8-byte word that is mapped as long as its rig.
pub(crate) fn word<'a>(at: u64) -> &'a AtomicU64 {
    assert!(at != 0 && at.is_multiple_of(8));
    // SAFETY: callers pass an aligned word that is mapped as long as their rig lives, and is accessed by atomics only.
    unsafe { AtomicU64::from_ptr(at as *mut u64) }
}

/// Returns a 4-byte word.
pub(crate) fn half<'a>(at: u64) -> &'a AtomicU32 {
    assert!(at != 0 && at.is_multiple_of(4));
    // SAFETY: callers pass an aligned word that is mapped as long as their rig lives, and is accessed by atomics only.
    unsafe { AtomicU32::from_ptr(at as *mut u32) }
}

/// Returns an element of the heap, counted from the end of the library's own part.
pub(crate) fn element<T: oxshmem_core::Element>(index: u64) -> SymPtr<T> {
    SymPtr::new(SymAddr::new(RESERVED_BYTES + index * size_of::<T>() as u64))
}

/// Returns the world for one GPU thread with the state of a rig.
pub(crate) fn shmem_of(state: WorldState) -> Shmem<'static> {
    // SAFETY: **live**: the rig owns the state and outlives the threads of its tests. **peopled**: the rig has PEs.
    unsafe { Shmem::from_state(state) }
}

/// Returns the operations on a custom queue.
pub(crate) fn on<'a>(shmem: &'a Shmem, handle: QpHandle) -> OnQp<'a> {
    shmem.qp(Qp::Custom(handle))
}

/// Runs `body` as each thread of a grid, all blocks of which are resident.
pub(crate) fn grid(blocks: u32, threads: u32, seed: u64, body: impl Fn()) {
    grid_sharing(blocks, threads, 0, seed, body)
}

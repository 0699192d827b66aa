//! PEs of this process that reach each other over a software NIC, with every word accessible to a test: the host half
//! and the device half of the transport, without the rest of a world.

use std::mem::offset_of;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oxshmem_core::host::{Extent, Offer, QpRows, Transport};
use oxshmem_core::{Fault, FaultStep, Pe, Qp, QpHandle, SymAddr, SymPtr};
use oxshmem_device::{OnQp, Shmem};
use oxshmem_fakes::soft_nic;
use oxshmem_raw::gpu::simt::{self, Grid, Schedule};
use oxshmem_raw::memory::world_copy::WorldCopy;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::rows::queue_number;
use oxshmem_raw::state::{FaultSlot, LocalState, RESERVED_BYTES, StopWord, WorldState};
use oxshmem_softnic::{HostMemory, SoftProvider};
use oxshmem_transport_ibgda::host::Ibgda;
use oxshmem_transport_ibgda::state::{NicState, QueueState};

pub(crate) use crate::made::Made;
pub(crate) use crate::seen::Seen;

/// Longer than any wait that ends.
pub(crate) const LONG: Duration = Duration::from_secs(60);
/// Long enough for a wait to see the present state, and short enough for many waits that must not succeed.
pub(crate) const SHORT: Duration = Duration::from_millis(20);
/// Bytes of the first extent of the heap.
pub(crate) const EXTENT: u64 = 1 << 20;

/// The PEs.
pub(crate) struct Rig {
    copies: Vec<WorldCopy>,
    pes: Vec<Ibgda>,
    windows: Vec<Arc<Mutex<Windows>>>,
    words: Vec<Words>,
    heap_bytes: u64,
    limit: Duration,
    pub(crate) nic: Arc<SoftProvider>,
    /// Whether rules may be broken, because the device half is not the only user of the NIC's queues.
    pub(crate) lawless: bool,
}

/// Words that a PE's threads share besides queues. Their addresses are in its state.
struct Words {
    local: NonNull<LocalState>,
    notice: NonNull<StopWord>,
    fault: NonNull<FaultSlot>,
}

// SAFETY: the three are accessed as atomics only, and freed with the rig.
unsafe impl Send for Words {}
// SAFETY: all threads access the three as atomics only.
unsafe impl Sync for Words {}

impl Words {
    fn new() -> Self {
        let (stop, state, words) = (0, 0, [0; 7]);
        let local = LocalState { fault_claimed: 0, grid_arrived: 0, stream_barriers: 0, barriers: 0, any_calls: 0 };
        Self {
            local: NonNull::from(Box::leak(Box::new(local))),
            notice: NonNull::from(Box::leak(Box::new(StopWord { stop }))),
            fault: NonNull::from(Box::leak(Box::new(FaultSlot { state, words }))),
        }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: `new` made it from a box, and nothing uses it after the rig.
        unsafe { drop(Box::from_raw(self.local.as_ptr())) };
        // SAFETY: `new` made it from a box of its own, and nothing uses it after the rig.
        unsafe { drop(Box::from_raw(self.notice.as_ptr())) };
        // SAFETY: `new` made it from a box of its own, and nothing uses it after the rig.
        unsafe { drop(Box::from_raw(self.fault.as_ptr())) };
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
        let (mut pes, mut copies, mut all_windows) = (Vec::new(), Vec::new(), Vec::new());
        for me in 0..n_pes {
            let windows = Windows::new(&Memory::Host, Pe::new(me), n_pes, 64 << 20).unwrap();
            let windows = Arc::new(Mutex::new(windows));
            let far: Vec<bool> = (0..n_pes).map(|pe| pe != me).collect();
            let (nics, config) = (nic.clone(), made.config(me));
            pes.push(Ibgda::open(&config, nics, Memory::Host, windows.clone(), Pe::new(me), n_pes, &far).unwrap());
            let numbers: Vec<usize> = far.iter().map(|far| usize::from(*far)).collect();
            copies.push(WorldCopy::new(&Memory::Host, &numbers).unwrap());
            all_windows.push(windows);
        }
        let words = (0..n_pes).map(|_| Words::new()).collect();
        let mut rig =
            Self { pes, copies, windows: all_windows, words, heap_bytes: 0, limit: LONG, nic, lawless: false };
        rig.pes.iter_mut().zip(&rig.copies).for_each(|(pe, copy)| pe.set_world(copy.address()));
        extents.iter().for_each(|bytes| rig.grow(*bytes));
        rig.rows(QpRows::Default);
        rig.set_limit(LONG);
        rig
    }

    /// Adds an extent to every heap.
    pub(crate) fn grow(&mut self, bytes: u64) {
        let extent = Extent { offset: self.heap_bytes, bytes };
        self.windows.iter().for_each(|windows| windows.lock().unwrap().create(extent).unwrap());
        let offers: Vec<Vec<u8>> = self.pes.iter_mut().map(|pe| pe.offer(extent).unwrap().bytes).collect();
        for (me, pe) in self.pes.iter_mut().enumerate() {
            for (other, bytes) in offers.iter().enumerate().filter(|(other, _)| *other != me) {
                pe.accept(Pe::new(other as u32), extent, Offer { bytes: bytes.clone(), fds: Vec::new() }).unwrap();
            }
        }
        self.heap_bytes += bytes;
    }

    fn rows(&mut self, rows: QpRows) -> Vec<QpHandle> {
        let said: Vec<Vec<Vec<u8>>> = self.pes.iter_mut().map(|pe| pe.prepare_qps(rows).unwrap()).collect();
        let to = |me: usize| said.iter().map(|messages| messages[me].clone()).collect::<Vec<_>>();
        let made: Vec<_> = self.pes.iter_mut().enumerate().map(|(me, pe)| pe.connect_qps(&to(me)).unwrap()).collect();
        assert!(made.iter().all(|handles| *handles == made[0]), "all PEs have the same handles");
        made[0].clone()
    }

    /// Creates queue pairs besides the default ones.
    pub(crate) fn create(&mut self, count: u32) -> Vec<QpHandle> {
        self.rows(QpRows::Custom(count))
    }

    /// Destroys queue pairs.
    pub(crate) fn destroy(&mut self, handles: &[QpHandle]) {
        self.pes.iter_mut().for_each(|pe| pe.destroy_qps(handles).unwrap());
    }

    /// Limits waits to this time from now on.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
        for me in 0..self.pes.len() {
            self.copies[me].write(&self.state(me as u32)).unwrap();
        }
    }

    /// Returns the state for kernels of a PE.
    pub(crate) fn state(&self, me: u32) -> WorldState {
        let (windows, words) = (self.windows[me as usize].lock().unwrap(), &self.words[me as usize]);
        let view = self.pes[me as usize].path_view();
        let mut state = WorldState {
            heap: windows.base(),
            stride: windows.stride(),
            heap_bytes: self.heap_bytes,
            own: windows.address(Pe::new(me), 0).unwrap(),
            bases: windows.table(),
            local: words.local.as_ptr() as u64,
            notice: words.notice.as_ptr() as u64,
            fault: words.fault.as_ptr() as u64,
            wait_limit_ns: self.limit.as_nanos() as u64,
            my_pe: me,
            n_pes: self.pes.len() as u32,
            ..WorldState::default()
        };
        self.copies[me as usize].set_numbers(&mut state);
        state.set_path(1, &view);
        state
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

    /// Sets the heap's size in bytes as kernels see it.
    pub(crate) fn pretend(&mut self, bytes: u64) {
        self.heap_bytes = bytes;
        self.set_limit(self.limit);
    }

    /// Clears the fault that a PE's threads reported.
    pub(crate) fn forget_fault(&self, me: u32) {
        let words = &self.words[me as usize];
        let (claimed, written) = (offset_of!(LocalState, fault_claimed) as u64, offset_of!(FaultSlot, state) as u64);
        word(words.fault.as_ptr() as u64 + written).store(0, Ordering::SeqCst);
        half(words.local.as_ptr() as u64 + claimed).store(0, Ordering::SeqCst);
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
        let view = self.pes[me as usize].path_view();
        let n_pes = self.pes.len() as u32;
        let number = queue_number(handle.raw(), view.default_rows, n_pes, pe);
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
        let address = self.address(pe, at.addr());
        let mut read = vec![0; bytes];
        // SAFETY: **mapped**: tests name ranges of the heap, which is mapped as long as the rig lives.
        unsafe { Memory::Host.read(&mut read, address) }.unwrap();
        read
    }

    /// Writes bytes at an offset of a PE's heap.
    pub(crate) fn set_heap(&self, pe: u32, at: SymPtr<u8>, bytes: &[u8]) {
        // SAFETY: **mapped**: tests name ranges of the heap, which is mapped as long as the rig lives.
        unsafe { Memory::Host.write(self.address(pe, at.addr()), bytes) }.unwrap();
    }

    /// Returns a word of a PE's heap.
    pub(crate) fn word(&self, pe: u32, at: SymPtr<u64>) -> u64 {
        word(self.address(pe, at.addr())).load(Ordering::SeqCst)
    }

    /// Sets a word of a PE's heap.
    pub(crate) fn set_word(&self, pe: u32, at: SymPtr<u64>, value: u64) {
        word(self.address(pe, at.addr())).store(value, Ordering::SeqCst);
    }

    /// Returns the address at which a PE's heap is mapped.
    pub(crate) fn address(&self, pe: u32, at: SymAddr) -> u64 {
        self.windows[pe as usize].lock().unwrap().address(Pe::new(pe), at.offset()).unwrap()
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

/// Performs [`grid`] with this many bytes of dynamic shared memory for each block.
pub(crate) fn grid_sharing(blocks: u32, threads: u32, shared_bytes: usize, seed: u64, body: impl Fn()) {
    let (blocks, threads) = ([blocks, 1, 1], [threads, 1, 1]);
    let shape = Grid { blocks, threads, dynamic_shared_bytes: shared_bytes, collective: true };
    simt::run(&shape, &Schedule::seeded(seed), &body).unwrap();
}

/// Returns bytes that depend on the seed.
pub(crate) fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64)
        .map(|i| ((i + 1).wrapping_mul(seed + 77).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

//! PEs of this process that reach each other over a software NIC, whose every word a test can see and set: the host
//! half and the device half of the transport, without the rest of a world.

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
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::rows::queue_number;
use oxshmem_raw::state::{FaultSlot, LocalState, RESERVED_BYTES, StopWord, WorldState};
use oxshmem_softnic::{HostMemory, SoftProvider};
use oxshmem_transport_ibgda::host::Ibgda;
use oxshmem_transport_ibgda::state::{NicState, QueueState};

pub(crate) use crate::made::Made;
pub(crate) use crate::seen::Seen;

/// What no wait reaches that ends at all.
pub(crate) const LONG: Duration = Duration::from_secs(60);
/// Long enough for a wait to see what there is, and short enough to end many that must not succeed.
pub(crate) const SHORT: Duration = Duration::from_millis(20);
/// Bytes of the first extent of the heap.
pub(crate) const EXTENT: u64 = 1 << 20;

/// The PEs.
pub(crate) struct Rig {
    pes: Vec<Ibgda>,
    windows: Vec<Arc<Mutex<Windows>>>,
    words: Vec<Words>,
    heap_bytes: u64,
    limit: Duration,
    pub(crate) nic: Arc<SoftProvider>,
    /// Whether rules may be broken: the NIC's queues are not the device half's alone.
    pub(crate) lawless: bool,
}

/// What a PE's threads share beside queues. Their addresses are in its state.
struct Words {
    local: NonNull<LocalState>,
    notice: NonNull<StopWord>,
    fault: NonNull<FaultSlot>,
}

// SAFETY: the three are reached by atomic accesses alone, and go with the rig.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    fn new() -> Self {
        let (stop, state, words) = (0, 0, [0; 7]);
        let local = LocalState { fault_claimed: 0, grid_arrived: 0, grid_round: 0, stream_barriers: 0, barriers: 0 };
        Self {
            local: NonNull::from(Box::leak(Box::new(local))),
            notice: NonNull::from(Box::leak(Box::new(StopWord { stop }))),
            fault: NonNull::from(Box::leak(Box::new(FaultSlot { state, words }))),
        }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: made by `new` from boxes, and nobody uses them after the rig.
        unsafe { drop(Box::from_raw(self.local.as_ptr())) };
        // SAFETY: as above.
        unsafe { drop(Box::from_raw(self.notice.as_ptr())) };
        // SAFETY: as above.
        unsafe { drop(Box::from_raw(self.fault.as_ptr())) };
    }
}

impl Rig {
    /// PEs as `made` has them, whose heap is one extent.
    pub(crate) fn new(made: Made) -> Self {
        Self::grown(made, &[EXTENT])
    }

    /// PEs whose heap has these extents.
    pub(crate) fn grown(made: Made, extents: &[u64]) -> Self {
        let n_pes = made.n_pes;
        let options = made.nic.clone();
        let nic = Arc::new(match made.resident {
            true => SoftProvider::with_plane(options, Arc::new(HostMemory), soft_nic::resident_plane()).unwrap(),
            false => SoftProvider::new(options).unwrap(),
        });
        let (mut pes, mut all_windows) = (Vec::new(), Vec::new());
        for me in 0..n_pes {
            let windows = Windows::new(&Memory::Host, Pe::new(me), n_pes, 64 << 20).unwrap();
            let windows = Arc::new(Mutex::new(windows));
            let far: Vec<bool> = (0..n_pes).map(|pe| pe != me).collect();
            let (nics, config) = (nic.clone(), made.config(me));
            pes.push(Ibgda::open(&config, nics, Memory::Host, windows.clone(), Pe::new(me), n_pes, &far).unwrap());
            all_windows.push(windows);
        }
        let words = (0..n_pes).map(|_| Words::new()).collect();
        let mut rig = Self { pes, windows: all_windows, words, heap_bytes: 0, limit: LONG, nic, lawless: false };
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
        let said: Vec<Vec<u8>> = self.pes.iter_mut().map(|pe| pe.prepare_qps(rows).unwrap()).collect();
        let made: Vec<_> = self.pes.iter_mut().map(|pe| pe.connect_qps(&said).unwrap()).collect();
        assert!(made.iter().all(|handles| *handles == made[0]), "all PEs have the same handles");
        made[0].clone()
    }

    /// Makes queue pairs beside the default ones.
    pub(crate) fn create(&mut self, count: u32) -> Vec<QpHandle> {
        self.rows(QpRows::Custom(count))
    }

    /// Destroys them.
    pub(crate) fn destroy(&mut self, handles: &[QpHandle]) {
        self.pes.iter_mut().for_each(|pe| pe.destroy_qps(handles).unwrap());
    }

    /// Ends waits after so long, from now on.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
        for me in 0..self.pes.len() {
            self.pes[me].share_state(self.state(me as u32).bytes()).unwrap();
        }
    }

    /// The state that kernels of a PE get.
    pub(crate) fn state(&self, me: u32) -> WorldState {
        let (windows, words) = (self.windows[me as usize].lock().unwrap(), &self.words[me as usize]);
        let view = self.pes[me as usize].kernel_view();
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
        state.take_view(&view);
        state
    }

    /// The world as kernels of a PE have it.
    pub(crate) fn shmem(&self, me: u32) -> Shmem {
        // SAFETY: **live**: as long as the rig, which outlives the threads of its tests; **peopled**.
        unsafe { Shmem::from_state(self.state(me)) }
    }

    /// The host half of a PE.
    pub(crate) fn host(&mut self, me: u32) -> &mut Ibgda {
        &mut self.pes[me as usize]
    }

    /// How many PEs there are.
    pub(crate) fn n_pes(&self) -> u32 {
        self.pes.len() as u32
    }

    /// Lets kernels believe that the heap has so many bytes.
    pub(crate) fn pretend(&mut self, bytes: u64) {
        self.heap_bytes = bytes;
        self.set_limit(self.limit);
    }

    /// Forgets the fault that a PE's threads reported.
    pub(crate) fn forget_fault(&self, me: u32) {
        let words = &self.words[me as usize];
        let (claimed, written) = (offset_of!(LocalState, fault_claimed) as u64, offset_of!(FaultSlot, state) as u64);
        word(words.fault.as_ptr() as u64 + written).store(0, Ordering::SeqCst);
        half(words.local.as_ptr() as u64 + claimed).store(0, Ordering::SeqCst);
    }

    /// Asserts that `wait` ends at the limit with a fault of the queue, as something is waited for that has not come.
    /// What was asked of the queue, and what it had.
    pub(crate) fn waits_in_vain(&mut self, me: u32, wait: impl FnOnce(&Shmem) -> Result<(), Fault>) -> (u64, u64) {
        self.set_limit(SHORT);
        let fault = wait(&self.shmem(me)).unwrap_err();
        assert_eq!(fault.step, FaultStep::Queue, "{fault}");
        self.forget_fault(me);
        self.set_limit(LONG);
        (fault.asked, fault.seen)
    }

    /// The queue of a PE in this row.
    pub(crate) fn queue(&self, me: u32, row: u32, pe: u32) -> Seen {
        let table = self.pes[me as usize].kernel_view().queues;
        Seen(table + u64::from(row * self.pes.len() as u32 + pe) * size_of::<QueueState>() as u64)
    }

    /// The default queue from PE 0 to PE 1.
    pub(crate) fn first(&self) -> Seen {
        self.queue(0, 0, 1)
    }

    /// The queue of a PE that a handle names.
    pub(crate) fn queue_of(&self, me: u32, handle: QpHandle, pe: u32) -> Seen {
        let view = self.pes[me as usize].kernel_view();
        let n_pes = self.pes.len() as u32;
        let number = queue_number(handle.raw(), view.default_rows, n_pes, pe);
        self.queue(me, number / n_pes, number % n_pes)
    }

    /// What the queues of a PE share, to change the limit of a message.
    pub(crate) fn set_longest(&self, me: u32, bytes: u64) {
        let shared = self.pes[me as usize].kernel_view().shared;
        word(shared + offset_of!(NicState, max_message) as u64).store(bytes, Ordering::SeqCst);
    }

    /// The longest message as it was found out.
    pub(crate) fn longest(&self, me: u32) -> u64 {
        word(self.pes[me as usize].kernel_view().shared + offset_of!(NicState, max_message) as u64)
            .load(Ordering::SeqCst)
    }

    /// Holds the NIC back from a queue, or lets it go.
    pub(crate) fn hold(&self, queue: Seen, held: bool) {
        self.nic.hold(queue.qpn(), held);
    }

    /// Lets queues count from another index, as the NIC does with [`Options::first_index`].
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

    /// What is at an offset of a PE's heap.
    pub(crate) fn heap(&self, pe: u32, at: SymPtr<u8>, bytes: usize) -> Vec<u8> {
        let address = self.address(pe, at.addr());
        let mut read = vec![0; bytes];
        // SAFETY: **mapped**: tests ask for what is in the heap.
        unsafe { Memory::Host.read(&mut read, address) }.unwrap();
        read
    }

    /// Writes there.
    pub(crate) fn set_heap(&self, pe: u32, at: SymPtr<u8>, bytes: &[u8]) {
        // SAFETY: **mapped**: as above.
        unsafe { Memory::Host.write(self.address(pe, at.addr()), bytes) }.unwrap();
    }

    /// A word of a PE's heap.
    pub(crate) fn word(&self, pe: u32, at: SymPtr<u64>) -> u64 {
        word(self.address(pe, at.addr())).load(Ordering::SeqCst)
    }

    /// Sets one.
    pub(crate) fn set_word(&self, pe: u32, at: SymPtr<u64>, value: u64) {
        word(self.address(pe, at.addr())).store(value, Ordering::SeqCst);
    }

    /// Where a PE's heap is mapped.
    pub(crate) fn address(&self, pe: u32, at: SymAddr) -> u64 {
        self.windows[pe as usize].lock().unwrap().address(Pe::new(pe), at.offset()).unwrap()
    }

    /// No rule was broken.
    pub(crate) fn assert_lawful(&self) {
        let violations = self.nic.violations();
        assert!(violations.is_empty(), "{violations:#?}");
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.pes.clear();
        if !std::thread::panicking() && !self.lawless {
            // Also what happens at the end is watched.
            self.assert_lawful();
        }
    }
}

/// A word of 8 bytes that is mapped for as long as its rig.
pub(crate) fn word<'a>(at: u64) -> &'a AtomicU64 {
    assert!(at != 0 && at.is_multiple_of(8));
    // SAFETY: the callers give words of a living rig.
    unsafe { AtomicU64::from_ptr(at as *mut u64) }
}

/// A word of 4 bytes.
pub(crate) fn half<'a>(at: u64) -> &'a AtomicU32 {
    assert!(at != 0 && at.is_multiple_of(4));
    // SAFETY: as above.
    unsafe { AtomicU32::from_ptr(at as *mut u32) }
}

/// An element of the heap, counted behind what is the library's own.
pub(crate) fn element<T: oxshmem_core::Element>(index: u64) -> SymPtr<T> {
    SymPtr::new(SymAddr::new(RESERVED_BYTES + index * size_of::<T>() as u64))
}

/// Operations on a custom queue.
pub(crate) fn on(shmem: &Shmem, handle: QpHandle) -> OnQp<'_> {
    shmem.qp(Qp::Custom(handle))
}

/// Runs `body` as each thread of a grid, all blocks of which are resident.
pub(crate) fn grid(blocks: u32, threads: u32, seed: u64, body: impl Fn()) {
    grid_sharing(blocks, threads, 0, seed, body)
}

/// The same, each block with so many bytes of dynamic shared memory.
pub(crate) fn grid_sharing(blocks: u32, threads: u32, shared_bytes: usize, seed: u64, body: impl Fn()) {
    let (blocks, threads) = ([blocks, 1, 1], [threads, 1, 1]);
    let shape = Grid { blocks, threads, dynamic_shared_bytes: shared_bytes, collective: true };
    simt::run(&shape, &Schedule::seeded(seed), &body).unwrap();
}

/// Bytes that differ from those of other seeds.
pub(crate) fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64)
        .map(|i| ((i + 1).wrapping_mul(seed + 77).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

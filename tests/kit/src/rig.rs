//! PEs of this process that reach each other by one transport: its host half and its device half without the rest of a
//! world, and every word within a test's reach. A call that fails panics.

use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oxshmem_core::host::{Extent, Offer, Result, Transport};
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::gpu::simt::{self, Grid, Schedule};
use oxshmem_raw::memory::world_copy::WorldCopy;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::rows::{handle_of, row_of};
use oxshmem_raw::state::{FaultSlot, LocalState, StopWord, WorldState};

/// Longer than any wait that ends.
pub const LONG: Duration = Duration::from_secs(60);

/// The PEs.
#[derive(Debug)]
pub struct Rig<T> {
    // Dropped before the memory that they use.
    /// The host half of each PE.
    pub pes: Vec<T>,
    copies: Vec<WorldCopy>,
    windows: Vec<Arc<Mutex<Windows>>>,
    words: Vec<Words>,
    heap_bytes: u64,
    default_rows: u32,
    /// The rows beside the default ones.
    rows: Vec<u32>,
    limit: Duration,
}

/// Words of a PE's threads besides queues: local state, stop word and fault slot.
#[derive(Debug)]
#[repr(C, align(64))]
struct Words([AtomicU64; 24]);

const _: () = assert!(size_of::<LocalState>() == 64 && size_of::<StopWord>() == 64 && size_of::<FaultSlot>() == 64);

impl<T: Transport> Rig<T> {
    /// Makes `n_pes` PEs, whose heaps have these extents in bytes and whose default rows of queues are connected.
    /// `open` opens the transport of a PE from its number, the windows onto the heaps and, by PE, whether the transport
    /// reaches it.
    pub fn new(
        n_pes: u32,
        extents: &[u64],
        default_rows: u32,
        mut open: impl FnMut(Pe, Arc<Mutex<Windows>>, &[bool]) -> Result<T>,
    ) -> Self {
        let (mut pes, mut copies, mut all_windows) = (Vec::new(), Vec::new(), Vec::new());
        for me in (0..n_pes).map(Pe::new) {
            let windows = Arc::new(Mutex::new(Windows::new(&Memory::Host, me, n_pes, 64 << 20).unwrap()));
            let far: Vec<bool> = (0..n_pes).map(|pe| pe != me.number()).collect();
            pes.push(open(me, windows.clone(), &far).unwrap());
            let numbers: Vec<usize> = far.iter().map(|far| usize::from(*far)).collect();
            copies.push(WorldCopy::new(&Memory::Host, &numbers).unwrap());
            all_windows.push(windows);
        }
        let words = (0..n_pes).map(|_| Words([const { AtomicU64::new(0) }; 24])).collect();
        let (windows, heap_bytes, rows, limit) = (all_windows, 0, Vec::new(), LONG);
        let mut rig = Self { pes, copies, windows, words, heap_bytes, default_rows, rows, limit };
        rig.pes.iter_mut().zip(&rig.copies).for_each(|(pe, copy)| pe.set_world(copy.address()));
        extents.iter().for_each(|bytes| rig.grow(*bytes));
        rig.make_rows(0..default_rows);
        rig.set_limit(LONG);
        rig
    }

    /// Returns the number of default rows.
    pub fn default_rows(&self) -> u32 {
        self.default_rows
    }

    /// Adds an extent to every heap.
    pub fn grow(&mut self, bytes: u64) {
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

    fn make_rows(&mut self, rows: Range<u32>) {
        let said: Vec<Vec<Vec<u8>>> = self.pes.iter_mut().map(|pe| pe.prepare_qps(rows.clone()).unwrap()).collect();
        let to =
            |me: usize| said.iter().map(|messages| messages.get(me).cloned().unwrap_or_default()).collect::<Vec<_>>();
        self.pes.iter_mut().enumerate().for_each(|(me, pe)| pe.connect_qps(&to(me)).unwrap());
    }

    /// Makes queue pairs beside the default ones, and returns their handles.
    pub fn create(&mut self, count: u32) -> Vec<QpHandle> {
        let is_free = |row| !self.rows.contains(&row);
        let first = (self.default_rows..).find(|first| (*first..first + count).all(is_free)).unwrap();
        let rows = first..first + count;
        self.make_rows(rows.clone());
        self.rows.extend(rows.clone());
        rows.map(|row| handle_of(row, self.default_rows, self.pes.len() as u32)).collect()
    }

    /// Destroys queue pairs.
    pub fn destroy(&mut self, handles: &[QpHandle]) {
        let row = |handle: &QpHandle| row_of(handle.raw(), self.default_rows, self.pes.len() as u32).unwrap();
        let rows: Vec<u32> = handles.iter().map(row).collect();
        self.pes.iter_mut().for_each(|pe| pe.destroy_qps(&rows).unwrap());
        self.rows.retain(|row| !rows.contains(row));
    }

    /// Sets the limit of all later waits.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
        for me in 0..self.pes.len() {
            self.copies[me].write(&self.state(me as u32)).unwrap();
        }
    }

    /// Sets the heap's size in bytes as kernels see it.
    pub fn pretend(&mut self, bytes: u64) {
        self.heap_bytes = bytes;
        self.set_limit(self.limit);
    }

    /// Returns the world's state for kernels of a PE. It is valid as long as the rig lives.
    pub fn state(&self, me: u32) -> WorldState {
        let windows = self.windows[me as usize].lock().unwrap();
        let words = &raw const self.words[me as usize] as u64;
        let mut state = WorldState {
            heap: windows.base(),
            stride: windows.stride(),
            heap_bytes: self.heap_bytes,
            own: windows.address(Pe::new(me), 0).unwrap(),
            bases: windows.table(),
            local: words,
            notice: words + 64,
            fault: words + 128,
            wait_limit_ns: self.limit.as_nanos() as u64,
            my_pe: me,
            n_pes: self.pes.len() as u32,
            default_rows: self.default_rows,
            ..WorldState::default()
        };
        self.copies[me as usize].set_numbers(&mut state);
        state.set_path(1, &self.pes[me as usize].path_view());
        state
    }

    /// Returns the address of a PE's heap from offset `at` on.
    pub fn address(&self, pe: u32, at: u64) -> u64 {
        self.windows[pe as usize].lock().unwrap().address(Pe::new(pe), at).unwrap()
    }

    /// Returns a word of a PE's heap, which is accessed by atomics only.
    pub fn word(&self, pe: u32, at: u64) -> &AtomicU64 {
        let at = self.address(pe, at);
        assert!(at.is_multiple_of(8));
        // SAFETY: the heap is mapped as long as the rig lives, and this word is accessed by atomics only.
        unsafe { AtomicU64::from_ptr(at as *mut u64) }
    }

    /// Returns the bytes at an offset of a PE's heap.
    pub fn heap(&self, pe: u32, at: u64, bytes: usize) -> Vec<u8> {
        let mut read = vec![0; bytes];
        // SAFETY: **mapped**: tests read ranges within the heap, which is mapped as long as the rig lives.
        unsafe { Memory::Host.read(&mut read, self.address(pe, at)) }.unwrap();
        read
    }

    /// Writes bytes at an offset of a PE's heap.
    pub fn set_heap(&self, pe: u32, at: u64, bytes: &[u8]) {
        // SAFETY: **mapped**: tests write ranges within the heap, which is mapped as long as the rig lives.
        unsafe { Memory::Host.write(self.address(pe, at), bytes) }.unwrap();
    }
}

/// Runs `body` as each thread of a grid, all blocks of which are resident and have this many bytes of dynamic shared
/// memory each.
pub fn grid(blocks: u32, threads: u32, shared_bytes: usize, seed: u64, body: impl Fn()) {
    let (blocks, threads) = ([blocks, 1, 1], [threads, 1, 1]);
    let shape = Grid { blocks, threads, dynamic_shared_bytes: shared_bytes, collective: true };
    simt::run(&shape, &Schedule::seeded(seed), &body).unwrap();
}

/// Returns bytes that depend on the seed.
pub fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64)
        .map(|i| ((i + 1).wrapping_mul(seed + 77).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

//! PEs of this process that reach each other by proxies over verbs in software: the host half and the device half of
//! the transport, without the rest of a world.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use oxshmem_core::host::{Extent, Offer, QpRows, Transport};
use oxshmem_core::{Pe, Qp, QpHandle, Remote, SymAddr};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::simt::{self, Grid, Schedule};
use oxshmem_raw::memory::world_copy::WorldCopy;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::path::DevicePath;
use oxshmem_raw::state::{FaultSlot, LocalState, RESERVED_BYTES, StopWord, WorldState};
use oxshmem_raw::transport::{Connect, PeerMessages};
use oxshmem_softrc::{Network, Options};
use oxshmem_transport_ibrc::device::ProxyPath;
use oxshmem_transport_ibrc::host::{Ibrc, IbrcConfig};

use crate::lazy::{Mail, PostOffice};

/// A limit that no wait reaches if it ends at all.
pub(crate) const LONG: Duration = Duration::from_secs(60);
/// Bytes of an extent of the heap.
pub(crate) const EXTENT: u64 = 1 << 20;

/// The parameters of a rig.
pub(crate) struct Made {
    pub(crate) n_pes: u32,
    pub(crate) config: IbrcConfig,
    pub(crate) options: Options,
    pub(crate) extents: u64,
    /// PEs whose settings say that their devices' fetches need no guard.
    pub(crate) careless: &'static [u32],
    /// Whether queues are connected at their first use.
    pub(crate) lazy: bool,
}

impl Default for Made {
    /// Returns the parameters of two PEs, with one row of default queues of 64 work requests and one proxy each.
    fn default() -> Self {
        let config = IbrcConfig { rows: 1, depth: 64, ring_depth: 128, spare_rows: 8, ..IbrcConfig::default() };
        Self { n_pes: 2, config, options: Options::default(), extents: 1, careless: &[], lazy: false }
    }
}

/// The PEs.
pub(crate) struct Rig {
    copies: Vec<WorldCopy>,
    pub(crate) pes: Vec<Ibrc>,
    windows: Vec<Arc<Mutex<Windows>>>,
    /// Local state, notice and fault slot of each PE.
    words: Vec<&'static [AtomicU64; 24]>,
    heap_bytes: u64,
    pub(crate) limit: Duration,
    pub(crate) network: Arc<Network>,
    pub(crate) post: Arc<PostOffice>,
}

impl Rig {
    pub(crate) fn new(made: Made) -> Self {
        let Made { n_pes, mut config, options, extents, careless, lazy } = made;
        config.connect = if lazy { Connect::Lazy } else { Connect::Bulk };
        let post = Arc::new(PostOffice::new(n_pes));
        let network = Network::new(options);
        let (mut pes, mut copies, mut all_windows) = (Vec::new(), Vec::new(), Vec::new());
        for me in 0..n_pes {
            let windows = Windows::new(&Memory::Host, Pe::new(me), n_pes, 64 << 20).unwrap();
            let windows = Arc::new(Mutex::new(windows));
            let far: Vec<bool> = (0..n_pes).map(|pe| pe != me).collect();
            let provider = network.provider(me);
            let mut config = config.clone();
            if careless.contains(&me) {
                config.guard_fetches = Some(false);
            }
            let me = Pe::new(me);
            let mail: Arc<dyn PeerMessages> = Arc::new(Mail { post: post.clone(), me });
            let pe = Ibrc::open(&config, &provider, Memory::Host, windows.clone(), me, Some(&mail), &far);
            pes.push(pe.unwrap());
            let numbers: Vec<usize> = far.iter().map(|far| usize::from(*far)).collect();
            copies.push(WorldCopy::new(&Memory::Host, &numbers).unwrap());
            all_windows.push(windows);
        }
        const { assert!(size_of::<LocalState>() + size_of::<StopWord>() + size_of::<FaultSlot>() == 8 * 24) };
        // A few cache lines each, leaked so that they live as long as the process.
        let words = || &*Box::leak(Box::new([const { AtomicU64::new(0) }; 24]));
        let words = (0..n_pes).map(|_| words()).collect();
        let mut rig = Self { pes, copies, windows: all_windows, words, heap_bytes: 0, limit: LONG, network, post };
        rig.pes.iter_mut().zip(&rig.copies).for_each(|(pe, copy)| pe.set_world(copy.address()));
        (0..extents).for_each(|_| rig.grow(EXTENT));
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
        let to =
            |me: usize| said.iter().map(|messages| messages.get(me).cloned().unwrap_or_default()).collect::<Vec<_>>();
        let made: Vec<_> = self.pes.iter_mut().enumerate().map(|(me, pe)| pe.connect_qps(&to(me)).unwrap()).collect();
        assert!(made.iter().all(|handles| *handles == made[0]), "all PEs have the same handles");
        made[0].clone()
    }

    /// Makes queue pairs beside the default ones.
    pub(crate) fn create(&mut self, count: u32) -> Vec<QpHandle> {
        self.rows(QpRows::Custom(count))
    }

    /// Sets the limit of all later waits.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.limit = limit;
        for me in 0..self.pes.len() {
            self.copies[me].write(&self.state(me as u32)).unwrap();
        }
    }

    /// Returns the world's state for kernels of a PE.
    pub(crate) fn state(&self, me: u32) -> WorldState {
        let windows = self.windows[me as usize].lock().unwrap();
        let words = self.words[me as usize].as_ptr() as u64;
        let view = self.pes[me as usize].path_view();
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
            ..WorldState::default()
        };
        self.copies[me as usize].set_numbers(&mut state);
        state.set_path(1, &view);
        state
    }

    /// Returns the address of a PE's heap from offset `at` on.
    pub(crate) fn address(&self, pe: u32, at: u64) -> u64 {
        self.windows[pe as usize].lock().unwrap().address(Pe::new(pe), at).unwrap()
    }

    /// Returns a word of a PE's heap.
    pub(crate) fn word(&self, pe: u32, at: u64) -> &AtomicU64 {
        let at = self.address(pe, at);
        assert!(at.is_multiple_of(8));
        // SAFETY: the heap is mapped as long as the rig lives, and this word is accessed by atomics only.
        unsafe { AtomicU64::from_ptr(at as *mut u64) }
    }

    pub(crate) fn get_word(&self, pe: u32, at: u64) -> u64 {
        self.word(pe, at).load(Ordering::SeqCst)
    }

    /// Returns the bytes at an offset of a PE's heap.
    pub(crate) fn heap(&self, pe: u32, at: u64, bytes: usize) -> Vec<u8> {
        let mut read = vec![0; bytes];
        // SAFETY: **mapped**: tests read ranges within the heap, which is mapped as long as the rig lives.
        unsafe { Memory::Host.read(&mut read, self.address(pe, at)) }.unwrap();
        read
    }

    /// Writes bytes at an offset of a PE's heap.
    pub(crate) fn set_heap(&self, pe: u32, at: u64, bytes: &[u8]) {
        // SAFETY: **mapped**: tests write ranges within the heap, which is mapped as long as the rig lives.
        unsafe { Memory::Host.write(self.address(pe, at), bytes) }.unwrap();
    }

    /// Returns an address in a PE's own heap, as the local end of operations.
    pub(crate) fn local(&self, pe: u32, at: u64) -> LocalAddr {
        // SAFETY: **owned**: mapped as long as the rig lives; threads of a test use ranges that do not overlap.
        unsafe { LocalAddr::new(self.address(pe, at) as *mut u8) }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.pes.clear();
    }
}

/// Returns a location in the heap of a PE. `offset` counts from the end of the library's own part.
pub(crate) fn at(pe: u32, offset: u64) -> Remote {
    Remote { pe: Pe::new(pe), at: SymAddr::new(RESERVED_BYTES + offset) }
}

/// Returns the default queues.
pub(crate) fn queues(state: &WorldState) -> Queues<'_> {
    queues_of(state, Qp::Default)
}

/// Returns the queues that `qp` names.
pub(crate) fn queues_of(state: &WorldState, qp: Qp) -> Queues<'_> {
    // SAFETY: **live**: the state is that of a rig, which outlives the threads of its tests.
    unsafe { ProxyPath::queue(state, state.paths[0], qp) }
}

/// The proxy transport's queues.
pub(crate) type Queues<'a> = <ProxyPath as DevicePath>::Queue<'a>;

/// Runs `body` as each thread of a grid, all blocks of which are resident.
pub(crate) fn grid(blocks: u32, threads: u32, seed: u64, body: impl Fn()) {
    let shape = Grid { blocks: [blocks, 1, 1], threads: [threads, 1, 1], dynamic_shared_bytes: 0, collective: true };
    simt::run(&shape, &Schedule::seeded(seed), &body).unwrap();
}

/// Returns bytes that depend on the seed.
pub(crate) fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64)
        .map(|i| ((i + 1).wrapping_mul(seed + 77).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

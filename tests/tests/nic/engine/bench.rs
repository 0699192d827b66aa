//! One queue in a test's memory, and slices of the kernel that executes it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_nic_kernels::resident::table::{KeySlot, Report, ResidentJob, Row, State, flags};
use oxshmem_raw::gpu::simt::{self, Grid, Schedule};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::kernel::host_kernels;
use oxshmem_rdma::mlx5::{self, Segment, cqe};

pub(crate) const QPN: u32 = 0x4321;
pub(crate) const DEPTH: u64 = 64;
pub(crate) const MINE: u32 = 1;
pub(crate) const THEIRS: u32 = 2;
pub(crate) const LKEY: u32 = 0x11;
pub(crate) const RKEY: u32 = 0x22;
pub(crate) const PD: u32 = 7;
pub(crate) const PEER_PD: u32 = 9;
pub(crate) const ALL: u32 = 15;
/// Most bytes that a test moves.
pub(crate) const LONGEST: u64 = 1 << 20;

/// Returns zeroed words that a kernel may access.
pub(crate) fn words(bytes: usize) -> Box<[AtomicU64]> {
    (0..bytes.div_ceil(8)).map(|_| AtomicU64::new(0)).collect()
}

pub(crate) fn set_bytes(to: &[AtomicU64], at: usize, from: &[u8]) {
    for (i, byte) in from.iter().enumerate() {
        let (word, shift) = ((at + i) / 8, (at + i) % 8 * 8);
        let was = to[word].load(Ordering::Relaxed);
        to[word].store(was & !(0xff << shift) | u64::from(*byte) << shift, Ordering::Relaxed);
    }
}

pub(crate) fn bytes_of(from: &[AtomicU64], at: usize, count: usize) -> Vec<u8> {
    (at..at + count).map(|i| (from[i / 8].load(Ordering::Relaxed) >> (i % 8 * 8)) as u8).collect()
}

pub(crate) fn pattern(bytes: usize, seed: u64) -> Vec<u8> {
    (0..bytes as u64)
        .map(|i| ((i + 1).wrapping_mul(seed + 77).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

/// A queue, its keys, and the kernel.
pub(crate) struct Bench {
    pub(crate) row: Row,
    pub(crate) state: Box<[AtomicU64]>,
    pub(crate) report: Box<[AtomicU64]>,
    pub(crate) words: Box<[AtomicU64]>,
    pub(crate) sq: Box<[AtomicU64]>,
    pub(crate) cq: Box<[AtomicU64]>,
    /// The doorbell, followed by the record.
    pub(crate) bell: Box<[AtomicU64]>,
    pub(crate) keys: Vec<KeySlot>,
    pub(crate) lanes: u32,
    pub(crate) limit_ns: u64,
}

impl Bench {
    pub(crate) fn new(lanes: u32, first: u64, qpn: u32) -> Self {
        let bench = Self {
            row: Row {
                depth: DEPTH,
                cqes: DEPTH,
                most: 1 << 30,
                flags: flags::LIVE | flags::READY | flags::WRITE | flags::READ | flags::ATOMIC,
                qpn,
                user_index: 5,
                nic: MINE,
                peer: THEIRS,
                pd: PD,
                peer_pd: PEER_PD,
                ..Row::default()
            },
            state: words(size_of::<State>()),
            report: words(size_of::<Report>()),
            words: words(24),
            sq: words(64 * DEPTH as usize),
            cq: words(64 * DEPTH as usize),
            bell: words(16),
            keys: Vec::new(),
            lanes,
            limit_ns: 1_000_000_000,
        };
        for word in [1, 2, 4] {
            bench.state[word].store(first, Ordering::Relaxed);
        }
        bench
    }

    pub(crate) fn key(&mut self, nic: u32, key: u32, memory: &[AtomicU64], skip: usize, iova: u64, bytes: u64) {
        let pd = if nic == MINE { PD } else { PEER_PD };
        let base = memory.as_ptr() as u64 + skip as u64;
        self.keys.push(KeySlot { id: KeySlot::id(nic, key), base, iova, bytes, pd, access: ALL, ..KeySlot::default() });
    }

    pub(crate) fn put(&self, index: u64, entry: &[u8]) {
        for (i, block) in entry.chunks(64).enumerate() {
            set_bytes(&self.sq, ((index + i as u64) % DEPTH * 64) as usize, block);
        }
    }

    pub(crate) fn segments(&self, index: u64, entry: &[Segment]) {
        let bytes: Vec<u8> =
            entry.iter().flat_map(|Segment(a, b)| [a.to_ne_bytes(), b.to_ne_bytes()].concat()).collect();
        self.put(index, &bytes);
    }

    pub(crate) fn ring(&self, next: u64) {
        self.bell[1].store(u64::from(mlx5::send_dbr(next)) << 32, Ordering::Relaxed);
        self.bell[0].store(mlx5::doorbell(next, self.row.qpn), Ordering::Release);
    }

    /// Runs a slice.
    pub(crate) fn slice(&self) -> Report {
        let mask = 63;
        let mut table = vec![KeySlot::default(); 64];
        for slot in &self.keys {
            let mut place = KeySlot::start(slot.id, mask);
            while table[place as usize].id != 0 {
                place = (place + 1) & mask;
            }
            table[place as usize] = *slot;
        }
        let row = Row {
            sq: self.sq.as_ptr() as u64,
            cqe: self.cq.as_ptr() as u64,
            doorbell: self.bell.as_ptr() as u64,
            record: self.bell.as_ptr() as u64 + 8,
            ..self.row
        };
        self.words[0].store(0, Ordering::Relaxed);
        self.words[1].store(0, Ordering::Relaxed);
        let job = ResidentJob {
            rows: &raw const row as u64,
            states: self.state.as_ptr() as u64,
            reports: self.report.as_ptr() as u64,
            keys: table.as_ptr() as u64,
            mask,
            words: self.words.as_ptr() as u64,
            busy: self.words.as_ptr() as u64 + 16,
            idle_ns: 0,
            limit_ns: self.limit_ns,
            queues: 1,
        };
        let kernel = host_kernels().find(|kernel| kernel.name == "resident").expect("it is linked");
        // SAFETY: all zeros are a valid state, which the kernel does not read.
        let world: WorldState = unsafe { std::mem::zeroed() };
        let list = [(&raw const world).cast::<c_void>(), (&raw const job).cast()];
        let grid = Grid { blocks: [1; 3], threads: [self.lanes, 1, 1], dynamic_shared_bytes: 0, collective: false };
        // SAFETY: the kernel takes a state and a job, whose addresses are all of live memory of this test.
        simt::run(&grid, &Schedule::default(), &|| unsafe { (kernel.run)(list.as_ptr()) }).unwrap();
        Report::load(|word| self.report[word].load(Ordering::Relaxed))
    }

    /// Returns a completion: opcode of the WQE, counter, bytes, syndrome (0 for success).
    pub(crate) fn completion(&self, place: usize) -> (u8, u16, u32, u8) {
        let entry = bytes_of(&self.cq, 64 * place, 64);
        let word = |at: usize| u32::from_be_bytes(entry[at..at + 4].try_into().unwrap());
        assert_eq!((word(32), word(56) & 0xff_ffff), (5, self.row.qpn), "whose it is");
        let failed = match entry[63] >> 4 {
            cqe::REQ => 0,
            cqe::REQ_ERR => entry[55],
            other => panic!("opcode {other:#x} of a completion"),
        };
        (entry[56], u16::from_be_bytes([entry[60], entry[61]]), word(44), failed)
    }
}

//! A small driver: queues in memory of the test, WQEs written by hand.
#![allow(dead_code, unreachable_pub)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use oxshmem_rdma::hca::{Handle, Hca, LinkLayer, Mr, Provider, Region, Uar, UarKind, Umem, access};
use oxshmem_softnic::{Options, SoftProvider};

/// Longer than any event takes.
pub const LIMIT: Duration = Duration::from_secs(20);

pub const ALL: u32 = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;

/// Memory that a NIC accesses: words that may change at any time.
pub struct Words(Vec<AtomicU64>, usize);

impl Words {
    /// Allocates this many zero words; the first is aligned to 4096 bytes.
    pub fn new(words: usize) -> Self {
        let all: Vec<AtomicU64> = (0..words + 512).map(|_| AtomicU64::new(0)).collect();
        let start = all.as_ptr().align_offset(4096);
        Self(all, start)
    }

    pub fn at(&self, word: usize) -> u64 {
        &raw const self.0[self.1 + word] as u64
    }

    pub fn word(&self, word: usize) -> &AtomicU64 {
        &self.0[self.1 + word]
    }

    pub fn get(&self, word: usize) -> u64 {
        self.word(word).load(Ordering::Acquire)
    }

    pub fn set(&self, word: usize, value: u64) {
        self.word(word).store(value, Ordering::Release);
    }

    /// Returns half of a word: 0 is the lower address.
    pub fn half(&self, half: usize) -> &AtomicU32 {
        let at = (self.at(half / 2) + 4 * (half % 2) as u64) as *mut u32;
        // SAFETY: half of a word that lives as long as `self`, aligned to 4.
        unsafe { AtomicU32::from_ptr(at) }
    }
}

/// Offsets in the control memory, in words: CQE, its record, the queue's record; the queue starts on the next page.
pub const CQE: usize = 0;
pub const CQ_DBR: usize = 8;
pub const DBR: usize = 9;
pub const SQ: usize = 512;

/// The options of a queue pair.
#[derive(Clone, Copy)]
pub struct Shape {
    pub log_depth: u8,
    pub collapsed: bool,
    pub log_cq: u8,
    pub ignores_overrun: bool,
    /// 0 RC, 5 DCI.
    pub service: u8,
}

impl Default for Shape {
    /// Returns the shape with one collapsed entry.
    fn default() -> Self {
        Self { log_depth: 6, collapsed: true, log_cq: 0, ignores_overrun: true, service: 0 }
    }
}

/// An opened NIC with a domain.
pub struct Port {
    pub hca: Arc<dyn Hca>,
    pub pd: (Handle, u32),
    pub lid: u16,
}

pub fn provider(options: Options) -> SoftProvider {
    SoftProvider::new(options).unwrap()
}

impl Port {
    pub fn open(provider: &SoftProvider, name: &str) -> Self {
        let hca = provider.open(name).unwrap();
        let lid = hca.ports().unwrap()[0].lid;
        let pd = hca.alloc_pd().unwrap();
        Self { hca, pd, lid }
    }

    pub fn register(&self, words: &Words, count: usize, iova: u64, access: u32) -> Mr {
        self.hca.reg_mr(self.pd.0, Region::Address(words.at(0)), count as u64 * 8, iova, access).unwrap()
    }
}

/// A queue pair and its memory.
pub struct Qp {
    pub hca: Arc<dyn Hca>,
    pub control: Words,
    pub umem: Umem,
    pub uar: Uar,
    pub cq: Handle,
    pub cqn: u32,
    pub qp: Handle,
    pub qpn: u32,
    pub depth: u64,
    pub shape: Shape,
    pub next: u64,
    pub ring: u64,
    pub consumed: u64,
}

pub fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

pub fn create_cq_mailbox(umem: u32, offset: u64, dbr: (u32, u64), uar: u32, shape: &Shape) -> Vec<u8> {
    let mut m = vec![0; 0x110];
    put(&mut m, 0, &[4, 0]);
    let flags = 0x0200_0000 | u32::from(shape.collapsed) << 20 | u32::from(shape.ignores_overrun) << 17;
    put(&mut m, 0x10, &flags.to_be_bytes());
    put(&mut m, 0x14, &dbr.0.to_be_bytes());
    put(&mut m, 0x1c, &(u32::from(shape.log_cq) << 24 | uar).to_be_bytes());
    put(&mut m, 0x24, &5_u32.to_be_bytes());
    put(&mut m, 0x48, &dbr.1.to_be_bytes());
    put(&mut m, 0x50, &offset.to_be_bytes());
    put(&mut m, 0x58, &umem.to_be_bytes());
    put(&mut m, 0x5c, &0x8000_0000_u32.to_be_bytes());
    m
}

pub fn create_qp_mailbox(pd: u32, uar: u32, cqn: u32, log_depth: u8, wq: (u32, u64), dbr: (u32, u64)) -> Vec<u8> {
    let mut m = vec![0; 0x110];
    put(&mut m, 0, &[5, 0]);
    put(&mut m, 0x18, &0x1800_u32.to_be_bytes());
    put(&mut m, 0x1c, &pd.to_be_bytes());
    put(&mut m, 0x20, &(u32::from(log_depth) << 11).to_be_bytes());
    put(&mut m, 0x24, &uar.to_be_bytes());
    put(&mut m, 0x28, &0x77_8899_u32.to_be_bytes());
    put(&mut m, 0x94, &cqn.to_be_bytes());
    put(&mut m, 0xb8, &dbr.1.to_be_bytes());
    put(&mut m, 0xc4, &[3]);
    put(&mut m, 0xe8, &[0x10]);
    put(&mut m, 0xfc, &dbr.0.to_be_bytes());
    put(&mut m, 0x100, &wq.1.to_be_bytes());
    put(&mut m, 0x108, &wq.0.to_be_bytes());
    put(&mut m, 0x10c, &0x8000_0000_u32.to_be_bytes());
    m
}

pub fn modify_mailbox(opcode: u16, qpn: u32) -> Vec<u8> {
    let mut m = vec![0; 0x110];
    put(&mut m, 0, &opcode.to_be_bytes());
    put(&mut m, 8, &qpn.to_be_bytes());
    m
}

pub fn rst2init(qpn: u32) -> Vec<u8> {
    let mut m = modify_mailbox(0x502, qpn);
    put(&mut m, 0x18, &0x1800_u32.to_be_bytes());
    put(&mut m, 0x54, &0x0001_0000_u32.to_be_bytes());
    put(&mut m, 0xa8, &0x0003_e000_u32.to_be_bytes());
    m
}

pub fn init2rtr(qpn: u32, to: u32, lid: u16) -> Vec<u8> {
    let mut m = modify_mailbox(0x503, qpn);
    put(&mut m, 0x20, &0xbe00_0000_u32.to_be_bytes());
    put(&mut m, 0x2c, &to.to_be_bytes());
    put(&mut m, 0x34, &u32::from(lid).to_be_bytes());
    put(&mut m, 0xa8, &0x0080_0000_u32.to_be_bytes());
    put(&mut m, 0xac, &0x0c00_0000_u32.to_be_bytes());
    m
}

pub fn rtr2rts(qpn: u32) -> Vec<u8> {
    let mut m = modify_mailbox(0x504, qpn);
    put(&mut m, 0x38, &0xa000_0000_u32.to_be_bytes());
    put(&mut m, 0x88, &0x0087_e000_u32.to_be_bytes());
    m
}

impl Qp {
    pub fn new(port: &Port, shape: Shape) -> Self {
        let depth = 1_u64 << shape.log_depth;
        // A ring of completions follows the send queue.
        let cq_words = if shape.collapsed { 0 } else { 8 << shape.log_cq };
        let control = Words::new(SQ + depth as usize * 8 + cq_words + 512);
        let cq_at = if shape.collapsed { CQE } else { (SQ + depth as usize * 8).next_multiple_of(512) };
        for word in cq_at..cq_at + cq_words.max(8) {
            control.set(word, u64::MAX);
        }
        let hca = port.hca.clone();
        let bytes = (SQ + depth as usize * 8 + cq_words + 512) as u64 * 8;
        let umem = hca.umem_reg(Region::Address(control.at(0)), bytes, access::LOCAL_WRITE, Some(4096)).unwrap();
        let uar = hca.alloc_uar(UarKind::NonCachedDedicated).unwrap();
        let mut out = [0; 16];
        let mailbox = create_cq_mailbox(umem.id, cq_at as u64 * 8, (umem.id, CQ_DBR as u64 * 8), uar.page, &shape);
        let cq = hca.obj_create(&mailbox, &mut out).unwrap();
        let cqn = u32::from_be_bytes(out[8..12].try_into().unwrap());
        let wq = (umem.id, SQ as u64 * 8);
        let mut mailbox = create_qp_mailbox(port.pd.1, uar.page, cqn, shape.log_depth, wq, (umem.id, DBR as u64 * 8));
        mailbox[0x19] = shape.service;
        let qp = hca.obj_create(&mailbox, &mut out).unwrap();
        let qpn = u32::from_be_bytes(out[8..12].try_into().unwrap());
        Self { hca, control, umem, uar, cq, cqn, qp, qpn, depth, shape, next: 0, ring: cq_at as u64, consumed: 0 }
    }

    pub fn modify(&self, mailbox: &[u8]) -> oxshmem_core::host::Result<()> {
        self.hca.obj_modify(self.qp, mailbox, &mut [0; 16])
    }

    pub fn connect(&self, to: u32, lid: u16) {
        self.modify(&rst2init(self.qpn)).unwrap();
        self.modify(&init2rtr(self.qpn, to, lid)).unwrap();
        self.modify(&rtr2rts(self.qpn)).unwrap();
    }

    /// Writes a WQE of 16-byte segments at the next index, and fills index and number into its control segment.
    pub fn write(&mut self, segments: &[[u32; 4]]) -> u64 {
        let index = self.next;
        let mut segments = segments.to_vec();
        segments[0][0] |= (index as u32 & 0xffff) << 8;
        segments[0][1] |= self.qpn << 8 | segments.len() as u32;
        self.write_raw(&segments)
    }

    /// Writes segments unchanged at the next index.
    pub fn write_raw(&mut self, segments: &[[u32; 4]]) -> u64 {
        let index = self.next;
        for (i, segment) in segments.iter().enumerate() {
            let slot = (index * 4 + i as u64) % (self.depth * 4);
            for (j, word) in segment.iter().enumerate() {
                self.control.half(SQ * 2 + slot as usize * 4 + j).store(word.to_be(), Ordering::Relaxed);
            }
        }
        self.next += (segments.len() as u64).div_ceil(4);
        index
    }

    pub fn record(&self, next: u64) {
        fence(Ordering::SeqCst);
        self.control.half(DBR * 2 + 1).store((next as u32 & 0xffff).to_be(), Ordering::Release);
    }

    pub fn doorbell(&self, next: u64) {
        self.doorbell_raw((next as u32 & 0xffff) << 8, self.qpn << 8);
    }

    pub fn doorbell_raw(&self, first: u32, second: u32) {
        fence(Ordering::SeqCst);
        let value = u64::from(first.to_be()) | u64::from(second.to_be()) << 32;
        // SAFETY: the register of a doorbell page that this queue pair keeps, aligned to 8.
        unsafe { AtomicU64::from_ptr(self.uar.register as *mut u64) }.store(value, Ordering::Release);
    }

    pub fn ring(&self) {
        self.record(self.next);
        self.doorbell(self.next);
    }

    /// Returns the collapsed entry's last word: counter and opcode.
    pub fn tail(&self) -> (u16, u8) {
        let tail = self.control.half(CQE * 2 + 15).load(Ordering::Acquire).to_le_bytes();
        (u16::from_be_bytes([tail[0], tail[1]]), tail[3] >> 4)
    }

    /// Waits for the completion of the entry with this index: 0, or the syndrome of the error.
    pub fn wait(&self, index: u64) -> u8 {
        let end = Instant::now() + LIMIT;
        loop {
            match self.tail() {
                (_, 0xd) => return (self.control.half(CQE * 2 + 13).load(Ordering::Acquire).to_le_bytes())[3],
                (counter, 0) if (counter.wrapping_sub(index as u16) as i16) >= 0 => return 0,
                _ => {}
            }
            assert!(Instant::now() < end, "no completion of {index}: the entry ends with {:?}", self.tail());
            std::thread::yield_now();
        }
    }

    pub fn destroy(self) {
        self.hca.obj_destroy(self.qp).unwrap();
        self.hca.obj_destroy(self.cq).unwrap();
        self.hca.umem_dereg(self.umem.handle).unwrap();
        self.hca.free_uar(self.uar.handle).unwrap();
    }
}

/// Flags of a control segment.
pub const SIGNALLED: u32 = 8;
pub const FENCE: u32 = 0x40;

pub fn ctrl(opmod: u32, opcode: u32, flags: u32) -> [u32; 4] {
    [opmod << 24 | opcode, 0, flags, 0]
}

pub fn raddr(at: u64, rkey: u32) -> [u32; 4] {
    [(at >> 32) as u32, at as u32, rkey, 0]
}

pub fn data(bytes: u32, lkey: u32, at: u64) -> [u32; 4] {
    [bytes, lkey, (at >> 32) as u32, at as u32]
}

pub fn words64(a: u64, b: u64) -> [u32; 4] {
    [(a >> 32) as u32, a as u32, (b >> 32) as u32, b as u32]
}

/// Two NICs with a queue pair each, connected, and memory of 1024 words at iova 0 on both.
pub struct Pair {
    pub provider: SoftProvider,
    pub a: Port,
    pub b: Port,
    pub qa: Qp,
    pub qb: Qp,
    pub mine: Words,
    pub theirs: Words,
    pub mr_a: Mr,
    pub mr_b: Mr,
}

pub const WORDS: usize = 8192;

impl Pair {
    pub fn new(options: Options) -> Self {
        Self::shaped(options, Shape::default())
    }

    pub fn shaped(options: Options, shape: Shape) -> Self {
        Self::on(provider(Options { nics: 2, link: LinkLayer::InfiniBand, ..options }), shape)
    }

    pub fn on(provider: SoftProvider, shape: Shape) -> Self {
        let (a, b) = (Port::open(&provider, "mlx5_0"), Port::open(&provider, "mlx5_1"));
        let (qa, qb) = (Qp::new(&a, shape), Qp::new(&b, shape));
        qa.connect(qb.qpn, b.lid);
        qb.connect(qa.qpn, a.lid);
        let (mine, theirs) = (Words::new(WORDS), Words::new(WORDS));
        let (mr_a, mr_b) = (a.register(&mine, WORDS, 0, ALL), b.register(&theirs, WORDS, 0, ALL));
        Self { provider, a, b, qa, qb, mine, theirs, mr_a, mr_b }
    }

    /// Posts a write of some words, signalled.
    pub fn put(&mut self, to: u64, from: u64, bytes: u32) -> u64 {
        let (rkey, lkey) = (self.mr_b.rkey, self.mr_a.lkey);
        let index = self.qa.write(&[ctrl(0, 8, SIGNALLED), raddr(to, rkey), data(bytes, lkey, from)]);
        self.qa.ring();
        index
    }

    pub fn broken_rules(&self) -> Vec<&'static str> {
        self.provider.violations().iter().map(|violation| violation.rule.name()).collect()
    }
}

/// Waits until a condition holds.
pub fn wait_for(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + LIMIT;
    while !is() {
        assert!(Instant::now() < end, "waited for {what} in vain");
        std::thread::yield_now();
    }
}

/// Returns the text and errno of a refusal.
pub fn refused<T: std::fmt::Debug>(result: oxshmem_core::host::Result<T>) -> (String, i64) {
    let error = result.unwrap_err();
    (error.to_string(), error.code().unwrap_or(0))
}

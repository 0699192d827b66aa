//! Dynamic connections: one requester (DCI) for many responders (DCT).

use crate::driver::*;
use oxshmem_rdma::hca::{Handle, LinkLayer, Region, UarKind, access};
use oxshmem_softnic::{Knobs, Options, SoftProvider};

/// A responder, its queues, and 64 words of memory at iova 0.
struct Responder {
    number: u32,
    dct: Handle,
    lid: u16,
    rkey: u32,
    memory: Words,
    /// Of its shared receive queue and completion queue.
    control: Words,
    lkey: u32,
    port: Port,
    /// The command that made it.
    mailbox: Vec<u8>,
}

/// Offsets in the control memory, in words.
const RECORDS: usize = 0;
const ENTRIES: usize = 512;
const COMPLETIONS: usize = 1024;
/// Entries of the ring: four of 32 bytes, which begin with an unused link.
const STRIDE: usize = 4;

fn create_dct_mailbox(pd: u32, cqn: u32, srqn: u32, key: u64) -> Vec<u8> {
    let mut m = vec![0; 0x50];
    put(&mut m, 0, &0x710_u16.to_be_bytes());
    put(&mut m, 0x14, &0x77_u32.to_be_bytes());
    put(&mut m, 0x18, &cqn.to_be_bytes());
    // Atomics of up to 8 bytes; reads, writes and atomics are allowed.
    put(&mut m, 0x1d, &[0x3e]);
    put(&mut m, 0x24, &srqn.to_be_bytes());
    put(&mut m, 0x28, &pd.to_be_bytes());
    put(&mut m, 0x30, &key.to_be_bytes());
    put(&mut m, 0x38, &[5, 1, 0, 0]);
    m
}

impl Responder {
    fn new(provider: &SoftProvider, name: &str, key: u64) -> Self {
        let port = Port::open(provider, name);
        let (control, memory) = (Words::new(2048), Words::new(64));
        (COMPLETIONS..COMPLETIONS + 32).for_each(|word| control.set(word, u64::MAX));
        let mr = port.register(&memory, 64, 0, ALL);
        let hca = &port.hca;
        let umem = hca.umem_reg(Region::Address(control.at(0)), 2048 * 8, access::LOCAL_WRITE, Some(4096)).unwrap();
        let uar = hca.alloc_uar(UarKind::NonCachedDedicated).unwrap();
        let made = |mailbox: &[u8]| {
            let mut out = [0; 16];
            let handle = hca.obj_create(mailbox, &mut out).unwrap();
            (handle, u32::from_be_bytes(out[8..12].try_into().unwrap()))
        };
        let ring = Shape { collapsed: false, log_cq: 2, ..Shape::default() };
        let at = |word: usize| (umem.id, word as u64 * 8);
        let (_, cqn) = made(&create_cq_mailbox(umem.id, at(COMPLETIONS).1, at(RECORDS), uar.page, &ring));

        // The work queue begins at 0x50: a ring (type 1) of 2^2 entries of 2^5 bytes.
        let mut m = vec![0; 0x110];
        put(&mut m, 0, &0x90c_u16.to_be_bytes());
        put(&mut m, 0x50, &[0x10]);
        put(&mut m, 0x58, &port.pd.1.to_be_bytes());
        put(&mut m, 0x60, &(at(RECORDS + 1).1).to_be_bytes());
        put(&mut m, 0x70, &0x0005_0002_u32.to_be_bytes());
        put(&mut m, 0x78, &umem.id.to_be_bytes());
        put(&mut m, 0x7c, &umem.id.to_be_bytes());
        put(&mut m, 0x80, &(at(ENTRIES).1).to_be_bytes());
        let (_, srqn) = made(&m);

        let mailbox = create_dct_mailbox(port.pd.1, cqn, srqn, key);
        let (dct, number) = made(&mailbox);
        let (lid, rkey, lkey) = (port.lid, mr.rkey, mr.lkey);
        Self { number, dct, lid, rkey, memory, control, lkey, port, mailbox }
    }

    /// Posts receive entries of 64 bytes at the start of its memory.
    fn post(&self, count: u32) {
        for entry in 0..count as usize {
            let segment = data(64, self.lkey, 0);
            for (i, word) in segment.iter().enumerate() {
                let half = (ENTRIES + entry * STRIDE + 2) * 2 + i;
                self.control.half(half).store(word.to_be(), std::sync::atomic::Ordering::Release);
            }
        }
        self.control.half((RECORDS + 1) * 2).store(count.to_be(), std::sync::atomic::Ordering::Release);
    }

    /// Returns the address vector by which an entry names it: compact, or with a route.
    fn address(&self, key: u64, compact: bool) -> Vec<[u32; 4]> {
        let extended = if compact { 0 } else { 1 << 31 };
        let base = [(key >> 32) as u32, key as u32, extended | self.number, u32::from(self.lid)];
        let rest = if compact { 0 } else { 2 };
        [base].into_iter().chain(std::iter::repeat_n([0; 4], rest)).collect()
    }

    /// Returns opcode, requester and bytes of a completion.
    fn completion(&self, entry: usize) -> (u8, u32, u32) {
        let half = |at: usize| {
            u32::from_be(
                self.control.half((COMPLETIONS + entry * 8) * 2 + at).load(std::sync::atomic::Ordering::Acquire),
            )
        };
        ((half(15) as u8) >> 4, half(6) & 0xff_ffff, half(11))
    }
}

/// A requester on the first of three NICs, its memory, and a responder on each of the others.
struct Star {
    provider: SoftProvider,
    qp: Qp,
    mine: Words,
    lkey: u32,
    responders: [Responder; 2],
}

const KEYS: [u64; 2] = [0x1111_2222_3333_4444, 0x5555_6666_7777_8888];

impl Star {
    fn new(options: Options) -> Self {
        let provider = provider(Options { nics: 3, link: LinkLayer::InfiniBand, ..options });
        let port = Port::open(&provider, "mlx5_0");
        let qp = Qp::new(&port, Shape { service: 5, ..Shape::default() });
        qp.connect(0, 0);
        let mine = Words::new(64);
        let lkey = port.register(&mine, 64, 0, ALL).lkey;
        let responders =
            [("mlx5_1", KEYS[0]), ("mlx5_2", KEYS[1])].map(|(name, key)| Responder::new(&provider, name, key));
        Self { provider, qp, mine, lkey, responders }
    }

    /// Writes an entry for a responder. Signalled entries have one block, so that a NOP follows.
    fn post(&mut self, to: usize, key: u64, compact: bool, opcode: u32, rest: &[[u32; 4]]) {
        let mut segments = vec![ctrl(0, opcode, 0)];
        segments.extend(self.responders[to].address(key, compact));
        segments.extend(rest);
        self.qp.write(&segments);
    }

    /// Rings for all entries, and waits for a NOP after them. Returns its syndrome, or that of an entry.
    fn wait(&mut self) -> u8 {
        let last = self.qp.write(&[ctrl(0, 0, SIGNALLED)]);
        self.qp.ring();
        self.qp.wait(last)
    }

    fn broken_rules(&self) -> Vec<&'static str> {
        self.provider.violations().iter().map(|violation| violation.rule.name()).collect()
    }
}

#[test]
fn each_entry_of_a_dci_reaches_the_peer_that_it_names() {
    for seed in [0, 7, 23] {
        let options = Options { knobs: Knobs::from_seed(seed), ..Options::default() };
        let mut star = Star::new(options);
        (0..8).for_each(|i| star.mine.set(i, 100 + i as u64));
        let lkey = star.lkey;
        for round in 0..8 {
            let (to, compact) = (round % 2, round % 4 < 2);
            let rkey = star.responders[to].rkey;
            let at = round as u64 * 8;
            star.post(to, KEYS[to], compact, 8, &[raddr(at, rkey), data(8, lkey, at)]);
            // Fetch and add, whose former value goes to words 16 and on.
            star.post(to, KEYS[to], compact, 0x12, &[raddr(256, rkey), words64(10, 0), data(8, lkey, 128 + at)]);
        }
        // A read of what the entries before have written.
        let rkey = star.responders[1].rkey;
        star.post(1, KEYS[1], true, 0x10, &[raddr(7 * 8, rkey), data(8, lkey, 32 * 8)]);
        assert_eq!(star.wait(), 0);
        for word in 0..8 {
            for to in 0..2 {
                let expected = if word % 2 == to { 100 + word as u64 } else { 0 };
                assert_eq!(star.responders[to].memory.get(word), expected, "word {word} of peer {to}");
            }
            assert_eq!(star.mine.get(16 + word), word as u64 / 2 * 10, "what atomic {word} found");
        }
        assert_eq!(star.mine.get(32), 107, "the read");
        assert!(star.responders.iter().all(|responder| responder.memory.get(32) == 40));
        assert_eq!(star.broken_rules(), [""; 0]);
    }
}

#[test]
fn a_message_for_a_dct_completes_with_the_number_of_its_requester() {
    let mut star = Star::new(Options::default());
    star.mine.set(0, 77);
    star.responders[1].post(2);
    let lkey = star.lkey;
    star.post(1, KEYS[1], true, 0x0a, &[data(8, lkey, 0)]);
    star.post(1, KEYS[1], false, 0x0a, &[data(16, lkey, 0)]);
    assert_eq!(star.wait(), 0);
    const SEND: u8 = 2;
    let qpn = star.qp.qpn;
    assert_eq!([0, 1].map(|entry| star.responders[1].completion(entry)), [(SEND, qpn, 8), (SEND, qpn, 16)]);
    assert_eq!(star.responders[1].memory.get(0), 77);
    assert_eq!(star.broken_rules(), [""; 0]);
}

#[test]
fn a_message_that_is_refused_at_first_arrives_once_and_in_order() {
    let knobs = Knobs { seed: 1, not_ready: 1024, ..Knobs::calm() };
    let mut star = Star::new(Options { knobs, ..Options::default() });
    star.responders[1].post(3);
    let lkey = star.lkey;
    let begun = std::time::Instant::now();
    for bytes in [8, 16, 24] {
        star.post(1, KEYS[1], true, 0x0a, &[data(bytes, lkey, 0)]);
    }
    assert_eq!(star.wait(), 0);
    assert_eq!([0, 1, 2].map(|entry| star.responders[1].completion(entry).2), [8, 16, 24]);
    assert!(begun.elapsed() >= std::time::Duration::from_micros(30), "each waits for 10 us before it is repeated");
    assert_eq!(star.broken_rules(), [""; 0]);
}

#[test]
fn a_dci_with_a_wrong_key_fails_and_the_dct_serves_others() {
    let mut star = Star::new(Options::default());
    let (rkey, lkey) = (star.responders[0].rkey, star.lkey);
    star.post(0, KEYS[1], true, 8, &[raddr(0, rkey), data(8, lkey, 0)]);
    const REMOTE_ACCESS: u8 = 0x13;
    const FLUSHED: u8 = 5;
    // The NOP after it is flushed, into the same entry.
    assert!([REMOTE_ACCESS, FLUSHED].contains(&star.wait()));
    assert_eq!(star.responders[0].memory.get(0), 0);
    // The requester starts again, and the key of the responder is right this time.
    star.qp.modify(&modify_mailbox(0x50a, star.qp.qpn)).unwrap();
    (star.qp.next, star.qp.consumed) = (0, 0);
    star.qp.control.set(DBR, 0);
    (CQE..CQE + 8).for_each(|word| star.qp.control.set(word, u64::MAX));
    star.qp.connect(0, 0);
    star.mine.set(0, 5);
    star.post(0, KEYS[0], true, 8, &[raddr(0, rkey), data(8, lkey, 0)]);
    assert_eq!(star.wait(), 0);
    assert_eq!(star.responders[0].memory.get(0), 5);
}

#[test]
fn a_dct_that_is_gone_is_out_of_reach() {
    let mut star = Star::new(Options::default());
    let (rkey, lkey) = (star.responders[0].rkey, star.lkey);
    star.responders[0].port.hca.obj_destroy(star.responders[0].dct).unwrap();
    star.post(0, KEYS[0], true, 8, &[raddr(0, rkey), data(8, lkey, 0)]);
    const RETRY_EXCEEDED: u8 = 0x15;
    const FLUSHED: u8 = 5;
    assert!([RETRY_EXCEEDED, FLUSHED].contains(&star.wait()));
}

#[test]
fn a_wrong_request_for_a_dct_is_refused_with_what_is_wrong() {
    let star = Star::new(Options::default());
    let responder = &star.responders[0];
    for (at, value, words) in [
        (0x28, 0_u32, "no protection domain"),
        (0x18, 0x33, "no completion queue 0x33"),
        (0x24, 0x33, "no shared receive queue 0x33"),
        (0x38, 0x0502_0000, "port 2"),
        (0x38, 0x0501_0080, "partition 128"),
        (0x38, 0x0001_0000, "mtu 0"),
        (0x1c, 0x000e_0000, "atomic_mode"),
        (0x3c, 0x0009_0000, "GID with index 9"),
    ] {
        let mut mailbox = responder.mailbox.clone();
        put(&mut mailbox, at, &value.to_be_bytes());
        let (text, code) = refused(responder.port.hca.obj_create(&mailbox, &mut [0; 16]));
        assert!(text.contains(words) && code != 0, "{text}, not {words}");
    }
}

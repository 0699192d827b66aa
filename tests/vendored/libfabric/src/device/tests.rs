//! Two devices of one process, over the loopback.

use std::sync::Arc;
use std::time::{Duration, Instant};

use oxshmem_core::{AmoOp, AmoType, Pe};
use oxshmem_raw::fabric::{
    AtomicRequest, Completion, Endpoint, EndpointRequest, FabricDevice, Handle, Local, MemoryRegion, MemoryRequest,
    Operation, PeerAddress, PostErrorKind, Region, Status, WorkRequest,
};

use super::Device;
use crate::libfabric::domain::{Domain, interfaces};

const LIMIT: Duration = Duration::from_secs(20);
const WORDS: usize = 512;

/// A device with one endpoint and some registered memory.
struct Side {
    device: Device,
    queue: Handle,
    endpoint: Endpoint,
    region: MemoryRegion,
    memory: Box<[u64; WORDS]>,
}

fn open(limit: Duration) -> Device {
    let (facts, info) = interfaces("tcp").unwrap().into_iter().find(|(facts, _)| facts.domain == "lo").unwrap();
    Device::open(Arc::new(Domain::open(facts, info).unwrap()), limit).unwrap()
}

impl Side {
    fn new(fill: u64, limit: Duration) -> Self {
        let (device, memory) = (open(limit), Box::new([fill; WORDS]));
        let address = memory.as_ptr() as u64;
        let request = MemoryRequest {
            region: Region::Address(address),
            bytes: 8 * WORDS as u64,
            address,
            wanted_base: 0,
            remote: true,
        };
        let region = device.register(&request).unwrap();
        let queue = device.create_completion_queue(64).unwrap();
        let asked = EndpointRequest { depth: 16, inline_bytes: 32 };
        let (endpoint, _) = device.create_endpoint(queue, &asked).unwrap();
        Self { device, queue, endpoint, region, memory }
    }

    fn connect(&self, to: &Side, pe: u32) -> u64 {
        let address = PeerAddress { pe: Pe::new(pe), device: &to.device.address(), endpoint: &[] };
        self.device.connect(self.endpoint.handle, &address).unwrap();
        self.device.import_key(Pe::new(pe), &to.region.remote_key).unwrap()
    }

    fn local(&self, word: usize, bytes: u32) -> Local {
        Local::Memory { address: self.region.local_base + 8 * word as u64, bytes, key: self.region.local_key }
    }

    fn post(&self, list: &[WorkRequest]) {
        self.device.post(self.endpoint.handle, list).unwrap();
    }

    /// Polls until there are `count` completions; the peer, if there is one, makes progress meanwhile.
    fn complete(&self, count: usize, peer: Option<&Side>) -> Vec<Completion> {
        let (mut all, start) = (Vec::new(), Instant::now());
        while all.len() < count {
            let mut some = [Completion::default(); 8];
            let taken = self.device.poll(self.queue, &mut some).unwrap();
            all.extend_from_slice(&some[..taken]);
            if let Some(peer) = peer {
                peer.device.poll(peer.queue, &mut []).unwrap();
            }
            assert!(start.elapsed() < LIMIT, "{} of {count} completions", all.len());
        }
        all
    }
}

fn pair() -> (Side, Side, u64) {
    let (a, b) = (Side::new(7, LIMIT), Side::new(9, LIMIT));
    let key = a.connect(&b, 1);
    b.connect(&a, 0);
    (a, b, key)
}

fn request(id: u64, op: Operation, local: Local, to: &Side, word: usize, remote_key: u64) -> WorkRequest {
    let remote = to.region.remote_base + 8 * word as u64;
    WorkRequest { id, op, local, remote, remote_key, signalled: true }
}

fn done(id: u64) -> Completion {
    Completion { id, ..Completion::default() }
}

#[test]
fn writes_and_reads_move_the_bytes_that_they_name_and_no_others() {
    let (a, b, key) = pair();
    let inline = Local::Inline { data: [0x55; 32], bytes: 8 };
    a.post(&[
        request(1, Operation::Write, a.local(0, 80), &b, 20, key),
        request(2, Operation::Write, inline, &b, 40, key),
        request(3, Operation::Read, a.local(100, 16), &b, 0, key),
    ]);
    assert_eq!(a.complete(3, Some(&b)), [1, 2, 3].map(done));
    for (word, &seen) in b.memory.iter().enumerate() {
        let expected = match word {
            20..30 => 7,
            40 => 0x5555_5555_5555_5555,
            _ => 9,
        };
        assert_eq!(seen, expected, "word {word}");
    }
    assert_eq!((a.memory[99], a.memory[100], a.memory[101], a.memory[102]), (7, 9, 9, 7));
}

#[test]
fn a_completion_stands_for_all_requests_before_it() {
    let (a, b, key) = pair();
    for round in 0..50u64 {
        let list: Vec<_> = (0..16)
            .map(|id| {
                let local = Local::Inline { data: std::array::from_fn(|_| round as u8), bytes: 8 };
                let request = request(id, Operation::Write, local, &b, id as usize, key);
                WorkRequest { signalled: id == 15, ..request }
            })
            .collect();
        a.post(&list);
        assert_eq!(a.complete(1, Some(&b)), [done(15)]);
        assert!(b.memory[..16].iter().all(|&word| word == u64::from_ne_bytes([round as u8; 8])), "round {round}");
    }
}

#[test]
fn a_full_endpoint_takes_what_it_has_room_for() {
    let (a, b, key) = pair();
    let one = |id| request(id, Operation::Write, a.local(0, 8), &b, 0, key);
    let list: Vec<_> = (0..a.endpoint.depth as u64 + 3).map(one).collect();
    let refused = a.device.post(a.endpoint.handle, &list).unwrap_err();
    assert_eq!((refused.posted, refused.kind), (a.endpoint.depth as usize, PostErrorKind::Full));
    let complete = a.complete(a.endpoint.depth as usize, Some(&b));
    assert!(complete.iter().zip(0..).all(|(completion, id)| *completion == done(id)));
    a.post(&list[..1]);
    a.complete(1, Some(&b));
}

#[test]
fn every_native_atomic_fetches_the_old_word_and_leaves_the_new_one() {
    let (a, b, key) = pair();
    let native = a.device.capabilities().atomics;
    assert!(native.has(AmoOp::CompareSwap, AmoType::B64));
    let at = |word: usize| &raw const b.memory[word];
    let mut tried = 0;
    for of in [AmoType::B32, AmoType::B64, AmoType::F32, AmoType::F64] {
        let (bytes, mask) = if matches!(of, AmoType::B64 | AmoType::F64) { (8, u64::MAX) } else { (4, 0xffff_ffff) };
        let float = |value: f64| match of {
            AmoType::F64 => value.to_bits(),
            AmoType::F32 => u64::from((value as f32).to_bits()),
            _ => value as u64,
        };
        let mut expected = 9u64;
        for (op, operand, compare, new) in [
            (AmoOp::Set, float(6.0), 0, float(6.0)),
            (AmoOp::Add, float(5.0), 0, float(11.0)),
            (AmoOp::CompareSwap, 1, 2, float(11.0)),
            (AmoOp::CompareSwap, 0xf0, float(11.0), 0xf0),
            (AmoOp::Or, 0x3c, 0, 0xfc),
            (AmoOp::And, 0x1f, 0, 0x1c),
            (AmoOp::Xor, 0x0f, 0, 0x13),
            (AmoOp::Fetch, 0, 0, 0x13),
        ] {
            assert!(native.has(op, of), "{op:?} {of:?}");
            let atomic = Operation::Atomic(AtomicRequest { op, of, operand, compare });
            a.post(&[request(5, atomic, a.local(0, bytes), &b, 3, key)]);
            assert_eq!(a.complete(1, Some(&b)), [done(5)], "{op:?} {of:?}");
            // SAFETY: the word is in `b`'s memory or `a`'s, both of which live here, and no operation is in flight.
            let (seen, fetched) = unsafe { (at(3).read_volatile(), (&raw const a.memory[0]).read_volatile()) };
            assert_eq!((seen & mask, fetched & mask), (new, expected), "{op:?} {of:?}");
            expected = new;
            tried += 1;
        }
        assert_eq!(b.memory[4], 9, "the word beside it");
        let reset = Operation::Atomic(AtomicRequest { op: AmoOp::Set, of: AmoType::B64, operand: 9, compare: 0 });
        a.post(&[request(6, reset, a.local(0, 8), &b, 3, key)]);
        a.complete(1, Some(&b));
    }
    assert_eq!(tried, 32);
}

#[test]
fn a_request_that_fails_stops_its_endpoint_and_flushes_those_after_it() {
    let (a, b, key) = pair();
    a.post(&[request(1, Operation::Write, a.local(0, 8), &b, 0, key)]);
    a.complete(1, Some(&b));
    a.post(&[request(2, Operation::Write, a.local(0, 8), &b, 1, key ^ 0x7777)]);
    let failed = a.complete(1, Some(&b)).remove(0);
    assert_eq!(failed.id, 2);
    assert!(![Status::Success, Status::Flushed].contains(&failed.status), "{failed:?}");
    a.post(&[request(3, Operation::Write, a.local(0, 8), &b, 2, key)]);
    let flushed = a.complete(1, Some(&b)).remove(0);
    assert_eq!((flushed.id, flushed.status), (3, Status::Flushed));
    assert_eq!(b.memory[1..4], [9; 3]);
}

#[test]
fn a_peer_that_is_gone_is_found_out_within_the_limit() {
    let (a, b) = (Side::new(7, Duration::from_secs(3)), Side::new(9, LIMIT));
    let key = a.connect(&b, 1);
    a.post(&[request(1, Operation::Write, a.local(0, 8), &b, 0, key)]);
    a.complete(1, Some(&b));
    let again = request(2, Operation::Write, a.local(0, 8), &b, 0, key);
    drop(b);
    a.post(&[again]);
    let failed = a.complete(1, None).remove(0);
    // libfabric cancels the operations in flight when a connection ends, or finds no peer to connect with.
    let expected = [Status::PeerAborted, Status::PeerGone];
    assert!(failed.id == 2 && expected.contains(&failed.status), "{failed:?}");
}

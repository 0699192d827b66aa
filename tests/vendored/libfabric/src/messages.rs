//! Atomics as messages between two devices of this process: refusals, limits, and more of them than receives.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oxshmem_core::{AmoOp, AmoType, Pe};
use oxshmem_rdma::fabric::{
    AtomicRequest, Completion, EndpointRequest, FabricDevice, FabricProvider, Handle, Local, MemoryRegion,
    MemoryRequest, OpenRequest, Operation, PeerAddress, PostErrorKind, Region, Status, WorkRequest,
};
use oxshmem_raw::memory::Memory;
use oxshmem_rdma::wire::{NicParams, WireParams};

use crate::promises::{is_missing, settings};
use crate::provider::LibFabric;

const DEPTH: u32 = 1024;
const WORDS: usize = 2048;
/// The longest time of a test's wait.
const WAIT: Duration = Duration::from_secs(20);

fn open(way: &str) -> Arc<dyn FabricDevice> {
    let request = OpenRequest {
        me: Pe::new(0),
        memory: &Memory::Host,
        most: 1,
        useful: 1,
        depth: DEPTH,
        nics: &NicParams::default(),
        wire: &WireParams::default(),
    };
    LibFabric::with(&settings(way)).open(&request).unwrap().devices.remove(0)
}

/// A device with memory for peers, memory of its own, and an endpoint.
struct End {
    device: Arc<dyn FabricDevice>,
    queue: Handle,
    endpoint: Handle,
    words: Box<[AtomicU64]>,
    region: MemoryRegion,
    own: Box<[AtomicU64]>,
    own_region: MemoryRegion,
}

fn register(device: &Arc<dyn FabricDevice>, words: &[AtomicU64], remote: bool) -> MemoryRegion {
    let (address, bytes) = (words.as_ptr() as u64, size_of_val(words) as u64);
    let region = Region::Address(address);
    device.register(&MemoryRequest { region, bytes, address, wanted_base: address, remote, of_gpu: false }).unwrap()
}

impl End {
    fn new(way: &str) -> Self {
        let device = open(way);
        let queue = device.create_completion_queue(DEPTH).unwrap();
        let (endpoint, _) = device.create_endpoint(queue, &EndpointRequest { depth: DEPTH, inline_bytes: 32 }).unwrap();
        let memory = || (0..WORDS).map(|_| AtomicU64::new(0)).collect::<Box<[_]>>();
        let (words, own) = (memory(), memory());
        let (region, own_region) = (register(&device, &words, true), register(&device, &own, false));
        Self { device, queue, endpoint: endpoint.handle, words, region, own, own_region }
    }

    fn connect(&self, to: &Self) -> oxshmem_core::host::Result<()> {
        let to = PeerAddress { pe: Pe::new(1), device: &to.device.address(), endpoint: &[] };
        self.device.connect(self.endpoint, &to)
    }

    /// Returns a signalled atomic on word 0 of `far`, whose old value comes to this end's word `id`.
    fn atomic(&self, far: &Self, id: u64, op: Operation) -> WorkRequest {
        let address = self.own_region.local_base + 8 * id;
        let local = Local::Memory { address, bytes: 8, key: self.own_region.local_key };
        let remote_key = self.device.import_key(Pe::new(1), &far.region.remote_key).unwrap();
        WorkRequest { id, op, local, remote: far.region.remote_base, remote_key, signalled: true }
    }

    fn poll(&self) -> Option<Completion> {
        let mut one = [Completion::default()];
        (self.device.poll(self.queue, &mut one).unwrap() == 1).then(|| one[0])
    }

    /// Posts a request, and returns its completion. `far` polls meanwhile.
    fn end(&self, far: &Self, request: WorkRequest) -> Completion {
        self.device.post(self.endpoint, &[request]).unwrap();
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < WAIT, "no completion");
            assert_eq!(far.poll(), None);
            if let Some(completion) = self.poll() {
                assert_eq!(completion.id, request.id);
                return completion;
            }
        }
    }
}

fn pair() -> [End; 2] {
    let [near, far] = [End::new("messages"), End::new("messages")];
    near.connect(&far).unwrap();
    far.connect(&near).unwrap();
    [near, far]
}

#[test]
fn an_atomic_on_a_word_that_is_not_for_peers_or_not_a_word_fails_at_its_requester_and_changes_nothing() {
    if is_missing() {
        return;
    }
    type Change = fn(&End, &mut WorkRequest);
    let cases: [(&str, Status, Change); 6] = [
        ("no key", Status::RemoteAccess, |_, wrong| wrong.remote_key = u64::MAX),
        ("a key that is not for peers", Status::RemoteAccess, |far, wrong| wrong.remote_key = far.own_region.handle.0),
        ("a word that ends outside", Status::RemoteAccess, |_, wrong| wrong.remote += 8 * WORDS as u64),
        ("an address that wraps", Status::RemoteAccess, |_, wrong| wrong.remote = u64::MAX - 3),
        ("a word that is not aligned", Status::RemoteRequest, |_, wrong| wrong.remote += 4),
        ("a destination without a key", Status::LocalProtection, |_, wrong| {
            let Local::Memory { key, .. } = &mut wrong.local else { panic!("it is memory") };
            *key = u64::MAX;
        }),
    ];
    for (name, status, change) in cases {
        let [near, far] = pair();
        assert_eq!(near.end(&far, near.atomic(&far, 1, Operation::add(5))).status, Status::Success);
        let mut wrong = near.atomic(&far, 2, Operation::add(7));
        change(&far, &mut wrong);
        let failed = near.end(&far, wrong);
        assert_eq!(failed.status, status, "{name}: {}", near.device.explain(&failed));
        let after = near.end(&far, near.atomic(&far, 3, Operation::add(7)));
        assert_eq!(after.status, Status::Flushed, "{name}");
        let sum = far.words.iter().chain(&far.own).map(|word| word.load(Ordering::SeqCst)).sum::<u64>();
        assert_eq!((sum, near.own[2].load(Ordering::SeqCst)), (5, 0), "{name}");
    }
}

#[test]
fn an_answer_that_comes_after_its_atomic_has_failed_is_ignored() {
    if is_missing() {
        return;
    }
    let [near, far] = pair();
    assert_eq!(near.end(&far, near.atomic(&far, 1, Operation::add(5))).status, Status::Success);
    near.device.post(near.endpoint, &[near.atomic(&far, 2, Operation::add(1))]).unwrap();
    let begun = Instant::now();
    let failed = loop {
        assert!(begun.elapsed() < WAIT, "a peer that does not poll is gone after the limit");
        if let Some(completion) = near.poll() {
            break completion;
        }
    };
    assert_eq!((failed.id, failed.status), (2, Status::PeerGone));
    // The peer is late: it executes the atomic and answers.
    while far.words[0].load(Ordering::SeqCst) != 6 {
        assert!(begun.elapsed() < WAIT, "the order is lost");
        assert_eq!(far.poll(), None);
    }
    for _ in 0..1000 {
        assert_eq!((near.poll(), far.poll()), (None, None));
    }
    assert_eq!(near.own[2].load(Ordering::SeqCst), 0);
}

#[test]
fn more_atomics_than_receives_in_both_directions_complete_once_each_in_order() {
    if is_missing() {
        return;
    }
    let ends = pair();
    let of = |end: usize| (&ends[end], &ends[1 - end]);
    // Nobody receives an order before all have been posted, since posting alone makes no progress.
    for (near, far) in [of(0), of(1)] {
        let list: Vec<_> = (0..DEPTH.into()).map(|id| near.atomic(far, id, Operation::add(1))).collect();
        near.device.post(near.endpoint, &list).unwrap();
        let full = near.device.post(near.endpoint, &list[..1]).unwrap_err();
        assert_eq!((full.posted, full.kind), (0, PostErrorKind::Full));
    }
    let (mut next, begun) = ([0; 2], Instant::now());
    while next != [u64::from(DEPTH); 2] {
        assert!(begun.elapsed() < WAIT, "{next:?} of {DEPTH} atomics are complete");
        for (end, next) in next.iter_mut().enumerate() {
            while let Some(completion) = ends[end].poll() {
                assert_eq!((completion.id, completion.status), (*next, Status::Success));
                *next += 1;
            }
        }
    }
    for (near, far) in [of(0), of(1)] {
        assert_eq!(far.words[0].load(Ordering::SeqCst), DEPTH.into());
        let mut fetched: Vec<_> = near.own[..DEPTH as usize].iter().map(|word| word.load(Ordering::SeqCst)).collect();
        fetched.sort_unstable();
        assert!(fetched.into_iter().eq(0..DEPTH.into()), "an addition was lost or made twice");
    }
}

#[test]
fn threads_of_the_target_and_messages_change_one_word_without_losing_an_update() {
    const ADDITIONS: u64 = 20_000;
    if is_missing() {
        return;
    }
    let [near, far] = pair();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..ADDITIONS).for_each(|_| {
                far.words[0].fetch_add(1, Ordering::Relaxed);
            })
        });
        for _ in 0..200 {
            assert_eq!(near.end(&far, near.atomic(&far, 1, Operation::add(1 << 32))).status, Status::Success);
            let low = AtomicRequest { op: AmoOp::Add, of: AmoType::F64, operand: 1f64.to_bits(), compare: 0 };
            let other =
                WorkRequest { remote: far.region.remote_base + 8, ..near.atomic(&far, 2, Operation::Atomic(low)) };
            assert_eq!(near.end(&far, other).status, Status::Success);
        }
    });
    assert_eq!(far.words[0].load(Ordering::SeqCst), 200 << 32 | ADDITIONS);
    assert_eq!(far.words[1].load(Ordering::SeqCst), 200f64.to_bits());
}

#[test]
fn a_device_says_how_its_atomics_go_and_does_not_connect_to_one_of_the_other_way() {
    if is_missing() {
        return;
    }
    let [native, messages] = [End::new("native"), End::new("messages")];
    assert!(native.device.describe().ends_with("atomics of libfabric"));
    assert!(messages.device.describe().ends_with("atomics as messages that the target's poll executes"));
    assert!(messages.device.capabilities().needs_progress);
    assert!(messages.device.capabilities().atomics.has(AmoOp::CompareSwap, AmoType::B64));
    for (near, far) in [(&native, &messages), (&messages, &native)] {
        let refused = near.connect(far).unwrap_err().to_string();
        assert!(refused.contains("OXSHMEM_LIBFABRIC_ATOMICS"), "{refused}");
    }
    // The provider has atomics.
    assert_eq!(open("auto").describe(), native.device.describe());
}

#[test]
fn an_atomic_whose_peer_goes_before_it_answers_fails_within_the_limit() {
    if is_missing() {
        return;
    }
    let [near, far] = pair();
    assert_eq!(near.end(&far, near.atomic(&far, 1, Operation::add(5))).status, Status::Success);
    near.device.post(near.endpoint, &[near.atomic(&far, 2, Operation::add(1))]).unwrap();
    let begun = Instant::now();
    drop(far);
    let failed = loop {
        assert!(begun.elapsed() < WAIT, "no completion");
        if let Some(completion) = near.poll() {
            break completion;
        }
    };
    let loss = [Status::PeerGone, Status::PeerAborted];
    assert!(failed.id == 2 && loss.contains(&failed.status), "{}", near.device.explain(&failed));
    assert_eq!(near.own[2].load(Ordering::SeqCst), 0);
}

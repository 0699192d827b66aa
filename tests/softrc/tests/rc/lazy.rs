//! Queues that are connected at their first use, by this PE or its peer.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Result, Transport};
use oxshmem_core::{AmoOp, AmoType, Completion, FaultStep, OrderingDomain, Pe, PeSet, Qp, QpResource, QpSet, Width};
use oxshmem_raw::gpu::group::Thread;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_raw::transport::{PeerEvent, PeerMessages};
use oxshmem_softrc::{EmptyFetches, Options};
use oxshmem_transport_ibrc::host::IbrcConfig;

use crate::rig::{Made, Rig, at, grid, pattern, queues, queues_of};

const SOON: Duration = Duration::from_secs(20);
const ONE: PeSet = PeSet::One(Pe::new(1));

type Reader = Box<dyn Fn(Pe, PeerEvent<'_>) + Send + Sync>;

/// Delivers messages between the PEs of a rig.
pub(crate) struct PostOffice(Mutex<Mails>);

struct Mails {
    readers: Vec<Option<Arc<Reader>>>,
    /// Sender, destination, message.
    held: Vec<(Pe, Pe, Vec<u8>)>,
    is_held: bool,
    sent: usize,
}

impl PostOffice {
    pub(crate) fn new(n_pes: u32) -> Self {
        let readers = (0..n_pes).map(|_| None).collect();
        Self(Mutex::new(Mails { readers, held: Vec::new(), is_held: false, sent: 0 }))
    }

    /// Returns the number of messages so far.
    fn sent(&self) -> usize {
        self.0.lock().unwrap().sent
    }

    /// Holds back all messages from now on.
    fn hold(&self) {
        self.0.lock().unwrap().is_held = true;
    }

    /// Delivers the messages that were held back, and all later ones.
    fn deliver(&self) {
        let mut mails = self.0.lock().unwrap();
        mails.is_held = false;
        for (from, to, message) in std::mem::take(&mut mails.held) {
            mails.pass(from, to, &PeerEvent::Message(&message));
        }
    }

    /// Announces to every other PE that `pe` died.
    fn died(&self, pe: Pe) {
        let mails = self.0.lock().unwrap();
        for to in (0..mails.readers.len() as u32).map(Pe::new).filter(|to| *to != pe) {
            mails.pass(pe, to, &PeerEvent::Died("its process was killed"));
        }
    }

    /// Waits until `count` messages were sent.
    fn until_sent(&self, count: usize) {
        let since = Instant::now();
        while self.sent() < count {
            assert!(since.elapsed() < SOON, "{} of {count} messages", self.sent());
            std::thread::yield_now();
        }
    }
}

impl Mails {
    fn pass(&self, from: Pe, to: Pe, event: &PeerEvent<'_>) {
        if let Some(reader) = &self.readers[to.index()] {
            reader(from, *event);
        }
    }
}

/// One PE's messages.
pub(crate) struct Mail {
    pub(crate) post: Arc<PostOffice>,
    pub(crate) me: Pe,
}

impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mail({})", self.me)
    }
}

impl PeerMessages for Mail {
    fn send(&self, to: Pe, message: &[u8]) -> Result<()> {
        let mut mails = self.post.0.lock().unwrap();
        mails.sent += 1;
        if mails.is_held {
            mails.held.push((self.me, to, message.to_vec()));
        } else {
            mails.pass(self.me, to, &PeerEvent::Message(message));
        }
        Ok(())
    }

    fn receive(&self, act: Reader) {
        self.post.0.lock().unwrap().readers[self.me.index()] = Some(Arc::new(act));
    }
}

fn lazy(n_pes: u32) -> Rig {
    Rig::new(Made { n_pes, lazy: true, ..Made::default() })
}

#[test]
fn a_queue_is_connected_by_its_first_use_and_by_no_other_and_its_peer_makes_no_call() {
    let rig = lazy(3);
    assert_eq!([0, 1, 2].map(|pe| rig.network.endpoints(pe)), [(0, 0); 3]);
    let state = rig.state(0);
    let q = queues(&state);
    for round in 1..=2 {
        q.p(at(1, 0), Width::B8, round).unwrap();
        q.quiet(Thread, ONE, QpSet::Default).unwrap();
        assert_eq!(rig.get_word(1, RESERVED_BYTES), round);
        assert_eq!([0, 1, 2].map(|pe| rig.network.endpoints(pe)), [(1, 1), (1, 1), (0, 0)]);
    }
    assert_eq!(rig.post.sent(), 4, "each end sends its address, and that it is ready");
    // The other end is connected too.
    let theirs = rig.state(1);
    assert_eq!(queues(&theirs).amo_fetch(at(0, 8), AmoOp::Add, AmoType::B64, 3, 0), Ok(0));
    assert_eq!((rig.get_word(0, RESERVED_BYTES + 8), rig.post.sent()), (3, 4));
    // The host's own queues are others.
    rig.pes[0].put(at(1, 64), &[7; 100]).unwrap();
    assert_eq!(rig.heap(1, RESERVED_BYTES + 64, 100), [7; 100]);
    assert_eq!([0, 1, 2].map(|pe| rig.network.endpoints(pe)), [(2, 2), (2, 2), (0, 0)]);
    assert_eq!(rig.network.overruns(), 0);
}

#[test]
fn a_quiet_of_queues_that_nobody_has_used_connects_none_and_does_not_wait() {
    let rig = lazy(3);
    let state = rig.state(0);
    queues(&state).quiet(Thread, PeSet::All, QpSet::All).unwrap();
    assert_eq!((rig.post.sent(), rig.network.endpoints(0)), (0, (0, 0)));
}

#[test]
fn every_put_fetch_and_atomic_takes_effect_once_where_all_pes_begin_at_the_same_time() {
    const PES: u32 = 4;
    const ROUNDS: u64 = 40;
    for seed in 0..24 {
        let empty_fetches = if seed % 4 == 3 { EmptyFetches::BehindWrites } else { EmptyFetches::None };
        let config = IbrcConfig { rows: 2, depth: 16, ring_depth: 64, proxies: Some(2), ..Made::default().config };
        let options = Options { seed, empty_fetches, inline_bytes: [32, 0][seed as usize % 2], ..Options::default() };
        let rig = Rig::new(Made { n_pes: PES, config, options, lazy: true, ..Made::default() });
        std::thread::scope(|scope| {
            for me in 0..PES {
                let rig = &rig;
                scope.spawn(move || {
                    let state = rig.state(me);
                    let data = pattern(3000, u64::from(me) + seed);
                    rig.set_heap(me, RESERVED_BYTES + 65536, &data);
                    grid(2, 32, seed, || {
                        let q = queues(&state);
                        let to = |offset| (0..PES).filter(move |pe| *pe != me).map(move |pe| at(pe, offset));
                        for round in 0..ROUNDS / 20 {
                            to(0).for_each(|to| q.amo(to, AmoOp::Add, AmoType::B64, 1).unwrap());
                            to(8 + 8 * u64::from(me)).for_each(|to| q.p(to, Width::B8, round + 1).unwrap());
                            to(0).for_each(|from| assert!(q.g(from, Width::B8).unwrap() > 0));
                        }
                        q.quiet(Thread, PeSet::All, QpSet::Default).unwrap();
                    });
                    let q = queues(&state);
                    for pe in (0..PES).filter(|pe| *pe != me) {
                        let (from, to) = (rig.local(me, RESERVED_BYTES + 65536), at(pe, 131072 + 4096 * u64::from(me)));
                        q.put(Thread, to, from, 3000, Completion::Nonblocking).unwrap();
                    }
                    q.quiet(Thread, PeSet::All, QpSet::Default).unwrap();
                });
            }
        });
        for pe in 0..PES {
            let threads = 64 * u64::from(PES - 1);
            assert_eq!(rig.get_word(pe, RESERVED_BYTES), threads * ROUNDS / 20, "PE {pe}, seed {seed}");
            for from in (0..PES).filter(|from| *from != pe) {
                let word = rig.get_word(pe, RESERVED_BYTES + 8 + 8 * u64::from(from));
                assert_eq!(word, ROUNDS / 20, "PE {pe} from {from}, seed {seed}");
                let got = rig.heap(pe, RESERVED_BYTES + 131072 + 4096 * u64::from(from), 3000);
                assert!(got == pattern(3000, u64::from(from) + seed), "PE {pe} from {from}, seed {seed}");
            }
            assert_eq!(rig.pes[pe as usize].faults().unwrap(), []);
        }
        assert_eq!(rig.network.overruns(), 0, "seed {seed}");
    }
}

#[test]
fn other_queues_go_on_while_a_queue_waits_for_its_connection() {
    let rig = lazy(3);
    let state = rig.state(0);
    let q = queues(&state);
    q.p(at(2, 0), Width::B8, 1).unwrap();
    q.quiet(Thread, PeSet::One(Pe::new(2)), QpSet::Default).unwrap();
    rig.post.hold();
    // More requests than a work queue takes, and fewer than the ring.
    (0..100).for_each(|word| q.p(at(1, 8 * word), Width::B8, word + 1).unwrap());
    q.p(at(2, 0), Width::B8, 2).unwrap();
    q.quiet(Thread, PeSet::One(Pe::new(2)), QpSet::Default).unwrap();
    assert_eq!((rig.get_word(2, RESERVED_BYTES), rig.get_word(1, RESERVED_BYTES)), (2, 0));
    rig.post.deliver();
    q.quiet(Thread, ONE, QpSet::Default).unwrap();
    assert!((0..100).all(|word| rig.get_word(1, RESERVED_BYTES + 8 * word) == word + 1));
}

#[test]
fn a_peer_that_dies_during_the_connection_is_named_and_so_is_one_that_died_before() {
    let rig = lazy(3);
    let (state, since) = (rig.state(0), Instant::now());
    rig.post.hold();
    for round in 0..2 {
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| queues(&state).amo_fetch(at(1, 0), AmoOp::Add, AmoType::B64, 1, 0));
            if round == 0 {
                rig.post.until_sent(1);
                rig.post.died(Pe::new(1));
            }
            let fault = waits.join().unwrap().unwrap_err();
            assert_eq!((fault.step, fault.pe), (FaultStep::Completion, 1), "{fault}");
            assert!(fault.to_string().contains("could not be connected"), "{fault}");
        });
    }
    assert!(rig.pes[0].describe().contains("died: its process was killed"), "{}", rig.pes[0].describe());
    assert_eq!(rig.network.endpoints(0), (0, 0), "the endpoint is given back");
    let error = rig.pes[0].put(at(1, 0), &[1; 8]).unwrap_err();
    assert_eq!(error.pe(), Some(Pe::new(1)), "{error}");
    // The queue to the PE that lives is connected as usual.
    rig.post.deliver();
    rig.pes[0].put(at(2, 0), &[1; 8]).unwrap();
    assert!(since.elapsed() < SOON);
}

#[test]
fn a_pe_that_has_announced_its_end_still_reaches_the_others() {
    let rig = lazy(2);
    rig.post.hold();
    std::thread::scope(|scope| {
        let put = scope.spawn(|| rig.pes[1].put(at(0, 0), &[3; 8]));
        rig.post.until_sent(1);
        rig.post.died(Pe::new(1));
        rig.post.deliver();
        put.join().unwrap().unwrap();
    });
    assert_eq!(rig.heap(0, RESERVED_BYTES, 8), [3; 8]);
    // That queue is connected now, in both directions. Another one is not connected any more.
    rig.pes[0].put(at(1, 0), &[1; 8]).unwrap();
    let state = rig.state(0);
    assert!(queues(&state).g(at(1, 0), Width::B8).is_err());
}

#[test]
fn a_queue_that_one_end_has_no_room_for_stops_at_both_ends_with_the_reason() {
    for full in [0, 1] {
        let rig = lazy(3);
        rig.network.fill(full);
        let (ours, theirs) = (rig.state(0), rig.state(1));
        let fault = queues(&ours).g(at(1, 0), Width::B8).unwrap_err();
        assert_eq!((fault.step, fault.pe), (FaultStep::Completion, 1), "{fault}");
        let fault = queues(&theirs).g(at(0, 0), Width::B8).unwrap_err();
        assert_eq!((fault.step, fault.pe), (FaultStep::Completion, 0), "{fault}");
        for pe in [0, 1] {
            let text = rig.pes[pe].describe();
            assert!(text.contains("the device is full"), "{text}");
        }
        // A queue between two others is not concerned.
        let state = rig.state(2);
        let other = 1 - full;
        assert_eq!(queues(&state).g(at(other, 0), Width::B8), Ok(0));
    }
}

#[test]
fn a_wait_for_a_peer_that_never_answers_ends_at_its_limit() {
    let mut rig = lazy(2);
    rig.set_limit(Duration::from_millis(300));
    rig.post.hold();
    let (state, since) = (rig.state(0), Instant::now());
    let fault = queues(&state).g(at(1, 0), Width::B8).unwrap_err();
    assert_eq!(fault.pe, 1, "{fault}");
    assert!((Duration::from_millis(300)..SOON).contains(&since.elapsed()));
}

#[test]
fn a_row_that_takes_the_number_of_a_destroyed_one_is_connected_anew() {
    let mut rig = lazy(2);
    let mut endpoints = Vec::new();
    for round in 1..=3 {
        let handles = rig.create(2);
        let state = rig.state(round % 2);
        let to = 1 - round % 2;
        let q = queues_of(&state, Qp::Custom(handles[1]));
        q.p(at(to, 0), Width::B8, round.into()).unwrap();
        q.quiet(Thread, PeSet::All, QpSet::All).unwrap();
        assert_eq!(rig.get_word(to, RESERVED_BYTES), u64::from(round));
        endpoints.push([0, 1].map(|pe| rig.network.endpoints(pe)));
        rig.destroy(&handles);
        assert_eq!([0, 1].map(|pe| rig.network.endpoints(pe)), [(0, 0); 2], "round {round}");
    }
    assert_eq!(endpoints, [[(1, 1); 2]; 3]);
}

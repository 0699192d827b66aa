//! A send queue: when copies are done, the order of reports after them, and the slots of posts that the device takes in
//! part.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::state::{LANDING_BYTES, Reply, stopped};
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_rdma::fabric::{
    AtomicSet, Completion, Endpoint, FabricDevice, Handle, Local, Operation, PostErrorKind, Status,
};

use crate::host::connection::link::Link;
use crate::host::counters::QueueCounts;
use crate::host::memory::bounce::BouncePool;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::keys::{Keys, RegisteredRange};
use crate::host::ring::consumer::RingConsumer;
use crate::host::ring::reader::SharedWords;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::recording_device::RecordingDevice;
use crate::host::send_queue::{SendQueue, SendQueueParams};
use crate::host::tables::Tables;
use crate::request::{Kind, Line, flags, head};

/// Bytes of kernels' memory; the first half of it is registered.
const BYTES: u64 = 64 << 10;

/// A send queue to PE 1, and the resources for posting on it.
struct Bench {
    dry: Arc<RecordingDevice>,
    device: Arc<dyn FabricDevice>,
    tables: Tables,
    rings: Vec<RingConsumer>,
    chunks: BouncePool,
    flush: GpuFlush,
    flushes: Arc<AtomicU32>,
    keys: Keys,
    lane: SendQueue,
    kernels: Chunk,
    asked: u64,
}

/// The chunk's address, which is the same for the host and for kernels.
fn on_host(chunk: &Chunk) -> u64 {
    chunk.host().expect("it is on the host")
}

/// Returns access to the words of a bench.
fn words() -> HostWords {
    // SAFETY: **live**: the bench's tables own the words with which its tests use this, and live as long as the bench.
    unsafe { HostWords::new() }
}

impl Bench {
    /// `stages`: requests may name memory that is not registered, as those of the host.
    fn new(stages: bool) -> Self {
        let dry = Arc::new(RecordingDevice::default());
        let device: Arc<dyn FabricDevice> = dry.clone();
        let tables = Tables::new(&Memory::Host, 2, 1, 1, 64).unwrap();
        let rings = vec![tables.end(0, words(), stages)];
        let chunks = BouncePool::new(&Memory::Host, &device, 3).unwrap();
        let kernels = Chunk::on_host(&Memory::Host, BYTES as usize).unwrap();
        let part = |at, bytes| RegisteredRange { key: 9, at, bytes };
        let keys = Keys {
            own: on_host(&kernels),
            extents: vec![0],
            local: vec![part(on_host(&kernels), BYTES / 2)],
            remote: vec![Vec::new(), vec![part(0, BYTES)]],
            buffers: Vec::new(),
        };
        let qp = Endpoint { handle: Handle(0), depth: 64, inline_bytes: 32 };
        let progress = tables.progress_at(1);
        let at = SendQueueParams {
            number: 1,
            ring: 0,
            progress,
            link: Link {
                peer: 1,
                endpoint: qp,
                fetch_endpoint: None,
                cq: Handle(0),
                slots: on_host(&kernels),
                slots_local: on_host(&kernels),
                slots_key: 0,
            },
            unconnected: None,
            atomics: AtomicSet::VERBS,
            ordered: true,
            empty_fetches: false,
        };
        let flushes = Arc::new(AtomicU32::new(0));
        let flush = GpuFlush::Fake(flushes.clone());
        let lane = SendQueue::new(at, 0);
        Self { dry, device, tables, rings, chunks, flush, flushes, keys, lane, kernels, asked: 0 }
    }

    /// The kernels' address of byte `at` of their memory.
    fn address(&self, at: u64) -> u64 {
        on_host(&self.kernels) + at
    }

    fn set(&self, at: u64, word: u64) {
        self.kernels.write(at as usize, &word.to_ne_bytes()).unwrap();
    }

    fn word(&self, at: u64) -> u64 {
        let mut bytes = [0; 8];
        self.kernels.read(at as usize, &mut bytes).unwrap();
        u64::from_ne_bytes(bytes)
    }

    fn ask(&mut self, kind: Kind, at: u64, bytes: u64) {
        self.ask_with(kind, 0, at, bytes);
    }

    fn ask_with(&mut self, kind: Kind, flags: u8, at: u64, bytes: u64) {
        let line = Line { head: head(kind, 0, flags, 1), rest: [0, self.address(at), bytes, 0, 0, 0, 0] };
        let asked = self.asked;
        self.asked += 1;
        self.with(|lane, cx| lane.add(asked, &line, cx));
    }

    fn with(&mut self, act: impl FnOnce(&mut SendQueue, &mut PostContext<'_>)) {
        let Self { device, rings, chunks, flush, keys, lane, .. } = self;
        let cx = &mut PostContext {
            device: &**device,
            keys,
            rings,
            bounce: chunks,
            flush,
            words: words(),
            max_message: 1 << 20,
        };
        act(lane, cx);
        lane.report(words());
    }

    /// Makes work requests and posts them.
    fn post(&mut self) {
        self.with(|lane, cx| {
            lane.advance(cx);
            lane.send(cx, &QueueCounts::default());
        });
    }

    fn complete(&mut self, wr: u64) {
        self.with(|lane, cx| lane.complete(cx, wr));
    }

    /// Lets the device refuse the next list after this many work requests.
    fn refuse_after(&self, taken: usize, kind: PostErrorKind) {
        *self.dry.refuses.lock().unwrap() = Some((taken, kind));
    }

    /// Returns the number of requests that have left the ring.
    fn left(&self) -> u64 {
        self.rings[0].head
    }

    /// Returns the words of the reply to the request at `index`.
    fn reply(&self, index: u64) -> [u64; 2] {
        let at = self.rings[0].reply(index);
        [at, at + 8].map(|at| words().load(at))
    }

    /// Returns the first word of the landing of the request at `index`.
    fn landing(&self, index: u64) -> u64 {
        words().load(self.rings[0].landing(index))
    }

    fn progress(&self) -> u64 {
        self.lane.reported
    }

    fn flushes(&self) -> u32 {
        self.flushes.load(Ordering::Relaxed)
    }
}

#[test]
fn gets_are_told_behind_one_flush_for_all_that_completed_together_and_puts_need_none() {
    let mut bench = Bench::new(true);
    bench.ask(Kind::Put, 64, 64);
    bench.post();
    bench.complete(0);
    assert_eq!((bench.progress(), bench.flushes()), (1, 0));
    (0..3).for_each(|_| bench.ask(Kind::Get, 64, 64));
    bench.post();
    assert_eq!((bench.progress(), bench.flushes()), (1, 0), "nothing has completed");
    bench.complete(3);
    assert_eq!((bench.progress(), bench.flushes()), (4, 1));
    // Those that complete one after the other have a flush each, also if they were posted together.
    (0..3).for_each(|_| bench.ask(Kind::Get, 64, 64));
    bench.post();
    bench.complete(4);
    assert_eq!((bench.progress(), bench.flushes()), (5, 2));
    bench.complete(6);
    assert_eq!((bench.progress(), bench.flushes()), (7, 3));
}

#[test]
fn a_get_whose_data_may_not_be_visible_is_not_reported_and_stops_its_queue() {
    let mut bench = Bench::new(false);
    bench.ask(Kind::Put, 64, 64);
    (0..2).for_each(|_| bench.ask(Kind::Get, 64, 64));
    bench.post();
    bench.complete(0);
    bench.flushes.store(u32::MAX, Ordering::Relaxed);
    bench.complete(2);
    let [why, ..] = bench.tables.stopped(0, 1).unwrap().expect("it has stopped");
    assert_eq!((Stopped::from_word(why).index, bench.progress()), (2, 1));
}

#[test]
fn a_queue_that_stops_names_the_request_that_failed_also_among_others_of_its_kind() {
    for failed in 0..3 {
        let mut bench = Bench::new(false);
        (0..3).for_each(|_| bench.ask(Kind::Put, 64, 64));
        bench.post();
        let completion = Completion { status: Status::PeerGone, ..Completion::default() };
        bench.with(|lane, cx| lane.failed(cx, failed, &completion));
        let [why, ..] = bench.tables.stopped(0, 1).unwrap().expect("it has stopped");
        assert_eq!((Stopped::from_word(why).index, bench.progress()), (failed, failed));
    }
}

#[test]
fn a_request_of_nothing_is_complete_when_those_before_it_are() {
    let mut bench = Bench::new(false);
    bench.ask(Kind::Put, 64, 64);
    bench.ask(Kind::Put, 64, 0);
    bench.post();
    assert_eq!((bench.progress(), bench.left()), (0, 2));
    bench.complete(0);
    assert_eq!(bench.progress(), 2);
    bench.ask(Kind::Get, 64, 0);
    bench.post();
    assert_eq!((bench.progress(), bench.left()), (3, 3), "nothing is before it");
}

#[test]
fn bounce_buffers_come_back_when_the_device_has_returned_their_work_requests() {
    let mut bench = Bench::new(true);
    (0..3).for_each(|_| bench.ask(Kind::Get, BYTES / 2 + 64, 64));
    bench.post();
    for (wr, back) in [(0, 0), (1, 2), (2, 1)] {
        let failed = Completion { status: Status::PeerGone, ..Completion::default() };
        bench.with(|lane, cx| lane.failed(cx, wr, &failed));
        let free: Vec<u64> = std::iter::from_fn(|| bench.chunks.take()).collect();
        assert_eq!(free.len(), back, "after work request {wr}");
    }
}

#[test]
fn what_is_not_registered_is_in_the_chunk_before_the_put_of_it_is_posted() {
    let mut bench = Bench::new(true);
    let at = BYTES / 2 + 64;
    bench.set(at, 0x1234_5678_9abc_def0);
    bench.ask(Kind::Put, at, 64);
    bench.post();
    let posted = bench.dry.take();
    let [(wr, word)] = posted[..] else { panic!("{posted:?}") };
    let Local::Memory { address, bytes: 64, .. } = wr.local else { panic!("{wr:?}") };
    assert!(wr.op == Operation::Write && address != bench.address(at));
    assert_eq!(word, 0x1234_5678_9abc_def0, "the chunk, as the device saw it");
    bench.complete(0);
    assert_eq!((bench.progress(), bench.flushes()), (1, 0));
}

#[test]
fn a_get_into_what_is_not_registered_is_told_when_it_is_out_of_the_chunk() {
    let mut bench = Bench::new(true);
    let at = BYTES / 2 + 64;
    bench.ask(Kind::Get, at, 8);
    bench.post();
    let posted = bench.dry.take();
    let [(wr, _)] = posted[..] else { panic!("{posted:?}") };
    let Local::Memory { address, bytes: 8, .. } = wr.local else { panic!("{wr:?}") };
    // SAFETY: `address` is an aligned word of the bench's chunk, which no other thread accesses.
    unsafe { std::ptr::with_exposed_provenance_mut::<u64>(address as usize).write(77) };
    assert_eq!((bench.word(at), bench.progress()), (0, 0));
    bench.complete(0);
    assert_eq!((bench.word(at), bench.progress()), (77, 1));
}

#[test]
fn kernels_requests_that_name_what_is_not_registered_are_refused_with_its_address() {
    let at = BYTES / 2 + 128;
    for kind in [Kind::Put, Kind::Get] {
        let mut bench = Bench::new(false);
        bench.set(at, 5);
        bench.ask(kind, at, 64);
        bench.post();
        assert!(bench.dry.take().is_empty(), "{kind:?}");
        let [why, address, bytes] = bench.tables.stopped(0, 1).unwrap().expect("it has stopped");
        assert_eq!(Stopped::from_word(why).syndrome, stopped::NOT_REGISTERED, "{kind:?}");
        assert_eq!((address, bytes), (bench.address(at), 64));
    }
}

#[test]
fn a_get_to_a_landing_is_answered_when_its_data_are_there_and_no_longer_one_is_taken() {
    let mut bench = Bench::new(false);
    bench.ask_with(Kind::Get, flags::ANSWER | flags::TURN, 0, 8);
    bench.post();
    let [(wr, _)] = bench.dry.take()[..] else { panic!("one work request") };
    let Local::Memory { address, bytes: 8, .. } = wr.local else { panic!("{wr:?}") };
    // SAFETY: `address` is an aligned word of the bench's chunk, which no other thread accesses.
    unsafe { std::ptr::with_exposed_provenance_mut::<u64>(address as usize).write(77) };
    bench.set(0, 5);
    assert_eq!((bench.landing(0), bench.reply(0)), (0, [0; 2]));
    bench.complete(0);
    assert_eq!((bench.landing(0), bench.reply(0), bench.progress()), (77, [Reply::TURN; 2], 1));
    assert_eq!(bench.word(0), 5, "the address in the request");
    bench.ask_with(Kind::Get, flags::ANSWER | flags::TURN, 0, LANDING_BYTES);
    bench.post();
    bench.complete(1);
    assert_eq!((bench.reply(1), bench.progress()), ([Reply::TURN; 2], 2), "it fills the landing");
    bench.ask_with(Kind::Get, flags::ANSWER | flags::TURN, 0, LANDING_BYTES + 1);
    bench.post();
    assert_eq!(bench.reply(2), [Reply::TURN, Reply::TURN | Reply::FAILED]);
    let [why, ..] = bench.tables.stopped(0, 1).unwrap().expect("it has stopped");
    assert_eq!(Stopped::from_word(why).syndrome, stopped::BAD_REQUEST);
}

#[test]
fn a_get_to_a_landing_whose_queue_stops_is_answered_that_it_failed_and_its_late_data_go_nowhere() {
    let mut bench = Bench::new(false);
    bench.ask_with(Kind::Get, flags::ANSWER | flags::TURN, 0, 8);
    bench.post();
    let failed = Completion { status: Status::PeerGone, ..Completion::default() };
    bench.with(|lane, cx| lane.failed(cx, 0, &failed));
    assert_eq!(bench.reply(0), [Reply::TURN, Reply::TURN | Reply::FAILED]);
    let [(wr, _)] = bench.dry.take()[..] else { panic!("one work request") };
    let Local::Memory { address, .. } = wr.local else { panic!("{wr:?}") };
    assert_ne!(address, on_host(&bench.kernels), "the address in the request");
    assert_eq!(bench.landing(0), 0);
}

#[test]
fn a_request_leaves_the_ring_with_its_last_work_request() {
    let mut bench = Bench::new(true);
    bench.ask(Kind::Put, 64, 64);
    // Half of it is registered.
    bench.ask(Kind::Put, BYTES / 2 - 8, 16);
    for left in [1, 1, 2] {
        bench.refuse_after(1, PostErrorKind::Again);
        bench.post();
        assert_eq!((bench.dry.take().len(), bench.left()), (1, left));
    }
}

#[test]
fn a_request_with_its_data_does_not_overtake_one_that_waits() {
    let mut bench = Bench::new(false);
    bench.ask(Kind::Put, 64, 64);
    let line = Line { head: head(Kind::PutInline, 8, 0, 1), rest: [0, 7, 0, 0, 0, 0, 0] };
    bench.asked += 1;
    bench.with(|lane, cx| lane.add(1, &line, cx));
    bench.post();
    let posted = bench.dry.take();
    assert!(
        matches!(posted[..], [(put, _), (inline, _)] if matches!(put.local, Local::Memory { .. })
        && matches!(inline.local, Local::Inline { .. })),
        "{posted:?}"
    );
    bench.complete(1);
    assert_eq!((bench.progress(), bench.left()), (2, 2));
}

#[test]
fn requests_that_the_device_did_not_take_stay_in_the_ring_and_the_first_of_them_is_the_refused_one() {
    for kind in [PostErrorKind::Again, PostErrorKind::Full] {
        let mut bench = Bench::new(false);
        (0..6).for_each(|_| bench.ask(Kind::Put, 64, 64));
        bench.refuse_after(2, kind);
        bench.post();
        assert_eq!((bench.dry.take().len(), bench.left()), (2, 2), "{kind:?}");
        bench.complete(1);
        bench.refuse_after(3, PostErrorKind::Failed);
        bench.post();
        assert_eq!((bench.dry.take().len(), bench.progress()), (3, 2));
        let [why, ..] = bench.tables.stopped(0, 1).unwrap().expect("it has stopped");
        let why = Stopped::from_word(why);
        assert_eq!((why.index, why.syndrome), (5, Status::Endpoint.syndrome()), "{kind:?}");
        // A stopped queue gives all of them back.
        assert_eq!(bench.left(), 6);
    }
}

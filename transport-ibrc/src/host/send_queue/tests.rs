//! A send queue whose kernels' memory is a GPU's: when copies are done, and the order of reports after them.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::state::stopped;
use oxshmem_raw::fabric::{AtomicSet, Endpoint, FabricDevice, Handle, Local, Operation};
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::queue::stopped::Stopped;

use crate::host::connection::link::Link;
use crate::host::counters::QueueCounts;
use crate::host::memory::bounce::BouncePool;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::keys::{Keys, RegisteredRange};
use crate::host::memory::staging::Staging;
use crate::host::ring::consumer::RingConsumer;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::recording_device::RecordingDevice;
use crate::host::send_queue::{SendQueue, SendQueueParams};
use crate::host::tables::Tables;
use crate::request::{Kind, Line, head};

/// Bytes of kernels' memory; the first half of it is registered.
const BYTES: u64 = 64 << 10;

/// A send queue to PE 1, and the resources for posting on it.
struct Bench {
    dry: Arc<RecordingDevice>,
    device: Arc<dyn FabricDevice>,
    tables: Tables,
    rings: Vec<RingConsumer>,
    chunks: BouncePool,
    copies: Staging,
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

impl Bench {
    fn new(unknown: u64) -> Self {
        let dry = Arc::new(RecordingDevice::default());
        let device: Arc<dyn FabricDevice> = dry.clone();
        let tables = Tables::new(&Memory::Host, 2, 1, 1, 64).unwrap();
        // SAFETY: **live**: the tables own these words and live as long as the bench.
        let words = unsafe { HostWords::new() };
        let rings = vec![tables.end(0, words, false)];
        let chunks = BouncePool::new(&Memory::Host, &device, 2).unwrap();
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
        let unknown = on_host(&kernels) + unknown;
        let copies = Staging::Late(RefCell::default(), unknown);
        let lane = SendQueue::new(at, 0);
        Self { dry, device, tables, rings, chunks, copies, flush, flushes, keys, lane, kernels, asked: 0 }
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
        let line = Line { head: head(kind, 0, 0, 1), rest: [0, self.address(at), bytes, 0, 0, 0, 0] };
        let asked = self.asked;
        self.asked += 1;
        self.with(|lane, cx| lane.add(asked, &line, cx));
    }

    fn with(&mut self, act: impl FnOnce(&mut SendQueue, &mut PostContext<'_>)) {
        // SAFETY: **live**: the bench's tables own these words and outlive this borrow of the bench.
        let words = unsafe { HostWords::new() };
        let Self { device, rings, chunks, copies, flush, keys, lane, .. } = self;
        let cx = &mut PostContext {
            device: &**device,
            keys,
            rings,
            bounce: chunks,
            staging: copies,
            flush,
            words,
            max_message: 1 << 20,
        };
        act(lane, cx);
        lane.report(words);
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

    fn progress(&self) -> u64 {
        self.lane.reported
    }

    fn flushes(&self) -> u32 {
        self.flushes.load(Ordering::Relaxed)
    }
}

#[test]
fn gets_are_told_behind_one_flush_for_all_that_completed_together_and_puts_need_none() {
    let mut bench = Bench::new(0);
    bench.ask(Kind::Put, 64, 64);
    bench.post();
    bench.complete(0);
    assert_eq!((bench.progress(), bench.flushes()), (1, 0));
    (0..3).for_each(|_| bench.ask(Kind::Get, 64, 64));
    bench.post();
    assert_eq!((bench.progress(), bench.flushes()), (1, 0), "nothing has completed");
    bench.complete(3);
    assert_eq!((bench.progress(), bench.flushes()), (4, 1));
}

#[test]
fn what_is_not_registered_is_in_the_chunk_before_the_put_of_it_is_posted() {
    let mut bench = Bench::new(0);
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
    let mut bench = Bench::new(0);
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
fn memory_that_the_driver_does_not_know_is_not_touched_and_the_queue_stops_with_its_address() {
    let at = BYTES / 2 + 128;
    for kind in [Kind::Put, Kind::Get] {
        let mut bench = Bench::new(at);
        bench.ask(kind, at, 64);
        bench.post();
        assert!(bench.dry.take().is_empty(), "{kind:?}");
        let [why, address, bytes] = bench.tables.stopped(0, 1).unwrap().expect("it has stopped");
        assert_eq!(Stopped::from_word(why).syndrome, stopped::NOT_REGISTERED, "{kind:?}");
        assert_eq!((address, bytes), (bench.address(at), 64));
    }
}

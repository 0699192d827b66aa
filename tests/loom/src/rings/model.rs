//! Threads that write to one ring, and the conditions that must hold for it.

use std::cell::Cell;
use std::mem::offset_of;
use std::ptr::addr_of;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::state::{LANDING_BYTES, ProxyQueue, QueueProgress, Reply, RingState};
use loom::sync::atomic::fence;
use oxshmem_raw::memory::{self, Memory, Word};
use oxshmem_raw::state::WorldState;

use super::device::reader::{RingAt, RingReader, SharedWords};
use super::device::{self, rest};
use crate::explore;
use crate::request::{Kind, LINE_BYTES, Line, WORDS, flags, lap};

/// One call of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Issues a request, and does not wait.
    Put,
    /// Issues a request, waits, and writes the source again.
    PutAndWait,
    /// Fetches a word.
    Fetch,
    /// Gets data by the landing.
    Get,
    /// Waits for all requests that were issued before, and writes the thread's sources again.
    Quiet,
}

/// An error of the proxy, which the model must notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// No acquire fence between reading a request and reading the memory that it names.
    NotAcquired,
    /// A place is announced as free before its request was read.
    FreedEarly,
    /// Completion is announced without order.
    DoneRelaxed,
    /// All taken requests are announced as complete before they are.
    DoneEarly,
}

/// Threads, their ring and its proxy.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The calls of each thread, in order.
    pub threads: &'static [&'static [Work]],
    /// Places of the ring.
    pub depth: u32,
    /// Number of requests that were taken before the model begins.
    pub base: u64,
    /// The most requests that the proxy takes at once.
    pub batch: usize,
    /// The proxy's error, if any.
    pub broken: Option<Break>,
    /// Whether the proxy is a thread of its own. The checker shows no value to a thread again that it has seen before it
    /// yielded, and the model's main thread has seen all words when it made them. A thread of its own finds each word
    /// old or new, whatever it finds in the other words of the line, which takes many more executions.
    pub apart: bool,
    /// The most preemptions in one execution; `None`: as many as there can be.
    pub preemptions: Option<usize>,
}

/// Synthetic addresses: they are never dereferenced.
const REQUESTS: u64 = 0x1_0000;
const SERVED: u64 = 0x2_0000;
const REPLIES: u64 = 0x3_0000;
const TURNS: u64 = 0x4_0000;
const TOLD: u64 = 0x5_0000;
const SOURCES: u64 = 0x6_0000;
const LANDINGS: u64 = 0x7_0000;

/// Returns the content of the source of request `id`.
fn data(id: u64) -> u64 {
    id << 32 | 0x5a
}

/// Returns the answer to request `id`, whose highest bit is set for every other one.
fn answer(id: u64) -> u64 {
    id << 63 | id << 8 | 0x77
}

impl Model {
    /// Runs every execution, and returns their number.
    ///
    /// # Panics
    /// An execution violates a condition.
    pub fn check(self) -> u64 {
        self.check_within(Duration::MAX).0
    }

    /// Runs executions until the time is over. Returns their number, and whether all were run.
    ///
    /// # Panics
    /// An execution violates a condition.
    pub fn check_within(self, limit: Duration) -> (u64, bool) {
        explore(self.preemptions, 20_000, limit, move || self.run())
    }

    fn requests(&self) -> u64 {
        self.threads.iter().copied().flatten().filter(|work| **work != Work::Quiet).count() as u64
    }

    /// Runs one execution.
    fn run(self) {
        let memory = Memory::fresh();
        let ring = Ring::new(&self, &memory);
        let returned = Rc::new(Cell::new(0));
        let threads: Vec<_> = (0..self.threads.len())
            .map(|thread| {
                let (at, returned) = (ring.at(), returned.clone());
                loom::thread::spawn(move || {
                    self.thread(at, thread as u64);
                    returned.set(returned.get() + 1);
                })
            })
            .collect();
        let mut proxy = match self.apart {
            true => loom::thread::spawn(move || self.poll(&returned)).join().expect("it returns"),
            false => self.poll(&returned),
        };
        threads.into_iter().for_each(|thread| thread.join().expect("it returns"));
        while proxy.look() {}
        assert_eq!(proxy.taken.len() as u64, self.requests(), "requests that were taken, when all have returned");
    }

    /// Polls as a proxy until all threads have returned.
    fn poll(self, returned: &Cell<usize>) -> Proxy {
        let mut proxy = Proxy::new(self);
        while returned.get() < self.threads.len() {
            loom::thread::yield_now();
            if !proxy.look() {
                // The poll came too early. The rest is tried in executions in which it comes later.
                loom::skip_branch();
            }
        }
        proxy
    }

    fn thread(self, at: *mut ProxyQueue, thread: u64) {
        let mut mine = Vec::new();
        for (number, work) in (0..).zip(self.threads[thread as usize]) {
            let id = thread << 4 | number;
            let source = SOURCES + 16 * id;
            let again = |source: &u64| memory::write(*source, [u64::MAX; 2]);
            match work {
                Work::Put | Work::PutAndWait => {
                    memory::write(source, [data(id), 0]);
                    let target = device::put(at, id, source);
                    if *work == Work::PutAndWait {
                        device::wait(at, target);
                        again(&source);
                    } else {
                        mine.push(source);
                    }
                }
                Work::Fetch => assert_eq!(device::fetch(at, id), answer(id), "another's answer"),
                Work::Get => assert_eq!(device::get(at, id), (data(id), answer(id)), "another's data or answer"),
                Work::Quiet => {
                    device::quiet(at);
                    mine.drain(..).for_each(|source| again(&source));
                }
            }
        }
    }
}

/// A ring and its queue, at fixed addresses.
struct Ring {
    queue: Box<ProxyQueue>,
    _ring: Box<RingState>,
    _world: Box<WorldState>,
}

impl Ring {
    fn new(model: &Model, memory: &Memory) -> Self {
        // SAFETY: all three are integers, for which zeros are a value.
        let (world, mut ring, mut queue): (Box<WorldState>, Box<RingState>, Box<ProxyQueue>) =
            unsafe { (Box::new(std::mem::zeroed()), Box::new(std::mem::zeroed()), Box::new(std::mem::zeroed())) };
        (ring.consumer_head, ring.landings) = (SERVED, LANDINGS);
        (ring.replies, ring.turns) = (REPLIES, TURNS);
        (queue.ring, queue.requests, queue.depth) = (&raw const *ring as u64, REQUESTS, model.depth);
        (queue.progress, queue.world, queue.handle) = (TOLD, &raw const *world as u64, 1);
        for field in [addr_of!(ring.reserved), addr_of!(ring.head), addr_of!(queue.last), addr_of!(queue.done)] {
            memory.put(field as u64, Word::u64(model.base));
        }
        memory.put(addr_of!(ring.stalls) as u64, Word::count());
        memory.put(SERVED, Word::u64(model.base));
        for field in [
            offset_of!(QueueProgress, done),
            offset_of!(QueueProgress, stopped),
            offset_of!(QueueProgress, at),
            offset_of!(QueueProgress, bytes),
        ] {
            memory.put(TOLD + field as u64, Word::u64(if field == 0 { model.base } else { 0 }));
        }
        let depth = model.depth as u64;
        for slot in 0..depth {
            // The line is as the last request in its slot left it.
            let last = (0..model.base).rev().take(model.depth as usize).find(|index| index % depth == slot);
            for word in 0..WORDS as u64 {
                let old = last.map_or(0, |index| lap(index, model.depth));
                memory.put(REQUESTS + LINE_BYTES * slot + 8 * word, Word::u64(old));
            }
            memory.put(REPLIES + 16 * slot, Word::u64(0));
            memory.put(REPLIES + 16 * slot + 8, Word::u64(0));
            memory.put(TURNS + 8 * slot, Word::u64(0));
            memory.put(LANDINGS + LANDING_BYTES * slot, Word::plain());
        }
        for (thread, works) in (0..).zip(model.threads) {
            (0..works.len() as u64).for_each(|number| memory.put(SOURCES + 16 * (thread << 4 | number), Word::plain()));
        }
        Self { queue, _ring: ring, _world: world }
    }

    fn at(&self) -> *mut ProxyQueue {
        &raw const *self.queue as *mut ProxyQueue
    }
}

/// The model's memory, for the reading end.
#[derive(Clone, Copy)]
struct Modelled(Option<Break>);

impl Modelled {
    fn with<T>(at: u64, f: impl FnOnce(&loom::sync::atomic::AtomicU64) -> T) -> T {
        match &*memory::word(at) {
            Word::U64(word) => f(word),
            other => panic!("{other:?} in a ring"),
        }
    }
}

impl SharedWords for Modelled {
    fn load(&self, at: u64) -> u64 {
        Self::with(at, |word| word.load(Ordering::Relaxed))
    }

    fn acquired(&self) {
        if self.0 != Some(Break::NotAcquired) {
            fence(Ordering::Acquire)
        }
    }

    fn store_release(&self, at: u64, value: u64) {
        let relaxed = self.0 == Some(Break::DoneRelaxed) && at == TOLD;
        let order = if relaxed { Ordering::Relaxed } else { Ordering::Release };
        Self::with(at, |word| word.store(value, order))
    }

    fn store(&self, at: u64, value: u64) {
        Self::with(at, |word| word.store(value, Ordering::Relaxed))
    }
}

struct Proxy {
    model: Model,
    words: Modelled,
    reader: RingReader<Modelled>,
    lines: Vec<Line>,
    taken: Vec<u64>,
}

impl Proxy {
    fn new(model: Model) -> Self {
        let words = Modelled(model.broken);
        let at = RingAt { requests: REQUESTS, consumer_head: SERVED, depth: model.depth };
        Self { model, words, reader: RingReader::new(words, at, model.base), lines: Vec::new(), taken: Vec::new() }
    }

    /// Takes the requests that are present, and serves them. Returns whether there were any.
    fn look(&mut self) -> bool {
        if self.model.broken == Some(Break::FreedEarly) {
            self.words.store_release(SERVED, self.reader.next() + 1);
        }
        let first = self.reader.next();
        let count = self.reader.take(self.model.batch, &mut self.lines);
        if self.model.broken == Some(Break::DoneEarly) && count > 0 {
            self.words.store_release(TOLD, self.reader.next());
        }
        let lines = std::mem::take(&mut self.lines);
        (first..).zip(&lines).for_each(|(index, line)| self.serve(index, line));
        self.lines = lines;
        if count > 0 {
            self.reader.free(self.reader.next());
            self.words.store_release(TOLD, self.reader.next());
        }
        count > 0
    }

    fn serve(&mut self, index: u64, line: &Line) {
        let [id, source, ..] = line.rest;
        assert_eq!(line.rest, rest(id, source), "the words of request {index}");
        let before = self.taken.iter().filter(|other| **other >> 4 == id >> 4).count() as u64;
        let works = self.model.threads[(id >> 4) as usize];
        let expected = (0..).zip(works).filter(|(_, work)| **work != Work::Quiet).nth(before as usize);
        assert_eq!(expected.map(|(number, _)| number), Some(id & 15), "the next request of thread {}", id >> 4);
        self.taken.push(id);
        match line.kind() {
            Some(Kind::Put) => assert_eq!(memory::read(source)[0], data(id), "what request {index} names"),
            Some(kind @ (Kind::Fetch | Kind::Get)) => {
                let turn = if line.flags() & flags::TURN != 0 { Reply::TURN } else { 0 };
                let slot = index % self.model.depth as u64;
                if kind == Kind::Get {
                    memory::write(LANDINGS + LANDING_BYTES * slot, [data(id), 0]);
                }
                self.words.store_release(REPLIES + 16 * slot, answer(id) & !Reply::TURN | turn);
                self.words.store_release(REPLIES + 16 * slot + 8, answer(id) >> 63 | turn);
            }
            other => panic!("{other:?} at {index}"),
        }
    }
}

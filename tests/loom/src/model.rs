//! Threads that post to one queue, and the conditions that must hold for it.

use std::cell::Cell;
use std::ptr::addr_of;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::state::QueueState;
use oxshmem_raw::memory::{self, Memory, Word};
use oxshmem_raw::state::WorldState;

use oxshmem_raw::weaken::{self, How, Site};

use crate::device::{self, Exclusive, Shared, Sharing};
use crate::explore;
use crate::nic::{Nic, Reads, of_doorbell, of_record, result};

/// One call of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Posts this many entries in one reservation, and does not wait.
    Put(u32),
    /// Posts likewise, waits for the entries, and writes their sources again.
    PutAndWait(u32),
    /// Fetches a word.
    Get,
    /// Waits for all entries that were reserved before.
    Quiet,
}

impl Work {
    fn entries(self) -> u64 {
        match self {
            Self::Put(entries) | Self::PutAndWait(entries) => entries as u64,
            Self::Get => 1,
            Self::Quiet => 0,
        }
    }
}

/// The threads that post on the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Threads of any blocks.
    All,
    /// Threads of one block, which has the queue's words in its shared memory.
    Block,
}

/// Threads, their queue and its NIC.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The calls of each thread, in order.
    pub threads: &'static [&'static [Work]],
    /// Blocks of the queue, all of which may be outstanding.
    pub depth: u32,
    /// Number of entries that were posted and completed before the model begins.
    pub base: u64,
    /// The kind of the threads.
    pub by: By,
    /// Whether the baton is offered after a single entry of another thread, and threads race for offers. Otherwise it
    /// is offered after as many entries as the queue has blocks, and offers are seen at once.
    pub offers: bool,
    /// The word that the NIC polls.
    pub reads: Reads,
    /// The most preemptions in one execution; `None`: as many as there can be.
    pub preemptions: Option<usize>,
}

/// Synthetic addresses: they are never dereferenced.
const SQ: u64 = 0x1_0000;
const CQE: u64 = 0x2_0000;
const DBR: u64 = 0x3_0000;
const DOORBELL: u64 = 0x4_0000;
const MARKS: u64 = 0x5_0000;
const FETCH: u64 = 0x6_0000;
const SOURCES: u64 = 0x7_0000;
const QPN: u32 = 0x77;

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
        let queue = include_str!("../../../transport-ibgda/src/device/queue.rs");
        weaken::order_by_branch(Site::find("device/queue.rs", queue, "free_up_to", "load", 0, How::Relaxed));
        explore(self.preemptions, 5_000, limit, move || self.run())
    }

    fn total(&self) -> u64 {
        self.threads.iter().copied().flatten().map(|work| work.entries()).sum()
    }

    /// Runs one execution.
    fn run(self) {
        let memory = Memory::fresh();
        let queue = Queue::new(&self, &memory);
        let end = self.base + self.total();
        let mut nic = queue.nic(&self);
        let returned = Rc::new(Cell::new(0));
        let threads: Vec<_> = (0..self.threads.len())
            .map(|thread| {
                let (at, returned) = (queue.at(), returned.clone());
                loom::thread::spawn(move || {
                    match self.by {
                        By::All => self.thread::<Shared>(at, thread),
                        By::Block => self.thread::<Exclusive>(at, thread),
                    }
                    returned.set(returned.get() + 1);
                })
            })
            .collect();
        while nic.next < end && returned.get() < self.threads.len() {
            loom::thread::yield_now();
            if !nic.look() {
                // The poll came too early. The rest is tried in executions in which it comes later.
                loom::skip_branch();
            }
        }
        threads.into_iter().for_each(|thread| thread.join().expect("it returns"));
        while nic.look() {}
        assert_eq!(nic.next, end, "entries that the NIC was told of, when all threads have returned");
        queue.at_rest(end);
    }

    fn thread<S: Sharing>(self, at: *mut QueueState, thread: usize) {
        let mut source = SOURCES + 0x1000 * thread as u64;
        for work in self.threads[thread] {
            let sources: Vec<u64> = (0..work.entries())
                .map(|_| {
                    source += 16;
                    source - 16
                })
                .collect();
            match *work {
                Work::Put(_) => drop(device::put::<S>(at, &sources)),
                Work::PutAndWait(_) => {
                    device::wait::<S>(at, device::put::<S>(at, &sources));
                    sources.iter().for_each(|&source| memory::write(source, [u64::MAX; 2]));
                }
                Work::Get => {
                    // The result contains the address, which identifies the fetch.
                    assert_eq!(device::get::<S>(at, source), result(source), "another's result");
                }
                Work::Quiet => device::quiet::<S>(at),
            }
        }
    }
}

/// A queue at a fixed address.
struct Queue {
    state: Box<QueueState>,
    /// The copy in a block's shared memory; the block's threads then synchronize by its words.
    copy: Option<Box<QueueState>>,
    _world: Box<WorldState>,
    rung: Rc<Cell<u64>>,
    completed: Rc<Cell<u64>>,
    rings: Rc<Cell<u64>>,
}

impl Queue {
    fn new(model: &Model, memory: &Memory) -> Self {
        // SAFETY: a WorldState is integers, for which zeros are a value.
        let world: Box<WorldState> = Box::new(unsafe { std::mem::zeroed() });
        // SAFETY: a QueueState is integers, for which zeros are a value.
        let mut state: Box<QueueState> = Box::new(unsafe { std::mem::zeroed() });
        (state.sq, state.cqe, state.dbr, state.doorbell) = (SQ, CQE, DBR, DOORBELL);
        (state.marks, state.fetch, state.fetch_iova) = (MARKS, FETCH, FETCH);
        (state.first_end, state.qpn, state.handle) = (u64::MAX, QPN, QueueState::DEFAULT_RAW);
        (state.depth, state.room) = (model.depth, model.depth);
        state.most_served = if model.offers { 1 } else { model.depth };
        state.world = &raw const *world as u64;

        let (base, depth) = (model.base, model.depth as u64);
        let copy = (model.by == By::Block).then(|| {
            // SAFETY: a QueueState is integers, so that a bitwise copy is a value of its own; `state` is initialised.
            Box::new(unsafe { std::ptr::read(&*state) })
        });
        let queue = Self {
            state,
            copy,
            _world: world,
            rung: Rc::new(Cell::new(base)),
            completed: Rc::new(Cell::new(base)),
            rings: Rc::new(Cell::new(0)),
        };
        let words = queue.at_words();
        for field in [addr_of!(words.reserved), addr_of!(words.done), addr_of!(words.posted), addr_of!(words.claim)] {
            memory.put(field as u64, Word::u64(base));
        }
        let offered = if model.offers { Word::u64(0) } else { Word::count() };
        memory.put(addr_of!(words.offered) as u64, offered);
        // No thread stops this queue.
        memory.put(addr_of!(words.stopped) as u64, Word::plain());
        let home = &*queue.state;
        if queue.copy.is_some() {
            memory.put(addr_of!(words.home) as u64, Word::counting(&raw const *home as u64));
            // Other threads read them only after the block's calls have returned.
            for field in [addr_of!(home.reserved), addr_of!(home.done), addr_of!(home.posted), addr_of!(home.claim)] {
                memory.put(field as u64, Word::counting(base));
            }
        }
        memory.put(addr_of!(home.doorbells) as u64, Word::count());
        memory.put(addr_of!(home.bytes) as u64, Word::count());
        memory.put(addr_of!(home.stalls) as u64, Word::count());
        for slot in 0..depth {
            memory.put(MARKS + 8 * slot, Word::u64(0));
            memory.put(FETCH + 16 * slot, Word::plain());
            memory.put(FETCH + 16 * slot + 8, Word::u64(0));
            (0..4).for_each(|segment| memory.put(SQ + 64 * slot + 16 * segment, Word::plain()));
        }
        for (thread, works) in model.threads.iter().enumerate() {
            let words = works.iter().map(|work| work.entries()).sum::<u64>();
            (0..words).for_each(|word| memory.put(SOURCES + 0x1000 * thread as u64 + 16 * word, Word::plain()));
        }
        let lap_ago = if base == 0 { u32::MAX } else { (((base - 1) as u32) << 16).to_be() };
        memory.put(CQE + 60, Word::u32(lap_ago));
        memory.put(DBR, Word::u32(oxshmem_rdma::mlx5::send_dbr(base)));
        memory.put(DOORBELL, Word::u64(oxshmem_rdma::mlx5::doorbell(base, QPN)));
        queue.watch(memory);
        queue
    }

    /// Registers the checks of stored values, which run in the order of the execution.
    fn watch(&self, memory: &Memory) {
        let (told, rings) = (self.rung.clone(), self.rings.clone());
        memory.check(DBR, move |value| {
            let next = of_record(told.get(), value as u32);
            assert!(next > told.get(), "the record told {next} after {}", told.get());
            told.set(next);
            rings.set(rings.get() + 1);
        });
        let (told, rung) = (self.rung.clone(), Cell::new(self.rung.get()));
        memory.check(DOORBELL, move |value| {
            let next = of_doorbell(rung.get(), value);
            assert!(next > rung.get() && next <= told.get(), "the doorbell told {next} after {}", rung.get());
            rung.set(next);
        });
        for state in [&*self.state, self.at_words()] {
            let completed = self.completed.clone();
            memory.check(addr_of!(state.done) as u64, move |value| {
                assert!(value <= completed.get(), "done {value} of {} complete", completed.get());
            });
        }
    }

    /// Returns the words by which the threads synchronize.
    fn at_words(&self) -> &QueueState {
        self.copy.as_deref().unwrap_or(&self.state)
    }

    fn at(&self) -> *mut QueueState {
        &raw const *self.at_words() as *mut QueueState
    }

    fn nic(&self, model: &Model) -> Nic {
        Nic {
            reads: model.reads,
            sq: SQ,
            depth: model.depth as u64,
            dbr: DBR,
            doorbell: DOORBELL,
            cqe_tail: CQE + 60,
            qpn: QPN,
            next: model.base,
            rung: model.base,
            completed: self.completed.clone(),
        }
    }

    /// Checks the state after all threads have returned.
    fn at_rest(&self, end: u64) {
        let word = |at: *const u64| match &*memory::word(at as u64) {
            Word::U64(word) => word.load(Ordering::Relaxed),
            Word::Count(count) => count.get(),
            other => panic!("{other:?} at rest"),
        };
        for state in [&*self.state, self.at_words()] {
            assert_eq!(word(addr_of!(state.reserved)), end, "reserved");
            assert_eq!(word(addr_of!(state.posted)), end, "posted");
            assert_eq!(word(addr_of!(state.claim)), end, "claim, when nobody has the baton");
        }
        if self.copy.is_some() {
            assert_eq!(word(addr_of!(self.state.done)), word(addr_of!(self.at_words().done)), "done");
        }
        assert_eq!(word(addr_of!(self.state.doorbells)), self.rings.get(), "doorbells counted");
        assert_eq!(self.rung.get(), end, "the last that was told");
    }
}

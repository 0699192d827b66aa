//! Executes queues: one thread for each NIC.

mod cq;
mod events;
mod execute;
mod finish;
mod late;
mod look;
mod message;
mod queue;
mod remote;
mod start;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::knobs::Draw;
use crate::memory::Span;
use crate::nic::Core;

pub(crate) use cq::{Cq, Entry, Received, Resized, Ring, Written, completion_of};
pub(crate) use events::Watched;
pub(crate) use queue::{Queue, Setup};

/// A page of doorbell registers and its queues.
#[derive(Debug)]
struct Uar {
    page: u32,
    /// Polled registers, and their last values.
    words: Vec<(Span, u64)>,
    /// Indices of its queues.
    owners: Vec<usize>,
}

#[derive(Debug, Default)]
struct Board {
    uars: Vec<Uar>,
    queues: Vec<Queue>,
    watched: Vec<Watched>,
}

#[derive(Debug, Default)]
struct Shared {
    board: Mutex<Board>,
    /// Number of threads that want the board; the engine then releases it.
    wanted: AtomicU32,
    stop: AtomicBool,
}

/// The engine of a NIC.
#[derive(Debug)]
pub(crate) struct Engine {
    core: Arc<Core>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The context in which a queue is served.
pub(crate) struct Turn<'a> {
    pub(crate) core: &'a Core,
    /// Whether no draw is needed.
    pub(crate) calm: bool,
    pub(crate) now: Instant,
    /// Data in transit.
    pub(crate) scratch: &'a mut Vec<u8>,
}

impl Engine {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self { core, shared: Arc::default(), thread: Mutex::default() }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.shared.wanted.fetch_add(1, Ordering::AcqRel);
        let board = self.shared.board.lock().unwrap_or_else(|e| e.into_inner());
        self.shared.wanted.fetch_sub(1, Ordering::AcqRel);
        board
    }

    /// Serves a queue from now on. `words`: the registers of its page.
    pub(crate) fn add(&self, queue: Queue, words: &[Span]) {
        let mut board = self.board();
        let page = queue.setup.uar;
        board.queues.push(queue);
        if !board.uars.iter().any(|uar| uar.page == page) {
            // Old values of the registers are no doorbells of the new queue, whose first may be equal.
            for word in words {
                let _ = self.core.dma.write(*word, &[0; 8]);
            }
            let words = words.iter().map(|word| (*word, 0)).collect();
            board.uars.push(Uar { page, words, owners: Vec::new() });
        }
        board.assign();
        drop(board);
        self.begin();
    }

    /// Starts the thread, unless it runs.
    fn begin(&self) {
        let mut thread = self.thread.lock().unwrap_or_else(|e| e.into_inner());
        if thread.is_none() {
            let (core, shared) = (self.core.clone(), self.shared.clone());
            shared.stop.store(false, Ordering::Release);
            let spawned = std::thread::Builder::new().name(format!("softnic {}", core.name));
            *thread = spawned.spawn(move || run(&core, &shared)).ok();
        }
    }

    /// Stops serving a queue.
    pub(crate) fn remove(&self, qpn: u32) {
        let mut board = self.board();
        board.queues.retain(|queue| queue.setup.qpn != qpn);
        board.assign();
        board.uars.retain(|uar| !uar.owners.is_empty());
    }

    /// Raises a completion queue's events from now on. Queue pairs that only receive are none that the engine serves,
    /// so that this needs the thread too.
    pub(crate) fn watch(&self, watched: Watched) {
        self.board().watched.push(watched);
        self.begin();
    }

    /// Stops raising a completion queue's events.
    pub(crate) fn forget(&self, cqn: u32) {
        self.board().watched.retain(|watched| watched.cq.cqn != cqn);
    }

    /// Returns the counters of a queue, modulo 2^16: the NIC's, and the program's producer index.
    pub(crate) fn counters(&self, qpn: u32) -> Option<(u16, u16)> {
        let board = self.board();
        board.queues.iter().find(|queue| queue.setup.qpn == qpn).map(Queue::counters)
    }

    /// Ends the thread, unless there is a queue again.
    pub(crate) fn stop(&self) {
        // A thread that adds a queue afterwards checks for the engine's thread, and waits here until it has ended.
        let mut thread = self.thread.lock().unwrap_or_else(|e| e.into_inner());
        let board = self.board();
        if !board.queues.is_empty() || !board.watched.is_empty() {
            return;
        }
        drop(board);
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = thread.take() {
            let _ = thread.join();
        }
    }
}

impl Board {
    fn assign(&mut self) {
        for uar in &mut self.uars {
            let own = self.queues.iter().enumerate().filter(|(_, queue)| queue.setup.uar == uar.page);
            uar.owners = own.map(|(place, _)| place).collect();
            for place in &uar.owners {
                self.queues[*place].shares = uar.owners.len() > 1;
            }
        }
    }

    /// Serves everything once. Returns whether there was any work, or some is due at a certain time.
    fn round(&mut self, turn: &mut Turn<'_>, order: &mut u64) -> bool {
        let mut busy = false;
        for uar in &mut self.uars {
            let alone = uar.words.len() == 1;
            for (word, last) in &mut uar.words {
                let value = turn.core.dma.load(*word).unwrap_or(*last);
                if value != *last {
                    *last = value;
                    busy = true;
                    look::rung(turn, &mut self.queues, &uar.owners, value, alone);
                }
            }
        }
        for answer in turn.core.port.inbox.take() {
            busy = true;
            // A queue that no longer exists needs no answers.
            if let Some(queue) = self.queues.iter_mut().find(|queue| queue.setup.qpn == answer.ticket.qpn) {
                queue.answered(turn, answer);
            }
        }
        let queues = self.queues.len();
        *order = order.wrapping_add(1);
        let first = if turn.core.options.knobs.shuffle && queues > 1 {
            (Draw(turn.core.options.knobs.seed).number(90, *order) % queues as u64) as usize
        } else {
            0
        };
        for i in 0..queues {
            busy |= self.queues[(first + i) % queues].serve(turn);
        }
        turn.core.port.flush();
        for watched in &mut self.watched {
            busy |= watched.look(turn);
        }
        busy
    }
}

fn run(core: &Core, shared: &Shared) {
    core.port.inbox.wake(std::thread::current());
    let calm = core.options.knobs.is_calm();
    let (mut scratch, mut order, mut idle) = (Vec::new(), 0, 0_u32);
    while !shared.stop.load(Ordering::Acquire) {
        let mut board = shared.board.lock().unwrap_or_else(|e| e.into_inner());
        let mut busy = false;
        for _ in 0..16 {
            let mut turn = Turn { core, calm, now: Instant::now(), scratch: &mut scratch };
            busy |= board.round(&mut turn, &mut order);
            if shared.wanted.load(Ordering::Acquire) != 0 {
                break;
            }
        }
        drop(board);
        while shared.wanted.load(Ordering::Acquire) != 0 && !shared.stop.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        idle = if busy { 0 } else { idle + 1 };
        match idle {
            0 => {}
            // The programs that it serves spin on the same cores.
            1..200 => std::thread::yield_now(),
            200..4000 => std::thread::park_timeout(Duration::from_micros(20)),
            _ => std::thread::park_timeout(Duration::from_micros(200)),
        }
    }
}

//! Who can run, and who runs next.

use oxshmem_core::{Error, ErrorKind};

use super::block::{Block, Released, Waiter};
use super::pace;
use super::place::Place;
use super::place::unflatten;
use super::rng::Rng;
use super::warp::Brought;
use super::{Grid, Schedule, Stats};

/// The least number of turns after which threads that wait are asked again.
const TURNS: usize = 64;

/// Threads of resident blocks at most, if the grid is not collective: several PEs of one process
/// share what there is for stacks.
const RESIDENT_THREADS: u32 = 4096;

/// What the scheduler does next.
pub(super) enum Next {
    /// Resume this coroutine.
    Resume(u32),
    /// Start a thread: its place, but for the coroutine.
    Start(Place),
    /// All is done, or the grid was stopped.
    End,
}

/// What is known of a coroutine.
#[derive(Clone, Copy, Default)]
struct Worker {
    /// What it waited in resulted in this.
    result: u64,
    /// The last round in which it polled and found nothing.
    waited_in: u64,
}

/// The state of a grid. It is never borrowed while a kernel's own code runs.
pub(super) struct State {
    grid: Grid,
    rng: Rng,
    blocks: Vec<Block>,
    /// Slots of blocks that have threads to start.
    startable: Vec<u32>,
    /// The next block of the grid to become resident, and how many there are.
    next_block: u64,
    all_blocks: u64,
    workers: Vec<Worker>,
    /// Coroutines that can go on.
    ready: Vec<u32>,
    /// Coroutines that polled in vain and are asked again when the ready ones had their turn.
    waiting: Vec<u32>,
    turns: usize,
    /// Round of polls, how many runnable coroutines polled in it, and rounds in a row without progress.
    round: u64,
    polled: usize,
    fruitless: u32,
    released: Released,
    stopped: Option<Error>,
    pub(super) stats: Stats,
}

impl State {
    pub(super) fn new(grid: &Grid, schedule: &Schedule) -> Self {
        let all_blocks: u64 = grid.blocks.iter().map(|&n| u64::from(n)).product();
        let threads: u32 = grid.threads.iter().product();
        let some_blocks = schedule.resident_blocks.min(RESIDENT_THREADS / threads).max(1);
        let resident = if grid.collective { all_blocks } else { all_blocks.min(some_blocks.into()) };
        let mut state = Self {
            grid: *grid,
            rng: Rng::new(schedule.seed),
            blocks: Vec::new(),
            startable: Vec::new(),
            next_block: 0,
            all_blocks,
            workers: Vec::new(),
            ready: Vec::new(),
            waiting: Vec::new(),
            turns: 0,
            round: 1,
            polled: 0,
            fruitless: 0,
            released: Vec::new(),
            stopped: None,
            stats: Stats::default(),
        };
        state.blocks.resize_with(resident as usize, Block::default);
        for slot in 0..resident as u32 {
            state.begin_block(slot);
        }
        state
    }

    /// The slot takes the next block of the grid, if there is one.
    fn begin_block(&mut self, slot: u32) {
        if self.next_block < self.all_blocks {
            self.blocks[slot as usize].begin(&self.grid, self.next_block, &mut self.rng);
            self.next_block += 1;
            self.startable.push(slot);
        }
    }

    pub(super) fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    pub(super) fn add_worker(&mut self) {
        self.workers.push(Worker::default());
    }

    pub(super) fn result(&self, worker: u32) -> u64 {
        self.workers[worker as usize].result
    }

    pub(super) fn live_lanes(&self, place: &Place) -> u32 {
        self.blocks[place.slot as usize].live_lanes(place.linear)
    }

    /// Ends the grid with this error, unless it ended with another before.
    pub(super) fn stop(&mut self, error: Error) {
        self.stopped.get_or_insert(error);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    pub(super) fn take_stopped(&mut self) -> Option<Error> {
        self.stopped.take()
    }

    /// Somebody did something else than poll: nobody has waited in vain since.
    pub(super) fn progress(&mut self) {
        (self.round, self.polled, self.fruitless) = (self.round + 1, 0, 0);
    }

    /// Draws who is next.
    pub(super) fn next(&mut self) -> Next {
        if self.is_stopped() {
            return Next::End;
        }
        self.turns += 1;
        if self.startable.is_empty() {
            self.end_round();
        }
        let runnable = self.ready.len() + self.waiting.len();
        // A thread that yields for ever must not keep the waiting ones from polling.
        if (self.ready.is_empty() && self.startable.is_empty()) || self.turns > runnable.max(TURNS) {
            self.ready.append(&mut self.waiting);
            self.turns = 0;
        }
        match (self.ready.is_empty(), self.startable.is_empty()) {
            (true, true) => Next::End,
            (true, false) => self.start(),
            (false, false) if self.rng.one_in(2) => self.start(),
            _ => {
                let at = self.rng.below(self.ready.len() as u32);
                Next::Resume(self.ready.swap_remove(at as usize))
            }
        }
    }

    /// Rests if every runnable thread polled since the last round and found nothing.
    fn end_round(&mut self) {
        if self.polled == 0 || self.polled < self.ready.len() + self.waiting.len() {
            return;
        }
        (self.round, self.polled) = (self.round + 1, 0);
        self.fruitless = self.fruitless.saturating_add(1);
        self.stats.idle_rounds += 1;
        pace::rest(self.fruitless);
    }

    fn start(&mut self) -> Next {
        // Mostly the block that started last goes on, so that its threads meet before many stacks are in use.
        let last = self.startable.len() - 1;
        if self.rng.one_in(16) {
            let other = self.rng.below(last as u32 + 1) as usize;
            self.startable.swap(other, last);
        }
        let slot = self.startable[last];
        let block = &mut self.blocks[slot as usize];
        let linear = block.start_one();
        let place = Place {
            thread: unflatten(linear.into(), self.grid.threads),
            block: block.index,
            block_dim: self.grid.threads,
            grid_dim: self.grid.blocks,
            linear,
            slot,
            worker: u32::MAX,
            shared: block.shared_base(),
            shared_bytes: self.grid.dynamic_shared_bytes,
        };
        if !block.has_unstarted() {
            self.startable.pop();
        }
        self.progress();
        Next::Start(place)
    }

    /// A thread lets others run and could go on itself.
    pub(super) fn yielded(&mut self, worker: u32) {
        self.ready.push(worker);
    }

    /// A thread polled and found nothing.
    pub(super) fn waited(&mut self, worker: u32) {
        self.waiting.push(worker);
        let known = &mut self.workers[worker as usize];
        if known.waited_in != self.round {
            known.waited_in = self.round;
            self.polled += 1;
        }
    }

    /// A thread comes to a barrier of its block: [`Block::arrive`].
    pub(super) fn arrive(&mut self, place: &Place, id: u32, counted: Option<u32>, yes: bool) -> Option<bool> {
        let who = Waiter { worker: place.worker, linear: place.linear };
        let all_here = self.blocks[place.slot as usize].arrive(id, counted, yes, who, &mut self.released);
        self.let_go(place.slot);
        all_here
    }

    /// A lane comes to an operation of its warp: [`Block::gather`].
    pub(super) fn gather(&mut self, place: &Place, brought: Brought) -> Option<u64> {
        let who = Waiter { worker: place.worker, linear: place.linear };
        let all_here = self.blocks[place.slot as usize].gather(who, brought, &mut self.released);
        self.let_go(place.slot);
        all_here
    }

    /// A thread ran to its end.
    pub(super) fn exited(&mut self, place: &Place) {
        self.stats.threads += 1;
        let block = &mut self.blocks[place.slot as usize];
        block.exit(place.linear, &mut self.released);
        if block.live == 0 {
            self.begin_block(place.slot);
        }
        self.let_go(place.slot);
    }

    /// Readies who was released in the block, or stops the grid if nobody there ever will be.
    fn let_go(&mut self, slot: u32) {
        self.progress();
        while let Some((worker, result)) = self.released.pop() {
            self.workers[worker as usize].result = result;
            self.ready.push(worker);
        }
        let block = &self.blocks[slot as usize];
        if block.is_stuck() {
            let reason = block.describe();
            self.stop(
                Error::new(ErrorKind::Fault, "run the grid to its end").because(reason).hint(
                    "every thread of a block, or of the mask, that has not exited has to come to the same barrier",
                ),
            );
        }
    }
}

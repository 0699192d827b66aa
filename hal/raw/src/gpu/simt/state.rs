//! The scheduler's state: which threads can run, and the choice of the next one.

use oxshmem_core::{Error, ErrorKind};

use super::block::{Arrivals, ResidentBlock};
use super::pace;
use super::rng::Rng;
use super::thread_index::ThreadIndex;
use super::thread_index::unflatten;
use super::warp::{LaneInput, Released, Waiter};
use super::{Grid, Schedule, Stats};

/// The least number of turns after which waiting threads poll again.
const MIN_TURNS: usize = 64;

/// Largest number of threads in the resident blocks of a grid that is not collective: several PEs of one process share
/// the stacks.
const RESIDENT_THREADS: u32 = 4096;

/// The next step of the scheduler.
pub(super) enum NextStep {
    /// Resume this coroutine.
    Resume(u32),
    /// Start a thread. Its coroutine is not chosen yet.
    Start(ThreadIndex),
    /// All threads have ended, or the grid was stopped.
    End,
}

/// The scheduler's knowledge of one coroutine.
#[derive(Clone, Copy, Default)]
struct CoroutineState {
    /// The result of the operation it waited in.
    result: u64,
    /// The last round in which it polled and found nothing.
    waited_in: u64,
}

/// The state of a grid. It is never borrowed while a kernel's own code runs.
pub(super) struct State {
    grid: Grid,
    launch: u64,
    rng: Rng,
    blocks: Vec<ResidentBlock>,
    /// Slots of blocks that have threads to start.
    startable: Vec<u32>,
    /// The next block of the grid to become resident, and the number of blocks.
    next_block: u64,
    all_blocks: u64,
    coroutines: Vec<CoroutineState>,
    /// Coroutines that can continue.
    ready: Vec<u32>,
    /// Coroutines whose last poll found nothing. They poll again after the ready ones had their turn.
    waiting: Vec<u32>,
    turns: usize,
    /// The current round of polls, the number of runnable coroutines that have polled in it, and the number of rounds
    /// in a row without progress.
    round: u64,
    polled: usize,
    idle_rounds: u32,
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
            launch: schedule.launch,
            rng: Rng::new(schedule.seed),
            blocks: Vec::new(),
            startable: Vec::new(),
            next_block: 0,
            all_blocks,
            coroutines: Vec::new(),
            ready: Vec::new(),
            waiting: Vec::new(),
            turns: 0,
            round: 1,
            polled: 0,
            idle_rounds: 0,
            released: Vec::new(),
            stopped: None,
            stats: Stats::default(),
        };
        state.blocks.resize_with(resident as usize, ResidentBlock::default);
        for slot in 0..resident as u32 {
            state.begin_block(slot);
        }
        state
    }

    /// Fills the slot with the next block of the grid, if there is one.
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

    pub(super) fn add_coroutine(&mut self) {
        self.coroutines.push(CoroutineState::default());
    }

    pub(super) fn result(&self, coroutine: u32) -> u64 {
        self.coroutines[coroutine as usize].result
    }

    pub(super) fn live_lanes(&self, index: &ThreadIndex) -> u32 {
        self.blocks[index.slot as usize].live_lanes(index.linear)
    }

    /// Stops the grid with this error, unless another error stopped it before.
    pub(super) fn stop(&mut self, error: Error) {
        self.stopped.get_or_insert(error);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    pub(super) fn take_stopped(&mut self) -> Option<Error> {
        self.stopped.take()
    }

    /// Records progress, that is, any step other than a poll that found nothing.
    pub(super) fn progress(&mut self) {
        (self.round, self.polled, self.idle_rounds) = (self.round + 1, 0, 0);
    }

    /// Draws the next step.
    pub(super) fn next(&mut self) -> NextStep {
        if self.is_stopped() {
            return NextStep::End;
        }
        self.turns += 1;
        if self.startable.is_empty() {
            self.end_round();
        }
        let runnable = self.ready.len() + self.waiting.len();
        // A thread that keeps yielding must not prevent the waiting threads from polling.
        if (self.ready.is_empty() && self.startable.is_empty()) || self.turns > runnable.max(MIN_TURNS) {
            self.ready.append(&mut self.waiting);
            self.turns = 0;
        }
        match (self.ready.is_empty(), self.startable.is_empty()) {
            (true, true) => NextStep::End,
            (true, false) => self.start(),
            (false, false) if self.rng.one_in(2) => self.start(),
            _ => {
                let at = self.rng.below(self.ready.len() as u32);
                NextStep::Resume(self.ready.swap_remove(at as usize))
            }
        }
    }

    /// Backs off if every runnable thread has polled since the last round and found nothing.
    fn end_round(&mut self) {
        if self.polled == 0 || self.polled < self.ready.len() + self.waiting.len() {
            return;
        }
        (self.round, self.polled) = (self.round + 1, 0);
        self.idle_rounds = self.idle_rounds.saturating_add(1);
        self.stats.idle_rounds += 1;
        pace::back_off(self.idle_rounds);
    }

    fn start(&mut self) -> NextStep {
        // In most cases the block that started a thread last starts another one, so that its threads meet at barriers
        // before many stacks are in use.
        let last = self.startable.len() - 1;
        if self.rng.one_in(16) {
            let other = self.rng.below(last as u32 + 1) as usize;
            self.startable.swap(other, last);
        }
        let slot = self.startable[last];
        let block = &mut self.blocks[slot as usize];
        let linear = block.start_one();
        let index = ThreadIndex {
            thread: unflatten(linear.into(), self.grid.threads),
            block: block.index,
            block_dim: self.grid.threads,
            grid_dim: self.grid.blocks,
            linear,
            slot,
            coroutine: u32::MAX,
            shared: block.shared_base(),
            shared_bytes: self.grid.dynamic_shared_bytes,
            collective: self.grid.collective,
            launch: self.launch,
        };
        if !block.has_unstarted() {
            self.startable.pop();
        }
        self.progress();
        NextStep::Start(index)
    }

    /// Records that a thread yields but could continue.
    pub(super) fn yielded(&mut self, coroutine: u32) {
        self.ready.push(coroutine);
    }

    /// Records that a thread's poll found nothing.
    pub(super) fn waited(&mut self, coroutine: u32) {
        self.waiting.push(coroutine);
        let coroutine_state = &mut self.coroutines[coroutine as usize];
        if coroutine_state.waited_in != self.round {
            coroutine_state.waited_in = self.round;
            self.polled += 1;
        }
    }

    /// Records a thread's arrival at a barrier of its block: [`ResidentBlock::arrive`].
    pub(super) fn arrive(&mut self, index: &ThreadIndex, id: u32, of: Arrivals, yes: bool) -> Option<bool> {
        let waiter = Waiter { coroutine: index.coroutine, linear: index.linear };
        let result = self.blocks[index.slot as usize].arrive(id, of, yes, waiter, &mut self.released);
        self.ready_released(index.slot);
        result
    }

    /// Records a lane's arrival at an operation of its warp: [`ResidentBlock::gather`].
    pub(super) fn gather(&mut self, index: &ThreadIndex, input: LaneInput) -> Option<u64> {
        let waiter = Waiter { coroutine: index.coroutine, linear: index.linear };
        let result = self.blocks[index.slot as usize].gather(waiter, input, &mut self.released);
        self.ready_released(index.slot);
        result
    }

    /// Records the end of a thread.
    pub(super) fn exited(&mut self, index: &ThreadIndex) {
        self.stats.threads += 1;
        let block = &mut self.blocks[index.slot as usize];
        let mistake = block.exit(index.linear, &mut self.released);
        if block.live == 0 {
            self.begin_block(index.slot);
        }
        // Before the other threads are found to wait for each other, which they also do.
        if let Some(reason) = mistake {
            self.stop(
                Error::new(ErrorKind::Fault, "run the grid to its end")
                    .because(reason)
                    .hint("all threads of a warp or a block make its calls: end none before them"),
            );
        }
        self.ready_released(index.slot);
    }

    /// Marks released threads of the block as ready, or stops the grid if its remaining threads can never be released.
    fn ready_released(&mut self, slot: u32) {
        self.progress();
        while let Some((coroutine, result)) = self.released.pop() {
            self.coroutines[coroutine as usize].result = result;
            self.ready.push(coroutine);
        }
        let block = &self.blocks[slot as usize];
        if block.is_stuck() {
            let reason = block.describe();
            self.stop(
                Error::new(ErrorKind::Fault, "run the grid to its end").because(reason).hint(
                    "every thread of a block, or of the mask, that has not exited must arrive at the same barrier",
                ),
            );
        }
    }
}

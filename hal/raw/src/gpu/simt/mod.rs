//! Runs a kernel's grid on one OS thread of the host: each GPU thread is a stackful coroutine.
//!
//! A GPU thread yields the OS thread at block and warp barriers, at polls that found nothing ([`wait_point`]) and, at
//! random, at system-scope accesses ([`yield_point`]). The scheduler draws the next thread from [`Schedule::seed`]: on
//! a single PE the same seed gives the same interleaving. PEs are separate OS threads or processes and race for real; a
//! grid never moves from the OS thread on which it began.
//!
//! Threads start late and in a shuffled order. A thread that ends without having yielded leaves its stack to the next
//! thread, so a grid of millions of short threads needs one stack. A thread that spins without any of these calls is
//! never interrupted and hangs its grid.
//!
//! Outside of any grid, each function here behaves as in a grid of one block of one thread.

mod block;
mod by_fault;
mod collective;
mod executor;
#[cfg(test)]
mod figures;
mod pace;
mod registers;
mod rng;
mod running_thread;
mod stacks;
mod state;
#[cfg(test)]
mod tests;
mod thread_index;
mod warp;

pub use by_fault::end_by_fault;
pub(crate) use collective::are_together;
pub use collective::{
    POISON, active_mask, block_barrier, block_barrier_counted, block_barrier_or, block_meeting, lanes_with,
    progress_point, wait_point, warp_ballot, warp_barrier, warp_meeting, warp_shuffle, yield_point,
};
pub use executor::{run, run_together};
pub use registers::{
    block_dim, block_idx, block_word, grid_dim, inside_grid, is_collective, lane, launch, shared_base, shared_bytes,
    thread_idx,
};
pub use stacks::{STACK_VARIABLE, most_resident_threads};
pub use thread_index::WARP_SIZE;

/// The shape of a launch, as in CUDA: `x` varies fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks along x, y, z.
    pub blocks: [u32; 3],
    /// Threads of a block along x, y, z; at most 1024 in total.
    pub threads: [u32; 3],
    /// Bytes of dynamic shared memory of each block.
    pub dynamic_shared_bytes: usize,
    /// Whether all blocks are resident at once, so that they may wait for each other.
    pub collective: bool,
}

/// The order in which threads take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Determines every choice.
    pub seed: u64,
    /// On average, one of this many system-scope accesses lets another thread run; 0: none does.
    pub yield_one_in: u32,
    /// Number of blocks resident at a time in a grid that is not collective: at least 1, and no more than have 4096
    /// threads in total. Blocks start in the order of their indices.
    pub resident_blocks: u32,
    /// The number of the launch, by which its threads are distinguished in faults.
    pub launch: u64,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { seed: 0, yield_one_in: 16, resident_blocks: 8, launch: 0 }
    }
}

impl Schedule {
    /// Returns the default schedule with this seed.
    pub fn seeded(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}

/// Counts of one grid's execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Threads that ran to their end.
    pub threads: u64,
    /// Number of times a coroutine was resumed.
    pub switches: u64,
    /// Largest number of stacks in use at a time.
    pub stacks: usize,
    /// Rounds in which every runnable thread polled and found nothing.
    pub idle_rounds: u64,
}

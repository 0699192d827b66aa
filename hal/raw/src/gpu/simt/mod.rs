//! Runs a kernel's grid on one OS thread of the host: each GPU thread is a stackful coroutine.
//!
//! A GPU thread gives up the OS thread at block and warp barriers, at polls that found nothing
//! ([`wait_point`]) and, now and then, at system-scope accesses ([`yield_point`]). Who runs next is
//! drawn from [`Schedule::seed`]: on a single PE the same seed gives the same interleaving. PEs are
//! other OS threads or processes and race for real; a grid never moves from the OS thread it began on.
//!
//! Threads start late and in a shuffled order, and one that runs to its end without giving up the OS
//! thread leaves its stack to the next; so a grid of millions of short threads needs one stack. A
//! thread that spins without any of the calls above is never interrupted and hangs its grid.
//!
//! Outside of any grid each function here behaves as in a grid of one block of one thread.

mod block;
mod collective;
mod executor;
#[cfg(test)]
mod figures;
mod pace;
mod rng;
mod running_thread;
mod stacks;
mod state;
#[cfg(test)]
mod tests;
mod thread_index;
mod warp;

pub use collective::{
    POISON, active_mask, block_barrier, block_barrier_counted, block_barrier_or, progress_point, wait_point,
    warp_ballot, warp_barrier, warp_shuffle, yield_point,
};
pub use executor::run;
pub use stacks::{STACK_VARIABLE, most_resident_threads};
pub use thread_index::{
    WARP_SIZE, block_dim, block_idx, grid_dim, inside_grid, lane, shared_base, shared_bytes, thread_idx,
};

/// The shape of a launch, as CUDA has it: `x` runs fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks along x, y, z.
    pub blocks: [u32; 3],
    /// Threads of a block along x, y, z: 1024 together at most.
    pub threads: [u32; 3],
    /// Bytes of dynamic shared memory that each block gets.
    pub dynamic_shared_bytes: usize,
    /// All blocks are resident at once, so that they may wait for each other.
    pub collective: bool,
}

/// How threads take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Every choice is drawn from it.
    pub seed: u64,
    /// One in so many system-scope accesses lets another thread run, on average; 0: none does.
    pub yield_one_in: u32,
    /// So many blocks of a grid that is not collective are resident at a time: at least 1, and no more
    /// than have 4096 threads together. Blocks start in the order of their indices.
    pub resident_blocks: u32,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { seed: 0, yield_one_in: 16, resident_blocks: 8 }
    }
}

impl Schedule {
    /// The default schedule with this seed.
    pub fn seeded(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}

/// What it took to run a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Threads that ran to their end.
    pub threads: u64,
    /// Times the OS thread was handed to a coroutine.
    pub switches: u64,
    /// Stacks in use at the busiest moment.
    pub stacks: usize,
    /// Rounds in which every runnable thread polled and none found anything.
    pub idle_rounds: u64,
}

//! What a kernel that is timed is told, and how it tells its time.

use oxshmem_core::Scope;
use oxshmem_device::KernelArg;
use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

/// What a launch does. Each kernel uses what it needs of it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Job {
    /// Where the first group's data goes.
    pub dest: SymPtr<u8>,
    /// Where the first group's data comes from.
    pub source: SymPtr<u8>,
    /// The word that PEs tell each other rounds by.
    pub flag: SymPtr<u64>,
    /// The word at which the PEs that [`line_up`](crate::start::line_up) meet.
    pub line: SymPtr<u64>,
    /// For each block, when it started and when it ended, in ns.
    pub slots: SymPtr<u64>,
    /// For each thread, the sum of what it fetched.
    pub sums: SymPtr<u64>,
    /// Bytes of one group.
    pub bytes: u64,
    /// Elements of all threads together.
    pub elements: u64,
    /// Bytes from one element to the next.
    pub stride: u64,
    /// Bytes that an iteration which reads a peer's memory begins behind the one before.
    pub step: u64,
    /// Iterations of the launches before: rounds and expected words go on from there.
    pub base: u64,
    /// What [`line`](Job::line) counts to when all are there; 0: nobody lines up.
    pub meet: u64,
    /// Iterations.
    pub iters: u32,
    /// Iterations after which reads of a peer's memory begin at the start again.
    pub window: u32,
    /// The PE that is put to, got from, or played with.
    pub pe: Pe,
    /// Which atomic: one of [`elements`](crate::elements)'s.
    pub op: u32,
    /// PEs that line up, from PE 0 on.
    pub meeting: u32,
    /// 0, which no compiler knows.
    pub zero: u32,
    /// Bytes of dynamic shared memory that each group lends.
    pub lend: u32,
    /// Nothing: the size is a multiple of 8.
    pub unused: u32,
}

// SAFETY: **plain**: offsets and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for Job {
    const NAME: (&'static str, &'static str) = ("perf::Job", "");
}

const _: () = assert!(size_of::<Job>() == 12 * 8 + 8 * 4);

impl Job {
    /// How many bytes behind the first place iteration number `turn` of the window reads.
    #[inline(always)]
    pub fn read_at(&self, turn: u32) -> u64 {
        // As little as can be is kept from one iteration to the next.
        ptx::opaque_u32(turn) as u64 * self.step
    }

    /// The number of the iteration behind that.
    #[inline(always)]
    pub fn next_turn(&self, turn: u32) -> u32 {
        if turn + 1 == self.window { 0 } else { turn + 1 }
    }
}

/// The number of this thread's group among all of the grid.
#[inline(always)]
pub fn group_in_grid<G: Group>(_: G) -> usize {
    match G::SCOPE {
        Scope::Thread => thread_in_grid(),
        Scope::Warp => {
            let warps = ptx::block_threads().div_ceil(ptx::WARP_SIZE) as usize;
            block_in_grid() * warps + thread_in_block() / ptx::WARP_SIZE as usize
        }
        Scope::Block => block_in_grid(),
    }
}

/// The world, with a part of the block's shared memory lent to this thread's group.
#[inline(always)]
pub fn lend<G: Group>(shmem: &Shmem, job: &Job, _: G) -> Shmem {
    let group = match G::SCOPE {
        Scope::Thread => thread_in_block() as u32,
        Scope::Warp => thread_in_block() as u32 / ptx::WARP_SIZE,
        Scope::Block => 0,
    };
    // SAFETY: **alone**: each group of the block lends a part of its own, and no kernel here uses shared memory itself.
    unsafe { shmem.lend_shared(group * job.lend, job.lend) }
}

#[inline(always)]
fn block_in_grid() -> usize {
    block_idx()[0] as usize
}

/// This block starts: its threads are all there.
#[inline(always)]
pub fn begin(shmem: &Shmem, job: &Job) {
    Block.sync();
    if Block.leads() {
        slot(shmem, job).write(0, ptx::global_timer_ns());
    }
}

/// Every thread of the block is done; then its end is recorded.
#[inline(always)]
pub fn end(shmem: &Shmem, job: &Job) {
    Block.sync();
    if Block.leads() {
        slot(shmem, job).write(1, ptx::global_timer_ns());
    }
}

#[inline(always)]
fn slot<'a>(shmem: &'a Shmem, job: &Job) -> Local<'a, u64> {
    shmem.local(job.slots.add(2 * block_in_grid()), 2)
}

/// Makes the kernels of a test at thread, warp and block scope out of one body, for blocks of at most so many threads
/// at each: without that bound a copy may take more registers than such a block has.
macro_rules! at_each_scope {
    (
        threads = [$of_thread:literal, $of_warp:literal, $of_block:literal];
        $($(#[$meta:meta])* $body:ident: $thread:ident $warp:ident $block:ident;)+
    ) => {
        oxshmem_device::kernel! { $(
            $(#[$meta])*
            /// By threads.
            pub fn $thread(shmem: Shmem, job: $crate::job::Job) -> Result<(), Fault> {
                $body(&shmem, job, Thread)
            }

            $(#[$meta])*
            /// By warps.
            pub fn $warp(shmem: Shmem, job: $crate::job::Job) -> Result<(), Fault> {
                $body(&shmem, job, Warp)
            }

            $(#[$meta])*
            /// By blocks.
            pub fn $block(shmem: Shmem, job: $crate::job::Job) -> Result<(), Fault> {
                $body(&shmem, job, Block)
            }
        )+ }
        $(
            oxshmem_device::launch_bounds!($thread, threads = $of_thread);
            oxshmem_device::launch_bounds!($warp, threads = $of_warp);
            oxshmem_device::launch_bounds!($block, threads = $of_block);
        )+
    };
}
pub(crate) use at_each_scope;

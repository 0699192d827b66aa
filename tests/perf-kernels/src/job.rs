//! The launch argument of a timed kernel, and its time stamps.

use oxshmem_core::Scope;
use oxshmem_device::KernelArg;
use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

/// The work of a launch. Each kernel uses the fields that it needs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Job {
    /// Destination of the first group's data.
    pub dest: SymPtr<u8>,
    /// Source of the first group's data.
    pub source: SymPtr<u8>,
    /// The word by which PEs announce rounds to each other.
    pub flag: SymPtr<u64>,
    /// The word at which the PEs of [`line_up`](fn@crate::start::line_up) meet.
    pub line: SymPtr<u64>,
    /// Start and end time of each block, in ns: two words for each.
    pub slots: SymPtr<u64>,
    /// For each thread, the sum of the values that it fetched.
    pub sums: SymPtr<u64>,
    /// Bytes of one group.
    pub bytes: u64,
    /// Elements of all threads together.
    pub elements: u64,
    /// Distance of elements, in bytes.
    pub stride: u64,
    /// Distance of an iteration's start from the previous one's, in bytes, when it reads a peer's memory.
    pub step: u64,
    /// Iterations of earlier launches: rounds and expected words continue from there.
    pub base: u64,
    /// The value of [`line`](Job::line) when all PEs have arrived; 0: no PE lines up.
    pub meet: u64,
    /// Iterations.
    pub iters: u32,
    /// Iterations after which reads of a peer's memory start over.
    pub window: u32,
    /// The target, source, or partner.
    pub pe: Pe,
    /// The atomic: one of [`elements`](crate::elements)'s.
    pub op: u32,
    /// Number of PEs that line up, from PE 0 on.
    pub meeting: u32,
    /// Zero, unknown to the compiler.
    pub zero: u32,
    /// Bytes of dynamic shared memory that each group lends.
    pub lend: u32,
    /// Padding: the size is a multiple of 8.
    pub unused: u32,
}

// SAFETY: **plain**: offsets and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for Job {
    const NAME: (&'static str, &'static str) = ("perf::Job", "");
}

const _: () = assert!(size_of::<Job>() == 12 * 8 + 8 * 4);

impl Job {
    /// Returns the distance in bytes from the first address at which iteration `turn` of the window reads.
    #[inline(always)]
    pub fn read_at(&self, turn: u32) -> u64 {
        // Keeps as little as possible from one iteration to the next.
        ptx::opaque_u32(turn) as u64 * self.step
    }

    /// Returns the number of the following iteration.
    #[inline(always)]
    pub fn next_turn(&self, turn: u32) -> u32 {
        if turn + 1 == self.window { 0 } else { turn + 1 }
    }
}

/// Returns the number of this thread's group in the grid.
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

/// Returns the world, with a part of the block's shared memory lent to this thread's group.
#[inline(always)]
pub fn lend<'w, G: Group>(shmem: &Shmem<'w>, job: &Job, _: G) -> Shmem<'w> {
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

/// Records the start of this block, when all its threads have arrived.
#[inline(always)]
pub fn begin(shmem: &Shmem, job: &Job) {
    Block.sync();
    if Block.leads() {
        slot(shmem, job).write(0, ptx::global_timer_ns());
    }
}

/// Records the end of this block, when all its threads are done.
#[inline(always)]
pub fn end(shmem: &Shmem, job: &Job) {
    Block.sync();
    if Block.leads() {
        slot(shmem, job).write(1, ptx::global_timer_ns());
    }
}

#[inline(always)]
fn slot<'a>(shmem: &'a Shmem<'a>, job: &Job) -> Local<'a, u64> {
    shmem.local(job.slots.add(2 * block_in_grid()), 2)
}

/// Returns the operations that are measured: those without checks of PE and ranges, or, with the feature `safe`, those
/// with them.
macro_rules! on {
    ($shmem:ident) => {{
        #[cfg(not(feature = "safe"))]
        // SAFETY: **inside**: the host's program makes the job, of ranges that it has allocated and PEs of its world.
        let on = unsafe { $shmem.unchecked() };
        #[cfg(feature = "safe")]
        let on = &$shmem;
        on
    }};
}
pub(crate) use on;

/// Generates the kernels of a test at thread, warp and block scope from one body, for blocks of at most the given
/// number of threads at each. Without that bound a copy may take more registers than such a block has.
macro_rules! at_each_scope {
    (
        threads = [$of_thread:literal, $of_warp:literal, $of_block:literal];
        $($(#[$meta:meta])* $body:ident: $thread:ident $warp:ident $block:ident;)+
    ) => {
        oxshmem_device::kernel! { $(
            $(#[$meta])*
            /// Runs the test by threads.
            pub fn $thread(shmem: Shmem, job: $crate::job::Job) -> Result<(), Fault> {
                $body(&shmem, job, Thread)
            }

            $(#[$meta])*
            /// Runs the test by warps.
            pub fn $warp(shmem: Shmem, job: $crate::job::Job) -> Result<(), Fault> {
                $body(&shmem, job, Warp)
            }

            $(#[$meta])*
            /// Runs the test by blocks.
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

//! The bodies of the library's kernels in every module, for which [`compose!`](crate::compose) makes the entries.

use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::LocalState;

use crate::{Block, Cmp, Fault, Group, Pe, Rma, Shmem, SignalOp, Signals, SymPtr, Thread};

/// Traps, which the driver reports as a failed launch. Device code is written so that nothing panics, and `xtask tidy`
/// refuses a module with a path to a panic.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    oxshmem_raw::gpu::ptx::trap()
}

/// Performs a barrier over all PEs on a stream. `how` adds up: 1 counts it among the barriers on streams, which the host
/// asks for unless the barrier is part of a graph; 2 completes earlier operations on queues.
#[inline(always)]
pub fn barrier_all<P: PathList>(shmem: Shmem<P>, how: u32) -> Result<(), Fault> {
    // The kernel may have been launched early. Until this wait it reads only its arguments.
    ptx::griddepcontrol_wait();
    // Lets the next barrier be launched while this one runs; the next one waits at the line above. It comes after the
    // wait, so that at most one barrier is launched early.
    ptx::griddepcontrol_launch_dependents();
    let local = shmem.state.local as *mut LocalState;
    // SAFETY: **live** of `from_state`: `local` is this PE's LocalState. Only barriers on streams use the word, one at
    // a time; a graph's barriers, each of which would be counted as often as the graph is launched, leave it.
    let word = unsafe { &raw mut (*local).stream_barriers };
    // SAFETY: the word is in this PE's LocalState, which **live** of `from_state` keeps mapped.
    let before = unsafe { ptx::ld_weak_u32(word) };
    let met = shmem.meet(Block, how & 2 != 0);
    // A failed barrier has ended too. A barrier that waits for it must continue, and then fails itself.
    if how & 1 != 0 && Block.leads() {
        // SAFETY: the word is in this PE's LocalState, which **live** of `from_state` keeps mapped. The release makes
        // the barrier's round visible to the barrier that waits for this word.
        unsafe { ptx::st_release_gpu_u32(word, before.wrapping_add(1)) }
    }
    met
}

/// Puts by a block, then signals. `how`: 1 sets the word, 2 adds to it.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel takes what its launch gives")]
pub fn put_on_stream<P: PathList>(
    shmem: Shmem<P>,
    dest: SymPtr<u8>,
    source: SymPtr<u8>,
    bytes: usize,
    word: SymPtr<u64>,
    value: u64,
    how: u32,
    pe: Pe,
) -> Result<(), Fault> {
    // One call, because only `put_signal` lets the signal wait for its data where writes may overtake each other.
    let op = if how == 1 { SignalOp::Set } else { SignalOp::Add };
    shmem.put_signal(Block, dest, source, bytes, word, value, op, pe)
}

/// Performs an operation on a stream to a remote PE, by one thread. `what`: 0 puts, 1 gets, 2 completes the operations
/// issued before.
#[inline(always)]
pub fn queue_on_stream<P: PathList>(
    shmem: Shmem<P>,
    what: u32,
    there: SymPtr<u8>,
    here: SymPtr<u8>,
    bytes: usize,
    pe: Pe,
) -> Result<(), Fault> {
    match what {
        0 => {
            shmem.put(Thread, there, here, bytes, pe)?;
            shmem.quiet()
        }
        1 => shmem.get(Thread, here, there, bytes, pe),
        _ => shmem.quiet(),
    }
}

/// Waits, by one thread. `cmp` is the number of a [`Cmp`].
#[inline(always)]
pub fn wait_on_stream<P: PathList>(shmem: Shmem<P>, word: SymPtr<u64>, cmp: u32, value: u64) -> Result<(), Fault> {
    const EQ: u32 = Cmp::Eq as u32;
    const NE: u32 = Cmp::Ne as u32;
    const GT: u32 = Cmp::Gt as u32;
    const LE: u32 = Cmp::Le as u32;
    const LT: u32 = Cmp::Lt as u32;
    let cmp = match cmp {
        EQ => Cmp::Eq,
        NE => Cmp::Ne,
        GT => Cmp::Gt,
        LE => Cmp::Le,
        LT => Cmp::Lt,
        _ => Cmp::Ge,
    };
    shmem.signal_wait_until(word, cmp, value).map(|_| ())
}

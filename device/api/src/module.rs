//! The bodies of the kernels that every module carries besides the user's, which [`compose!`](crate::compose) names.

use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::LocalState;

use crate::{Block, Cmp, Fault, Group, Pe, Rma, Shmem, SignalOp, Signals, SymPtr, Thread};

/// Device code is written so that nothing panics, and `xtask tidy` refuses a module in which something
/// can. What remains is a trap, which the driver reports as a failed launch.
#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    oxshmem_raw::gpu::ptx::trap()
}

/// A barrier over all PEs.
#[inline(always)]
pub fn barrier_all<P: PathList>(shmem: Shmem<P>) -> Result<(), Fault> {
    // It may have come early: up to here it has read its arguments and nothing else.
    ptx::griddepcontrol_wait();
    // The next barrier may come while this one lasts, and waits above. Said behind the wait, so that never more
    // than one is early.
    ptx::griddepcontrol_launch_dependents();
    let local = shmem.state.local as *mut LocalState;
    // SAFETY: `local` is the live LocalState of this PE. The barriers on streams alone use the word, one at a time.
    let word = unsafe { &raw mut (*local).stream_barriers };
    // SAFETY: as above.
    let before = unsafe { ptx::ld_weak_u32(word) };
    let met = shmem.barrier_all(Block);
    // A failed one has ended, too: what waits for it must go on, and fails in its turn.
    if Block.leads() {
        // SAFETY: as above. The round that the barrier counted is there for the one that this lets go.
        unsafe { ptx::st_release_gpu_u32(word, before.wrapping_add(1)) }
    }
    met
}

/// A put by a block and, behind it, a signal. `how`: 1 sets the word, 2 adds to it.
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
    // As one call: where writes may overtake each other it is the one that lets the signal wait for its data.
    let op = if how == 1 { SignalOp::Set } else { SignalOp::Add };
    shmem.put_signal(Block, dest, source, bytes, word, value, op, pe)
}

/// What a thread does for the host where a queue carries operations: 0 puts, 1 gets, 2 completes what was issued.
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

/// A wait by a thread. `cmp` is the number of a [`Cmp`].
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

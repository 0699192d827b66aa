//! Waits for completions, and the reason why a queue has stopped.

use core::cell::Cell;

use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::remote_queue::Failed;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::state::fault;
use oxshmem_raw::state::wait::{self, WaitBudget};
use oxshmem_rdma::mlx5::{CqeTail, cqe, done_after};

use super::queue::Queue;
use super::queue_ref::QueueRef;
use super::sharing::Sharing;

/// Waits until the blocks below `target` are complete. Reads the queue's words and calls [`wait_from`].
///
/// # Errors
/// As [`poll`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait<S: Sharing>(queue: QueueRef<S>, target: u64) -> Result<(), Failed> {
    let cqe = queue.cqe();
    wait_from(queue, target, queue.done(), cqe)
}

/// Does the same for a caller that has already read the number of completed blocks (`done`) and the address of the
/// completion entry (`cqe`). The wait itself is not inlined.
///
/// # Errors
/// As [`poll`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait_from<S: Sharing>(queue: QueueRef<S>, target: u64, done: u64, cqe: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call<S: Sharing>(queue: QueueRef<S>, target: u64, done: u64, cqe: u64) -> u64 {
        Failed::encode(poll(queue, target, done, cqe).map(|()| 0))
    }
    // Usually the completion is known already.
    if done >= target { Ok(()) } else { Failed::decode(call(queue, target, done, cqe)).map(drop) }
}

/// Waits until the blocks below `target` are complete. Data that their operations wrote to this PE is visible
/// afterwards. `done` is the queue's own word of completed blocks, `cqe` the address of its completion entry.
///
/// The word is read before the completion entry, so the entry names the same block or a later one. Its 16 bits identify
/// the block if that block is less than 2^15 blocks later. If this thread was delayed and the block is later than that,
/// the bits give too low an index, never too high a one. The word is therefore read again from time to time, and
/// posting threads keep it within a queue's depth.
///
/// # Errors
/// The queue has stopped, the limit was reached, its peer died, the host stopped this PE's kernels, or another thread has
/// reported a fault.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn poll<S: Sharing>(queue: QueueRef<S>, target: u64, done: u64, cqe: u64) -> Result<(), Failed> {
    let (mut reads, mut stopped, done) = (0u32, false, Cell::new(done));
    wait::until_among(
        queue.world(),
        &mut WaitBudget::new(),
        1,
        |dead| dead.number() == queue.open().pe(),
        || {
            // SAFETY: **live** of the queue keeps its completion entry, which the NIC writes, mapped. Counter and
            // opcode are in one word, so they can't tear.
            let tail = CqeTail(unsafe { ptx::ld_acquire_sys_u32((cqe + cqe::TAIL_OFFSET as u64) as *const u32) });
            match tail.opcode() {
                // Nothing has completed yet.
                cqe::INVALID => {}
                cqe::REQ_ERR | cqe::RESP_ERR => {
                    stop(queue.open());
                    stopped = true;
                    return Some(());
                }
                _ => {
                    let now = done_after(done.get(), tail.wqe_counter());
                    // Where `done` is cheap to read, threads that wait for a lower target read it in each round.
                    if now >= target || (S::IN_SHARED_MEMORY && now > done.get()) {
                        queue.raise_done(now);
                    }
                    if now >= target {
                        return Some(());
                    }
                    done.set(now);
                }
            }
            reads += 1;
            if S::IN_SHARED_MEMORY || reads.is_multiple_of(READS_PER_LOOK) {
                if queue.known_stopped().is_some() {
                    stopped = true;
                    return Some(());
                }
                let known = queue.done();
                if known >= target {
                    return Some(());
                }
                if known > done.get() {
                    done.set(known);
                }
            }
            None
        },
        || late(queue.open(), target, done.get()),
    )
    .map_err(|_| Failed)?;
    if stopped { Err(Failed) } else { Ok(()) }
}

/// Reads of the completion entry between two reads of the queue's own words, where those words are not in shared
/// memory.
const READS_PER_LOOK: u32 = 16;

#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn late<S: Sharing>(queue: Queue<S>, target: u64, done: u64) -> Fault {
    let mut fault = Fault::new(FaultStep::Queue);
    (fault.pe, fault.qp, fault.asked, fault.seen) = (queue.pe(), queue.handle(), target, done);
    fault
}

/// Records the error completion as the reason why the queue has stopped, unless there is one already.
///
/// The NIC flushes the entries that follow a failed one, and overwrites the completion with theirs at any time. Index
/// and opcode are therefore read first, in one word. The syndrome that is read after them is their own, or that of a
/// flush; it is never the cause with another entry's index.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn stop<S: Sharing>(queue: Queue<S>) -> Stopped {
    const { assert!(cqe::TAIL_OFFSET == cqe::QPN_OFFSET + 4) };
    let done = queue.done();
    // SAFETY: **live** of the queue keeps its completion entry mapped, whose last 8 bytes these are.
    let word = unsafe { ptx::ld_acquire_sys_u64((queue.cqe() + cqe::QPN_OFFSET as u64) as *const u64) };
    // SAFETY: **live** of the queue keeps its completion entry mapped.
    let syndromes = unsafe { ptx::ld_relaxed_sys_u32((queue.cqe() + cqe::ERROR_OFFSET as u64) as *const u32) };
    queue.stop(Stopped {
        index: done_after(done, CqeTail((word >> 32) as u32).wqe_counter()).wrapping_sub(1),
        opcode: word as u8,
        syndrome: (syndromes >> 24) as u8,
        vendor: (syndromes >> 16) as u8,
    })
}

/// Returns the fault of a failed call on this queue. Works also in a thread that did not wait itself.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reason<S: Sharing>(queue: QueueRef<S>) -> Fault {
    let open = queue.open();
    match queue.stopped() {
        Some(stopped) => {
            let mut fault = Fault::new(FaultStep::Completion);
            (fault.pe, fault.qp, fault.at) = (open.pe(), open.handle(), stopped.index);
            fault.detail = Fault::completion_detail(stopped.syndrome, stopped.vendor, stopped.opcode);
            fault
        }
        // The cause was not a completion.
        None => fault::first_or_aborted(open.world()),
    }
}

//! What the NIC has completed.

use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::mlx5::{CqeTail, cqe, done_after};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::nic::Stopped;
use oxshmem_raw::wait::{self, Patience};
use oxshmem_raw::{fault, ptx};

use super::queue::{Place, Queue};
use super::sharing::Sharing;

/// Waits until the blocks below `target` are complete. What their operations wrote here is visible behind it.
///
/// # Errors
/// The queue has stopped; the limit was reached, the host said stop, or another thread has reported a fault.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait<S: Sharing>(state: &WorldState, queue: Queue<S>, target: u64) -> Result<(), Fault> {
    if queue.done() >= target {
        return Ok(());
    }
    let mut stopped = false;
    wait::until(
        state,
        &mut Patience::new(),
        2,
        || match poll(queue) {
            Ok(done) => (done >= target).then_some(()),
            Err(_) => {
                stopped = true;
                Some(())
            }
        },
        || late(queue, target),
    )?;
    if stopped { Err(reason(queue.place())) } else { Ok(()) }
}

#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn late<S: Sharing>(queue: Queue<S>, target: u64) -> Fault {
    let mut fault = Fault::new(FaultStep::Queue);
    (fault.pe, fault.qp, fault.asked, fault.seen) = (queue.pe(), queue.handle(), target, queue.done());
    fault
}

/// Reads the completion and says how many blocks are done.
///
/// The count is read before the completion: then the completion is of an entry at or behind it, by less than 2^15, and
/// its 16 bits say which. The other way round a completion that was read long ago could be of any lap.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn poll<S: Sharing>(queue: Queue<S>) -> Result<u64, Stopped> {
    let done = queue.done();
    // SAFETY: the queue's completion entry, which the NIC writes. Counter and opcode are in one word, and can't tear.
    let tail = CqeTail(unsafe { ptx::ld_acquire_sys_u32((queue.cqe() + cqe::TAIL_OFFSET as u64) as *const u32) });
    match tail.opcode() {
        // Nothing has completed yet.
        cqe::INVALID => Ok(done),
        cqe::REQ_ERR | cqe::RESP_ERR => Err(stop(queue, done, tail)),
        _ => {
            if let Some(stopped) = queue.known_stopped() {
                return Err(stopped);
            }
            let now = done_after(done, tail.wqe_counter());
            if now > done {
                queue.raise_done(now);
            }
            Ok(now)
        }
    }
}

/// Makes an error completion the reason why the queue has stopped, unless there is one.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn stop<S: Sharing>(queue: Queue<S>, done: u64, tail: CqeTail) -> Stopped {
    // SAFETY: as in `poll`.
    let (syndromes, opcode) = unsafe {
        (
            ptx::ld_relaxed_sys_u32((queue.cqe() + cqe::ERROR_OFFSET as u64) as *const u32),
            ptx::ld_relaxed_sys_u32((queue.cqe() + cqe::QPN_OFFSET as u64) as *const u32),
        )
    };
    queue.stop(Stopped {
        index: done_after(done, tail.wqe_counter()).wrapping_sub(1),
        opcode: opcode as u8,
        syndrome: (syndromes >> 24) as u8,
        vendor: (syndromes >> 16) as u8,
    })
}

/// The fault of a wait on this queue that failed, for a thread that did not wait itself.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reason<S: Sharing>(queue: Place<S>) -> Fault {
    let open = queue.open();
    match queue.stopped() {
        Some(stopped) => {
            let mut fault = Fault::new(FaultStep::Completion);
            (fault.pe, fault.qp, fault.at) = (open.pe(), open.handle(), stopped.index);
            fault.detail = Fault::completion_detail(stopped.syndrome, stopped.vendor, stopped.opcode);
            fault
        }
        // It was no completion.
        None => reported(open.world()),
    }
}

/// The fault that a thread of this PE has reported.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reported(state: &WorldState) -> Fault {
    fault::first(state).unwrap_or(Fault::new(FaultStep::Aborted))
}

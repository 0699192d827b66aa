//! Waits for completed requests, and the reason why a queue has stopped.

use crate::state::{ENDED, stopped};
use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::queue::remote_queue::Failed;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::state::fault;
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::queue::{Queue, QueueRef};

/// Waits until the queue's requests below index `target` are complete. Data that they wrote to this PE is visible
/// afterwards.
///
/// # Errors
/// The queue has stopped, the limit was reached, the host stopped this PE's kernels, or another thread has reported a
/// fault.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait(queue: Queue, target: u64) -> Result<(), Failed> {
    let done = queue.queue_ref().done();
    if done & !ENDED >= target {
        return Ok(());
    }
    let mut seen = done;
    let complete = || {
        seen = queue.look_at_done(seen);
        (seen & ENDED != 0 || seen >= target).then_some(())
    };
    wait::until(queue.world(), &mut WaitBudget::new(), 2, complete, || {
        let mut fault = Fault::new(FaultStep::Queue);
        (fault.pe, fault.qp, fault.asked, fault.seen) = (queue.pe, queue.handle, target, queue.queue_ref().done());
        fault
    })
    .map_err(|_| Failed)?;
    if seen & !ENDED >= target { Ok(()) } else { Err(Failed) }
}

/// [`wait`], not inlined.
///
/// # Errors
/// As [`wait`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn wait_out_of_line(queue: QueueRef, target: u64) -> Result<(), Failed> {
    #[inline(never)]
    fn call(queue: QueueRef, target: u64) -> u64 {
        Failed::encode(wait(queue.open(), target).map(|()| 0))
    }
    Failed::decode(call(queue, target)).map(drop)
}

/// Returns the fault of a call on this queue that failed.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reason(queue: QueueRef) -> Fault {
    let open = queue.open();
    if open.look_at_done(0) & ENDED == 0 {
        // The queue has not stopped, so the PE's first fault is the reason.
        return fault::first_or_aborted(open.world());
    }
    let [word, at, bytes] = open.why();
    why(Stopped::from_word(word), at, bytes, open.pe, open.handle)
}

/// Returns the reason in [`QueueProgress`](crate::state::QueueProgress) as a fault of the queue with this handle to this PE.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn why(because: Stopped, at: u64, bytes: u64, pe: u32, handle: i32) -> Fault {
    let step = match because.syndrome {
        stopped::PROXY_ENDED => FaultStep::Proxy,
        stopped::NOT_REGISTERED => FaultStep::NotRegistered,
        _ => FaultStep::Completion,
    };
    let mut fault = Fault::new(step);
    (fault.pe, fault.qp, fault.at) = (pe, handle, because.index);
    match step {
        FaultStep::NotRegistered => (fault.at, fault.asked) = (at, bytes),
        _ => fault.detail = Fault::completion_detail(because.syndrome, because.vendor, because.opcode),
    }
    fault
}

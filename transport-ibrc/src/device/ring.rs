//! Slots of a ring, requests written into them, and the wait for their completion.
//!
//! Each word of a line carries the parity of the lap in which it was written. A request is complete when all its words
//! are of this lap, in whatever order they arrive. A slot is written again only after the ring's progress thread has
//! freed it.

use crate::state::ENDED;
use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::Failed;

use super::queue::{Queue, QueueRef};
use crate::request::{first_word, lap, later_word};

/// The slots that lanes reserved together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// Index of the first lane's slot.
    pub(super) first: u64,
    /// Index of this lane's slot.
    pub(super) own: u64,
    /// Whether the queue has stopped. The progress thread then consumes its requests and drops them.
    stopped: bool,
}

impl Places {
    /// Returns the result of a call after its request is written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn ended(self) -> Result<(), Failed> {
        if self.stopped { Err(Failed) } else { Ok(()) }
    }
}

/// Bit of the leader's word to the other lanes: the queue has stopped.
const STOPPED: u64 = 1 << 63;

/// Takes a slot for each of the lanes, with one atomic, and waits until they are free.
///
/// The total never exceeds the smallest ring, so no thread waits for a slot that only it could free. A thread that has
/// a slot must write to it even if its queue has stopped, because the progress thread consumes slots in order.
///
/// # Errors
/// The ring's progress thread has ended, or consumed nothing within the limit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reserve(queue: Queue, lanes: Lanes) -> Result<Places, Failed> {
    let places = reserve_together(queue, lanes, lanes.count)?;
    Ok(Places { own: places.first + lanes.rank as u64, ..places })
}

/// Reserves `count` slots that the lanes share, as [`reserve`] does. [`Places::own`] is the first slot for all of them.
///
/// # Errors
/// As for [`reserve`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reserve_together(queue: Queue, lanes: Lanes, count: u32) -> Result<Places, Failed> {
    let mut word = u64::MAX;
    if lanes.leads() {
        // The three loads overlap. Free space can only have grown once the atomic completes.
        let first = queue.take(count as u64);
        let (stopped, head) = (queue.queue_ref().is_known_stopped(), queue.head());
        let end = first + count as u64;
        queue.note(end);
        // After the progress thread has ended, the head no longer counts slots.
        let is_free = end <= head + queue.depth as u64 && head & ENDED == 0;
        if is_free || room(queue, end).is_ok() {
            word = if stopped { first | STOPPED } else { first };
        }
    }
    word = lanes.leaders(word);
    if word == u64::MAX {
        return Err(Failed);
    }
    let first = word & !STOPPED;
    Ok(Places { first, own: first, stopped: word & STOPPED != 0 })
}

/// Number of slots after the free ones whose owners poll the host's word and publish it to the others. If a thousand
/// waiting warps each polled across the bus, none would make progress. The next slots to become free are always among
/// these, because the owner of the preceding slot publishes that the ring is free up to there.
const TURNS: u64 = 128;

/// The time for which other waiting threads sleep: the first figure for each slot that they wait for, which is less
/// than a proxy needs for a request, and at most the second figure. They sleep because even polls of one word in the
/// GPU's own memory delay the threads that reserve slots there.
const SLEEP_NS: (u64, u64) = (4, 8192);

/// Waits until the slots below `end` are free.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn room(queue: Queue, end: u64) -> Result<(), Failed> {
    let mut head = queue.look_at_head(0);
    if head & ENDED == 0 && end > head + queue.depth as u64 {
        queue.count_stall();
        let free = || {
            let behind = end.saturating_sub(head + queue.depth as u64);
            if behind <= TURNS {
                head = queue.look_at_head(head);
            } else {
                let ns = SLEEP_NS.0 * behind;
                ptx::sleep_ns(if ns < SLEEP_NS.1 { ns } else { SLEEP_NS.1 } as u32);
                head = queue.head();
            }
            (head & ENDED != 0 || end <= head + queue.depth as u64).then_some(())
        };
        queue.wait(2, free, end - queue.depth as u64, || queue.head()).map_err(|_| Failed)?;
    }
    if head & ENDED != 0 { Err(Failed) } else { Ok(()) }
}

/// Writes the request at `index`. `names`: the request refers to memory of this PE or signals earlier writes; this
/// thread's earlier writes are then ordered before it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write(queue: Queue, index: u64, names: bool, head: u64, rest: [u64; 7]) {
    if names {
        order::written_before_announced(queue.wide);
    }
    let line = queue.line(index);
    let [a, b, c, d] = quarters(queue, index, head, rest);
    // SAFETY: the queue's **live** keeps the ring mapped; the line is in it, and its slot is reserved to this thread.
    unsafe {
        ptx::st_relaxed_sys_v2(line, a);
        ptx::st_relaxed_sys_v2(line.add(1), b);
        ptx::st_relaxed_sys_v2(line.add(2), c);
        ptx::st_relaxed_sys_v2(line.add(3), d);
    }
}

/// Writes a request that names no memory, as [`write`] does, by `count` lanes that all have the same request; this lane
/// has rank `rank`. If `count` is four or more, each of the first four lanes writes a quarter, so that one store of a
/// warp fills whole lines.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write_shared(queue: Queue, index: u64, rank: u32, count: u32, head: u64, rest: [u64; 7]) {
    if count < 4 {
        if rank == 0 {
            write(queue, index, false, head, rest);
        }
        return;
    }
    let [a, b, c, d] = quarters(queue, index, head, rest);
    if rank < 4 {
        let low = if rank & 1 == 0 { a } else { b };
        let high = if rank & 1 == 0 { c } else { d };
        let quarter = if rank & 2 == 0 { low } else { high };
        // SAFETY: the queue's **live** keeps the ring mapped; the line is in it and reserved to these lanes, of which
        // this one alone writes this quarter.
        unsafe { ptx::st_relaxed_sys_v2(queue.line(index).add(rank as usize), quarter) }
    }
}

/// Returns the line of the request at `index` in its stored form.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn quarters(queue: Queue, index: u64, head: u64, rest: [u64; 7]) -> [ptx::V2; 4] {
    let lap = lap(index, queue.depth);
    let [a, b, c, d, e, f, g] = rest;
    [
        [first_word(head, rest, lap), later_word(a, lap)],
        [later_word(b, lap), later_word(c, lap)],
        [later_word(d, lap), later_word(e, lap)],
        [later_word(f, lap), later_word(g, lap)],
    ]
}

/// Waits until the queue's requests below index `target` are complete. Data that they wrote to this PE is visible
/// afterwards.
///
/// # Errors
/// The queue has stopped, the limit was reached, its peer died, the host stopped this PE's kernels, or another thread has
/// reported a fault.
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
    queue.wait(2, complete, target, || queue.queue_ref().done()).map_err(|_| Failed)?;
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

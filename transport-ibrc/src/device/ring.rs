//! Places of a ring, and requests into them.
//!
//! Each word of a line says by itself in which lap it was written, so that a request is there when all its words are,
//! in whatever order they arrive. A place is written again only when the ring's thread has said that it is free.

use crate::state::ENDED;
use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::Failed;
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::queue::Queue;
use crate::request::{first_word, lap, later_word};

/// Places that lanes have together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    /// Index of the first of all.
    pub(super) first: u64,
    /// Index of this lane's.
    pub(super) own: u64,
    /// The queue has stopped: its requests are taken out of the ring, and come to nothing.
    stopped: bool,
}

impl Places {
    /// What a call says whose request is written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn ended(self) -> Result<(), Failed> {
        if self.stopped { Err(Failed) } else { Ok(()) }
    }
}

/// In the leader's word to the others: the queue has stopped.
const STOPPED: u64 = 1 << 63;

/// Takes a place for each of the lanes, with one atomic, and waits until they are free.
///
/// All together are never more than the smallest ring has, so that nobody waits for a place that only he can free. Who
/// has a place must write to it, whatever became of his queue: the ring's thread takes requests in their order.
///
/// # Errors
/// Nobody serves the ring any more, or nothing was taken out of it within the limit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reserve(queue: Queue, lanes: Lanes) -> Result<Places, Failed> {
    let places = reserve_together(queue, lanes, lanes.count)?;
    Ok(Places { own: places.first + lanes.rank as u64, ..places })
}

/// As [`reserve`], so many places for all lanes together; [`Places::own`] is the first for each of them.
///
/// # Errors
/// As for that.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reserve_together(queue: Queue, lanes: Lanes, count: u32) -> Result<Places, Failed> {
    let mut word = u64::MAX;
    if lanes.leads() {
        // All three on their way at once. What is free can but be more when the atomic is done.
        let first = queue.take(count as u64);
        let (stopped, head) = (queue.queue_ref().is_known_stopped(), queue.head());
        let end = first + count as u64;
        queue.note(end);
        // What has ended is no longer compared.
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

/// Places behind those that are known to be free whose takers look at the host's word, and tell the others: of a thousand
/// warps that wait, each with its own look across the bus, none would get far. The next to be free are always among them,
/// since who has the place before one has told where the ring is free up to there.
const TURNS: u64 = 128;

/// Who has to wait for more sleeps meanwhile, for so long for each of them, which is less than a proxy takes, and not
/// longer than this: even the looks at one word of the GPU's own memory are in the way of those who take places there.
const SLEEP_NS: (u64, u64) = (4, 8192);

/// Waits until the places below `end` are free.
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
        wait::until(queue.world(), &mut WaitBudget::new(), 2, free, || {
            let mut fault = Fault::new(FaultStep::Queue);
            (fault.pe, fault.qp, fault.asked) = (queue.pe, queue.handle, end - queue.depth as u64);
            fault.seen = queue.head();
            fault
        })
        .map_err(|_| Failed)?;
    }
    if head & ENDED != 0 { Err(Failed) } else { Ok(()) }
}

/// Writes the request at `index`. `names`: it names memory of this PE, or tells somebody of what was done before, which
/// then is ordered ahead of it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn write(queue: Queue, index: u64, names: bool, head: u64, rest: [u64; 7]) {
    if names {
        order::written_before_told(queue.wide);
    }
    let line = queue.line(index);
    let [a, b, c, d] = quarters(queue, index, head, rest);
    // SAFETY: the line is in the ring, and this thread's.
    unsafe {
        ptx::st_relaxed_sys_v2(line, a);
        ptx::st_relaxed_sys_v2(line.add(1), b);
        ptx::st_relaxed_sys_v2(line.add(2), c);
        ptx::st_relaxed_sys_v2(line.add(3), d);
    }
}

/// As [`write`] of what names nothing, by lanes that all have the same request: this is the one of rank `rank` among
/// `count`. From four on each writes a quarter, so that one store of a warp fills whole lines.
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
        // SAFETY: the line is in the ring, and this quarter of it this thread's.
        unsafe { ptx::st_relaxed_sys_v2(queue.line(index).add(rank as usize), quarter) }
    }
}

/// The line of the request at `index`, as it is stored.
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

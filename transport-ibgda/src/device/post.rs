//! Posting: blocks of the send queue are reserved, and written entries are announced to the NIC in order.
//!
//! Many threads write entries in any order; entries must be announced to the NIC in the order of their indices. The
//! thread that may announce the next entries holds the *baton*, and the word `posted` passes it on: the thread whose
//! entries begin at `posted` holds the baton, without an atomic, as long as it has not marked its entries as written. A
//! thread whose entries follow unannounced entries marks its own and leaves; the holder of the baton then announces
//! them too. One doorbell therefore announces the entries of many threads, and of more threads the busier the queue is.
//!
//! The race: a thread marks its entries, finds the baton at earlier entries, and leaves; meanwhile the holder passes
//! the baton to exactly these entries, finds them unmarked, and leaves too. Each thread writes one word and then reads
//! the other's. A sequentially consistent fence between the two makes it impossible that both miss. Both may see each
//! other; `claim` then lets one of them win.
//!
//! `written_before_announced` always runs after a thread receives the baton, or sees another thread's mark, and before
//! it announces. It orders earlier announcements before this one: this thread's record and doorbell can't overtake
//! those of the previous holder, and a NIC that sees this record alone sees the earlier entries too. `posted` is
//! therefore read before the fence that a thread needs for its own entries, and one fence serves both purposes.
//!
//! The holder serves other threads as long as they keep marking entries, and its own call does not return during that
//! time. After each `most_served` blocks of other threads (a queue's depth) it therefore offers the baton, and waits a
//! moment before it takes the baton back. The threads that keep it busy mark entries; after a mark, each thread looks
//! for an offer and takes it. The holder leaves when a thread has taken the offer, or when no entry is marked. A marked
//! entry therefore always has a thread that announces it, and never depends on a later call.

use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::Failed;
use oxshmem_rdma::mlx5::{doorbell, send_dbr};

use super::done;
use super::queue::Queue;
use super::queue_ref::QueueRef;
use super::sharing::Sharing;

/// Polls of an offer before the offering thread continues itself.
const OFFER_LOOKS: u32 = 4;

/// The blocks that lanes reserved together, the same number for each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserved {
    /// Index of the first block of the first lane.
    pub(super) first: u64,
    /// Index of this lane's first block.
    pub(super) own: u64,
    /// Index after the last block of the last lane.
    pub(super) end: u64,
    /// Index up to which entries were announced to the NIC when the blocks were taken. Valid in the leader alone.
    pub(super) posted: u64,
}

impl Reserved {
    /// Reports whether this lane's entry requests a completion. The last lane's does. If the reservation takes most of
    /// a small queue, each entry does, because the NIC would otherwise report no progress for too long.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn signals<S: Sharing>(&self, queue: Queue<S>, lanes: Lanes) -> bool {
        lanes.is_last() || 2 * (self.end - self.first) > queue.depth() as u64
    }
}

/// Reserves `blocks` blocks for each of the lanes, with one atomic, and waits until the queue has room for them.
///
/// The total never exceeds the smallest queue (32 lanes with 4 blocks each: 128), so no thread waits for room that only
/// it could make.
///
/// # Errors
/// The queue has stopped, or nothing completed within the limit.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reserve<S: Sharing>(queue: Queue<S>, lanes: Lanes, blocks: u32) -> Result<Reserved, Failed> {
    let mine = lanes.rank as u64 * blocks as u64;
    let all = together(queue, lanes, blocks as u64 * lanes.count as u64)?;
    Ok(Reserved { own: all.first + mine, ..all })
}

/// Reserves `total` blocks that the lanes share. [`Reserved::own`] is the index of the first block for all of them.
///
/// # Errors
/// As [`reserve`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn together<S: Sharing>(queue: Queue<S>, lanes: Lanes, total: u64) -> Result<Reserved, Failed> {
    let (mut first, mut posted) = (0, 0);
    if lanes.leads() {
        first = queue.take(total);
        // These loads overlap with the atomic.
        posted = queue.posted();
        let (free, stopped) = (queue.free_up_to(), queue.known_stopped().is_some());
        if (stopped || first + total > queue.room() as u64 + free) && room(queue, first + total, stopped).is_err() {
            queue.add_reserved_at_home(total);
            first = u64::MAX;
        }
    }
    first = lanes.leaders(first);
    if first == u64::MAX {
        return Err(Failed);
    }
    Ok(Reserved { first, own: first, end: first + total, posted })
}

/// Waits until the queue has room for blocks up to `end`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn room<S: Sharing>(queue: Queue<S>, end: u64, stopped: bool) -> Result<(), Failed> {
    if stopped {
        return Err(Failed);
    }
    queue.count_stall();
    done::wait(queue.queue_ref(), end - queue.room() as u64)
}

/// Announces written entries to the NIC. Every lane calls after it has written its own.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn publish<S: Sharing>(queue: Queue<S>, lanes: Lanes, reserved: Reserved) {
    // The leader orders the writes of all lanes, entries and data.
    lanes.sync();
    if lanes.leads() {
        let Reserved { first, end, posted, .. } = reserved;
        // No thread takes the baton from unmarked entries: if this thread held it at the reservation, it still does.
        let mine = posted == first;
        // The mark is loaded before the fence: the load and the fence overlap, and the fence also orders the entries
        // that the mark announces. The value is used after the fence, so that the thread does not wait for both in
        // sequence.
        let asked = mine && !queue.ends_at(end);
        let found = if asked { queue.mark_at(end) } else { 0 };
        order::written_before_announced(queue.wide());
        if mine && (!asked || queue.is_unmarked(end, ptx::opaque_u64(found))) {
            ring(queue, end);
            if S::IN_SHARED_MEMORY {
                give(queue, end - first, end)
            } else {
                pass_on(queue.queue_ref(), end - first, end)
            }
        } else if mine || queue.posted() == first {
            announce(queue.queue_ref(), end - first, end);
        } else {
            mark(queue.queue_ref(), first, end);
        }
        queue.add_reserved_at_home(end - first);
    }
    // The lanes stay together: lanes that ran ahead would post their next entries without the leader.
    lanes.sync();
}

/// Marks entries that follow unannounced ones and leaves them to the holder of the baton, unless the baton has arrived
/// at them since.
#[inline(never)]
fn mark<S: Sharing>(queue: QueueRef<S>, first: u64, end: u64) {
    let open = queue.open();
    open.mark(first, end);
    S::mine_before_theirs();
    // The loads overlap.
    let (posted, offered) = (open.posted(), open.offered());
    if posted == first {
        if open.claim(first) {
            announce(queue, end - first, end);
        }
    } else if offered == Some(posted) && open.marked(posted) > posted && open.claim(posted) {
        // (An outdated offer names another index. An offer may be seen before the marks for which it was made; without
        // those marks the baton could belong to a thread that holds it without a claim.)
        announce(queue, end - first, posted);
    }
}

/// [`give`], not inlined.
#[inline(never)]
fn pass_on<S: Sharing>(queue: QueueRef<S>, step: u64, end: u64) {
    give(queue.open(), step, end)
}

/// Passes the baton on at `end`, after the doorbell. Takes it back if the entries at `end` are marked and no other
/// thread has it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn give<S: Sharing>(queue: Queue<S>, step: u64, end: u64) {
    queue.hand_on(end);
    S::mine_before_theirs();
    if !queue.ends_at(end) && queue.marked(end) > end && queue.claim(end) {
        announce(queue.queue_ref(), step, end);
    }
}

/// Announces the entries up to `end`, and the marked ones that follow. The caller holds the baton; `step` is the number
/// of blocks that a thread posts at once, estimated from the caller's own.
#[inline(never)]
fn announce<S: Sharing>(queue: QueueRef<S>, mut step: u64, mut end: u64) {
    let queue = queue.open();
    let most = queue.most_served() as u64;
    let mut enough = end + most;
    loop {
        (end, step) = walk(queue, end, step);
        // Orders the entries before the record: each thread wrote its entries before its mark.
        order::written_before_announced(queue.wide());
        ring(queue, end);
        queue.hand_on(end);
        S::mine_before_theirs();
        if queue.marked(end) <= end {
            return;
        }
        if end >= enough {
            if is_taken(queue, end) {
                return;
            }
            enough = end + most;
        }
        if !queue.claim(end) {
            return;
        }
    }
}

/// Offers the baton, which was passed on at `end` (entries there are marked), waits a moment, and reports whether a
/// thread took it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn is_taken<S: Sharing>(queue: Queue<S>, end: u64) -> bool {
    queue.offer(end);
    let mut looks = 0;
    while looks < OFFER_LOOKS {
        ptx::poll_pause();
        if !queue.is_unclaimed(end) {
            return true;
        }
        looks += 1;
    }
    false
}

/// Returns the end of the consecutive marked entries from `end` on, and the number of blocks between the last two
/// marks.
///
/// A mark holds the index of the next one, so reading marks one by one costs a memory latency each. Most threads post
/// the same number of blocks. Several marks are therefore read at once, at positions `step` apart.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn walk<S: Sharing>(queue: Queue<S>, mut end: u64, mut step: u64) -> (u64, u64) {
    loop {
        let (a, b, c, d) =
            (queue.marked(end), queue.marked(end + step), queue.marked(end + 2 * step), queue.marked(end + 3 * step));
        let (e, f, g, h) = (
            queue.marked(end + 4 * step),
            queue.marked(end + 5 * step),
            queue.marked(end + 6 * step),
            queue.marked(end + 7 * step),
        );
        // A mark is valid if the one before it ended at the position from which this one was read.
        macro_rules! follow {
            ($($next:ident)*) => { $(
                if $next <= end {
                    return (end, step);
                }
                let guessed = $next - end == step;
                (end, step) = ($next, $next - end);
                if !guessed {
                    continue;
                }
            )* };
        }
        follow!(a b c d e f g h);
    }
}

/// Writes the doorbell record, then the doorbell.
///
/// The record is stored after the entries and before the doorbell: the NIC may read it when the doorbell rings, and
/// stops at the index in it.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn ring<S: Sharing>(queue: Queue<S>, end: u64) {
    // SAFETY: **live** of the queue keeps its doorbell record mapped, and the holder of the baton alone writes it.
    unsafe { ptx::st_relaxed_sys_u32(queue.dbr() as *mut u32, send_dbr(end)) }
    order::record_before_doorbell(queue.wide());
    // SAFETY: **live** of the queue keeps its doorbell register mapped.
    unsafe { ptx::st_mmio_relaxed_sys_u64(queue.doorbell() as *mut u64, doorbell(end, queue.qpn())) }
}

//! The order of entries, the record, and the doorbell.
//!
//! Entries are written by many threads in any order; the NIC is told of them in the order of their indices. Who is
//! next to tell holds the *baton*. It is passed by the word `posted`: the thread whose entries begin at `posted` has it,
//! without asking anybody, as long as it has not marked them as written. A thread that finds entries of others ahead of
//! its own marks its own and leaves: whoever has the baton then takes them along, so that many threads' entries go with
//! one doorbell, and the busier the queue the more.
//!
//! The race: a thread marks its entries and then finds the baton ahead (so it leaves), while the holder hands it on
//! to exactly these entries and finds them not marked (so it leaves too). Both write one word and then read the other's;
//! a fence of total order between the two makes it impossible that both miss. That both see each other is possible, and
//! `claim` lets one of them win.
//!
//! Between getting the baton, or another's mark, and telling there is always `written_before_told`. What was told before
//! is then behind this thread: its record and doorbell can't overtake those of the thread that had the baton before, and
//! a NIC that sees only this record sees the entries of before as well. So `posted` is looked at ahead of the fence that
//! a thread needs for its own entries, and one fence does for both.
//!
//! Who holds the baton serves others for as long as they keep marking, while his own call has not returned. Behind each
//! `most_served` blocks of others, a queue's depth, he therefore offers the baton before he takes it back, and waits a
//! moment: those who keep him busy are threads that mark entries, and each of them looks for an offer then, and takes it.
//! He leaves when somebody has, or when nothing is marked: an entry that is marked always has a teller, and never depends
//! on a call that may not come.

use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::rdma::mlx5::{doorbell, send_dbr};

use super::queue::Queue;
use super::queue_ref::QueueRef;
use super::reserve::Reserved;
use super::sharing::Sharing;

/// Looks at whether an offer was taken, before the one who made it goes on himself.
const OFFER_LOOKS: u32 = 4;

/// Lets the NIC have entries that are written: every lane calls when its own are.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn publish<S: Sharing>(queue: Queue<S>, lanes: Lanes, reserved: Reserved) {
    // What each lane wrote, entries and data, is the leader's to order.
    lanes.sync();
    if lanes.leads() {
        let Reserved { first, end, posted, .. } = reserved;
        // Nobody takes the baton from entries that aren't marked: who had it when they were taken still has it.
        let mine = posted == first;
        // Asked ahead of the fence, which it is on its way with, and which then also orders what is behind a mark. What it
        // says is looked at behind the fence, so that nobody waits for the one and then for the other.
        let asked = mine && !queue.ends_at(end);
        let found = if asked { queue.mark_at(end) } else { 0 };
        order::written_before_told(queue.wide());
        if mine && (!asked || queue.is_unmarked(end, ptx::opaque_u64(found))) {
            ring(queue, end);
            if S::NEAR { give(queue, end - first, end) } else { pass_on(queue.queue_ref(), end - first, end) }
        } else if mine || queue.posted() == first {
            tell(queue.queue_ref(), end - first, end);
        } else {
            mark(queue.queue_ref(), first, end);
        }
        queue.tell_taken(end - first);
    }
    // The lanes stay together: those that go ahead of the leader would post their next ones without him, and he his alone.
    lanes.sync();
}

/// Marks entries that are behind others, and leaves them to who has the baton, unless that is gone by now.
#[inline(never)]
fn mark<S: Sharing>(queue: QueueRef<S>, first: u64, end: u64) {
    let open = queue.open();
    open.mark(first, end);
    S::mine_before_theirs();
    // Both are on their way together.
    let (posted, offered) = (open.posted(), open.offered());
    if posted == first {
        if open.claim(first) {
            tell(queue, end - first, end);
        }
    } else if offered == Some(posted) && open.marked(posted) > posted && open.claim(posted) {
        // (An offer of long ago names another place. One may be seen before the marks that it was made for; without them
        // the baton could be that of a thread which has it without having claimed it.)
        tell(queue, end - first, posted);
    }
}

/// [`give`], as a call.
#[inline(never)]
fn pass_on<S: Sharing>(queue: QueueRef<S>, step: u64, end: u64) {
    give(queue.open(), step, end)
}

/// Hands the baton on at `end`, behind the doorbell, and takes it back if the entries there are marked and nobody else
/// has.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn give<S: Sharing>(queue: Queue<S>, step: u64, end: u64) {
    queue.hand_on(end);
    S::mine_before_theirs();
    if !queue.ends_at(end) && queue.marked(end) > end && queue.claim(end) {
        tell(queue.queue_ref(), step, end);
    }
}

/// Tells the NIC of the entries up to `end`, and of those behind them that are marked. The caller has the baton; `step`
/// is how many entries a thread has at once, as it guesses by its own.
#[inline(never)]
fn tell<S: Sharing>(queue: QueueRef<S>, mut step: u64, mut end: u64) {
    let queue = queue.open();
    let most = queue.most_served() as u64;
    let mut enough = end + most;
    loop {
        (end, step) = walk(queue, end, step);
        // The marks' writers had written their entries before.
        order::written_before_told(queue.wide());
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

/// Offers the baton, which was handed on at `end` where entries are marked, and waits a moment for somebody to take it.
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

/// The end of the entries that are marked from `end` on, one mark after the other, and the number of blocks between
/// the last two.
///
/// A mark says where the next one is, and reading one after the other takes the time of memory for each. Most threads
/// post alike, so that a few are read at once where they would be if all were `step` apart.
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
        // Each is worth something if the one before it ended where it was read.
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

/// The record, then the doorbell.
///
/// The record is stored behind the entries and ahead of the doorbell: the NIC may read it when rung, and stops at the
/// index that it finds.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn ring<S: Sharing>(queue: Queue<S>, end: u64) {
    // SAFETY: the queue's own record.
    unsafe { ptx::st_relaxed_sys_u32(queue.dbr() as *mut u32, send_dbr(end)) }
    order::record_before_doorbell(queue.wide());
    // SAFETY: the queue's own register.
    unsafe { ptx::st_mmio_relaxed_sys_u64(queue.doorbell() as *mut u64, doorbell(end, queue.qpn())) }
}

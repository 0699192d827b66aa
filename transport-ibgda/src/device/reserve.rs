//! Reservation of blocks of the send queue.

use oxshmem_raw::queue::lanes::Lanes;
use oxshmem_raw::queue::remote_queue::Failed;

use super::done;
use super::queue::Queue;
use super::sharing::Sharing;

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
/// The total never exceeds the smallest queue (32 lanes with 4 blocks each: 128), so no thread waits for room that only it
/// could make.
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
            queue.tell_taken(total);
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

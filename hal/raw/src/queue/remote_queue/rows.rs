//! Rows of queues, with one queue to each PE in a row: the choice of a thread's queue, and fence and quiet over exactly
//! the given queues. A [`QueueTable`] has the queues.

use core::marker::PhantomData;

use oxshmem_core::{Fault, Group, PeSet, QpHandle, QpSet};

use super::{QueueTable, RemoteQueue, ended};
use crate::gpu::ptx;
use crate::state::fault;
use crate::state::{PathSlot, WorldState};

/// Raw value of the first custom handle (0 is the host's queue, 1 the default queues).
pub const FIRST_CUSTOM: i32 = 2;

/// Bytes of shared memory that a block needs for its own copy of a queue of any transport.
pub const EXCLUSIVE_BYTES: u32 = 256;

/// Returns the number of the queue of the custom handle `raw` toward `pe`. `default_rows` rows precede the custom ones.
#[inline(always)]
pub const fn queue_number(raw: i32, default_rows: u32, n_pes: u32, pe: u32) -> u32 {
    (raw - FIRST_CUSTOM) as u32 + default_rows * n_pes + pe
}

/// Returns the handle of `row`: the default one for the first `default_rows` rows. The inverse of [`row_of`].
#[inline(always)]
pub const fn handle_of(row: u32, default_rows: u32, n_pes: u32) -> QpHandle {
    match row.checked_sub(default_rows) {
        None => QpHandle::DEFAULT,
        Some(custom) => QpHandle::from_raw(FIRST_CUSTOM + (custom * n_pes) as i32),
    }
}

/// Returns the row of the custom handle `raw`; `None` if it is none of a world of `n_pes` PEs.
#[inline(always)]
pub const fn row_of(raw: i32, default_rows: u32, n_pes: u32) -> Option<u32> {
    if raw < FIRST_CUSTOM || n_pes == 0 || !((raw - FIRST_CUSTOM) as u32).is_multiple_of(n_pes) {
        return None;
    }
    Some(default_rows + (raw - FIRST_CUSTOM) as u32 / n_pes)
}

/// The rows of queues of one transport.
#[derive(Debug)]
pub struct QueueRows<'a, T> {
    world: &'a WorldState,
    slot: PathSlot,
    table: PhantomData<T>,
}

impl<'a, T: QueueTable> QueueRows<'a, T> {
    /// Returns the rows of this world.
    ///
    /// # Safety
    ///
    /// - **live**: `slot` is the table's slot in `world`, the state of a world whose memory stays mapped while the
    ///   value is used.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn new(world: &'a WorldState, slot: PathSlot) -> Self {
        Self { world, slot, table: PhantomData }
    }

    /// Orders operations. Over one row of queues that keep their order there is nothing to do. Over several rows,
    /// operations on one queue could overtake those on another, so the earlier ones complete first.
    ///
    /// # Errors
    /// As [`quiet`](Self::quiet).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        let rows = match qps {
            QpSet::Default => self.world.default_rows,
            QpSet::All => self.published(),
            QpSet::Of(handles) => match handles {
                [] => 0,
                [one] if *one != QpHandle::DEFAULT => 1,
                [_] => self.world.default_rows,
                _ => 2,
            },
        };
        // SAFETY: **live** of `new`: `slot` belongs to a world whose memory stays mapped.
        if rows <= 1 && unsafe { T::keeps_order(self.slot) } {
            group.sync();
            return Ok(());
        }
        self.quiet(group, pes, qps)
    }

    /// Completes all operations issued on these queues. The threads of the group share the queues.
    ///
    /// # Errors
    /// One of the queues has stopped, or a wait took too long.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        // After this meeting all threads have issued their operations.
        group.sync();
        let ended = match qps {
            QpSet::Default => self.complete_rows(group, pes, self.world.default_rows),
            QpSet::All => self.complete_rows(group, pes, self.published()),
            QpSet::Of(handles) => self.complete_listed(group, pes, handles),
        };
        match (group.any(ended.is_err()), ended) {
            (true, Ok(())) => Err(self.fault_of_others(pes, qps)),
            (_, ended) => ended,
        }
    }

    /// Reports whether any PE has a queue in this row. A destroyed row has none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn exists(&self, row: u32) -> bool {
        if row >= self.published() {
            return false;
        }
        let mut pe = 0;
        while pe < self.world.n_pes {
            // SAFETY: **live** of `new`: the world's memory stays mapped. **published**: `row` is below `published`.
            if unsafe { T::exists(self.slot, row * self.world.n_pes + pe) } {
                return true;
            }
            pe += 1;
        }
        false
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn published(&self) -> u32 {
        // SAFETY: **live** of `new`: `slot` belongs to a world whose memory stays mapped.
        unsafe { T::published(self.slot) }
    }

    /// Returns queue `number`, which is in a published row.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn queue(&self, number: u32) -> T::Queue {
        // SAFETY: **live** of `new`: the world's memory stays mapped. **published**: numbers come from rows that
        // `published` counts, from the default rows, and from handles, which a program gets for published rows only.
        unsafe { T::queue(self.slot, number) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete(&self, number: u32) -> Result<(), Fault> {
        let queue = self.queue(number);
        ended(queue, queue.complete())
    }

    /// Completes the first `rows` rows. The threads of the group share the queues.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete_rows<G: Group>(&self, group: G, pes: PeSet, rows: u32) -> Result<(), Fault> {
        let n_pes = self.world.n_pes;
        let (mut number, step, end) = match pes {
            PeSet::All => (group.rank(), group.size(), rows * n_pes),
            PeSet::One(pe) => (group.rank() * n_pes + pe.number(), group.size() * n_pes, rows * n_pes),
        };
        let mut ended = Ok(());
        while number < end && ended.is_ok() {
            ended = self.complete(number);
            number += step;
        }
        ended
    }

    /// Completes the listed queues. A list is short, so the threads take handles in turn, each with all its PEs.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn complete_listed<G: Group>(&self, group: G, pes: PeSet, handles: &[QpHandle]) -> Result<(), Fault> {
        let (mut ended, mut default, mut left) = (Ok(()), false, group.rank());
        for &handle in handles {
            if handle == QpHandle::DEFAULT {
                default = true;
                continue;
            }
            if left != 0 {
                left -= 1;
                continue;
            }
            left = group.size() - 1;
            let (mut pe, end) = match pes {
                PeSet::All => (0, self.world.n_pes),
                PeSet::One(pe) => (pe.number(), pe.number() + 1),
            };
            while pe < end && ended.is_ok() {
                ended = self.complete(queue_number(handle.raw(), self.world.default_rows, self.world.n_pes, pe));
                pe += 1;
            }
        }
        if default && ended.is_ok() {
            ended = self.complete_rows(group, pes, self.world.default_rows);
        }
        ended
    }

    /// Returns the fault that another thread of the group found: that of the first given queue that has stopped, else
    /// the reported one. Queues that are not given may have stopped long ago.
    #[cold]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fault_of_others(&self, pes: PeSet, qps: QpSet<'_>) -> Fault {
        let (first, end) = match pes {
            PeSet::All => (0, self.world.n_pes),
            PeSet::One(pe) => (pe.number(), pe.number() + 1),
        };
        let (mut row, rows) = (0, self.published());
        while row < rows {
            let mut pe = first;
            while pe < end && is_named(self.world, qps, row) {
                let queue = self.queue(row * self.world.n_pes + pe);
                if queue.has_stopped() {
                    return queue.fault();
                }
                pe += 1;
            }
            row += 1;
        }
        fault::first_or_aborted(self.world)
    }
}

/// Returns the default row of the calling thread, chosen by `map_by`. It is always the same for one thread.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn default_row(state: &WorldState, map_by: u32) -> u32 {
    let rows = state.default_rows;
    if rows <= 1 {
        return 0;
    }
    let by = match map_by {
        WorldState::BY_SM => ptx::smid(),
        WorldState::BY_WARP => {
            let warps = ptx::block_threads().div_ceil(ptx::WARP_SIZE);
            ptx::linear_ctaid() * warps + ptx::linear_tid() / ptx::WARP_SIZE
        }
        _ => ptx::linear_ctaid(),
    };
    by % rows
}

/// Reports whether the row's queues are among `qps`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn is_named(state: &WorldState, qps: QpSet<'_>, row: u32) -> bool {
    let is_default = row < state.default_rows;
    match qps {
        QpSet::Default => is_default,
        QpSet::All => true,
        QpSet::Of(handles) => {
            let mut named = false;
            for &handle in handles {
                named |= match handle {
                    QpHandle::DEFAULT => is_default,
                    _ => queue_number(handle.raw(), state.default_rows, state.n_pes, 0) == row * state.n_pes,
                };
            }
            named
        }
    }
}

//! Queues in rows, a queue to each PE in each: which one a thread uses, and fence and quiet over exactly those that are
//! named. Whose queues they are is a [`QueueRows`].

use oxshmem_core::{Fault, Group, PeSet, QpHandle, QpSet};

use crate::gpu::ptx;
use crate::state::WorldState;

/// Raw value of the first custom handle (0 is the host's queue, 1 the default ones).
pub const FIRST_CUSTOM: i32 = 2;

/// Bytes of shared memory that a block needs for its own copy of a queue, whichever transport's.
pub const EXCLUSIVE_BYTES: u32 = 256;

/// The number of the queue that the custom handle `raw` has toward `pe`, where `default_rows` rows come before.
#[inline(always)]
pub const fn queue_number(raw: i32, default_rows: u32, n_pes: u32, pe: u32) -> u32 {
    (raw - FIRST_CUSTOM) as u32 + default_rows * n_pes + pe
}

/// The queues of a transport, by number: `row * n_pes + pe`, the default rows first.
pub trait QueueRows {
    /// QueueRows that are published.
    fn published(state: &WorldState) -> u32;

    /// Whether what is asked on one queue is delivered in that order.
    fn keeps_order(state: &WorldState) -> bool;

    /// Completes what was issued on queue `number`. On one that is not there nothing was.
    ///
    /// # Errors
    /// It has stopped, or the wait took too long.
    fn complete(state: &WorldState, number: u32) -> Result<(), Fault>;

    /// What stopped queue `number`, if it has. One that leads to this PE itself is empty, and has not.
    fn stopped(state: &WorldState, number: u32) -> Option<Fault>;

    /// The fault that a thread of this PE has reported.
    fn reported(state: &WorldState) -> Fault;
}

/// Fence: over one row of queues that keep their order there is nothing to do; over several, operations on one could
/// overtake those on another, so that what is under way completes first.
///
/// # Errors
/// As [`quiet`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn fence<R: QueueRows, G: Group>(state: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
    let rows = match qps {
        QpSet::Default => state.default_rows,
        QpSet::All => R::published(state),
        QpSet::Of(handles) => match handles {
            [] => 0,
            [one] if *one != QpHandle::DEFAULT => 1,
            [_] => state.default_rows,
            _ => 2,
        },
    };
    if rows <= 1 && R::keeps_order(state) {
        group.sync();
        return Ok(());
    }
    quiet::<R, G>(state, group, pes, qps)
}

/// Quiet: what was issued on these queues is complete, shared out among the threads of the group.
///
/// # Errors
/// One of the queues has stopped, or a wait took too long.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn quiet<R: QueueRows, G: Group>(state: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
    // All have issued what they did before.
    group.sync();
    let ended = match qps {
        QpSet::Default => complete_rows::<R, G>(state, group, pes, state.default_rows),
        QpSet::All => complete_rows::<R, G>(state, group, pes, R::published(state)),
        QpSet::Of(handles) => complete_listed::<R, G>(state, group, pes, handles),
    };
    match (group.any(ended.is_err()), ended) {
        (true, Ok(())) => Err(anyones::<R>(state, pes, qps)),
        (_, ended) => ended,
    }
}

/// The row of default queues that the calling thread uses, always the same for one thread: by what `map_by` says.
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

/// The first `rows` rows of queues, shared out among the threads of the group.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn complete_rows<R: QueueRows, G: Group>(state: &WorldState, group: G, pes: PeSet, rows: u32) -> Result<(), Fault> {
    let (mut number, step, end) = match pes {
        PeSet::All => (group.rank(), group.size(), rows * state.n_pes),
        PeSet::One(pe) => (group.rank() * state.n_pes + pe.number(), group.size() * state.n_pes, rows * state.n_pes),
    };
    let mut ended = Ok(());
    while number < end && ended.is_ok() {
        ended = R::complete(state, number);
        number += step;
    }
    ended
}

/// The listed queues. A list is short: one thread after the other takes a handle, and all its PEs.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn complete_listed<R: QueueRows, G: Group>(
    state: &WorldState,
    group: G,
    pes: PeSet,
    handles: &[QpHandle],
) -> Result<(), Fault> {
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
            PeSet::All => (0, state.n_pes),
            PeSet::One(pe) => (pe.number(), pe.number() + 1),
        };
        while pe < end && ended.is_ok() {
            ended = R::complete(state, queue_number(handle.raw(), state.default_rows, state.n_pes, pe));
            pe += 1;
        }
    }
    if default && ended.is_ok() {
        ended = complete_rows::<R, G>(state, group, pes, state.default_rows);
    }
    ended
}

/// The fault of another thread of the group: that of the first queue among those named that has stopped, else what was
/// reported. Queues that are not named may have stopped long ago.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn anyones<R: QueueRows>(state: &WorldState, pes: PeSet, qps: QpSet<'_>) -> Fault {
    let (first, end) = match pes {
        PeSet::All => (0, state.n_pes),
        PeSet::One(pe) => (pe.number(), pe.number() + 1),
    };
    let (mut row, rows) = (0, R::published(state));
    while row < rows {
        let mut pe = first;
        while pe < end && is_named(state, qps, row) {
            if let Some(fault) = R::stopped(state, row * state.n_pes + pe) {
                return fault;
            }
            pe += 1;
        }
        row += 1;
    }
    R::reported(state)
}

/// Whether the row's queues are among those.
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

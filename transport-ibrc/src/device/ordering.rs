//! Fence and quiet, over exactly the queues that are named.

use core::mem::offset_of;

use oxshmem_core::{Fault, Group, OrderingDomain, PeSet, QpHandle, QpSet};
use oxshmem_raw::ptx;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::nic::queue_number;
use oxshmem_raw::state::proxy::{ProxyQueue, ProxyState};

use super::queue::Place;
use super::resource::Queues;
use super::{calls, done};

impl OrderingDomain for Queues<'_> {
    /// A queue's requests are served in the order of its ring and delivered in that of its queue pair. Over one row of
    /// queues there is nothing to do; over several, operations on one could overtake those on another, so that what is
    /// under way completes first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        let state = self.state;
        let rows = match qps {
            QpSet::Default => state.default_rows,
            QpSet::All => rows(state),
            QpSet::Of(handles) => match handles {
                [] => 0,
                [one] if *one != QpHandle::DEFAULT => 1,
                [_] => state.default_rows,
                _ => 2,
            },
        };
        if rows <= 1 {
            group.sync();
            return Ok(());
        }
        self.quiet(group, pes, qps)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        let state = self.state;
        // All have issued what they did before.
        group.sync();
        let ended = match qps {
            QpSet::Default => complete_rows(state, group, pes, state.default_rows),
            QpSet::All => complete_rows(state, group, pes, rows(state)),
            QpSet::Of(handles) => complete_listed(state, group, pes, handles),
        };
        match (group.any(ended.is_err()), ended) {
            (true, Ok(())) => Err(anyones(state, pes, qps)),
            (_, ended) => ended,
        }
    }
}

/// The first `rows` rows of queues, shared out among the threads of the group.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn complete_rows<G: Group>(state: &WorldState, group: G, pes: PeSet, rows: u32) -> Result<(), Fault> {
    let (mut number, step, end) = match pes {
        PeSet::All => (group.rank(), group.size(), rows * state.n_pes),
        PeSet::One(pe) => (group.rank() * state.n_pes + pe.number(), group.size() * state.n_pes, rows * state.n_pes),
    };
    let mut ended = Ok(());
    while number < end && ended.is_ok() {
        ended = complete(state, number);
        number += step;
    }
    ended
}

/// The listed queues. A list is short: one thread after the other takes a handle, and all its PEs.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn complete_listed<G: Group>(state: &WorldState, group: G, pes: PeSet, handles: &[QpHandle]) -> Result<(), Fault> {
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
            ended = complete(state, queue_number(handle.raw(), state.default_rows, state.n_pes, pe));
            pe += 1;
        }
    }
    if default && ended.is_ok() {
        ended = complete_rows(state, group, pes, state.default_rows);
    }
    ended
}

/// Completes what was issued on queue `number`. On one that is not there nothing was.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn complete(state: &WorldState, number: u32) -> Result<(), Fault> {
    // SAFETY: **live**: the table has every queue of every row that is published.
    let queue = unsafe { Place::at((state.proxy_queues as *mut ProxyQueue).add(number as usize)) };
    let issued = queue.last();
    if issued == 0 { Ok(()) } else { calls::wait(queue, issued) }
}

/// The fault of another thread of the group: that of the first queue among those named that has stopped, else what was
/// reported. Queues that are not named may have stopped long ago.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn anyones(state: &WorldState, pes: PeSet, qps: QpSet<'_>) -> Fault {
    let (first, end) = match pes {
        PeSet::All => (0, state.n_pes),
        PeSet::One(pe) => (pe.number(), pe.number() + 1),
    };
    let (mut row, rows) = (0, rows(state));
    while row < rows {
        let mut pe = first;
        while pe < end && is_named(state, qps, row) {
            // SAFETY: **live**: as in `complete`. One that leads to this PE itself is empty, and has not stopped.
            let queue =
                unsafe { Place::at((state.proxy_queues as *mut ProxyQueue).add((row * state.n_pes + pe) as usize)) };
            if queue.has_stopped() {
                return done::reason(queue);
            }
            pe += 1;
        }
        row += 1;
    }
    done::reported(state)
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

/// Rows that are published.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn rows(state: &WorldState) -> u32 {
    // SAFETY: `proxies` is the live ProxyState.
    unsafe { ptx::ld_acquire_gpu_u32((state.proxies + offset_of!(ProxyState, rows) as u64) as *const u32) }
}

//! Operations that involve other GPU threads: barriers, shuffles, votes, and yielding.

use std::cell::Cell;

use super::block::{Arrivals, BARRIERS};
use super::registers;
use super::running_thread::{self, RunningGrid, RunningThread};
use super::thread_index::WARP_SIZE;
use super::warp::{LaneInput, WarpOp};

pub use super::warp::POISON;

thread_local! {
    /// Number of system-scope accesses until the next one that yields.
    static COUNTDOWN: Cell<u32> = const { Cell::new(0) };
}

/// Draws the number of accesses until the next one that yields.
pub(super) fn set_countdown(grid: &RunningGrid) {
    let mean = grid.yield_one_in;
    let draw = |most| grid.state.borrow_mut().rng().below(most);
    COUNTDOWN.set(if mean == 0 { u32::MAX } else { draw(mean.saturating_mul(2) - 1) });
}

/// Marks a system-scope access: lets another thread run if the seed says so.
#[inline]
pub fn yield_point() {
    match COUNTDOWN.get().checked_sub(1) {
        Some(left) => COUNTDOWN.set(left),
        None => yield_now(),
    }
}

#[cold]
fn yield_now() {
    running_thread::with_alive(|running| match running {
        Some(running) => {
            set_countdown(running.grid());
            yield_turn(running);
        }
        // Outside a grid there is no other thread to run: check again after a while.
        None => COUNTDOWN.set(1024),
    });
}

fn yield_turn(running: &RunningThread) {
    running.grid().state.borrow_mut().yielded(running.index.coroutine);
    running.suspend();
}

/// Marks a poll in a wait loop that found nothing: lets the other threads run.
///
/// If all runnable threads of the grid do nothing but poll, the OS thread yields to the system; after many such rounds
/// it sleeps for tens of microseconds at a time, because PEs share few cores.
pub fn wait_point() {
    running_thread::with_alive(|running| match running {
        Some(running) => {
            running.grid().state.borrow_mut().waited(running.index.coroutine);
            running.suspend();
        }
        None => std::thread::yield_now(),
    });
}

/// Marks the successful end of a wait, so that earlier polls do not slow down the polls from here on. Without this
/// call, only starts, ends and barriers count as progress of a grid.
pub fn progress_point() {
    running_thread::with(|running| {
        if let Some(running) = running {
            running.grid().state.borrow_mut().progress();
        }
    });
}

/// `bar.sync id`: waits until every thread of the block that has not exited has arrived.
///
/// # Panics
///
/// If `id` is 16 or more, as in the functions below.
pub fn block_barrier(id: u32) {
    barrier(id, Arrivals::Live, false);
}

/// The meeting of all threads of a block: waits as [`block_barrier_or`] does. A thread that exits without it is a
/// mistake of the kernel, although it holds up no barrier.
///
/// # Panics
///
/// If a thread of the block has exited.
pub fn block_meeting(yes: bool) -> bool {
    barrier(0, Arrivals::All, yes)
}

/// The meeting of all lanes of a warp: waits as [`warp_barrier`] does. A lane that exits without it is a mistake of the
/// kernel.
///
/// # Panics
///
/// If a lane of the warp has exited.
pub fn warp_meeting() {
    gather(LaneInput { op: WarpOp::Meeting, mask: u32::MAX, value: 0, from_lane: 0 });
}

/// `barrier.cta.red.or.pred`: as [`block_barrier`], and returns true on all threads if `yes` was true on one.
pub fn block_barrier_or(id: u32, yes: bool) -> bool {
    barrier(id, Arrivals::Live, yes)
}

/// `bar.sync id, threads`: waits until this number of threads of the block has arrived, including the caller. Exited
/// threads do not count here, and neither do the lanes that a block's last warp lacks.
///
/// # Panics
///
/// If `threads` is not a multiple of 32, is 0, or differs from the number that the other threads passed.
pub fn block_barrier_counted(id: u32, threads: u32) {
    assert!(
        threads > 0 && threads.is_multiple_of(WARP_SIZE),
        "barrier {id} of {threads} threads: only whole warps can arrive"
    );
    barrier(id, Arrivals::Counted(threads), false);
}

fn barrier(id: u32, of: Arrivals, yes: bool) -> bool {
    assert!(id < BARRIERS, "barrier {id}: a block has {BARRIERS} barriers");
    running_thread::with_alive(|running| {
        let Some(running) = running else { return yes };
        let result = running.grid().state.borrow_mut().arrive(&running.index, id, of, yes);
        wait_unless_last(running, result.map(u64::from)) != 0
    })
}

/// Suspends until all threads have arrived. The last one to arrive has the result already; it yields half of the time.
fn wait_unless_last(running: &RunningThread, result: Option<u64>) -> u64 {
    let state = &running.grid().state;
    match result {
        Some(result) => {
            let aside = state.borrow_mut().rng().one_in(2);
            if aside {
                yield_turn(running);
            }
            result
        }
        None => {
            running.suspend();
            state.borrow().result(running.index.coroutine)
        }
    }
}

/// `bar.warp.sync mask`: waits until every lane of the mask that exists and has not exited has arrived with the same
/// mask.
///
/// # Panics
///
/// If the caller's lane is not in the mask, as in the functions below; on the hardware this is undefined.
pub fn warp_barrier(mask: u32) {
    gather(LaneInput { op: WarpOp::Barrier, mask, value: 0, from_lane: 0 });
}

/// `shfl.sync.idx`: passes `value` and returns that of `from_lane` (modulo 32). Returns [`POISON`] if that lane takes
/// no part, which is undefined on the hardware.
pub fn warp_shuffle(mask: u32, value: u64, from_lane: u32) -> u64 {
    gather(LaneInput { op: WarpOp::Shuffle, mask, value, from_lane })
}

/// `vote.sync.ballot`: returns the lanes of the mask for which `yes` is true.
pub fn warp_ballot(mask: u32, yes: bool) -> u32 {
    gather(LaneInput { op: WarpOp::Ballot, mask, value: u64::from(yes), from_lane: 0 }) as u32
}

fn gather(input: LaneInput) -> u64 {
    let LaneInput { op, mask, value, from_lane } = input;
    let lane = registers::lane();
    assert!(mask & (1 << lane) != 0, "{op:?} of the warp's lanes {mask:#010x}: lane {lane} is not one of them");
    running_thread::with_alive(|running| {
        let Some(running) = running else {
            return match op {
                WarpOp::Shuffle if !from_lane.is_multiple_of(WARP_SIZE) => POISON,
                _ => value,
            };
        };
        let result = running.grid().state.borrow_mut().gather(&running.index, input);
        wait_unless_last(running, result)
    })
}

thread_local! {
    /// Whether the lanes of a warp call [`lanes_with`] together.
    static TOGETHER: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn set_together(are_together: bool) {
    TOGETHER.set(are_together);
}

/// Reports whether the lanes of a warp call [`lanes_with`] together.
pub(crate) fn are_together() -> bool {
    TOGETHER.get()
}

/// Returns the lanes that make this call together and have the same key: this lane alone, but in a grid of
/// [`run_together`](super::run_together).
pub fn lanes_with(key: u64) -> u32 {
    let own = 1 << registers::lane();
    if !are_together() {
        return own;
    }
    let all = active_mask();
    let is_with = |lane: u32| all >> lane & 1 != 0 && warp_shuffle(all, key, lane) == key;
    (0..WARP_SIZE).filter(|lane| is_with(*lane)).fold(own, |lanes, lane| lanes | 1 << lane)
}

/// `activemask`: returns the lanes of this warp that exist and have not exited.
///
/// The hardware returns the lanes that execute the instruction together with the caller, which may be fewer at any
/// time. A kernel that is correct for any result that contains its own lane is correct for both.
pub fn active_mask() -> u32 {
    running_thread::with(|running| {
        running.map_or(1, |running| running.grid().state.borrow().live_lanes(&running.index))
    })
}

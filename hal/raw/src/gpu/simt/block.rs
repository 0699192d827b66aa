//! One resident block: its live threads, its barriers with their waiting threads, and its shared memory.

use std::ops::Range;

use super::Grid;
use super::by_fault::has_ended_by_fault;
use super::rng::Rng;
use super::thread_index::{WARP_SIZE, unflatten};
use super::warp::{LaneInput, Released, ResidentWarp, Waiter, WarpOp};

/// Number of barriers of a block, as in hardware.
pub(super) const BARRIERS: u32 = 16;

/// A stride that is a prime larger than the number of elements reaches each element once; a block has at most 32 warps,
/// and a warp 32 lanes.
const STRIDES: [u32; 8] = [37, 41, 43, 47, 53, 59, 61, 67];

/// Content of shared memory when a block begins.
const SHARED_FILL: u8 = 0xa5;

#[derive(Default)]
struct Barrier {
    waiters: Vec<Waiter>,
    of: Arrivals,
    any: bool,
}

/// The threads for which a barrier waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Arrivals {
    /// Those of the block that have not exited.
    #[default]
    Live,
    /// All of the block: it is a mistake if one exits without the call.
    All,
    Counted(u32),
}

#[derive(Clone)]
#[repr(align(128))]
struct SharedLine(
    #[expect(dead_code, reason = "read and written by kernels through `shared_base` and `block_word`")] [u8; 128],
);

/// A slot for a resident block, used by consecutive blocks.
#[derive(Default)]
pub(super) struct ResidentBlock {
    pub(super) index: [u32; 3],
    size: u32,
    /// Threads that have not exited, including those that have not started.
    pub(super) live: u32,
    /// Threads that wait at a barrier of the block or in an operation of a warp.
    suspended: u32,
    at_barriers: u32,
    started: u32,
    /// Stride and offset of the start order of warps, and of the lanes of a warp.
    warp_order: [u32; 2],
    lane_order: [u32; 2],
    warp_at: u32,
    lane_at: u32,
    warps: Vec<ResidentWarp>,
    barriers: [Barrier; BARRIERS as usize],
    shared: Vec<SharedLine>,
}

impl ResidentBlock {
    /// Makes the slot hold the `number`-th block of the grid.
    pub(super) fn begin(&mut self, grid: &Grid, number: u64, rng: &mut Rng) {
        self.index = unflatten(number, grid.blocks);
        self.size = grid.threads.iter().product();
        (self.live, self.suspended, self.at_barriers, self.started) = (self.size, 0, 0, 0);
        (self.warp_at, self.lane_at) = (0, 0);
        let mut order = || [STRIDES[rng.below(8) as usize], rng.below(WARP_SIZE)];
        (self.warp_order, self.lane_order) = (order(), order());
        self.warps.resize_with(self.size.div_ceil(WARP_SIZE) as usize, ResidentWarp::default);
        for (number, warp) in (0..).zip(&mut self.warps) {
            let lanes = (self.size - number * WARP_SIZE).min(WARP_SIZE);
            warp.reset(u32::MAX >> (WARP_SIZE - lanes));
        }
        self.shared.clear();
        self.shared.resize(1 + grid.dynamic_shared_bytes.div_ceil(128), SharedLine([SHARED_FILL; 128]));
    }

    /// Returns the static shared memory: a line. The dynamic shared memory follows it.
    pub(super) fn shared_base(&mut self) -> *mut u8 {
        self.shared.as_mut_ptr().cast()
    }

    pub(super) fn has_unstarted(&self) -> bool {
        self.started < self.size
    }

    /// Returns the next thread to start. Warps start one at a time, so that lanes that wait for each other need few
    /// stacks; the order of warps and of lanes is shuffled.
    pub(super) fn start_one(&mut self) -> u32 {
        let warps = self.warps.len() as u32;
        let warp = (self.warp_at * self.warp_order[0] + self.warp_order[1]) % warps;
        let lanes = (self.size - warp * WARP_SIZE).min(WARP_SIZE);
        let lane = (self.lane_at * self.lane_order[0] + self.lane_order[1]) % lanes;
        self.started += 1;
        self.lane_at += 1;
        if self.lane_at == lanes {
            (self.lane_at, self.warp_at) = (0, self.warp_at + 1);
        }
        warp * WARP_SIZE + lane
    }

    /// Returns the lanes of the thread's warp that exist and have not exited.
    pub(super) fn live_lanes(&self, linear: u32) -> u32 {
        self.warps[(linear / WARP_SIZE) as usize].live
    }

    /// Records a thread's arrival at a barrier. The last one releases the others into `released` and receives the
    /// disjunction of all `yes`; the other threads receive `None` and have to suspend.
    pub(super) fn arrive(
        &mut self,
        id: u32,
        of: Arrivals,
        yes: bool,
        waiter: Waiter,
        released: &mut Released,
    ) -> Option<bool> {
        let is_whole = self.live == self.size || has_ended_by_fault();
        assert!(of != Arrivals::All || is_whole, "it made a call of its block {}", self.left());
        let barrier = &mut self.barriers[id as usize];
        if barrier.waiters.is_empty() {
            (barrier.of, barrier.any) = (of, false);
        }
        assert!(
            barrier.of == of,
            "barrier {id} is for {of:?} threads here and for {:?} by the threads that wait there",
            barrier.of
        );
        barrier.any |= yes;
        barrier.waiters.push(waiter);
        self.suspended += 1;
        self.at_barriers += 1;
        let expected = if let Arrivals::Counted(threads) = of { threads } else { self.live };
        if (barrier.waiters.len() as u32) < expected {
            return None;
        }
        let any = barrier.any;
        barrier.waiters.pop();
        self.suspended -= 1;
        self.at_barriers -= 1;
        self.release(id as usize, released);
        Some(any)
    }

    fn release(&mut self, id: usize, released: &mut Released) {
        let barrier = &mut self.barriers[id];
        let count = barrier.waiters.len() as u32;
        let any = u64::from(barrier.any);
        released.extend(barrier.waiters.drain(..).map(|waiter| (waiter.coroutine, any)));
        self.suspended -= count;
        self.at_barriers -= count;
    }

    /// Records a lane's arrival at an operation of its warp.
    pub(super) fn gather(&mut self, waiter: Waiter, input: LaneInput, released: &mut Released) -> Option<u64> {
        let before = released.len();
        let warp = &mut self.warps[(waiter.linear / WARP_SIZE) as usize];
        if input.op == WarpOp::Meeting && !warp.is_whole() && !has_ended_by_fault() {
            panic!("it made a call of its warp {}", self.left_warp(waiter.linear));
        }
        let result = warp.arrive(waiter.linear % WARP_SIZE, waiter, input, released);
        self.suspended -= (released.len() - before) as u32;
        self.suspended += u32::from(result.is_none());
        result
    }

    /// Records that a thread exits. It counts as arrived at every barrier and warp operation that waits for it. Returns
    /// the mistake if one of them is a call of the whole block or warp.
    pub(super) fn exit(&mut self, linear: u32, released: &mut Released) -> Option<String> {
        self.live -= 1;
        let before = released.len();
        let warp = &mut self.warps[(linear / WARP_SIZE) as usize];
        warp.exit(linear % WARP_SIZE, released);
        self.suspended -= (released.len() - before) as u32;
        let after_fault = has_ended_by_fault();
        if let Some(pending) = warp.pending_ops.iter().find(|pending| pending.is_of_all() && !after_fault) {
            let of = threads(pending.waiters());
            return Some(format!("{of} of block {:?} made a call of its warp {}", self.index, self.left_warp(linear)));
        }
        if self.at_barriers == 0 {
            return None;
        }
        for id in 0..self.barriers.len() {
            let barrier = &self.barriers[id];
            let count = barrier.waiters.len() as u32;
            if count > 0 && barrier.of == Arrivals::All && !after_fault {
                let of = threads(barrier.waiters.iter().map(|waiter| waiter.linear));
                return Some(format!("{of} of block {:?} made a call of its block {}", self.index, self.left()));
            }
            if count > 0 && (barrier.of == Arrivals::Live || barrier.of == Arrivals::All) && count == self.live {
                self.release(id, released);
            }
        }
        None
    }

    /// Says which threads of the block have ended without its call.
    fn left(&self) -> String {
        self.left_of(0..self.size)
    }

    /// Says which threads of the warp of this thread have ended without its call.
    fn left_warp(&self, linear: u32) -> String {
        let first = linear / WARP_SIZE * WARP_SIZE;
        self.left_of(first..self.size.min(first + WARP_SIZE))
    }

    fn left_of(&self, threads_of: Range<u32>) -> String {
        let ended = threads_of.filter(|linear| self.live_lanes(*linear) & 1 << (linear % WARP_SIZE) == 0);
        format!("that {} ended without", threads(ended))
    }

    /// Reports whether all live threads wait for each other, so that none can release the others.
    pub(super) fn is_stuck(&self) -> bool {
        self.live > 0 && self.suspended == self.live
    }

    /// Lists the waiting threads of each barrier and warp operation.
    pub(super) fn describe(&self) -> String {
        let mut places = Vec::new();
        for (id, barrier) in self.barriers.iter().enumerate().filter(|(_, barrier)| !barrier.waiters.is_empty()) {
            let what = match barrier.of {
                Arrivals::Counted(count) => format!("barrier {id} of {count} threads"),
                Arrivals::Live | Arrivals::All => format!("barrier {id}"),
            };
            places.push(format!("{what}: {}", threads(barrier.waiters.iter().map(|waiter| waiter.linear))));
        }
        for (number, warp) in self.warps.iter().enumerate() {
            for pending in &warp.pending_ops {
                places.push(format!("{} {number}: {}", pending.describe(), threads(pending.waiters())));
            }
        }
        let exited = self.size - self.live;
        format!(
            "in block {:?} of {} threads ({exited} exited) all others wait for each other: {}",
            self.index,
            self.size,
            places.join("; ")
        )
    }
}

/// Formats thread indices: "3 threads (0, 4 to 5)".
fn threads(linear: impl Iterator<Item = u32>) -> String {
    let mut all: Vec<u32> = linear.collect();
    all.sort_unstable();
    let runs: Vec<String> = all
        .chunk_by(|a, b| a + 1 == *b)
        .map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
            [] => String::new(),
        })
        .collect();
    let shown = runs.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if runs.len() > 8 { ", ..." } else { "" };
    format!("{} {} ({shown}{more})", all.len(), if all.len() == 1 { "thread" } else { "threads" })
}

//! One warp of a resident block and its pending warp-wide operations.

use super::by_fault::has_ended_by_fault;

/// The value read from a lane that takes no part in a shuffle; on the hardware it is undefined.
pub const POISON: u64 = 0xdead_a5a5_dead_a5a5;

/// A suspended thread: its coroutine, and its index in the block.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiter {
    pub(super) coroutine: u32,
    pub(super) linear: u32,
}

/// Coroutines that may continue, each with the result of the operation it waited in.
pub(super) type Released = Vec<(u32, u64)>;

/// The warp-wide operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WarpOp {
    Barrier,
    /// A barrier of all lanes of the warp: it is a mistake if one exits without the call.
    Meeting,
    /// Each lane passes a value and receives that of the lane `from_lane`.
    Shuffle,
    /// Each lane passes a bit.
    Ballot,
}

/// The arguments of one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneInput {
    pub(super) op: WarpOp,
    pub(super) mask: u32,
    pub(super) value: u64,
    pub(super) from_lane: u32,
}

/// A warp-wide operation whose lanes wait for the others of their mask.
pub(super) struct PendingWarpOp {
    op: WarpOp,
    mask: u32,
    arrived: u32,
    values: [u64; 32],
    from: [u8; 32],
    waiters: [Waiter; 32],
}

impl PendingWarpOp {
    fn new(op: WarpOp, mask: u32) -> Self {
        Self { op, mask, arrived: 0, values: [0; 32], from: [0; 32], waiters: [Waiter::default(); 32] }
    }

    /// Returns the result of `lane` once all lanes have arrived.
    fn result(&self, lane: usize) -> u64 {
        match self.op {
            WarpOp::Barrier | WarpOp::Meeting => 0,
            WarpOp::Shuffle => {
                let from = usize::from(self.from[lane]);
                if self.arrived & (1 << from) != 0 { self.values[from] } else { POISON }
            }
            WarpOp::Ballot => lanes(self.arrived).filter(|&at| self.values[at] != 0).fold(0, |set, at| set | 1 << at),
        }
    }

    /// Returns whether all lanes of the warp make the call.
    pub(super) fn is_of_all(&self) -> bool {
        self.op == WarpOp::Meeting
    }

    pub(super) fn describe(&self) -> String {
        format!("{:?} of the warp's lanes {:#010x}", self.op, self.mask)
    }

    pub(super) fn waiters(&self) -> impl Iterator<Item = u32> + '_ {
        lanes(self.arrived).map(|lane| self.waiters[lane].linear)
    }
}

fn lanes(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lane = set.trailing_zeros();
            set &= set - 1;
            lane as usize
        })
    })
}

/// A warp of a resident block.
#[derive(Default)]
pub(super) struct ResidentWarp {
    /// Lanes that exist and have not exited.
    pub(super) live: u32,
    /// Lanes that exist.
    existing: u32,
    pub(super) pending_ops: Vec<PendingWarpOp>,
}

impl ResidentWarp {
    pub(super) fn reset(&mut self, existing: u32) {
        (self.live, self.existing) = (existing, existing);
        self.pending_ops.clear();
    }

    /// Returns whether no lane has exited.
    pub(super) fn is_whole(&self) -> bool {
        self.live == self.existing
    }

    /// Records a lane's arrival. The last lane releases the others into `released` and receives its result.
    pub(super) fn arrive(
        &mut self,
        lane: u32,
        waiter: Waiter,
        input: LaneInput,
        released: &mut Released,
    ) -> Option<u64> {
        let LaneInput { op, mask, .. } = input;
        let found = self.pending_ops.iter().position(|g| g.op == op && g.mask == mask);
        let at = found.unwrap_or_else(|| {
            self.pending_ops.push(PendingWarpOp::new(op, mask));
            self.pending_ops.len() - 1
        });
        let pending = &mut self.pending_ops[at];
        pending.arrived |= 1 << lane;
        pending.values[lane as usize] = input.value;
        pending.from[lane as usize] = (input.from_lane % 32) as u8;
        pending.waiters[lane as usize] = waiter;
        if pending.arrived != mask & self.live {
            return None;
        }
        let own = pending.result(lane as usize);
        self.release(at, Some(lane), released);
        Some(own)
    }

    /// Records that a lane exits, and releases the lanes that waited only for it; those of a meeting only after a fault.
    pub(super) fn exit(&mut self, lane: u32, released: &mut Released) {
        self.live &= !(1 << lane);
        let mut at = 0;
        while at < self.pending_ops.len() {
            let pending = &self.pending_ops[at];
            if (!pending.is_of_all() || has_ended_by_fault()) && pending.arrived == pending.mask & self.live {
                self.release(at, None, released);
            } else {
                at += 1;
            }
        }
    }

    fn release(&mut self, at: usize, but: Option<u32>, released: &mut Released) {
        let pending = &self.pending_ops[at];
        for lane in lanes(pending.arrived & !but.map_or(0, |lane| 1 << lane)) {
            released.push((pending.waiters[lane].coroutine, pending.result(lane)));
        }
        self.pending_ops.swap_remove(at);
    }
}

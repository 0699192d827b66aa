//! A large broadcast in parts, over load/store: the root sends each member another part of the data, which that member
//! passes on to the rest. The root's links then carry the data once, and not once for each member.

use oxshmem_core::{Fault, Group};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;

use super::Team;
use super::direct::{Ends, PAIR, Pairs};
use super::direct_copies::COPIED;

/// The smallest data in bytes that goes in parts, which take one more meeting: of one group, which is bound by its
/// multiprocessor, and of a grid, which is bound by the root's links. On four H200s 64 KiB by a group took 10.9 us in
/// parts and 8.8 without, 1 MiB by a grid 12.7 and 13.3; the bound for a group is an estimate between its rates.
const BY_GROUP: usize = 256 << 10;
const BY_GRID: usize = 1 << 20;
/// The bytes of a step, and the largest number of steps. While the root sends a step's data, the other members pass on
/// that of the step before.
const STEP: usize = 64 << 10;
const MOST_STEPS: usize = 8;

/// A step's data: a range of the broadcast.
#[derive(Clone, Copy)]
struct Step {
    start: usize,
    bytes: usize,
}

impl<P: PathList> Team<'_, P> {
    /// Reports whether a broadcast of this size, or share of one, goes in parts, if its members reach each other by loads
    /// and stores and its ends are aligned to 16 bytes.
    #[inline(always)]
    pub(super) fn goes_in_parts(&self, bytes: usize) -> bool {
        self.team.n_pes > 2 && self.whole.map_or(bytes >= BY_GROUP, |whole| whole >= BY_GRID)
    }

    /// Broadcasts after the members have met. The caller meets them after it.
    ///
    /// # Safety
    ///
    /// - **live**: as [`copy_directly`](Self::copy_directly).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn broadcast_in_parts<G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        ends: Ends,
        bytes: usize,
        root: u32,
    ) -> Result<(), Fault> {
        let steps = (bytes / STEP).clamp(1, MOST_STEPS);
        let most = bytes.div_ceil(steps).next_multiple_of(PAIR);
        let step = |index: usize| {
            let start = (most * index).min(bytes);
            Step { start, bytes: most.min(bytes - start) }
        };
        let mut index = 0;
        loop {
            // SAFETY: **live** by the caller; the ranges are inside the broadcast's. A step's data is passed on after
            // the meeting that follows the root's stores.
            unsafe {
                if self.team.me != root {
                    if index > 0 {
                        self.pass_part(group, ends, step(index - 1), root);
                    }
                } else if index < steps {
                    self.send_parts(group, ends, step(index), root);
                }
            }
            if index == steps {
                return Ok(());
            }
            let met = self.meet(group, rounds, true);
            self.agree(group, met)?;
            index += 1;
        }
    }

    /// Returns the part of a step's data that the root sends to a member: equal parts, but for the last ones.
    #[inline(always)]
    fn part_to(&self, member: u32, step: Step, root: u32) -> Step {
        // `max`: without it the compiler adds a panic for a team of one member.
        let most = step.bytes.div_ceil((self.n_pes() as usize - 1).max(1)).next_multiple_of(PAIR);
        let after = if member > root { member - root } else { member + self.team.n_pes - root };
        let start = (most * (after as usize - 1)).min(step.bytes);
        Step { start: step.start + start, bytes: most.min(step.bytes - start) }
    }

    /// Sends each other member its part, and stores all parts in this member's own destination.
    ///
    /// # Safety
    ///
    /// - **live**: as [`broadcast_in_parts`](Self::broadcast_in_parts).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn send_parts<G: Group>(&self, group: G, ends: Ends, step: Step, root: u32) {
        let (mut first, size, others) = (group.rank() as usize, group.size() as usize, self.n_pes() - 1);
        // The first member's part is the largest.
        let pairs = self.part_to(self.nth_after(0), step, root).bytes / PAIR;
        while first < pairs {
            let mut k = 0;
            while k < others {
                let member = self.nth_after(k);
                let part = self.part_to(member, step, root);
                let (at, ends) = (Pairs::<COPIED> { first, size, pairs: part.bytes / PAIR }, ends.at(part.start));
                // SAFETY: **live** by the caller. No member writes the source, so that a weak load is enough.
                unsafe {
                    let loaded = at.load_weak(self.shmem.state.own_address(ends.source));
                    at.store(self.of_member(member, ends.dest), loaded);
                    if ends.source != ends.dest {
                        at.store(self.shmem.state.own_address(ends.dest), loaded);
                    }
                }
                k += 1;
            }
            first += COPIED * size;
        }
    }

    /// Passes this member's part on to the other members, but the root.
    ///
    /// # Safety
    ///
    /// - **live**: as [`broadcast_in_parts`](Self::broadcast_in_parts); the root has stored the part.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn pass_part<G: Group>(&self, group: G, ends: Ends, step: Step, root: u32) {
        let part = self.part_to(self.team.me, step, root);
        let (mut first, size, pairs) = (group.rank() as usize, group.size() as usize, part.bytes / PAIR);
        let (dest, others) = (ends.dest.add(part.start as u64), self.n_pes() - 1);
        while first < pairs {
            let at = Pairs::<COPIED> { first, size, pairs };
            // SAFETY: **live** by the caller.
            let loaded = unsafe { at.load(true, self.shmem.state.own_address(dest)) };
            let mut k = 0;
            while k < others {
                let member = self.nth_after(k);
                if member != root {
                    // SAFETY: **live** by the caller.
                    unsafe { at.store(self.of_member(member, dest), loaded) }
                }
                k += 1;
            }
            first += COPIED * size;
        }
    }
}

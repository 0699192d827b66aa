//! Reductions over a team.

use oxshmem_core::{Fault, Group, Number, ReduceOp, SymPtr};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;

use super::direct::Ends;
use super::units::Units;
use super::{Team, Way};
use crate::check;

impl<P: PathList> Team<'_, P> {
    /// Reduces `count` elements of every member's `source`; every member gets the result in `dest`, with the same bits.
    ///
    /// Operands are combined in the order of the members. `dest` may be `source`; otherwise the ranges are disjoint.
    #[inline(always)]
    pub fn reduce<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        self.reduce_by(group, Way::Auto, op, dest, source, count)
    }

    /// Reduces as [`reduce`](Self::reduce), in a way that the caller has chosen.
    #[inline(always)]
    pub fn reduce_by<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        way: Way,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        let bytes = self.check_ends(dest, count, source, count)?;
        let mut rounds = self.begin(group)?;
        let ends = Ends { source: source.addr(), dest: dest.addr() };
        let ended = if bytes == 0 {
            Ok(())
        } else if self.is_near() && !self.by_packets(way, bytes) {
            let (start, part) = self.part_of(self.team.me, bytes);
            let ends = Ends { source: ends.source.add(start as u64), dest: ends.dest.add(start as u64) };
            self.meet_before(group, &mut rounds)?;
            // SAFETY: **live**: the caller passes ranges of the heap, and members reduce parts of their own.
            unsafe { self.reduce_directly::<T, O, G>(group, op, ends, part, true) }
            self.meet(group, &mut rounds, true)
        } else {
            self.exchange_reduced::<T, O, G>(group, &mut rounds, op, ends, bytes, 0)
        };
        self.end(group, rounds, ended)
    }

    /// Reduces `count` elements for each member: member `i` gets, in `dest`, the result over the elements from
    /// `i * count` on of every member's `source`, which has `count` elements for each member.
    ///
    /// Operands are combined in the order of the members. `dest` may be this member's own part of `source`; otherwise
    /// the ranges are disjoint.
    #[inline(always)]
    pub fn reducescatter<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        self.reducescatter_by(group, Way::Auto, op, dest, source, count)
    }

    /// Reduces as [`reducescatter`](Self::reducescatter), in a way that the caller has chosen.
    #[inline(always)]
    pub fn reducescatter_by<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        way: Way,
        op: O,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        self.reducescatter_part(group, way, op, (dest, 0), source, count, count)
    }

    /// Reduces `count` elements of each member's block of `block` elements, from element `start` of it on; `dest` and
    /// `source` are those of the whole blocks. Several groups share a block so.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "the arguments of the collective, and a part")]
    pub fn reducescatter_part<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        way: Way,
        op: O,
        (dest, start): (SymPtr<T>, usize),
        source: SymPtr<T>,
        count: usize,
        block: usize,
    ) -> Result<(), Fault> {
        let n = self.team.n_pes as usize;
        self.check_ends(dest, block, source, if check::CHECKED { block.saturating_mul(n) } else { block * n })?;
        let (bytes, apart) = (count * T::WIDTH.bytes(), block * T::WIDTH.bytes());
        let mut rounds = self.begin(group)?;
        let (source, dest) = (source.add(start).addr(), dest.add(start).addr());
        let ended = if bytes == 0 {
            Ok(())
        } else if self.is_near() && !self.by_packets(way, bytes) {
            let ends = Ends { source: source.add((apart * self.team.me as usize) as u64), dest };
            self.meet_before(group, &mut rounds)?;
            // SAFETY: **live**: the caller passes ranges of the heap; this member alone writes its destination.
            unsafe { self.reduce_directly::<T, O, G>(group, op, ends, bytes, false) }
            self.meet(group, &mut rounds, true)
        } else {
            self.exchange_reduced::<T, O, G>(group, &mut rounds, op, Ends { source, dest }, bytes, apart)
        };
        self.end(group, rounds, ended)
    }

    /// Meets before members access each other's memory. Every thread of the group gets a fault of any.
    #[inline(always)]
    pub(super) fn meet_before<G: Group>(&self, group: G, rounds: &mut Rounds) -> Result<(), Fault> {
        let met = self.meet(group, rounds, true);
        self.agree(group, met)
    }

    /// Exchanges and reduces in rounds, over load/store by packets, otherwise through the areas. `apart` is the distance
    /// in the source between one receiver's data and the next one's.
    #[inline(always)]
    fn exchange_reduced<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        op: O,
        ends: Ends,
        bytes: usize,
        apart: usize,
    ) -> Result<(), Fault> {
        let is_near = self.is_near();
        let most = if is_near { self.round_bytes() } else { 2 * self.round_bytes() };
        let (state, mut done) = (&self.shmem.state, 0);
        while done < bytes {
            let now = if bytes - done < most { bytes - done } else { most };
            let source = ends.source.add(done as u64);
            let own = Units::new(state.own_address(source.add((apart * self.team.me as usize) as u64)), now);
            let dest = Units::new(state.own_address(ends.dest.add(done as u64)), now);
            own.prefetch(group.rank() as usize);
            self.open(group, rounds, 0)?;
            let round = rounds.last;
            // SAFETY: **live**: the ranges are in the heap, and a round has at most its payload.
            let ended = unsafe {
                if is_near {
                    self.send_all::<T, G>(group, round, source, apart, now);
                    self.receive_reduced::<T, O, G>(group, round, op, own, dest)
                } else {
                    let staged = self.stage(group, round, source, apart, now);
                    let arrived = self.await_staged(group, round);
                    if arrived.is_ok() {
                        self.reduce_staged::<T, O, G>(group, round, op, own, dest);
                    }
                    staged.and(arrived)
                }
            };
            rounds.met = round;
            done += now;
            // Every thread has read this round's half before any of them takes part in the next one.
            self.agree(group, ended)?;
        }
        Ok(())
    }
}

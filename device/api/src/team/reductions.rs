//! Reductions over a team.

use oxshmem_core::{Call, Collective, Fault, Group, Number, ReduceOp, SymAddr, SymPtr};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;

use super::direct::{Bases, Ends};
use super::units::Units;
use super::{REDUCED_BY_PACKETS, Team, Way};
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
        self.check_apart((dest, bytes), (source, bytes), dest == source)?;
        let call = Call::new(Collective::Reduce, T::WIDTH.bytes(), self.whole.unwrap_or(bytes), bytes);
        let plan = Reduction { source: source.addr(), apart: 0, dest: dest.addr(), bytes, call };
        self.reduce_in_way::<T, O, G, true>(group, way, op, plan)
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
        self.reducescatter_part(group, Way::Auto, op, (dest, 0), source, count, count)
    }

    /// Reduces `count` elements, from element `start` on, of each member's block of `block` elements. `dest` and
    /// `source` are those of the whole blocks, so that several groups can share a block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
        let all = self.of_all(block);
        let one = self.check_ends(dest, block, source, all)?;
        let own = source.add(block * self.team.me as usize);
        self.check_apart((dest, one), (source, check::bytes_of(all, T::WIDTH.bytes())), dest == own)?;
        let (bytes, apart) = (count * T::WIDTH.bytes(), block * T::WIDTH.bytes());
        let (source, dest) = (source.add(start).addr(), dest.add(start).addr());
        let call = Call::new(Collective::Reducescatter, T::WIDTH.bytes(), apart, bytes);
        self.reduce_in_way::<T, O, G, false>(group, way, op, Reduction { source, apart, dest, bytes, call })
    }

    /// Reduces as planned. The kernels of streams that move data directly have code of their own: beside it in one
    /// function, the compiler forms another loop for packets, and small reductions take up to 13 % longer.
    #[inline(always)]
    fn reduce_in_way<T: Number, O: ReduceOp<T>, G: Group, const TO_ALL: bool>(
        &self,
        group: G,
        way: Way,
        op: O,
        plan: Reduction,
    ) -> Result<(), Fault> {
        if self.dependent && way == Way::Direct && self.all_load_store() {
            self.reduce_planned::<T, O, G, TO_ALL, true>(group, way, op, plan)
        } else {
            self.reduce_planned::<T, O, G, TO_ALL, false>(group, way, op, plan)
        }
    }

    /// Reduces as planned: in a kernel that is `ALONE`, which only moves data directly, or in any other one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn reduce_planned<T: Number, O: ReduceOp<T>, G: Group, const TO_ALL: bool, const ALONE: bool>(
        &self,
        group: G,
        way: Way,
        op: O,
        plan: Reduction,
    ) -> Result<(), Fault> {
        let most = if self.all_load_store() { self.round_bytes() } else { 2 * self.round_bytes() };
        // Addresses are computed before `enter`, which waits.
        let (next_outbox, first) = (self.next_outbox(), self.round_of(plan, 0, most));
        let first = (first.0.here(), first.1.here());
        let single = self.single(group, plan.source, plan.apart, plan.bytes, next_outbox);
        let directly =
            || ALONE || self.all_load_store() && !self.by_packets(group, way, plan.bytes, REDUCED_BY_PACKETS);
        let direct_ends = || {
            let own = (plan.apart * self.team.me as usize) as u64;
            let (start, bytes) = if TO_ALL { self.part_of(self.team.me, plan.bytes) } else { (0, plan.bytes) };
            (Ends { source: plan.source.add(own + start as u64), dest: plan.dest.add(start as u64) }, bytes)
        };
        let bases = if ALONE { self.bases(direct_ends().0) } else { Bases::NONE };
        self.enter(group)?;
        // Before the rounds, as in a copy.
        // SAFETY: **live**: the caller passes ranges of the heap.
        let early = unsafe { self.load_early::<G>(single.filter(|_| !ALONE)) };
        let mut rounds = self.rounds();
        self.compare(group, &rounds, || plan.call.op(op.number()).by(!directly(), group.size()))?;
        let ended = if plan.bytes == 0 {
            Ok(())
        } else if directly() {
            let (ends, bytes) = direct_ends();
            self.meet_before(group, &mut rounds)?;
            // SAFETY: **live**: the caller passes ranges of the heap. Members reduce parts of their own, or each alone
            // writes its destination.
            unsafe { self.reduce_directly::<T, O, G, TO_ALL, ALONE>(group, op, (ends, bases), bytes) }
            self.meet(group, &mut rounds, TO_ALL)
        } else if let Some(single) = single {
            // SAFETY: **live**: the caller passes ranges of the heap.
            unsafe { self.reduce_single::<T, O, G>(group, &mut rounds, op, (single, early), first.1) }
        } else {
            self.exchange_reduced::<T, O, G>(group, &mut rounds, op, plan, (next_outbox, first, most))
        };
        self.end(group, rounds, ended)
    }

    /// Returns this member's operand and destination of the round that begins at byte `done`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn round_of(&self, plan: Reduction, done: usize, most: u32) -> (Units, Units) {
        let left = plan.bytes - done;
        let now = if left < most as usize { left as u32 } else { most };
        let (state, own) = (&self.shmem.state, plan.apart * self.team.me as usize + done);
        let own = state.own_address(plan.source.add(own as u64));
        (Units::new(own, now), Units::new(state.own_address(plan.dest.add(done as u64)), now))
    }

    /// Exchanges and reduces in rounds, over load/store by packets, otherwise through the areas. `first` has the ends
    /// of the first round.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange_reduced<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        op: O,
        plan: Reduction,
        (next_outbox, first, most): (*mut u8, (Units, Units), u32),
    ) -> Result<(), Fault> {
        let (all_load_store, mut done, mut ends) = (self.all_load_store(), 0, first);
        loop {
            let (own, dest) = ends;
            own.prefetch(group.rank());
            self.open(group, rounds)?;
            let (round, source) = (rounds.last, plan.source.add(done as u64));
            // SAFETY: **live**: the ranges are in the heap, and a round has at most its payload.
            let ended = unsafe {
                if all_load_store {
                    let packets = self.packets(round, false, next_outbox);
                    self.send_all::<T, G>(group, packets, source, plan.apart, dest.bytes(), Units::NONE);
                    self.receive_reduced::<T, O, G>(group, packets, op, own, dest)
                } else {
                    let staged = self.stage(group, round, source, plan.apart, dest.bytes() as usize);
                    let arrived = self.await_staged(group, round, plan.apart == 0);
                    if arrived.is_ok() {
                        self.reduce_staged::<T, O, G>(group, round, op, own, dest);
                    }
                    staged.and(arrived)
                }
            };
            rounds.set_met();
            done += dest.bytes() as usize;
            if done >= plan.bytes {
                return ended;
            }
            // Every thread has read this round's half before any of them takes part in the next one.
            self.agree(group, ended)?;
            ends = self.round_of(plan, done, most);
        }
    }
}

/// A reduction. Offsets are in bytes.
#[derive(Clone, Copy)]
struct Reduction {
    source: SymAddr,
    /// The distance in the source between one receiver's data and the next one's.
    apart: usize,
    dest: SymAddr,
    /// The bytes of a result.
    bytes: usize,
    /// The call, for the comparison with those of the other members.
    call: Call,
}

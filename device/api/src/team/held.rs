//! Reductions whose result stays in registers.

use oxshmem_core::{Call, Collective, Fault, FaultStep, Group, Number, ReduceOp, SymPtr};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;
use oxshmem_raw::state::wait::WaitBudget;

use super::units::{UNIT, each_of};
use super::{REDUCED_BY_PACKETS, Team, Way};
use crate::{Held, check};

impl<P: PathList> Team<'_, P> {
    /// Reduces `count` elements of every member's `source`; each member's group gets the result in its registers, with
    /// the same bits as by [`reduce`](Self::reduce). On return `source` may be written again. Its start and end are
    /// aligned to 8 bytes.
    ///
    /// A kernel can use the results before they are in memory. The cost is registers: each thread has `N` units of 8
    /// bytes of two members in flight, and their results. By [`Way::Direct`] each member reads all elements of all
    /// members, whereas [`reduce`](Self::reduce) has each member reduce a part.
    ///
    /// # Errors
    /// As all calls of a [`Team`]. Also in builds that do not check: the source or its end is not aligned to 8 bytes
    /// ([`FaultStep::Misaligned`]); the elements are more than `N` units for each thread or, by another way than
    /// [`Way::Direct`], than the payload of the team's slots ([`FaultStep::RoundTooLarge`]).
    #[inline(always)]
    pub fn reduce_held<T: Number, O: ReduceOp<T>, G: Group, const N: usize>(
        &self,
        group: G,
        op: O,
        dest: &mut Held<N>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        self.reduce_held_by(group, Way::Auto, op, dest, source, count)
    }

    /// Reduces as [`reduce_held`](Self::reduce_held), in a way that the caller has chosen.
    #[inline(always)]
    pub fn reduce_held_by<T: Number, O: ReduceOp<T>, G: Group, const N: usize>(
        &self,
        group: G,
        way: Way,
        op: O,
        dest: &mut Held<N>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        let bytes = self.check_ends(source, count, source, count)?;
        let directly = self.all_load_store() && !self.by_packets(group, way, bytes, REDUCED_BY_PACKETS);
        self.check_held(source, bytes, directly, N * UNIT * group.size() as usize)?;
        // The address is computed before `begin`, which waits.
        let next_outbox = self.next_outbox();
        let mut rounds = self.begin(group)?;
        let call = || Call::new(Collective::ReduceHeld, T::WIDTH.bytes(), bytes, bytes).op(op.number());
        self.compare(group, &rounds, || call().by(!directly, group.size()))?;
        let own = self.shmem.state.own_address(source.addr());
        *dest = Held::of(group, bytes / UNIT, |place| match directly {
            true => 0,
            // SAFETY: **live**: the units are in the heap, and aligned.
            false => unsafe { ptx::ld_weak_u64(own.add(UNIT * place).cast()) },
        });
        let ended = if bytes == 0 {
            Ok(())
        } else if directly {
            self.meet_before(group, &mut rounds)?;
            // SAFETY: **live**: `check_held` has compared the units with the heap and their alignment; all members have
            // met, and meet again before one of them writes its source.
            dest.units = unsafe { self.sum_directly::<T, O, N>(op, source.addr(), dest.at) };
            self.meet(group, &mut rounds, false)
        } else {
            self.exchange_held::<T, O, G, N>(group, &mut rounds, op, (source, bytes), next_outbox, dest)
        };
        self.end(group, rounds, ended)
    }

    /// Checks that a source of `bytes` bytes is aligned, and that it is not larger than `held`, the bytes that the
    /// group's registers hold, or than a slot's payload.
    #[inline(always)]
    fn check_held<T: Number>(&self, source: SymPtr<T>, bytes: usize, directly: bool, held: usize) -> Result<(), Fault> {
        let (start, end) = (source.addr(), source.addr().add(bytes as u64));
        if !(start.offset() | end.offset()).is_multiple_of(UNIT as u64) {
            let mut fault = Fault::new(FaultStep::Misaligned);
            let wrong = if start.offset().is_multiple_of(UNIT as u64) { end } else { start };
            (fault.at, fault.asked) = (wrong.offset(), UNIT as u64);
            return check::fail(&self.shmem.state, fault);
        }
        let carried = match (directly, self.all_load_store()) {
            (true, _) => held,
            (_, true) => self.round_bytes() as usize,
            _ => 2 * self.round_bytes() as usize,
        };
        let most = if held < carried { held } else { carried };
        if bytes > most {
            let mut fault = Fault::new(FaultStep::RoundTooLarge);
            (fault.at, fault.asked, fault.seen) = (self.team.number as u64, bytes as u64, most as u64);
            return check::fail(&self.shmem.state, fault);
        }
        Ok(())
    }

    /// Exchanges and reduces one round, over load/store by packets, otherwise through the areas. `row` has this
    /// member's units, and gets the results.
    #[inline(always)]
    fn exchange_held<T: Number, O: ReduceOp<T>, G: Group, const N: usize>(
        &self,
        group: G,
        rounds: &mut Rounds,
        op: O,
        (source, bytes): (SymPtr<T>, usize),
        next_outbox: *mut u8,
        row: &mut Held<N>,
    ) -> Result<(), Fault> {
        self.open(group, rounds)?;
        let (round, at) = (rounds.last, row.at);
        rounds.set_met();
        if self.all_load_store() {
            let packets = self.packets(round, false, next_outbox);
            // SAFETY: **opened**: the round is open, and the caller has compared its size with the payload.
            unsafe { self.send_held(packets, row.units, at) }
            return self.receive_and_sum::<T, O, N>(&mut WaitBudget::new(), packets, op, &mut row.units, at);
        }
        let staged = self.stage(group, round, source.addr(), 0, bytes);
        self.await_staged(group, round, true)?;
        each_of!(N; K => if at.has(K) {
            row.units[K] = self.sum_staged::<T, O>(round, op, row.units[K], at.unit(K))
        });
        staged
    }
}

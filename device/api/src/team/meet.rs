//! Announcements, waits and barriers of a team.

use oxshmem_core::{Fault, FaultStep, Group, OrderingDomain, PeSet, Qp, QpResource, QpSet, SignalOp};
use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::Team;

impl<P: PathList> Team<'_, P> {
    /// Waits for every member, and completes all earlier operations of the group: they are then visible to all members.
    #[inline(always)]
    pub fn barrier<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.meet_once(group, true)
    }

    /// Waits for every member. Stores of the group to this PE's own memory are then visible to all members; operations
    /// on other PEs need not be complete.
    #[inline(always)]
    pub fn sync<G: Group>(&self, group: G) -> Result<(), Fault> {
        self.meet_once(group, false)
    }

    /// Performs [`barrier`](Self::barrier) if `complete`, otherwise [`sync`](Self::sync).
    #[inline(always)]
    pub fn meet_once<G: Group>(&self, group: G, complete: bool) -> Result<(), Fault> {
        let mut rounds = self.begin(group)?;
        let met = self.meet(group, &mut rounds, complete);
        self.end(group, rounds, met)
    }

    /// Meets all members in the next round. Stores of the group to this PE's memory are then visible to all members;
    /// with `complete`, so are its operations on other PEs' memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn meet<G: Group>(&self, group: G, rounds: &mut Rounds, complete: bool) -> Result<(), Fault> {
        let ended = if complete { self.quiet_remote(group) } else { Ok(()) };
        let arrived = self.arrive(group, rounds, complete);
        self.await_arrivals(group, rounds.last, ended, arrived)
    }

    /// Completes the group's operations on remote paths.
    #[inline(always)]
    pub(super) fn quiet_remote<G: Group>(&self, group: G) -> Result<(), Fault> {
        if self.all_load_store() {
            return Ok(());
        }
        self.shmem.queue_of(Qp::Default).quiet(group, PeSet::All, QpSet::All)
    }

    /// Meets before members access each other's memory. Every thread of the group gets a fault of any.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn meet_before<G: Group>(&self, group: G, rounds: &mut Rounds) -> Result<(), Fault> {
        let ended = self.quiet_remote(group);
        let arrived = self.arrive(group, rounds, false);
        let met = self.await_arrivals(group, rounds.last, ended, arrived);
        self.agree(group, met)
    }

    /// Announces the next round, after stores to load/store members if `complete`, otherwise after accesses to this
    /// PE's memory alone.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn arrive<G: Group>(&self, group: G, rounds: &mut Rounds, complete: bool) -> Result<(), Fault> {
        group.sync();
        rounds.last += 1;
        rounds.set_met();
        // One fence for all announcements. It is cumulative: it carries the group's accesses, which this thread has
        // observed by the meeting.
        if group.rank() < self.team.n_pes {
            if complete {
                order::delivered_before_later();
            } else {
                order::own_memory_before_announced();
            }
        }
        self.announce(group, rounds.last)
    }

    /// Waits for the announcements of a round. A thread that has `ended` with a fault passes announcements on, but
    /// waits for none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn await_arrivals<G: Group>(
        &self,
        group: G,
        round: u64,
        ended: Result<(), Fault>,
        arrived: Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut budget = WaitBudget::new();
        let passed = arrived.and_then(|()| self.pass_announcements(group, &mut budget, round));
        ended.and(passed).and_then(|()| self.await_all(group, &mut budget, round))
    }

    /// Announces to every other member, or to its relay, that this one has begun a round, and so ended its earlier
    /// rounds. The caller has ordered the operations that the announcement promises.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn announce<G: Group>(&self, group: G, round: u64) -> Result<(), Fault> {
        let (mut k, peers, at) = (group.rank(), self.team.n_pes - 1, self.team.started(self.team.me));
        while k < peers {
            let to = self.nth_after(k);
            let member = self.team.member(to);
            if self.is_load_store(member) {
                // SAFETY: **live** of `from_state`: the word is in the area of a load/store member, which exists while
                // members use the team.
                unsafe { ptx::st_relaxed_sys_u64(self.theirs(member, at).cast(), round) }
            } else if self.sends_to(to) {
                self.shmem.queue_of(Qp::Default).signal(self.remote(member, at), SignalOp::Set, round)?;
            }
            k += group.size();
        }
        Ok(())
    }

    /// Waits until every other member has announced this round. The threads of the group share the members.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn await_all<G: Group>(&self, group: G, budget: &mut WaitBudget, round: u64) -> Result<(), Fault> {
        let (mut k, peers) = (group.rank(), self.team.n_pes - 1);
        while k < peers {
            let from = self.nth_after(k);
            self.await_word(budget, self.team.started(from), from, round)?;
            k += group.size();
        }
        Ok(())
    }

    /// Waits until the word at `at` of this slot, which member `from` writes, has reached a round.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn await_word(&self, budget: &mut WaitBudget, at: u64, from: u32, round: u64) -> Result<(), Fault> {
        let word = self.own(at).cast::<u64>();
        // SAFETY: **live** of `from_state`: the word is in this PE's area.
        let seen = || unsafe { ptx::ld_acquire_sys_u64(word) };
        let poll = || (seen() >= round).then_some(());
        let late = || {
            let relay = if P::SOME { self.late_relay(from, round) } else { None };
            let (from, seen) = relay.unwrap_or_else(|| (from, seen()));
            self.late(from, round, seen)
        };
        wait::until_word_among(&self.shmem.state, budget, |pe| self.has(pe), poll, late)
    }

    /// Returns the lowest round that the members of this thread's share have announced.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn announced<G: Group>(&self, group: G) -> u64 {
        let (mut k, mut lowest) = (group.rank(), u64::MAX);
        while k + 1 < self.team.n_pes {
            let word = self.own(self.team.started(self.nth_after(k))).cast::<u64>();
            // SAFETY: **live** of `from_state`: the word is in this PE's area.
            lowest = lowest.min(unsafe { ptx::ld_relaxed_sys_u64(word) });
            k += group.size();
        }
        lowest
    }

    /// Prepares a round in which every member writes into the others' halves. On return they have finished the round
    /// before the last one, whose data the halves held.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn open<G: Group>(&self, group: G, rounds: &mut Rounds) -> Result<(), Fault> {
        rounds.last += 1;
        // If in the last round every member heard from every other one, all had ended the round before it.
        if rounds.met() + 1 >= rounds.last {
            return Ok(());
        }
        let awaited = self.await_all(group, &mut WaitBudget::new(), rounds.last - 1);
        self.agree(group, awaited)
    }

    /// Prepares a round of a broadcast, which every member announces later, its root after its packets. As
    /// [`open`](Self::open) does, the member that `sends` waits until the others have finished the round before the last
    /// one. A small broadcast takes half of a half, the same in every fourth round: if the last two rounds were no large
    /// ones, it waits for less, the round four before this one, and the last one in which not only a root sent.
    /// `announced` is the result of an earlier [`announced`](Self::announced), or 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn open_broadcast<G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        small: bool,
        sends: bool,
        announced: u64,
    ) -> Result<(), Fault> {
        rounds.last += 1;
        let (last, met) = (rounds.last, rounds.met());
        let needed = needed_by(last, met, small, rounds.had_large());
        rounds.set_broadcast(!small);
        if !sends || met + 1 >= last || !group.any(announced < needed) {
            return Ok(());
        }
        let awaited = self.await_all(group, &mut WaitBudget::new(), needed);
        self.agree(group, awaited)
    }

    /// Returns the fault of a wait for a member that took too long.
    #[cold]
    pub(super) fn late(&self, from: u32, round: u64, seen: u64) -> Fault {
        let mut fault = Fault::new(FaultStep::Collective);
        (fault.pe, fault.at) = (self.pe_of(from).number(), self.team.number as u64);
        (fault.asked, fault.seen) = (round, seen);
        fault
    }
}

/// Returns the round that every other member must have begun before the root of a broadcast writes its packets in round
/// `last`. `met` is the last round in which every member heard from every other one; `had_large`: one of the last two
/// rounds was one of a large broadcast.
#[inline(always)]
fn needed_by(last: u64, met: u64, small: bool, had_large: bool) -> u64 {
    if small && !had_large { last.saturating_sub(3).max(met + 1) } else { last - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Kind {
        /// Every member hears from every other one, and may write its whole half.
        Met,
        Small,
        Large,
    }

    /// Returns whether one member's packets of two rounds have bytes in common.
    fn overlap(a: (u64, Kind), b: (u64, Kind)) -> bool {
        let apart = if a.1 == Kind::Small && b.1 == Kind::Small { 4 } else { 2 };
        a.0.abs_diff(b.0).is_multiple_of(apart)
    }

    /// Checks the last of these rounds, of all of which one member is the root. `before` has the rounds before it.
    fn check(kinds: &[Kind], before: Rounds) {
        let (last, met, now) = (kinds.len() as u64, before.met(), kinds[kinds.len() - 1]);
        let is_overwritten = |round: u64| overlap((round, kinds[round as usize - 1]), (last, now));
        let needed = match now {
            // As `open`.
            Kind::Met => last - 1,
            _ => needed_by(last, met, now == Kind::Small, before.had_large()),
        };
        // Without a wait, all have ended the rounds before the one in which they met.
        let waits = met + 1 < last;
        let ended = if waits { needed - 1 } else { met.saturating_sub(1) };
        assert!((1..last).filter(|&round| is_overwritten(round)).all(|round| round <= ended), "{kinds:?} {needed}");
        // The members announce their starts of these rounds alone, and wait for this root in later ones.
        assert!(!waits || (met + 1..last).contains(&needed), "{kinds:?} {needed}");
    }

    #[test]
    fn a_root_waits_until_all_have_ended_the_rounds_whose_packets_it_overwrites() {
        fn with_each(kinds: &mut Vec<Kind>, before: Rounds) {
            for kind in [Kind::Met, Kind::Small, Kind::Large] {
                kinds.push(kind);
                check(kinds, before);
                let mut rounds = before;
                rounds.last += 1;
                match kind {
                    Kind::Met => rounds.set_met(),
                    _ => rounds.set_broadcast(kind == Kind::Large),
                }
                if kinds.len() < 9 {
                    with_each(kinds, rounds);
                }
                kinds.pop();
            }
        }
        with_each(&mut Vec::new(), Rounds::default());
    }

    #[test]
    fn the_root_of_small_broadcasts_is_three_rounds_ahead_and_that_of_large_ones_one() {
        let mut rounds = Rounds::default();
        for last in 1..=20 {
            let needed = needed_by(last, rounds.met(), true, rounds.had_large());
            assert!(last < 5 || needed == last - 3, "{last}");
            rounds.last = last;
            rounds.set_broadcast(false);
        }
        assert_eq!(needed_by(21, rounds.met(), false, rounds.had_large()), 20);
    }
}

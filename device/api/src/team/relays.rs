//! Data for all members of a team on several nodes: it crosses to each node once, to one member, which passes it on to the
//! others by loads and stores.
//!
//! A sender's receiver on another node is fixed for the life of the team, and the senders of a node have different ones, as far
//! as there are. A relay first makes its own transfers, and then waits for those that it passes on, so that no two members
//! wait for each other. A round's data has left the relay before the relay ends the round.

use oxshmem_core::{Completion, Fault, Group, Pe, QpResource, Remote, SignalOp, SymAddr};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::{Member, TeamHandle};
use oxshmem_raw::state::wait::WaitBudget;

use super::Team;

impl<P: PathList> Team<'_, P> {
    /// Reports whether data for all members goes through relays.
    #[inline(always)]
    pub(super) fn is_relayed(&self) -> bool {
        P::SOME && self.team.flags & TeamHandle::RELAYED != 0
    }

    /// Reports whether this member itself sends data for all to a member, and not to a relay on its node.
    #[inline(always)]
    pub(super) fn sends_to(&self, to: u32) -> bool {
        !self.is_relayed() || !self.team.is_via_relay(to)
    }

    /// Reports whether a relay passes a member's data for all on to this one.
    #[inline(always)]
    pub(super) fn gets_passed(&self, from: u32) -> bool {
        self.is_relayed() && !self.is_load_store(self.team.member(from)) && !self.team.receives(from)
    }

    /// Passes on the announcements of a round that this member receives for its node. The threads of the group share them.
    #[inline(always)]
    pub(super) fn pass_announcements<G: Group>(
        &self,
        group: G,
        budget: &mut WaitBudget,
        round: u64,
    ) -> Result<(), Fault> {
        if !self.is_relayed() {
            return Ok(());
        }
        let mut k = group.rank();
        while k + 1 < self.team.n_pes {
            let from = self.nth_after(k);
            if self.team.receives(from) {
                let at = self.team.started(from);
                self.await_word(budget, at, from, round)?;
                // What the announcement has made visible here is visible there.
                order::delivered_before_later();
                let mut j = 0;
                while j + 1 < self.team.n_pes {
                    let to = self.team.member(self.nth_after(j));
                    if self.is_load_store(to) {
                        // SAFETY: **live** of `from_state`: the word is in the area of a load/store member, which exists
                        // while members use the team.
                        unsafe { ptx::st_relaxed_sys_u64(self.theirs(to, at).cast(), round) }
                    }
                    j += 1;
                }
            }
            k += group.size();
        }
        Ok(())
    }

    /// Passes on the staged data of a round that this member receives for its node: `bytes` bytes of each sender.
    #[inline(always)]
    pub(super) fn pass_staged<G: Group>(&self, group: G, round: u64, bytes: usize) -> Result<(), Fault> {
        let pass = |from: u32, to: Member| {
            let data = self.team.packets(round, from);
            let (there, word) = (self.remote(to, data), self.remote(to, self.team.passed(from)).at);
            // SAFETY: **owned**: the data is in this PE's area, which stays mapped.
            let here = unsafe { LocalAddr::new(self.own(data)) };
            let near = self.shmem.load_store();
            near.put_signal(group, there, here, bytes, word, SignalOp::Set, round, Completion::Blocking)
        };
        self.pass_data(group, round, |_| true, pass)
    }

    /// Passes on the data of a round that this member receives in its destination: `bytes` bytes, at a place that is the same on
    /// every member, of the senders for which `place` returns one.
    #[inline(always)]
    pub(super) fn pass_copies<G: Group>(
        &self,
        group: G,
        round: u64,
        bytes: usize,
        sends: impl Fn(u32) -> bool,
        place: impl Fn(u32) -> SymAddr,
    ) -> Result<(), Fault> {
        let pass = |from: u32, to: Member| {
            let there = Remote { pe: Pe::new(to.pe as u32), at: place(from) };
            // SAFETY: **owned**: the destination is in this PE's heap, which stays mapped.
            let here = unsafe { LocalAddr::new(self.shmem.state.own_address(there.at)) };
            self.shmem.load_store().put(group, there, here, bytes, Completion::Nonblocking)
        };
        self.pass_data(group, round, sends, pass)
    }

    /// Waits for the data of each sender that this member receives for its node, and passes it on to each member of the node.
    #[inline(always)]
    fn pass_data<G: Group>(
        &self,
        group: G,
        round: u64,
        sends: impl Fn(u32) -> bool,
        pass: impl Fn(u32, Member) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (mut k, mut budget, mut ended) = (0, WaitBudget::new(), Ok(()));
        while k + 1 < self.team.n_pes {
            let from = self.nth_after(k);
            if self.team.receives(from) && sends(from) {
                let arrived = self.await_word(&mut budget, self.team.done(from), from, round);
                self.agree(group, arrived)?;
                let mut j = 0;
                while j + 1 < self.team.n_pes {
                    let to = self.team.member(self.nth_after(j));
                    if self.is_load_store(to) {
                        // Every thread makes every call, even after a fault, so that the group stays together.
                        ended = ended.and(pass(from, to));
                    }
                    j += 1;
                }
            }
            k += 1;
        }
        ended
    }
}

//! Large copies by puts, between two meetings: of small groups, of misaligned data, and to remote members.

use oxshmem_core::{Completion, Fault, Group, Met, Pe, Qp, QpResource, Remote, SignalOp};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;

use super::Team;
use super::copies::{COPIED_EARLY, Exchange};
use super::direct::Ends;
use super::relays::Copies;

impl<P: PathList> Team<'_, P> {
    /// Puts this member's data to its receivers, after the meeting in this round.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn put_all<G: Group>(&self, group: G, round: u64, plan: Exchange) -> Result<(), Fault> {
        let (mut k, mut ended) = (0, Ok(()));
        while k < self.receivers(plan) {
            ended = ended.and(self.put_to(group, round, plan, self.nth_after(k)));
            k += 1;
        }
        ended.and(self.pass_copies(group, round, plan))
    }

    /// Exchanges by puts, between two meetings. A few bytes go to this member itself while it waits for the others.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn exchange_by_puts<G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        plan: Exchange,
    ) -> Result<(), Fault> {
        let quiet = self.quiet_remote(group);
        let arrived = self.arrive(group, rounds, false);
        let (others, receivers) = (self.team.n_pes - 1, self.receivers(plan));
        let early = receivers > others && plan.bytes <= COPIED_EARLY * group.size() as usize;
        let (mut k, end) = (!early as u32, if early { others } else { receivers });
        let mut ended = Ok(());
        loop {
            if k == 1 {
                let met = self.await_arrivals(group, rounds.last, quiet, arrived);
                self.agree(group, met)?;
            }
            if k > end {
                break;
            }
            let to = self.nth_after(if k == 0 { others } else { k - 1 });
            ended = ended.and(self.put_to(group, rounds.last, plan, to));
            k += 1;
        }
        let ended = ended.and(self.pass_copies(group, rounds.last, plan));
        ended.and(self.meet(group, rounds, true))
    }

    /// Puts this member's data to a receiver. Data for all members goes through relays. Every thread makes every call, even
    /// after a fault, so that the group stays together.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_to<G: Group>(&self, group: G, round: u64, plan: Exchange, to: u32) -> Result<(), Fault> {
        let (member, relayed) = (self.team.member(to), plan.source_apart == 0 && self.is_relayed());
        if relayed && to != self.team.me && !self.sends_to(to) {
            return Ok(());
        }
        let Ends { source, dest: at } = plan.ends(self.team.me);
        let from = self.shmem.state.own_address(source.add((plan.source_apart * to as usize) as u64));
        // SAFETY: **owned**: the source is in this PE's heap, which stays mapped.
        let from = unsafe { LocalAddr::new(from) };
        let (there, later) = (Remote { pe: Pe::new(member.pe as u32), at }, Completion::Nonblocking);
        if relayed && !self.is_load_store(member) {
            // The relay waits for this word.
            let word = self.remote(member, self.team.done(self.team.me)).at;
            let remote = self.shmem.remote_queue();
            remote.put_signal(Met(group), there, from, plan.bytes, word, SignalOp::Set, round, later)
        } else {
            self.shmem.queue_of(Qp::Default).put(Met(group), there, from, plan.bytes, later)
        }
    }

    /// Passes on the data for all members that this one receives as a relay.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn pass_copies<G: Group>(&self, group: G, round: u64, plan: Exchange) -> Result<(), Fault> {
        if plan.source_apart > 0 || !self.is_relayed() {
            return Ok(());
        }
        let copies = Copies { dest: plan.dest, apart: plan.dest_apart, root: plan.root };
        self.pass_data(group, round, plan.bytes, Some(copies))
    }
}

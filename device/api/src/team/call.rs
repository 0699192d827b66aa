//! The comparison of the members' calls, in builds that check.
//!
//! Each member writes its call, as packets, into a place that each other member keeps for it, waits for the others'
//! calls, and compares. It takes part in the rounds of the call after that, so that a refused call has moved no data.
//! Calls of even and of odd numbers have separate places. Before a member writes call n + 2, it has received the
//! others' call n + 1, which they sent after they had read its call n.

use oxshmem_core::{Call, CallPart, Fault, FaultStep, Group, Qp, QpResource, Width};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::{Rounds, TeamParts};
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::Team;
use super::packet::{PACKET, arrived, data, flag_of, packet};
use crate::check;

// The words of a call are named one by one: a loop over an array would put it on the stack.
const _: () = assert!(Call::WORDS == 3);

impl<P: PathList> Team<'_, P> {
    /// Compares this member's call with those of the others, in builds that check, unless the team is one whose calls
    /// are not compared. The group has begun the call, and all of its threads get the fault of any.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn compare<G: Group>(&self, group: G, rounds: &Rounds, call: impl Fn() -> Call) -> Result<(), Fault> {
        self.compare_each(group, rounds, |_| call(), |_, _| Ok(()))
    }

    /// Compares calls as [`compare`](Self::compare) does; this member's call depends on the receiver. `check` checks
    /// the call that another member has sent.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn compare_each<G: Group>(
        &self,
        group: G,
        rounds: &Rounds,
        call: impl Fn(u32) -> Call,
        check: impl Fn(u32, Call) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if !check::CHECKED || self.team.flags & TeamParts::UNCOMPARED != 0 {
            return Ok(());
        }
        let calls = self.own(TeamParts::CALLS).cast::<u64>();
        // SAFETY: **live** of `from_state`: the number of calls is in this PE's slot, which the group alone uses.
        let number = unsafe { ptx::ld_weak_u64(calls) } + 1;
        let sent = self.send_call(group, number, &call);
        let same = sent.and_then(|()| self.receive_calls(group, rounds, number, call, check));
        self.agree(group, same)?;
        if group.leads() {
            // SAFETY: **live** of `from_state`: the number is in this PE's slot; every thread of the group has read it.
            unsafe { ptx::st_weak_u64(calls, number) }
        }
        Ok(())
    }

    /// Sends this member's call to every other member. The threads of the group share the members.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn send_call<G: Group>(&self, group: G, number: u64, call: impl Fn(u32) -> Call) -> Result<(), Fault> {
        let (mut k, flag, at) = (group.rank(), flag_of(number), self.team.call(number, self.team.me));
        while k + 1 < self.team.n_pes {
            let to = self.nth_after(k);
            let (member, call) = (self.team.member(to), call(to));
            let by_stores = self.is_load_store(member);
            let send = |word: usize| {
                let (place, packet) = (at + (word * PACKET) as u64, packet(call.word(word), flag));
                if by_stores {
                    // SAFETY: **live** of `from_state`: the place is in the area of a load/store member, which exists while
                    // members use the team.
                    unsafe { ptx::st_relaxed_sys_v2(self.theirs(member, place).cast(), packet) }
                    return Ok(());
                }
                let queue = self.shmem.queue_of(Qp::Default);
                queue.p(self.remote(member, place), Width::B8, packet[0])?;
                queue.p(self.remote(member, place + 8), Width::B8, packet[1])
            };
            send(0).and_then(|()| send(1)).and_then(|()| send(2))?;
            k += group.size();
        }
        Ok(())
    }

    /// Waits for the call of every other member, and compares it. The threads of the group share the members.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn receive_calls<G: Group>(
        &self,
        group: G,
        rounds: &Rounds,
        number: u64,
        call: impl Fn(u32) -> Call,
        check: impl Fn(u32, Call) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (mut k, mut budget, flag) = (group.rank(), WaitBudget::new(), flag_of(number));
        while k + 1 < self.team.n_pes {
            let from = self.nth_after(k);
            let place = self.own(self.team.call(number, from));
            let look = |word: usize| {
                // SAFETY: **live** of `from_state`: the place is in this PE's area.
                unsafe { ptx::ld_relaxed_sys_v2(place.add(word * PACKET).cast()) }
            };
            let poll = || {
                let [a, b, c] = [look(0), look(1), look(2)];
                let all = arrived(a, flag) && arrived(b, flag) && arrived(c, flag);
                all.then(|| Call::from_words([data(a), data(b), data(c)]))
            };
            let late = || self.late(from, rounds.last + 1, rounds.last);
            let theirs = wait::until_word_among(&self.shmem.state, &mut budget, |pe| self.has(pe), poll, late)?;
            let mine = call(from);
            if let Some(part) = mine.difference(&theirs) {
                return check::fail(&self.shmem.state, self.differs(from, part, mine, theirs));
            }
            check(from, theirs)?;
            k += group.size();
        }
        Ok(())
    }

    /// Returns the fault of a member whose call differs in this part.
    #[cold]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn differs(&self, from: u32, part: CallPart, mine: Call, theirs: Call) -> Fault {
        let mut fault = Fault::new(FaultStep::CallMismatch);
        (fault.pe, fault.at, fault.detail) = (self.pe_of(from).number(), self.team.number as u64, part as u32);
        (fault.asked, fault.seen) = (mine.part(part), theirs.part(part));
        fault
    }
}

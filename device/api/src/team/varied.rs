//! The all-to-all with a count for each pair of members.

use oxshmem_core::{
    Call, Collective, Completion, Element, Fault, Group, Lists, Met, Pe, Qp, QpResource, Remote, SymAddr, SymPtr, Width,
};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;

use super::Team;
use crate::check;

/// The bits of a word that have the first element at a receiver; those above have the low bits of the round.
const START_BITS: u32 = 48;
const START: u64 = (1 << START_BITS) - 1;

impl<P: PathList> Team<'_, P> {
    /// Sends `counts[i]` elements of `source`, from element `source_starts[i]` on, to each member `i`. They arrive in
    /// that member's `dest`, from element `dest_starts[j]` of that member's list on, where `j` is this member. The
    /// lists are read before the call returns. Source and destinations are disjoint; so are the parts of a destination.
    #[inline(always)]
    pub fn alltoallv<T: Element, G: Group>(
        &self,
        group: G,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        lists: Lists,
    ) -> Result<(), Fault> {
        self.alltoallv_part(group, T::WIDTH.bytes(), dest.addr(), source.addr(), lists, (0, 1))
    }

    /// Sends part `part` of `parts` of each pair's data, in elements of `width` bytes, so that several groups share a
    /// call.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn alltoallv_part<G: Group>(
        &self,
        group: G,
        width: usize,
        dest: SymAddr,
        source: SymAddr,
        lists: Lists,
        part: (usize, usize),
    ) -> Result<(), Fault> {
        let (state, me, n) = (&self.shmem.state, self.shmem.my_pe(), self.team.n_pes as usize);
        for list in [lists.counts, lists.source_starts, lists.dest_starts] {
            check::heap_range(state, me, list.addr(), 8 * n, 8)?;
        }
        let mut rounds = self.begin(group)?;
        let to_member = |to| (self.number(lists.counts, to) as usize).wrapping_mul(width);
        let call = |to| Call::new(Collective::Alltoallv, width, to_member(to), part.1).by(false, group.size());
        self.compare_each(group, &rounds, call, |from, theirs| {
            self.check_arrival(width, dest, source, lists, (from, theirs.bytes() as usize))
        })?;
        if check::CHECKED {
            let me = self.team.me;
            self.check_arrival(width, dest, source, lists, (me, to_member(me)))?;
        }
        self.open(group, &mut rounds)?;
        let round = rounds.last;
        let announced = self.announce_starts(group, round, lists.dest_starts);
        self.agree(group, announced)?;
        // The announcements promise the starts, which are stores to other members' memory.
        let met = self.meet(group, &mut rounds, true);
        self.agree(group, met)?;
        let put = self.put_parts(group, round, width, dest, source, lists, part);
        let ended = put.and(self.meet(group, &mut rounds, true));
        self.end(group, rounds, ended)
    }

    /// Checks that the place of the `bytes` bytes of member `from` is disjoint from all data that this member sends.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn check_arrival(
        &self,
        width: usize,
        dest: SymAddr,
        source: SymAddr,
        lists: Lists,
        (from, bytes): (u32, usize),
    ) -> Result<(), Fault> {
        let of = |base: SymAddr, start: u64| base.add(start.wrapping_mul(width as u64));
        let (place, mut to) = (of(dest, self.number(lists.dest_starts, from)), 0);
        while to < self.team.n_pes {
            let sent = (self.number(lists.counts, to) as usize).wrapping_mul(width);
            check::disjoint(
                &self.shmem.state,
                (place, bytes),
                (of(source, self.number(lists.source_starts, to)), sent),
            )?;
            to += 1;
        }
        Ok(())
    }

    /// Sends each other member the first element of that member's data in this one's destination, as the first word of
    /// this member's packets there. The word also has the low bits of the round, which distinguish it from the word of
    /// an earlier call.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn announce_starts<G: Group>(&self, group: G, round: u64, starts: SymPtr<u64>) -> Result<(), Fault> {
        let mut k = group.rank();
        while k + 1 < self.team.n_pes {
            let to = self.nth_after(k);
            let at = self.remote(self.team.member(to), self.team.packets(round, self.team.me));
            self.shmem.queue_of(Qp::Default).p(at, Width::B8, self.number(starts, to) & START | round << START_BITS)?;
            k += group.size();
        }
        Ok(())
    }

    /// Reads the number for a member in one of this PE's lists.
    #[inline(always)]
    fn number(&self, list: SymPtr<u64>, member: u32) -> u64 {
        let at = self.shmem.state.own_address(list.add(member as usize).addr());
        // SAFETY: **live** of `from_state`: the list was checked against the heap.
        unsafe { ptx::ld_weak_u64(at.cast()) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[allow(clippy::too_many_arguments, reason = "the arguments of the collective, a round and a part")]
    fn put_parts<G: Group>(
        &self,
        group: G,
        round: u64,
        width: usize,
        dest: SymAddr,
        source: SymAddr,
        lists: Lists,
        (part, parts): (usize, usize),
    ) -> Result<(), Fault> {
        let (state, mut k, mut ended) = (&self.shmem.state, 0, Ok(()));
        while k < self.team.n_pes {
            let to = self.nth_after(k);
            let count = self.number(lists.counts, to) as usize;
            let share = count.div_ceil(parts.max(1));
            let skip = (share * part).min(count);
            let bytes = share.min(count - skip) * width;
            let start = if to == self.team.me {
                self.number(lists.dest_starts, to)
            } else {
                // SAFETY: **live** of `from_state`: the word is in this PE's area.
                let word = unsafe { ptx::ld_relaxed_sys_u64(self.own(self.team.packets(round, to)).cast()) };
                if (word ^ round << START_BITS) & !START != 0 {
                    // Every thread of the group finds the same: the member is not in this call.
                    return check::fail(state, self.late(to, round, word >> START_BITS));
                }
                word & START
            };
            let (from, skip) = (self.number(lists.source_starts, to), skip as u64);
            let from = source.add((from + skip).wrapping_mul(width as u64));
            let at = Remote {
                pe: Pe::new(self.team.member(to).pe as u32),
                at: dest.add((start + skip).wrapping_mul(width as u64)),
            };
            if bytes > 0 {
                // Every thread of the group finds the same size, so all make the same calls, even after a fault.
                let inside = check::heap_range(state, self.shmem.my_pe(), from, bytes, width)
                    .and(check::heap_range(state, at.pe, at.at, bytes, width));
                // SAFETY: **owned**: the source is in this PE's heap, which stays mapped.
                let from = unsafe { LocalAddr::new(state.own_address(from)) };
                let queue = self.shmem.queue_of(Qp::Default);
                ended = match inside {
                    Ok(()) => ended.and(queue.put(Met(group), at, from, bytes, Completion::Nonblocking)),
                    outside => ended.and(outside),
                };
            }
            k += 1;
        }
        ended
    }
}

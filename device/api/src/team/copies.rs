//! Broadcast, all-gather and all-to-all over a team.

use oxshmem_core::{Call, Collective, Element, Fault, Group, Scope, SymAddr, SymPtr};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;
use oxshmem_raw::state::wait::WaitBudget;

use super::direct::{Ends, PAIR};
use super::single::{Early, Single};
use super::units::{Units, copy_units};
use super::{Team, Way};
use crate::check;

/// The smallest group that copies large data by loads and stores of its threads rather than by puts.
const MANY_THREADS: u32 = 128;
/// The largest data in bytes for each thread whose copy within a member precedes those to the others, in an all-to-all or
/// by puts. Both kinds are under way side by side in larger ones.
pub(super) const COPIED_EARLY: usize = 256;

/// An exchange between members. Offsets are in bytes.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    pub(super) source: SymAddr,
    /// The distance in the source between one receiver's data and the next one's.
    pub(super) source_apart: usize,
    pub(super) dest: SymAddr,
    /// The distance in the destination between one sender's data and the next one's.
    pub(super) dest_apart: usize,
    pub(super) bytes: usize,
    /// The only member that sends; `None`: all send.
    pub(super) root: Option<u32>,
    /// The call, for the comparison with those of the other members.
    call: Call,
}

impl Exchange {
    /// Returns the source, and the destination of member `me`'s data.
    #[inline(always)]
    pub(super) fn ends(&self, me: u32) -> Ends {
        Ends { source: self.source, dest: self.dest.add((self.dest_apart * me as usize) as u64) }
    }

    /// Reports whether the data of member `me` can be moved in pairs of units.
    #[inline(always)]
    fn are_pairs(&self, me: u32) -> bool {
        let ends = self.ends(me);
        (ends.source.offset() | ends.dest.offset() | (self.bytes | self.source_apart) as u64)
            .is_multiple_of(PAIR as u64)
    }
}

impl<P: PathList> Team<'_, P> {
    /// Copies `count` elements of member `root`'s `source` to `dest` of every member, the root included.
    ///
    /// `dest` may be `source`; otherwise the ranges are disjoint.
    #[inline(always)]
    pub fn broadcast<T: Element, G: Group>(
        &self,
        group: G,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
        root: u32,
    ) -> Result<(), Fault> {
        self.broadcast_by(group, Way::Auto, dest, source, count, root)
    }

    /// Copies as [`broadcast`](Self::broadcast), in a way that the caller has chosen.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn broadcast_by<T: Element, G: Group>(
        &self,
        group: G,
        way: Way,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
        root: u32,
    ) -> Result<(), Fault> {
        let bytes = self.check_ends(dest, count, source, count)?;
        self.check_apart((dest, bytes), (source, bytes), dest == source)?;
        self.check_member(root)?;
        let (source, dest) = (source.addr(), dest.addr());
        let call = Call::new(Collective::Broadcast, T::WIDTH.bytes(), self.whole.unwrap_or(bytes), bytes).root(root);
        let plan = Exchange { source, source_apart: 0, dest, dest_apart: 0, bytes, root: Some(root), call };
        self.exchange::<T, G>(group, way, plan)
    }

    /// Gathers `count` elements of every member's `source` in `dest` of every member: those of member `i` are the
    /// elements from `i * count` on.
    ///
    /// `source` may be this member's own part of `dest`; otherwise the ranges are disjoint.
    #[inline(always)]
    pub fn fcollect<T: Element, G: Group>(
        &self,
        group: G,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        self.fcollect_part(group, Way::Auto, dest, (source, 0), count, count)
    }

    /// Gathers `count` elements, from element `start` on, of each member's block of `block` elements. `dest` and
    /// `source` are those of the whole blocks, so that several groups can share a block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn fcollect_part<T: Element, G: Group>(
        &self,
        group: G,
        way: Way,
        dest: SymPtr<T>,
        (source, start): (SymPtr<T>, usize),
        count: usize,
        block: usize,
    ) -> Result<(), Fault> {
        let all = self.check_ends(dest, self.of_all(block), source, block)?;
        let own = dest.add(block * self.team.me as usize);
        self.check_apart((dest, all), (source, check::bytes_of(block, T::WIDTH.bytes())), source == own)?;
        let (source, dest, width) = (source.add(start).addr(), dest.add(start).addr(), T::WIDTH.bytes());
        let (bytes, dest_apart) = (count * width, block * width);
        let call = Call::new(Collective::Fcollect, T::WIDTH.bytes(), dest_apart, bytes);
        let plan = Exchange { source, source_apart: 0, dest, dest_apart, bytes, root: None, call };
        self.exchange::<T, G>(group, way, plan)
    }

    /// Sends to each member its part of `source`, `count` elements from `member * count` on, and gets in `dest` from
    /// each member, in the same order, its part for this one. The ranges are disjoint.
    #[inline(always)]
    pub fn alltoall<T: Element, G: Group>(
        &self,
        group: G,
        dest: SymPtr<T>,
        source: SymPtr<T>,
        count: usize,
    ) -> Result<(), Fault> {
        self.alltoall_part(group, Way::Auto, dest, (source, 0), count, count)
    }

    /// Sends `count` elements, from element `start` on, of each block of `block` elements. `dest` and `source` are
    /// those of the whole blocks, so that several groups can share a block.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn alltoall_part<T: Element, G: Group>(
        &self,
        group: G,
        way: Way,
        dest: SymPtr<T>,
        (source, start): (SymPtr<T>, usize),
        count: usize,
        block: usize,
    ) -> Result<(), Fault> {
        let (all, apart) = (self.of_all(block), block * T::WIDTH.bytes());
        let bytes = self.check_ends(dest, all, source, all)?;
        check::disjoint(&self.shmem.state, (dest.addr(), bytes), (source.addr(), bytes))?;
        let (source, dest) = (source.add(start).addr(), dest.add(start).addr());
        let bytes = count * T::WIDTH.bytes();
        let call = Call::new(Collective::Alltoall, T::WIDTH.bytes(), apart, bytes);
        let plan = Exchange { source, source_apart: apart, dest, dest_apart: apart, bytes, root: None, call };
        self.exchange::<T, G>(group, way, plan)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange<T: Element, G: Group>(&self, group: G, way: Way, plan: Exchange) -> Result<(), Fault> {
        // The address is computed before `enter`, which waits.
        let next_outbox = self.next_outbox();
        let single = self.single(group, plan.source, plan.source_apart, plan.bytes, next_outbox);
        self.enter(group)?;
        // Before the rounds: the compiler moves those to other registers, and waits for them. A broadcast on a stream
        // has no register left for it.
        let early = single.filter(|_| self.sends(plan) && (plan.root.is_none() || !self.dependent));
        // SAFETY: **live**: the caller passes ranges of the heap.
        let early = unsafe { self.load_early::<G>(early) };
        let mut rounds = self.rounds();
        let senders = if plan.root.is_some() { 1 } else { self.team.n_pes - 1 };
        let by_packets = || {
            let most = self.copied_by_packets(group, plan.bytes, senders);
            self.all_load_store() && self.by_packets(group, way, plan.bytes, most)
        };
        self.compare(group, &rounds, || plan.call.by(by_packets(), group.size()))?;
        let ended = if plan.bytes == 0 {
            Ok(())
        } else if by_packets()
            && let Some(single) = single
        {
            self.exchange_single::<T, G>(group, &mut rounds, single, early, plan)
        } else if by_packets() {
            self.exchange_packets::<T, G>(group, &mut rounds, plan, next_outbox)
        } else if G::SCOPE != Scope::Block && way != Way::Direct {
            self.exchange_by_puts(group, &mut rounds, plan)
        } else {
            let many = way == Way::Direct || group.size() >= MANY_THREADS;
            let directly = many && self.all_load_store() && plan.are_pairs(self.team.me);
            let (ends, apart, bytes) = (plan.ends(self.team.me), plan.source_apart, plan.bytes);
            let (others, receivers) = (self.team.n_pes - 1, self.receivers(plan));
            let root = plan.root.filter(|_| directly && self.goes_in_parts(bytes));
            // No other member accesses this one's source, or its part of its own destination.
            let early = directly && root.is_none() && apart > 0 && bytes <= COPIED_EARLY * group.size() as usize;
            let end = if early { others.min(receivers) } else { receivers };
            let copied = if directly && root.is_none() && receivers > 0 { bytes } else { 0 };
            // SAFETY: **live**: the caller passes ranges of the heap; their alignment was checked.
            let load = |to: u32| unsafe { self.load_copied(group, (ends.source, apart), copied, to) };
            // `meet_before`, written out: with the copy as a closure the team would be on each thread's stack.
            let quiet = self.quiet_remote(group);
            let arrived = self.arrive(group, &mut rounds, false);
            if early {
                // SAFETY: **live**: as above.
                unsafe { self.copy_directly(group, (ends, apart), bytes, others..receivers, load(others)) }
            }
            let first = load(0);
            let met = self.await_arrivals(group, rounds.last, quiet, arrived);
            self.agree(group, met)?;
            let put = if let Some(root) = root {
                // SAFETY: **live**: as above.
                unsafe { self.broadcast_in_parts(group, &mut rounds, ends, bytes, root) }
            } else if directly {
                // SAFETY: **live**: as above.
                unsafe { self.copy_directly(group, (ends, apart), bytes, 0..end, first) }
                Ok(())
            } else {
                self.put_all(group, rounds.last, plan)
            };
            put.and(self.meet(group, &mut rounds, true))
        };
        self.end(group, rounds, ended)
    }

    #[inline(always)]
    fn sends(&self, plan: Exchange) -> bool {
        plan.root.is_none_or(|root| root == self.team.me)
    }

    /// Returns the lowest round that the members of this thread's share have announced, if this is a broadcast that this
    /// member sends; otherwise 0.
    #[inline(always)]
    fn announced_for<G: Group>(&self, group: G, plan: Exchange) -> u64 {
        if plan.root.is_some() && self.sends(plan) { self.announced(group) } else { 0 }
    }

    /// Reports whether this is a broadcast of at most half of a round's bytes.
    #[inline(always)]
    fn is_small_broadcast(&self, plan: Exchange) -> bool {
        plan.root.is_some() && plan.bytes <= (self.team.payload / 2) as usize
    }

    /// Prepares a round of packets.
    #[inline(always)]
    fn open_exchange<G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        plan: Exchange,
        announced: u64,
    ) -> Result<(), Fault> {
        if plan.root.is_some() {
            return self.open_broadcast(group, rounds, self.is_small_broadcast(plan), self.sends(plan), announced);
        }
        self.open(group, rounds)
    }

    /// Announces this round if it is one of a broadcast. These words alone show a later root that the others have ended
    /// their rounds, which lets it continue. The root sends its packets before.
    #[inline(always)]
    fn announce_broadcast<G: Group>(&self, group: G, rounds: &Rounds, plan: Exchange) -> Result<(), Fault> {
        if plan.root.is_some() { self.announce(group, rounds.last) } else { Ok(()) }
    }

    /// Returns the number of members to which this one copies: the others, and itself, unless its data is there
    /// already.
    #[inline(always)]
    pub(super) fn receivers(&self, plan: Exchange) -> u32 {
        let Ends { source, dest } = plan.ends(self.team.me);
        let in_place = source.add((plan.source_apart * self.team.me as usize) as u64) == dest;
        if self.sends(plan) { self.team.n_pes - in_place as u32 } else { 0 }
    }

    /// Exchanges this thread's units in one round.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange_single<T: Element, G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        single: Single,
        Early { is_loaded, mut unit }: Early,
        plan: Exchange,
    ) -> Result<(), Fault> {
        let (at, bytes) = (single.place(), plan.bytes as u32);
        let end = |of: u32| {
            let dest = plan.dest.add((plan.dest_apart * of as usize) as u64);
            Units::new(self.shmem.state.own_address(dest), bytes)
        };
        // SAFETY: **live**: the caller passes ranges of the heap. **opened**: `open` precedes.
        unsafe {
            if self.sends(plan) && !is_loaded {
                unit = self.load_single::<T>(single, self.nth_after(0));
            }
            // In flight together with the load of the unit.
            let announced = self.announced_for(group, plan);
            self.open_exchange(group, rounds, plan, announced)?;
            if plan.root.is_none() {
                rounds.set_met();
            }
            let packets = self.packets(rounds.last, self.is_small_broadcast(plan), single.next_outbox());
            if self.sends(plan) {
                self.send_single::<T>(single, packets, unit);
                if self.receivers(plan) == self.team.n_pes && at.has(0) {
                    let own = if plan.source_apart > 0 { self.load_single::<T>(single, self.team.me) } else { unit };
                    end(self.team.me).store::<T>(at.unit(0), own);
                }
            }
            self.announce_broadcast(group, rounds, plan)?;
            let store = |from: u32, unit: u64| end(from).store::<T>(at.unit(0), unit);
            // One member's packet is polled by less code. Blocks in kernels have no registers for both kinds of code.
            let is_pair = (self.dependent || G::SCOPE == Scope::Warp) && self.team.n_pes == 2;
            let only = plan.root.unwrap_or(self.nth_after(0));
            if plan.root.is_none() && !is_pair {
                self.receive_single(packets, at, store)?;
            } else if only != self.team.me {
                let mut unit = [0];
                self.receive(&mut WaitBudget::new(), (packets, only), at, [[0; 2]], &mut unit)?;
                if at.has(0) {
                    store(only, unit[0]);
                }
            }
        }
        Ok(())
    }

    /// Exchanges in rounds of packets.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange_packets<T: Element, G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        plan: Exchange,
        next_outbox: *mut u8,
    ) -> Result<(), Fault> {
        let (state, most, mut done) = (&self.shmem.state, self.round_bytes(), 0);
        let place = |start: SymAddr, apart: usize, of: u32| state.own_address(start.add((apart * of as usize) as u64));
        if self.sends(plan) {
            let first = place(plan.source, plan.source_apart, self.nth_after(0));
            Units::new(first, most.min(plan.bytes as u32)).prefetch(group.rank());
        }
        let mut announced = self.announced_for(group, plan);
        loop {
            let left = plan.bytes - done;
            let now = if left < most as usize { left as u32 } else { most };
            self.open_exchange(group, rounds, plan, announced)?;
            if plan.root.is_none() {
                rounds.set_met();
            }
            announced = 0;
            let packets = self.packets(rounds.last, self.is_small_broadcast(plan), next_outbox);
            let (source, dest) = (plan.source.add(done as u64), plan.dest.add(done as u64));
            // SAFETY: **live**: the ranges are in the heap, and a round has at most the payload.
            let ended = unsafe {
                if self.sends(plan) {
                    let from = place(source, plan.source_apart, self.team.me);
                    let to = place(dest, plan.dest_apart, self.team.me);
                    let own = Units::new(to, if from != to { now } else { 0 });
                    // The others wait for this member alone, so that its own copy costs least if it shares the loads.
                    let kept = if plan.root.is_some() { own } else { Units::NONE };
                    self.send_all::<T, G>(group, packets, source, plan.source_apart, now, kept);
                    if plan.root.is_none() {
                        copy_units::<T, G>(group, own, Units::new(from, now));
                    }
                }
                let mut ended = self.announce_broadcast(group, rounds, plan);
                let from_member = |from: u32| Units::new(place(dest, plan.dest_apart, from), now);
                let mut k = 0;
                while k + 1 < self.team.n_pes && ended.is_ok() {
                    let from = self.nth_after(k);
                    if plan.root.is_none_or(|root| root == from) {
                        ended = self.receive_from::<T, G>(group, packets, from, from_member(from));
                    }
                    k += 1;
                }
                ended
            };
            done += now as usize;
            if done >= plan.bytes {
                return ended;
            }
            // Every thread has read this round's half before any of them takes part in the next one.
            self.agree(group, ended)?;
        }
    }
}

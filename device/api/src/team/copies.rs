//! Broadcast, all-gather and all-to-all over a team.

use oxshmem_core::{Completion, Element, Fault, FaultStep, Group, Pe, Qp, QpResource, Remote, SymAddr, SymPtr};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;

use super::units::Units;
use super::{Team, Way};
use crate::check;

/// An exchange between members. Offsets are in bytes.
#[derive(Clone, Copy)]
struct Exchange {
    source: SymAddr,
    /// The distance in the source between one receiver's data and the next one's.
    source_apart: usize,
    dest: SymAddr,
    /// The distance in the destination between one sender's data and the next one's.
    dest_apart: usize,
    bytes: usize,
    /// The only member that sends; `None`: all send.
    root: Option<u32>,
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
    #[inline(always)]
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
        if check::CHECKED && root >= self.team.n_pes {
            let mut fault = Fault::new(FaultStep::NoSuchMember);
            (fault.at, fault.asked, fault.seen) = (self.team.number as u64, root as u64, self.team.n_pes as u64);
            return check::fail(&self.shmem.state, fault);
        }
        let (source, dest) = (source.addr(), dest.addr());
        let plan = Exchange { source, source_apart: 0, dest, dest_apart: 0, bytes, root: Some(root) };
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

    /// Gathers `count` elements of each member's block of `block` elements, from element `start` of it on; `dest` and
    /// `source` are those of the whole blocks. Several groups share a block so.
    #[inline(always)]
    pub fn fcollect_part<T: Element, G: Group>(
        &self,
        group: G,
        way: Way,
        dest: SymPtr<T>,
        (source, start): (SymPtr<T>, usize),
        count: usize,
        block: usize,
    ) -> Result<(), Fault> {
        self.check_ends(dest, self.of_all(block), source, block)?;
        let (source, dest, width) = (source.add(start).addr(), dest.add(start).addr(), T::WIDTH.bytes());
        let plan =
            Exchange { source, source_apart: 0, dest, dest_apart: block * width, bytes: count * width, root: None };
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

    /// Sends `count` elements of each block of `block` elements, from element `start` of it on; `dest` and `source` are
    /// those of the whole blocks. Several groups share a block so.
    #[inline(always)]
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
        check::disjoint(&self.shmem.state, dest.addr(), bytes, source.addr(), bytes)?;
        let (source, dest) = (source.add(start).addr(), dest.add(start).addr());
        let bytes = count * T::WIDTH.bytes();
        let plan = Exchange { source, source_apart: apart, dest, dest_apart: apart, bytes, root: None };
        self.exchange::<T, G>(group, way, plan)
    }

    /// Returns the number of elements of a block for each member.
    #[inline(always)]
    fn of_all(&self, block: usize) -> usize {
        if check::CHECKED { block.saturating_mul(self.team.n_pes as usize) } else { block * self.team.n_pes as usize }
    }

    /// Checks both ranges, and returns the size of the destination in bytes.
    #[inline(always)]
    pub(super) fn check_ends<T: Element>(
        &self,
        dest: SymPtr<T>,
        dest_count: usize,
        source: SymPtr<T>,
        source_count: usize,
    ) -> Result<usize, Fault> {
        let (state, me, width) = (&self.shmem.state, self.shmem.my_pe(), T::WIDTH.bytes());
        let bytes = check::bytes_of(dest_count, width);
        check::heap_range(state, me, dest.addr(), bytes, width)?;
        check::heap_range(state, me, source.addr(), check::bytes_of(source_count, width), width)?;
        Ok(bytes)
    }

    #[inline(always)]
    fn exchange<T: Element, G: Group>(&self, group: G, way: Way, plan: Exchange) -> Result<(), Fault> {
        let mut rounds = self.begin(group)?;
        let ended = if plan.bytes == 0 {
            Ok(())
        } else if self.is_near() && self.by_packets(way, plan.bytes) {
            self.exchange_packets::<T, G>(group, &mut rounds, plan)
        } else {
            self.meet_before(group, &mut rounds)?;
            let put = self.put_all(group, plan);
            put.and(self.meet(group, &mut rounds, true))
        };
        self.end(group, rounds, ended)
    }

    #[inline(always)]
    fn sends(&self, plan: Exchange) -> bool {
        plan.root.is_none_or(|root| root == self.team.me)
    }

    /// Puts this member's data to every member, itself included, unless it is there already.
    #[inline(always)]
    fn put_all<G: Group>(&self, group: G, plan: Exchange) -> Result<(), Fault> {
        let (queue, mut k, mut ended) = (self.shmem.queue_of(Qp::Default), 0, Ok(()));
        let at = plan.dest.add((plan.dest_apart * self.team.me as usize) as u64);
        while self.sends(plan) && k < self.team.n_pes {
            let to = self.nth_after(k);
            let source = plan.source.add((plan.source_apart * to as usize) as u64);
            if to != self.team.me || source != at {
                let pe = Pe::new(self.team.member(to).pe as u32);
                // SAFETY: **owned**: the source is in this PE's heap, which stays mapped.
                let from = unsafe { LocalAddr::new(self.shmem.state.own_address(source)) };
                // Every thread makes every call, even after a fault, so that the group stays together.
                let put = queue.put(group, Remote { pe, at }, from, plan.bytes, Completion::Nonblocking);
                ended = ended.and(put);
            }
            k += 1;
        }
        ended
    }

    /// Sends `bytes` bytes at `source` of this PE to every other member by packets, `apart` bytes further for each.
    ///
    /// # Safety
    ///
    /// - **live**: the range is in the heap, and at most the payload; every member is a load/store PE.
    #[inline(always)]
    pub(super) unsafe fn send_all<T: Element, G: Group>(
        &self,
        group: G,
        round: u64,
        source: SymAddr,
        apart: usize,
        bytes: usize,
    ) {
        let mut k = 0;
        while k + 1 < self.team.n_pes {
            let to = self.nth_after(k);
            let from = self.shmem.state.own_address(source.add((apart * to as usize) as u64));
            // SAFETY: **live** by the caller.
            unsafe { self.send::<T, G>(group, round, to, Units::new(from, bytes)) }
            k += 1;
        }
    }

    /// Exchanges in rounds of packets.
    #[inline(always)]
    fn exchange_packets<T: Element, G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        plan: Exchange,
    ) -> Result<(), Fault> {
        let (state, most, mut done) = (&self.shmem.state, self.round_bytes(), 0);
        let to = self.nth_after(0) as usize * plan.source_apart;
        Units::new(state.own_address(plan.source.add(to as u64)), plan.bytes).prefetch(group.rank() as usize);
        let mut announced = if plan.root.is_some() { self.announced(group) } else { 0 };
        while done < plan.bytes {
            let now = if plan.bytes - done < most { plan.bytes - done } else { most };
            self.open(group, rounds, announced)?;
            announced = 0;
            let (round, mut ended) = (rounds.last, Ok(()));
            if plan.root.is_some() {
                // The root hears from the others, so that it may go on, by these words alone.
                ended = self.announce(group, round);
            } else {
                rounds.met = round;
            }
            let (source, dest) = (plan.source.add(done as u64), plan.dest.add(done as u64));
            // SAFETY: **live**: the ranges are in the heap, and a round has at most the payload.
            unsafe {
                if self.sends(plan) {
                    self.send_all::<T, G>(group, round, source, plan.source_apart, now);
                    let (from, to) = (plan.source_apart, plan.dest_apart);
                    let from = state.own_address(source.add((from * self.team.me as usize) as u64));
                    let to = state.own_address(dest.add((to * self.team.me as usize) as u64));
                    if from != to {
                        copy_units::<T, G>(group, Units::new(to, now), Units::new(from, now));
                    }
                }
                let mut k = 0;
                while k + 1 < self.team.n_pes && ended.is_ok() {
                    let from = self.nth_after(k);
                    if plan.root.is_none_or(|root| root == from) {
                        let at = state.own_address(dest.add((plan.dest_apart * from as usize) as u64));
                        ended = self.receive_from::<T, G>(group, round, from, Units::new(at, now));
                    }
                    k += 1;
                }
            }
            done += now;
            // Every thread has read this round's half before any of them takes part in the next one.
            self.agree(group, ended)?;
        }
        Ok(())
    }
}

/// Copies units within this PE.
///
/// # Safety
///
/// - **live**: both are mapped, of the same size, and disjoint.
#[inline(always)]
unsafe fn copy_units<T: Element, G: Group>(group: G, to: Units, from: Units) {
    let mut index = group.rank() as usize;
    while index < to.count() {
        // SAFETY: **live** by the caller.
        unsafe { to.store::<T>(index, from.load::<T>(index)) }
        index += group.size() as usize;
    }
}

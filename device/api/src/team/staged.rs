//! The exchange by puts into the peers' areas, over any path: each put carries its own signal.

use oxshmem_core::{Completion, Fault, Group, Met, Number, Qp, QpResource, ReduceOp, SignalOp, SymAddr};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::wait::WaitBudget;

use super::Team;
use super::units::{Sums, UNIT, Units};

impl<P: PathList> Team<'_, P> {
    /// Puts `bytes` bytes at `source` of this PE into the half of the round on every other member, `apart` bytes
    /// further for each member, and signals each. Data for all members (`apart` is 0) goes through relays. `open` has
    /// prepared the round.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stage<G: Group>(
        &self,
        group: G,
        round: u64,
        source: SymAddr,
        apart: usize,
        bytes: usize,
    ) -> Result<(), Fault> {
        let (queue, mut k, mut ended) = (self.shmem.queue_of(Qp::Default), 0, Ok(()));
        while k + 1 < self.team.n_pes {
            let to = self.nth_after(k);
            k += 1;
            if apart == 0 && !self.sends_to(to) {
                continue;
            }
            let member = self.team.member(to);
            let data = self.remote(member, self.team.packets(round, self.team.me));
            let word = self.remote(member, self.team.done(self.team.me)).at;
            let from = self.shmem.state.own_address(source.add((apart * to as usize) as u64));
            // SAFETY: **owned**: the source is in this PE's heap, which stays mapped.
            let from = unsafe { LocalAddr::new(from) };
            let when = Completion::Blocking;
            // Every thread makes every call, even after a fault, so that the group stays together.
            let put = queue.put_signal(Met(group), data, from, bytes, word, SignalOp::Set, round, when);
            ended = ended.and(put);
        }
        if apart == 0 && self.is_relayed() {
            ended = ended.and(self.pass_data(group, round, bytes, None));
        }
        ended
    }

    /// Waits for every other member's data of the round, which is the same for all members (`to_all`) or not. The
    /// threads of the group share the members.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn await_staged<G: Group>(&self, group: G, round: u64, to_all: bool) -> Result<(), Fault> {
        let (mut k, mut budget, mut ended) = (group.rank(), WaitBudget::new(), Ok(()));
        while k + 1 < self.team.n_pes && ended.is_ok() {
            let from = self.nth_after(k);
            let passed = to_all && self.gets_passed(from);
            let word = if passed { self.team.passed(from) } else { self.team.done(from) };
            ended = self.await_word(&mut budget, word, from, round);
            k += group.size();
        }
        self.agree(group, ended)
    }

    /// Reduces the staged units of every other member and this member's own, in the order of the members.
    ///
    /// # Safety
    ///
    /// - **live**: `own` and `dest` are mapped and of the same size, at most twice the payload.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn reduce_staged<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        round: u64,
        op: O,
        own: Units,
        dest: Units,
    ) {
        let mut index = group.rank();
        while index < dest.count() {
            // SAFETY: **live** by the caller.
            unsafe { dest.store::<T>(index, self.sum_staged::<T, O>(round, op, own.load::<T>(index), index)) }
            index += group.size();
        }
    }

    /// Returns the reduction of a unit that every other member has staged and this member's own, in the order of the
    /// members.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn sum_staged<T: Number, O: ReduceOp<T>>(&self, round: u64, op: O, mine: u64, index: u32) -> u64 {
        let of = |member: u32| {
            if member == self.team.me {
                return mine;
            }
            let at = self.own(self.team.packets(round, member) + (UNIT as u32 * index) as u64);
            // SAFETY: **live** of `from_state`: the data is in this PE's area.
            unsafe { ptx::ld_relaxed_sys_u64(at.cast()) }
        };
        let mut sums = Sums::<T>::of(of(0));
        let mut member = 1;
        while member < self.team.n_pes {
            sums.add(op, of(member));
            member += 1;
        }
        sums.unit()
    }
}

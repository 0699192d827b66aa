//! The small exchange over load/store: each store of 16 bytes carries 8 bytes of data and twice the round's flag, so
//! that the receiver polls the data itself, and no fence and no signal follow.
//!
//! A round writes one of two halves of the receiver's slot. Before a member writes a half again, it has heard from the
//! receiver in the round between, which the receiver began after it had read the half ([`Team::open`]).

use oxshmem_core::{Element, Fault, Group, Number, ReduceOp};
use oxshmem_raw::gpu::ptx::{self, V2};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::Team;
use super::units::{Sums, UNIT, Units};

/// The bytes of a packet.
const PACKET: u64 = 16;
/// Members whose packets a thread loads together.
const AT_ONCE: usize = 4;

/// The flag of a round. It is not 0, which memory has before its first use. A flag recurs after 2^32 rounds: a receiver
/// would be misled by a packet of exactly that age, in a place that no round between has used.
#[inline(always)]
const fn flag_of(round: u64) -> u32 {
    if round as u32 == 0 { u32::MAX } else { round as u32 }
}

#[inline(always)]
const fn packet(unit: u64, flag: u32) -> V2 {
    let flag = (flag as u64) << 32;
    [unit & 0xffff_ffff | flag, unit >> 32 | flag]
}

#[inline(always)]
const fn arrived(packet: V2, flag: u32) -> bool {
    (packet[0] >> 32) as u32 == flag && (packet[1] >> 32) as u32 == flag
}

#[inline(always)]
const fn data(packet: V2) -> u64 {
    packet[0] & 0xffff_ffff | packet[1] << 32
}

impl<P: PathList> Team<'_, P> {
    /// Sends units to a member.
    ///
    /// # Safety
    ///
    /// - **live**: the units are mapped, and at most [`payload`](oxshmem_raw::state::team::TeamHandle::payload) bytes.
    #[inline(always)]
    pub(super) unsafe fn send<T: Element, G: Group>(&self, group: G, round: u64, to: u32, units: Units) {
        let flag = flag_of(round);
        let there = self.theirs(self.team.member(to), self.team.packets(round, self.team.me));
        let mut index = group.rank() as usize;
        while index < units.count() {
            // SAFETY: **live** by the caller; the packets are in the area of a load/store member, and `open` has made
            // sure that it has read what was there.
            unsafe {
                let unit = units.load::<T>(index);
                ptx::st_relaxed_sys_v2(there.add(PACKET as usize * index).cast(), packet(unit, flag));
            }
            index += group.size() as usize;
        }
    }

    /// Returns one packet of each of up to [`AT_ONCE`] members from `first` on, when all have arrived. This member's own is
    /// not awaited.
    #[inline(always)]
    fn receive(&self, budget: &mut WaitBudget, round: u64, first: u32, index: usize) -> Result<[u64; AT_ONCE], Fault> {
        let flag = flag_of(round);
        let look = |k: u32| {
            let from = first + k;
            if from >= self.team.n_pes || from == self.team.me {
                return packet(0, flag);
            }
            let at = self.own(self.team.packets(round, from) + PACKET * index as u64);
            // SAFETY: **live** of `from_state`: the packet is in this PE's area.
            unsafe { ptx::ld_relaxed_sys_v2(at.cast()) }
        };
        let poll = || {
            // All loads travel before the first is looked at.
            let [a, b, c, d] = [look(0), look(1), look(2), look(3)];
            let all = arrived(a, flag) && arrived(b, flag) && arrived(c, flag) && arrived(d, flag);
            all.then(|| [data(a), data(b), data(c), data(d)])
        };
        let late = || {
            let missing = |k: &u32| !arrived(look(*k), flag);
            self.late(first + (0..AT_ONCE as u32).find(missing).unwrap_or(0), round, round - 1)
        };
        wait::until_word(&self.shmem.state, budget, poll, late)
    }

    /// Returns the unit that a member sends in this round, when it has arrived.
    #[inline(always)]
    fn receive_one(&self, budget: &mut WaitBudget, round: u64, from: u32, index: usize) -> Result<u64, Fault> {
        let (flag, at) = (flag_of(round), self.own(self.team.packets(round, from) + PACKET * index as u64));
        let poll = || {
            // SAFETY: **live** of `from_state`: the packet is in this PE's area.
            let seen = unsafe { ptx::ld_relaxed_sys_v2(at.cast()) };
            arrived(seen, flag).then(|| data(seen))
        };
        wait::until_word(&self.shmem.state, budget, poll, || self.late(from, round, round - 1))
    }

    /// Receives the same units of every member, and reduces them, with this member's own, in the order of the members.
    ///
    /// # Safety
    ///
    /// - **live**: `own` and `dest` are mapped and of the same size, at most the payload.
    #[inline(always)]
    pub(super) unsafe fn receive_reduced<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        round: u64,
        op: O,
        own: Units,
        dest: Units,
    ) -> Result<(), Fault> {
        let (mut index, mut budget) = (group.rank() as usize, WaitBudget::new());
        while index < dest.count() {
            // SAFETY: **live** by the caller.
            let mine = unsafe { own.load::<T>(index) };
            let (mut first, mut sums) = (0, Sums::<T>::of(mine));
            while first < self.team.n_pes {
                let theirs = self.receive(&mut budget, round, first, index)?;
                let mut add = |k: u32| {
                    let from = first + k;
                    if from < self.team.n_pes {
                        let unit = if from == self.team.me { mine } else { theirs[k as usize] };
                        if from == 0 {
                            sums = Sums::of(unit);
                        } else {
                            sums.add(op, unit);
                        }
                    }
                };
                add(0);
                add(1);
                add(2);
                add(3);
                first += AT_ONCE as u32;
            }
            // SAFETY: **live** by the caller.
            unsafe { dest.store::<T>(index, sums.unit()) }
            index += group.size() as usize;
        }
        Ok(())
    }

    /// Receives a member's units.
    ///
    /// # Safety
    ///
    /// - **live**: `dest` is mapped, and at most the payload.
    #[inline(always)]
    pub(super) unsafe fn receive_from<T: Element, G: Group>(
        &self,
        group: G,
        round: u64,
        from: u32,
        dest: Units,
    ) -> Result<(), Fault> {
        let (mut index, mut budget) = (group.rank() as usize, WaitBudget::new());
        while index < dest.count() {
            let unit = self.receive_one(&mut budget, round, from, index)?;
            // SAFETY: **live** by the caller.
            unsafe { dest.store::<T>(index, unit) }
            index += group.size() as usize;
        }
        Ok(())
    }

    /// Returns the largest number of bytes that a round carries to each member.
    #[inline(always)]
    pub(super) fn round_bytes(&self) -> usize {
        self.team.payload as usize / UNIT * UNIT
    }
}

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
/// Members whose packets a thread loads before it looks at the first of them.
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

    /// Returns the unit that a member sends in this round, when it has arrived. `seen` is an earlier look.
    #[inline(always)]
    fn receive(
        &self,
        budget: &mut WaitBudget,
        round: u64,
        from: u32,
        index: usize,
        mut seen: V2,
    ) -> Result<u64, Fault> {
        let flag = flag_of(round);
        if !arrived(seen, flag) {
            let at = self.own(self.team.packets(round, from) + PACKET * index as u64).cast::<V2>();
            let poll = || {
                // SAFETY: **live** of `from_state`: the packet is in this PE's area.
                seen = unsafe { ptx::ld_relaxed_sys_v2(at) };
                arrived(seen, flag).then_some(())
            };
            wait::until_word(&self.shmem.state, budget, poll, || self.late(from, round, round - 1))?;
        }
        Ok(data(seen))
    }

    /// Looks at the packets of up to [`AT_ONCE`] members from `first` on.
    #[inline(always)]
    fn look(&self, round: u64, first: u32, index: usize) -> [V2; AT_ONCE] {
        let mut seen = [[0; 2]; AT_ONCE];
        let mut k = 0;
        while k < AT_ONCE {
            let from = first + k as u32;
            if from < self.team.n_pes && from != self.team.me {
                let at = self.own(self.team.packets(round, from) + PACKET * index as u64);
                // SAFETY: **live** of `from_state`: the packet is in this PE's area.
                seen[k] = unsafe { ptx::ld_relaxed_sys_v2(at.cast()) };
            }
            k += 1;
        }
        seen
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
                let seen = self.look(round, first, index);
                let mut k = 0;
                while k < AT_ONCE {
                    let from = first + k as u32;
                    if from < self.team.n_pes {
                        let unit = match from == self.team.me {
                            true => mine,
                            false => self.receive(&mut budget, round, from, index, seen[k])?,
                        };
                        if from == 0 {
                            sums = Sums::of(unit);
                        } else {
                            sums.add(op, unit);
                        }
                    }
                    k += 1;
                }
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
            let unit = self.receive(&mut budget, round, from, index, [0; 2])?;
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

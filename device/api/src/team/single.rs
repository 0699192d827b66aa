//! Rounds of packets in which each thread has at most one unit for each member: most collectives on streams, and small
//! ones in kernels. A thread computes its addresses and issues the load of its first unit before it has the round's
//! number.

use oxshmem_core::{Element, Fault, Group, Number, ReduceOp, Scope, SymAddr};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::Team;
use super::packet::{arrived, data};
use super::packets::Packets;
use super::units::{Strided, UNIT, Units, each_of};

/// The members whose units a thread awaits side by side.
const SEVERAL: usize = 3;

/// The units of the calling thread in a call of one round.
#[derive(Clone, Copy)]
pub(super) struct Single {
    source: SymAddr,
    /// The distance in the source between one receiver's data and the next one's.
    apart: usize,
    bytes: u32,
    /// The thread's place in the data for each member.
    at: Strided,
    /// The place of this member's packets on the next member.
    next_outbox: *mut u8,
}

impl Single {
    /// Returns the thread's place in the data for each member.
    #[inline(always)]
    pub(super) fn place(&self) -> Strided {
        self.at
    }

    /// Returns where this member's packets go on the next member.
    #[inline(always)]
    pub(super) fn next_outbox(&self) -> *mut u8 {
        self.next_outbox
    }
}

/// The unit for the next member, if it was loaded before the round's number.
#[derive(Clone, Copy)]
pub(super) struct Early {
    pub(super) is_loaded: bool,
    pub(super) unit: u64,
}

impl<P: PathList> Team<'_, P> {
    /// Returns the units of this thread, if a call of `bytes` bytes for each member is such a round. It is computed
    /// before the call begins.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn single<G: Group>(
        &self,
        group: G,
        source: SymAddr,
        apart: usize,
        bytes: usize,
        next_outbox: *mut u8,
    ) -> Option<Single> {
        let fits = bytes <= UNIT * group.size() as usize && bytes <= self.round_bytes() as usize;
        if !self.all_load_store() || !fits {
            return None;
        }
        let rank = ptx::opaque_u32(group.rank());
        let at = Strided::new(rank, 0, (rank < (bytes as u32).div_ceil(UNIT as u32)) as usize);
        Some(Single { source, apart, bytes: bytes as u32, at, next_outbox })
    }

    /// Loads this thread's unit for the next member if one access does; `None` in place of units makes no load. Blocks in
    /// a program's kernel make none either: those of 1,024 threads have no registers for it, and smaller ones gain nothing.
    ///
    /// # Safety
    ///
    /// - **live**: as [`load_single`](Self::load_single).
    #[inline(always)]
    pub(super) unsafe fn load_early<G: Group>(&self, single: Option<Single>) -> Early {
        let single = single.filter(|_| self.dependent || G::SCOPE != Scope::Block);
        let Some(single) = single else { return Early { is_loaded: false, unit: 0 } };
        let from = single.source.add((single.apart * self.nth_after(0) as usize) as u64);
        let (from, at) = (self.shmem.state.own_address(from), UNIT * single.at.unit(0) as usize);
        let is_whole = single.at.has(0) & (from as usize).is_multiple_of(UNIT) & (at + UNIT <= single.bytes as usize);
        // SAFETY: **live** by the caller: the unit is inside the source, and aligned.
        Early { is_loaded: is_whole, unit: unsafe { ptx::ld_weak_u64_if(is_whole, from.wrapping_add(at).cast()) } }
    }

    /// Loads this thread's unit for a member.
    ///
    /// # Safety
    ///
    /// - **live**: the call's source is in the heap.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn load_single<T: Element>(&self, single: Single, to: u32) -> u64 {
        if !single.at.has(0) {
            return 0;
        }
        let from = single.source.add((single.apart * to as usize) as u64);
        // SAFETY: **live** by the caller.
        unsafe { Units::new(self.shmem.state.own_address(from), single.bytes).load::<T>(single.at.unit(0)) }
    }

    /// Sends this thread's units to every other member; `unit` is the one for the next member.
    ///
    /// # Safety
    ///
    /// - **live**: as [`load_single`](Self::load_single).
    /// - **opened**: `open` has prepared the round.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn send_single<T: Element>(&self, single: Single, packets: Packets, mut unit: u64) {
        let mut k = 0;
        while k + 1 < self.team.n_pes {
            if k > 0 && single.apart > 0 {
                // SAFETY: **live** by the caller.
                unit = unsafe { self.load_single::<T>(single, self.nth_after(k)) };
            }
            // SAFETY: **opened** by the caller; every member is a load/store PE.
            unsafe { self.send_to([unit], packets, k, single.at) }
            k += 1;
        }
    }

    /// Sends, receives and reduces this thread's units in one round.
    ///
    /// # Safety
    ///
    /// - **live**: as [`load_single`](Self::load_single); `dest` is in the heap as well.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn reduce_single<T: Number, O: ReduceOp<T>, G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        op: O,
        (single, Early { is_loaded, mut unit }): (Single, Early),
        dest: Units,
    ) -> Result<(), Fault> {
        // SAFETY: **live** by the caller.
        unsafe {
            if !is_loaded {
                unit = self.load_single::<T>(single, self.nth_after(0));
            }
            let mut own = [if single.apart > 0 { self.load_single::<T>(single, self.team.me) } else { unit }];
            self.open(group, rounds)?;
            rounds.set_met();
            let packets = self.packets(rounds.last, false, single.next_outbox);
            self.send_single::<T>(single, packets, unit);
            self.receive_and_sum::<T, O, 1>(&mut WaitBudget::new(), packets, op, &mut own, single.at)?;
            if single.at.has(0) {
                dest.store::<T>(single.at.unit(0), own[0]);
            }
        }
        Ok(())
    }

    /// Receives this thread's unit of every other member, and calls `store` with the member and the unit. The packets of
    /// several members are polled side by side: one after another they would take a read of memory each.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn receive_single(&self, packets: Packets, at: Strided, store: impl Fn(u32, u64)) -> Result<(), Fault> {
        let (mut first, others, mut budget) = (0, self.n_pes() - 1, WaitBudget::new());
        while at.has(0) && first < others {
            let from = |k: usize| self.nth_after(first + k as u32);
            let has = |k: usize| first + (k as u32) < others;
            let mut seen = [[0; 2]; SEVERAL];
            let poll = || {
                each_of!(SEVERAL; K => seen[K] = self.look_at_one(has(K), packets, from(K), at); 0 1 2);
                let mut all = true;
                each_of!(SEVERAL; K => all &= !has(K) | arrived(seen[K], packets.flag()); 0 1 2);
                all.then_some(())
            };
            let late = || {
                let mut k = 0;
                while has(k + 1) && arrived(self.look::<1>(packets, from(k), at)[0], packets.flag()) {
                    k += 1;
                }
                self.late(from(k), packets.round(), packets.round() - 1)
            };
            wait::until_word_among(&self.shmem.state, &mut budget, |pe| self.has(pe), poll, late)?;
            each_of!(SEVERAL; K => if has(K) { store(from(K), data(seen[K])) }; 0 1 2);
            first += SEVERAL as u32;
        }
        Ok(())
    }
}

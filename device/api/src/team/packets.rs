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
use super::units::{Strided, Sums, UNIT, Units, each_of};

/// The bytes of a packet.
const PACKET: u64 = 16;
/// Packets that a thread has in flight.
const BATCH: usize = 4;
/// Packets that a thread has in flight from a member while it reduces.
const REDUCED: usize = 2;

/// Returns the flag of a round. It is never 0, the content of fresh memory. Flags repeat after 2^32 rounds: a packet of
/// exactly that age would be taken for a new one if no round in between had used its place.
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

/// Hides from the compiler how an index was computed. It would otherwise keep a pointer for each access of a loop, and
/// registers are scarce.
#[inline(always)]
fn opaque(index: usize) -> usize {
    ptx::opaque_u32(index as u32) as usize
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
        let (mut index, size) = (group.rank() as usize, group.size() as usize);
        while index + (BATCH - 1) * size < units.whole() {
            // SAFETY: **live** by the caller; the packets are in the area of a load/store member, which has read the
            // former ones (`open`).
            unsafe { send_units::<T, BATCH>(units, there, flag, Strided::new(opaque(index), size, BATCH)) }
            index += BATCH * size;
        }
        while index < units.count() {
            // SAFETY: as above.
            unsafe { send_units::<T, 1>(units, there, flag, Strided::new(opaque(index), size, 1)) }
            index += size;
        }
    }

    /// Sends the units that this thread holds to every other member.
    ///
    /// # Safety
    ///
    /// - **opened**: the units are inside the payload, and `open` has prepared the round; every member is a load/store PE.
    #[inline(always)]
    pub(super) unsafe fn send_held<const N: usize>(&self, round: u64, units: [u64; N], at: Strided) {
        let mut k = 0;
        while k + 1 < self.team.n_pes {
            let there = self.theirs(self.team.member(self.nth_after(k)), self.team.packets(round, self.team.me));
            // SAFETY: **live**: by **opened** the packets are in the area of a load/store member, which has read the
            // former ones.
            unsafe { store_packets(units, there, flag_of(round), at) }
            k += 1;
        }
    }

    /// Looks at the packets of a member at these places.
    #[inline(always)]
    fn look<const N: usize>(&self, round: u64, from: u32, at: Strided) -> [V2; N] {
        let from = ptx::opaque_u32(from);
        let (packets, mut seen) = (self.own(self.team.packets(round, from)), [[0; 2]; N]);
        each_of!(N; K => if at.has(K) {
            // SAFETY: **live** of `from_state`: the packets are in this PE's area.
            seen[K] = unsafe { ptx::ld_relaxed_sys_v2(packets.add(PACKET as usize * at.unit(K)).cast()) }
        });
        seen
    }

    /// Waits for the units at these places that a member sends in this round. `seen` is a first look. The units are not
    /// part of the result: an enum would have them and a fault in the same registers.
    #[inline(always)]
    fn receive<const N: usize>(
        &self,
        budget: &mut WaitBudget,
        (round, from): (u64, u32),
        at: Strided,
        mut seen: [V2; N],
        units: &mut [u64; N],
    ) -> Result<(), Fault> {
        let flag = flag_of(round);
        let all = |seen: &[V2; N]| {
            let mut all = true;
            each_of!(N; K => all &= !at.has(K) || arrived(seen[K], flag));
            all
        };
        if !all(&seen) {
            let poll = || {
                seen = self.look(round, from, at);
                all(&seen).then_some(())
            };
            wait::until_word_among(
                &self.shmem.state,
                budget,
                |pe| self.has(pe),
                poll,
                || self.late(from, round, round - 1),
            )?;
        }
        each_of!(N; K => units[K] = data(seen[K]));
        Ok(())
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
        let (mut index, size, mut budget) = (group.rank() as usize, group.size() as usize, WaitBudget::new());
        let whole = own.whole().min(dest.whole());
        while index + (REDUCED - 1) * size < whole {
            // SAFETY: **live** by the caller.
            unsafe {
                let at = Strided::new(opaque(index), size, REDUCED);
                self.reduce_units::<T, O, REDUCED>(&mut budget, round, op, own, dest, at)?
            }
            index += REDUCED * size;
        }
        while index < dest.count() {
            // SAFETY: as above.
            unsafe {
                let at = Strided::new(opaque(index), size, 1);
                self.reduce_units::<T, O, 1>(&mut budget, round, op, own, dest, at)?
            }
            index += size;
        }
        Ok(())
    }

    /// Receives and reduces the `N` units at these places.
    ///
    /// # Safety
    ///
    /// - **live**: as [`receive_reduced`](Self::receive_reduced).
    #[inline(always)]
    unsafe fn reduce_units<T: Number, O: ReduceOp<T>, const N: usize>(
        &self,
        budget: &mut WaitBudget,
        round: u64,
        op: O,
        own: Units,
        dest: Units,
        at: Strided,
    ) -> Result<(), Fault> {
        let mut mine = [0; N];
        // SAFETY: **live** by the caller.
        each_of!(N; K => mine[K] = unsafe { own.load_some::<T, N>(at.unit(K)) });
        self.receive_and_sum::<T, O, N>(budget, round, op, &mut mine, at)?;
        // SAFETY: **live** by the caller.
        each_of!(N; K => unsafe { dest.store_some::<T, N>(at.unit(K), mine[K]) });
        Ok(())
    }

    /// Receives the same units of every other member, and replaces this member's own by their reduction, in the order of
    /// the members.
    #[inline(always)]
    pub(super) fn receive_and_sum<T: Number, O: ReduceOp<T>, const N: usize>(
        &self,
        budget: &mut WaitBudget,
        round: u64,
        op: O,
        mine: &mut [u64; N],
        at: Strided,
    ) -> Result<(), Fault> {
        let me = self.team.me;
        let other = |from: u32| if from < self.team.n_pes && from != me { from } else { (me + 1) % self.n_pes() };
        // The first packets are looked at before this member's own units, whose loads are under way, are used.
        let mut seen = self.look::<N>(round, other(0), at);
        let (mut sums, mut from) = ([Sums::<T>::of(0); N], 0);
        while from < self.team.n_pes {
            let mut units = *mine;
            if from != me {
                let first = seen;
                // The next member's packets travel while this one's are awaited.
                let next = from + 1 + (from + 1 == me) as u32;
                if next < self.team.n_pes {
                    seen = self.look(round, next, at);
                }
                self.receive(budget, (round, from), at, first, &mut units)?;
            }
            each_of!(N; K => if from == 0 { sums[K] = Sums::of(units[K]) } else { sums[K].add(op, units[K]) });
            from += 1;
        }
        each_of!(N; K => mine[K] = sums[K].unit());
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
        let (mut index, size, mut budget) = (group.rank() as usize, group.size() as usize, WaitBudget::new());
        while index + (BATCH - 1) * size < dest.whole() {
            let at = Strided::new(opaque(index), size, BATCH);
            let mut units = [0; BATCH];
            self.receive(&mut budget, (round, from), at, [[0; 2]; BATCH], &mut units)?;
            // SAFETY: **live** by the caller.
            each_of!(BATCH; K => unsafe { dest.store_some::<T, BATCH>(at.unit(K), units[K]) });
            index += BATCH * size;
        }
        while index < dest.count() {
            let at = Strided::new(opaque(index), size, 1);
            let mut unit = [0];
            self.receive(&mut budget, (round, from), at, [[0; 2]; 1], &mut unit)?;
            // SAFETY: as above.
            unsafe { dest.store::<T>(at.unit(0), unit[0]) }
            index += size;
        }
        Ok(())
    }

    /// Returns the largest number of bytes that a round carries to each member.
    #[inline(always)]
    pub(super) fn round_bytes(&self) -> usize {
        self.team.payload as usize / UNIT * UNIT
    }
}

/// Sends the `N` units at these places.
///
/// # Safety
///
/// - **live**: the units and the packets `there` are mapped, for reading and for writing.
#[inline(always)]
unsafe fn send_units<T: Element, const N: usize>(units: Units, there: *mut u8, flag: u32, at: Strided) {
    let mut data = [0; N];
    // SAFETY: **live** by the caller.
    unsafe {
        each_of!(N; K => data[K] = units.load_some::<T, N>(at.unit(K)));
        store_packets(data, there, flag, at)
    }
}

/// Stores units as packets at these places.
///
/// # Safety
///
/// - **live**: the packets `there` are mapped for writing.
#[inline(always)]
unsafe fn store_packets<const N: usize>(units: [u64; N], there: *mut u8, flag: u32, at: Strided) {
    each_of!(N; K => if at.has(K) {
        // SAFETY: **live** by the caller.
        unsafe { ptx::st_relaxed_sys_v2(there.add(PACKET as usize * at.unit(K)).cast(), packet(units[K], flag)) }
    });
}

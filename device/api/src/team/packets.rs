//! The small exchange over load/store: each store of 16 bytes carries 8 bytes of data and twice the round's flag, so
//! that the receiver polls the data itself, and no fence and no signal follow.
//!
//! A round writes one of two halves of the receiver's slot. Before a member writes a half again, it has heard from the
//! receiver in the round between, which the receiver began after it had read the half ([`Team::open`]).

use oxshmem_core::{Element, Fault, Group, Number, ReduceOp, SymAddr};
use oxshmem_raw::gpu::ptx::{self, V2};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::Team;
use super::units::{Sums, UNIT, Units, each_of};

/// The bytes of a packet.
const PACKET: usize = 16;
/// Packets that a thread has in flight.
const BATCH: usize = 4;
/// Packets that a thread has in flight from a member while it reduces.
const REDUCED: usize = 2;

/// The packets of a round.
#[derive(Clone, Copy)]
pub(super) struct Packets {
    round: u64,
    flag: u32,
    /// The address of the packets of member 0 on this PE.
    own: *mut u8,
    /// Where this member's packets go on the next member.
    next: *mut u8,
}

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
fn opaque(index: u32) -> u32 {
    ptx::opaque_u32(index)
}

impl<P: PathList> Team<'_, P> {
    /// Returns the place of this member's packets of even rounds on another member.
    #[inline(always)]
    fn outbox(&self, to: u32) -> *mut u8 {
        self.theirs(self.team.member(to), self.team.packets(0, self.team.me))
    }

    /// Returns the place of this member's packets of even rounds on the next member. A call computes it before it waits.
    #[inline(always)]
    pub(super) fn next_outbox(&self) -> *mut u8 {
        let at = if self.is_near() { self.outbox(self.nth_after(0)) as u64 } else { 0 };
        ptx::opaque_u64(at) as *mut u8
    }

    /// Returns the packets of a round.
    #[inline(always)]
    pub(super) fn packets(&self, round: u64, next_outbox: *mut u8) -> Packets {
        let half = (round as u32 & 1) * self.team.half_bytes;
        let own = self.own((self.team.packets_at + half) as u64);
        Packets { round, flag: flag_of(round), own, next: next_outbox.wrapping_add(half as usize) }
    }

    /// Sends `bytes` bytes at `source` of this PE to every other member, `apart` bytes further for each.
    ///
    /// # Safety
    ///
    /// - **live**: the ranges are in the heap, and at most the payload; every member is a load/store PE.
    #[inline(always)]
    pub(super) unsafe fn send_all<T: Element, G: Group>(
        &self,
        group: G,
        packets: Packets,
        source: SymAddr,
        apart: usize,
        bytes: u32,
    ) {
        let mut k = 0;
        while k + 1 < self.team.n_pes {
            let to = self.nth_after(k);
            let half = (packets.round as u32 & 1) * self.team.half_bytes;
            let there = if k == 0 { packets.next } else { self.outbox(to).wrapping_add(half as usize) };
            let from = self.shmem.state.own_address(source.add((apart * to as usize) as u64));
            // SAFETY: **live** by the caller; the packets are in the area of a load/store member, which has read the
            // former ones (`open`).
            unsafe { send::<T, G>(group, there, packets.flag, Units::new(from, bytes)) }
            k += 1;
        }
    }

    /// Looks at `N` packets of a member, `size` apart from `index` on.
    #[inline(always)]
    fn look<const N: usize>(&self, packets: Packets, from: u32, index: u32, size: u32) -> [V2; N] {
        let from = ptx::opaque_u32(from);
        let at =
            packets.own.wrapping_add((from * 2 * self.team.payload) as usize).wrapping_add(PACKET * index as usize);
        let mut seen = [[0; 2]; N];
        // SAFETY: **live** of `from_state`: the packets are in this PE's area.
        each_of!(N; K => seen[K] = unsafe { ptx::ld_relaxed_sys_v2(at.add(PACKET * K * size as usize).cast()) });
        seen
    }

    /// Returns the units of `N` packets that a member sends in this round, when all have arrived. `seen` is a first look.
    #[inline(always)]
    fn receive<const N: usize>(
        &self,
        budget: &mut WaitBudget,
        (packets, from): (Packets, u32),
        (index, size): (u32, u32),
        mut seen: [V2; N],
    ) -> Result<[u64; N], Fault> {
        let all = |seen: &[V2; N]| {
            let mut all = true;
            each_of!(N; K => all &= arrived(seen[K], packets.flag));
            all
        };
        if !all(&seen) {
            let poll = || {
                seen = self.look(packets, from, index, size);
                all(&seen).then_some(())
            };
            wait::until_word_among(
                &self.shmem.state,
                budget,
                |pe| self.has(pe),
                poll,
                || self.late(from, packets.round, packets.round - 1),
            )?;
        }
        let mut units = [0; N];
        each_of!(N; K => units[K] = data(seen[K]));
        Ok(units)
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
        packets: Packets,
        op: O,
        own: Units,
        dest: Units,
    ) -> Result<(), Fault> {
        let (mut index, size, mut budget) = (group.rank(), group.size(), WaitBudget::new());
        let whole = own.whole().min(dest.whole());
        while index + (REDUCED as u32 - 1) * size < whole {
            // SAFETY: **live** by the caller.
            unsafe { self.reduce_units::<T, O, REDUCED>(&mut budget, packets, op, own, dest, (opaque(index), size))? }
            index += REDUCED as u32 * size;
        }
        while index < dest.count() {
            // SAFETY: as above.
            unsafe { self.reduce_units::<T, O, 1>(&mut budget, packets, op, own, dest, (opaque(index), size))? }
            index += size;
        }
        Ok(())
    }

    /// Receives and reduces `N` units, `size` apart.
    ///
    /// # Safety
    ///
    /// - **live**: as [`receive_reduced`](Self::receive_reduced).
    #[inline(always)]
    unsafe fn reduce_units<T: Number, O: ReduceOp<T>, const N: usize>(
        &self,
        budget: &mut WaitBudget,
        packets: Packets,
        op: O,
        own: Units,
        dest: Units,
        (index, size): (u32, u32),
    ) -> Result<(), Fault> {
        let me = self.team.me;
        let mut mine = [0; N];
        // The first packets are looked at, and this member's own units loaded, before any is used. (In a team of one
        // member the look is at the other half.)
        let mut seen = self.look::<N>(packets, (me == 0) as u32, index, size);
        // SAFETY: **live** by the caller.
        each_of!(N; K => mine[K] = unsafe { own.load_some::<T, N>(index + K as u32 * size) });
        let (mut sums, mut from) = ([Sums::<T>::of(0); N], 0);
        while from < self.team.n_pes {
            let units = if from == me {
                mine
            } else {
                let first = seen;
                // The next member's packets travel while this one's are awaited.
                let next = from + 1 + (from + 1 == me) as u32;
                if next < self.team.n_pes {
                    seen = self.look(packets, next, index, size);
                }
                self.receive(budget, (packets, from), (index, size), first)?
            };
            each_of!(N; K => if from == 0 { sums[K] = Sums::of(units[K]) } else { sums[K].add(op, units[K]) });
            from += 1;
        }
        // SAFETY: **live** by the caller.
        each_of!(N; K => unsafe { dest.store_some::<T, N>(index + K as u32 * size, sums[K].unit()) });
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
        packets: Packets,
        from: u32,
        dest: Units,
    ) -> Result<(), Fault> {
        let (mut index, size, mut budget) = (group.rank(), group.size(), WaitBudget::new());
        while index + (BATCH as u32 - 1) * size < dest.whole() {
            let at = opaque(index);
            let units = self.receive(&mut budget, (packets, from), (at, size), [[0; 2]; BATCH])?;
            // SAFETY: **live** by the caller.
            each_of!(BATCH; K => unsafe { dest.store_some::<T, BATCH>(at + K as u32 * size, units[K]) });
            index += BATCH as u32 * size;
        }
        while index < dest.count() {
            let at = opaque(index);
            let [unit] = self.receive(&mut budget, (packets, from), (at, size), [[0; 2]; 1])?;
            // SAFETY: as above.
            unsafe { dest.store::<T>(at, unit) }
            index += size;
        }
        Ok(())
    }

    /// Returns the largest number of bytes that a round carries to each member.
    #[inline(always)]
    pub(super) fn round_bytes(&self) -> u32 {
        self.team.payload / UNIT as u32 * UNIT as u32
    }
}

/// Sends units as packets to `there`.
///
/// # Safety
///
/// - **live**: the units are mapped for reading, the packets `there` for writing.
#[inline(always)]
unsafe fn send<T: Element, G: Group>(group: G, there: *mut u8, flag: u32, units: Units) {
    let (mut index, size) = (group.rank(), group.size());
    while index + (BATCH as u32 - 1) * size < units.whole() {
        // SAFETY: **live** by the caller.
        unsafe { send_units::<T, BATCH>(units, there, flag, opaque(index), size) }
        index += BATCH as u32 * size;
    }
    while index < units.count() {
        // SAFETY: as above.
        unsafe { send_units::<T, 1>(units, there, flag, opaque(index), size) }
        index += size;
    }
}

/// Sends `N` units, `size` apart from `index` on.
///
/// # Safety
///
/// - **live**: as [`send`].
#[inline(always)]
unsafe fn send_units<T: Element, const N: usize>(units: Units, there: *mut u8, flag: u32, index: u32, size: u32) {
    let (mut data, there) = ([0; N], there.wrapping_add(PACKET * index as usize));
    // SAFETY: **live** by the caller.
    unsafe {
        each_of!(N; K => data[K] = units.load_some::<T, N>(index + K as u32 * size));
        each_of!(N; K => ptx::st_relaxed_sys_v2(there.add(PACKET * K * size as usize).cast(), packet(data[K], flag)));
    }
}

//! The small exchange over load/store: each store of 16 bytes carries 8 bytes of data and twice the round's flag, so
//! that the receiver polls the data itself, and no fence and no signal follow.
//!
//! A round writes one of two halves of the receiver's slot. Before a member writes a half again, it has heard from the
//! receiver in the round between, which the receiver began after it had read the half ([`Team::open`]). A small
//! broadcast writes half of a half, so that its root may be up to three rounds ahead ([`Team::open_broadcast`]).

use oxshmem_core::{Element, Fault, Group, Number, ReduceOp, Scope, SymAddr};
use oxshmem_raw::gpu::ptx::{self, V2};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::wait::{self, WaitBudget};

use super::Team;
use super::packet::{BATCH, PACKET, WARP_BATCH, arrived, data, flag_of, opaque, send, store_packets, store_units};
use super::units::{Strided, Sums, UNIT, Units, each_of};

/// Packets that a thread has in flight from a member while it reduces.
const REDUCED: usize = 2;

/// The packets of a round.
#[derive(Clone, Copy)]
pub(super) struct Packets {
    round: u64,
    small_broadcast: bool,
    flag: u32,
    /// The address of the packets of member 0 on this PE.
    own: *mut u8,
    /// The place of this member's packets on the next member.
    next: *mut u8,
}

impl Packets {
    /// Returns the number of the round.
    #[inline(always)]
    pub(super) const fn round(&self) -> u64 {
        self.round
    }

    /// Returns the flag of its packets.
    #[inline(always)]
    pub(super) const fn flag(&self) -> u32 {
        self.flag
    }
}

impl<P: PathList> Team<'_, P> {
    /// Returns the place of this member's packets of even rounds on another member.
    #[inline(always)]
    fn outbox(&self, to: u32) -> *mut u8 {
        self.theirs(self.team.member(to), self.team.packets(0, self.team.me))
    }

    /// Returns the place of this member's packets of even rounds on the next member. A call computes it before it
    /// waits.
    #[inline(always)]
    pub(super) fn next_outbox(&self) -> *mut u8 {
        let at = if self.all_load_store() { self.outbox(self.nth_after(0)) as u64 } else { 0 };
        ptx::opaque_u64(at) as *mut u8
    }

    /// Returns the packets of a round, which may be one of a `small_broadcast`.
    #[inline(always)]
    pub(super) fn packets(&self, round: u64, small_broadcast: bool, next_outbox: *mut u8) -> Packets {
        let at = self.round_at(round, small_broadcast);
        let own = self.own((self.team.packets_at + at) as u64);
        Packets { round, small_broadcast, flag: flag_of(round), own, next: next_outbox.wrapping_add(at as usize) }
    }

    /// Returns the distance of a round's packets from those of even rounds.
    #[inline(always)]
    fn round_at(&self, round: u64, small_broadcast: bool) -> u32 {
        let half = (round as u32 & 1) * self.team.half_bytes;
        half + if small_broadcast && round & 2 > 0 { self.team.payload } else { 0 }
    }

    /// Returns the place of this member's packets on the member that is `k` + 1 after it.
    #[inline(always)]
    fn place_on(&self, packets: Packets, k: u32) -> *mut u8 {
        if k == 0 {
            return packets.next;
        }
        let at = self.round_at(packets.round, packets.small_broadcast);
        self.outbox(self.nth_after(k)).wrapping_add(at as usize)
    }

    /// Sends `bytes` bytes at `source` of this PE to every other member, `apart` bytes further for each, and copies those
    /// for the next member to `kept` if that has any.
    ///
    /// # Safety
    ///
    /// - **live**: the ranges are in the heap, and at most the payload; every member is a load/store PE. `kept` is mapped
    ///   and apart from the source, and has `bytes` bytes or none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn send_all<T: Element, G: Group>(
        &self,
        group: G,
        packets: Packets,
        source: SymAddr,
        apart: usize,
        bytes: u32,
        mut kept: Units,
    ) {
        let mut k = 0;
        loop {
            let (to, there) = (self.nth_after(k), self.place_on(packets, k));
            let from = self.shmem.state.own_address(source.add((apart * to as usize) as u64));
            // SAFETY: **live** by the caller; the packets are in the area of a load/store member, which has read the
            // former ones (`open`). In a team of one they are in this member's own, where nobody reads them.
            unsafe { send::<T, G>(group, there, packets.flag, Units::new(from, bytes), kept, !self.dependent) }
            kept = Units::NONE;
            k += 1;
            if k + 1 >= self.team.n_pes {
                break;
            }
        }
    }

    /// Sends the units that this thread holds to every other member.
    ///
    /// # Safety
    ///
    /// - **opened**: as [`send_to`](Self::send_to).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn send_held<const N: usize>(&self, packets: Packets, units: [u64; N], at: Strided) {
        let mut k = 0;
        while k + 1 < self.team.n_pes {
            // SAFETY: **opened** by the caller.
            unsafe { self.send_to(units, packets, k, at) }
            k += 1;
        }
    }

    /// Sends the units that this thread holds to the member that is `k` + 1 after it.
    ///
    /// # Safety
    ///
    /// - **opened**: the units are inside the payload, and `open` has prepared the round; every member is a load/store
    ///   PE.
    #[inline(always)]
    pub(super) unsafe fn send_to<const N: usize>(&self, units: [u64; N], packets: Packets, k: u32, at: Strided) {
        // SAFETY: **live**: by **opened** the packets are in the area of a load/store member, which has read the former
        // ones.
        unsafe { store_packets(units, self.place_on(packets, k), packets.flag, at) }
    }

    /// Looks at the packets of a member at these places.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn look<const N: usize>(&self, packets: Packets, from: u32, at: Strided) -> [V2; N] {
        let mut seen = [[0; 2]; N];
        if N == 1 {
            seen[0] = self.look_at_one(at.has(0), packets, from, at);
            return seen;
        }
        let place = self.packets_of(packets, from);
        each_of!(N; K => if at.has(K) {
            // SAFETY: **live** of `from_state`: the packets are in this PE's area.
            seen[K] = unsafe { ptx::ld_relaxed_sys_v2(place.wrapping_add(PACKET * at.unit(K) as usize).cast()) }
        });
        seen
    }

    /// Looks at the first of these packets of a member, if it is `wanted`.
    #[inline(always)]
    pub(super) fn look_at_one(&self, wanted: bool, packets: Packets, from: u32, at: Strided) -> V2 {
        let place = self.packets_of(packets, from).wrapping_add(PACKET * at.unit(0) as usize);
        // SAFETY: **live** of `from_state`: the packet is in this PE's area.
        unsafe { ptx::ld_relaxed_sys_v2_if(wanted, place.cast()) }
    }

    /// Returns the address of a member's packets on this PE.
    #[inline(always)]
    fn packets_of(&self, packets: Packets, from: u32) -> *mut u8 {
        packets.own.wrapping_add((ptx::opaque_u32(from) * 2 * self.team.payload) as usize)
    }

    /// Waits for the units at these places that a member sends in this round. `seen` is a first look. The units are not
    /// part of the result: an enum would have them and a fault in the same registers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn receive<const N: usize>(
        &self,
        budget: &mut WaitBudget,
        (packets, from): (Packets, u32),
        at: Strided,
        mut seen: [V2; N],
        units: &mut [u64; N],
    ) -> Result<(), Fault> {
        let all = |seen: &[V2; N]| {
            let mut all = true;
            each_of!(N; K => all &= !at.has(K) | arrived(seen[K], packets.flag));
            all
        };
        if !all(&seen) {
            let poll = || {
                seen = self.look(packets, from, at);
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
        each_of!(N; K => units[K] = data(seen[K]));
        Ok(())
    }

    /// Waits for a packet of a member, for which C's collectives have looked in vain for a while.
    ///
    /// # Safety
    ///
    /// - **live**: the packet is in this PE's area, and the member writes it in this round of the calling group.
    #[cold]
    pub unsafe fn await_packet(&self, from: u32, round: u64, packet: *const V2) -> Result<(), Fault> {
        // SAFETY: **live** by the caller.
        let look = || unsafe { ptx::ld_relaxed_sys_v2(packet) };
        let poll = || arrived(look(), flag_of(round)).then_some(());
        let late = || self.late(from, round, round - 1);
        wait::until_word_among(&self.shmem.state, &mut WaitBudget::new(), |pe| self.has(pe), poll, late)
    }

    /// Receives the same units of every member, and reduces them, with this member's own, in the order of the members.
    ///
    /// # Safety
    ///
    /// - **live**: `own` and `dest` are mapped and of the same size, at most the payload.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
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
        // A call on a stream hardly ever has more than one unit for a thread (`single`).
        while !self.dependent && index + (REDUCED as u32 - 1) * size < whole {
            let at = Strided::new(opaque(index), size, REDUCED);
            // SAFETY: **live** by the caller.
            unsafe { self.reduce_units::<T, O, REDUCED>(&mut budget, packets, op, own, dest, at)? }
            index += REDUCED as u32 * size;
        }
        while index < dest.count() {
            let at = Strided::new(opaque(index), size, 1);
            // SAFETY: **live** by the caller.
            unsafe { self.reduce_units::<T, O, 1>(&mut budget, packets, op, own, dest, at)? }
            index += size;
        }
        Ok(())
    }

    /// Receives and reduces the `N` units at these places.
    ///
    /// # Safety
    ///
    /// - **live**: as [`receive_reduced`](Self::receive_reduced).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn reduce_units<T: Number, O: ReduceOp<T>, const N: usize>(
        &self,
        budget: &mut WaitBudget,
        packets: Packets,
        op: O,
        own: Units,
        dest: Units,
        at: Strided,
    ) -> Result<(), Fault> {
        let mut mine = [0; N];
        // SAFETY: **live** by the caller.
        each_of!(N; K => mine[K] = unsafe { own.load_some::<T, N>(at.unit(K)) });
        self.receive_and_sum::<T, O, N>(budget, packets, op, &mut mine, at)?;
        // SAFETY: **live** by the caller.
        unsafe { store_units::<T, N>(dest, mine, at) }
        Ok(())
    }

    /// Receives the same units of every other member, and replaces this member's own by their reduction, in the order
    /// of the members.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn receive_and_sum<T: Number, O: ReduceOp<T>, const N: usize>(
        &self,
        budget: &mut WaitBudget,
        packets: Packets,
        op: O,
        mine: &mut [u64; N],
        at: Strided,
    ) -> Result<(), Fault> {
        let me = self.team.me;
        // The loads of this member's own units are in flight, so the first packets are looked at before those units are
        // used. (In a team of one member the look is at the slot's last bytes.)
        let mut seen = self.look::<N>(packets, (me == 0) as u32, at);
        let (mut sums, mut from) = ([Sums::<T>::of(0); N], 0);
        while from < self.team.n_pes {
            let mut units = *mine;
            if from != me {
                let first = seen;
                // The next member's packets are looked at while this one's are awaited.
                let next = from + 1 + (from + 1 == me) as u32;
                if next < self.team.n_pes {
                    seen = self.look(packets, next, at);
                }
                self.receive(budget, (packets, from), at, first, &mut units)?;
            }
            if from == 0 {
                each_of!(N; K => sums[K] = Sums::of(units[K]));
            } else {
                Sums::add_all(op, &mut sums, &units);
            }
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
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn receive_from<T: Element, G: Group>(
        &self,
        group: G,
        packets: Packets,
        from: u32,
        dest: Units,
    ) -> Result<(), Fault> {
        let (mut index, size, mut budget) = (group.rank(), group.size(), WaitBudget::new());
        while G::SCOPE == Scope::Warp && index + (WARP_BATCH as u32 - 1) * size < dest.whole() {
            let (at, mut units) = (Strided::new(opaque(index), size, WARP_BATCH), [0; WARP_BATCH]);
            self.receive(&mut budget, (packets, from), at, [[0; 2]; WARP_BATCH], &mut units)?;
            // SAFETY: **live** by the caller.
            unsafe { store_units::<T, WARP_BATCH>(dest, units, at) }
            index += WARP_BATCH as u32 * size;
        }
        while !self.dependent && index + (BATCH as u32 - 1) * size < dest.whole() {
            let (at, mut units) = (Strided::new(opaque(index), size, BATCH), [0; BATCH]);
            self.receive(&mut budget, (packets, from), at, [[0; 2]; BATCH], &mut units)?;
            // SAFETY: **live** by the caller.
            unsafe { store_units::<T, BATCH>(dest, units, at) }
            index += BATCH as u32 * size;
        }
        while index < dest.count() {
            let (at, mut unit) = (Strided::new(opaque(index), size, 1), [0]);
            self.receive(&mut budget, (packets, from), at, [[0; 2]; 1], &mut unit)?;
            // SAFETY: **live** by the caller.
            unsafe { store_units::<T, 1>(dest, unit, at) }
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

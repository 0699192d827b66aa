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
use super::units::{Sums, UNIT, Units, each_of};

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
            unsafe { send_units::<T, BATCH>(units, there, flag, opaque(index), size) }
            index += BATCH * size;
        }
        while index < units.count() {
            // SAFETY: as above.
            unsafe { send_units::<T, 1>(units, there, flag, opaque(index), size) }
            index += size;
        }
    }

    /// Looks at `N` packets of a member, `size` apart from `index` on.
    #[inline(always)]
    fn look<const N: usize>(&self, round: u64, from: u32, index: usize, size: usize) -> [V2; N] {
        let from = ptx::opaque_u32(from);
        let (at, mut seen) = (self.own(self.team.packets(round, from) + PACKET * index as u64), [[0; 2]; N]);
        // SAFETY: **live** of `from_state`: the packets are in this PE's area.
        each_of!(N; K => seen[K] = unsafe { ptx::ld_relaxed_sys_v2(at.add(PACKET as usize * K * size).cast()) });
        seen
    }

    /// Returns the units of `N` packets that a member sends in this round, when all have arrived. `seen` is a first look.
    #[inline(always)]
    fn receive<const N: usize>(
        &self,
        budget: &mut WaitBudget,
        (round, from): (u64, u32),
        (index, size): (usize, usize),
        mut seen: [V2; N],
    ) -> Result<[u64; N], Fault> {
        let flag = flag_of(round);
        let all = |seen: &[V2; N]| {
            let mut all = true;
            each_of!(N; K => all &= arrived(seen[K], flag));
            all
        };
        if !all(&seen) {
            let poll = || {
                seen = self.look(round, from, index, size);
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
        round: u64,
        op: O,
        own: Units,
        dest: Units,
    ) -> Result<(), Fault> {
        let (mut index, size, mut budget) = (group.rank() as usize, group.size() as usize, WaitBudget::new());
        let whole = own.whole().min(dest.whole());
        while index + (REDUCED - 1) * size < whole {
            // SAFETY: **live** by the caller.
            unsafe { self.reduce_units::<T, O, REDUCED>(&mut budget, round, op, own, dest, (opaque(index), size))? }
            index += REDUCED * size;
        }
        while index < dest.count() {
            // SAFETY: as above.
            unsafe { self.reduce_units::<T, O, 1>(&mut budget, round, op, own, dest, (opaque(index), size))? }
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
        round: u64,
        op: O,
        own: Units,
        dest: Units,
        (index, size): (usize, usize),
    ) -> Result<(), Fault> {
        let me = self.team.me;
        let other = |from: u32| if from < self.team.n_pes && from != me { from } else { (me + 1) % self.n_pes() };
        let mut mine = [0; N];
        // The first packets are looked at, and this member's own units loaded, before any is used.
        let mut seen = self.look::<N>(round, other(0), index, size);
        // SAFETY: **live** by the caller.
        each_of!(N; K => mine[K] = unsafe { own.load_some::<T, N>(index + K * size) });
        let (mut sums, mut from) = ([Sums::<T>::of(0); N], 0);
        while from < self.team.n_pes {
            let units = if from == me {
                mine
            } else {
                let first = seen;
                // The next member's packets travel while this one's are awaited.
                let next = from + 1 + (from + 1 == me) as u32;
                if next < self.team.n_pes {
                    seen = self.look(round, next, index, size);
                }
                self.receive(budget, (round, from), (index, size), first)?
            };
            each_of!(N; K => if from == 0 { sums[K] = Sums::of(units[K]) } else { sums[K].add(op, units[K]) });
            from += 1;
        }
        // SAFETY: **live** by the caller.
        each_of!(N; K => unsafe { dest.store_some::<T, N>(index + K * size, sums[K].unit()) });
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
            let at = opaque(index);
            let units = self.receive(&mut budget, (round, from), (at, size), [[0; 2]; BATCH])?;
            // SAFETY: **live** by the caller.
            each_of!(BATCH; K => unsafe { dest.store_some::<T, BATCH>(at + K * size, units[K]) });
            index += BATCH * size;
        }
        while index < dest.count() {
            let at = opaque(index);
            let [unit] = self.receive(&mut budget, (round, from), (at, size), [[0; 2]; 1])?;
            // SAFETY: as above.
            unsafe { dest.store::<T>(at, unit) }
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

/// Sends `N` units, `size` apart from `index` on.
///
/// # Safety
///
/// - **live**: the units and the packets `there` are mapped, for reading and for writing.
#[inline(always)]
unsafe fn send_units<T: Element, const N: usize>(units: Units, there: *mut u8, flag: u32, index: usize, size: usize) {
    let mut data = [0; N];
    // SAFETY: **live** by the caller.
    unsafe {
        each_of!(N; K => data[K] = units.load_some::<T, N>(index + K * size));
        each_of!(N; K => ptx::st_relaxed_sys_v2(
            there.add(PACKET as usize * (index + K * size)).cast(), packet(data[K], flag)));
    }
}

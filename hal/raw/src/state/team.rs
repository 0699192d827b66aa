//! Teams: the handle that kernels get, and the area of each member's heap that the team uses.
//!
//! An area has the table of members, a word for each member's good-bye, a copy of the handle, and the slots. One group of
//! each member at a time uses a slot. The words that a call advances are all in the slot, so that a kernel may be
//! replayed.
//!
//! | part of a slot | content |
//! |---|---|
//! | [`Rounds`] | the member's own count of rounds |
//! | started | for each member, the last round that it has announced here |
//! | done | for each member, the last round whose data it has delivered here |
//! | passed | for each member, the last round whose data a relay has passed on to here |
//! | packets | for each of two halves and each member: data, or data with flags (of two rounds, if they are small broadcasts) |
//! | calls | for two calls in turn and each member: the member's call, as packets; only builds that check use them |

use core::mem::{offset_of, size_of};

use oxshmem_core::{Call, Pe};
use static_assertions::const_assert_eq;

use super::WorldState;
use crate::gpu::ptx;

/// A team as a kernel gets it, by value. Its parts are those that the host gave the team: code can read them, and not
/// change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct TeamHandle(TeamParts);

impl TeamHandle {
    /// Returns the handle with these parts.
    ///
    /// # Safety
    ///
    /// - **whole**: the parts are those that the host gave a team, or kernels that do not check use none of them.
    #[inline(always)]
    pub const unsafe fn new(parts: TeamParts) -> Self {
        Self(parts)
    }

    /// Returns a member.
    #[inline(always)]
    pub fn member(&self, index: u32) -> Member {
        if self.flags & TeamParts::UNIFORM != 0 {
            // The distance may be negative.
            let pe = self.first.wrapping_add(index.wrapping_mul(self.stride));
            return Member { pe: pe as u64, area: self.area };
        }
        let [pe, area] = self.entry(index);
        Member { pe: pe as u32 as u64, area }
    }

    /// Reports whether data for all members reaches a member through another one of its node. The team is
    /// [`RELAYED`](TeamParts::RELAYED).
    #[inline(always)]
    pub fn is_via_relay(&self, to: u32) -> bool {
        self.entry(to)[0] & Member::VIA_RELAY != 0
    }

    /// Reports whether this member is the one of its node to which a remote member sends data for all. The team is
    /// [`RELAYED`](TeamParts::RELAYED).
    #[inline(always)]
    pub fn receives(&self, from: u32) -> bool {
        self.entry(from)[0] & Member::RECEIVED != 0
    }

    #[inline(always)]
    fn entry(&self, index: u32) -> ptx::V2 {
        let at = (self.members + size_of::<Member>() as u64 * index as u64) as *const ptx::V2;
        // SAFETY: by **whole** of `new`, `members` is the address of `n_pes` members, which the host wrote before it gave
        // out the handle and which stay mapped and unchanged while the team exists; `index` is less than `n_pes`.
        unsafe { ptx::ld_nc_v2(at) }
    }
}

impl core::ops::Deref for TeamHandle {
    type Target = TeamParts;

    #[inline(always)]
    fn deref(&self) -> &TeamParts {
        &self.0
    }
}

/// The parts of a team's handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct TeamParts {
    /// The address of the [`Member`]s in this PE's memory.
    pub members: u64,
    /// The heap offset of this PE's area.
    pub area: u64,
    /// Number of members.
    pub n_pes: u32,
    /// This PE's number in the team.
    pub me: u32,
    /// The PE of member 0, if the team is [`UNIFORM`](Self::UNIFORM).
    pub first: u32,
    /// The distance between two members' PEs, if the team is [`UNIFORM`](Self::UNIFORM).
    pub stride: u32,
    /// Number of slots.
    pub slots: u32,
    /// Bytes of data, without flags, that a half has for each member; a multiple of 16.
    pub payload: u32,
    /// [`UNIFORM`](Self::UNIFORM), [`LOAD_STORE`](Self::LOAD_STORE), [`RELAYED`](Self::RELAYED),
    /// [`UNCOMPARED`](Self::UNCOMPARED).
    pub flags: u32,
    /// The number that this PE gave the team, for messages.
    pub number: u32,
    /// The offset in the area of slot 0.
    pub first_slot: u32,
    /// The size of a slot in bytes.
    pub slot_bytes: u32,
    /// The offset in a slot of its packets.
    pub packets_at: u32,
    /// The size of a half of the packets in bytes.
    pub half_bytes: u32,
}
const_assert_eq!(size_of::<TeamParts>(), 64);

/// A member of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Member {
    /// Its PE; in the table of members also [`VIA_RELAY`](Self::VIA_RELAY) and [`RECEIVED`](Self::RECEIVED).
    pub pe: u64,
    /// The heap offset of its area.
    pub area: u64,
}
const_assert_eq!(size_of::<Member>(), 16);

impl Member {
    /// [`pe`](Self::pe): data that this PE sends to all members alike reaches the member through another one of its
    /// node, which passes it on.
    pub const VIA_RELAY: u64 = 1 << 32;
    /// [`pe`](Self::pe): the remote member sends such data to this PE alone of its node, and this PE passes it on to
    /// the others.
    pub const RECEIVED: u64 = 1 << 33;
}

/// A member's count of the rounds of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Rounds {
    /// The last round.
    pub last: u64,
    /// The last round in which every member heard from every other one, and above it `LARGE` times 2, 1 or 0: the last
    /// round was one of a large broadcast, the one before it, or neither.
    met: u64,
}
const_assert_eq!(size_of::<Rounds>(), 16);

impl Rounds {
    const LARGE: u64 = 1 << 62;

    /// Returns the rounds that these words of a slot hold.
    #[inline(always)]
    pub const fn from_words([last, met]: [u64; 2]) -> Self {
        Self { last, met }
    }

    /// Returns the words that a slot keeps.
    #[inline(always)]
    pub const fn words(self) -> [u64; 2] {
        [self.last, self.met]
    }

    /// Returns the last round in which every member heard from every other one.
    #[inline(always)]
    pub const fn met(&self) -> u64 {
        self.met & (Self::LARGE - 1)
    }

    /// Notes that every member hears from every other one in the last round.
    #[inline(always)]
    pub const fn set_met(&mut self) {
        self.met = self.last;
    }

    /// Reports whether one of the last two rounds was one of a large broadcast.
    #[inline(always)]
    pub const fn had_large(&self) -> bool {
        self.met >= Self::LARGE
    }

    /// Notes that the last round is one of a broadcast, which may be `large`.
    #[inline(always)]
    pub const fn set_broadcast(&mut self, large: bool) {
        if large {
            self.met = self.met() + 2 * Self::LARGE;
        } else if self.had_large() {
            self.met -= Self::LARGE;
        }
    }
}

/// The bytes of a member's call: a packet of 16 bytes for each word.
const CALL_BYTES: u32 = 16 * Call::WORDS as u32;

/// The alignment of a slot's parts: a cache line of the GPU.
const LINE: u64 = 128;

const fn lines(bytes: u64) -> u64 {
    bytes.next_multiple_of(LINE)
}

impl TeamParts {
    /// [`flags`](Self::flags): member `i` is PE `first + i * stride`, and all areas are at one offset.
    pub const UNIFORM: u32 = 1;
    /// [`flags`](Self::flags): every member reaches every other one by loads and stores.
    pub const LOAD_STORE: u32 = 2;
    /// [`flags`](Self::flags): data for all members crosses to each node once, and a member of the node passes it on.
    pub const RELAYED: u32 = 4;
    /// [`flags`](Self::flags): builds that check do not compare the calls of its members.
    pub const UNCOMPARED: u32 = 8;

    /// The offset in bytes of [`me`](Self::me).
    pub const ME: usize = offset_of!(Self, me);

    /// The offset in a slot of the number of calls on it, which builds that check count.
    pub const CALLS: u64 = size_of::<Rounds>() as u64;

    /// Returns a handle with the layout of an area of this shape; `None` if a slot would have 4 GiB or more.
    pub fn of_shape(n_pes: u32, slots: u32, payload: u32) -> Option<Self> {
        let team = Self { n_pes, slots, payload, ..Self::default() };
        let half_bytes = u64::from(n_pes) * 2 * u64::from(payload);
        let packets_at = LINE + 3 * lines(8 * u64::from(n_pes));
        // A team of one looks at the packets of a second member, and uses nothing of them.
        let looked_at = if n_pes == 1 { half_bytes } else { 0 };
        let slot_bytes = lines(packets_at + 2 * half_bytes + 2 * u64::from(n_pes) * u64::from(CALL_BYTES) + looked_at);
        Some(Self {
            first_slot: u32::try_from(lines(team.kept() + size_of::<Self>() as u64)).ok()?,
            slot_bytes: u32::try_from(slot_bytes).ok()?,
            packets_at: packets_at as u32,
            half_bytes: half_bytes as u32,
            ..team
        })
    }

    /// Returns the offset in the area of the word by which member `from` says good-bye.
    #[inline(always)]
    pub const fn bye(&self, from: u32) -> u64 {
        size_of::<Member>() as u64 * self.n_pes as u64 + 8 * from as u64
    }

    /// Returns the offset in the area of a copy of the handle, which builds that check compare. It differs once this PE
    /// has dropped the team.
    #[inline(always)]
    pub const fn kept(&self) -> u64 {
        self.bye(self.n_pes).next_multiple_of(16)
    }

    /// Returns the parts as words, as the copy has them.
    #[inline(always)]
    pub const fn words(self) -> [u64; 8] {
        // SAFETY: the struct is `repr(C)` without padding: 2 words of 8 bytes and 12 of 4 are its 64 bytes, all
        // initialised, and any bytes are words.
        unsafe { core::mem::transmute(self) }
    }

    /// Returns the offset in the area of a slot, where its [`Rounds`] are.
    #[inline(always)]
    pub const fn slot(&self, slot: u32) -> u64 {
        self.first_slot as u64 + self.slot_bytes as u64 * slot as u64
    }

    /// Returns the offset in a slot of the word in which member `from` announces rounds.
    #[inline(always)]
    pub const fn started(&self, from: u32) -> u64 {
        LINE + 8 * from as u64
    }

    /// Returns the offset in a slot of the word in which member `from` announces data.
    #[inline(always)]
    pub const fn done(&self, from: u32) -> u64 {
        LINE + lines(8 * self.n_pes as u64) + 8 * from as u64
    }

    /// Returns the offset in a slot of the word in which a relay announces data of member `from` that it has passed on.
    #[inline(always)]
    pub const fn passed(&self, from: u32) -> u64 {
        LINE + 2 * lines(8 * self.n_pes as u64) + 8 * from as u64
    }

    /// Returns the offset in a slot of the data of member `from` in the half of `round`: twice
    /// [`payload`](Self::payload) bytes.
    #[inline(always)]
    pub const fn packets(&self, round: u64, from: u32) -> u64 {
        // A slot has less than 4 GiB.
        (self.packets_at + (round as u32 & 1) * self.half_bytes + from * 2 * self.payload) as u64
    }

    /// Returns the offset in a slot of the place of member `from`'s call, for calls of even and of odd numbers.
    #[inline(always)]
    pub const fn call(&self, number: u64, from: u32) -> u64 {
        let place = (number as u32 & 1) * self.n_pes + from;
        (self.packets_at + 2 * self.half_bytes + place * CALL_BYTES) as u64
    }

    /// Returns the size of the area in bytes.
    pub const fn area_bytes(&self) -> u64 {
        self.slot(self.slots)
    }
}

impl WorldState {
    /// Returns the address of byte `at` of the area of `member`, a load/store PE.
    #[inline(always)]
    pub fn in_area(&self, member: Member, at: u64) -> *mut u8 {
        self.address(Pe::new(member.pe as u32), oxshmem_core::SymAddr::new(member.area + at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_area_do_not_overlap() {
        for (n_pes, slots, payload) in [(1, 1, 16), (1, 2, 8192), (2, 64, 8192), (3, 5, 48), (17, 2, 16), (300, 3, 16)]
        {
            let team = TeamParts::of_shape(n_pes, slots, payload).unwrap();
            let mut parts = vec![(0, 16 * u64::from(n_pes))];
            parts.extend((0..n_pes).map(|from| (team.bye(from), 8)));
            parts.push((team.kept(), 64));
            for slot in 0..slots {
                let at = team.slot(slot);
                parts.extend([(at, 16), (at + TeamParts::CALLS, 8)]);
                for from in 0..n_pes {
                    parts.extend([team.started(from), team.done(from), team.passed(from)].map(|word| (at + word, 8)));
                    parts.extend([0, 1].map(|half| (at + team.packets(half, from), 2 * u64::from(payload))));
                    parts.extend([0, 1].map(|call| (at + team.call(call, from), 48)));
                }
            }
            parts.sort();
            assert!(parts.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0), "{n_pes} {slots} {payload}");
            let (start, bytes) = *parts.last().unwrap();
            assert!(start + bytes <= team.area_bytes(), "{n_pes} {slots} {payload}");
            // The first member looks at the packets of a second one, also if there is none.
            let looked_at = team.packets(1, 1) + 2 * u64::from(payload);
            assert!(team.slot(slots - 1) + looked_at <= team.area_bytes(), "{n_pes} {slots} {payload}");
        }
    }
}

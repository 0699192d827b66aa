//! Collectives drawn at random, equally on all members: the call, and the memory of its ends.

pub use oxshmem_device::AnyOp;
pub use oxshmem_device::team::Way;

use crate::draw::{below, bits, size};

/// A collective. Reductions combine a type's elements by [`Call::op`], the others move bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum What {
    /// A barrier.
    Barrier,
    /// A broadcast.
    Broadcast,
    /// An all-gather.
    Fcollect,
    /// An all-to-all.
    Alltoall,
    /// An all-to-all with a count for each pair.
    Alltoallv,
    /// A reduction of `u32`.
    ReduceU32,
    /// A reduction of `Bf16`.
    ReduceBf16,
    /// A reduction of `u32` with a part for each member.
    ReducescatterU32,
    /// A reduction of `Bf16` with a part for each member.
    ReducescatterBf16,
    /// A reduction to the largest `i64` and its index.
    MaxlocI64,
    /// A reduction of `Bf16` whose result stays in registers, from which it is stored.
    HeldBf16,
}

/// The collectives among which calls are drawn. No kernel has many of them: each takes registers, and time to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix(u32);

impl Mix {
    /// Broadcasts, in whose rounds members hear from the fewest others, and reductions to all.
    pub const ROOTED: Self = Self(bit(What::Barrier) | bit(What::Broadcast) | bit(What::ReduceU32));
    /// All-gathers, and reductions with a part for each member.
    pub const GATHERED: Self = Self(bit(What::Barrier) | bit(What::Fcollect) | bit(What::ReducescatterBf16));
    /// Both all-to-alls, and broadcasts, after which an all-to-all with counts must wait.
    pub const SPREAD: Self = Self(Self::ROOTED.0 & !bit(What::ReduceU32) | bit(What::Alltoall) | bit(What::Alltoallv));
    /// Reductions to registers.
    pub const HELD: Self = Self(bit(What::Barrier) | bit(What::HeldBf16));
    /// Broadcasts of so much data that they go in parts.
    pub const PARTS: Self = Self(bit(What::Barrier) | bit(What::Broadcast));
    /// Broadcasts by packets on the second team, mostly small ones, of one root for long, which gets as far ahead as it
    /// may.
    pub const AHEAD: Self = Self(bit(What::Broadcast));
    /// Every collective that streams have, and every operation.
    pub const ALL: Self = Self((bit(What::MaxlocI64) << 1) - 1);

    /// Reports whether calls of a collective are drawn.
    #[inline(always)]
    pub const fn has(self, what: What) -> bool {
        self.0 & bit(what) != 0
    }

    /// Returns one of the collectives: a barrier in one of eight calls.
    #[inline(always)]
    fn draw(self, random: u32) -> What {
        let (first, second, third) = match self {
            Self::ROOTED => (What::Broadcast, What::ReduceU32, What::Broadcast),
            Self::GATHERED => (What::Fcollect, What::ReducescatterBf16, What::Fcollect),
            Self::SPREAD => (What::Alltoall, What::Alltoallv, What::Broadcast),
            Self::HELD => (What::HeldBf16, What::HeldBf16, What::HeldBf16),
            Self::PARTS => (What::Broadcast, What::Broadcast, What::Broadcast),
            Self::AHEAD => return What::Broadcast,
            _ => match random % 5 {
                0 => (What::Broadcast, What::ReduceU32, What::Broadcast),
                1 => (What::Fcollect, What::ReducescatterBf16, What::Alltoall),
                2 => (What::Alltoall, What::Alltoallv, What::Broadcast),
                3 => (What::ReduceBf16, What::ReducescatterU32, What::Fcollect),
                _ => (What::MaxlocI64, What::ReduceU32, What::MaxlocI64),
            },
        };
        match below(random, 8) {
            0 => What::Barrier,
            1 | 2 => first,
            3..6 => second,
            _ => third,
        }
    }
}

const fn bit(what: What) -> u32 {
    1 << what as u32
}

impl What {
    /// Returns the size of an element in bytes.
    #[inline(always)]
    pub const fn width(self) -> usize {
        match self {
            Self::ReduceU32 | Self::ReducescatterU32 => 4,
            Self::ReduceBf16 | Self::ReducescatterBf16 | Self::HeldBf16 => 2,
            Self::MaxlocI64 => 16,
            _ => 1,
        }
    }

    /// Returns the alignment of both ends in bytes.
    #[inline(always)]
    const fn alignment(self) -> usize {
        if matches!(self, Self::HeldBf16) { 8 } else { self.width() }
    }

    /// Returns the number of operations, from the first one of [`AnyOp`] on, that the type has.
    #[inline(always)]
    const fn operations(self) -> u32 {
        match self {
            Self::ReduceU32 | Self::ReducescatterU32 => 7,
            Self::ReduceBf16 | Self::ReducescatterBf16 => 4,
            _ => 0,
        }
    }

    /// Reports whether the source has elements for each member.
    #[inline(always)]
    pub const fn spreads(self) -> bool {
        matches!(self, Self::Alltoall | Self::Alltoallv | Self::ReducescatterU32 | Self::ReducescatterBf16)
    }

    /// Reports whether the destination has elements of each member.
    #[inline(always)]
    pub const fn gathers(self) -> bool {
        matches!(self, Self::Fcollect | Self::Alltoall | Self::Alltoallv)
    }
}

/// A collective with its arguments, which all members draw alike.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The collective.
    pub what: What,
    /// The way of its data.
    pub way: Way,
    /// The operation of a reduction: a sum unless calls are drawn from [`Mix::ALL`].
    pub op: AnyOp,
    /// The team: 0 or 1.
    pub team: usize,
    /// Elements for each pair of members; of an all-to-all with counts, at most.
    pub count: usize,
    /// Whether source and destination share memory, where the collective allows it.
    pub in_place: bool,
    /// Offsets in bytes of destination and source, below [`SHIFTS`].
    pub shifts: (usize, usize),
    /// Random bits for the root and for the counts.
    lot: u32,
}

/// The size and the alignment in bytes of the units that go in parts.
const PAIR: usize = 16;

/// The offsets of an end.
pub const SHIFTS: usize = 64;

impl Call {
    /// Draws a group's call in a round, of at most `most` bytes for each pair of members. Most of [`Mix::PARTS`] have
    /// at least seven eighths of it, in whole pairs of units.
    #[inline(always)]
    pub fn of(mix: Mix, seed: u64, group: usize, round: u64, most: usize) -> Self {
        // Half of the calls of a phase are alike in collective and root.
        let is_ahead = mix == Mix::AHEAD;
        let phase = bits(seed ^ bits(((round >> if is_ahead { 6 } else { 3 }) << 24) ^ group as u64));
        let now = bits(phase ^ bits(round));
        let (then, last) = (bits(now), bits(bits(now)));
        let same = is_ahead || now & 1 == 0;
        let what = mix.draw((if same { phase } else { now } >> 32) as u32);
        let in_parts = mix == Mix::PARTS && last >> 60 != 0;
        let bytes = match in_parts {
            true => (most - below((then >> 32) as u32, most / 8)) & !(PAIR - 1),
            false if now & 0x1e == 0 => 0,
            false => size(then as u32, (then >> 32) as u32, most),
        };
        let shifts = ((last & 63) as usize, ((last >> 6) & 63) as usize);
        let shifts = match (last >> 12) & 3 {
            0 => (0, 0),
            1 => (shifts.0, shifts.0),
            _ => shifts,
        };
        let alignment = if in_parts { PAIR } else { what.alignment() };
        let aligned = |shift: usize| shift & !(alignment - 1);
        let op = match AnyOp::from_raw((last >> 20) as u32 & 7) {
            // The operations of bits have no floats.
            Some(op) if mix == Mix::ALL && (op as u32) < what.operations() => op,
            _ => AnyOp::Sum,
        };
        Self {
            what,
            way: match (last >> 14) & 3 {
                _ if is_ahead => Way::Packets,
                0 => Way::Auto,
                _ if in_parts => Way::Direct,
                1 => Way::Direct,
                _ => Way::Packets,
            },
            op,
            team: if is_ahead { 1 } else { (now >> 5) as usize & 1 },
            count: bytes / what.width(),
            in_place: (last >> 18) & 3 == 0,
            shifts: (aligned(shifts.0), aligned(shifts.1)),
            lot: if same { phase } else { last } as u32,
        }
    }

    /// Returns the call with at most `bytes` bytes, and whole units of 8 bytes.
    #[inline(always)]
    pub fn in_units_of_at_most(self, bytes: usize) -> Self {
        let units = self.count * self.what.width() / 8;
        let count = if units < bytes / 8 { units } else { bytes / 8 } * 8 / self.what.width();
        Self { count, ..self }
    }

    /// Returns the root of a broadcast among `n` members.
    #[inline(always)]
    pub fn root(&self, n: usize) -> usize {
        below(self.lot, n)
    }

    /// Returns the most blocks of the call on a stream; `None`: any number.
    pub fn blocks(&self) -> Option<u32> {
        match self.lot & 3 {
            0 => Some(1),
            1 => Some(3),
            _ => None,
        }
    }

    /// Returns the elements of the source, for `n` members.
    #[inline(always)]
    pub fn sent(&self, n: usize) -> usize {
        if self.what.spreads() { n * self.count } else { self.count }
    }

    /// Returns the elements of the destination, for `n` members.
    #[inline(always)]
    pub fn received(&self, n: usize) -> usize {
        if self.what.gathers() { n * self.count } else { self.count }
    }

    /// Returns the number of elements that a member sends to another one in an all-to-all with counts.
    #[inline(always)]
    pub fn count_of(&self, from: usize, to: usize) -> usize {
        let draw = bits(((self.lot as u64) << 32) ^ ((from as u64) << 16) ^ to as u64);
        // Some pairs have nothing to send.
        if draw & 7 == 0 { 0 } else { below((draw >> 32) as u32, self.count + 1) }
    }

    /// Returns the first element in the source of an all-to-all with counts, which has its receivers in reverse.
    #[inline(always)]
    pub fn source_start(&self, to: usize, n: usize) -> usize {
        (n - 1 - to) * self.count
    }

    /// Returns the first element in the destination of an all-to-all with counts, which begins with the last sender.
    #[inline(always)]
    pub fn dest_start(&self, from: usize, n: usize) -> usize {
        if from + 1 == n { 0 } else { (from + 1) * self.count }
    }
}

/// The memory of a group's calls: lists of an all-to-all, and an area for each end.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// PEs of the world.
    pub n: usize,
    /// The most bytes for each pair of members.
    pub most: usize,
}

/// Offsets in bytes from the start of a [`Room`].
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The first byte of the destination.
    pub dest: usize,
    /// The first byte of the source.
    pub source: usize,
    /// Whether the bytes around the destination belong to neither end.
    pub guarded: bool,
}

/// Bytes before and after a destination that no call may change.
pub const GUARD: usize = 16;

impl Room {
    /// Returns the size in bytes, a multiple of 64.
    pub const fn bytes(self) -> usize {
        self.areas() + 2 * self.area()
    }

    /// Returns the offsets of the lists of an all-to-all with `n` members: counts, starts in the source, starts in the
    /// destination.
    #[inline(always)]
    pub const fn lists(self, n: usize) -> [usize; 3] {
        [0, 8 * n, 16 * n]
    }

    #[inline(always)]
    const fn areas(self) -> usize {
        (8 * self.n * 3).next_multiple_of(64)
    }

    /// Returns the size of an area, in which guards keep their distance from the ends and addresses are aligned to 64
    /// bytes.
    #[inline(always)]
    const fn area(self) -> usize {
        (self.n * self.most).next_multiple_of(64) + SHIFTS + 2 * 64
    }

    /// Returns the ends of a call on member `me`.
    #[inline(always)]
    pub fn ends(self, call: &Call, me: usize) -> Ends {
        let dest = self.areas() + 64 + call.shifts.0;
        let source = self.areas() + self.area() + 64 + call.shifts.1;
        let own = me * call.count * call.what.width();
        match call.what {
            _ if !call.in_place => Ends { dest, source, guarded: true },
            What::Barrier | What::Alltoall | What::Alltoallv => Ends { dest, source, guarded: true },
            What::Broadcast | What::ReduceU32 | What::ReduceBf16 | What::MaxlocI64 | What::HeldBf16 => {
                Ends { dest, source: dest, guarded: true }
            }
            What::Fcollect => Ends { dest, source: dest + own, guarded: true },
            What::ReducescatterU32 | What::ReducescatterBf16 => Ends { dest: dest + own, source: dest, guarded: false },
        }
    }
}

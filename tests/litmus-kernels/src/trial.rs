//! A collective drawn at random in one round: its data, and the check of the result on every member.

use oxshmem_device::prelude::*;
use oxshmem_device::team::Lists;
use oxshmem_device::{AnyOp, Element, Located, Number, NumberOp, ReduceOp};
use oxshmem_raw::gpu::ptx;

use crate::call::{Call, Ends, GUARD, Mix, Room, What};
use crate::draw::below;
use crate::place::{At, check, fill, key, wrong};

/// A call of one group in one round, equal on all threads of the group.
#[derive(Clone, Copy)]
pub(crate) struct Trial {
    /// The collectives among which the call was drawn; known when the kernel is compiled.
    pub(crate) mix: Mix,
    pub(crate) call: Call,
    pub(crate) room: Room,
    pub(crate) memory: SymPtr<u8>,
    pub(crate) team: TeamHandle,
    pub(crate) seed: u64,
    pub(crate) group: usize,
    pub(crate) round: u64,
    pub(crate) record: SymPtr<u64>,
}

/// The byte around a destination.
const UNTOUCHED: u8 = 0xb5;

/// A type that is reduced.
trait Drawn: Number {
    /// Turns random bits into a value.
    fn drawn(bits: u32) -> Self;
}

impl Drawn for u32 {
    #[inline(always)]
    fn drawn(bits: u32) -> Self {
        bits
    }
}

impl Drawn for Bf16 {
    /// Makes a value. In one of eight cases it is 2^30 or its negative: where both occur, a sum in another order of the
    /// members loses another operand.
    #[inline(always)]
    fn drawn(bits: u32) -> Self {
        let (exponent, fraction) =
            if bits & 7 << 12 == 0 { (127 + 30, 0) } else { (119 + (bits >> 8 & 15), bits & 0x7f) };
        Self::from_bits(((bits >> 31) << 15 | exponent << 7 | fraction) as u16)
    }
}

/// Returns random bits of an element in a round.
#[inline(always)]
fn word(key: u32, index: usize, round: u64) -> u32 {
    let mut x = key ^ (index as u32).wrapping_mul(0x9e37_79b1) ^ (round as u32).wrapping_mul(0x632b_e5ab);
    x = (x ^ (x >> 15)).wrapping_mul(0x85eb_ca6b);
    x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    x ^ (x >> 16)
}

impl Trial {
    #[inline(always)]
    fn reduces_u32(&self, what: What) -> bool {
        let mix = self.mix;
        mix.has(What::ReduceU32) && what == What::ReduceU32
            || mix.has(What::ReducescatterU32) && what == What::ReducescatterU32
    }

    #[inline(always)]
    fn reduces_bf16(&self, what: What) -> bool {
        let mix = self.mix;
        mix.has(What::ReduceBf16) && what == What::ReduceBf16
            || mix.has(What::ReducescatterBf16) && what == What::ReducescatterBf16
            || mix.has(What::HeldBf16) && what == What::HeldBf16
    }

    #[inline(always)]
    fn locates(&self, what: What) -> bool {
        self.mix.has(What::MaxlocI64) && what == What::MaxlocI64
    }

    /// Returns the operation of the call, which is known when a kernel is compiled that draws sums alone.
    #[inline(always)]
    fn op(&self) -> AnyOp {
        if self.mix == Mix::ALL { self.call.op } else { AnyOp::Sum }
    }

    #[inline(always)]
    fn members(&self) -> usize {
        self.team.n_pes as usize
    }

    #[inline(always)]
    fn pe(&self, member: usize) -> Pe {
        Pe::new(self.team.member(member as u32).pe as u32)
    }

    #[inline(always)]
    fn key(&self, member: usize) -> u32 {
        key(self.seed, self.group, self.pe(member))
    }

    #[inline(always)]
    fn at(&self, bytes: usize) -> At {
        At { round: self.round, group: self.group, size: bytes }
    }

    #[inline(always)]
    fn ends(&self) -> Ends {
        self.room.ends(&self.call, self.team.me as usize)
    }

    /// Returns destination and source.
    #[inline(always)]
    pub(crate) fn places<T: Element>(&self) -> (SymPtr<T>, SymPtr<T>) {
        let ends = self.ends();
        (self.memory.add(ends.dest).cast(), self.memory.add(ends.source).cast())
    }

    /// Returns the lists of an all-to-all with counts.
    #[inline(always)]
    pub(crate) fn lists(&self) -> Lists {
        let [counts, source_starts, dest_starts] = self.room.lists(self.members());
        let list = |at: usize| self.memory.add(at).cast();
        Lists { counts: list(counts), source_starts: list(source_starts), dest_starts: list(dest_starts) }
    }

    /// Writes this member's source, and the bytes around its destination. The threads of the group share the work.
    #[inline(always)]
    pub(crate) fn fill<G: Group>(&self, shmem: &Shmem, by: G) {
        let (call, n, me) = (&self.call, self.members(), self.team.me as usize);
        match call.what {
            What::Barrier => return,
            what if self.reduces_u32(what) => self.fill_numbers::<u32, G>(shmem, by),
            what if self.reduces_bf16(what) => self.fill_numbers::<Bf16, G>(shmem, by),
            what if self.locates(what) => self.fill_located(shmem, by),
            _ => fill(shmem, by, self.places().1, self.at(call.sent(n)), 0, self.key(me)),
        }
        if call.what == What::Alltoallv {
            let lists = shmem.local(self.lists().counts, 3 * n);
            let mut other = by.rank() as usize;
            while other < n {
                lists.write(other, call.count_of(me, other) as u64);
                lists.write(n + other, call.source_start(other, n) as u64);
                lists.write(2 * n + other, call.dest_start(other, n) as u64);
                other += by.size() as usize;
            }
        }
        self.guards(by, |at| shmem.local(at, 1).write(0, UNTOUCHED));
    }

    #[inline(always)]
    fn fill_numbers<T: Drawn, G: Group>(&self, shmem: &Shmem, by: G) {
        let source = shmem.local(self.places::<T>().1, self.call.sent(self.members()));
        let (mut i, key) = (by.rank() as usize, self.key(self.team.me as usize));
        while i < source.len() {
            source.write(i, T::drawn(word(key, i, self.round)));
            i += by.size() as usize;
        }
    }

    /// Returns a member's element of a reduction to the largest value: few values, so that many are equal.
    #[inline(always)]
    fn located(&self, member: usize, i: usize) -> Located<i64> {
        let bits = |of: usize| word(self.key(member), 2 * i + of, self.round);
        Located::new((bits(0) & 3) as i64 - 2, bits(1) as u64)
    }

    #[inline(always)]
    fn fill_located<G: Group>(&self, shmem: &Shmem, by: G) {
        let source = shmem.local(self.places::<u64>().1, 2 * self.call.count);
        let mut i = by.rank() as usize;
        while 2 * i < source.len() {
            let [value, index] = self.located(self.team.me as usize, i).to_words();
            source.write(2 * i, value);
            source.write(2 * i + 1, index);
            i += by.size() as usize;
        }
    }

    /// Calls `each` for every byte around the destination, if no end has it.
    #[inline(always)]
    fn guards<G: Group>(&self, by: G, mut each: impl FnMut(SymPtr<u8>)) {
        let (ends, bytes) = (self.ends(), self.call.received(self.members()) * self.call.what.width());
        let mut i = by.rank() as usize;
        while ends.guarded && i < 2 * GUARD {
            let at = if i < GUARD { ends.dest - GUARD + i } else { ends.dest + bytes + i - GUARD };
            each(self.memory.add(at));
            i += by.size() as usize;
        }
    }

    /// Checks the destination and the bytes around it. The threads of the group share the work.
    #[inline(always)]
    pub(crate) fn check<G: Group>(&self, shmem: &Shmem, by: G) -> Result<(), Fault> {
        let (call, n, me) = (&self.call, self.members(), self.team.me as usize);
        match call.what {
            What::Barrier => return Ok(()),
            what if self.reduces_u32(what) => self.check_numbers::<u32, _, G>(shmem, by, self.op())?,
            what if self.reduces_bf16(what) => self.check_numbers::<Bf16, _, G>(shmem, by, NumberOp(self.op()))?,
            what if self.locates(what) => self.check_located(shmem, by)?,
            what => {
                let root = call.root(n);
                let (mut from, end) = if what == What::Broadcast { (root, root + 1) } else { (0, n) };
                while from < end {
                    let (start, count, place) = match what {
                        What::Broadcast => (0, call.count, 0),
                        What::Fcollect => (from * call.count, call.count, 0),
                        What::Alltoall => (from * call.count, call.count, me * call.count),
                        _ => (call.dest_start(from, n), call.count_of(from, me), call.source_start(me, n)),
                    };
                    let dest = self.places::<u8>().0.add(start);
                    check(shmem, by, dest, self.at(count), place, self.key(from), self.record)?;
                    from += 1;
                }
            }
        }
        let mut ended = Ok(());
        self.guards(by, |at| {
            let (seen, ends) = (shmem.local(at, 1).read(0), self.ends());
            if seen != UNTOUCHED {
                let offset = (at.addr().offset() - self.memory.addr().offset()) as usize;
                let at = self.at(call.received(n) * call.what.width());
                let offset = offset.wrapping_sub(ends.dest);
                ended = ended.and(wrong(shmem, self.record, at, offset, UNTOUCHED as u64, seen as u64));
            }
        });
        ended
    }

    /// Checks the results of a reduction to the largest value.
    #[inline(always)]
    fn check_located<G: Group>(&self, shmem: &Shmem, by: G) -> Result<(), Fault> {
        let dest = shmem.local(self.places::<u64>().0, 2 * self.call.count);
        let mut behind = by.rank() as usize;
        while behind < self.call.count {
            // Each thread checks elements that another one wrote.
            let i = self.call.count - 1 - behind;
            let (mut largest, mut member) = (self.located(0, i), 1);
            while member < self.members() {
                largest = largest.max(self.located(member, i));
                member += 1;
            }
            let [value, index] = largest.to_words();
            self.compare(shmem, dest, 2 * i, value)?;
            self.compare(shmem, dest, 2 * i + 1, index)?;
            behind += by.size() as usize;
        }
        Ok(())
    }

    /// Compares a word of such a result.
    #[inline(always)]
    fn compare(&self, shmem: &Shmem, dest: Local<'_, u64>, word: usize, expected: u64) -> Result<(), Fault> {
        let seen = dest.read(word);
        if seen == expected {
            return Ok(());
        }
        wrong(shmem, self.record, self.at(16 * self.call.count), 8 * word, expected, seen)
    }

    /// Checks the results of a reduction.
    #[inline(always)]
    fn check_numbers<T: Drawn, O: ReduceOp<T>, G: Group>(&self, shmem: &Shmem, by: G, op: O) -> Result<(), Fault> {
        let count = self.call.count;
        let start = if self.call.what.spreads() { self.team.me as usize * count } else { 0 };
        let dest = shmem.local(self.places::<T>().0, count);
        let operand = |member: usize, i: usize| T::drawn(word(self.key(member), start + i, self.round)).widen();
        let mut behind = by.rank() as usize;
        while behind < count {
            // Each thread checks elements that another one wrote.
            let i = count - 1 - behind;
            let (mut result, mut member) = (operand(0, i), 1);
            while member < self.members() {
                result = op.combine(result, operand(member, i));
                member += 1;
            }
            let (expected, seen) = (T::narrow(result).to_bits64(), dest.read(i).to_bits64());
            if expected != seen {
                let width = self.call.what.width();
                wrong(shmem, self.record, self.at(count * width), i * width, expected, seen)?;
            }
            behind += by.size() as usize;
        }
        Ok(())
    }
}

/// Delays one draw of `one_in` by up to `most_ns`, by the clock: the first thread of a group, the last, or all. On host
/// PEs the PE's other threads go on.
#[inline(always)]
pub(crate) fn delay<G: Group>(by: G, random: u64, one_in: usize, most_ns: u32) {
    let ns = below((random >> 32) as u32, most_ns as usize) as u64;
    let last = by.rank() + 1 == by.size();
    let chosen = match random & 3 {
        0 => by.leads(),
        1 => last,
        _ => true,
    };
    if !chosen || below(random as u32 >> 2 << 2, one_in) != 0 {
        return;
    }
    let (began, mut looks) = (ptx::global_timer_ns(), 0_u32);
    // A clock that stands still does not hold up the kernel.
    while ptx::global_timer_ns().wrapping_sub(began) < ns && looks < 1 << 26 {
        ptx::poll_pause();
        looks += 1;
    }
}

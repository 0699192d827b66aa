//! Calls of collectives, which builds that check compare between members.

use core::fmt;

use crate::AnyOp;

/// A collective of a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Collective {
    /// A broadcast.
    Broadcast = 1,
    /// An all-gather.
    Fcollect = 2,
    /// An all-to-all.
    Alltoall = 3,
    /// An all-to-all with a count for each pair of members.
    Alltoallv = 4,
    /// A reduction whose result every member gets.
    Reduce = 5,
    /// A reduction whose result is shared out.
    Reducescatter = 6,
    /// A reduction into registers.
    ReduceHeld = 7,
    /// A reduction to the largest value and its index.
    ReduceMaxloc = 8,
}

/// A member's call of a collective. All members' calls are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    bytes: u64,
    share: u64,
    /// The other parts, from the lowest bit on: collective (8 bits), element width (8), way (8), operation (8), root
    /// (16), threads (16).
    rest: u64,
}

impl Call {
    /// Number of words of 8 bytes of an encoded call.
    pub const WORDS: usize = 3;
    /// The number of an operation of the program.
    pub const OTHER_OP: u8 = u8::MAX;

    /// Returns a call over `bytes` bytes for each member, in elements of `width` bytes. The calling group has a share
    /// of `share` bytes. In a call with a count for each pair, `bytes` is the size for the receiver of this
    /// description, and `share` the number of shares.
    #[inline(always)]
    pub const fn new(collective: Collective, width: usize, bytes: usize, share: usize) -> Self {
        let rest = collective as u64 | (width as u64 & 0xff) << 8;
        Self { bytes: bytes as u64, share: share as u64, rest }
    }

    /// Sets the root.
    #[inline(always)]
    pub const fn root(self, member: u32) -> Self {
        Self { rest: self.rest | (member as u64 & 0xffff) << 32, ..self }
    }

    /// Sets the operation by its number.
    #[inline(always)]
    pub const fn op(self, op: u8) -> Self {
        Self { rest: self.rest | (op as u64) << 24, ..self }
    }

    /// Sets the way in which the data moves, and the number of threads of the group.
    #[inline(always)]
    pub const fn by(self, packets: bool, threads: u32) -> Self {
        Self { rest: self.rest | (packets as u64) << 16 | (threads as u64 & 0xffff) << 48, ..self }
    }

    /// Returns the bytes for each member, or for the receiver.
    #[inline(always)]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns word `index` of the encoded call.
    #[inline(always)]
    pub const fn word(&self, index: usize) -> u64 {
        match index {
            0 => self.bytes,
            1 => self.share,
            _ => self.rest,
        }
    }

    /// Returns the call with this encoding.
    #[inline(always)]
    pub const fn from_words(words: [u64; Self::WORDS]) -> Self {
        Self { bytes: words[0], share: words[1], rest: words[2] }
    }

    /// Returns the first part in which two calls differ; `None` if they are equal.
    #[inline(always)]
    pub const fn difference(&self, other: &Self) -> Option<CallPart> {
        let differ = self.rest ^ other.rest;
        Some(if differ & 0xff != 0 {
            CallPart::Collective
        } else if self.bytes != other.bytes && self.rest & 0xff != Collective::Alltoallv as u64 {
            CallPart::Bytes
        } else if differ >> 8 & 0xff != 0 {
            CallPart::Width
        } else if differ >> 32 & 0xffff != 0 {
            CallPart::Root
        } else if differ >> 24 & 0xff != 0 {
            CallPart::Op
        } else if differ >> 48 != 0 {
            CallPart::Threads
        } else if differ >> 16 & 0xff != 0 {
            CallPart::Way
        } else if self.share != other.share {
            CallPart::Share
        } else {
            return None;
        })
    }

    /// Returns the value of a part.
    #[inline(always)]
    pub const fn part(&self, part: CallPart) -> u64 {
        match part {
            CallPart::Collective => self.rest & 0xff,
            CallPart::Bytes => self.bytes,
            CallPart::Width => self.rest >> 8 & 0xff,
            CallPart::Root => self.rest >> 32 & 0xffff,
            CallPart::Op => self.rest >> 24 & 0xff,
            CallPart::Threads => self.rest >> 48,
            CallPart::Way => self.rest >> 16 & 0xff,
            CallPart::Share => self.share,
        }
    }
}

/// A part of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CallPart {
    /// The collective.
    Collective = 1,
    /// The size in bytes for each member.
    Bytes = 2,
    /// The size of an element in bytes.
    Width = 3,
    /// The root of a broadcast.
    Root = 4,
    /// The operation of a reduction.
    Op = 5,
    /// The number of threads of the group.
    Threads = 6,
    /// The way of the data: 1 packets, 0 another one.
    Way = 7,
    /// The bytes of the group's share; of a call with a count for each pair, the number of shares.
    Share = 8,
}

impl CallPart {
    /// Returns the part with this number, if there is one.
    pub const fn from_raw(raw: u32) -> Option<Self> {
        Some(match raw {
            1 => Self::Collective,
            2 => Self::Bytes,
            3 => Self::Width,
            4 => Self::Root,
            5 => Self::Op,
            6 => Self::Threads,
            7 => Self::Way,
            8 => Self::Share,
            _ => return None,
        })
    }

    /// Writes a value of this part.
    pub fn write(self, f: &mut fmt::Formatter<'_>, value: u64) -> fmt::Result {
        match self {
            Self::Collective => f.write_str(name_of(value)),
            Self::Bytes => write!(f, "{value} bytes for each member"),
            Self::Width => write!(f, "elements of {value} bytes"),
            Self::Root => write!(f, "root {value}"),
            Self::Op => match AnyOp::from_raw(value as u32) {
                Some(op) => write!(f, "operation {op:?}"),
                None => write!(f, "an operation of the program"),
            },
            Self::Threads => write!(f, "{value} threads"),
            Self::Way => f.write_str(if value == 1 { "packets" } else { "no packets" }),
            Self::Share => write!(f, "shares of {value}"),
        }
    }
}

/// Describes a collective by its number.
fn name_of(collective: u64) -> &'static str {
    match collective {
        1 => "a broadcast",
        2 => "an fcollect",
        3 => "an alltoall",
        4 => "an alltoallv",
        5 => "a reduction",
        6 => "a reducescatter",
        7 => "a reduction into registers",
        8 => "a reduction to the largest value",
        _ => "an unknown collective",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_calls_differ_in_the_part_that_differs_and_equal_ones_in_none() {
        let call = Call::new(Collective::Reduce, 4, 4096, 1024).root(3).op(2).by(true, 256);
        let again = Call::from_words([call.word(0), call.word(1), call.word(2)]);
        assert_eq!((again, call.difference(&again)), (call, None));
        let others = [
            (Call::new(Collective::Fcollect, 4, 4096, 1024).root(3).op(2).by(true, 256), 5, 2),
            (Call::new(Collective::Reduce, 4, 4100, 1024).root(3).op(2).by(true, 256), 4096, 4100),
            (Call::new(Collective::Reduce, 8, 4096, 1024).root(3).op(2).by(true, 256), 4, 8),
            (Call::new(Collective::Reduce, 4, 4096, 1024).root(300).op(2).by(true, 256), 3, 300),
            (Call::new(Collective::Reduce, 4, 4096, 1024).root(3).op(255).by(true, 256), 2, 255),
            (Call::new(Collective::Reduce, 4, 4096, 1024).root(3).op(2).by(true, 1024), 256, 1024),
            (Call::new(Collective::Reduce, 4, 4096, 1024).root(3).op(2).by(false, 256), 1, 0),
            (Call::new(Collective::Reduce, 4, 4096, 512).root(3).op(2).by(true, 256), 1024, 512),
        ];
        for (part, (other, mine, theirs)) in (1..).zip(others) {
            let differs = call.difference(&other);
            assert_eq!(differs, CallPart::from_raw(part));
            assert_eq!(differs.map(|part| (call.part(part), other.part(part))), Some((mine, theirs)));
        }
        let [few, many] = [3, 300].map(|bytes| Call::new(Collective::Alltoallv, 1, bytes, 1));
        assert_eq!(few.difference(&many), None, "pairs may differ in their counts");
    }
}

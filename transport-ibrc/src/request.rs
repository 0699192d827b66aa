//! The form of a request in a ring's line.
//!
//! A line is 8 words of 8 bytes. Bit 63 of each word is the parity of the lap in which it was written (1 in the first
//! lap), so each word shows by itself whether it has arrived, and no order is needed between the words and a flag. Word
//! 0 holds the data bits that belong in bits 63 of words 1 to 7.
//!
//! | word | bits | content |
//! |---|---|---|
//! | 0 | 62:56 | data bits 63 of words 7 to 1 |
//! | 0 | 55:48 | [`Kind`] |
//! | 0 | 47:40 | number of data bytes in the request, or the atomic's operation and type |
//! | 0 | 39:32 | [`flags`] |
//! | 0 | 31:0 | the queue's number |
//! | 1 | | heap offset at the peer |
//! | 2 to 5 | | up to 32 bytes of data; or local address and number of bytes; or operand and comparand |
//! | 6, 7 | | heap offset and value of the signal |

use oxshmem_core::{AmoOp, AmoType, SignalOp};

/// Words of a line.
pub const WORDS: usize = 8;

/// Bytes of a line.
pub const LINE_BYTES: u64 = 8 * WORDS as u64;

/// Maximum bytes of data in a request.
pub const INLINE_BYTES: u64 = 32;

/// The bit of each word with the parity of its lap.
pub const LAP: u64 = 1 << 63;

/// The operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// No operation: the thread that reserved the slot could not continue.
    Nothing = 1,
    /// Writes memory of this PE to the peer.
    Put = 2,
    /// Writes the data in the request to the peer.
    PutInline = 3,
    /// Reads from the peer into memory of this PE; with [`flags::ANSWER`], into the landing of its slot.
    Get = 4,
    /// Reads 1 to 8 bytes, which the reply returns.
    Fetch = 5,
    /// Performs an atomic on a word of the peer.
    Amo = 6,
    /// Changes a signal word of the peer.
    Signal = 7,
}

impl Kind {
    const fn from_raw(raw: u8) -> Option<Self> {
        Some(match raw {
            1 => Self::Nothing,
            2 => Self::Put,
            3 => Self::PutInline,
            4 => Self::Get,
            5 => Self::Fetch,
            6 => Self::Amo,
            7 => Self::Signal,
            _ => return None,
        })
    }
}

/// Flag bits of a request.
pub mod flags {
    /// A signal follows the data; its value is added to the word.
    pub const SIGNAL_ADD: u8 = 1;
    /// A signal follows the data; the word is set to its value.
    pub const SIGNAL_SET: u8 = 2;
    /// A thread waits for a reply.
    pub const ANSWER: u8 = 4;
    /// Bit 63 of the reply's words.
    pub const TURN: u8 = 8;
}

/// Returns word 0 without the lap and without the data bits of the other words.
#[inline(always)]
pub const fn head(kind: Kind, detail: u8, flags: u8, queue: u32) -> u64 {
    (kind as u64) << 48 | (detail as u64) << 40 | (flags as u64) << 32 | queue as u64
}

/// Returns the flag of a signal.
#[inline(always)]
pub const fn signal_flag(op: SignalOp) -> u8 {
    match op {
        SignalOp::Add => flags::SIGNAL_ADD,
        SignalOp::Set => flags::SIGNAL_SET,
    }
}

/// Encodes an atomic's operation and type in 8 bits.
#[inline(always)]
pub const fn amo_detail(op: AmoOp, of: AmoType) -> u8 {
    let op = match op {
        AmoOp::Fetch => 0,
        AmoOp::Set => 1,
        AmoOp::CompareSwap => 2,
        AmoOp::Add => 3,
        AmoOp::And => 4,
        AmoOp::Or => 5,
        AmoOp::Xor => 6,
    };
    let of = match of {
        AmoType::B32 => 0,
        AmoType::B64 => 1,
        AmoType::F16 => 2,
        AmoType::F32 => 3,
        AmoType::F64 => 4,
    };
    op << 4 | of
}

/// Decodes the result of [`amo_detail`]; `None` if it is not one.
pub const fn amo_from_detail(detail: u8) -> Option<(AmoOp, AmoType)> {
    let op = match detail >> 4 {
        0 => AmoOp::Fetch,
        1 => AmoOp::Set,
        2 => AmoOp::CompareSwap,
        3 => AmoOp::Add,
        4 => AmoOp::And,
        5 => AmoOp::Or,
        6 => AmoOp::Xor,
        _ => return None,
    };
    let of = match detail & 15 {
        0 => AmoType::B32,
        1 => AmoType::B64,
        2 => AmoType::F16,
        3 => AmoType::F32,
        4 => AmoType::F64,
        _ => return None,
    };
    Some((op, of))
}

/// Returns bit 63 of the words of the line at `index` in a ring of `depth` slots, a power of two.
#[inline(always)]
pub const fn lap(index: u64, depth: u32) -> u64 {
    if index & depth as u64 == 0 { LAP } else { 0 }
}

/// Returns word 0 of a line with these other words.
#[inline(always)]
pub const fn first_word(head: u64, rest: [u64; 7], lap: u64) -> u64 {
    let [a, b, c, d, e, f, g] = rest;
    let spilled = (a & LAP) >> 7
        | (b & LAP) >> 6
        | (c & LAP) >> 5
        | (d & LAP) >> 4
        | (e & LAP) >> 3
        | (f & LAP) >> 2
        | (g & LAP) >> 1;
    lap | spilled | head
}

/// Returns the stored form of one of words 1 to 7.
#[inline(always)]
pub const fn later_word(word: u64, lap: u64) -> u64 {
    word & !LAP | lap
}

/// A decoded line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Word 0 without the lap and without the data bits of the other words.
    pub head: u64,
    /// Words 1 to 7 with their own bits 63.
    pub rest: [u64; 7],
}

impl Line {
    /// Decodes the words of a line that has arrived completely.
    #[inline(always)]
    pub const fn from_words(words: [u64; WORDS]) -> Self {
        let first = words[0];
        let mut rest = [0; 7];
        let mut i = 0;
        while i < 7 {
            rest[i] = words[i + 1] & !LAP | (first >> (56 + i) & 1) << 63;
            i += 1;
        }
        Self { head: first & ((1 << 56) - 1), rest }
    }

    /// Returns the operation; `None` if it is unknown.
    #[inline(always)]
    pub const fn kind(&self) -> Option<Kind> {
        Kind::from_raw((self.head >> 48) as u8)
    }

    /// Returns the number of bytes of data in it, or the [`amo_detail`].
    #[inline(always)]
    pub const fn detail(&self) -> u8 {
        (self.head >> 40) as u8
    }

    /// Returns its [`flags`].
    #[inline(always)]
    pub const fn flags(&self) -> u8 {
        (self.head >> 32) as u8
    }

    /// Returns whether a thread waits for the value that it fetches.
    #[inline(always)]
    pub const fn wants_answer(&self) -> bool {
        self.flags() & flags::ANSWER != 0
    }

    /// Returns its queue's number.
    #[inline(always)]
    pub const fn queue(&self) -> u32 {
        self.head as u32
    }

    /// Returns the operation of the signal that follows its data, if there is one.
    #[inline(always)]
    pub const fn signal(&self) -> Option<SignalOp> {
        if self.flags() & flags::SIGNAL_ADD != 0 {
            Some(SignalOp::Add)
        } else if self.flags() & flags::SIGNAL_SET != 0 {
            Some(SignalOp::Set)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(head: u64, rest: [u64; 7], lap: u64) -> [u64; WORDS] {
        let mut words = [first_word(head, rest, lap); WORDS];
        for (to, from) in words[1..].iter_mut().zip(rest) {
            *to = later_word(from, lap);
        }
        words
    }

    #[test]
    fn a_request_survives_its_line_in_either_lap_whatever_bits_it_has() {
        let patterns = [0, u64::MAX, 1 << 63, 0x8000_0000_0000_0001, 0x7fff_ffff_ffff_ffff, 0x0123_4567_89ab_cdef];
        for lap in [0, LAP] {
            for place in 0..7 {
                for pattern in patterns {
                    let mut rest = [0x1111_1111_1111_1111; 7];
                    rest[place] = pattern;
                    let head = head(Kind::Amo, 0xff, 0xff, u32::MAX);
                    let words = words(head, rest, lap);
                    assert!(words.iter().all(|word| word & LAP == lap));
                    assert_eq!(Line::from_words(words), Line { head, rest });
                }
            }
        }
    }

    #[test]
    fn laps_alternate_and_the_first_differs_from_memory_that_is_zero() {
        assert_eq!([0, 3, 4, 7, 8, u64::MAX].map(|index| lap(index, 4)), [LAP, LAP, 0, 0, LAP, 0]);
    }

    #[test]
    fn an_atomic_survives_its_detail() {
        use AmoOp::*;
        use AmoType::*;
        for op in [Fetch, Set, CompareSwap, Add, And, Or, Xor] {
            for of in [B32, B64, F16, F32, F64] {
                assert_eq!(amo_from_detail(amo_detail(op, of)), Some((op, of)));
            }
        }
        assert_eq!((amo_from_detail(0x70), amo_from_detail(0x05)), (None, None));
    }

    #[test]
    fn a_line_of_zeros_asks_for_nothing_that_there_is() {
        assert_eq!(Line::from_words([0; WORDS]).kind(), None);
    }
}

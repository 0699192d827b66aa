//! Atomics made from the two that every NIC has: fetch-and-add and compare-and-swap of 8 bytes.

use oxshmem_core::{AmoOp, AmoType, F16};

/// An atomic that every NIC has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NicAtomic {
    /// Adds to 8 bytes, wrapping, and fetches their previous value.
    FetchAdd {
        /// The summand.
        add: u64,
    },
    /// Stores `swap` to 8 bytes that equal `compare`, and fetches their previous value.
    CompareSwap {
        /// The expected value.
        compare: u64,
        /// The new value.
        swap: u64,
    },
}

/// An atomic on a word within 8 aligned bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    op: AmoOp,
    of: AmoType,
    operand: u64,
    compare: u64,
    shift: u32,
    mask: u64,
}

/// The outcome of a compare-and-swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swapped {
    /// The atomic is done; this was the word's previous value.
    Done(u64),
    /// The 8 bytes differed from the guess: try again.
    Again,
}

impl Atomic {
    /// Returns an atomic on the word at heap offset `at`; `None` if the word is not aligned to its size.
    pub fn new(op: AmoOp, of: AmoType, at: u64, operand: u64, compare: u64) -> Option<Self> {
        let (bytes, mask) = match of {
            AmoType::B64 | AmoType::F64 => (8, u64::MAX),
            AmoType::B32 | AmoType::F32 => (4, u32::MAX as u64),
            AmoType::F16 => (2, u16::MAX as u64),
        };
        let shift = 8 * (at % 8) as u32;
        let (operand, compare) = (operand & mask, compare & mask);
        at.is_multiple_of(bytes).then_some(Self { op, of, operand, compare, shift, mask })
    }

    /// Returns the one native 8-byte atomic of a NIC that performs this; `None` if a compare-and-swap loop is needed.
    /// [`word`](Self::word) of the fetched value is the word's previous value.
    #[must_use]
    pub fn once(&self) -> Option<NicAtomic> {
        match (self.op, self.of) {
            (AmoOp::Fetch, _) => Some(NicAtomic::FetchAdd { add: 0 }),
            (AmoOp::Add, AmoType::B64) => Some(NicAtomic::FetchAdd { add: self.operand }),
            // The carry out of the upper half is lost, as it should be. A carry out of the lower half would change the
            // upper half, so only a word in the upper half can be added to.
            (AmoOp::Add, AmoType::B32) if self.shift == 32 => Some(NicAtomic::FetchAdd { add: self.operand << 32 }),
            (AmoOp::CompareSwap, AmoType::B64) => {
                Some(NicAtomic::CompareSwap { compare: self.compare, swap: self.operand })
            }
            _ => None,
        }
    }

    /// Extracts the word from the 8 bytes around it.
    pub fn word(&self, whole: u64) -> u64 {
        whole >> self.shift & self.mask
    }

    /// Returns the guess at the 8 bytes for the next compare-and-swap: `seen`, with the program's comparand as the word
    /// if the atomic is a compare-and-swap itself.
    pub fn guess(&self, seen: u64) -> u64 {
        if self.op == AmoOp::CompareSwap { self.with(seen, self.compare) } else { seen }
    }

    /// Returns the compare-and-swap that performs the atomic if the 8 bytes equal `guess`.
    pub fn swap(&self, guess: u64) -> NicAtomic {
        let old = self.word(guess);
        let new = match self.op {
            AmoOp::Fetch => old,
            AmoOp::Set | AmoOp::CompareSwap => self.operand,
            AmoOp::And => old & self.operand,
            AmoOp::Or => old | self.operand,
            AmoOp::Xor => old ^ self.operand,
            AmoOp::Add => sum(self.of, old, self.operand),
        };
        NicAtomic::CompareSwap { compare: guess, swap: self.with(guess, new) }
    }

    /// Returns the outcome of [`swap`](Self::swap) with this guess, which fetched `found`.
    pub fn swapped(&self, guess: u64, found: u64) -> Swapped {
        let other = self.op == AmoOp::CompareSwap && self.word(found) != self.compare;
        if found == guess || other { Swapped::Done(self.word(found)) } else { Swapped::Again }
    }

    fn with(&self, whole: u64, word: u64) -> u64 {
        whole & !(self.mask << self.shift) | (word & self.mask) << self.shift
    }
}

/// Returns the sum of two values of the type, as bits.
fn sum(of: AmoType, a: u64, b: u64) -> u64 {
    match of {
        AmoType::B32 | AmoType::B64 => a.wrapping_add(b),
        AmoType::F16 => {
            let [a, b] = [a, b].map(|bits| F16::from_bits(bits as u16).to_f32());
            F16::from_f32(a + b).to_bits() as u64
        }
        AmoType::F32 => (f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits() as u64,
        AmoType::F64 => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies the atomic to `memory` as a NIC would, starting with `guess`, and returns the word's previous value.
    fn apply(atomic: Atomic, memory: &mut u64, mut guess: u64) -> u64 {
        loop {
            let op = atomic.once().unwrap_or_else(|| {
                guess = atomic.guess(guess);
                atomic.swap(guess)
            });
            let found = *memory;
            match op {
                NicAtomic::FetchAdd { add } => *memory = found.wrapping_add(add),
                NicAtomic::CompareSwap { compare, swap } if found == compare => *memory = swap,
                _ => {}
            }
            if atomic.once().is_some() {
                return atomic.word(found);
            }
            match atomic.swapped(guess, found) {
                Swapped::Done(word) => return word,
                Swapped::Again => guess = found,
            }
        }
    }

    #[test]
    fn each_operation_changes_its_own_bits_and_no_others_whatever_was_guessed() {
        use AmoOp::*;
        let start = 0xffff_fffe_8000_0001_u64;
        for (of, at, expected) in [
            (AmoType::B64, 0, [start, 7, start, start.wrapping_add(7), start & 7, start | 7, start ^ 7]),
            (
                AmoType::B32,
                0,
                [start, 0xffff_fffe_0000_0007, start, start + 7, 0xffff_fffe_0000_0001, start | 7, start ^ 7],
            ),
            (
                AmoType::B32,
                4,
                [
                    start,
                    0x0000_0007_8000_0001,
                    start,
                    0x0000_0005_8000_0001,
                    0x0000_0006_8000_0001,
                    0xffff_ffff_8000_0001,
                    0xffff_fff9_8000_0001,
                ],
            ),
        ] {
            for (op, expected) in [Fetch, Set, CompareSwap, Add, And, Or, Xor].into_iter().zip(expected) {
                for guess in [0, start, u64::MAX] {
                    let mut memory = start;
                    // The comparand never equals the word.
                    let atomic = Atomic::new(op, of, at, 7, 3).unwrap();
                    let old = apply(atomic, &mut memory, guess);
                    assert_eq!((memory, old), (expected, atomic.word(start)), "{op:?} {of:?} at {at}");
                }
            }
        }
    }

    #[test]
    fn a_swap_whose_comparand_is_there_is_done_beside_bits_that_were_not_expected() {
        for guess in [0, u64::MAX, 0x1111_2222_0000_0003] {
            let mut memory = 0x5555_6666_0000_0003;
            let atomic = Atomic::new(AmoOp::CompareSwap, AmoType::B32, 0, 9, 3).unwrap();
            assert_eq!((apply(atomic, &mut memory, guess), memory), (3, 0x5555_6666_0000_0009));
        }
    }

    #[test]
    fn floats_are_added_as_floats() {
        let add = |of, at, memory: &mut u64, operand| {
            apply(Atomic::new(AmoOp::Add, of, at, operand, 0).unwrap(), memory, 0);
        };
        let mut memory = 1.5f64.to_bits();
        add(AmoType::F64, 8, &mut memory, 2.25f64.to_bits());
        assert_eq!(f64::from_bits(memory), 3.75);
        let mut memory = (1.5f32.to_bits() as u64) << 32 | 0xdead_beef;
        add(AmoType::F32, 4, &mut memory, 2.0f32.to_bits() as u64);
        assert_eq!((f32::from_bits((memory >> 32) as u32), memory as u32), (3.5, 0xdead_beef));
        let mut memory = (F16::from_f32(1.5).to_bits() as u64) << 16 | 0xaaaa_bbbb_0000_cccc;
        add(AmoType::F16, 2, &mut memory, F16::from_f32(1.0).to_bits() as u64);
        assert_eq!(memory, (F16::from_f32(2.5).to_bits() as u64) << 16 | 0xaaaa_bbbb_0000_cccc);
    }

    #[test]
    fn a_word_that_is_not_aligned_is_refused() {
        assert_eq!(Atomic::new(AmoOp::Add, AmoType::B64, 4, 1, 0), None);
        assert_eq!(Atomic::new(AmoOp::Add, AmoType::B32, 2, 1, 0), None);
        assert!(Atomic::new(AmoOp::Add, AmoType::F16, 6, 1, 0).is_some());
    }
}

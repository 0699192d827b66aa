//! The effects of atomics.

/// The effect of an atomic on its word of 4 or 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// If the bits of `compare_mask` equal `compare`'s, replaces the bits of `swap_mask` by those of `swap`.
    CompareSwap {
        /// Length of the word.
        bytes: u8,
        /// New bits.
        swap: u64,
        /// Bits to compare.
        compare: u64,
        /// Bits to replace.
        swap_mask: u64,
        /// Bits to compare.
        compare_mask: u64,
    },
    /// Adds fields that end at the set bits of `boundary`; no carry leaves a field.
    FetchAdd {
        /// Length of the word.
        bytes: u8,
        /// The addend.
        add: u64,
        /// The highest bit of each field.
        boundary: u64,
    },
}

impl Atomic {
    /// Returns the length of its word in bytes.
    pub fn bytes(self) -> u8 {
        match self {
            Atomic::CompareSwap { bytes, .. } | Atomic::FetchAdd { bytes, .. } => bytes,
        }
    }

    /// Returns the new value of the word; `None` if it does not change.
    pub fn apply(self, was: u64) -> Option<u64> {
        match self {
            Atomic::CompareSwap { swap, compare, swap_mask, compare_mask, .. } => {
                ((was ^ compare) & compare_mask == 0).then_some(was & !swap_mask | swap & swap_mask)
            }
            Atomic::FetchAdd { bytes, add, boundary } => {
                let all = if bytes == 4 { u32::MAX.into() } else { u64::MAX };
                if boundary == 0 {
                    return Some(was.wrapping_add(add) & all);
                }
                // Adds the fields without their top bits, so that no carry leaves a field; the top bits are added by
                // themselves, without a carry.
                let low = !boundary;
                Some(((was & low).wrapping_add(add & low) ^ (was ^ add) & boundary) & all)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carries_of_a_masked_addition_stay_in_their_field() {
        let add = |bytes, add, boundary, was| Atomic::FetchAdd { bytes, add, boundary }.apply(was);
        assert_eq!(add(8, 1, 0, u64::MAX), Some(0), "one field, which wraps");
        assert_eq!(add(4, 1, 0, 0xffff_ffff), Some(0), "and is as long as the word");
        assert_eq!(add(8, 0x01_01, 0x80, 0x01_ff), Some(0x02_00), "the lower field wraps, the upper adds its own");
        assert_eq!(add(8, 1 << 31 | 1, 1 << 31, u64::from(u32::MAX)), Some(1 << 31), "two halves");
        assert_eq!(add(8, 0b1100, u64::MAX, 0b1010), Some(0b0110), "fields of one bit: exclusive or");
    }

    #[test]
    fn a_masked_comparison_looks_at_its_bits_and_changes_its_bits_alone() {
        let swap = |compare, compare_mask, swap, swap_mask| Atomic::CompareSwap {
            bytes: 8,
            swap,
            compare,
            swap_mask,
            compare_mask,
        };
        assert_eq!(swap(0xff07, 0xff, 0x3300, 0xff00).apply(0x1207), Some(0x3307));
        assert_eq!(swap(0xff07, 0xff, 0x3300, 0xff00).apply(0x1208), None);
        assert_eq!(swap(0, 0, 5, u64::MAX).apply(77), Some(5), "no comparison: a swap");
    }
}

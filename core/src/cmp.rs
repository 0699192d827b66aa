//! Comparisons of the wait and test family.

use crate::Element;

/// A comparison of a word in memory (left) with a value (right).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cmp {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Greater than.
    Gt,
    /// Less than or equal to.
    Le,
    /// Less than.
    Lt,
    /// Greater than or equal to.
    Ge,
}

impl Cmp {
    /// Reports whether the comparison of `word` with `value` holds, in `T`'s own order (signed types compare signed).
    #[inline(always)]
    pub fn holds<T: Waitable>(self, word: T, value: T) -> bool {
        match self {
            Cmp::Eq => word == value,
            Cmp::Ne => word != value,
            Cmp::Gt => word > value,
            Cmp::Le => word <= value,
            Cmp::Lt => word < value,
            Cmp::Ge => word >= value,
        }
    }
}

/// Returns the index at which call `turn` over `count` words begins to look for one that satisfies its comparison.
///
/// The fractions of the multiples of the golden ratio are spread evenly, also those of every n-th multiple. So each word
/// comes first equally often for a caller alone and for each of several callers that take their turns from one counter,
/// and no satisfied word is passed over for ever.
#[inline(always)]
pub const fn first_of_any(turn: u64, count: usize) -> usize {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    // 32 bits of the fraction are enough; with 2^32 words and more, any index below will do.
    ((turn.wrapping_mul(GOLDEN) >> 32).wrapping_mul(count as u64) >> 32) as usize
}

/// Types of words that a kernel may wait on: the integers of 16 to 64 bits.
pub trait Waitable: Element + PartialOrd {}

macro_rules! waitable {
    ($($t:ty)*) => { $(impl Waitable for $t {})* };
}
waitable!(i16 u16 i32 u32 i64 u64 isize usize);

#[cfg(test)]
mod tests {
    use super::Cmp::*;
    use super::first_of_any;

    #[test]
    fn each_word_comes_first_soon_for_each_of_several_callers_in_turn() {
        for (callers, count) in [(1, 1), (1, 2), (1, 64), (2, 2), (3, 3), (32, 4), (1024, 64), (1000, 10)] {
            for caller in 0..callers {
                let mut was_first = std::vec![false; count];
                for round in 0..16 * count as u64 {
                    was_first[first_of_any(round * callers + caller, count)] = true;
                }
                assert!(was_first.iter().all(|was| *was), "{callers} callers, {count} words: {was_first:?}");
            }
        }
        assert_eq!(first_of_any(7, 0), 0);
        assert!((0..100).all(|turn| first_of_any(turn, 1 << 40) < 1 << 40));
    }

    #[test]
    fn signed_words_compare_signed_and_unsigned_words_unsigned() {
        assert!(Lt.holds(-1i32, 0) && !Lt.holds(u32::MAX, 0));
        assert!(Ge.holds(0i16, -1) && !Ge.holds(0u16, u16::MAX));
    }

    #[test]
    fn each_comparison_and_its_opposite_never_agree() {
        for (a, b) in [(1u64, 1), (1, 2), (2, 1), (u64::MAX, 0)] {
            assert_ne!(Eq.holds(a, b), Ne.holds(a, b));
            assert_ne!(Gt.holds(a, b), Le.holds(a, b));
            assert_ne!(Lt.holds(a, b), Ge.holds(a, b));
        }
    }
}

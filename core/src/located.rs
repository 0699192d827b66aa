//! Values with their indices, for reductions that find where the largest value is.

use crate::Element;

/// A value and its index, as a reduction by [`max`](Self::max) takes them. In memory it is two words of 8 bytes: the
/// value's bits, zero-extended, and the index's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Located<T, I = u64> {
    /// The value.
    pub value: T,
    /// The index.
    pub index: I,
}

impl<T: Element + PartialOrd, I: Element + PartialOrd> Located<T, I> {
    /// Number of words of a value with its index.
    pub const WORDS: usize = 2;

    /// Returns a value with its index.
    #[inline(always)]
    pub const fn new(value: T, index: I) -> Self {
        Self { value, index }
    }

    /// Returns the words in memory.
    #[inline(always)]
    pub fn to_words(self) -> [u64; 2] {
        [self.value.to_bits64(), self.index.to_bits64()]
    }

    /// Returns the value and the index with these words in memory.
    #[inline(always)]
    pub fn from_words(words: [u64; 2]) -> Self {
        Self { value: T::from_bits64(words[0]), index: I::from_bits64(words[1]) }
    }

    /// Returns the operand with the larger value; of equal values, the one with the smaller index. Of a NaN and a
    /// number it is the number.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        let (mine, theirs) = (is_nan(self.value), is_nan(other.value));
        let tied = self.value == other.value || mine && theirs;
        let wins = if tied { other.index < self.index } else { other.value > self.value || mine && !theirs };
        if wins { other } else { self }
    }
}

#[inline(always)]
fn is_nan<T: PartialOrd>(value: T) -> bool {
    value.partial_cmp(&value).is_none()
}

/// A type whose largest value the collectives of streams and of the host find.
pub trait Comparable: Element + PartialOrd {
    /// The type as a value.
    const TYPE: ComparableType;
}

/// The types that are [`Comparable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComparableType {
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

macro_rules! comparable {
    ($($t:ident $of:ident)*) => { $( impl Comparable for $t { const TYPE: ComparableType = ComparableType::$of; } )* };
}
comparable!(i32 I32 i64 I64 f32 F32 f64 F64);

#[cfg(test)]
mod tests {
    use super::*;

    fn at<T: Element + PartialOrd>(value: T, index: u64) -> Located<T> {
        Located::new(value, index)
    }

    #[test]
    fn the_larger_value_wins_and_of_equal_ones_the_smaller_index() {
        assert_eq!(at(3, 9).max(at(-4, 1)), at(3, 9));
        assert_eq!(at(-4i64, 9).max(at(3, 1)), at(3, 1));
        for (a, b) in [(7, 2), (2, 7)] {
            assert_eq!(at(1.5f32, a).max(at(1.5, b)), at(1.5, 2));
            assert_eq!(at(0.0f64, a).max(at(-0.0, b)).index, 2, "zeros of both signs are equal");
        }
        assert_eq!(Located::new(2.0f64, 5.0f64).max(Located::new(2.0, 4.0)), Located::new(2.0, 4.0));
    }

    #[test]
    fn a_number_wins_over_nan_and_of_two_nans_the_smaller_index() {
        assert_eq!(at(f32::NAN, 1).max(at(f32::MIN, 2)), at(f32::MIN, 2));
        assert_eq!(at(f64::MIN, 2).max(at(f64::NAN, 1)), at(f64::MIN, 2));
        assert_eq!(at(f64::NAN, 4).max(at(f64::NAN, 3)).index, 3);
    }

    #[test]
    fn words_round_trip() {
        let one = at(-7i32, u64::MAX);
        assert_eq!((one.to_words(), Located::from_words(one.to_words())), ([0xffff_fff9, u64::MAX], one));
    }
}

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

/// Types of words that a kernel may wait on: the integers of 16 to 64 bits.
pub trait Waitable: Element + PartialOrd {}

macro_rules! waitable {
    ($($t:ty)*) => { $(impl Waitable for $t {})* };
}
waitable!(i16 u16 i32 u32 i64 u64 isize usize);

#[cfg(test)]
mod tests {
    use super::Cmp::*;

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

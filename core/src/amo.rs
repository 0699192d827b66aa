//! Atomic memory operations.

use crate::{Element, F16};

/// The effect of an atomic on the word at the target. Each has a fetching form, which returns the previous value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmoOp {
    /// Reads the word.
    Fetch,
    /// Replaces the word.
    Set,
    /// Replaces the word if it equals the compare operand.
    CompareSwap,
    /// Adds, wrapping for integers.
    Add,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// The type of the word at the target. An atomic is as wide as its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmoType {
    /// 32-bit integer. Two's complement makes signed and unsigned the same.
    B32,
    /// 64-bit integer.
    B64,
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl AmoType {
    /// Returns the word's size in bytes.
    #[inline(always)]
    pub const fn bytes(self) -> usize {
        match self {
            AmoType::F16 => 2,
            AmoType::B32 | AmoType::F32 => 4,
            AmoType::B64 | AmoType::F64 => 8,
        }
    }
}

/// Words that can be fetched, set and swapped: NVSHMEM's "extended" atomic types.
pub trait AtomicWord: Element {
    /// The word's type at the target.
    const AMO: AmoType;
}

/// Words with every integer atomic: inc, add, compare-and-swap, and, or, xor, and their fetching forms.
///
/// NVSHMEM excludes `size` and `ptrdiff` from the bitwise ones; here they have all of them.
pub trait AtomicInt: AtomicWord {
    /// One, for the increment.
    const ONE: Self;
}

/// Words that support addition: the integers, and half, float and double.
pub trait AtomicAdd: Element {
    /// The word's type at the target.
    const ADD: AmoType;
}

macro_rules! atomic_ints {
    ($($t:ident $amo:ident;)*) => { $(
        impl AtomicWord for $t { const AMO: AmoType = AmoType::$amo; }
        impl AtomicInt for $t { const ONE: Self = 1; }
        impl AtomicAdd for $t { const ADD: AmoType = AmoType::$amo; }
    )* };
}
atomic_ints! { i32 B32; u32 B32; i64 B64; u64 B64; isize B64; usize B64; }

impl AtomicWord for f32 {
    const AMO: AmoType = AmoType::B32;
}
impl AtomicWord for f64 {
    const AMO: AmoType = AmoType::B64;
}
impl AtomicAdd for F16 {
    const ADD: AmoType = AmoType::F16;
}
impl AtomicAdd for f32 {
    const ADD: AmoType = AmoType::F32;
}
impl AtomicAdd for f64 {
    const ADD: AmoType = AmoType::F64;
}

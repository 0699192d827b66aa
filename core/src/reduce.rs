//! The operations of reductions.

use core::hint::select_unpredictable;

use crate::{Bf16, Call, E4m3, E5m2, Element, F16};

/// A type with arithmetic, and the type in which reductions compute it.
///
/// 8-bit and 16-bit floating point values are computed as `f32` and rounded once, after the last operand.
pub trait Number: Element {
    /// The number of values that 8 bytes of elements are combined as.
    const LANES: usize = 8 / Self::WIDTH.bytes();
    /// The type in which reductions compute.
    type Wide: Copy;
    /// Widens a value, exactly.
    fn widen(self) -> Self::Wide;
    /// Rounds a result.
    fn narrow(wide: Self::Wide) -> Self;
    /// Returns the sum; integers wrap.
    fn sum(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// Returns the product; integers wrap.
    fn prod(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// Returns the smaller value; of a NaN and a number, the number.
    fn min(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// Returns the larger value; of a NaN and a number, the number.
    fn max(a: Self::Wide, b: Self::Wide) -> Self::Wide;
}

macro_rules! integers {
    ($($t:ident)*) => { $(
        impl Number for $t {
            type Wide = Self;
            #[inline(always)]
            fn widen(self) -> Self { self }
            #[inline(always)]
            fn narrow(wide: Self) -> Self { wide }
            #[inline(always)]
            fn sum(a: Self, b: Self) -> Self { a.wrapping_add(b) }
            #[inline(always)]
            fn prod(a: Self, b: Self) -> Self { a.wrapping_mul(b) }
            #[inline(always)]
            fn min(a: Self, b: Self) -> Self { if b < a { b } else { a } }
            #[inline(always)]
            fn max(a: Self, b: Self) -> Self { if b > a { b } else { a } }
        }
    )* };
}
integers! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }

macro_rules! floats {
    ($($t:ident as $wide:ident: $widen:expr, $narrow:expr;)*) => { $(
        impl Number for $t {
            type Wide = $wide;
            #[inline(always)]
            fn widen(self) -> $wide { $widen(self) }
            #[inline(always)]
            fn narrow(wide: $wide) -> Self { $narrow(wide) }
            #[inline(always)]
            fn sum(a: $wide, b: $wide) -> $wide { a + b }
            #[inline(always)]
            fn prod(a: $wide, b: $wide) -> $wide { a * b }
            #[inline(always)]
            fn min(a: $wide, b: $wide) -> $wide { if b < a || a.is_nan() { b } else { a } }
            #[inline(always)]
            fn max(a: $wide, b: $wide) -> $wide { if b > a || a.is_nan() { b } else { a } }
        }
    )* };
}
floats! {
    f32 as f32: core::convert::identity, core::convert::identity;
    f64 as f64: core::convert::identity, core::convert::identity;
    F16 as f32: F16::to_f32, F16::from_f32;
    Bf16 as f32: Bf16::to_f32, Bf16::from_f32;
    E4m3 as f32: E4m3::to_f32, E4m3::from_f32;
    E5m2 as f32: E5m2::to_f32, E5m2::from_f32;
}

/// A type that the collectives of streams and of the host reduce.
pub trait Reducible: Number {
    /// The kernels' type for it: types with the same values have one.
    const TYPE: NumberType;
}

/// The types of the kernels that reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NumberType {
    /// `i8`.
    I8,
    /// `u8`.
    U8,
    /// `i16`.
    I16,
    /// `u16`.
    U16,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `i64`, and `isize`.
    I64,
    /// `u64`, and `usize`.
    U64,
    /// [`E4m3`].
    E4m3,
    /// [`E5m2`].
    E5m2,
    /// [`F16`].
    F16,
    /// [`Bf16`].
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

macro_rules! reducible {
    ($($t:ident $of:ident;)*) => { $( impl Reducible for $t { const TYPE: NumberType = NumberType::$of; } )* };
}
reducible! {
    i8 I8; u8 U8; i16 I16; u16 U16; i32 I32; u32 U32; i64 I64; u64 U64; isize I64; usize U64;
    E4m3 E4m3; E5m2 E5m2; F16 F16; Bf16 Bf16; f32 F32; f64 F64;
}

/// A type on whose bits reductions operate.
pub trait Bits: Number<Wide = Self> {
    /// Returns the bitwise and.
    fn and(a: Self, b: Self) -> Self;
    /// Returns the bitwise or.
    fn or(a: Self, b: Self) -> Self;
    /// Returns the bitwise exclusive or.
    fn xor(a: Self, b: Self) -> Self;
}

macro_rules! bits {
    ($($t:ident)*) => { $(
        impl Bits for $t {
            #[inline(always)]
            fn and(a: Self, b: Self) -> Self { a & b }
            #[inline(always)]
            fn or(a: Self, b: Self) -> Self { a | b }
            #[inline(always)]
            fn xor(a: Self, b: Self) -> Self { a ^ b }
        }
    )* };
}
bits! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }

/// The operation of a reduction over elements of type `T`.
///
/// Operands are combined in the order of the team's members, so that every member, algorithm and run computes the same
/// bits. A program may define its own operation; a wrong one gives wrong results and nothing worse.
pub trait ReduceOp<T: Number>: Copy {
    /// Combines two operands.
    fn combine(self, a: T::Wide, b: T::Wide) -> T::Wide;
    /// Reports whether this is the sum. An operation that is chosen while the program runs computes every result of
    /// each pair of operands. The sum, the most frequent operation, therefore has loops of its own.
    #[inline(always)]
    fn is_sum(self) -> bool {
        false
    }
    /// Returns the operation's number, by which builds that check compare the calls of members. An operation of the
    /// program may keep the default.
    #[inline(always)]
    fn number(self) -> u8 {
        Call::OTHER_OP
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident $bound:ident $call:ident $code:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $name;
            impl<T: $bound> ReduceOp<T> for $name {
                #[inline(always)]
                fn combine(self, a: T::Wide, b: T::Wide) -> T::Wide { T::$call(a, b) }
                #[inline(always)]
                fn number(self) -> u8 { $code }
            }
            impl From<$name> for AnyOp {
                fn from(_: $name) -> Self { Self::$name }
            }
        )*

        /// An operation that is chosen while the program runs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum AnyOp {
            $($(#[$doc])* $name = $code,)*
        }

        impl AnyOp {
            /// Returns the operation with this number.
            #[inline(always)]
            pub const fn from_raw(raw: u32) -> Option<Self> {
                match raw {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}
ops! {
    /// The sum; integers wrap.
    Sum Number sum 0;
    /// The product; integers wrap.
    Prod Number prod 1;
    /// The smallest value.
    Min Number min 2;
    /// The largest value.
    Max Number max 3;
    /// The bitwise and of integers.
    And Bits and 4;
    /// The bitwise or of integers.
    Or Bits or 5;
    /// The bitwise exclusive or of integers.
    Xor Bits xor 6;
}

/// An operation of numbers that is chosen while the program runs; bitwise operations are the sum.
#[derive(Clone, Copy, Debug)]
pub struct NumberOp(pub AnyOp);

impl<T: Number> ReduceOp<T> for NumberOp {
    #[inline(always)]
    fn combine(self, a: T::Wide, b: T::Wide) -> T::Wide {
        // Every result is computed and one is selected: branches for each element take longer.
        let op = self.0;
        let chosen = select_unpredictable(op == AnyOp::Prod, T::prod(a, b), T::sum(a, b));
        let chosen = select_unpredictable(op == AnyOp::Min, T::min(a, b), chosen);
        select_unpredictable(op == AnyOp::Max, T::max(a, b), chosen)
    }

    #[inline(always)]
    fn is_sum(self) -> bool {
        !matches!(self.0, AnyOp::Prod | AnyOp::Min | AnyOp::Max)
    }

    #[inline(always)]
    fn number(self) -> u8 {
        self.0 as u8
    }
}

impl<T: Bits> ReduceOp<T> for AnyOp {
    #[inline(always)]
    fn combine(self, a: T, b: T) -> T {
        let chosen = ReduceOp::<T>::combine(NumberOp(self), a, b);
        let chosen = select_unpredictable(self == Self::And, T::and(a, b), chosen);
        let chosen = select_unpredictable(self == Self::Or, T::or(a, b), chosen);
        select_unpredictable(self == Self::Xor, T::xor(a, b), chosen)
    }

    #[inline(always)]
    fn is_sum(self) -> bool {
        self == Self::Sum
    }

    #[inline(always)]
    fn number(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_floats_are_summed_as_f32() {
        let (one, tiny) = (Bf16::from_f32(256.0), Bf16::from_f32(1.0));
        let sum = (0..2).fold(one.widen(), |sum, _| <Sum as ReduceOp<Bf16>>::combine(Sum, sum, tiny.widen()));
        assert_eq!(Bf16::narrow(sum).to_f32(), 258.0, "each step would have rounded to 256");
    }

    #[test]
    fn integers_wrap_and_a_number_wins_over_nan() {
        assert_eq!(<Sum as ReduceOp<u8>>::combine(Sum, 200, 100), 44);
        assert_eq!(<Min as ReduceOp<i8>>::combine(Min, -1, 1), -1);
        assert_eq!(<Max as ReduceOp<f32>>::combine(Max, f32::NAN, 1.0), 1.0);
        assert_eq!(<Max as ReduceOp<f32>>::combine(Max, 1.0, f32::NAN), 1.0);
    }

    #[test]
    fn the_smaller_and_the_larger_float_are_those_of_the_order_of_reals_and_a_nan_loses_on_either_side() {
        // The rule as cases of real numbers, apart from the comparisons of the implementation.
        fn expected(a: f64, b: f64, larger: bool) -> f64 {
            match (a.is_nan(), b.is_nan()) {
                (true, _) => b,
                (_, true) => a,
                _ if a == b => a,
                _ => {
                    if (a - b > 0.0) == larger {
                        a
                    } else {
                        b
                    }
                }
            }
        }
        fn of<T: Number>(value: impl Fn(f64) -> T, real: impl Fn(T) -> f64) {
            let values = [f64::NAN, -448.0, -1.5, 0.0, 0.5, 2.0, 256.0].map(value);
            for (a, b) in values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))) {
                for (larger, op) in [(false, AnyOp::Min), (true, AnyOp::Max)] {
                    let (a_wide, b_wide) = (a.widen(), b.widen());
                    let named = if larger { T::max(a_wide, b_wide) } else { T::min(a_wide, b_wide) };
                    let late = <NumberOp as ReduceOp<T>>::combine(NumberOp(op), a.widen(), b.widen());
                    for got in [named, late].map(|wide| real(T::narrow(wide))) {
                        let wanted = expected(real(a), real(b), larger);
                        let is_same = got == wanted || got.is_nan() && wanted.is_nan();
                        assert!(is_same, "{op:?} of {} {} and {}: {got}", T::NAME, real(a), real(b));
                    }
                }
            }
        }
        of(|real| real as f32, f64::from);
        of(|real| real, |value| value);
        of(|real| F16::from_f32(real as f32), |value| value.to_f32().into());
        of(|real| Bf16::from_f32(real as f32), |value| value.to_f32().into());
        of(|real| E4m3::from_f32(real as f32), |value| value.to_f32().into());
        of(|real| E5m2::from_f32(real as f32), |value| value.to_f32().into());
    }

    #[test]
    fn an_operation_chosen_late_is_the_same_operation() {
        for raw in 0..8 {
            let Some(op) = AnyOp::from_raw(raw) else { continue };
            let expected = [17u16, 60, 5, 12, 4, 13, 9][raw as usize];
            assert_eq!(ReduceOp::<u16>::combine(op, 12, 5), expected, "{op:?}");
        }
    }
}

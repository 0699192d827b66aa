//! Elements of a type that is chosen while the program runs, as many as 8 bytes have.
//!
//! One function reduces all types in place of one for each: the code is a fraction, and takes a call for each 8 bytes.

use crate::element::sealed::Sealed;
use crate::{AnyOp, Bf16, Element, F16, Number, ReduceOp, Width};

/// Eight bytes of elements, whose type the operation knows. Memory of them is counted in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed(u64);

/// The type of packed elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PackedType {
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// [`F16`], computed as `f32`.
    F16,
    /// [`Bf16`], computed as `f32`.
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

/// A running reduction of packed elements.
#[derive(Clone, Copy, Debug)]
pub struct PackedSum {
    low: u64,
    /// The third and fourth value of 16-bit floats, which are wider than their elements.
    high: u64,
    /// The type of 16-bit floats that have been widened.
    widened: Option<PackedType>,
}

/// An operation on packed elements.
#[derive(Clone, Copy, Debug)]
pub struct PackedOp {
    /// The type of the elements.
    pub of: PackedType,
    /// The operation; on floating point numbers bitwise operations are the sum.
    pub op: AnyOp,
}

impl Sealed for Packed {}
impl Element for Packed {
    const NAME: &'static str = "packed";
    const WIDTH: Width = Width::B1;
    #[inline(always)]
    fn to_bits64(self) -> u64 {
        self.0
    }
    #[inline(always)]
    fn from_bits64(bits: u64) -> Self {
        Self(bits)
    }
}

impl Number for Packed {
    const LANES: usize = 1;
    type Wide = PackedSum;

    #[inline(always)]
    fn widen(self) -> PackedSum {
        PackedSum { low: self.0, high: 0, widened: None }
    }

    #[inline(always)]
    fn narrow(wide: PackedSum) -> Self {
        Self(wide.widened.map_or(wide.low, |of| narrowed(of, wide.low, wide.high)))
    }

    // A sum without a type is that of bytes. Reductions use a `PackedOp`.
    #[inline(always)]
    fn sum(a: PackedSum, b: PackedSum) -> PackedSum {
        PackedOp { of: PackedType::U8, op: AnyOp::Sum }.combine(a, b)
    }
    #[inline(always)]
    fn prod(a: PackedSum, b: PackedSum) -> PackedSum {
        PackedOp { of: PackedType::U8, op: AnyOp::Prod }.combine(a, b)
    }
    #[inline(always)]
    fn min(a: PackedSum, b: PackedSum) -> PackedSum {
        PackedOp { of: PackedType::U8, op: AnyOp::Min }.combine(a, b)
    }
    #[inline(always)]
    fn max(a: PackedSum, b: PackedSum) -> PackedSum {
        PackedOp { of: PackedType::U8, op: AnyOp::Max }.combine(a, b)
    }
}

impl ReduceOp<Packed> for PackedOp {
    #[inline(always)]
    fn combine(self, a: PackedSum, b: PackedSum) -> PackedSum {
        let is_half = matches!(self.of, PackedType::F16 | PackedType::Bf16);
        let (low, high) = match (is_half, a.widened) {
            (true, None) => widened(self.of, a.low),
            _ => (a.low, a.high),
        };
        let (low, high) = combined(self.of, self.op, (low, high), b.low);
        PackedSum { low, high, widened: is_half.then_some(self.of) }
    }

    #[inline(always)]
    fn number(self) -> u8 {
        self.op as u8
    }
}

/// Returns two `f32` as the halves of a word.
#[inline(always)]
fn pair(low: f32, high: f32) -> u64 {
    low.to_bits() as u64 | (high.to_bits() as u64) << 32
}

/// Returns both halves of a word.
#[inline(always)]
fn halves(word: u64) -> (f32, f32) {
    (f32::from_bits(word as u32), f32::from_bits((word >> 32) as u32))
}

/// Widens four 16-bit floats.
#[inline(never)]
fn widened(of: PackedType, unit: u64) -> (u64, u64) {
    let lane = |lane: u32| {
        let bits = (unit >> (16 * lane)) as u16;
        if of == PackedType::F16 { F16::from_bits(bits).to_f32() } else { Bf16::from_bits(bits).to_f32() }
    };
    (pair(lane(0), lane(1)), pair(lane(2), lane(3)))
}

/// Rounds four values to 16-bit floats.
#[inline(never)]
fn narrowed(of: PackedType, low: u64, high: u64) -> u64 {
    let bits = |value: f32| {
        let rounded =
            if of == PackedType::F16 { F16::from_f32(value).to_bits() } else { Bf16::from_f32(value).to_bits() };
        rounded as u64
    };
    let ((a, b), (c, d)) = (halves(low), halves(high));
    bits(a) | bits(b) << 16 | bits(c) << 32 | bits(d) << 48
}

/// Combines a running reduction with the next operand.
#[inline(never)]
fn combined(of: PackedType, op: AnyOp, (low, high): (u64, u64), unit: u64) -> (u64, u64) {
    let of_pairs = |a: u64, b: u64| {
        let ((a, b), (c, d)) = (halves(a), halves(b));
        pair(of_numbers::<f32>(op, a, c), of_numbers::<f32>(op, b, d))
    };
    match of {
        PackedType::F16 | PackedType::Bf16 => {
            let (b_low, b_high) = widened(of, unit);
            (of_pairs(low, b_low), of_pairs(high, b_high))
        }
        PackedType::F32 => (of_pairs(low, unit), 0),
        PackedType::F64 => (of_numbers::<f64>(op, f64::from_bits(low), f64::from_bits(unit)).to_bits(), 0),
        PackedType::U8 | PackedType::I8 => (of_integers(of, op, 8, low, unit), 0),
        PackedType::U16 | PackedType::I16 => (of_integers(of, op, 16, low, unit), 0),
        PackedType::U32 | PackedType::I32 => (of_integers(of, op, 32, low, unit), 0),
        PackedType::U64 | PackedType::I64 => (of_integers(of, op, 64, low, unit), 0),
    }
}

/// Combines two floating point numbers.
#[inline(always)]
fn of_numbers<T: Number<Wide = T>>(op: AnyOp, a: T, b: T) -> T {
    match op {
        AnyOp::Prod => T::prod(a, b),
        AnyOp::Min => T::min(a, b),
        AnyOp::Max => T::max(a, b),
        _ => T::sum(a, b),
    }
}

/// Combines the integers of `bits` bits of two words.
#[inline(never)]
fn of_integers(of: PackedType, op: AnyOp, bits: u32, a: u64, b: u64) -> u64 {
    match op {
        AnyOp::And => return a & b,
        AnyOp::Or => return a | b,
        AnyOp::Xor => return a ^ b,
        _ => {}
    }
    let is_signed = matches!(of, PackedType::I8 | PackedType::I16 | PackedType::I32 | PackedType::I64);
    // With its highest bit inverted, a signed number has the order of an unsigned one.
    let turned = if is_signed { 1 << 63 } else { 0 };
    let (mut all, mut at) = (0, 0);
    while at < 64 {
        // At the top of the word a number wraps as in its own width, and has the same order.
        let (x, y) = (a >> at << (64 - bits), b >> at << (64 - bits));
        let y_is_less = y ^ turned < x ^ turned;
        let result = match op {
            AnyOp::Prod => x.wrapping_mul(y >> (64 - bits)),
            AnyOp::Min => {
                if y_is_less {
                    y
                } else {
                    x
                }
            }
            AnyOp::Max => {
                if y_is_less {
                    x
                } else {
                    y
                }
            }
            _ => x.wrapping_add(y),
        };
        all |= result >> (64 - bits) << at;
        at += bits;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NumberOp;

    /// Reduces three units as packed elements, in their order.
    fn packed(of: PackedType, op: AnyOp, units: [u64; 3]) -> u64 {
        let of_unit = |unit: u64| Packed::from_bits64(unit).widen();
        let op = PackedOp { of, op };
        Packed::narrow(op.combine(op.combine(of_unit(units[0]), of_unit(units[1])), of_unit(units[2]))).to_bits64()
    }

    /// Reduces the same element by element.
    fn one_by_one<T: Number>(op: impl ReduceOp<T>, units: [u64; 3]) -> u64 {
        let (bits, mut all, mut at) = (8 * T::WIDTH.bytes() as u32, 0, 0);
        while at < 64 {
            let [a, b, c] = units.map(|unit| T::from_bits64(unit >> at).widen());
            all |= T::narrow(op.combine(op.combine(a, b), c)).to_bits64() << at;
            at += bits;
        }
        all
    }

    /// Numbers of no pattern.
    fn units(seed: u64) -> [u64; 3] {
        [1, 2, 3].map(|k: u64| (seed * 3 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(seed as u32 % 64))
    }

    #[test]
    fn packed_integers_are_reduced_as_elements_of_their_type() {
        for seed in 0..1000 {
            let units = units(seed);
            for op in (0..7).filter_map(AnyOp::from_raw) {
                macro_rules! each {
                    ($($t:ident $of:ident)*) => {
                        $(assert_eq!(packed(PackedType::$of, op, units), one_by_one::<$t>(op, units), "{op:?} {seed}");)*
                    };
                }
                each!(i8 I8 i16 I16 i32 I32 i64 I64 u8 U8 u16 U16 u32 U32 u64 U64);
            }
        }
    }

    #[test]
    fn packed_floats_have_the_bits_of_elements_of_their_type() {
        // A sum of two NaNs may be either of them.
        fn same<T: Number>(a: u64, b: u64, is_nan: impl Fn(u64) -> bool) -> bool {
            let mask = u64::MAX >> (64 - 8 * T::WIDTH.bytes());
            (0..8 / T::WIDTH.bytes()).all(|lane| {
                let [a, b] = [a, b].map(|unit| unit >> (8 * T::WIDTH.bytes() * lane) & mask);
                a == b || is_nan(a) && is_nan(b)
            })
        }
        for seed in 0..1000 {
            let units = units(seed);
            for op in (0..4).filter_map(AnyOp::from_raw) {
                macro_rules! each {
                    ($($t:ident $of:ident: $is_nan:expr;)*) => { $(
                        let (got, expected) = (packed(PackedType::$of, op, units), one_by_one::<$t>(NumberOp(op), units));
                        assert!(same::<$t>(got, expected, $is_nan), "{op:?} of {units:x?}: {got:x}, not {expected:x}");
                    )* };
                }
                each! {
                    F16 F16: |bits| F16::from_bits(bits as u16).to_f32().is_nan();
                    Bf16 Bf16: |bits| Bf16::from_bits(bits as u16).to_f32().is_nan();
                    f32 F32: |bits| f32::from_bits(bits as u32).is_nan();
                    f64 F64: |bits| f64::from_bits(bits).is_nan();
                }
            }
        }
    }

    #[test]
    fn a_reduction_of_one_operand_is_that_operand() {
        assert_eq!(
            Packed::narrow(Packed::from_bits64(0x0102_0304_0506_0708).widen()).to_bits64(),
            0x0102_0304_0506_0708
        );
    }
}

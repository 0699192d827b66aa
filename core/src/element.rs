//! The types of the elements that operations transfer.

use crate::{Bf16, E4m3, E5m2, F16};

/// Width of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 1 byte.
    B1,
    /// 2 bytes.
    B2,
    /// 4 bytes.
    B4,
    /// 8 bytes.
    B8,
}

impl Width {
    /// Returns the width in bytes.
    #[inline(always)]
    pub const fn bytes(self) -> usize {
        match self {
            Width::B1 => 1,
            Width::B2 => 2,
            Width::B4 => 4,
            Width::B8 => 8,
        }
    }
}

pub(crate) mod sealed {
    /// Seals [`Element`](super::Element): kernels and wire formats know these types and no others.
    pub trait Sealed {}
}

/// A type of NVSHMEM's RMA table, as a Rust type (25 C names, 14 types: [`C_RMA_TYPES`]), or an 8-bit floating point
/// type.
///
/// An element's bits are the value's own, zero-extended to 64.
pub trait Element: Copy + Default + PartialEq + core::fmt::Debug + Send + Sync + sealed::Sealed + 'static {
    /// The type's name in error messages and kernel signatures.
    const NAME: &'static str;
    /// The type's width.
    const WIDTH: Width;
    /// Returns the value's bits.
    fn to_bits64(self) -> u64;
    /// Returns the value with these bits; bits above the width are ignored.
    fn from_bits64(bits: u64) -> Self;
}

macro_rules! integers {
    ($($t:ident $width:ident $unsigned:ident;)*) => { $(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const NAME: &'static str = stringify!($t);
            const WIDTH: Width = Width::$width;
            #[inline(always)]
            fn to_bits64(self) -> u64 { self as $unsigned as u64 }
            #[inline(always)]
            fn from_bits64(bits: u64) -> Self { bits as $t }
        }
    )* };
}
integers! {
    i8 B1 u8; u8 B1 u8; i16 B2 u16; u16 B2 u16; i32 B4 u32; u32 B4 u32; i64 B8 u64; u64 B8 u64;
    isize B8 usize; usize B8 usize;
}

macro_rules! floats {
    ($($t:ident $width:ident $bits:ident;)*) => { $(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const NAME: &'static str = stringify!($t);
            const WIDTH: Width = Width::$width;
            #[inline(always)]
            fn to_bits64(self) -> u64 { self.to_bits() as u64 }
            #[inline(always)]
            fn from_bits64(bits: u64) -> Self { Self::from_bits(bits as $bits) }
        }
    )* };
}
floats! { E4m3 B1 u8; E5m2 B1 u8; F16 B2 u16; Bf16 B2 u16; f32 B4 u32; f64 B8 u64; }

/// The 25 type names of the C interface and the Rust type that serves each, on LP64 Linux.
pub const C_RMA_TYPES: [(&str, &str); 25] = [
    ("bfloat16", Bf16::NAME),
    ("half", F16::NAME),
    ("float", f32::NAME),
    ("double", f64::NAME),
    ("char", i8::NAME),
    ("short", i16::NAME),
    ("schar", i8::NAME),
    ("int", i32::NAME),
    ("long", i64::NAME),
    ("longlong", i64::NAME),
    ("uchar", u8::NAME),
    ("ushort", u16::NAME),
    ("uint", u32::NAME),
    ("ulong", u64::NAME),
    ("ulonglong", u64::NAME),
    ("int8", i8::NAME),
    ("int16", i16::NAME),
    ("int32", i32::NAME),
    ("int64", i64::NAME),
    ("uint8", u8::NAME),
    ("uint16", u16::NAME),
    ("uint32", u32::NAME),
    ("uint64", u64::NAME),
    ("size", usize::NAME),
    ("ptrdiff", isize::NAME),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Element>(value: T) {
        assert_eq!(T::from_bits64(value.to_bits64()), value);
        assert_eq!(T::WIDTH.bytes(), size_of::<T>());
        let above = if T::WIDTH == Width::B8 { 0 } else { u64::MAX << (8 * T::WIDTH.bytes()) };
        assert_eq!(value.to_bits64() & above, 0, "{} is zero-extended", T::NAME);
        assert_eq!(T::from_bits64(value.to_bits64() | above), value, "bits above the width are ignored");
    }

    #[test]
    fn bits_round_trip_and_never_leave_the_width() {
        check(-1i8);
        check(i16::MIN);
        check(-2i32);
        check(i64::MIN);
        check(-3isize);
        check(u8::MAX);
        check(u16::MAX);
        check(u32::MAX);
        check(u64::MAX);
        check(usize::MAX);
        check(-0.5f32);
        check(f64::MIN_POSITIVE);
        check(F16::from_bits(0x8001));
        check(Bf16::from_bits(0xff80));
        check(E4m3::from_bits(0x81));
        check(E5m2::from_bits(0xfb));
    }
}

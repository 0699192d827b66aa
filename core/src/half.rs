//! The two 16-bit floating point types, as bits.

use crate::fp8::encode;

/// IEEE 754 binary16. It is moved and converted; reductions compute it as `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(u16);

/// The upper half of an IEEE 754 binary32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(u16);

impl F16 {
    /// Returns the value with these bits.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Rounds to nearest, ties to even; overflow becomes infinity.
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        let sign = (value.to_bits() >> 16) as u16 & 0x8000;
        let quiet = 0x7e00 | (value.to_bits() >> 13) as u16 & 0x1ff;
        Self(sign | if value.is_nan() { quiet } else { encode(value, 10, 15).min(0x7c00) as u16 })
    }

    /// Returns the same value, exactly.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        let (sign, magnitude) = (((self.0 & 0x8000) as u32) << 16, ((self.0 & 0x7fff) as u32) << 13);
        // The bits become exponent and mantissa of a binary32 with another bias. A product with 2^112 corrects the
        // bias, for subnormal values too. Infinity and NaN need the largest exponent.
        let scaled = (f32::from_bits(magnitude) * f32::from_bits((112 + 127) << 23)).to_bits();
        let special = if magnitude >= 0x7c00 << 13 { 0x7f80_0000 } else { 0 };
        f32::from_bits(scaled | special | sign)
    }
}

impl Bf16 {
    /// Returns the value with these bits.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Rounds to nearest, ties to even.
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
        Self(if value.is_nan() { (bits >> 16) as u16 | 0x40 } else { rounded as u16 })
    }

    /// Returns the same value, exactly.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        f32::from_bits((self.0 as u32) << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bf16, F16};

    #[test]
    fn every_binary16_survives_the_way_through_f32() {
        for bits in 0..=u16::MAX {
            let value = F16::from_bits(bits).to_f32();
            if value.is_nan() {
                assert!(F16::from_f32(value).to_f32().is_nan());
            } else {
                assert_eq!(F16::from_f32(value).to_bits(), bits, "{value}");
            }
        }
    }

    #[test]
    fn binary16_rounds_to_nearest_even_and_overflows_to_infinity() {
        assert_eq!(F16::from_f32(1.0 + 1.0 / 2048.0).to_f32(), 1.0);
        assert_eq!(F16::from_f32(1.0 + 3.0 / 2048.0).to_f32(), 1.0 + 2.0 / 1024.0);
        assert_eq!(F16::from_f32(65504.0).to_bits(), 0x7bff);
        assert_eq!(F16::from_f32(65520.0).to_bits(), 0x7c00);
        assert_eq!(F16::from_f32(2.0f32.powi(-25)).to_bits(), 0, "ties to even zero");
        assert_eq!(F16::from_f32(-2.0f32.powi(-24)).to_bits(), 0x8001);
    }

    #[test]
    fn every_bfloat16_survives_the_way_through_f32() {
        for bits in 0..=u16::MAX {
            let value = Bf16::from_bits(bits).to_f32();
            if !value.is_nan() {
                assert_eq!(Bf16::from_f32(value).to_bits(), bits);
            }
        }
        assert!(Bf16::from_f32(f32::NAN).to_f32().is_nan());
    }
}

//! The two 8-bit floating point types, as bits.

/// Returns the bits, without the sign, of a finite number in the format with this mantissa and bias. Rounds to nearest,
/// ties to even. Beyond the format's range the bits are too large.
///
/// The function has no branch, because kernels convert several numbers at a time.
#[inline(always)]
pub(crate) fn encode(value: f32, mantissa_bits: u32, bias: u32) -> u32 {
    let magnitude = value.to_bits() & 0x7fff_ffff;
    let shift = 23 - mantissa_bits;
    // A carry out of the mantissa increments the exponent, which is the correct rounding.
    let rounded = (magnitude + ((1 << (shift - 1)) - 1) + (magnitude >> shift & 1)) >> shift;
    let normal = rounded.wrapping_sub((127 - bias) << mantissa_bits);
    // `unit` is a number whose last bit is worth the smallest subnormal, so the sum rounds to a multiple of that.
    let unit = f32::from_bits((127 + 23 + 1 - bias - mantissa_bits) << 23);
    let subnormal = (f32::from_bits(magnitude) + unit).to_bits().wrapping_sub(unit.to_bits());
    if magnitude >> 23 > 127 - bias { normal } else { subnormal }
}

#[inline(always)]
fn sign_of(value: f32) -> u8 {
    (value.to_bits() >> 24) as u8 & 0x80
}

#[inline(always)]
fn decode(bits: u8, mantissa_bits: u32, bias: i32) -> f32 {
    let sign = ((bits & 0x80) as u32) << 24;
    // The bits become exponent and mantissa of a binary32 with another bias. A product with a power of two corrects the
    // bias, for subnormal values too.
    let shifted = f32::from_bits(((bits & 0x7f) as u32) << (23 - mantissa_bits));
    f32::from_bits((shifted * f32::from_bits(((254 - bias) as u32) << 23)).to_bits() | sign)
}

/// OCP 8-bit floating point with 4 exponent and 3 mantissa bits: no infinity, one NaN, at most 448.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct E4m3(u8);

impl E4m3 {
    /// Returns the value with these bits.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Rounds to nearest, ties to even. Values beyond the range, and infinity, become the largest finite value.
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        Self(sign_of(value) | if value.is_nan() { 0x7f } else { encode(value, 3, 7).min(0x7e) as u8 })
    }

    /// Returns the same value, exactly.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        if self.0 & 0x7f == 0x7f { f32::NAN } else { decode(self.0, 3, 7) }
    }
}

/// OCP 8-bit floating point with 5 exponent and 2 mantissa bits: at most 57344.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct E5m2(u8);

impl E5m2 {
    /// Returns the value with these bits.
    #[inline(always)]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Rounds to nearest, ties to even. Values beyond the range, and infinity, become the largest finite value.
    #[inline(always)]
    pub fn from_f32(value: f32) -> Self {
        Self(sign_of(value) | if value.is_nan() { 0x7f } else { encode(value, 2, 15).min(0x7b) as u8 })
    }

    /// Returns the same value, exactly.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        // Infinity and NaN need the largest exponent.
        let special = if self.0 & 0x7f >= 0x7c { 0x7f80_0000 } else { 0 };
        f32::from_bits(decode(self.0, 2, 15).to_bits() | special)
    }
}

#[cfg(test)]
mod tests {
    use super::{E4m3, E5m2};

    #[test]
    fn every_value_survives_the_way_through_f32() {
        for bits in 0..=u8::MAX {
            let (a, b) = (E4m3::from_bits(bits).to_f32(), E5m2::from_bits(bits).to_f32());
            assert!(a.is_nan() || E4m3::from_f32(a).to_bits() == bits, "{bits:#x} {a}");
            assert!(b.is_nan() == (bits & 0x7f > 0x7c) && b.is_infinite() == (bits & 0x7f == 0x7c));
            assert!(!b.is_finite() || E5m2::from_f32(b).to_bits() == bits, "{bits:#x} {b}");
        }
        assert!(E4m3::from_f32(f32::NAN).to_f32().is_nan() && E5m2::from_f32(f32::NAN).to_f32().is_nan());
    }

    #[test]
    fn values_round_to_nearest_even_and_stop_at_the_largest() {
        assert_eq!(E4m3::from_bits(0x7e).to_f32(), 448.0);
        assert_eq!(E5m2::from_bits(0x7b).to_f32(), 57344.0);
        assert_eq!([1e9, f32::INFINITY].map(|x| E4m3::from_f32(x).to_f32()), [448.0; 2]);
        assert_eq!([-1e9, f32::NEG_INFINITY].map(|x| E5m2::from_f32(x).to_f32()), [-57344.0; 2]);
        assert_eq!(E4m3::from_f32(1.0 + 1.0 / 16.0).to_f32(), 1.0, "a tie goes to the even neighbour");
        assert_eq!(E4m3::from_f32(1.0 + 3.0 / 16.0).to_f32(), 1.25);
        assert_eq!(E4m3::from_f32(2.0f32.powi(-10)).to_f32(), 0.0, "half of the smallest subnormal");
        assert_eq!(E4m3::from_f32(3.0 * 2.0f32.powi(-11)).to_f32(), 2.0f32.powi(-9));
        assert_eq!(E5m2::from_f32(1.0 + 3.0 / 8.0).to_f32(), 1.5);
    }
}

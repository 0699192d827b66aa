//! The two 8-bit floating point types, as bits.

/// Converts from binary32: rounds to nearest, ties to even.
/// `largest` is the pattern of the largest finite value.
#[inline]
const fn encode(value: f32, mantissa_bits: u32, bias: i32, largest: u8, nan: u8) -> u8 {
    let bits = value.to_bits();
    let (sign, magnitude) = (((bits >> 24) & 0x80) as u8, bits & 0x7fff_ffff);
    if magnitude > 0x7f80_0000 {
        return sign | nan;
    }
    let exponent = (magnitude >> 23) as i32 - 127 + bias;
    // A subnormal result includes the implicit bit in the shift.
    let (significand, shift) = if exponent <= 0 {
        let shift = 24 - mantissa_bits as i32 - exponent;
        if shift > 25 {
            return sign;
        }
        ((magnitude & 0x7f_ffff) | 0x80_0000, shift as u32)
    } else {
        ((magnitude & 0x7f_ffff) | (exponent as u32) << 23, 23 - mantissa_bits)
    };
    let (kept, dropped, half) = (significand >> shift, significand & ((1 << shift) - 1), 1u32 << (shift - 1));
    let up = dropped > half || (dropped == half && kept & 1 == 1);
    // A carry out of the mantissa increments the exponent, which is the correct rounding.
    let rounded = kept + up as u32;
    sign | if rounded > largest as u32 { largest } else { rounded as u8 }
}

#[inline]
fn decode(bits: u8, mantissa_bits: u32, bias: i32) -> f32 {
    let sign = ((bits & 0x80) as u32) << 24;
    // As the exponent and the mantissa of a binary32 with another bias, which a product with a power of two puts right,
    // for subnormal values too.
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

    /// The bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Rounds to nearest, ties to even. Values beyond the range, and infinity, become the largest finite value.
    #[inline]
    pub const fn from_f32(value: f32) -> Self {
        Self(encode(value, 3, 7, 0x7e, 0x7f))
    }

    /// The same value, exactly.
    #[inline]
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

    /// The bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Rounds to nearest, ties to even. Values beyond the range, and infinity, become the largest finite value.
    #[inline]
    pub const fn from_f32(value: f32) -> Self {
        Self(encode(value, 2, 15, 0x7b, 0x7f))
    }

    /// The same value, exactly.
    #[inline]
    pub fn to_f32(self) -> f32 {
        match self.0 & 0x7f {
            0x7c => f32::from_bits(f32::INFINITY.to_bits() | ((self.0 & 0x80) as u32) << 24),
            0x7d..=0x7f => f32::NAN,
            _ => decode(self.0, 2, 15),
        }
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

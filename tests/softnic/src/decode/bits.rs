//! Fields of a command mailbox, counted in bits from the start; the highest bit of a byte is first.

/// Returns the field of `width` bits (at most 64) at `bit`; bits after the end are zero.
pub(crate) fn bits(bytes: &[u8], bit: usize, width: usize) -> u64 {
    (bit..bit + width).fold(0, |value, bit| {
        let byte = bytes.get(bit / 8).copied().unwrap_or(0);
        value << 1 | u64::from(byte >> (7 - bit % 8) & 1)
    })
}

/// Stores `value` in a field; bits after the end are dropped.
pub(crate) fn set_bits(bytes: &mut [u8], bit: usize, width: usize, value: u64) {
    for (i, bit) in (bit..bit + width).enumerate() {
        if let Some(byte) = bytes.get_mut(bit / 8) {
            let mask = 1 << (7 - bit % 8);
            *byte = if value >> (width - 1 - i) & 1 != 0 { *byte | mask } else { *byte & !mask };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_where_it_was_put_and_nothing_else_changes() {
        let mut bytes = [0xff; 4];
        set_bits(&mut bytes, 5, 14, 0b10_0000_0000_0001);
        assert_eq!(bytes, [0b1111_1100, 0, 0b0011_1111, 0xff]);
        assert_eq!(bits(&bytes, 5, 14), 0b10_0000_0000_0001);
        assert_eq!(bits(&bytes, 28, 8), 0xf0, "behind the end is zero");
    }
}

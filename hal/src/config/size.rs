//! Sizes in bytes, as people write them.

use super::amount::{scaled_ceiling, split_unit};

const UNITS: [(&str, u32); 4] = [("k", 10), ("m", 20), ("g", 30), ("t", 40)];

/// Reads a size such as `20m`, `1.5g`, `64 KiB` or `4096`: a decimal number with the suffix k, m, g or t, or KiB to
/// TiB, in either case, all of them powers of 1024. A fraction of a byte is rounded up.
///
/// # Errors
///
/// A clause that describes the mistake in the text.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let shift = match unit.as_str() {
        "" | "b" => 0,
        unit => match UNITS.iter().find(|(name, _)| unit == *name || unit.strip_suffix("ib") == Some(name)) {
            Some((_, shift)) => *shift,
            None if number.is_empty() => return Err("it does not start with a number".into()),
            None if UNITS.iter().any(|(name, _)| unit.strip_suffix('b') == Some(name)) => {
                // A unit such as GB means 10^9 bytes to some users and 2^30 to others.
                let letter = unit[..1].to_ascii_uppercase();
                return Err(format!("the suffix `{letter}B` is ambiguous, write `{letter}` or `{letter}iB`"));
            }
            None => return Err("its suffix is none of k, m, g, t, KiB, MiB, GiB, TiB".into()),
        },
    };
    scaled_ceiling(number, 1 << shift).map_err(|trouble| trouble.reason())
}

/// Returns the exact text of a size, in the largest unit that divides it: `64 GiB`, `1000 bytes`.
pub fn size_text(bytes: u64) -> String {
    for (name, shift) in UNITS.iter().rev() {
        if bytes != 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{} {}iB", bytes >> shift, name.to_ascii_uppercase());
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_nvshmem_users_write_them() {
        for (text, bytes) in [
            ("0", 0),
            ("1", 1),
            ("4096", 4096),
            ("4096b", 4096),
            ("007k", 7 << 10),
            ("20m", 20_971_520),
            ("20M", 20_971_520),
            // Rounded up, as NVSHMEM's documentation has it.
            ("3.1M", 3_250_586),
            (".5m", 1 << 19),
            ("0.5m", 1 << 19),
            ("1.5g", 3 << 29),
            ("1.g", 1 << 30),
            ("2T", 2 << 40),
            ("64KiB", 64 << 10),
            ("64 kib", 64 << 10),
            ("1 GiB", 1 << 30),
            ("  1g  ", 1 << 30),
            ("0.0000000001k", 1),
            ("0.50000000000000000000000000", 1),
            ("18446744073709551615", u64::MAX),
            ("16777215.999999999t", u64::MAX - 1098),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_a_size_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "number"),
            (".", "number"),
            ("g", "number"),
            ("-1", "number"),
            ("+1", "number"),
            ("1..5g", "number"),
            ("1.5.g", "number"),
            ("0x10", "suffix"),
            ("1e9", "suffix"),
            ("20kk", "suffix"),
            ("1g rubbish", "suffix"),
            ("1\u{663}", "suffix"),
            ("1\u{0}", "suffix"),
            ("1p", "suffix"),
            ("1GB", "`G` or `GiB`"),
            ("1 2", "suffix"),
            ("18446744073709551616", "64 bits"),
            ("16777216t", "64 bits"),
            ("99999999999999999999999999999999999999999999999999", "64 bits"),
            ("0.0000000000000000001g", "digits after the point"),
        ] {
            let refused = parse_size(text).expect_err(text);
            assert!(refused.contains(reason), "{text:?}: {refused}");
        }
    }

    #[test]
    fn the_text_of_a_size_is_exact_and_reads_back() {
        for (bytes, text) in [(0, "0 bytes"), (1000, "1000 bytes"), (3 << 29, "1536 MiB"), (64 << 30, "64 GiB")] {
            assert_eq!(size_text(bytes), text);
        }
        for bytes in [0, 1, 1023, 1024, 1 << 40, (1 << 40) + 1, u64::MAX] {
            assert_eq!(parse_size(size_text(bytes).trim_end_matches("ytes")), Ok(bytes));
        }
    }
}

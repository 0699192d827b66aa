//! Durations, as people write them.

use std::time::Duration;

use super::amount::{scaled_ceiling, split_unit};

const UNITS: [(&str, u64); 6] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Reads a duration such as `30`, `2s`, `500ms`, `1.5m` or `2 min`: a decimal number with the unit ns, us, ms, s, m (or
/// min) or h, in either case; seconds without a unit. A fraction of a nanosecond is rounded up.
///
/// # Errors
///
/// A clause that describes the mistake in the text.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let unit = match unit.as_str() {
        "" => "s",
        "min" => "m",
        unit => unit,
    };
    let Some((_, scale)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(if number.is_empty() {
            "it does not start with a number".into()
        } else {
            "its unit is none of ns, us, ms, s, m, h".into()
        });
    };
    scaled_ceiling(number, *scale).map(Duration::from_nanos).map_err(|trouble| trouble.reason())
}

/// Returns the exact text of a duration, in the largest unit that divides it: `60 s` is `1m`.
pub fn duration_text(duration: Duration) -> String {
    let ns = duration.as_nanos();
    match UNITS.iter().find(|(_, scale)| ns != 0 && ns.is_multiple_of(u128::from(*scale))) {
        Some((name, scale)) => format!("{}{name}", ns / u128::from(*scale)),
        None => "0s".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_unit_and_are_seconds_without_one() {
        for (text, ns) in [
            ("0", 0),
            ("30", 30_000_000_000),
            ("2s", 2_000_000_000),
            ("500ms", 500_000_000),
            ("500 MS", 500_000_000),
            ("1.5us", 1_500),
            ("0.1ns", 1),
            ("1m", 60_000_000_000),
            ("1 min", 60_000_000_000),
            ("2H", 7_200_000_000_000),
            (".25", 250_000_000),
            ("18446744073.709551615", u64::MAX),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_nanos(ns)), "{text:?}");
        }
    }

    #[test]
    fn what_is_not_a_duration_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "number"),
            ("s", "number"),
            ("-1s", "number"),
            ("never", "number"),
            ("1.2.3", "number"),
            ("1d", "unit"),
            ("5 s later", "unit"),
            ("2s500ms", "unit"),
            ("1e3", "unit"),
            ("18446744073.709551616", "64 bits"),
            ("5124096h", "64 bits"),
        ] {
            let refused = parse_duration(text).expect_err(text);
            assert!(refused.contains(reason), "{text:?}: {refused}");
        }
    }

    #[test]
    fn the_text_of_a_duration_is_exact_and_reads_back() {
        assert_eq!(duration_text(Duration::from_secs(60)), "1m");
        assert_eq!(duration_text(Duration::from_millis(1500)), "1500ms");
        for ns in [0, 1, 999, 1_000, 1_000_000_001, u64::MAX] {
            let duration = Duration::from_nanos(ns);
            assert_eq!(parse_duration(&duration_text(duration)), Ok(duration));
        }
    }
}

//! Statistics of the times of one row.

use serde::Serialize;

/// Median, least and largest of some times, in their unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Summary {
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Summary {
    /// Returns `None` if there are no times.
    pub(crate) fn of(times: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut times: Vec<f64> = times.into_iter().collect();
        times.sort_by(f64::total_cmp);
        let (min, max) = (*times.first()?, *times.last()?);
        let half = times.len() / 2;
        let median = if times.len() % 2 == 1 { times[half] } else { (times[half - 1] + times[half]) / 2.0 };
        Some(Self { median, min, max })
    }
}

/// Formats a number with three digits, or with all digits before the point if these are more.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        v if v >= 0.0995 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one_or_between_the_two_in_the_middle() {
        let odd = Summary::of([9.0, 1.0, 2.0]).unwrap();
        assert_eq!((odd.median, odd.min, odd.max), (2.0, 1.0, 9.0));
        assert_eq!(Summary::of([4.0, 1.0, 2.0, 100.0]).unwrap().median, 3.0);
        assert_eq!(Summary::of([]), None);
    }

    #[test]
    fn a_number_has_three_digits() {
        assert_eq!([number(1061.2), number(46.04), number(1.333), number(0.372)], ["1061", "46.0", "1.33", "0.372"]);
    }
}

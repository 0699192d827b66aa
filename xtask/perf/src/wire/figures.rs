//! The figures of perftest's rows, of the times of single operations or of passes.

/// The titles of a bandwidth's columns, as in `ib_write_bw`.
pub(super) const BANDWIDTH: [&str; 5] =
    ["#bytes", "#iterations", "BW peak[MiB/sec]", "BW average[MiB/sec]", "MsgRate[Mpps]"];
/// The titles of a latency's columns, as in `ib_write_lat`.
pub(super) const LATENCY: [&str; 9] = [
    "#bytes",
    "#iterations",
    "t_min[usec]",
    "t_max[usec]",
    "t_typical[usec]",
    "t_avg[usec]",
    "t_stdev[usec]",
    "99%[usec]",
    "99.9%[usec]",
];

/// Formats cells below the titles, each as wide as its title and at least 12 characters.
pub(super) fn line(titles: &[&str], cells: &[String]) -> String {
    let padded = titles.iter().zip(cells).map(|(title, cell)| format!("{cell:<width$}", width = title.len().max(12)));
    padded.collect::<Vec<_>>().join(" ").trim_end().to_string()
}

/// Formats the titles.
pub(super) fn head(titles: &[&str]) -> String {
    line(titles, &titles.iter().map(|title| title.to_string()).collect::<Vec<_>>())
}

/// Returns the cells of a bandwidth: the peak is that of the fastest pass, the average that of all.
pub(super) fn bandwidth(bytes: u64, operations: u64, ns_by_pass: &[f64]) -> Vec<String> {
    let mib_per_s = |ns: f64| bytes as f64 / ns * 1e9 / f64::from(1 << 20);
    let mean = ns_by_pass.iter().sum::<f64>() / ns_by_pass.len() as f64;
    let least = ns_by_pass.iter().copied().fold(f64::INFINITY, f64::min);
    vec![
        bytes.to_string(),
        operations.to_string(),
        format!("{:.2}", mib_per_s(least)),
        format!("{:.2}", mib_per_s(mean)),
        format!("{:.6}", 1e3 / mean),
    ]
}

/// Returns the cells of a latency. The typical time is the median. A percentile is the time that so many of the
/// operations did not exceed, as perftest has it.
pub(super) fn latency(bytes: u64, ns: &[f64]) -> Vec<String> {
    let mut sorted = ns.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let at = |index: usize| sorted.get(index.min(count.saturating_sub(1))).copied().unwrap_or(f64::NAN);
    let percentile = |of_1000: usize| at((count * of_1000).div_ceil(1000));
    let median = if count % 2 == 1 { at(count / 2) } else { (at((count / 2).saturating_sub(1)) + at(count / 2)) / 2.0 };
    let mean = sorted.iter().sum::<f64>() / count as f64;
    let variance = sorted.iter().map(|ns| (ns - mean).powi(2)).sum::<f64>() / count as f64;
    let times = [at(0), at(count), median, mean, variance.sqrt(), percentile(990), percentile(999)];
    [bytes.to_string(), count.to_string()].into_iter().chain(times.map(|ns| format!("{:.2}", ns / 1e3))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(titles: &[&str], cells: &[String]) -> String {
        format!("{}\n{}\n", head(titles), line(titles, cells))
    }

    #[test]
    fn a_bandwidth_is_printed_as_ib_write_bw_does() {
        let cells = bandwidth(1 << 20, 5000, &[21_000.0, 20_000.0, 22_000.0]);
        assert_eq!(
            text(&BANDWIDTH, &cells),
            "#bytes       #iterations  BW peak[MiB/sec] BW average[MiB/sec] MsgRate[Mpps]\n\
             1048576      5000         50000.00         47619.05            0.047619\n"
        );
    }

    #[test]
    fn a_latency_is_printed_as_ib_write_lat_does() {
        let mut ns: Vec<f64> = (0..1000).rev().map(|n| f64::from(n) + 1000.0).collect();
        ns[0] = 9000.0;
        assert_eq!(
            text(&LATENCY, &latency(8, &ns)),
            "#bytes       #iterations  t_min[usec]  t_max[usec]  t_typical[usec] t_avg[usec]  t_stdev[usec] 99%[usec]    \
             99.9%[usec]\n\
             8            1000         1.00         9.00         1.50            1.51         0.37          1.99         \
             9.00\n"
        );
    }

    #[test]
    fn a_single_sample_is_every_figure_of_its_latency() {
        assert_eq!(
            latency(64, &[2500.0]),
            ["64", "1", "2.50", "2.50", "2.50", "2.50", "0.00", "2.50", "2.50"].map(str::to_string)
        );
    }
}

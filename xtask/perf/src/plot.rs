//! The plots of a run, and the rows of each.

use super::chart::{Chart, Line};
use super::plan::On;
use super::results::{HOST_PES, LIMIT, Results};
use super::row::{Row, in_words};

const MIB: u64 = 1 << 20;
/// The number of blocks for plots of bandwidth over size, on GPUs and on host PEs.
const CTAS: [&[u64]; 2] = [&[1, 8, 64, 132], &[1, 2]];
/// The least number of points of a line.
const LEAST_POINTS: usize = 2;

/// Returns every plot of worlds that has rows.
pub(crate) fn charts(results: &Results) -> Vec<Chart> {
    let mut charts = Vec::new();
    for (test, word) in [("shmem_put_bw", "put"), ("shmem_get_bw", "get")] {
        let plain = move |row: &Row| row.test == test && row.scope == Some("block") && !row.both && row.skew == 0;
        for &ctas in CTAS[usize::from(results.on == On::Host)] {
            let file = format!("{word}-bandwidth-over-size-{ctas}-cta");
            let title = format!("{word}, block scope, {ctas} CTA{}", if ctas == 1 { "" } else { "s" });
            charts.extend(over_sizes(results, &file, title, &|row| plain(row) && row.ctas() == ctas));
        }
        if let Some(bytes) = size_for_ctas(results, &plain) {
            let file = format!("{word}-bandwidth-over-ctas");
            let title = format!("{word}, block scope, {}", in_words(bytes));
            charts.extend(chart(results, &file, title, &|row| plain(row) && is_about(row, bytes), false));
        }
    }
    for (test, words) in [
        ("shmem_put_latency", "put then quiet"),
        ("shmem_get_latency", "get"),
        ("shmem_put_signal_ping_pong_latency", "put with signal, one way"),
        ("shmem_put_ping_pong_latency", "put, fence, p; one way"),
    ] {
        let threads = block_size(results, test);
        let file = test.trim_start_matches("shmem_").replace('_', "-") + "-over-size";
        let by_block = |row: &Row| row.test == test && row.scope == Some("block") && row.grid == Some((1, threads));
        charts.extend(over_sizes(results, &file, format!("{words}, one block of {threads} threads"), &by_block));
    }
    charts
}

/// Reports whether a row has about this size: one that the blocks can share may be a little larger.
fn is_about(row: &Row, bytes: u64) -> bool {
    row.bytes.is_some_and(|own| (bytes..=bytes + bytes / 16).contains(&own))
}

/// Returns 64 MiB, or the largest size that several grids were measured with.
fn size_for_ctas(results: &Results, rows: &dyn Fn(&Row) -> bool) -> Option<u64> {
    let mut sizes: Vec<u64> =
        results.measured.iter().filter(|one| rows(&one.row)).filter_map(|one| one.row.bytes).collect();
    sizes.sort_by_key(|bytes| (*bytes != 64 * MIB, std::cmp::Reverse(*bytes)));
    let grids = |bytes| results.measured.iter().filter(|one| rows(&one.row) && is_about(&one.row, bytes)).count();
    sizes.into_iter().find(|bytes| grids(*bytes) >= LEAST_POINTS)
}

/// Returns the largest block that a test was measured with.
fn block_size(results: &Results, test: &str) -> u64 {
    let rows = results.measured.iter().map(|one| &one.row).filter(|row| row.test == test);
    rows.filter_map(|row| row.grid).map(|(_, threads)| threads).max().unwrap_or(0)
}

/// Returns a plot over the size of the rows, with a line for each peer; `None` if no peer has several of them.
pub(crate) fn over_sizes(results: &Results, file: &str, title: String, rows: &dyn Fn(&Row) -> bool) -> Option<Chart> {
    chart(results, file, title, rows, true)
}

/// Returns a plot over sizes, or else over the number of blocks.
fn chart(results: &Results, file: &str, title: String, rows: &dyn Fn(&Row) -> bool, over_sizes: bool) -> Option<Chart> {
    let rows: Vec<_> = results.measured.iter().filter(|one| rows(&one.row)).collect();
    let over = |row: &Row| if over_sizes { row.bytes.unwrap_or(0) } else { row.ctas() };
    let unit = rows.first()?.row.unit();
    let mut lines = Vec::new();
    for (peer, name) in results.peers.iter().enumerate() {
        let point =
            |one: &&super::contest::Measured| Some((over(&one.row) as f64, one.row.figure(results.median(one, peer)?)));
        let mut points: Vec<(f64, f64)> = rows.iter().filter_map(point).collect();
        points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        if points.len() >= LEAST_POINTS {
            let is_limit = name == LIMIT;
            // Where a library moves data in another way, it passes this kernel.
            let name = if is_limit { "hand-written kernel".into() } else { name.clone() };
            lines.push(Line { name, is_limit, points });
        }
    }
    let caption = match results.on {
        On::Host => HOST_PES.to_string(),
        On::Gpus => results.head(),
    };
    (!lines.is_empty()).then(|| Chart {
        file: file.to_string(),
        title,
        caption,
        over_sizes,
        unit: unit.name(),
        // Bandwidth is compared with the limit, a time with others of its size.
        log_figures: unit.name() == "us",
        lines,
    })
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    fn put(ctas: u64, bytes: u64) -> Row {
        Row::of("shmem_put_bw").by("block", ctas, 1024).bytes(bytes)
    }

    #[test]
    fn a_plot_has_a_line_for_each_peer_that_has_its_rows() {
        let rows: [(Row, &[f64]); 3] = [
            (put(1, MIB), &[100.0, 90.0, 0.0]),
            (put(1, 64 * MIB), &[200.0, 190.0, 300.0]),
            (put(8, 64 * MIB), &[100.0, 90.0, 0.0]),
        ];
        let charts = charts(&results(&["oxshmem", "limit", "nvshmem"], &rows));
        let names: Vec<&str> = charts.iter().map(|chart| chart.file.as_str()).collect();
        assert_eq!(names, ["put-bandwidth-over-size-1-cta", "put-bandwidth-over-ctas"]);
        let lines: Vec<(&str, bool)> = charts[0].lines.iter().map(|line| (line.name.as_str(), line.is_limit)).collect();
        assert_eq!(lines, [("oxshmem", false), ("hand-written kernel", true)]);
    }

    #[test]
    fn the_rows_of_the_default_profile_give_every_plot() {
        let rows = crate::plan::rows(crate::plan::Profile::Default, On::Gpus);
        let times = |row: &Row| {
            let bytes = row.bytes.unwrap_or(8) as f64;
            let ns = if row.unit().name() == "us" {
                1900.0 + bytes / 46.0
            } else {
                700.0 + bytes / (46.0 * row.ctas() as f64).min(365.0)
            };
            [ns * 1.03, ns, ns * 1.3]
        };
        let rows: Vec<(Row, [f64; 3])> = rows.into_iter().map(|row| (row.clone(), times(&row))).collect();
        let rows: Vec<(Row, &[f64])> = rows.iter().map(|(row, times)| (row.clone(), times.as_slice())).collect();
        let results = results(&["oxshmem", "limit", "nvshmem"], &rows);
        let names: Vec<String> = charts(&results).into_iter().map(|chart| chart.file).collect();
        for word in ["put", "get"] {
            for name in ["over-size-1-cta", "over-size-8-cta", "over-size-64-cta", "over-size-132-cta", "over-ctas"] {
                let name = format!("{word}-bandwidth-{name}");
                assert!(names.contains(&name), "{name} in {names:?}");
            }
            assert!(names.contains(&format!("{word}-latency-over-size")), "{names:?}");
        }
        let ctas = charts(&results).into_iter().find(|chart| chart.file == "put-bandwidth-over-ctas");
        assert_eq!(ctas.map(|chart| chart.lines[0].points.len()), Some(8), "every grid is on the plot");
    }

    #[test]
    fn every_plot_is_written_as_svg_and_as_png_and_one_of_host_pes_says_so() {
        let rows: [(Row, &[f64]); 2] = [(put(1, MIB), &[100.0]), (put(1, 4 * MIB), &[200.0])];
        let mut results = results(&["oxshmem"], &rows);
        results.on = On::Host;
        let folder = Scratch::new("plots").unwrap();
        let charts = charts(&results);
        assert_eq!(charts.len(), 1);
        let files = charts[0].write(&folder).unwrap();
        let svg = std::fs::read_to_string(&files[0]).unwrap();
        let png = std::fs::read(&files[1]).unwrap();
        assert!(svg.contains("HOST PEs") && svg.contains("oxshmem"), "{svg}");
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5000);
    }
}

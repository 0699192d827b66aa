//! The results as tables.

use anyhow::Result;
use comfy_table::Table;

use super::super::alone::{self, Targets};
use super::super::results::Results;
use super::super::table::{figure, ours, right_aligned, spread};
use super::goals;

pub(super) const LEGEND: &str = "Medians of all turns; min..max over all of them. `proxy_post_latency` is `proxy_round_latency` (from \
                      the call until the calling thread sees the word that the device writes when it is posted to) less \
                      half of the fastest `proxy_echo_latency` (a word to a thread of the host and back), which is the way back. \
                      NVSHMEM's proxy posts to a NIC alone, and so is not measured beside: 1.7 M puts/s are the \
                      published figure.";

pub(super) fn rows(results: &Results) -> Table {
    let mut table = Table::new();
    let mut names = vec!["row".to_string(), results.peers[0].clone(), "min..max".into()];
    for other in results.others() {
        names.extend([results.peers[other].clone(), "ratio".into()]);
    }
    table.set_header(names);
    for one in &results.measured {
        let mut line = vec![one.row.to_string(), ours(one), spread(one)];
        for other in results.others() {
            let ratio = results.ratio(one, other).map(|ratio| format!("{ratio:.2}"));
            line.extend([figure(&one.row, &one.cells[other]), ratio.unwrap_or_default()]);
        }
        table.add_row(line);
    }
    right_aligned(table)
}

pub(super) fn targets(results: &Results) -> Result<Targets> {
    alone::judged(goals::judge(results))
}

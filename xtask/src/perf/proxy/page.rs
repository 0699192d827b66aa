//! The results as tables: for the terminal, and in Markdown.

use comfy_table::Table;

use super::super::results::Results;
use super::super::row::Row;
use super::super::table::{figure, in_markdown, ours, plain, right_aligned, spread};
use super::{goals, head};

const LEGEND: &str = "Medians of all turns; min..max over all of them. `proxy_post_latency` is `proxy_round_latency` (from \
                      the call until the calling thread sees the word that the device writes when it is posted to) less \
                      half of the fastest `proxy_echo_latency` (a word to a thread of the host and back), which is the way back. \
                      NVSHMEM's proxy posts to a NIC alone, and so is not measured beside: 1.7 M puts/s are the \
                      published figure.";

/// The tables, what is missing and what failed.
pub(super) fn for_terminal(results: &Results) -> String {
    let mut text = format!("{}\n\n{}\n\n{}\n\n", head(results), plain(rows(results)), plain(targets(results)));
    if let Some(why) = &results.stopped {
        text.push_str(&format!("left out {} rows, because {why}:\n", results.left_out.len()));
        results.left_out.iter().for_each(|row| text.push_str(&format!("  {row}\n")));
    }
    results.failures.iter().for_each(|failure| text.push_str(&format!("FAILED {failure}\n")));
    text
}

/// The page.
pub(super) fn markdown(results: &Results, facts: &[(String, String)]) -> String {
    let mut page = format!("# Measured by `cargo xtask perf --proxy`\n\n**{}**\n\n", head(results));
    facts.iter().for_each(|(name, value)| page.push_str(&format!("- {name}: {value}\n")));
    page.push_str(&format!("\n{LEGEND}\n"));
    page.push_str(&format!("\n## Targets\n\n{}", in_markdown(targets(results))));
    page.push_str(&format!("\n## Rows\n\n{}", in_markdown(rows(results))));
    let mut list = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            page.push_str(&format!("\n## {title}\n\n"));
            lines.iter().for_each(|line| page.push_str(&format!("- {line}\n")));
        }
    };
    list("Failures", results.failures.clone());
    let why = results.stopped.clone().unwrap_or_default();
    list(&format!("Left out: {why}"), results.left_out.iter().map(Row::to_string).collect());
    page
}

fn rows(results: &Results) -> Table {
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

fn targets(results: &Results) -> Table {
    let mut table = Table::new();
    table.set_header(["target", "", "reached", "verdict", "row"]);
    for goal in goals::judge(results) {
        table.add_row([goal.what.to_string(), goal.target, goal.reached, goal.verdict.into(), goal.row]);
    }
    table
}

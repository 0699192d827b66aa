//! The results as tables: for the terminal, and in Markdown.

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_HORIZONTAL_ONLY};
use comfy_table::{CellAlignment, Table, TableComponent};

use super::contest::{Cell, Measured};
use super::results::Results;
use super::row::Row;
use super::stats::{Summary, number};
use super::targets::{Check, Reached};

/// Returns every row with every peer, for a terminal.
pub(crate) fn for_terminal(results: &Results) -> String {
    plain(rows(results))
}

/// Formats a table for a terminal.
pub(crate) fn plain(mut table: Table) -> String {
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.remove_style(TableComponent::HorizontalLines).remove_style(TableComponent::MiddleIntersections);
    table.trim_fmt()
}

/// Returns the page: head, targets, rows, failures, and rows that were left out.
pub(crate) fn markdown(results: &Results, checks: &[Check], facts: &[(String, String)]) -> String {
    let mut page = format!("# Measured by `cargo xtask perf`\n\n**{}**\n\n", results.head());
    facts.iter().for_each(|(name, value)| page.push_str(&format!("- {name}: {value}\n")));
    page.push_str("\nMedians of all turns; min..max over all of them. A ratio above 1 is ours being faster.\n");
    page.push_str("\n## Targets\n\n");
    match checks.is_empty() {
        true => page.push_str("None: they are for GPUs.\n"),
        false => page.push_str(&in_markdown(targets(checks))),
    }
    page.push_str("\n## Rows\n\n");
    page.push_str(&in_markdown(rows(results)));
    list_what_is_missing(&mut page, results);
    page
}

/// Lists failures and rows that were left out at the end of a page.
pub(crate) fn list_what_is_missing(page: &mut String, results: &Results) {
    let mut list = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            page.push_str(&format!("\n## {title}\n\n"));
            lines.iter().for_each(|line| page.push_str(&format!("- {line}\n")));
        }
    };
    list("Failures", results.failures.clone());
    let why = results.stopped.clone().unwrap_or_default();
    list(&format!("Left out: {why}"), results.left_out.iter().map(Row::to_string).collect());
}

/// Formats a table for a page.
pub(crate) fn in_markdown(mut table: Table) -> String {
    table.load_preset(ASCII_MARKDOWN);
    format!("{}\n", table.trim_fmt())
}

/// Aligns all columns but the first to the right.
pub(crate) fn right_aligned(mut table: Table) -> Table {
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn rows(results: &Results) -> Table {
    let mut table = Table::new();
    let mut head = vec!["row".to_string(), results.peers[0].clone(), "min..max".into()];
    if results.limit().is_some() {
        head.extend(["limit".to_string(), "% of limit".into()]);
    }
    for other in results.others() {
        head.extend([results.peers[other].clone(), "ratio".into()]);
    }
    table.set_header(head);
    for one in &results.measured {
        let mut line = vec![one.row.to_string(), ours(one), spread(one)];
        if let Some(limit) = results.limit() {
            let percent = results.ratio(one, limit).map(|ratio| format!("{:.0}%", ratio * 100.0));
            line.extend([figure(&one.row, &one.cells[limit]), percent.unwrap_or_default()]);
        }
        for other in results.others() {
            let ratio = results.ratio(one, other).map(|ratio| format!("{ratio:.2}"));
            line.extend([figure(&one.row, &one.cells[other]), ratio.unwrap_or_default()]);
        }
        table.add_row(line);
    }
    right_aligned(table)
}

/// Returns our figure with its unit.
pub(crate) fn ours(one: &Measured) -> String {
    match one.cells[0].median() {
        Some(ns) => format!("{} {}", number(one.row.figure(ns)), one.row.unit().name()),
        None => figure(&one.row, &one.cells[0]),
    }
}

/// Returns a peer's figure. The cell of a peer that lacks the row is empty.
pub(crate) fn figure(row: &Row, cell: &Cell) -> String {
    match cell {
        Cell::Times(_) => cell.median().map_or_else(String::new, |ns| number(row.figure(ns))),
        Cell::Skipped(_) => String::new(),
        Cell::Failed(_) => "FAILED".to_string(),
    }
}

/// Returns the range of our figures, lowest to highest.
pub(crate) fn spread(one: &Measured) -> String {
    let Some(Summary { min, max, .. }) = one.cells[0].summary() else { return String::new() };
    let (a, b) = (one.row.figure(min), one.row.figure(max));
    format!("{}..{}", number(a.min(b)), number(a.max(b)))
}

/// Returns the targets with the figures that were reached.
pub(crate) fn targets(checks: &[Check]) -> Table {
    let mut table = Table::new();
    table.set_header(["target", "to limit", "reached", "to NVSHMEM", "reached", "verdict", "worst row"]);
    let reached = |reached: &Option<Reached>| match reached {
        Some(one) => format!("{:.3} ({} of {})", one.worst, one.reach, one.of),
        None => String::new(),
    };
    let least = |target: Option<f64>| target.map_or("-".to_string(), |target| format!(">= {target}"));
    for check in checks {
        let missed = [&check.to_limit, &check.to_nvshmem].into_iter().flatten().filter(|one| !one.all());
        let worst: Vec<String> = missed.map(|one| one.row.clone()).collect();
        table.add_row([
            check.what.to_string(),
            least(check.target_to_limit),
            reached(&check.to_limit),
            least(check.target_to_nvshmem),
            reached(&check.to_nvshmem),
            check.verdict().to_string(),
            worst.join("; "),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::plan::On;
    use super::super::results::{HOST_PES, tests::results};
    use super::super::targets::check;
    use super::*;

    #[test]
    fn a_line_has_ours_with_its_unit_the_limit_and_each_peers_ratio() {
        let put = Row::of("shmem_put_bw").by("block", 1, 1024).bytes(1 << 20);
        let rows: [(Row, &[f64]); 1] = [(put, &[20000.0, 19000.0, 30000.0, 0.0])];
        let text = for_terminal(&results(&["oxshmem", "limit", "nvshmem", "nvshmem-tma"], &rows));
        let line = text.lines().find(|line| line.contains("shmem_put_bw")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(&words[5..], ["52.4", "GB/s", "52.4..52.4", "55.2", "95%", "35.0", "1.50"]);
    }

    #[test]
    fn a_page_of_host_pes_says_so_first() {
        let mut results = results(&["oxshmem"], &[]);
        results.on = On::Host;
        let page = markdown(&results, &check(&results), &[]);
        assert!(page.lines().nth(2).unwrap().contains(HOST_PES), "{page}");
    }

    #[test]
    fn a_page_names_what_failed_and_what_was_left_out() {
        let mut results = results(&["oxshmem"], &[]);
        results.failures.push("oxshmem: init: PE 1 died".into());
        results.left_out.push(Row::of("malloc").bytes(1024));
        results.stopped = Some("the limit of 5 s was reached".into());
        let page = markdown(&results, &[], &[("GPUs".into(), "2".into())]);
        for part in ["- GPUs: 2", "PE 1 died", "## Left out: the limit of 5 s", "- malloc bytes=1KiB"] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }
}

//! Rows beside each other as tables, for the terminal and in Markdown.

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_HORIZONTAL_ONLY};
use comfy_table::{CellAlignment, Table, TableComponent};

use super::contest::{Cell, Measured};
use super::results::Results;
use super::row::Row;
use super::stats::{Summary, number};

/// Formats a table for a terminal.
pub(crate) fn plain(mut table: Table) -> String {
    table.load_preset(UTF8_HORIZONTAL_ONLY);
    table.remove_style(TableComponent::HorizontalLines).remove_style(TableComponent::MiddleIntersections);
    table.trim_fmt()
}

/// Formats a table for a page.
pub(crate) fn in_markdown(mut table: Table) -> String {
    table.load_preset(ASCII_MARKDOWN);
    format!("{}\n", table.trim_fmt())
}

/// The columns of a table beside the peers'.
pub(crate) struct Columns<'a> {
    /// The first columns, of words, and their cells.
    pub first: &'a [&'a str],
    pub words: &'a dyn Fn(&Measured) -> Vec<String>,
    /// Returns a peer's figure; `figure` unless more is to be said. Ours has its unit besides if it is in no title.
    pub figure: fn(&Measured, usize) -> String,
    /// The last columns, and their cells.
    pub last: &'a [&'a str],
    pub more: &'a dyn Fn(&Measured) -> Vec<String>,
}

/// Returns the table of every row, by its name.
pub(crate) fn of_all(results: &Results) -> Table {
    let columns = Columns {
        first: &["row"],
        words: &|one| vec![one.row.to_string()],
        figure: with_unit,
        last: &[],
        more: &|_| Vec::new(),
    };
    compare(results, &results.measured.iter().collect::<Vec<_>>(), &columns)
}

/// Returns a table of rows: ours with its range, the limit, and each other peer with its ratio. A peer that has none of
/// the rows has no column.
pub(crate) fn compare(results: &Results, rows: &[&Measured], columns: &Columns<'_>) -> Table {
    let has_some = |peer: &usize| rows.iter().any(|one| !matches!(one.cells[*peer], Cell::Skipped(_)));
    let limit = results.limit().filter(has_some);
    let others: Vec<usize> = results.others().filter(has_some).collect();
    let mut head: Vec<&str> = columns.first.to_vec();
    head.extend([results.peers[0].as_str(), "min..max"]);
    limit.iter().for_each(|_| head.extend(["limit", "% of limit"]));
    others.iter().for_each(|other| head.extend([results.peers[*other].as_str(), "ratio"]));
    head.extend(columns.last);
    let mut table = Table::new();
    table.set_header(head);
    for one in rows {
        let ratio = |peer, text: fn(f64) -> String| results.ratio(one, peer).map(text).unwrap_or_default();
        let mut line = (columns.words)(one);
        line.extend([(columns.figure)(one, 0), spread(one)]);
        if let Some(peer) = limit {
            line.extend([(columns.figure)(one, peer), ratio(peer, |ratio| format!("{:.0}%", ratio * 100.0))]);
        }
        for &peer in &others {
            line.extend([(columns.figure)(one, peer), ratio(peer, |ratio| format!("{ratio:.2}"))]);
        }
        line.extend((columns.more)(one));
        table.add_row(line);
    }
    let figures = table.column_iter_mut().skip(columns.first.len());
    figures.for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

/// Returns a peer's figure, ours with its unit.
pub(crate) fn with_unit(one: &Measured, peer: usize) -> String {
    match (peer, one.cells[peer].median()) {
        (0, Some(ns)) => format!("{} {}", number(one.row.figure(ns)), one.row.unit().name()),
        _ => figure(&one.row, &one.cells[peer]),
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
fn spread(one: &Measured) -> String {
    let Some(Summary { min, max, .. }) = one.cells[0].summary() else { return String::new() };
    let (a, b) = (one.row.figure(min), one.row.figure(max));
    format!("{}..{}", number(a.min(b)), number(a.max(b)))
}

#[cfg(test)]
mod tests {
    use super::super::WORLDS;
    use super::super::plan::On;
    use super::super::results::{HOST_PES, tests::results};
    use super::*;

    #[test]
    fn a_line_has_ours_with_its_unit_the_limit_and_each_peers_ratio() {
        let put = Row::of("shmem_put_bw").by("block", 1, 1024).bytes(1 << 20);
        let rows: [(Row, &[f64]); 1] = [(put, &[20000.0, 19000.0, 30000.0, 0.0])];
        let text = plain(of_all(&results(&["oxshmem", "limit", "nvshmem", "nvshmem-tma"], &rows)));
        let line = text.lines().find(|line| line.contains("shmem_put_bw")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(&words[5..], ["52.4", "GB/s", "52.4..52.4", "55.2", "95%", "35.0", "1.50"]);
    }

    #[test]
    fn a_page_of_host_pes_says_so_first() {
        let mut results = results(&["oxshmem"], &[]);
        results.on = On::Host;
        let page = WORLDS.markdown(&results, &[]).unwrap();
        assert!(page.lines().nth(2).unwrap().contains(HOST_PES), "{page}");
    }

    #[test]
    fn a_page_names_what_failed_and_what_was_left_out() {
        let mut results = results(&["oxshmem"], &[]);
        results.failures.push("oxshmem: init: PE 1 died".into());
        results.left_out.push(Row::of("malloc").bytes(1024));
        results.stopped = Some("the limit of 5 s was reached".into());
        let page = WORLDS.markdown(&results, &[("GPUs".into(), "2".into())]).unwrap();
        for part in ["- GPUs: 2", "PE 1 died", "## Left out: the limit of 5 s", "- malloc bytes=1KiB"] {
            assert!(page.contains(part), "{part} in {page}");
        }
    }
}

//! The results as tables.

use anyhow::Result;
use comfy_table::{CellAlignment, Table};

use super::super::alone::{self, Targets};
use super::super::contest::Measured;
use super::super::results::Results;
use super::super::row::Row;
use super::super::table::{figure, ours, right_aligned, spread};
use super::goals;

pub(super) const LEGEND: &str = "Medians of all turns; min..max over all of them. A ratio above 1 is ours being faster. `of engine` is \
                      ours to what the engine completes with as many queues; `engine` as a verdict: no faster because \
                      the engine is not.";

pub(super) fn rows(results: &Results) -> Table {
    let mut table = Table::new();
    let mut names = vec!["test".to_string(), "shape".into(), results.peers[0].clone(), "min..max".into()];
    names.push("of engine".into());
    for other in results.others() {
        names.extend([results.peers[other].clone(), "ratio".into()]);
    }
    names.push("verdict".into());
    table.set_header(names);
    for one in &results.measured {
        table.add_row(line(results, one));
    }
    let mut table = right_aligned(table);
    // Shapes are words.
    table.column_iter_mut().skip(1).take(1).for_each(|column| column.set_cell_alignment(CellAlignment::Left));
    table
}

fn line(results: &Results, one: &Measured) -> Vec<String> {
    let part = goals::part_of_engine(results, one).map(|part| format!("{:.0}%", part * 100.0));
    let mut line = vec![one.row.test.to_string(), shape(&one.row), ours(one), spread(one), part.unwrap_or_default()];
    for other in results.others() {
        let ratio = results.ratio(one, other).map(|ratio| format!("{ratio:.2}"));
        line.extend([figure(&one.row, &one.cells[other]), ratio.unwrap_or_default()]);
    }
    line.push(goals::of_row(results, one).word().into());
    line
}

/// Returns the grid and the queues as text.
fn shape(row: &Row) -> String {
    let mut words = Vec::new();
    words.extend(row.grid.map(|(ctas, threads)| format!("{ctas} x {threads}")));
    if let Some((qps, depth)) = row.queues {
        words.push(format!("{qps} QP{}", if qps == 1 { "" } else { "s" }));
        words.push(format!("depth {depth}"));
    }
    if row.grid.is_some() {
        words.push(if row.line { "a line each" } else { "neighbours" }.into());
    }
    words.join(", ")
}

pub(super) fn targets(results: &Results) -> Result<Targets> {
    let goals = goals::judge(results);
    let file = serde_json::to_value(&goals)?;
    let mut lines = goals
        .into_iter()
        .map(|goal| [goal.what.to_string(), goal.target, goal.reached, goal.verdict.word().into(), goal.row])
        .peekable();
    Ok((lines.peek().is_some().then(|| alone::targets(lines)), file))
}

#[cfg(test)]
mod tests {
    use super::super::super::plan::On;
    use super::super::super::results::tests::results;
    use super::super::SUITE;
    use super::*;

    fn some() -> Results {
        let rate = Row { line: true, grid: Some((8, 256)), ..Row::of("nic_p_rate") }.queues(64, 1024);
        let rows: [(Row, &[f64]); 3] = [
            (Row::of("nic_p_doorbell_latency"), &[812.0, 0.0]),
            (Row::of("nic_engine").queues(64, 1024), &[65_536.0, 0.0]),
            (rate, &[8_192.0, 16_384.0]),
        ];
        results(&["oxshmem", "nvshmem"], &rows)
    }

    #[test]
    fn a_line_has_the_shape_both_figures_the_ratio_and_the_verdict() {
        let text = SUITE.for_terminal(&some()).unwrap();
        let find = |test: &str| text.lines().find(|line| line.trim().starts_with(test)).unwrap().to_string();
        let words = find("nic_p_rate");
        let words: Vec<&str> = words.split_whitespace().collect();
        assert_eq!(words[1..12], ["8", "x", "256,", "64", "QPs,", "depth", "1024,", "a", "line", "each", "250"]);
        assert_eq!(words[12..], ["M/s", "250..250", "50%", "125", "2.00", "pass"]);
        let lone = find("nic_p_doorbell_latency");
        assert!(lone.contains("812 ns") && lone.trim_end().ends_with('-'), "{lone}");
    }

    #[test]
    fn a_page_has_the_targets_the_facts_and_what_failed_and_host_threads_have_no_targets() {
        let mut results = some();
        results.failures.push("oxshmem: nic_engine: lost".into());
        let page = SUITE.markdown(&results, &[("driver".into(), "580".into())]).unwrap();
        for part in
            ["## Targets", ">= 215 M/s", "250.0 M/s", "<= 1000 ns", "- driver: 580", "- oxshmem: nic_engine: lost"]
        {
            assert!(page.contains(part), "{part} in {page}");
        }
        results.on = On::Host;
        assert!(!SUITE.markdown(&results, &[]).unwrap().contains("## Targets"));
    }
}

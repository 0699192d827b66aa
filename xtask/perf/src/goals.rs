//! The goals of a suite, which are data (`xtask/perf/goals`), and their verdicts on results.

use anyhow::{Context, Result};
use comfy_table::Table;
use serde::{Deserialize, Serialize};

use super::contest::{Cell, Measured};
use super::pattern::Pattern;
use super::plan::On;
use super::results::Results;
use super::row::Row;

/// A suite's file of goals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Goals {
    engine: Option<Engine>,
    goal: Vec<Goal>,
}

/// The rows whose rate an engine bounds that has as many queues.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    rows: Pattern,
    /// The engine's own rows.
    by: Pattern,
    /// The share of the engine's rate from which on a row can't be faster.
    share: f64,
}

/// A goal: ratios, or a bound of our best figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    what: String,
    /// The reason of a choice below.
    why: Option<String>,
    rows: Pattern,
    /// The devices that it is for.
    #[serde(default = "gpus")]
    on: Vec<On>,
    /// The number of PEs that it is for, if it is for one.
    pes: Option<u32>,
    /// The least ratio of the limit's time to ours.
    limit: Option<f64>,
    /// The same of the better of NVSHMEM's modes.
    nvshmem: Option<f64>,
    /// The same of our own time on the row that `without` names.
    own: Option<f64>,
    /// The limit's row, and our own one, is the row without this key.
    without: Option<Key>,
    /// Uses the better of our modes in the ratio to NVSHMEM.
    #[serde(default)]
    better_mode: bool,
    /// Compares our best row with NVSHMEM's best row.
    #[serde(default)]
    best_row: bool,
    /// The bounds of our figure on the best of the rows, in `unit`.
    at_most: Option<f64>,
    at_least: Option<f64>,
    #[serde(default)]
    unit: String,
    /// The row whose figure is subtracted, if it was measured.
    less: Option<Pattern>,
    /// The row whose figure is printed beside.
    beside: Option<Beside>,
}

fn gpus() -> Vec<On> {
    vec![On::Gpus]
}

/// A key of rows that are otherwise alike.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Key {
    Skew,
    Ctas,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beside {
    rows: Pattern,
    words: String,
    /// Whether nothing is known without its figure.
    #[serde(default)]
    needed: bool,
}

/// The verdict on a goal, or on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "&'static str")]
pub(crate) enum Verdict {
    /// Reached.
    Pass,
    /// Not reached.
    Miss,
    /// Not reached, because the engine permits no higher rate.
    Engine,
    /// Not missed, and a figure is missing, or there is no goal.
    Unknown,
}

impl Verdict {
    /// Returns the word for a table.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Miss => "miss",
            Self::Engine => "engine",
            Self::Unknown => "-",
        }
    }
}

impl From<Verdict> for &'static str {
    fn from(verdict: Verdict) -> Self {
        verdict.word()
    }
}

/// A goal with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Judged {
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub target: String,
    /// The figures as text; empty if nothing was measured.
    pub reached: String,
    pub verdict: Verdict,
    /// The rows that decided.
    pub row: String,
}

/// The time that ours is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    Limit,
    Nvshmem,
    Own,
}

/// One comparison of a goal: its figure as text, verdict, and row.
type Part = (String, Verdict, String);

/// A part without a figure.
fn unknown() -> Part {
    (String::new(), Verdict::Unknown, String::new())
}

impl Goals {
    /// Parses a file.
    pub(crate) fn read(text: &str) -> Result<Self> {
        toml::from_str(text).context("a file of goals is not in its form")
    }

    /// Returns every goal for the device and the number of PEs of the results, with its verdict.
    pub(crate) fn judge(&self, results: &Results) -> Vec<Judged> {
        let applies = |goal: &&Goal| goal.on.contains(&results.on) && goal.pes.is_none_or(|pes| pes == results.n);
        self.goal.iter().filter(applies).map(|goal| self.judge_one(goal, results)).collect()
    }

    /// Returns whether an engine bounds some rows.
    pub(crate) fn has_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// Returns the verdict on a row beside NVSHMEM.
    pub(crate) fn of_row(&self, results: &Results, one: &Measured) -> Verdict {
        let judge = |goal: &Goal| {
            let least = goal.nvshmem.filter(|_| goal.on.contains(&results.on) && goal.rows.fits(&one.row))?;
            Some(self.of_ratio(results, one, ratio(goal, To::Nvshmem, results, one)?, least))
        };
        self.goal.iter().find_map(judge).unwrap_or(Verdict::Unknown)
    }

    /// Returns our share of the engine's rate with as many queues, if it bounds the row.
    pub(crate) fn part_of_engine(&self, results: &Results, one: &Measured) -> Option<f64> {
        let engine = self.engine.as_ref().filter(|engine| engine.rows.fits(&one.row))?;
        let (qps, _) = one.row.queues?;
        let is_it = |of: &&Measured| engine.by.fits(&of.row) && of.row.queues.is_some_and(|(count, _)| count == qps);
        Some(figure(results, one)? / figure(results, results.measured.iter().find(is_it)?)?)
    }

    fn engine_bounds(&self, results: &Results, one: &Measured) -> bool {
        let share = self.engine.as_ref().map_or(1.0, |engine| engine.share);
        self.part_of_engine(results, one).is_some_and(|part| part >= share)
    }

    fn of_ratio(&self, results: &Results, one: &Measured, ratio: f64, least: f64) -> Verdict {
        self.verdict(ratio >= least, results, one)
    }

    fn verdict(&self, reached: bool, results: &Results, one: &Measured) -> Verdict {
        match reached {
            true => Verdict::Pass,
            false if self.engine_bounds(results, one) => Verdict::Engine,
            false => Verdict::Miss,
        }
    }

    fn judge_one(&self, goal: &Goal, results: &Results) -> Judged {
        let (mut targets, mut parts) = (Vec::new(), Vec::new());
        let ratios = [(goal.limit, To::Limit, " to the limit"), (goal.nvshmem, To::Nvshmem, " to NVSHMEM")];
        for (least, to, words) in ratios.into_iter().chain([(goal.own, To::Own, "")]) {
            let Some(least) = least else { continue };
            targets.push(format!(">= {least}{words}"));
            parts.push(self.by_ratio(goal, to, least, results));
        }
        for (bound, sign) in [(goal.at_least, ">="), (goal.at_most, "<=")] {
            let Some(bound) = bound else { continue };
            targets.push(format!("{sign} {bound} {}", goal.unit));
            parts.push(self.by_figure(goal, bound, results));
        }
        let any = |verdict| parts.iter().any(|(_, one, _)| *one == verdict);
        let verdict = [Verdict::Miss, Verdict::Unknown, Verdict::Engine].into_iter().find(|one| any(*one));
        let verdict = verdict.unwrap_or(Verdict::Pass);
        // Only the parts that missed the goal decided, if any did.
        let decides = |of: &&Part| !of.0.is_empty() && (verdict != Verdict::Miss || of.1 == Verdict::Miss);
        let mut rows: Vec<&str> = parts.iter().filter(decides).map(|(_, _, row)| row.as_str()).collect();
        rows.dedup();
        let texts: Vec<&str> = parts.iter().map(|(text, ..)| if text.is_empty() { "-" } else { text }).collect();
        Judged {
            what: goal.what.clone(),
            why: goal.why.clone(),
            target: targets.join("; "),
            reached: if texts.iter().all(|text| *text == "-") { String::new() } else { texts.join("; ") },
            verdict,
            row: rows.join("; "),
        }
    }

    /// Judges the least ratio, and counts the rows that reach the goal.
    fn by_ratio(&self, goal: &Goal, to: To, least: f64, results: &Results) -> Part {
        let rows = || results.measured.iter().filter(|one| goal.rows.fits(&one.row));
        let judge = |one, ratio, row| (ratio, self.of_ratio(results, one, ratio, least), row);
        let judged: Vec<(f64, Verdict, String)> = match goal.best_row {
            true => best_rows(goal, results).into_iter().map(|(one, ratio, row)| judge(one, ratio, row)).collect(),
            false => {
                rows().filter_map(|one| Some(judge(one, ratio(goal, to, results, one)?, one.row.to_string()))).collect()
            }
        };
        let many = |verdict| judged.iter().filter(|(_, one, _)| *one == verdict).count();
        let (passed, bound, missed) = (many(Verdict::Pass), many(Verdict::Engine), many(Verdict::Miss));
        let verdict = match (missed, bound) {
            (1.., _) => Verdict::Miss,
            (0, 1..) => Verdict::Engine,
            (0, 0) => Verdict::Pass,
        };
        let decides = |of: &&(f64, Verdict, String)| missed == 0 || of.1 == Verdict::Miss;
        let Some((worst, _, row)) = judged.iter().filter(decides).min_by(|(a, ..), (b, ..)| a.total_cmp(b)) else {
            return unknown();
        };
        let engine = if bound > 0 { format!(", the engine bounds {bound}") } else { String::new() };
        (format!("{worst:.3} ({passed} of {} rows{engine})", judged.len()), verdict, row.clone())
    }

    /// Judges our best figure. Rows that ours failed count if there is none.
    fn by_figure(&self, goal: &Goal, bound: f64, results: &Results) -> Part {
        let of = |pattern: &Pattern| {
            let fits: Vec<&Measured> = results.measured.iter().filter(|one| pattern.fits(&one.row)).collect();
            fits.into_iter().find_map(|one| figure(results, one))
        };
        let rows = || results.measured.iter().filter(|one| goal.rows.fits(&one.row));
        let timed = rows().filter_map(|one| Some((one, figure(results, one)?)));
        let best = match goal.at_least.is_some() {
            true => timed.max_by(|(_, a), (_, b)| a.total_cmp(b)),
            false => timed.min_by(|(_, a), (_, b)| a.total_cmp(b)),
        };
        let Some((one, whole)) = best else {
            let failed = rows().find(|one| failed(one));
            return failed.map_or_else(unknown, |one| ("FAILED".into(), Verdict::Miss, one.row.to_string()));
        };
        let less = goal.less.as_ref().and_then(of).unwrap_or(0.0);
        let (value, mut notes) = (whole - less, Vec::new());
        if goal.less.is_some() {
            notes.push(format!("{} until seen", with_unit(whole, &goal.unit)));
        }
        if let Some(Beside { rows, words, needed }) = &goal.beside {
            match of(rows) {
                Some(beside) if *needed => notes.push(format!("{beside:.1} {words}")),
                Some(beside) => notes.push(format!("{:.0} {words}", beside - less)),
                None if *needed => return unknown(),
                None => {}
            }
        }
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        let reached = if goal.at_least.is_some() { value >= bound } else { value <= bound };
        let text = format!("{}{notes}", with_unit(value, &goal.unit));
        (text, self.verdict(reached, results, one), one.row.to_string())
    }
}

/// Formats a figure with the digits that its unit has in goals.
fn with_unit(value: f64, unit: &str) -> String {
    let digits = match unit {
        "ns" => 0,
        "M/s" => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

fn figure(results: &Results, one: &Measured) -> Option<f64> {
    results.median(one, 0).map(|ns| one.row.figure(ns))
}

/// Returns whether ours failed the row.
fn failed(one: &Measured) -> bool {
    has_failed(one, 0)
}

fn has_failed(one: &Measured, peer: usize) -> bool {
    matches!(one.cells.get(peer), Some(Cell::Failed(_)))
}

/// Returns whether the peer was asked for the row and has the test.
fn has_row(one: &Measured, peer: usize) -> bool {
    matches!(one.cells.get(peer), Some(Cell::Times(_) | Cell::Failed(_)))
}

/// Returns the other time divided by ours. A row that ours failed counts as infinitely slow if the other has it.
fn ratio(goal: &Goal, to: To, results: &Results, one: &Measured) -> Option<f64> {
    let like = match goal.without.filter(|_| to != To::Nvshmem) {
        Some(key) => results.without(&one.row, key)?,
        None => one,
    };
    let peers: Vec<usize> = match to {
        To::Limit => results.limit().into_iter().collect(),
        To::Nvshmem => results.nvshmem().collect(),
        To::Own => vec![0],
    };
    let (ours, failed) = match goal.better_mode && to == To::Nvshmem {
        true => (results.best_of_ours(one), results.ours().any(|index| has_failed(one, index))),
        false => (results.median(one, 0), failed(one)),
    };
    let theirs = peers.iter().filter_map(|peer| results.median(like, *peer)).min_by(f64::total_cmp);
    match failed {
        true if to == To::Own => theirs.map(|_| 0.0),
        true => peers.iter().any(|peer| has_row(like, *peer)).then_some(0.0),
        false => Some(theirs? / ours?),
    }
}

/// Returns the ratio of the least times of both, with the rows that have them, and the rows that ours failed.
fn best_rows<'a>(goal: &Goal, results: &'a Results) -> Vec<(&'a Measured, f64, String)> {
    let rows: Vec<&Measured> = results.measured.iter().filter(|one| goal.rows.fits(&one.row)).collect();
    let least = |time: &dyn Fn(&Measured) -> Option<f64>| {
        let times = rows.iter().filter_map(|one| Some((*one, time(one)?)));
        times.min_by(|(_, a), (_, b)| a.total_cmp(b))
    };
    let nvshmem = |one: &Measured| results.best_nvshmem(one).and_then(|index| results.median(one, index));
    let failed = rows.iter().filter(|one| failed(one) && results.nvshmem().any(|index| has_row(one, index)));
    let mut ratios: Vec<_> = failed.map(|one| (*one, 0.0, one.row.to_string())).collect();
    if let (Some((our, ours)), Some((their, theirs))) = (least(&|one| results.median(one, 0)), least(&nvshmem)) {
        ratios.push((our, theirs / ours, format!("ours {}, theirs {}", our.row, their.row)));
    }
    ratios
}

/// Returns a table of the goals, `None` if there are none.
pub(crate) fn table(goals: &[Judged]) -> Option<Table> {
    let mut table = Table::new();
    table.set_header(["target", "", "reached", "verdict", "row"]);
    table.add_rows(goals.iter().map(|goal| {
        let Judged { what, target, reached, verdict, row, .. } = goal;
        [what, target, reached, verdict.word(), row]
    }));
    (!goals.is_empty()).then_some(table)
}

impl Results {
    /// Returns the measured row in one direction that lacks this key and is otherwise the same.
    fn without(&self, row: &Row, key: Key) -> Option<&Measured> {
        let wanted = match key {
            Key::Skew => Row { skew: 0, both: false, ..row.clone() },
            Key::Ctas => Row { grid: None, ..row.clone() },
        };
        self.measured.iter().find(|one| one.row == Row { iters: one.row.iters, ..wanted.clone() })
    }
}

#[cfg(test)]
mod tests;

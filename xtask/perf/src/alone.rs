//! Measurements without a world: each peer is one process, and each suite has a page and a file of its own.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use comfy_table::Table;
use serde::Serialize;
use serde_json::{Value, json};

use super::chart::Chart;
use super::clock::Clock;
use super::contest::{self, Effort, Outcome};
use super::machine::Machine;
use super::peer::Peer;
use super::plan::On;
use super::report::{self, About};
use super::results::Results;
use super::row::Row;
use super::table::{in_markdown, list_what_is_missing, plain};
use super::{Ending, Options, roster};
use xtask::gpu;
use xtask::place::Place;
use xtask::ptx;
use xtask::run::Device;

/// The targets, as a table (`None` if there are none) and as JSON.
pub(super) type Targets = (Option<Table>, Value);

/// The properties of one suite.
pub(super) struct Suite {
    /// The stem of its files' names; the task is `perf --NAME`.
    pub(super) name: &'static str,
    /// The explanation of its figures on the page.
    pub(super) legend: &'static str,
    /// Returns the first line of every page.
    pub(super) head: fn(&Results) -> String,
    /// Returns its targets.
    pub(super) targets: fn(&Results) -> Result<Targets>,
    /// Returns the tables of its rows, with their titles.
    pub(super) tables: fn(&Results) -> Vec<(String, Table)>,
    /// Returns its plots.
    pub(super) charts: fn(&Results) -> Vec<Chart>,
    /// Adds the verdict of each row to the JSON file.
    pub(super) judge: fn(&mut Value, &Results),
}

impl Suite {
    /// Measures on `n` PEs, and writes the files repeatedly, so that an interrupted run leaves its results so far.
    pub(super) fn measure(
        &self,
        place: &Place,
        options: &Options,
        (on, n): (On, u32),
        rows: Vec<Row>,
        mut peers: Vec<Peer>,
    ) -> Result<Ending> {
        let out = super::out_folder(place, options)?;
        let machine = Machine::here();
        let mut results = Results {
            peers: peers.iter().map(|peer| peer.name().to_string()).collect(),
            on,
            n,
            device: match n {
                1 => machine.gpus.first().map_or_else(String::new, |gpu| gpu.name.clone()),
                _ => machine.gpus_in_words(),
            },
            measured: Vec::new(),
            left_out: Vec::new(),
            stopped: None,
            failures: Vec::new(),
        };
        let mut about = super::about(place, options, machine);
        eprintln!("perf: {} rows, {}; {}", rows.len(), results.peers.join(" and "), (self.head)(&results));

        // The time of the builds before is not part of the measurement.
        let begun = Instant::now();
        let json = out.join(format!("{}.json", self.name));
        let clock = Clock::start(options.limit_seconds.map(Duration::from_secs))?;
        let effort = Effort { turns: options.turns, repeat: options.repeat };
        let outcome = contest::run(&mut peers, rows, effort, &clock, |peers, outcome| {
            results.measured.clone_from(&outcome.measured);
            about.peers = roster::about(peers);
            if let Err(why) = self.whole(&about, &results).and_then(|whole| report::put(&json, &whole)) {
                eprintln!("warning: {why:#}");
            }
        });
        about.peers = roster::about(&peers);
        let Outcome { measured, left_out, stopped, failures } = outcome;
        results = Results { measured, left_out, stopped, failures, ..results };
        report::put(&json, &self.whole(&about, &results)?)?;
        let file = out.join(format!("{}.md", self.name));
        std::fs::write(&file, self.markdown(&results, &super::facts(&about))?)
            .with_context(|| format!("cannot write {}", file.display()))?;
        for chart in (self.charts)(&results) {
            chart.write(&out)?;
        }
        print!("{}", self.for_terminal(&results)?);
        println!(
            "perf: {} rows measured, {} failures, {} rows left out, {:.0} s; {}",
            results.measured.len(),
            results.failures.len(),
            results.left_out.len(),
            begun.elapsed().as_secs_f64(),
            file.display()
        );
        Ok(Ending {
            rows: results.measured.len(),
            failures: results.failures,
            left_out: results.left_out.len(),
            signal: clock.signal(),
        })
    }

    /// Returns the JSON file: that of `perf.json`, with this suite's own targets.
    pub(super) fn whole(&self, about: &About, results: &Results) -> Result<Value> {
        let mut whole = report::whole(about, results, (self.targets)(results)?.1)?;
        whole["head"] = json!((self.head)(results));
        (self.judge)(&mut whole, results);
        Ok(whole)
    }

    /// Returns the tables, the rows that were left out, and the failures.
    pub(super) fn for_terminal(&self, results: &Results) -> Result<String> {
        let mut text = format!("{}\n\n", (self.head)(results));
        for (title, table) in (self.tables)(results) {
            text.push_str(&format!("{title}\n\n{}\n\n", plain(table)));
        }
        if let Some(targets) = (self.targets)(results)?.0 {
            text.push_str(&format!("{}\n\n", plain(targets)));
        }
        if let Some(why) = &results.stopped {
            text.push_str(&format!("left out {} rows, because {why}:\n", results.left_out.len()));
            results.left_out.iter().for_each(|row| text.push_str(&format!("  {row}\n")));
        }
        results.failures.iter().for_each(|failure| text.push_str(&format!("FAILED {failure}\n")));
        Ok(text)
    }

    /// Returns the page.
    pub(super) fn markdown(&self, results: &Results, facts: &[(String, String)]) -> Result<String> {
        let Self { name, legend, .. } = self;
        let mut page = format!("# Measured by `cargo xtask perf --{name}`\n\n**{}**\n\n", (self.head)(results));
        facts.iter().for_each(|(name, value)| page.push_str(&format!("- {name}: {value}\n")));
        page.push_str(&format!("\n{legend}\n"));
        if let Some(targets) = (self.targets)(results)?.0 {
            page.push_str(&format!("\n## Targets\n\n{}", in_markdown(targets)));
        }
        for (title, table) in (self.tables)(results) {
            page.push_str(&format!("\n## {title}\n\n{}", in_markdown(table)));
        }
        list_what_is_missing(&mut page, results);
        Ok(page)
    }
}

/// A target with its figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Goal {
    pub what: &'static str,
    pub target: String,
    /// The figure as text; empty if nothing was measured.
    pub reached: String,
    /// `pass`, `miss`, or `-` if nothing was measured.
    pub verdict: &'static str,
    /// The row that decided.
    pub row: String,
}

impl Goal {
    /// Returns a target with the figure that was `found`, whether it is reached, and its row; or else with the row that
    /// ours failed.
    pub(super) fn new(
        what: &'static str,
        target: String,
        found: Option<(String, bool, &Row)>,
        failed: Option<&Row>,
    ) -> Self {
        let (reached, verdict, row) = match (found, failed) {
            (Some((reached, true, row)), _) => (reached, "pass", row.to_string()),
            (Some((reached, false, row)), _) => (reached, "miss", row.to_string()),
            (None, Some(row)) => ("FAILED".to_string(), "miss", row.to_string()),
            (None, None) => (String::new(), "-", String::new()),
        };
        Self { what, target, reached, verdict, row }
    }
}

/// Returns the table of the targets, and the targets for the JSON file.
pub(super) fn judged(goals: Vec<Goal>) -> Result<Targets> {
    if goals.is_empty() {
        return Ok((None, json!([])));
    }
    let file = serde_json::to_value(&goals)?;
    let lines =
        goals.into_iter().map(|goal| [goal.what.to_string(), goal.target, goal.reached, goal.verdict.into(), goal.row]);
    Ok((Some(targets(lines)), file))
}

/// Returns a table of targets: name, value, figure, verdict, and row.
pub(super) fn targets(lines: impl Iterator<Item = [String; 5]>) -> Table {
    let mut table = Table::new();
    table.set_header(["target", "", "reached", "verdict", "row"]);
    table.add_rows(lines);
    table
}

/// Returns the device to measure: a GPU, unless the user asks for host threads. A list of rows needs no GPU.
///
/// # Errors
///
/// There is no GPU; `what` names the measurement that needs one.
pub(super) fn on(device: Device, listed: bool, what: &'static str) -> Result<On> {
    let told = || std::env::var("OXSHMEM_DEVICE").is_ok_and(|told| told == "host");
    if device == Device::Host || (device == Device::Auto && told()) {
        return Ok(On::Host);
    }
    match gpu::count() {
        _ if listed => Ok(On::Gpus),
        Ok(0) => bail!("{what}: the driver sees no GPU"),
        counted => counted.context(what).map(|_| On::Gpus),
    }
}

/// Returns the PTX of a kernel crate. In a checkout it is built for `arch`, in a folder of its own, because the other
/// tasks build for every supported GPU.
pub(super) fn kernels(place: &Place, package: &str, folder: &str, arch: &str) -> Result<PathBuf> {
    match place {
        Place::Packed(root) => {
            let file = place.ptx().join(format!("{}.ptx", package.replace('-', "_")));
            if !file.is_file() {
                bail!("{} is missing: {} was packed without `{package}`", file.display(), root.display());
            }
            Ok(file)
        }
        Place::Checkout(root) => {
            let options = ptx::Options {
                packages: vec![package.to_string()],
                arch: vec![arch.to_string()],
                out: Some(place.ptx().join(folder)),
                ..ptx::Options::default()
            };
            Ok(ptx::build_all(root, &options)?.into_iter().next().context("nothing was built")?.file)
        }
    }
}

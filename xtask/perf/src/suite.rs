//! A suite: its rows, programs, goals and pages, and the run that measures them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use comfy_table::Table;
use serde_json::{Value, json};

use super::Options;
use super::chart::Chart;
use super::clock::Clock;
use super::contest::{self, Effort, Outcome};
use super::goals::{self, Goals};
use super::machine::Machine;
use super::plan::{On, Profile};
use super::report::{self, About};
use super::results::Results;
use super::roster::{self, Roster};
use super::row::Row;
use super::table::{in_markdown, plain};
use xtask::place::{Place, target_dir};

/// The interval at which the JSON file is written during the run, so that an interrupted run leaves its results so far.
const CHECKPOINT: Duration = Duration::from_secs(20);

/// The properties of one suite.
pub(crate) struct Suite {
    /// The stem of its files' names.
    pub name: &'static str,
    /// The option that chooses it, with a blank before it.
    pub option: &'static str,
    /// The explanation of its figures on the page.
    pub legend: &'static str,
    /// Its file of goals.
    pub goals: &'static str,
    /// Returns the device to measure.
    pub on: fn(&Options) -> Result<On>,
    /// Whether each peer is one process, without a world.
    pub is_alone: bool,
    pub rows: fn(Profile, On) -> Vec<Row>,
    /// Builds missing programs, and enlists the peers, ours first. None is started yet. The last argument is the folder
    /// for programs.
    pub enlist: fn(&mut Roster<'_>, &Place, &Path) -> Result<()>,
    /// Returns the first line of every page.
    pub head: fn(&Results) -> String,
    /// Returns the tables of its rows, with their titles.
    pub tables: fn(&Results, &Goals) -> Vec<(String, Table)>,
    pub charts: fn(&Results) -> Vec<Chart>,
}

/// The end of a run.
pub(crate) struct Ending {
    pub rows: usize,
    pub failures: Vec<String>,
    pub left_out: usize,
    /// The signal that asked to stop, if any.
    signal: Option<i32>,
}

impl Ending {
    /// Returns the exit code: 0 if something was measured and nothing failed, and no row was left out of a run that
    /// must be complete.
    fn code(&self, options: &Options) -> i32 {
        let misses_rows = options.complete && self.left_out > 0;
        match self.signal {
            Some(signal) => 128 + signal,
            None => i32::from(!self.failures.is_empty() || self.rows == 0 || misses_rows),
        }
    }
}

impl Suite {
    /// Runs the task.
    pub(crate) fn task(&self, place: &Place, options: &Options) -> Result<i32> {
        let on = (self.on)(options)?;
        if options.list {
            options.fitting((self.rows)(options.profile(), on))?.iter().for_each(|row| println!("{row}"));
            return Ok(0);
        }
        Ok(self.measure(place, options, on)?.code(options))
    }

    /// Measures, prints, and writes the files.
    pub(crate) fn measure(&self, place: &Place, options: &Options, on: On) -> Result<Ending> {
        let out = out_folder(place, options)?;
        let rows = options.fitting((self.rows)(options.profile(), on))?;
        let n = if self.is_alone { 1 } else { options.n };
        let mut roster = Roster::new(options, on, n);
        (self.enlist)(&mut roster, place, &out)?;
        let mut peers = roster.complete()?;
        let machine = Machine::here();
        let mut results = Results {
            peers: peers.iter().map(|peer| peer.name().to_string()).collect(),
            on,
            n,
            device: match self.is_alone {
                true => machine.gpus.first().map_or_else(String::new, |gpu| gpu.name.clone()),
                false => machine.gpus_in_words(),
            },
            measured: Vec::new(),
            left_out: Vec::new(),
            stopped: None,
            failures: Vec::new(),
        };
        let mut about = About::now(place, options, machine);
        eprintln!("perf: {} rows, {}; {}", rows.len(), results.peers.join(" and "), (self.head)(&results));

        // The time of the builds before is not part of the measurement.
        let begun = Instant::now();
        let json = out.join(format!("{}.json", self.name));
        let clock = Clock::start(options.limit_seconds.map(Duration::from_secs))?;
        let effort = Effort { turns: options.turns, repeat: options.repeat };
        let mut written = Instant::now();
        let outcome = contest::run(&mut peers, rows, effort, &clock, |peers, outcome| {
            if written.elapsed() < CHECKPOINT {
                return;
            }
            results.measured.clone_from(&outcome.measured);
            about.peers = roster::about(peers);
            if let Err(why) = self.whole(&about, &results).and_then(|whole| report::put(&json, &whole)) {
                eprintln!("warning: {why:#}");
            }
            written = Instant::now();
        });
        about.peers = roster::about(&peers);
        let Outcome { measured, left_out, stopped, failures } = outcome;
        results = Results { measured, left_out, stopped, failures, ..results };
        report::put(&json, &self.whole(&about, &results)?)?;
        let file = out.join(format!("{}.md", self.name));
        std::fs::write(&file, self.markdown(&results, &about.facts())?)
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

    /// Returns the JSON file, with the verdict of each row where an engine bounds rows.
    pub(crate) fn whole(&self, about: &About, results: &Results) -> Result<Value> {
        let goals = Goals::read(self.goals)?;
        let mut whole = report::whole(about, results, serde_json::to_value(goals.judge(results))?)?;
        whole["head"] = json!((self.head)(results));
        if let (true, Some(rows)) = (goals.has_engine(), whole["rows"].as_array_mut()) {
            for (row, one) in rows.iter_mut().zip(&results.measured) {
                row["part_of_engine"] = json!(goals.part_of_engine(results, one));
                row["verdict"] = json!(goals.of_row(results, one));
            }
        }
        Ok(whole)
    }

    /// Returns the tables, the rows that were left out, and the failures.
    pub(crate) fn for_terminal(&self, results: &Results) -> Result<String> {
        let goals = Goals::read(self.goals)?;
        let mut text = format!("{}\n\n", (self.head)(results));
        for (title, table) in (self.tables)(results, &goals) {
            text.push_str(&format!("{title}\n\n{}\n\n", plain(table)));
        }
        if let Some(targets) = goals::table(&goals.judge(results)) {
            text.push_str(&format!("{}\n\n", plain(targets)));
        }
        if let Some(why) = &results.stopped {
            text.push_str(&format!("left out {} rows, because {why}:\n", results.left_out.len()));
            results.left_out.iter().for_each(|row| text.push_str(&format!("  {row}\n")));
        }
        results.failures.iter().for_each(|failure| text.push_str(&format!("FAILED {failure}\n")));
        Ok(text)
    }

    /// Returns the page: head, facts, targets, rows, failures, and rows that were left out.
    pub(crate) fn markdown(&self, results: &Results, facts: &[(String, String)]) -> Result<String> {
        let Self { option, legend, .. } = self;
        let goals = Goals::read(self.goals)?;
        let mut page = format!("# Measured by `cargo xtask perf{option}`\n\n**{}**\n\n", (self.head)(results));
        facts.iter().for_each(|(name, value)| page.push_str(&format!("- {name}: {value}\n")));
        page.push_str(&format!("\n{legend}\n"));
        let mut add = |title: &str, text: String| page.push_str(&format!("\n## {title}\n\n{text}"));
        if let Some(targets) = goals::table(&goals.judge(results)) {
            add("Targets", in_markdown(targets));
        }
        (self.tables)(results, &goals).into_iter().for_each(|(title, table)| add(&title, in_markdown(table)));
        let why = results.stopped.clone().unwrap_or_default();
        let left_out = results.left_out.iter().map(Row::to_string).collect();
        for (title, lines) in [("Failures", results.failures.clone()), (&format!("Left out: {why}"), left_out)] {
            if !lines.is_empty() {
                add(title, lines.iter().map(|line| format!("- {line}\n")).collect());
            }
        }
        Ok(page)
    }
}

/// Returns the folder for the files, and creates it if it is missing.
fn out_folder(place: &Place, options: &Options) -> Result<PathBuf> {
    let out = options.out.clone().unwrap_or_else(|| match place {
        Place::Checkout(root) => target_dir(root).join("perf"),
        Place::Packed(_) => PathBuf::from("perf"),
    });
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    Ok(out)
}

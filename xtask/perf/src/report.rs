//! The description of a run, and the JSON file of all results, for programs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Value, json};

use super::Options;
use super::contest::{Cell, Measured};
use super::machine::Machine;
use super::results::Results;
use super::row::Row;
use xtask::dist;
use xtask::manifest::Manifest;
use xtask::place::Place;

/// The description of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct About {
    /// Its start, in UTC.
    pub date: String,
    /// Its command line.
    pub command: String,
    /// The version of xtask and of the sources.
    pub version: String,
    pub commit: String,
    pub profile: String,
    pub turns: u32,
    pub repeat: u32,
    pub peers: BTreeMap<String, AboutPeer>,
    pub machine: Machine,
}

/// The description of a peer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AboutPeer {
    pub program: String,
    /// Whether this run built its program, if that can differ.
    pub origin: Option<&'static str>,
    pub args: Vec<String>,
    /// Variables that the task set for it, without paths.
    pub environment: BTreeMap<String, String>,
    pub version: Option<String>,
    pub device: Option<String>,
    pub driver: Option<String>,
}

impl About {
    /// Describes the run that begins now. The peers' own descriptions follow later.
    pub(crate) fn now(place: &Place, options: &Options, machine: Machine) -> Self {
        Self {
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            command: std::env::args().map(|arg| without_folders(&arg)).collect::<Vec<_>>().join(" "),
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit: match place {
                Place::Checkout(root) => dist::commit(root),
                Place::Packed(root) => {
                    Manifest::read(root).map_or_else(|_| "unknown".into(), |manifest| manifest.commit)
                }
            },
            profile: options.profile().name().to_string(),
            turns: options.turns,
            repeat: options.repeat,
            peers: BTreeMap::new(),
            machine,
        }
    }

    /// Returns the facts that the page lists.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let machine = &self.machine;
        let mut facts = vec![
            ("date".to_string(), self.date.clone()),
            ("oxshmem".into(), format!("{}, commit {}", self.version, self.commit)),
            ("GPUs".into(), machine.gpus_in_words()),
            ("driver".into(), machine.driver.clone().unwrap_or_else(|| "none".into())),
            ("CPU".into(), format!("{} ({} threads), Linux {}", machine.cpu, machine.cpus, machine.kernel)),
            (
                "measured".into(),
                format!("profile {}, {} turns of {} repetitions", self.profile, self.turns, self.repeat),
            ),
        ];
        for (name, peer) in &self.peers {
            let mut words = vec![peer.version.clone().unwrap_or_else(|| "version unknown".into())];
            words.extend(peer.origin.map(str::to_string));
            words.extend(peer.environment.iter().map(|(name, value)| format!("`{name}={value}`")));
            facts.push((name.clone(), words.join(", ")));
        }
        facts
    }
}

/// Returns a word of the command line, with a path cut to its last part: the results do not show this machine's
/// folders.
pub(crate) fn without_folders(arg: &str) -> String {
    let (name, path) = arg.split_once('=').map_or(("", arg), |(name, path)| (name, path));
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if name.is_empty() { last.to_string() } else { format!("{name}={last}") }
}

/// Writes the result of [`whole`], so that no reader sees a part of the file.
pub(crate) fn put(file: &Path, whole: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(whole).context("cannot write JSON")?;
    let fresh = file.with_extension("json.new");
    std::fs::write(&fresh, text).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, file).with_context(|| format!("cannot write {}", file.display()))
}

/// Returns the whole file, with the verdicts.
pub(crate) fn whole(about: &About, results: &Results, targets: Value) -> Result<Value> {
    let rows: Vec<Value> = results.measured.iter().map(|one| of_row(results, one)).collect();
    Ok(json!({
        "head": results.head(),
        "host_pes": results.on == super::plan::On::Host,
        "pes": results.n,
        "about": serde_json::to_value(about)?,
        "rows": rows,
        "targets": targets,
        "failures": results.failures,
        "stopped": results.stopped,
        "left_out": results.left_out.iter().map(Row::to_string).collect::<Vec<_>>(),
    }))
}

fn of_row(results: &Results, one: &Measured) -> Value {
    let mut peers = serde_json::Map::new();
    for (index, (name, cell)) in results.peers.iter().zip(&one.cells).enumerate() {
        peers.insert(name.clone(), of_cell(results, one, index, cell));
    }
    let keys: BTreeMap<&str, String> = one.row.keys().into_iter().collect();
    json!({
        "row": one.row.to_string(),
        "test": one.row.test,
        "keys": keys,
        "iters": one.row.iters,
        "unit": one.row.unit().name(),
        "peers": peers,
    })
}

fn of_cell(results: &Results, one: &Measured, index: usize, cell: &Cell) -> Value {
    match cell {
        Cell::Skipped(why) => json!({ "skipped": why }),
        Cell::Failed(what) => json!({ "failed": what }),
        Cell::Times(turns) => json!({
            "figure": cell.median().map(|ns| one.row.figure(ns)),
            "ns": cell.summary(),
            "samples_ns": turns,
            "time_to_ours": results.ratio(one, index),
            "ctas": one.ctas.get(index).copied().flatten(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn a_row_has_all_samples_of_a_peer_or_why_there_are_none() {
        let rows: [(Row, &[f64]); 1] = [(Row::of("malloc").bytes(1024), &[2000.0, 0.0])];
        let results = results(&["oxshmem", "nvshmem"], &rows);
        let value = of_row(&results, &results.measured[0]);
        assert_eq!(value["peers"]["oxshmem"]["samples_ns"], json!([[2000.0]]));
        assert_eq!(value["peers"]["oxshmem"]["figure"], json!(2.0));
        assert_eq!(value["peers"]["nvshmem"]["skipped"], json!("no such test"));
        assert_eq!((&value["keys"]["bytes"], &value["unit"]), (&json!("1024"), &json!("us")));
    }

    #[test]
    fn the_command_is_kept_without_the_folders_of_this_machine() {
        let kept = ["/a/b/xtask", "perf", "nvshmem=/a/nvidia/nvshmem/", "ctas=8"].map(without_folders);
        assert_eq!(kept, ["xtask", "perf", "nvshmem=nvshmem", "ctas=8"]);
    }
}

//! The steps that run our programs as worlds of host PEs, of the table `xtask/worlds.toml`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use clap::Parser;
use oxshmem_rdma::verbs::sysfs;
use serde::Deserialize;

use super::{CONFORMANCE, Counted, LITMUS, by_kernel, counting, example, left_out};
use crate::doctor::selftest;
use crate::place::Place;
use crate::run::nic::Options as NicOptions;
use crate::run::{Device, SoftNic};
use crate::steps::{Done, Step};

/// The programs that close with a count. Others succeed by their exit code alone.
const COUNTING: [&str; 3] = [CONFORMANCE, LITMUS, selftest::PROGRAM];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    cases: BTreeMap<String, String>,
    step: Vec<Row>,
}

/// Steps that differ in some words alone.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Row {
    /// A step for each entry; one step without any.
    #[serde(rename = "for")]
    entries: Vec<String>,
    /// More entries with `--full`.
    more: Vec<String>,
    /// Whether the name of each example is an entry, too.
    examples: bool,
    /// Whether the step is one of `--full` alone.
    only_full: bool,
    name: String,
    /// The number of processes, each a PE; without it, one process makes its PEs itself.
    pes: Option<String>,
    /// Variables of the processes.
    env: Vec<String>,
    /// The options of `run` for the software ConnectX under libibverbs and libmlx5, which connects the processes.
    nic: Option<String>,
    /// Whether a kernel in each process executes the queues of a software ConnectX.
    by_kernel: bool,
    /// The program and its arguments.
    run: String,
}

/// A step.
struct World {
    name: String,
    pes: Option<u32>,
    env: Vec<(String, String)>,
    nic: NicOptions,
    by_kernel: bool,
    program: String,
    args: Vec<String>,
}

/// The options of a NIC, as a user types them.
#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    nic: NicOptions,
}

/// Returns the steps; with `full` all seeds, all worlds, and more rounds of each operation.
pub(super) fn steps<'a>(place: &'a Place, examples: &[String], full: bool) -> Result<Vec<Step<'a>>> {
    let is_packed = matches!(place, Place::Packed(_));
    let mut steps = vec![of_this_machine(place)];
    for world in worlds(include_str!("../../worlds.toml"), examples, full)? {
        if world.nic.nic.is_none() || !is_packed {
            steps.push(Step::new(world.name.clone(), move || world.run(place)));
        }
    }
    if is_packed {
        let why = "the software NIC is built from sources, which a packed folder has not";
        steps.push(Step::skipped("processes over libmlx5 and the software NIC", why));
    }
    Ok(steps)
}

fn worlds(table: &str, examples: &[String], full: bool) -> Result<Vec<World>> {
    let table: Table = toml::from_str(table).context("the table of worlds is not in its form")?;
    let mut worlds = Vec::new();
    for row in table.step.iter().filter(|row| full || !row.only_full) {
        let more = if full { &row.more[..] } else { &[] };
        let of_examples = if row.examples { examples } else { &[] };
        let mut entries: Vec<&String> = row.entries.iter().chain(more).chain(of_examples).collect();
        let none = String::new();
        if entries.is_empty() && !row.examples {
            entries.push(&none);
        }
        for entry in entries {
            let entry = filled(entry, &[], &table.cases, full)?;
            let words: Vec<&str> = entry.split_whitespace().collect();
            worlds.push(row.world(&|text| filled(text, &words, &table.cases, full))?);
        }
    }
    Ok(worlds)
}

/// Replaces each `{...}` of a text.
pub(super) fn filled(text: &str, words: &[&str], cases: &BTreeMap<String, String>, full: bool) -> Result<String> {
    let mut parts = text.split('{');
    let mut whole = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (inside, after) = part.split_once('}').with_context(|| format!("a brace is open in `{text}`"))?;
        let with = match inside.split_once('|') {
            Some((short, long)) => Some(if full { long } else { short }),
            None => match inside.parse::<usize>() {
                Ok(number) => words.get(number).copied(),
                Err(_) => cases.get(inside).map(String::as_str),
            },
        };
        whole.push_str(with.with_context(|| format!("nothing replaces {{{inside}}} in `{text}`"))?);
        whole.push_str(after);
    }
    Ok(whole)
}

impl Row {
    fn world(&self, filled: &dyn Fn(&str) -> Result<String>) -> Result<World> {
        let run = filled(&self.run)?;
        let mut words = run.split_whitespace().map(str::to_string);
        let nic = filled(self.nic.as_deref().unwrap_or_default())?;
        let set = |text: &String| {
            let (name, value) = text.split_once('=').with_context(|| format!("`{text}` is not NAME=VALUE"))?;
            Ok((name.to_string(), value.to_string()))
        };
        Ok(World {
            name: filled(&self.name)?,
            pes: self.pes.as_deref().map(|pes| Ok::<_, anyhow::Error>(filled(pes)?.parse()?)).transpose()?,
            env: self.env.iter().map(set).collect::<Result<_>>()?,
            nic: Typed::try_parse_from(["nic"].into_iter().chain(nic.split_whitespace()))?.nic,
            by_kernel: self.by_kernel,
            program: words.next().with_context(|| format!("`{}` has no program", self.name))?,
            args: words.collect(),
        })
    }
}

impl World {
    /// Runs the step, or skips it if the machine has no libraries for its NIC and can't fetch them.
    fn run(self, place: &Place) -> Result<Done> {
        if let (Some(_), Err(why)) = (self.nic.nic, SoftNic::libraries(place)) {
            return Ok(left_out(format!("{why:#}")));
        }
        let nic = SoftNic::prepare(place, &self.nic)?;
        if !COUNTING.contains(&&*self.program) {
            return example(place, &self.program, self.pes.map(|pes| (pes, Device::Host)), nic);
        }
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let (n, world) = (self.pes.unwrap_or(1), self.pes.map(|_| Device::Host));
        let env = [place.environment(), self.env].concat();
        let counted = Counted { world, env, nic, ..Counted::of(n, Device::Host, &args) };
        if self.by_kernel { by_kernel(place, counted) } else { counting(place, &self.program, counted) }
    }
}

/// Returns the self test of this machine's own NICs.
fn of_this_machine(place: &Place) -> Step<'_> {
    Step::new("self test of this machine's NICs", || {
        let folder = sysfs::root().join("class/infiniband");
        if !std::fs::read_dir(&folder).is_ok_and(|mut nics| nics.next().is_some()) {
            return Ok(Done::Skipped(format!("there is none in {}", folder.display())));
        }
        let env = [place.environment(), selftest::libraries(place)].concat();
        counting(place, selftest::PROGRAM, Counted { world: None, env, ..Counted::of(1, Device::Host, &[]) })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_step_of_the_table_is_complete_and_has_a_name_of_its_own() {
        let examples = ["01-put".to_string()];
        for (full, least) in [(false, 50), (true, 60)] {
            let worlds = worlds(include_str!("../../worlds.toml"), &examples, full).unwrap();
            let names: BTreeSet<&str> = worlds.iter().map(|world| world.name.as_str()).collect();
            assert!(names.len() == worlds.len() && names.len() >= least, "{}", names.len());
            for world in &worlds {
                let programs = ["oxshmem-ring", "oxshmem-jacobi", "oxshmem-mandelbrot", "01-put"];
                assert!(COUNTING.iter().chain(&programs).any(|one| *one == world.program), "{}", world.program);
            }
        }
    }

    #[test]
    fn a_row_has_a_step_for_each_entry_and_other_words_with_full() {
        let table = "[cases]\nSOME = \"a:: b::\"\n[[step]]\nfor = [\"2 {1|9}\"]\nmore = [\"3 8\"]\nexamples = true\n\
                     name = \"{0} PEs\"\nnic = \"--nic soft --nic-seed 7\"\nenv = [\"A=1\"]\nrun = \"p --n {0} {SOME} {|-x}\"\n";
        let steps = |full| {
            let worlds = worlds(table, &["e".to_string()], full).unwrap();
            let words = |world: &World| format!("{}: {} {}", world.name, world.program, world.args.join(" "));
            worlds.iter().map(|world| format!("{}; {}", words(world), world.nic.words())).collect::<Vec<_>>()
        };
        let nic = "; --nic soft --nic-seed 7";
        assert_eq!(
            steps(false),
            ["2 PEs: p --n 2 a:: b::", "e PEs: p --n e a:: b::"].map(|step| format!("{step}{nic}"))
        );
        let full = ["2 PEs: p --n 2 a:: b:: -x", "3 PEs: p --n 3 a:: b:: -x", "e PEs: p --n e a:: b:: -x"];
        assert_eq!(steps(true), full.map(|step| format!("{step}{nic}")));
        for (wrong, part) in [("{SOME}", "{OTHER}"), ("{0} PEs", "{5}"), ("--nic-seed 7", "--nic-sed")]
            .map(|(text, with)| (table.replacen(text, with, 1), with))
        {
            let error = format!("{:#}", worlds(&wrong, &[], false).err().unwrap());
            assert!(error.contains(part), "{part} in {error}");
        }
        assert!(worlds(&table.replace("env", "evn"), &[], false).is_err(), "a misspelt key");
    }
}

//! Steps over Soft-RoCE, a real verbs stack, in a virtual machine of their own: the table `xtask/machines.toml`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use serde::Deserialize;

use super::worlds::filled;
use super::{SMALL_SOLVER, SOLVER, left_out};
use crate::place::Place;
use crate::run::Output;
use crate::rxe::{self, Ending, Options, Wire};
use crate::steps::{Done, Step, count_in, judge};

/// Settings of PEs that don't map each other's memory, so that all operations use proxies. With 7 retries Soft-RoCE
/// retries without limit, so that a pause of the machine for a second does not look like a lost wire.
const BY_PROXIES: [(&str, &str); 5] = [
    ("OXSHMEM_DISABLE_P2P", "1"),
    ("OXSHMEM_REMOTE_TRANSPORT", "ibrc"),
    ("OXSHMEM_IB_RETRY_CNT", "7"),
    // Registered memory stays in memory, and the machine has little.
    ("OXSHMEM_SYMMETRIC_SIZE", "16M"),
    ("OXSHMEM_TEAM_MEMORY", "4M"),
];
/// Time after which a packet counts as lost: 17 ms on a wire that loses packets, otherwise 4 s, which no busy machine
/// exceeds.
const TIMEOUTS: [&str; 2] = ["12", "20"];
/// From the machine's start, on a host with little time for it, with two PEs.
const LIMIT: Duration = Duration::from_secs(15 * 60);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    wires: BTreeMap<String, String>,
    words: BTreeMap<String, String>,
    step: Vec<Row>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Row {
    /// A step for each of these wires; one step on a wire that is not spoiled without any.
    wires: Vec<String>,
    /// Whether the step is one of the grid, which takes an hour.
    grid: bool,
    name: String,
    /// The number of PEs that use proxies; without it, the program makes its processes itself.
    pes: Option<u32>,
    /// The program and its arguments.
    run: String,
    /// Runs the demo and the examples, one after the other.
    examples: bool,
}

/// The faults of a wire, as a user types them.
#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    wire: Wire,
}

/// Returns the steps of every test, which take minutes, and with `grid` the whole suite over each kind of spoiled wire.
pub(super) fn steps<'a>(place: &'a Place, examples: &[String], grid: bool) -> Result<Vec<Step<'a>>> {
    if let Place::Packed(_) = place {
        let why = "its virtual machine is made of packages, which a packed folder has not";
        return Ok(vec![Step::skipped("verbs over Soft-RoCE", why)]);
    }
    let steps = machines(examples, grid)?.into_iter();
    Ok(steps.map(|(name, options)| Step::new(name, move || over(place, &options))).collect())
}

/// Returns the name and the options of each step.
fn machines(examples: &[String], grid: bool) -> Result<Vec<(String, Options)>> {
    let table: Table =
        toml::from_str(include_str!("../../machines.toml")).context("machines.toml is not in its form")?;
    let mut machines = Vec::new();
    let plain = [String::new()];
    for row in table.step.iter().filter(|row| grid || !row.grid) {
        for name in if row.wires.is_empty() { &plain } else { &row.wires[..] } {
            let faults = if name.is_empty() { "" } else { table.wires.get(name).context("an unknown wire")? };
            let wire = Typed::try_parse_from(["wire"].into_iter().chain(faults.split_whitespace()))?.wire;
            let text = |text: &str| filled(text, &[name], &table.words, false);
            let options = if row.examples { of_examples(examples, wire) } else { row.options(&text(&row.run)?, wire) };
            machines.push((text(&row.name)?, row.pes.map_or(options.clone(), |pes| by_proxies(pes, options))));
        }
    }
    Ok(machines)
}

impl Row {
    fn options(&self, run: &str, wire: Wire) -> Options {
        let pes = self.pes.unwrap_or(2);
        let words: Vec<&str> = run.split_whitespace().collect();
        let options = Options::of(&words, wire, LIMIT * pes / 2);
        // Each PE has memory of its own.
        Options { memory: self.pes.map_or(options.memory, |pes| 256 * u64::from(pes)), ..options }
    }
}

fn of_examples(examples: &[String], wire: Wire) -> Options {
    let jacobi = format!("{SOLVER} {}", SMALL_SOLVER.join(" "));
    let all = [vec![jacobi], examples.to_vec()].concat().join(" && ");
    let with = [vec![SOLVER.to_string()], examples.to_vec()].concat();
    Options { with, ..Options::of(&["sh", "-c", &all], wire, LIMIT) }
}

fn by_proxies(pes: u32, options: Options) -> Options {
    let Wire { loss, reorder, corrupt, .. } = &options.wire;
    let loses = [loss, reorder, corrupt].iter().any(|share| share.is_some());
    let timeout = ("OXSHMEM_IB_TIMEOUT", TIMEOUTS[usize::from(!loses)]);
    let env = BY_PROXIES.iter().chain([&timeout]).map(|(name, value)| format!("{name}={value}")).collect();
    Options { n: Some(pes), env, ..options }
}

/// Runs a program in the virtual machine. If the machine can't be made, the step is skipped, or fails in CI.
fn over(place: &Place, options: &Options) -> Result<Done> {
    if let Err(why) = place.checkout("rxe").and_then(rxe::fetch) {
        return Ok(left_out(format!("{why:#}")));
    }
    let (code, said) = match again_after_a_crash(|| once(place, options))? {
        (Ending::Exit(code), said) => (code, said),
        (Ending::KernelCrash(why), _) => return Ok(Done::Failed(format!("the machine's kernel crashed twice: {why}"))),
    };
    let failure = (code != 0).then(|| format!("exit code {code}"));
    // A script without a count is judged by its exit code.
    let by_code = options.command[0] == "sh" && failure.is_none() && count_in(&said).is_none();
    Ok(if by_code { Done::Passed } else { judge(&said, failure) })
}

/// Returns the end of a run and the console's output.
fn once(place: &Place, options: &Options) -> Result<(Ending, String)> {
    let output = Output::Kept(Arc::default());
    let ending = rxe::run(place, options, &output)?;
    Ok((ending, output.kept()))
}

/// Runs a program once more if the machine's kernel crashes, because Soft-RoCE and the emulator have faults of their
/// own. A program that crashes it twice is at fault itself.
fn again_after_a_crash(mut once: impl FnMut() -> Result<(Ending, String)>) -> Result<(Ending, String)> {
    match once()? {
        (Ending::KernelCrash(why), _) => {
            println!("the machine's kernel crashed ({why}): once more");
            once()
        }
        ended => Ok(ended),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_of_the_table_has_a_name_of_its_own_and_a_wire_that_is_known() {
        let names = |grid| {
            let machines = machines(&["01-put".to_string()], grid).unwrap();
            machines.into_iter().map(|(name, _)| name).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!((names(false).len(), names(true).len()), (5, 28));
        let machines = machines(&["01-put".to_string()], true).unwrap();
        let find = |name: &str| &machines.iter().find(|(one, _)| one == name).unwrap().1;
        let lossy = find("conformance over Soft-RoCE, 2 PEs, 1% of packets lost");
        assert_eq!((lossy.n, lossy.memory, lossy.limit), (Some(2), 512, 900));
        assert!(lossy.env.contains(&"OXSHMEM_IB_TIMEOUT=12".to_string()), "{:?}", lossy.env);
        let three = find("conformance over Soft-RoCE, 3 PEs");
        assert_eq!((three.n, three.memory, three.limit), (Some(3), 768, 1350));
        assert!(three.env.contains(&"OXSHMEM_IB_TIMEOUT=20".to_string()), "{:?}", three.env);
        assert_eq!(find("verbs over Soft-RoCE").n, None);
    }

    #[test]
    fn a_program_is_run_again_after_a_crash_of_the_kernel_alone_and_only_once() {
        let crash = || (Ending::KernelCrash("BUG".into()), String::new());
        let exit = |code| (Ending::Exit(code), "said".to_string());
        for (ends, last, runs) in [
            (vec![exit(1), exit(0)], exit(1), 1),
            (vec![crash(), exit(0)], exit(0), 2),
            (vec![crash(), crash(), exit(0)], crash(), 2),
        ] {
            let total = ends.len();
            let mut left = ends.into_iter();
            assert_eq!(again_after_a_crash(|| Ok(left.next().unwrap())).unwrap(), last);
            assert_eq!(total - left.len(), runs);
        }
    }
}

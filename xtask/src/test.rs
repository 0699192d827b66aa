//! `test`: tests everything that this machine can run, as a table of steps.

mod build_systems;
mod capi;
mod gpus;
mod mpi;
mod nvrtc;
mod packages;
mod pyverbs;
mod rxe;
mod tools;
mod vendored;
mod verbs_programs;
mod worlds;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use oxshmem_raw::os::private::Scratch;

use crate::mpi::OpenMpi;
use crate::perf;
use crate::place::{Place, target_dir};
use crate::programs::{self, Profile, TASKS, WITHOUT_TASKS};
use crate::ptx::Ptxas;
use crate::rdma::Rdma;
use crate::run::{self, Device, Launch, Output, SoftNic};
use crate::shell;
use crate::steps::{Count, Done, Step, judge, run_all, skipped_in};
use crate::tidy;

/// Program of the conformance suite.
const CONFORMANCE: &str = "oxshmem-conformance";
/// Its option that prints the time of each case.
const TIMES: &str = "--times";
/// Program of the litmus tests.
const LITMUS: &str = "oxshmem-litmus";
/// The demo's solver.
const SOLVER: &str = "oxshmem-jacobi";
/// Its options where all operations go through emulated or simulated hardware.
const SMALL_SOLVER: [&str; 11] =
    ["--nx", "96", "--ny", "64", "-i", "60", "--warmup", "1", "--repeat", "1", "--no-picture"];
/// Package of the examples for new users.
const EXAMPLES_OF: &str = "oxshmem-hal";

/// Cargo may build everything first, on a small machine.
const CARGO_LIMIT: Duration = Duration::from_secs(40 * 60);
const CONFORMANCE_LIMIT: Duration = Duration::from_secs(10 * 60);
/// The performance suite stops by itself earlier than this, and reports the rows that it left out.
const PERF_LIMIT: Duration = Duration::from_secs(20 * 60);
const EXAMPLE_LIMIT: Duration = Duration::from_secs(120);

/// Options of `test`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Runs only the steps whose name contains this.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Lists the steps and runs none.
    #[arg(long)]
    pub list: bool,
    /// Runs the long grids in full: every round, every seed, every kind of spoiled wire. Hours.
    #[arg(long)]
    pub full: bool,
    /// Runs only the steps over Soft-RoCE, with the whole suite over each kind of spoiled wire.
    #[arg(long)]
    pub rxe: bool,
}

/// Runs the task.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    if let (Place::Checkout(root), None, false) = (place, &options.only, options.list) {
        tools::fetch_in_background(root);
    }
    let steps = if options.rxe { rxe::steps(place, &examples(place)?, true)? } else { steps(place, options.full)? };
    run_chosen(steps, options)
}

/// Runs the steps that the options choose.
pub(crate) fn run_chosen(mut steps: Vec<Step<'_>>, options: &Options) -> Result<i32> {
    if let Some(text) = &options.only {
        let names: Vec<String> = steps.iter().map(|step| step.name.clone()).collect();
        steps.retain(|step| step.name.contains(text));
        if steps.is_empty() {
            bail!("no step is named like `{text}`; there are: {}", names.join("; "));
        }
    }
    if options.list {
        steps.iter().for_each(|step| println!("{}", step.name));
        return Ok(0);
    }
    Ok(run_all(steps))
}

/// Returns the steps; with `full` the long grids are complete.
pub(crate) fn steps(place: &Place, full: bool) -> Result<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    match place {
        Place::Checkout(root) => {
            steps.push(Step::new("host tests", || {
                // Some compare with the headers of libmlx5 and PMIx, or run over the libraries.
                for fetched in [Rdma::find(root).map(drop), OpenMpi::find(root).map(drop)] {
                    if let Err(why) = fetched {
                        println!("{why:#}");
                    }
                }
                cargo_tests(root, &WITHOUT_TASKS)
            }));
            if full {
                steps.push(Step::new("large models of the posting protocol", || large_models(root)));
            }
            steps.push(Step::new("tests of the tasks", || cargo_tests(root, &TASKS)));
            steps.push(Step::new("rules on the sources", || tidy_source(root)));
            steps.push(Step::in_background("PTX: builds, assembles, keeps its rules and budgets", move || {
                tidy_ptx(root, full)
            }));
        }
        Place::Packed(_) => {
            let why = "a packed folder has no sources; they were tested where it was made";
            steps.push(Step::skipped("host tests, rules, PTX", why));
        }
    }
    let examples = examples(place)?;
    steps.extend(worlds::steps(place, &examples, full)?);
    steps.extend(verbs_programs::steps(place));
    steps.extend(pyverbs::step(place));
    steps.extend(rxe::steps(place, &examples, full)?);
    steps.extend(mpi::steps(place));
    if let Place::Checkout(root) = place {
        steps.extend(vendored::steps(place, root, full));
        steps.extend(capi::steps(root, full));
        steps.extend(build_systems::steps(root));
        steps.push(packages::step(root));
    }
    steps.push(Step::new("performance suite, quick, 2 host PEs", || performance(place)));
    steps.push(Step::new("perftest's rows, quick, 2 host PEs", || wire(place)));
    steps.extend(gpus::steps(place, examples));
    Ok(steps)
}

/// Runs every test of the performance suite once, to check its data. The times mean nothing here.
fn performance(place: &Place) -> Result<Done> {
    let scratch = Scratch::new("perf-quick")?;
    let (root, out) = match place {
        Place::Checkout(root) => (&**root, target_dir(root).join("perf-quick")),
        Place::Packed(root) => (root.as_path(), scratch.join("out")),
    };
    let mut suite = perf::command(place);
    suite.args(["-n", "2", "--device", "host", "--quick", "--turns", "1", "--repeat", "2"]);
    suite.args(["--limit-seconds", "300", "--complete", "--out"]).arg(&out);
    succeeds(&mut suite, root, PERF_LIMIT)
}

/// Runs every row of `perf --wire` over load/store and over the software NIC, to check its data. The times mean nothing
/// here.
fn wire(place: &Place) -> Result<Done> {
    let root = match place {
        Place::Checkout(root) => &**root,
        Place::Packed(root) => root.as_path(),
    };
    let run = |nic: &[&str]| {
        let mut suite = perf::command(place);
        suite.args(["--wire", "--quick", "--device", "host"]).args(nic);
        succeeds(&mut suite, root, PERF_LIMIT)
    };
    let near = run(&[])?;
    match SoftNic::libraries(place) {
        Ok(_) if matches!(near, Done::Passed) => run(&["--nic", "soft", "--qps", "2"]),
        Ok(_) => Ok(near),
        Err(why) => {
            println!("over load/store alone: {why:#}");
            Ok(near)
        }
    }
}

/// Returns the names of the examples: those of the package, or those in the packed folder that begin with a digit.
fn examples(place: &Place) -> Result<Vec<String>> {
    match place {
        Place::Checkout(root) => {
            let all = programs::all(root)?;
            Ok(programs::examples_of(&all, EXAMPLES_OF).map(|one| one.name.clone()).collect())
        }
        Place::Packed(root) => {
            let names = programs::packed_names(root).into_iter();
            Ok(names.filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).collect())
        }
    }
}

fn cargo_tests(root: &Path, packages: &[&str]) -> Result<Done> {
    let mut cargo = shell::cargo();
    counted_tests(root, cargo.arg("test").args(packages).args(["--no-fail-fast", "--", "--show-output"]), CARGO_LIMIT)
}

/// Returns the argument of the conformance suite by which few rounds leave out no type and no shape, if `full`.
fn every_shape(full: bool) -> &'static [&'static str] {
    if full { &["--every-shape"] } else { &[] }
}

/// Runs the models that have more executions than the tests have time for.
fn large_models(root: &Path) -> Result<Done> {
    let mut cargo = shell::cargo();
    cargo.args(["test", "--package", "oxshmem-loom", "--test", "posting", "--", "--include-ignored"]);
    counted_tests(root, cargo.env("OXSHMEM_LOOM_SECONDS", "60"), CARGO_LIMIT)
}

/// Runs tests by cargo, and counts them.
pub(crate) fn counted_tests(root: &Path, cargo: &Command, limit: Duration) -> Result<Done> {
    let mut launch = plain(cargo, root, limit);
    let kept = Arc::default();
    launch.output = Output::KeptOfTests(Arc::clone(&kept));
    let outcome = run::start_one_of_many(&launch)?;
    let said = String::from_utf8_lossy(&kept.lock().expect("the copier does not panic")).into_owned();
    skipped_in(&said).iter().for_each(|skipped| println!("skipped {skipped}"));
    Ok(judge(&said, outcome.failure()))
}

/// Runs a program that reports success by its exit code alone.
pub(crate) fn succeeds(command: &mut Command, root: &Path, limit: Duration) -> Result<Done> {
    let outcome = run::start_one_of_many(&plain(command, root, limit))?;
    Ok(outcome.failure().map_or(Done::Passed, |why| Done::Failed(format!("`{}`: {why}", shell::typed(command)))))
}

/// Returns the launch of one process that is no PE, with the variables that the command sets.
fn plain(command: &Command, root: &Path, limit: Duration) -> Launch {
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let text = |of: &std::ffi::OsStr| of.to_string_lossy().into_owned();
    Launch {
        limit: Some(limit),
        args: command.get_args().map(Into::into).collect(),
        env: set.map(|(name, value)| (text(name), text(value))).collect(),
        folder: Some(root.to_path_buf()),
        ..Launch::of(command.get_program())
    }
}

/// The launch of a program that closes with a count.
struct Counted<'a> {
    n: u32,
    world: Option<Device>,
    args: &'a [&'a str],
    env: Vec<(String, String)>,
    nic: Option<SoftNic>,
}

impl<'a> Counted<'a> {
    /// PEs on a device.
    fn of(n: u32, device: Device, args: &'a [&'a str]) -> Self {
        Self { n, world: Some(device), args, env: Vec::new(), nic: None }
    }
}

/// Runs PEs of a program that closes with a count, and judges the program by it.
fn counting(place: &Place, program: &str, counted: Counted<'_>) -> Result<Done> {
    let kept = Arc::default();
    let times = (program == CONFORMANCE).then_some(TIMES);
    let outcome = run::start_one_of_many(&Launch {
        n: counted.n,
        world: counted.world,
        limit: Some(CONFORMANCE_LIMIT),
        output: Output::Kept(Arc::clone(&kept)),
        args: counted.args.iter().copied().chain(times).map(Into::into).collect(),
        env: counted.env,
        nic: counted.nic,
        ..Launch::of(programs::resolve(place, program, Profile::Dev)?)
    })?;
    let said = String::from_utf8_lossy(&kept.lock().expect("the copier does not panic")).into_owned();
    Ok(judge(&said, outcome.failure()))
}

/// Runs the conformance suite with a kernel in each process that executes the queues of the software NIC. Processes
/// have a wire between them.
fn by_kernel(place: &Place, mut counted: Counted<'_>) -> Result<Done> {
    let wire = Scratch::new("engine")?;
    counted.env.push(("OXSHMEM_SOFTNIC_ENGINE".into(), "resident".into()));
    if counted.world.is_some() {
        counted.env.push(("OXSHMEM_SOFTNIC_WIRE".into(), wire.display().to_string()));
    }
    let done = counting(place, CONFORMANCE, counted);
    let broken = std::fs::read_to_string(wire.join("violations")).unwrap_or_default();
    if !broken.is_empty() {
        bail!("rules were broken:\n{broken}");
    }
    done
}

/// Runs an example: as this many PEs, or alone (`None`), where it makes its PEs itself.
fn example(place: &Place, name: &str, pes: Option<(u32, Device)>, nic: Option<SoftNic>) -> Result<Done> {
    let program = programs::resolve(place, name, Profile::Dev)?;
    let args: &[&str] = if name == SOLVER { &SMALL_SOLVER } else { &[] };
    let outcome = run::start_one_of_many(&Launch {
        n: pes.map_or(1, |(n, _)| n),
        world: pes.map(|(_, device)| device),
        limit: Some(EXAMPLE_LIMIT),
        output: Output::Tagged,
        args: args.iter().map(Into::into).collect(),
        env: place.environment(),
        nic,
        ..Launch::of(program)
    })?;
    Ok(outcome.failure().map_or(Done::Passed, Done::Failed))
}

fn tidy_source(root: &Path) -> Result<Done> {
    Ok(found_nothing(root, &tidy::check_source(root)?))
}

fn tidy_ptx(root: &Path, full: bool) -> Result<Done> {
    let ptxas = Ptxas::find(root, None).context("PTX is not checked without its assembler")?;
    eprintln!("ptxas: {ptxas}");
    Ok(found_nothing(root, &tidy::check_kernels(root, full)?))
}

fn found_nothing(root: &Path, findings: &[tidy::Finding]) -> Done {
    tidy::report(root, findings);
    match findings.iter().filter(|finding| finding.is_error()).count() as u64 {
        0 => Done::Passed,
        failed => {
            let errors = findings.iter().filter(|finding| finding.is_error()).map(ToString::to_string);
            Done::Counted(Count { failed, ..Count::default() }, errors.collect())
        }
    }
}

/// Returns the outcome of a step that can't fetch its parts. In CI it fails, so that no change is accepted because a
/// mirror was away.
fn left_out(why: String) -> Done {
    left_out_in(why, std::env::var("CI").ok().as_deref())
}

fn left_out_in(why: String, ci: Option<&str>) -> Done {
    match ci {
        None | Some("" | "0" | "false") => Done::Skipped(why),
        Some(_) => Done::Failed(format!("{why}; where CI is set nothing of this is skipped")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_run_is_skipped_with_the_reason_and_a_failure_in_ci() {
        for ci in [None, Some(""), Some("0"), Some("false")] {
            assert_eq!(left_out_in("no apt-get".into(), ci), Done::Skipped("no apt-get".into()));
        }
        let Done::Failed(why) = left_out_in("no apt-get".into(), Some("true")) else { panic!("it was skipped") };
        assert!(why.starts_with("no apt-get") && why.contains("CI"), "{why}");
    }
}

//! Runs the cases, all PEs in step, and reports their outcomes.

use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use oxshmem_hal::{Error, World};

use super::ctx::load;
use super::seeds::run_seeds;
use super::session::Mode;
use super::{Case, Ctx, Failure, Options, Outcome, cases, expected};

/// Number of consecutive failures to make a world after which the suite gives up.
const GIVE_UP_AFTER: u32 = 3;

/// The progress of one PE through the plan. It outlives the worlds.
#[derive(Debug, Default)]
struct Progress {
    /// Index in the plan of the next case.
    next: usize,
    /// The reason why the last case broke the world, if it did.
    broken: Option<String>,
    tally: Tally,
}

/// Cases by outcome; the same on every PE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) passed: u32,
    pub(super) failed: u32,
    pub(super) skipped: u32,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// One run of one case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    case: Case,
    repeat: u32,
}

/// Runs the chosen cases, prints their outcomes, and returns the program's exit code.
///
/// # Errors
/// The configuration is wrong, or no world can be made.
pub fn run(options: &Options) -> Result<i32, Error> {
    let expected = options.expect_transport.iter().map(|_| expected::CASE);
    let chosen = cases().into_iter().filter(|case| options.chooses(case.name)).enumerate();
    let chosen = chosen.filter(|(place, _)| options.part.is_none_or(|part| part.has(*place)));
    let chosen: Vec<Case> = expected.chain(chosen.map(|(_, case)| case)).collect();
    if options.list {
        chosen.iter().for_each(|case| println!("{}", case.name));
        return Ok(0);
    }
    let plan: Vec<Run> =
        (0..options.repeat).flat_map(|repeat| chosen.iter().map(move |&case| Run { case, repeat })).collect();
    let (tally, tells) = match options.nic_seeds.clone() {
        Some(seeds) => (run_seeds(options, &plan, seeds)?, true),
        None => run_plan(options, &plan)?,
    };
    if tells {
        println!("{tally}");
    }
    Ok(i32::from(tally.failed > 0))
}

/// Runs the plan in as many worlds as needed. Returns the counts, and whether this process prints them.
///
/// # Errors
/// The configuration is wrong, or no world can be made.
pub(super) fn run_plan(options: &Options, plan: &[Run]) -> Result<(Tally, bool), Error> {
    let config = options.config()?;
    let mode = Mode::choose(options, &config)?;
    let config = options.of_pe(config, mode.own_pes().start);
    let progress: Vec<Mutex<Progress>> = mode.own_pes().map(|_| Mutex::default()).collect();
    let first = mode.own_pes().start;
    let mut failures = 0;
    let mut told = false;
    loop {
        let before = lock(&progress[0]).next;
        let over = Mutex::new(false);
        let made = mode.with_world(options, &config, &|world| {
            let mut mine = lock(&progress[(world.my_pe().number() - first) as usize]);
            if world.my_pe().number() == 0 && before == 0 && mine.broken.is_none() && options.nic_seeds.is_none() {
                announce(world, options);
            }
            let ended = session(world, options, &mode, plan, &mut mine);
            *over.lock().unwrap_or_else(PoisonError::into_inner) |= ended;
            ended
        });
        told |= made.is_ok();
        failures = if lock(&progress[0]).next > before { 0 } else { failures + 1 };
        match made {
            Ok(()) if over.into_inner().unwrap_or_else(PoisonError::into_inner) => break,
            Err(error) if failures >= GIVE_UP_AFTER || !told => return Err(error),
            _ if failures >= GIVE_UP_AFTER => break,
            _ => {}
        }
    }
    let Progress { next, broken, tally } = &*lock(&progress[0]);
    let unfinished = *next < plan.len() || broken.is_some();
    if first == 0 && unfinished {
        println!("no world in which the rest could run: {} of {} cases were not run", plan.len() - next, plan.len());
    }
    Ok((Tally { failed: tally.failed + u32::from(unfinished), ..*tally }, first == 0))
}

fn announce(world: &World, options: &Options) {
    println!("conformance: {} PEs on {}, seed {}", world.n_pes(), world.machine(), options.seed);
    let paths: Vec<&str> = world.pes().map(|pe| world.transport_to(pe).unwrap_or("nothing")).collect();
    println!("PE 0 reaches them by {}", paths.join(", "));
}

/// Runs cases in one world. Returns true if all are done, and false if the world can't be used any more.
fn session(world: &World, options: &Options, mode: &Mode, plan: &[Run], mine: &mut Progress) -> bool {
    if catch_up(world, options, plan, mine).is_err() {
        return false;
    }
    let module = match load(world) {
        Ok(module) => module,
        Err(why) => {
            mine.broken = Some(words(&why));
            return false;
        }
    };
    while let Some(run) = plan.get(mine.next) {
        let started = Instant::now();
        let ctx = Ctx::new(world, &module, options, mode, run.case.name, run.repeat);
        let outcome = ctx.end(attempt(world, &ctx, run));
        let report = match &outcome {
            Ok(()) => Vec::new(),
            Err(Failure::Skip(why)) => [b"s", why.as_bytes()].concat(),
            Err(Failure::Wrong(why) | Failure::Died(why)) => [b"f", why.as_bytes()].concat(),
        };
        // PEs that can't meet after the case meet in the next world.
        let gathered = world.all_gather(&format!("outcome of {}", run.case.name), &report);
        let all = match gathered {
            Ok(all) => all,
            Err(error) => {
                mine.broken = Some(outcome.err().map_or_else(|| error.to_string(), |why| words(&why)));
                return false;
            }
        };
        let took = if options.times { format!(" ({} ms)", started.elapsed().as_millis()) } else { String::new() };
        let failed = tell(world, options, run.case.name, &all, &took, &mut mine.tally);
        mine.next += 1;
        // A failed case can leave any state.
        if failed || ctx.tidy().is_err() {
            return mine.next == plan.len();
        }
    }
    true
}

/// Runs one case on this PE.
fn attempt(world: &World, ctx: &Ctx, run: &Run) -> Outcome {
    if world.n_pes() < run.case.min_pes {
        return Err(Failure::skip(format!("it needs {} PEs, and the world has {}", run.case.min_pes, world.n_pes())));
    }
    match catch_unwind(AssertUnwindSafe(|| (run.case.run)(world, ctx))) {
        Ok(outcome) => outcome,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(Failure::wrong(format!("the case panicked: {}", text.unwrap_or("for a reason that has no text"))))
        }
    }
}

/// Collects the progress of each PE, and the reason for which the previous world broke.
fn catch_up(world: &World, options: &Options, plan: &[Run], mine: &mut Progress) -> Result<(), Error> {
    let mut report = (mine.next as u64).to_le_bytes().to_vec();
    report.extend(mine.broken.iter().flat_map(|why| why.bytes()));
    let all = world.all_gather("where the suite is", &report)?;
    let next = |report: &[u8]| report.first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)) as usize;
    let here = all.iter().map(|report| next(report)).max().unwrap_or(0);
    mine.next = here;
    mine.broken = None;
    let why: Vec<Vec<u8>> = all
        .into_iter()
        .map(
            |report| if next(&report) == here && report.len() > 8 { [b"f", &report[8..]].concat() } else { Vec::new() },
        )
        .collect();
    if let Some(run) = plan.get(here).filter(|_| why.iter().any(|why| !why.is_empty())) {
        tell(world, options, run.case.name, &why, "", &mut mine.tally);
        mine.next += 1;
    }
    Ok(())
}

/// Prints the outcome of a case from the reports of all PEs. Returns whether it failed.
fn tell(world: &World, options: &Options, name: &str, all: &[Vec<u8>], took: &str, tally: &mut Tally) -> bool {
    let text = |report: &[u8]| String::from_utf8_lossy(&report[1..]).into_owned();
    let mut lines = Vec::new();
    let failures = (0..).zip(all).filter(|(_, report)| report.first() == Some(&b'f'));
    for (pe, report) in failures {
        lines.push(format!("FAILED {name}: PE {pe}: {}{took}", text(report)));
    }
    let failed = !lines.is_empty();
    if failed {
        tally.failed += 1;
    } else if let Some(skip) = all.iter().find(|report| report.first() == Some(&b's')) {
        tally.skipped += 1;
        lines.push(format!("skipped {name}: {}", text(skip)));
    } else {
        tally.passed += 1;
        lines.push(format!("ok {name}{took}"));
    }
    // With many seeds, successes are reported one line a seed.
    if world.my_pe().number() == 0 && (failed || options.nic_seeds.is_none()) {
        let mut out = std::io::stdout().lock();
        // A closed pipe is no reason to leave the other PEs waiting.
        lines.iter().for_each(|line| drop(writeln!(out, "{line}")));
        let _ = out.flush();
    }
    failed
}

fn words(why: &Failure) -> String {
    match why {
        Failure::Wrong(why) | Failure::Died(why) | Failure::Skip(why) => why.clone(),
    }
}

fn lock(progress: &Mutex<Progress>) -> std::sync::MutexGuard<'_, Progress> {
    // The progress is consistent between any two statements, so a poisoned lock can be used.
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Runs the litmus tests, all PEs in step, and reports their findings.

use std::time::{Duration, Instant};

use oxshmem_hal::{Error, Module, Pe, Result, World};
use oxshmem_litmus_kernels as _;

use super::options::Options;
use super::outcome::{End, Finding, Line, table};
use super::programs::Programs;
use super::setting::{Setting, Work};
use super::table::{Kind, Test, tests};

/// Crate of the kernels.
const KERNELS: &str = "oxshmem-litmus-kernels";
/// Rounds of a group in one launch, on GPUs.
const GPU_ROUNDS: u64 = 20_000;
/// Rounds of a group in one launch on host PEs, whose threads take turns.
const HOST_ROUNDS: u64 = 500;

/// Runs the chosen tests, prints their outcomes, and returns the program's exit code.
///
/// # Errors
/// The configuration is wrong, no world can be made, or a PE failed.
pub fn run(options: &Options) -> Result<i32> {
    let chosen: Vec<Test> = tests().into_iter().filter(|test| options.chooses(&test.name())).collect();
    if options.list {
        chosen.iter().for_each(|test| println!("{}", test.name()));
        return Ok(0);
    }
    let failed = World::run(options.pes, &options.config()?, |world| session(world, options, &chosen))?;
    Ok(i32::from(failed.into_iter().any(|failed| failed)))
}

/// Runs one PE's part. Returns whether something is wrong.
fn session(world: &World, options: &Options, chosen: &[Test]) -> Result<bool> {
    let tells = world.my_pe() == Pe::new(0);
    if tells {
        println!("litmus: {} PEs on {}, seed {}", world.n_pes(), world.machine(), options.seed);
    }
    let mut lines = Vec::new();
    let ended = world.modules().load(KERNELS).and_then(|module| {
        chosen.iter().try_for_each(|test| {
            let line = one(world, &module, options, test, tells)?;
            lines.push(line);
            Ok(())
        })
    });
    let count = |of: fn(&End) -> bool| lines.iter().filter(|line| of(&line.end)).count();
    let passed = count(|end| matches!(end, End::Ran { wrong: 0 }));
    let skipped = count(|end| matches!(end, End::Skipped));
    let failed = lines.len() - passed - skipped + usize::from(ended.is_err());
    if tells {
        println!("\n{}\n", table(&lines));
        if let Err(error) = &ended {
            let broken = chosen.get(lines.len()).map_or_else(String::new, Test::name);
            println!("FAILED {broken}: {error}");
            println!("the world is broken: {} tests were not run", chosen.len().saturating_sub(lines.len() + 1));
        }
        println!("{} rounds in all", lines.iter().map(|line| line.rounds).sum::<u64>());
        println!("{passed} passed, {failed} failed, {skipped} skipped");
    }
    ended.map(|()| failed > 0)
}

/// Returns the reason why a test does not apply to this world.
fn inapplicable(world: &World, module: &Module, test: &Test) -> Result<Option<String>> {
    if world.n_pes() < test.min_pes {
        return Ok(Some(format!("it needs {} PEs, and the world has {}", test.min_pes, world.n_pes())));
    }
    if test.needs_early && !module.barrier_waits()? {
        let built = if world.on_host() { "of host PEs" } else { "built for GPUs before sm_90" };
        return Ok(Some(format!("kernels {built} start after the preceding work of their stream")));
    }
    Ok(None)
}

/// Runs one test in all its shapes.
fn one(world: &World, module: &Module, options: &Options, test: &Test, tells: bool) -> Result<Line, Error> {
    let started = Instant::now();
    let mut line = Line { test: *test, rounds: 0, took: Duration::ZERO, end: End::Skipped };
    if let Some(why) = inapplicable(world, module, test)? {
        if tells {
            println!("skipped {}: {why}", test.name());
        }
        return Ok(line);
    }
    let (shapes, a_launch) =
        if world.on_host() { (test.shapes.host, HOST_ROUNDS) } else { (test.shapes.gpu, GPU_ROUNDS) };
    let kernel = module.kernel(test.kernel)?;
    let mut wrong = 0;
    for &shape in shapes {
        let (work, wanted): (Box<dyn Work>, _) = match test.kind {
            Kind::Programs { late_in } => {
                let programs = Programs::new(world, module, shape, late_in, options.seed)?;
                (Box::new(programs), options.replays.or(options.rounds))
            }
            _ => (Box::new(Setting::new(world, &kernel, test, shape, options.seed)?), options.rounds),
        };
        let until = options.seconds.map(|seconds| Duration::from_secs_f64(seconds / shapes.len() as f64));
        let wanted = shape.scaled(test.kind, wanted.unwrap_or(test.kind.rounds(a_launch)));
        let (begun, mut done) = (Instant::now(), 0);
        loop {
            let rounds = if until.is_some() { a_launch } else { a_launch.min(wanted - done) };
            work.rounds(done + 1, rounds)?;
            done += rounds;
            // A test that runs by the clock must end at the same round on all PEs, so PE 0 decides.
            let over = match until {
                None => done >= wanted,
                Some(limit) => world.all_gather("whether to go on", &[u8::from(begun.elapsed() >= limit)])?[0] == [1],
            };
            if over {
                break;
            }
        }
        line.rounds += done * test.shapes.groups_of(&shape) as u64 * u64::from(world.n_pes());
        let found = world.all_gather("what was found", &work.finding()?.to_bytes())?;
        for (pe, bytes) in (0..).zip(&found) {
            let finding = Finding::from_bytes(bytes);
            wrong += finding.count;
            if finding.count > 0 && tells {
                let (blocks, threads) = (shape.blocks, shape.threads);
                println!("FAILED {}, {blocks} blocks of {threads}: {}", test.name(), finding.told(Pe::new(pe)));
                if let Some(call) = finding.call(test.kind, &shape, options.seed) {
                    println!("  the first was in {call:?}");
                }
            }
        }
        work.free()?;
    }
    (line.took, line.end) = (started.elapsed(), End::Ran { wrong });
    Ok(line)
}

//! Runs the litmus tests, all PEs in step, and reports their findings.

use std::time::{Duration, Instant};

use oxshmem_hal::{Error, Module, Pe, Result, World};
use oxshmem_litmus_kernels as _;

use super::options::Options;
use super::outcome::{End, Finding, Line, table};
use super::setting::Setting;
use super::table::{Test, tests};

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
    let ended = world.load(KERNELS).and_then(|module| {
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

/// Runs one test in all its shapes.
fn one(world: &World, module: &Module, options: &Options, test: &Test, tells: bool) -> Result<Line, Error> {
    let started = Instant::now();
    let mut line = Line { test: *test, rounds: 0, took: Duration::ZERO, end: End::Skipped };
    if world.n_pes() < test.min_pes {
        if tells {
            println!("skipped {}: it needs {} PEs, and the world has {}", test.name(), test.min_pes, world.n_pes());
        }
        return Ok(line);
    }
    let (shapes, a_launch) =
        if world.on_host() { (test.shapes.host, HOST_ROUNDS) } else { (test.shapes.gpu, GPU_ROUNDS) };
    let kernel = module.kernel(test.kernel)?;
    let mut wrong = 0;
    for &shape in shapes {
        let setting = Setting::new(world, &kernel, test, shape, options.seed)?;
        let until = options.seconds.map(|seconds| Duration::from_secs_f64(seconds / shapes.len() as f64));
        let wanted = options.rounds.unwrap_or(a_launch * test.kind.launches());
        let (begun, mut done) = (Instant::now(), 0);
        loop {
            let rounds = if until.is_some() { a_launch } else { a_launch.min(wanted - done) };
            setting.rounds(done + 1, rounds)?;
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
        let found = world.all_gather("what was found", &setting.finding()?.to_bytes())?;
        for (pe, bytes) in (0..).zip(&found) {
            let finding = Finding::from_bytes(bytes);
            wrong += finding.count;
            if finding.count > 0 && tells {
                let (blocks, threads) = (shape.blocks, shape.threads);
                println!("FAILED {}, {blocks} blocks of {threads}: {}", test.name(), finding.told(Pe::new(pe)));
            }
        }
        setting.free()?;
    }
    (line.took, line.end) = (started.elapsed(), End::Ran { wrong });
    Ok(line)
}

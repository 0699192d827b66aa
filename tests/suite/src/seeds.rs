//! The suite over one fake NIC after another, each with a seed of its own.

use std::ops::Range;

use oxshmem_hal::Error;

use super::runner::{Run, Tally, run_plan};
use super::{Options, fakes};

/// Runs the plan over a fake NIC of each seed and stops at the first failure.
///
/// # Errors
/// The configuration is wrong, or no world can be made.
pub(super) fn run_seeds(options: &Options, plan: &[Run], seeds: Range<u64>) -> Result<Tally, Error> {
    let mut sum = Tally::default();
    for seed in seeds {
        let broken = fakes::install_seed(options, seed)?;
        let of_this_seed = (0..).zip(plan).filter(|(place, _)| (place + seed).is_multiple_of(options.nic_share.into()));
        let plan: Vec<Run> = of_this_seed.map(|(_, run)| *run).collect();
        let ended = run_plan(options, &plan).inspect_err(|_| println!("to replay it: {}", replay(options, seed)));
        let (mut tally, _) = ended?;
        let violations = broken();
        if let Some(first) = violations.first() {
            println!("FAILED NIC seed {seed}: {} rules were broken, the first: {first}", violations.len());
            tally.failed += 1;
        }
        (sum.passed, sum.failed) = (sum.passed + tally.passed, sum.failed + tally.failed);
        // Cases that don't apply to these worlds are counted once.
        sum.skipped = sum.skipped.max(tally.skipped);
        if tally.failed > 0 {
            println!("to replay it: {}", replay(options, seed));
            break;
        }
        println!("NIC seed {seed}: {} cases passed", tally.passed);
    }
    Ok(sum)
}

/// Returns the command that runs the seed again.
fn replay(options: &Options, seed: u64) -> String {
    let mut words = vec!["oxshmem-conformance".to_string()];
    words.extend(options.pes.map(|pes| format!("--pes {pes}")));
    words.extend(options.soft_verbs.then(|| "--soft-verbs".to_string()));
    words.push(format!("--nic-seeds {seed}..{} --seed {} --rounds {}", seed + 1, options.seed, options.rounds));
    words.extend(options.nics.first().map(|nics| format!("--nics {nics}")));
    if options.nic_share > 1 {
        words.push(format!("--nic-share {}", options.nic_share));
    }
    words.extend(options.filter.iter().cloned());
    words.join(" ")
}

//! `soak`: runs the conformance suite over software NICs with new seeds, by kernels and by proxies, until a time
//! limit; or runs mutants, which tests must notice.

mod mutants;

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;

use crate::called;
use crate::place::Place;
use crate::programs::{self, Profile};
use crate::run::nic::{Kind, Link, Options as NicOptions, Profile as NicProfile};
use crate::run::{self, Device, Launch, SoftNic};

const CONFORMANCE: &str = "oxshmem-conformance";
/// Seeds that the threads of one process try before PEs run as processes.
const BATCH: u64 = 20;
/// The time limit of one batch. A whole suite takes long with a NIC that delays everything.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// The options of `soak`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Begins no further batch after this many minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub minutes: u64,
    /// The first seed (default: another each time).
    #[arg(long, value_name = "SEED")]
    pub from: Option<u64>,
    /// Multiplies the rounds of repeated cases.
    #[arg(long, value_name = "FACTOR", default_value_t = 0.1)]
    pub rounds: f64,
    /// Runs the mutants of this list instead, such as `xtask/mutants.toml`: faults that a test must notice.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["minutes", "from", "rounds"])]
    pub mutants: Option<PathBuf>,
    /// Runs only the cases, or the mutants, whose name contains one of these.
    #[arg(last = true, value_name = "CASES")]
    pub cases: Vec<String>,
}

/// Runs the task: batch after batch, until the time is over or a batch fails.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    if let Some(list) = &options.mutants {
        return mutants::run(place.checkout("soak --mutants")?, list, &options.cases);
    }
    let program = programs::resolve(place, CONFORMANCE, Profile::Dev)?;
    let first = options.from.unwrap_or_else(from_the_clock);
    let (started, time) = (Instant::now(), Duration::from_secs(options.minutes * 60));
    let mut seed = first;
    while started.elapsed() < time {
        let next = seed + BATCH;
        // Two to four PEs, in turn.
        let n = 2 + (seed / BATCH % 3) as u32;
        let mut args = vec!["--rounds".to_string(), options.rounds.to_string()];
        args.extend(options.cases.iter().cloned());
        let mut launch = Launch {
            n,
            world: Some(Device::Host),
            limit: Some(LIMIT),
            args: args.iter().map(Into::into).collect(),
            env: place.environment(),
            ..Launch::of(program.clone())
        };
        for kind in [Kind::Soft, Kind::IbrcSoft, Kind::IbdevxSoft] {
            let nic = NicOptions {
                nic_link: Some(if seed.is_multiple_of(2) { Link::Ib } else { Link::Roce }),
                nic_profile: Some([NicProfile::Cx6, NicProfile::Cx7, NicProfile::Cx8][(seed / BATCH % 3) as usize]),
                ..NicOptions::of(kind, seed)
            };
            println!("soak: {n} PEs as processes over libmlx5, {}", nic.words());
            launch.nic = SoftNic::prepare(place, &nic)?;
            let code = run::finish(&run::start_one_of_many(&launch)?)?;
            if code != 0 {
                println!("to replay it: {} run {} -n {n} -- {CONFORMANCE} {}", called(), nic.words(), args.join(" "));
                return Ok(code);
            }
        }
        (launch.n, launch.world, launch.nic) = (1, None, None);
        for verbs in [&[][..], &["--soft-verbs".to_string()]] {
            let threads = ["--pes".to_string(), n.to_string(), "--nic-seeds".to_string(), format!("{seed}..{next}")];
            launch.args = threads.iter().chain(verbs).chain(&args).map(Into::into).collect();
            let code = run::finish(&run::start_one_of_many(&launch)?)?;
            if code != 0 {
                // The suite has printed how to replay the failure.
                return Ok(code);
            }
        }
        seed = next;
    }
    println!("soak: seeds {first} to {} passed in {:.1} minutes", seed - 1, started.elapsed().as_secs_f64() / 60.0);
    Ok(0)
}

/// Returns a seed of few digits that other runs are unlikely to begin with.
fn from_the_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    1 + now.as_secs() % 10_000_000 * 100
}

//! `soak`: the conformance suite over software NICs of ever new seeds, by kernels and by proxies, for as long as one likes.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Args;

use crate::place::Place;
use crate::programs::{self, Profile};
use crate::run::nic::{Kind, Link, Options as NicOptions, Profile as NicProfile};
use crate::run::{self, Device, Launch, Output, SoftNic};

const CONFORMANCE: &str = "oxshmem-conformance";
/// Seeds that threads of one process try before processes have their turn.
const BATCH: u64 = 20;
/// What one batch may take; a whole suite under a NIC that is late all the time takes long.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// What `soak` is asked.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Begins no more batches after so many minutes.
    #[arg(long, value_name = "MINUTES", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub minutes: u64,
    /// The first seed (default: another each time).
    #[arg(long, value_name = "SEED")]
    pub from: Option<u64>,
    /// Runs so many times the usual rounds of what is repeated.
    #[arg(long, value_name = "FACTOR", default_value_t = 0.1)]
    pub rounds: f64,
    /// Runs the cases whose name contains one of these.
    #[arg(last = true, value_name = "CASES")]
    pub cases: Vec<String>,
}

/// The task: batch after batch, until the time is over or one fails.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
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
            output: Output::Inherited,
            program: program.clone(),
            args: args.clone(),
            env: place.environment(),
            folder: None,
            nic: None,
        };
        for kind in [Kind::Soft, Kind::IbrcSoft] {
            let nic = NicOptions {
                nic_link: Some(if seed.is_multiple_of(2) { Link::Ib } else { Link::Roce }),
                nic_profile: Some([NicProfile::Cx6, NicProfile::Cx7, NicProfile::Cx8][(seed / BATCH % 3) as usize]),
                ..NicOptions::of(kind, seed)
            };
            println!("soak: {n} PEs as processes over libmlx5, {}", nic.words());
            launch.nic = SoftNic::prepare(place, &nic)?;
            let code = run::finish(&run::start_one_of_many(&launch)?)?;
            if code != 0 {
                println!("to replay it: cargo xtask run {} -n {n} -- {CONFORMANCE} {}", nic.words(), args.join(" "));
                return Ok(code);
            }
        }
        (launch.n, launch.world, launch.nic) = (1, None, None);
        for verbs in [&[][..], &["--soft-verbs".to_string()]] {
            let threads = ["--pes".to_string(), n.to_string(), "--nic-seeds".to_string(), format!("{seed}..{next}")];
            launch.args = threads.into_iter().chain(verbs.iter().cloned()).chain(args.iter().cloned()).collect();
            let code = run::finish(&run::start_one_of_many(&launch)?)?;
            if code != 0 {
                // The suite has said how to replay it.
                return Ok(code);
            }
        }
        seed = next;
    }
    println!("soak: seeds {first} to {} passed in {:.1} minutes", seed - 1, started.elapsed().as_secs_f64() / 60.0);
    Ok(0)
}

/// A seed that no other soak begins with, of few digits.
fn from_the_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    1 + now.as_secs() % 10_000_000 * 100
}

//! Asks a verbs stack for everything that a proxy needs of it: through libibverbs, whichever devices it drives.
//!
//! Prints one line for each check (`ok NAME`, `FAIL NAME: error`, `skipped NAME: why`) and the counts; exits with 1 if
//! a check failed. Usage: `oxshmem-rc-selftest [OPTIONS]`
//!
//! - `--devices NEAR,FAR`: which devices (default: the first two, or twice the only one);
//! - `--from FOLDER`: where libibverbs is, if not where the system's loader looks (as often as needed);
//! - `--fetches SECONDS`: asks for nothing but fetches that bring their data, and additions beside a processor's, so long
//!   for each check;
//! - `--wire`: also cuts the wire to FAR, by the command `wire`, as `cargo xtask rxe` has it.

#[path = "../../../../../../hal/raw/examples/cuda-selftest/report.rs"]
mod report;

mod alone;
mod fetches;
mod pair;
mod side;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use oxshmem_core::host::Result;
use oxshmem_raw::rdma::rc::RcProvider;
use oxshmem_raw::rdma::verbs::rc::LibVerbs;
use report::{Report, noted};
use side::Side;

#[derive(Default)]
struct Asked {
    devices: Option<(String, String)>,
    folders: Vec<PathBuf>,
    wire: bool,
    fetches: Option<Duration>,
    /// This process is the other one of a pair.
    peer: bool,
}

impl Asked {
    fn read(words: impl Iterator<Item = String>) -> Option<Self> {
        let mut asked = Self::default();
        let mut words = words;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--devices" => {
                    let (near, far) = words.next()?.split_once(',').map(|(near, far)| (near.into(), far.into()))?;
                    asked.devices = Some((near, far));
                }
                "--from" => asked.folders.push(words.next()?.into()),
                "--fetches" => asked.fetches = Some(Duration::from_secs(words.next()?.parse().ok()?)),
                "--wire" => asked.wire = true,
                "--peer" => asked.peer = true,
                _ => return None,
            }
        }
        Some(asked)
    }
}

fn main() -> ExitCode {
    let Some(asked) = Asked::read(std::env::args().skip(1)) else {
        eprintln!("usage: oxshmem-rc-selftest [--devices NEAR,FAR] [--from FOLDER]... [--fetches SECONDS] [--wire]");
        return ExitCode::from(2);
    };
    if asked.peer {
        return match LibVerbs::open_from(&asked.folders).map(|verbs| pair::serve(&verbs, asked.devices.as_ref())) {
            Ok(Ok(())) => ExitCode::SUCCESS,
            Ok(Err(error)) => fail(&*error),
            Err(error) => fail(&error),
        };
    }
    let mut report = Report::default();
    if let Err(error) = run(&mut report, &asked) {
        report.check("devices", || Err(error.into()));
    }
    if report.close() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("the other process: {error}");
    ExitCode::FAILURE
}

fn run(report: &mut Report, asked: &Asked) -> Result<()> {
    let verbs = LibVerbs::open_from(&asked.folders)?;
    let found = verbs.list()?;
    report.check("list", || noted(format!("{}: {found:?}", verbs.describe())));
    let (near, far) = match (&asked.devices, &found[..]) {
        (Some((near, far)), _) => (near.clone(), far.clone()),
        (None, [one]) => (one.name.clone(), one.name.clone()),
        (None, [one, other, ..]) => (one.name.clone(), other.name.clone()),
        (None, []) => {
            report.check("devices", || report::skipped("there is none"));
            return Ok(());
        }
    };
    if asked.fetches.is_some() {
        pair::fetches(report, &verbs, asked, &near, &far);
        pair::beside(report, &verbs, asked, &near, &far);
        return Ok(());
    }
    for (name, check) in alone::CHECKS {
        // Opened for each: what one check leaves behind must not disturb the next.
        report.check(&format!("{near}: {name}"), || check(&Side::open(&verbs, &near)?));
    }
    report.check(&format!("{near}: nothing is left of a device that was dropped"), || {
        for _ in 0..50 {
            let side = Side::open(&verbs, &near)?;
            side.link()?;
        }
        report::passed()
    });
    pair::checks(report, &verbs, asked, &near, &far);
    pair::fetches(report, &verbs, asked, &near, &far);
    pair::beside(report, &verbs, asked, &near, &far);
    Ok(())
}

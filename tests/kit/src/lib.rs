//! Checks of a transport's library without a world. An author of a transport runs these checks before the conformance
//! suite: they name the broken promise, where the suite reports wrong data or a timeout.
//!
//! | a library that offers | is checked by | in |
//! |---|---|---|
//! | [`FabricProvider`](oxshmem_rdma::fabric::FabricProvider) | [`fabric::check`], each promise of a fabric | one process |
//! | [`RcProvider`] (verbs) | [`main`] or [`check`], each property of verbs on which a proxy depends | two processes |
//! | a NIC of mlx5 | `nic::SelfTest` (feature `nic`), all that IBGDA does with a NIC | one process |
//!
//! The author of a verbs provider writes a program:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     oxshmem_kit::main("my-selftest", |_folders| Ok(MyProvider::new()))
//! }
//! ```
//!
//! [`main`] reads the command line and starts the program a second time as the other process of a pair. A program with
//! a command line of its own calls [`check`] and, in the other process, [`serve`].

mod alone;
mod bench;
pub mod fabric;
mod fetches;
mod memory;
mod moves;
#[cfg(feature = "nic")]
pub mod nic;
mod numbers;
mod pair;
mod report;
pub mod rig;
mod side;
mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use oxshmem_core::host::Result;
use oxshmem_rdma::rc::{RcProvider, VerbsFabric};
use oxshmem_rdma::wire::WireParams;

pub use report::Report;
use report::{noted, passed, skipped};
use side::Side;

/// Options of [`check`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Names of the near and the far device. `None`: the first two that the provider lists, or twice its only one.
    pub devices: Option<(String, String)>,
    /// Also cuts the wire to the far device, by the command `wire` of `cargo xtask rxe`.
    pub wire: bool,
    /// Runs only the checks that fetches bring their data and that additions are atomic with a processor's, for this
    /// time each.
    pub fetches: Option<Duration>,
    /// Bytes of the smallest word that must be whole; `None`: as by default.
    pub least_word: Option<usize>,
    /// Arguments with which this program, started again, calls [`serve`]. The name of the far device follows them.
    pub peer: Vec<OsString>,
}

/// Runs every check, prints a line for each (`ok NAME`, `FAILED NAME: error`, `skipped NAME: reason`) and returns the
/// counts.
///
/// # Errors
/// The provider can't list its devices.
pub fn check(provider: &dyn RcProvider, options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let found = provider.list()?;
    report.check("", "list", || noted(format!("{}: {found:?}", provider.describe())));
    let (near, far) = match (&options.devices, &found[..]) {
        (Some((near, far)), _) => (near.clone(), far.clone()),
        (None, [one]) => (one.name.clone(), one.name.clone()),
        (None, [one, other, ..]) => (one.name.clone(), other.name.clone()),
        (None, []) => {
            report.check("", "devices", || skipped("there is none"));
            return Ok(report);
        }
    };
    if options.fetches.is_none() {
        alone(&mut report, provider, &near);
        pair::checks(&mut report, provider, options, &near, &far);
    }
    pair::fetches(&mut report, provider, options, &near, &far);
    pair::beside(&mut report, provider, options, &near, &far);
    Ok(report)
}

fn alone(report: &mut Report, provider: &dyn RcProvider, near: &str) {
    verbs::checks(report, provider, near);
    for (name, check) in alone::CHECKS {
        // Opened for each check, so that no check finds objects of an earlier one.
        report.check(near, name, || check(&Side::open(provider, near)?));
    }
    report.check(near, "nothing is left of a device that was dropped", || {
        for _ in 0..50 {
            let side = Side::open(provider, near)?;
            side.link()?;
        }
        passed()
    });
}

/// Serves as the other process of a pair: executes the requests on standard input until it is closed.
///
/// # Errors
/// The device can't be used, or a request makes no sense.
pub fn serve(provider: &dyn RcProvider, device: &str) -> std::result::Result<(), Box<dyn std::error::Error>> {
    pair::serve(provider, device)
}

/// Checks the promises of the fabric that proxies make of verbs devices.
fn promises(provider: Arc<dyn RcProvider>, options: &Options) -> Report {
    let defaults = fabric::Options::default();
    let fabric = fabric::Options {
        // 67 ms, so that a peer that is gone is noticed after half a second.
        wire: WireParams { ack_timeout: 14, retry_count: side::RETRIES, ..WireParams::default() },
        time: Duration::from_millis(50),
        least_word: options.least_word.unwrap_or(defaults.least_word),
        ..defaults
    };
    fabric::check(move |_| Arc::new(VerbsFabric::new(provider.clone())), &fabric)
}

/// Command line of [`main`].
#[derive(Default)]
struct CommandLine {
    options: Options,
    folders: Vec<PathBuf>,
    /// The device, if this process is the other one of a pair.
    peer: Option<String>,
}

impl CommandLine {
    fn read(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut line = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--devices" => {
                    let (near, far) = words.next()?.split_once(',').map(|(near, far)| (near.into(), far.into()))?;
                    line.options.devices = Some((near, far));
                }
                "--from" => line.folders.push(words.next()?.into()),
                "--fetches" => line.options.fetches = Some(Duration::from_secs(words.next()?.parse().ok()?)),
                "--wire" => line.options.wire = true,
                "--least-word" => line.options.least_word = Some(words.next()?.parse().ok()?),
                "--peer" => line.peer = Some(words.next()?),
                _ => return None,
            }
        }
        line.options.peer = line.folders.iter().flat_map(|folder| ["--from".into(), folder.into()]).collect();
        line.options.peer.push("--peer".into());
        Some(line)
    }
}

/// Runs a program that checks the provider that `open` makes, and the promises of the [fabric](VerbsFabric) over it.
/// `open` gets the folders of the command line.
///
/// - `--devices NEAR,FAR`: names the devices (default: the first two, or twice the only one);
/// - `--from FOLDER`: a folder for `open`, as often as needed;
/// - `--fetches SECONDS`: runs only the checks of fetches and of additions beside a processor's, for this time each;
/// - `--least-word BYTES`: smaller words need not be written and read whole (2, 4 or 8);
/// - `--wire`: also cuts the wire to FAR, by the command `wire`, as `cargo xtask rxe` has it.
///
/// Exits with 1 if a check failed, with 2 if the command line is wrong.
pub fn main<P: RcProvider + 'static>(name: &str, open: impl FnOnce(&[PathBuf]) -> Result<P>) -> ExitCode {
    let Some(line) = CommandLine::read(std::env::args().skip(1)) else {
        eprintln!(
            "usage: {name} [--devices NEAR,FAR] [--from FOLDER]... [--fetches SECONDS] [--least-word BYTES] [--wire]"
        );
        return ExitCode::from(2);
    };
    let opened = open(&line.folders).map(|provider| Arc::new(provider) as Arc<dyn RcProvider>);
    if let Some(device) = &line.peer {
        let served = opened.map_err(Into::into).and_then(|provider| serve(&*provider, device));
        return served.map_or_else(
            |error| {
                eprintln!("the other process: {error}");
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        );
    }
    let checked = opened.and_then(|provider| {
        let mut report = check(&*provider, &line.options)?;
        if line.options.fetches.is_none() {
            report.extend(promises(provider, &line.options));
        }
        Ok(report)
    });
    let report = checked.unwrap_or_else(|error| {
        let mut report = Report::default();
        report.check("", "devices", || Err(error.into()));
        report
    });
    println!("{report}");
    if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

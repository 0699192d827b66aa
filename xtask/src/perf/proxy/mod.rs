//! `perf --proxy`: how fast proxies take what kernels ask.
//!
//! There is no NIC: the device that proxies post to completes at once, and moves nothing or copies. `oxshmem-proxy-rates`
//! answers the rows in one process; how it is talked to is in `tests/peers/PROTOCOL.md`. NVSHMEM's proxy can't be
//! measured beside it: it posts to a NIC alone.

mod goals;
mod page;
mod rows;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::clock::Clock;
use super::contest::{self, Effort, Outcome};
use super::machine::Machine;
use super::peer::Peer;
use super::plan::On;
use super::processes::Start;
use super::report::{self, About};
use super::results::{HOST_PES, OURS, Results};
use super::{Ending, Options, roster};
use crate::gpu;
use crate::place::Place;
use crate::programs::{self, Profile};
use crate::ptx;
use crate::run::Device;

/// Our program.
const PROGRAM: &str = "oxshmem-proxy-rates";
/// What asks the proxies.
const KERNELS: &str = "oxshmem-proxy-kernels";

/// The task.
pub(super) fn task(place: &Place, options: &Options) -> Result<i32> {
    if !options.against.is_empty() {
        bail!("NVSHMEM's proxy posts to a NIC alone and can't be measured here; leave --against out");
    }
    let on = on(options.device, options.list)?;
    let rows = options.fitting(rows::rows(options.profile(), on))?;
    if options.list {
        rows.iter().for_each(|row| println!("{row}"));
        return Ok(0);
    }
    Ok(measure(place, options, on)?.code())
}

fn measure(place: &Place, options: &Options, on: On) -> Result<Ending> {
    let rows = options.fitting(rows::rows(options.profile(), on))?;
    let out = super::out_folder(place, options)?;
    let mut peers = enlist(place, options, on)?;
    let machine = Machine::here();
    let mut results = Results {
        peers: peers.iter().map(|peer| peer.name().to_string()).collect(),
        on,
        n: 1,
        device: machine.gpus.first().map_or_else(String::new, |gpu| gpu.name.clone()),
        measured: Vec::new(),
        left_out: Vec::new(),
        stopped: None,
        failures: Vec::new(),
    };
    let mut about = super::about(place, options, machine);
    eprintln!("perf: {} rows, {}; {}", rows.len(), results.peers.join(" and "), head(&results));

    let begun = Instant::now();
    let json = out.join("proxy.json");
    let clock = Clock::start(options.limit_seconds.map(Duration::from_secs))?;
    let effort = Effort { turns: options.turns, repeat: options.repeat };
    // The rows are few: a run that is killed leaves all that it has.
    let outcome = contest::run(&mut peers, rows, effort, &clock, |peers, outcome| {
        results.measured.clone_from(&outcome.measured);
        about.peers = roster::about(peers);
        if let Err(why) = whole(&about, &results).and_then(|whole| report::put(&json, &whole)) {
            eprintln!("warning: {why:#}");
        }
    });
    about.peers = roster::about(&peers);
    let Outcome { measured, left_out, stopped, failures } = outcome;
    results = Results { measured, left_out, stopped, failures, ..results };
    report::put(&json, &whole(&about, &results)?)?;
    let file = out.join("proxy.md");
    std::fs::write(&file, page::markdown(&results, &super::facts(&about)))
        .with_context(|| format!("cannot write {}", file.display()))?;
    print!("{}", page::for_terminal(&results));
    println!(
        "perf: {} rows measured, {} failures, {} rows left out, {:.0} s; {}",
        results.measured.len(),
        results.failures.len(),
        results.left_out.len(),
        begun.elapsed().as_secs_f64(),
        file.display()
    );
    Ok(Ending {
        rows: results.measured.len(),
        failures: results.failures,
        left_out: results.left_out.len(),
        signal: clock.signal(),
    })
}

/// Builds what must be built, and gives the peers, ours first. None is up yet.
fn enlist(place: &Place, options: &Options, on: On) -> Result<Vec<Peer>> {
    let device = if on == On::Gpus { Device::Gpu } else { Device::Host };
    // Built for speed on host threads too: there a proxy's rate is what is measured.
    let program = match &options.ours {
        Some(program) => roster::named_program(program)?,
        None => programs::resolve(place, PROGRAM, Profile::Release)?,
    };
    let mut environment = place.environment();
    if on == On::Gpus {
        let folder = kernels(place)?;
        environment.retain(|(name, _)| name != "OXSHMEM_PTX_PATH");
        environment.push(("OXSHMEM_PTX_PATH".into(), folder));
    }
    let start = |name: &str, program| {
        let start = Start { name: name.to_string(), program, args: Vec::new(), env: environment.clone(), n: 1, device };
        Peer::new(start, Duration::from_secs(options.row_seconds))
    };
    let mut peers = vec![start(OURS, program)];
    for (name, program) in &options.peers {
        peers.push(start(name, roster::named_program(program)?));
    }
    Ok(peers)
}

/// The folder of the kernels' PTX; built in a checkout.
fn kernels(place: &Place) -> Result<String> {
    let file = match place {
        Place::Packed(root) => {
            let file = place.ptx().join(format!("{}.ptx", KERNELS.replace('-', "_")));
            if !file.is_file() {
                bail!("{} is missing: {} was packed without `{KERNELS}`", file.display(), root.display());
            }
            file
        }
        Place::Checkout(root) => {
            // In a folder of its own: the other tasks build for what every GPU runs.
            let options = ptx::Options {
                packages: vec![KERNELS.to_string()],
                arch: vec!["sm_80".to_string()],
                out: Some(place.ptx().join("proxy")),
                ..ptx::Options::default()
            };
            let built = ptx::build_all(root, &options)?;
            built.into_iter().next().context("nothing was built")?.file
        }
    };
    Ok(file.parent().unwrap_or(Path::new(".")).display().to_string())
}

/// On what: a GPU, unless the user asks for host threads.
///
/// # Errors
///
/// There is no GPU.
fn on(device: Device, listed: bool) -> Result<On> {
    let told = || std::env::var("OXSHMEM_DEVICE").is_ok_and(|told| told == "host");
    if device == Device::Host || (device == Device::Auto && told()) {
        return Ok(On::Host);
    }
    let what = "`perf --proxy` measures what a GPU's threads ask of proxies and needs a GPU; `--device host` measures \
                proxies with threads of the CPU";
    match gpu::count() {
        _ if listed => Ok(On::Gpus),
        Ok(0) => bail!("{what}: the driver sees no GPU"),
        counted => counted.context(what).map(|_| On::Gpus),
    }
}

/// The line at the head of every page.
fn head(results: &Results) -> String {
    match results.on {
        On::Gpus => format!("Asking proxies, against a device that only completes, from one {}", results.device),
        On::Host => format!("Asking proxies, against a device that only completes: {HOST_PES}"),
    }
}

/// `proxy.json`: as `perf.json`, with this task's own targets.
fn whole(about: &About, results: &Results) -> Result<Value> {
    let mut whole = report::whole(about, results, serde_json::to_value(goals::judge(results))?)?;
    whole["head"] = json!(head(results));
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_asked_for_every_row_and_the_files_have_what_it_said_and_every_target() {
        let folder = std::env::temp_dir().join(format!("oxshmem-perf-proxy-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let good = folder.join("good");
        let _ = std::fs::remove_file(&good);
        std::os::unix::fs::symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake-peer.sh"), &good).unwrap();
        let options =
            Options { proxy: true, ours: Some(good), turns: 2, repeat: 3, ..Options::short(folder.join("out")) };
        let ending = measure(&Place::Packed(folder.clone()), &options, On::Host).unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.join("out").join(file)).unwrap();
        let (json, page) = (read("proxy.json"), read("proxy.md"));
        let _ = std::fs::remove_dir_all(&folder);
        let rows = rows::rows(options.profile(), On::Host);
        assert_eq!((ending.rows, ending.left_out, ending.failures), (rows.len(), 0, Vec::new()));
        let json: Value = serde_json::from_str(&json).unwrap();
        for (row, said) in rows.iter().zip(json["rows"].as_array().unwrap()) {
            assert_eq!(said["row"], json!(row.to_string()));
            assert_eq!(said["peers"]["oxshmem"]["samples_ns"], json!(vec![vec![1000.0; 3]; 2]));
        }
        assert!(page.contains(HOST_PES) && page.contains("## Targets"), "{page}");
    }
}

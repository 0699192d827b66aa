//! `perf --proxy`: measures the rate at which proxies take the requests of kernels.
//!
//! There is no NIC: the proxies' device completes at once, and moves nothing or copies. `oxshmem-proxy-rates` answers
//! the rows in one process; `tests/peers/PROTOCOL.md` defines the communication with it. NVSHMEM's proxy can't be
//! measured beside it, because it posts to NICs alone.

mod goals;
mod page;
mod rows;

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};

use super::alone::{self, Suite};
use super::peer::Peer;
use super::plan::On;
use super::processes::Start;
use super::results::{HOST_PES, OURS, Results};
use super::{Ending, Options, roster};
use xtask::place::Place;
use xtask::programs::{self, Profile};
use xtask::run::Device;

/// The name of our program.
const PROGRAM: &str = "oxshmem-proxy-rates";
/// The kernels that make the requests.
const KERNELS: &str = "oxshmem-proxy-kernels";

const NEEDS: &str = "`perf --proxy` measures what a GPU's threads ask of proxies and needs a GPU; `--device host` measures \
                     proxies with threads of the CPU";

/// The properties of this suite.
const SUITE: Suite = Suite {
    name: "proxy",
    legend: page::LEGEND,
    head,
    targets: page::targets,
    tables: |results| vec![("Rows".into(), page::rows(results))],
    charts: |_| Vec::new(),
    judge: |_, _| (),
};

/// Runs the task.
pub(super) fn task(place: &Place, options: &Options) -> Result<i32> {
    if !options.against.is_empty() {
        bail!("NVSHMEM's proxy posts to a NIC alone and can't be measured here; leave --against out");
    }
    let on = alone::on(options.device, options.list, NEEDS)?;
    let rows = options.fitting(rows::rows(options.profile(), on))?;
    if options.list {
        rows.iter().for_each(|row| println!("{row}"));
        return Ok(0);
    }
    Ok(measure(place, options, on)?.code())
}

fn measure(place: &Place, options: &Options, on: On) -> Result<Ending> {
    let rows = options.fitting(rows::rows(options.profile(), on))?;
    SUITE.measure(place, options, (on, 1), rows, enlist(place, options, on)?)
}

/// Builds the missing programs, and returns the peers, ours first. None is started yet.
fn enlist(place: &Place, options: &Options, on: On) -> Result<Vec<Peer>> {
    let device = if on == On::Gpus { Device::Gpu } else { Device::Host };
    // It is optimised for host threads, too, because there the rate of a proxy is measured.
    let program = match &options.ours {
        Some(program) => roster::named_program(program)?,
        None => programs::resolve(place, PROGRAM, Profile::Release)?,
    };
    let mut environment = place.environment();
    if on == On::Gpus {
        let file = alone::kernels(place, KERNELS, "proxy", "sm_80")?;
        let folder = file.parent().unwrap_or(Path::new(".")).display().to_string();
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

/// Returns the first line of every page.
fn head(results: &Results) -> String {
    match results.on {
        On::Gpus => format!("Asking proxies, against a device that only completes, from one {}", results.device),
        On::Host => format!("Asking proxies, against a device that only completes: {HOST_PES}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn the_program_is_asked_for_every_row_and_the_files_have_what_it_said_and_every_target() {
        let folder = Scratch::new("perf-proxy").unwrap();
        let good = folder.join("good");
        let _ = std::fs::remove_file(&good);
        std::os::unix::fs::symlink(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake-peer.sh"), &good).unwrap();
        let options =
            Options { proxy: true, ours: Some(good), turns: 2, repeat: 3, ..Options::short(folder.join("out")) };
        let ending = measure(&Place::Packed(folder.to_path_buf()), &options, On::Host).unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.join("out").join(file)).unwrap();
        let (json, page) = (read("proxy.json"), read("proxy.md"));
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

//! `perf --nic`: how fast a GPU's threads post to a NIC's queues, beside NVSHMEM's own device code.
//!
//! There is no NIC: an engine on the same GPU completes what is posted and does nothing else. `oxshmem-nic-rates` and
//! the program of `tests/peers/nvshmem/ibgda` bring the same engine and answer the same rows, each in one process; how
//! they are talked to is in `tests/peers/PROTOCOL.md`.

mod goals;
mod page;
mod peers;
mod rows;

use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::clock::Clock;
use super::contest::{self, Effort, Outcome};
use super::machine::Machine;
use super::plan::On;
use super::report::{self, About};
use super::results::{HOST_PES, Results};
use super::{Ending, Options, roster};
use crate::gpu;
use crate::place::Place;
use crate::run::Device;

/// The task.
pub(super) fn task(place: &Place, options: &Options) -> Result<i32> {
    if options.list {
        let on = if on_host(options.device) { On::Host } else { On::Gpus };
        let rows = options.fitting(rows::rows(options.profile(), on))?;
        rows.iter().for_each(|row| println!("{row}"));
        return Ok(0);
    }
    Ok(measure(place, options)?.code())
}

fn measure(place: &Place, options: &Options) -> Result<Ending> {
    let on = on(options.device)?;
    let rows = options.fitting(rows::rows(options.profile(), on))?;
    let out = super::out_folder(place, options)?;
    let mut peers = peers::enlist(place, options, on, &out)?;
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

    // What was built before is no part of the measurement.
    let begun = Instant::now();
    let json = out.join("nic.json");
    let clock = Clock::start(options.limit_seconds.map(std::time::Duration::from_secs))?;
    let effort = Effort { turns: options.turns, repeat: options.repeat };
    // The rows are few: a run that is killed leaves all that it has.
    let outcome = contest::run(&mut peers, rows, effort, &clock, |peers, outcome| {
        results.measured.clone_from(&outcome.measured);
        about.peers = known(peers);
        if let Err(why) = whole(&about, &results).and_then(|whole| report::put(&json, &whole)) {
            eprintln!("warning: {why:#}");
        }
    });
    about.peers = known(&peers);
    let Outcome { measured, left_out, stopped, failures } = outcome;
    results = Results { measured, left_out, stopped, failures, ..results };
    report::put(&json, &whole(&about, &results)?)?;
    let file = out.join("nic.md");
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

/// On what: a GPU, unless the user asks for host threads.
///
/// # Errors
///
/// There is no GPU.
fn on(device: Device) -> Result<On> {
    if on_host(device) {
        return Ok(On::Host);
    }
    let what = "`perf --nic` measures what a GPU's threads post and needs a GPU; `--device host` tries the rows out on \
                threads of the CPU";
    match gpu::count().context(what)? {
        0 => bail!("{what}: the driver sees no GPU"),
        _ => Ok(On::Gpus),
    }
}

fn on_host(device: Device) -> bool {
    let told = || std::env::var("OXSHMEM_DEVICE").is_ok_and(|told| told == "host");
    device == Device::Host || (device == Device::Auto && told())
}

/// The line at the head of every page.
fn head(results: &Results) -> String {
    match results.on {
        On::Gpus => {
            format!("Posting to a NIC's queues, against an engine that only completes, on one {}", results.device)
        }
        On::Host => format!("Posting to a NIC's queues: {HOST_PES}"),
    }
}

/// What is known of each peer, without the folders of this machine.
fn known(peers: &[super::peer::Peer]) -> std::collections::BTreeMap<String, report::AboutPeer> {
    let mut known = roster::about(peers);
    for arg in known.values_mut().flat_map(|peer| &mut peer.args) {
        *arg = super::without_folders(arg);
    }
    known
}

/// `nic.json`: as `perf.json`, with this task's own targets, and what each row comes to.
fn whole(about: &About, results: &Results) -> Result<Value> {
    let mut whole = report::whole(about, results, serde_json::to_value(goals::judge(results))?)?;
    whole["head"] = json!(head(results));
    if let Some(rows) = whole["rows"].as_array_mut() {
        for (row, one) in rows.iter_mut().zip(&results.measured) {
            row["part_of_engine"] = json!(goals::part_of_engine(results, one));
            row["verdict"] = json!(goals::of_row(results, one).word());
        }
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::super::row::Row;
    use super::*;

    #[test]
    fn host_threads_are_asked_for_by_name() {
        assert_eq!(on(Device::Host).unwrap(), On::Host);
        if gpu::count().is_ok_and(|gpus| gpus > 0) {
            return;
        }
        let error = format!("{:#}", on(Device::Gpu).unwrap_err());
        assert!(error.contains("needs a GPU") && error.contains("--device host"), "{error}");
    }

    #[test]
    fn a_page_of_host_threads_says_so_and_one_of_a_gpu_names_it() {
        let mut results = results(&["oxshmem"], &[]);
        assert!(head(&results).ends_with("on one NVIDIA H200"), "{}", head(&results));
        results.on = On::Host;
        assert!(head(&results).contains(HOST_PES));
    }

    #[test]
    fn every_program_is_asked_for_every_row_and_the_files_have_what_they_said() {
        let folder = std::env::temp_dir().join(format!("oxshmem-perf-nic-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake-peer.sh");
        let [good, slow] = ["good", "slow"].map(|mode| folder.join(mode));
        for link in [&good, &slow] {
            let _ = std::fs::remove_file(link);
            std::os::unix::fs::symlink(script, link).unwrap();
        }
        let options = Options {
            nic: true,
            ours: Some(good),
            peers: vec![("slow".into(), slow)],
            turns: 2,
            repeat: 3,
            ..Options::short(folder.join("out"))
        };
        let ending = measure(&Place::Packed(folder.clone()), &options).unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.join("out").join(file)).unwrap();
        let (json, page) = (read("nic.json"), read("nic.md"));
        let _ = std::fs::remove_dir_all(&folder);
        let rows = rows::rows(options.profile(), On::Host);
        assert_eq!((ending.rows, ending.left_out, ending.failures), (rows.len(), 0, Vec::new()));
        let json: Value = serde_json::from_str(&json).unwrap();
        for (row, said) in rows.iter().zip(json["rows"].as_array().unwrap()) {
            assert_eq!(said["row"], json!(row.to_string()));
            assert_eq!(said["peers"]["oxshmem"]["samples_ns"], json!(vec![vec![1000.0; 3]; 2]));
            assert_eq!(said["peers"]["slow"]["time_to_ours"], json!(3.0));
        }
        assert!(page.contains(HOST_PES) && page.contains(" 3.00 |"), "{page}");
    }

    #[test]
    fn the_file_has_every_sample_the_rows_verdict_and_the_targets() {
        let rows: [(Row, &[f64]); 2] = [
            (Row::of("nic_engine").queues(8, 1024), &[16_384.0, 0.0]),
            (Row { line: true, grid: Some((8, 256)), ..Row::of("nic_p_rate") }.queues(8, 1024), &[8_300.0, 8_500.0]),
        ];
        let about = About {
            date: String::new(),
            command: String::new(),
            version: String::new(),
            commit: "abc".into(),
            profile: "default".into(),
            turns: 1,
            repeat: 1,
            peers: Default::default(),
            machine: Machine { gpus: Vec::new(), driver: None, cpu: String::new(), cpus: 1, kernel: String::new() },
        };
        let whole = whole(&about, &results(&["oxshmem", "nvshmem"], &rows)).unwrap();
        let row = &whole["rows"][1];
        assert_eq!(row["peers"]["nvshmem"]["samples_ns"], json!([[8_500.0]]));
        assert_eq!((&row["verdict"], &row["unit"]), (&json!("engine"), &json!("M/s")));
        assert_eq!(whole["about"]["commit"], json!("abc"));
        assert!(!whole["targets"].as_array().unwrap().is_empty());
    }
}

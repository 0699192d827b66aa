//! `perf --nic`: measures the rate at which a GPU's threads post to a NIC's queues, beside NVSHMEM's own device code.
//!
//! There is no NIC: an engine on the same GPU completes the entries and does nothing else. `oxshmem-nic-rates` and the
//! program of `tests/peers/nvshmem/ibgda` use the same engine and answer the same rows, each in one process.
//! `tests/peers/PROTOCOL.md` defines the communication with them.

mod goals;
mod page;
mod peers;
mod rows;

use anyhow::Result;
use serde_json::{Value, json};

use super::alone::{self, Suite};
use super::plan::On;
use super::results::{HOST_PES, Results};
use super::{Ending, Options};
use xtask::place::Place;

const NEEDS: &str = "`perf --nic` measures what a GPU's threads post and needs a GPU; `--device host` tries the rows out on \
                     threads of the CPU";

/// The properties of this suite.
const SUITE: Suite = Suite {
    name: "nic",
    legend: page::LEGEND,
    head,
    targets: page::targets,
    tables: |results| vec![("Rows".into(), page::rows(results))],
    charts: |_| Vec::new(),
    judge,
};

/// Runs the task.
pub(super) fn task(place: &Place, options: &Options) -> Result<i32> {
    if options.list {
        let rows = options.fitting(rows::rows(options.profile(), alone::on(options.device, true, NEEDS)?))?;
        rows.iter().for_each(|row| println!("{row}"));
        return Ok(0);
    }
    Ok(measure(place, options)?.code())
}

fn measure(place: &Place, options: &Options) -> Result<Ending> {
    let on = alone::on(options.device, false, NEEDS)?;
    let rows = options.fitting(rows::rows(options.profile(), on))?;
    let peers = peers::enlist(place, options, on, &super::out_folder(place, options)?)?;
    SUITE.measure(place, options, (on, 1), rows, peers)
}

/// Returns the first line of every page.
fn head(results: &Results) -> String {
    match results.on {
        On::Gpus => {
            format!("Posting to a NIC's queues, against an engine that only completes, on one {}", results.device)
        }
        On::Host => format!("Posting to a NIC's queues: {HOST_PES}"),
    }
}

/// Adds the verdict of each row to the JSON file.
fn judge(whole: &mut Value, results: &Results) {
    if let Some(rows) = whole["rows"].as_array_mut() {
        for (row, one) in rows.iter_mut().zip(&results.measured) {
            row["part_of_engine"] = json!(goals::part_of_engine(results, one));
            row["verdict"] = json!(goals::of_row(results, one).word());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Machine;
    use super::super::report::About;
    use super::super::results::tests::results;
    use super::super::row::Row;
    use oxshmem_raw::os::private::Scratch;

    use super::*;
    use xtask::gpu;
    use xtask::run::Device;

    #[test]
    fn host_threads_are_asked_for_by_name() {
        assert_eq!(alone::on(Device::Host, false, NEEDS).unwrap(), On::Host);
        if gpu::count().is_ok_and(|gpus| gpus > 0) {
            return;
        }
        let error = format!("{:#}", alone::on(Device::Gpu, false, NEEDS).unwrap_err());
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
        let folder = Scratch::new("perf-nic").unwrap();
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
        let ending = measure(&Place::Packed(folder.to_path_buf()), &options).unwrap();
        let read = |file: &str| std::fs::read_to_string(folder.join("out").join(file)).unwrap();
        let (json, page) = (read("nic.json"), read("nic.md"));
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
        let whole = SUITE.whole(&about, &results(&["oxshmem", "nvshmem"], &rows)).unwrap();
        let row = &whole["rows"][1];
        assert_eq!(row["peers"]["nvshmem"]["samples_ns"], json!([[8_500.0]]));
        assert_eq!((&row["verdict"], &row["unit"]), (&json!("engine"), &json!("M/s")));
        assert_eq!(whole["about"]["commit"], json!("abc"));
        assert!(!whole["targets"].as_array().unwrap().is_empty());
    }
}

//! `perf --nic`: measures the rate at which a GPU's threads post to a NIC's queues, beside NVSHMEM's own device code.
//!
//! There is no NIC: an engine on the same GPU completes the entries and does nothing else. `oxshmem-nic-rates` and the
//! program of `tests/peers/nvshmem/ibgda` use the same engine and answer the same rows, each in one process.
//! `tests/peers/PROTOCOL.md` defines the communication with them.

pub(crate) mod rows;

use std::path::Path;

use anyhow::{Context, Result, bail};
use comfy_table::Table;
use oxshmem_raw::gpu::cuda;

use super::alone;
use super::comparator::NVSHMEM_ON_NIC;
use super::goals::Goals;
use super::plan::On;
use super::results::{HOST_PES, NVSHMEM, OURS, Results};
use super::roster::Roster;
use super::row::Row;
use super::suite::Suite;
use super::table::{Columns, compare, with_unit};
use xtask::place::Place;
use xtask::programs::Profile;
use xtask::ptx;

/// The name of our program.
const PROGRAM: &str = "oxshmem-nic-rates";
/// The crate with the engine, and with the kernels that post to it in our program.
const KERNELS: &str = "oxshmem-nic-kernels";

const NEEDS: &str = "`perf --nic` measures what a GPU's threads post and needs a GPU; `--device host` tries the rows out on \
                     threads of the CPU";

/// The properties of this suite.
pub(crate) const SUITE: Suite = Suite {
    name: "nic",
    option: " --nic",
    legend: "Medians of all turns; min..max over all of them. A ratio above 1 is ours being faster. `of engine` is ours to \
             what the engine completes with as many queues; `engine` as a verdict: no faster because the engine is not.",
    goals: include_str!("../../goals/nic.toml"),
    on: |options| alone::on(options.device, options.list, NEEDS),
    is_alone: true,
    rows: rows::rows,
    enlist,
    head,
    tables: |results, goals| vec![("Rows".into(), table(results, goals))],
    charts: |_| Vec::new(),
};

fn head(results: &Results) -> String {
    match results.on {
        On::Gpus => {
            format!("Posting to a NIC's queues, against an engine that only completes, on one {}", results.device)
        }
        On::Host => format!("Posting to a NIC's queues: {HOST_PES}"),
    }
}

fn enlist(roster: &mut Roster<'_>, place: &Place, out: &Path) -> Result<()> {
    let (options, on) = (roster.options, roster.on);
    // Paths in the options are checked before anything is built.
    for (name, path) in &options.against {
        if name != NVSHMEM {
            bail!(
                "--against knows `{NVSHMEM}` alone, not `{name}`; any program that speaks the protocol can be a --peer"
            );
        }
        if on == On::Host {
            bail!("{NVSHMEM} runs on GPUs alone, and this run is on threads of the CPU; leave --against out");
        }
        if !path.is_file() {
            NVSHMEM_ON_NIC.check_package(path)?;
        }
    }
    let ours = roster.ours(place, PROGRAM, if on == On::Gpus { Profile::Release } else { Profile::Dev })?;
    let arch = match (place, on) {
        (Place::Checkout(_), On::Gpus) => {
            let capability = cuda::Device::get(0).and_then(|gpu| gpu.compute_capability());
            capability.map(|(major, minor)| arch(10 * major + minor)).context("`perf --nic`")?
        }
        // A packed folder has it for the GPUs of its cluster.
        _ => "",
    };
    let (environment, engine) = alone::environment(roster, place, KERNELS, ("nic", arch))?;
    roster.add(OURS, &ours, Vec::new(), environment.clone());
    for ((_, path), engine) in options.against.iter().zip(engine.iter().cycle()) {
        roster.add_library(NVSHMEM_ON_NIC.against(place, path, out, false)?, &[engine.display().to_string()]);
    }
    roster.add_others(&environment)
}

/// Returns the newest architecture of our PTX that such a GPU runs.
fn arch(capability: u32) -> &'static str {
    let runs = |arch: &&&str| ptx::arch_number(arch).is_some_and(|number| number <= capability);
    ptx::ASSEMBLED_ARCHS.iter().filter(runs).max_by_key(|arch| ptx::arch_number(arch)).unwrap_or(&"sm_80")
}

fn table(results: &Results, goals: &Goals) -> Table {
    let columns = Columns {
        first: &["test", "shape"],
        words: &|one| vec![one.row.test.to_string(), shape(&one.row)],
        figure: with_unit,
        last: &["of engine", "verdict"],
        more: &|one| {
            let part = goals.part_of_engine(results, one).map(|part| format!("{:.0}%", part * 100.0));
            vec![part.unwrap_or_default(), goals.of_row(results, one).word().into()]
        },
    };
    compare(results, &results.measured.iter().collect::<Vec<_>>(), &columns)
}

/// Returns the grid and the queues as text.
fn shape(row: &Row) -> String {
    let mut words = Vec::new();
    words.extend(row.grid.map(|(ctas, threads)| format!("{ctas} x {threads}")));
    if let Some((qps, depth)) = row.queues {
        words.push(format!("{qps} QP{}", if qps == 1 { "" } else { "s" }));
        words.push(format!("depth {depth}"));
    }
    if row.grid.is_some() {
        words.push(if row.line { "a line each" } else { "neighbours" }.into());
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;
    use serde_json::{Value, json};

    use super::super::Options;
    use super::super::machine::Machine;
    use super::super::report::About;
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn the_kernels_are_built_for_the_newest_architecture_that_the_gpu_runs() {
        assert_eq!([80, 89, 90, 100, 120].map(arch), ["sm_80", "sm_80", "sm_90", "sm_100", "sm_100"]);
    }

    #[test]
    fn a_page_of_host_threads_says_so_and_one_of_a_gpu_names_it() {
        let mut results = results(&["oxshmem"], &[]);
        assert!(head(&results).ends_with("on one NVIDIA H200"), "{}", head(&results));
        results.on = On::Host;
        assert!(head(&results).contains(HOST_PES));
    }

    /// Measures every row of a suite on host threads with a program that answers at once, and one three times as slow,
    /// and checks the files. Returns the page.
    pub(crate) fn measured_by_fakes(suite: &Suite, options: Options) -> String {
        let folder = Scratch::new(&format!("perf-{}", suite.name)).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake-peer.sh");
        let [good, slow] = ["good", "slow"].map(|mode| folder.join(mode));
        for link in [&good, &slow] {
            let _ = std::fs::remove_file(link);
            std::os::unix::fs::symlink(script, link).unwrap();
        }
        let options = Options {
            ours: Some(good),
            peers: vec![("slow".into(), slow)],
            turns: 2,
            repeat: 3,
            out: Some(folder.join("out")),
            ..options
        };
        let ending = suite.measure(&Place::Packed(folder.to_path_buf()), &options, On::Host).unwrap();
        let read = |end| std::fs::read_to_string(folder.join(format!("out/{}.{end}", suite.name))).unwrap();
        let rows = (suite.rows)(options.profile(), On::Host);
        assert_eq!((ending.rows, ending.left_out, ending.failures), (rows.len(), 0, Vec::new()));
        let json: Value = serde_json::from_str(&read("json")).unwrap();
        for (row, said) in rows.iter().zip(json["rows"].as_array().unwrap()) {
            assert_eq!(said["row"], json!(row.to_string()));
            assert_eq!(said["peers"]["oxshmem"]["samples_ns"], json!(vec![vec![1000.0; 3]; 2]));
            assert_eq!(said["peers"]["slow"]["time_to_ours"], json!(3.0));
        }
        read("md")
    }

    #[test]
    fn every_program_is_asked_for_every_row_and_the_files_have_what_they_said() {
        let page = measured_by_fakes(&SUITE, Options { nic: true, ..Options::short("".into()) });
        assert!(page.contains(HOST_PES) && page.contains(" 3.00 |") && !page.contains("## Targets"), "{page}");
        let page = measured_by_fakes(&super::super::proxy::SUITE, Options { proxy: true, ..Options::short("".into()) });
        assert!(page.contains(HOST_PES) && page.contains("## Targets"), "{page}");
    }

    fn rate(qps: u64) -> Row {
        Row { line: true, grid: Some((8, 256)), ..Row::of("nic_p_rate") }.queues(qps, 1024)
    }

    #[test]
    fn the_file_has_every_sample_the_rows_verdict_and_the_targets() {
        let rows: [(Row, &[f64]); 2] =
            [(Row::of("nic_engine").queues(8, 1024), &[16_384.0, 0.0]), (rate(8), &[8_300.0, 8_500.0])];
        let machine = Machine { gpus: Vec::new(), driver: None, cpu: String::new(), cpus: 1, kernel: String::new() };
        let about = About::now(&Place::Packed("/packed".into()), &Options::short("".into()), machine);
        let about = About { commit: "abc".into(), ..about };
        let whole = SUITE.whole(&about, &results(&["oxshmem", "nvshmem"], &rows)).unwrap();
        let row = &whole["rows"][1];
        assert_eq!(row["peers"]["nvshmem"]["samples_ns"], json!([[8_500.0]]));
        assert_eq!((&row["verdict"], &row["unit"]), (&json!("engine"), &json!("M/s")));
        assert_eq!(whole["about"]["commit"], json!("abc"));
        assert!(!whole["targets"].as_array().unwrap().is_empty());
    }

    fn some() -> Results {
        let rows: [(Row, &[f64]); 3] = [
            (Row::of("nic_p_doorbell_latency"), &[812.0, 0.0]),
            (Row::of("nic_engine").queues(64, 1024), &[65_536.0, 0.0]),
            (rate(64), &[8_192.0, 16_384.0]),
        ];
        results(&["oxshmem", "nvshmem"], &rows)
    }

    #[test]
    fn a_line_has_the_shape_both_figures_the_ratio_and_the_verdict() {
        let text = SUITE.for_terminal(&some()).unwrap();
        let find = |test: &str| text.lines().find(|line| line.trim().starts_with(test)).unwrap().to_string();
        let words = find("nic_p_rate");
        let words: Vec<&str> = words.split_whitespace().collect();
        assert_eq!(words[1..12], ["8", "x", "256,", "64", "QPs,", "depth", "1024,", "a", "line", "each", "250"]);
        assert_eq!(words[12..], ["M/s", "250..250", "125", "2.00", "50%", "pass"]);
        let lone = find("nic_p_doorbell_latency");
        assert!(lone.contains("812 ns") && lone.trim_end().ends_with('-'), "{lone}");
    }

    #[test]
    fn a_page_has_the_targets_the_facts_and_what_failed_and_host_threads_have_no_targets() {
        let mut results = some();
        results.failures.push("oxshmem: nic_engine: lost".into());
        let page = SUITE.markdown(&results, &[("driver".into(), "580".into())]).unwrap();
        for part in
            ["## Targets", ">= 215 M/s", "250.0 M/s", "<= 1000 ns", "- driver: 580", "- oxshmem: nic_engine: lost"]
        {
            assert!(page.contains(part), "{part} in {page}");
        }
        results.on = On::Host;
        assert!(!SUITE.markdown(&results, &[]).unwrap().contains("## Targets"));
    }
}

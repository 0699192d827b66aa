//! `cargo xtask perf`: measures the library beside other libraries and beside the hardware's limits.
//!
//! The programs are measured alternately, in the same run on the same machine. `tests/peers/PROTOCOL.md` defines how
//! they communicate with this task.

mod alone;
mod answer;
mod chart;
mod clock;
mod collectives;
mod comparator;
mod contest;
mod goals;
mod machine;
mod nic;
mod pattern;
mod peer;
mod plan;
mod plot;
mod processes;
mod progress;
mod proxy;
mod report;
mod results;
mod roster;
mod row;
mod stats;
mod suite;
mod table;
mod wire;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser};

use plan::Profile;
use results::Results;
use row::Row;
use suite::Suite;
use xtask::place::Place;
use xtask::run::Device;

/// Measures performance, beside the hardware's limits and other libraries.
#[derive(Parser)]
#[command(name = "cargo xtask perf", bin_name = "cargo xtask perf", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

/// The options of `perf`.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Number of PEs, one process each.
    #[arg(short, long = "pes", value_name = "PES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..))]
    pub n: u32,
    /// Device of the kernels.
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    pub device: Device,
    /// Also measures another library: nvshmem=DIR or nccl=DIR, where DIR is the folder `nvidia/nvshmem` or
    /// `nvidia/nccl` of its Python package, or torch=PYTHON, an interpreter that has torch. NCCL and torch have rows of
    /// --collectives.
    #[arg(long, value_name = "NAME=DIR", value_parser = roster::parse_named)]
    pub against: Vec<(String, PathBuf)>,
    /// Also measures any program that speaks the protocol, such as another build of oxshmem-perf.
    #[arg(long = "peer", value_name = "NAME=PROGRAM", value_parser = roster::parse_named)]
    pub peers: Vec<(String, PathBuf)>,
    /// Measures this program in place of oxshmem-perf.
    #[arg(long, value_name = "PROGRAM")]
    pub ours: Option<PathBuf>,
    /// Also measures the hardware's limit: handwritten kernels, without a library.
    #[arg(long)]
    pub limit: bool,
    /// Measures ours once more, with kernels that lend this many bytes of shared memory a block to copies.
    #[arg(long, value_name = "BYTES", num_args = 0..=1, default_missing_value = "65536")]
    pub lend: Option<u32>,
    /// Measures only matching rows: words in the row's name, and whole keys like ctas=8 or bytes=1MiB. Repeat for more
    /// rows.
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Measures the rate at which a GPU's threads post to a NIC's queues, on one GPU, against an engine on it that
    /// only completes. With it, --against nvshmem=DIR is NVSHMEM's own device code on that engine; its program can
    /// also be given.
    #[arg(long, conflicts_with_all = ["limit", "lend"])]
    pub nic: bool,
    /// Measures the rate at which proxies take requests of a GPU's threads, on one GPU, against a device that only
    /// completes.
    #[arg(long, conflicts_with_all = ["limit", "lend", "nic"])]
    pub proxy: bool,
    /// Measures collectives: in graphs, on a stream, and in kernels.
    #[arg(long, conflicts_with_all = ["lend", "nic", "proxy"])]
    pub collectives: bool,
    /// Measures write, read, send and atomics between two PEs in the rows of perftest's `ib_write_bw` and
    /// `ib_write_lat`. It has options of its own: `--wire --help` lists them.
    #[arg(long)]
    pub wire: bool,
    /// One or two rows of each test.
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Every power of two.
    #[arg(long)]
    pub full: bool,
    /// Folder for perf.json, perf.md and the plots, or {collectives,nic,proxy}.{json,md} (default: target/perf; ./perf
    /// in a packed folder).
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Number of times that each program is asked for each row, in turn with the others.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub turns: u32,
    /// Repetitions that a program times on each request.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Lists the rows without measuring them.
    #[arg(long)]
    pub list: bool,
    /// Stops after this many seconds, and lists the rows that were left out.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit_seconds: Option<u64>,
    /// Fails if a row was left out.
    #[arg(long)]
    pub complete: bool,
    /// Time limit of one row; a program that exceeds it has failed the row.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub row_seconds: u64,
}

impl Options {
    /// Returns options for a short run on host PEs.
    #[cfg(test)]
    pub(crate) fn short(out: PathBuf) -> Self {
        let words = ["perf", "--device=host", "--quick", "--turns=1", "--repeat=2", "--limit-seconds=300"];
        Self { out: Some(out), ..Cli::parse_from(words).options }
    }

    fn profile(&self) -> Profile {
        match (self.quick, self.full) {
            (true, _) => Profile::Quick,
            (_, true) => Profile::Full,
            _ => Profile::Default,
        }
    }

    /// Returns those of the rows that the options select.
    ///
    /// # Errors
    /// There are none.
    fn fitting(&self, mut rows: Vec<Row>) -> Result<Vec<Row>> {
        if !self.only.is_empty() {
            rows.retain(|row| self.only.iter().any(|text| row.fits(text)));
        }
        if rows.is_empty() {
            bail!("no row fits `{}`; `--list` shows the rows that there are", self.only.join("`, `"));
        }
        Ok(rows)
    }
}

fn main() {
    let ran = if std::env::args_os().any(|arg| arg == "--wire") {
        let options = wire::Options::parse();
        Place::find().and_then(|place| wire::task(&place, &options))
    } else {
        let cli = Cli::parse();
        Place::find().and_then(|place| task(&place, &cli.options))
    };
    match ran {
        Ok(code) => std::process::exit(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::exit(1);
        }
    }
}

/// The suite of worlds, without an option of its own.
const WORLDS: Suite = Suite {
    name: "perf",
    option: "",
    legend: "Medians of all turns; min..max over all of them. A ratio above 1 is ours being faster.",
    goals: include_str!("../goals/perf.toml"),
    on: roster::on,
    is_alone: false,
    rows: plan::rows,
    enlist: roster::enlist,
    head: Results::head,
    tables: |results, _| vec![("Rows".into(), table::of_all(results))],
    charts: plot::charts,
};

/// Runs the suite that the options choose.
fn task(place: &Place, options: &Options) -> Result<i32> {
    let suite = match options {
        Options { nic: true, .. } => nic::SUITE,
        Options { proxy: true, .. } => proxy::SUITE,
        Options { collectives: true, .. } => collectives::SUITE,
        _ => WORLDS,
    };
    suite.task(place, options)
}

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
mod nccl;
mod nic;
mod nvshmem;
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
mod table;
mod targets;
mod torch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser};

use clock::Clock;
use contest::{Effort, Outcome};
use machine::Machine;
use plan::{On, Profile};
use report::About;
use results::Results;
use row::Row;
use xtask::dist;
use xtask::manifest::Manifest;
use xtask::place::{Place, target_dir};
use xtask::run::Device;

/// The interval at which the JSON file is written during the run, so that an interrupted run leaves its results so far.
const CHECKPOINT: Duration = Duration::from_secs(20);

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
        Self {
            n: 2,
            device: Device::Host,
            against: Vec::new(),
            peers: Vec::new(),
            ours: None,
            limit: false,
            lend: None,
            nic: false,
            proxy: false,
            collectives: false,
            only: Vec::new(),
            quick: true,
            full: false,
            out: Some(out),
            turns: 1,
            repeat: 2,
            list: false,
            limit_seconds: Some(300),
            complete: false,
            row_seconds: 60,
        }
    }

    fn profile(&self) -> Profile {
        match (self.quick, self.full) {
            (true, _) => Profile::Quick,
            (_, true) => Profile::Full,
            _ => Profile::Default,
        }
    }

    /// Returns the rows that the options select.
    fn rows(&self, on: On) -> Result<Vec<Row>> {
        self.fitting(plan::rows(self.profile(), on))
    }

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

/// The end of a run.
pub(crate) struct Ending {
    pub rows: usize,
    pub failures: Vec<String>,
    pub left_out: usize,
    /// The signal that asked to stop, if any.
    pub signal: Option<i32>,
}

impl Ending {
    /// Returns the exit code: 0 if something was measured and nothing failed.
    pub(crate) fn code(&self) -> i32 {
        match self.signal {
            Some(signal) => 128 + signal,
            None => i32::from(!self.failures.is_empty() || self.rows == 0),
        }
    }

    /// Returns the exit code, which is not 0 either if a row was left out of a run that must be complete.
    fn status(&self, options: &Options) -> i32 {
        match self.code() {
            0 if options.complete => i32::from(self.left_out > 0),
            code => code,
        }
    }
}

fn main() {
    let cli = Cli::parse();
    match Place::find().and_then(|place| task(&place, &cli.options)) {
        Ok(code) => std::process::exit(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            std::process::exit(1);
        }
    }
}

/// Runs the task.
fn task(place: &Place, options: &Options) -> Result<i32> {
    if options.nic {
        return nic::task(place, options);
    }
    if options.proxy {
        return proxy::task(place, options);
    }
    if options.collectives {
        return collectives::task(place, options);
    }
    if options.list {
        let on = roster::on(options.device, options.n);
        let rows = options.rows(on)?;
        rows.iter().for_each(|row| println!("{row}"));
        return Ok(0);
    }
    Ok(measure(place, options)?.status(options))
}

/// Measures, prints and writes.
pub(crate) fn measure(place: &Place, options: &Options) -> Result<Ending> {
    let out = out_folder(place, options)?;
    let on = roster::on(options.device, options.n);
    let rows = options.rows(on)?;
    let mut peers = roster::enlist(place, options, on, &out)?;
    let machine = Machine::here();
    let mut results = Results {
        peers: peers.iter().map(|peer| peer.name().to_string()).collect(),
        on,
        n: options.n,
        device: machine.gpus_in_words(),
        measured: Vec::new(),
        left_out: Vec::new(),
        stopped: None,
        failures: Vec::new(),
    };
    let mut about = about(place, options, machine);
    eprintln!("perf: {} rows, {}, on {}", rows.len(), results.peers.join(" and "), results.head());

    // The time of the builds before is not part of the measurement.
    let begun = Instant::now();
    let json = out.join("perf.json");
    let clock = Clock::start(options.limit_seconds.map(Duration::from_secs))?;
    let effort = Effort { turns: options.turns, repeat: options.repeat };
    let mut written = Instant::now();
    let outcome = contest::run(&mut peers, rows, effort, &clock, |peers, outcome| {
        if written.elapsed() >= CHECKPOINT {
            results.measured.clone_from(&outcome.measured);
            about.peers = roster::about(peers);
            if let Err(why) = report::write(&json, &about, &results, &[]) {
                eprintln!("warning: {why:#}");
            }
            written = Instant::now();
        }
    });
    about.peers = roster::about(&peers);
    let Outcome { measured, left_out, stopped, failures } = outcome;
    results = Results { measured, left_out, stopped, failures, ..results };
    write_all(&out, &about, &results)?;
    close(&out, &results, begun.elapsed());
    Ok(Ending {
        rows: results.measured.len(),
        failures: results.failures,
        left_out: results.left_out.len(),
        signal: clock.signal(),
    })
}

/// Returns the folder for the files, and creates it if it is missing.
fn out_folder(place: &Place, options: &Options) -> Result<PathBuf> {
    let out = options.out.clone().unwrap_or_else(|| match place {
        Place::Checkout(root) => target_dir(root).join("perf"),
        Place::Packed(_) => PathBuf::from("perf"),
    });
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    Ok(out)
}

/// Describes the run that begins now. The peers' own descriptions follow later.
fn about(place: &Place, options: &Options, machine: Machine) -> About {
    About {
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        command: std::env::args().map(|arg| without_folders(&arg)).collect::<Vec<_>>().join(" "),
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: commit(place),
        profile: options.profile().name().to_string(),
        turns: options.turns,
        repeat: options.repeat,
        peers: BTreeMap::new(),
        machine,
    }
}

fn write_all(out: &Path, about: &About, results: &Results) -> Result<()> {
    let checks = targets::check(results);
    report::write(&out.join("perf.json"), about, results, &checks)?;
    let page = out.join("perf.md");
    std::fs::write(&page, table::markdown(results, &checks, &facts(about)))
        .with_context(|| format!("cannot write {}", page.display()))?;
    plot::draw_all(results, out)?;
    Ok(())
}

/// Returns the facts of the run that the page lists.
fn facts(about: &About) -> Vec<(String, String)> {
    let machine = &about.machine;
    let mut facts = vec![
        ("date".to_string(), about.date.clone()),
        ("oxshmem".into(), format!("{}, commit {}", about.version, about.commit)),
        ("GPUs".into(), machine.gpus_in_words()),
        ("driver".into(), machine.driver.clone().unwrap_or_else(|| "none".into())),
        ("CPU".into(), format!("{} ({} threads), Linux {}", machine.cpu, machine.cpus, machine.kernel)),
        (
            "measured".into(),
            format!("profile {}, {} turns of {} repetitions", about.profile, about.turns, about.repeat),
        ),
    ];
    for (name, peer) in &about.peers {
        let mut words = vec![peer.version.clone().unwrap_or_else(|| "version unknown".into())];
        words.extend(peer.origin.map(str::to_string));
        words.extend(peer.environment.iter().map(|(name, value)| format!("`{name}={value}`")));
        facts.push((name.clone(), words.join(", ")));
    }
    facts
}

/// Prints the table, the rows that were left out, and a closing line.
fn close(out: &Path, results: &Results, took: Duration) {
    println!("{}\n\n{}\n", results.head(), table::for_terminal(results));
    if let Some(why) = &results.stopped {
        println!("left out {} rows, because {why}:", results.left_out.len());
        results.left_out.iter().for_each(|row| println!("  {row}"));
    }
    results.failures.iter().for_each(|failure| println!("FAILED {failure}"));
    println!(
        "perf: {} rows measured, {} failures, {} rows left out, {:.0} s; {}",
        results.measured.len(),
        results.failures.len(),
        results.left_out.len(),
        took.as_secs_f64(),
        out.join("perf.md").display()
    );
}

/// Returns a word of the command line, with a path cut to its last part: the results do not show this machine's
/// folders.
fn without_folders(arg: &str) -> String {
    let (name, path) = arg.split_once('=').map_or(("", arg), |(name, path)| (name, path));
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if name.is_empty() { last.to_string() } else { format!("{name}={last}") }
}

/// Returns the commit of the sources or of the packed folder.
fn commit(place: &Place) -> String {
    match place {
        Place::Checkout(root) => dist::commit(root),
        Place::Packed(root) => Manifest::read(root).map_or_else(|_| "unknown".to_string(), |manifest| manifest.commit),
    }
}

#[cfg(test)]
mod tests {
    use super::without_folders;

    #[test]
    fn the_command_is_kept_without_the_folders_of_this_machine() {
        let kept = ["/a/b/xtask", "perf", "nvshmem=/a/nvidia/nvshmem/", "ctas=8"].map(without_folders);
        assert_eq!(kept, ["xtask", "perf", "nvshmem=nvshmem", "ctas=8"]);
    }
}

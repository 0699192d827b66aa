//! `perf --wire`: measures write, read, send and atomics between two PEs, and prints them in perftest's rows.
//!
//! `oxshmem-perf` answers the rows, as `tests/peers/PROTOCOL.md` defines.

mod figures;
mod head;
mod options;
mod perftest;
mod tables;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use super::clock::Clock;
use super::comparator::named_program;
use super::peer::{Peer, Said};
use super::plan::On;
use super::processes::Start;
use super::results::OURS;
use super::roster;
pub(crate) use options::Options;
use perftest::{Beside, Perftest};
use tables::{Asked, Kind, Table};
use xtask::place::Place;
use xtask::programs::{self, Profile};
use xtask::ptx;
use xtask::run::{Device, SoftNic, nic::Wire};

/// The number of PEs.
const PES: u32 = 2;

/// Runs the task, and returns its exit code.
pub(crate) fn task(place: &Place, options: &Options) -> Result<i32> {
    let on = roster::on_for(options.device, PES);
    if on == On::Gpus {
        roster::check_gpus(PES, "ask for --device host")?;
    }
    if let (Place::Checkout(root), On::Gpus, None) = (place, on, &options.ours) {
        ptx::build_all(root, &ptx::Options::plain())?;
    }
    let wire = SoftNic::prepare(place, &options.nic)?.map(|nic| nic.wire()).transpose()?;
    let environment = environment(place, wire.as_ref())?;
    let device = if on == On::Gpus { Device::Gpu } else { Device::Host };
    let start = Start {
        name: OURS.to_string(),
        program: program(place, options, on)?,
        args: vec!["--describe".to_string()],
        env: environment.clone(),
        n: PES,
        device,
    };
    let mut peer = Peer::new(start, Duration::from_secs(options.row_seconds));
    let clock = Clock::start(None)?;
    let mut run = Run { failures: Vec::new(), stopped: None, beside: Vec::new() };
    match peer.be_up(&clock) {
        Ok(()) => {}
        Err(Said::Stopped(why)) => run.stopped = Some(why),
        Err(Said::Failed(what)) => run.failures.push(what),
        Err(said) => run.failures.push(format!("{said:?}")),
    }
    if let Some(ready) = &peer.ready {
        print!("{}", head::head(ready, on, options));
    }
    let perftest = match peer.ready.as_ref().map(head::verbs_device) {
        Some(Some(device)) => Perftest::find(device, &environment),
        _ => Err("the two PEs use no verbs device".to_string()),
    };
    for table in tables::of(options, on) {
        run.table(&mut peer, &clock, &table);
    }
    run.failures.extend(peer.end());
    let broken = wire.as_ref().map(Wire::violations).unwrap_or_default();
    run.failures.extend(broken.into_iter().map(|rule| format!("a driver broke a rule of the software NIC: {rule}")));
    match perftest {
        Err(why) => println!("\nperftest's rows are not shown: {why}"),
        Ok(perftest) => run.beside(&perftest, &clock),
    }
    run.failures.iter().for_each(|failure| println!("FAILED {failure}"));
    if let Some(why) = &run.stopped {
        println!("stopped: {why}");
    }
    Ok(match clock.signal() {
        Some(signal) => 128 + signal,
        None => i32::from(!run.failures.is_empty()),
    })
}

/// Returns the variables of the PEs: those of the place, and those of the software NIC.
fn environment(place: &Place, wire: Option<&Wire>) -> Result<Vec<(String, String)>> {
    let mut environment = place.environment();
    for (name, value) in wire.map(Wire::environment).unwrap_or_default() {
        let value = value.clone().into_string().ok();
        environment.push((name.clone(), value.with_context(|| format!("{name} has a path that is not UTF-8"))?));
    }
    Ok(environment)
}

fn program(place: &Place, options: &Options, on: On) -> Result<PathBuf> {
    // Figures of host PEs in a quick run only show that everything works.
    let profile = if options.quick && on == On::Host { Profile::Dev } else { Profile::Release };
    match &options.ours {
        Some(program) => named_program(program),
        None => programs::resolve(place, roster::PROGRAM, profile),
    }
}

/// The outcome so far.
struct Run {
    failures: Vec<String>,
    stopped: Option<String>,
    /// The rows that perftest measures, too, with our cells.
    beside: Vec<(Beside, Vec<String>)>,
}

impl Run {
    /// Measures the rows of a table, and prints each at once.
    fn table(&mut self, peer: &mut Peer, clock: &Clock, table: &Table) {
        if self.stopped.is_some() || peer.ready.is_none() {
            return;
        }
        println!("\n{}\n{}", table.title(), figures::head(table.kind.titles()));
        for asked in &table.rows {
            let Asked { row, repeat, operations } = asked;
            let cells = match peer.ask(row, *repeat, clock) {
                Said::Times(timed) => table.cells(*operations, row.bytes.unwrap_or(8), &timed.ns),
                Said::Stopped(why) => {
                    self.stopped = Some(why);
                    return;
                }
                Said::Failed(what) | Said::Skipped(what) => {
                    println!("FAILED {row}: {what}");
                    self.failures.push(format!("{row}: {what}"));
                    continue;
                }
            };
            println!("{}", figures::line(table.kind.titles(), &cells));
            if table.is_by_kernels() {
                let qps = if table.kind == Kind::Bandwidth { row.ctas() } else { 1 };
                let bytes = row.bytes.unwrap_or(8);
                let one = Beside { op: table.op, kind: table.kind, bytes, iterations: table.iterations, qps };
                self.beside.push((one, cells));
            }
        }
    }

    /// Measures the same rows by perftest, and prints both.
    fn beside(&mut self, perftest: &Perftest, clock: &Clock) {
        println!("\nbeside perftest, two processes of this host over {}", perftest.device);
        let mut titles: &[&str] = &[];
        for (one, cells) in &self.beside {
            if clock.over().is_some() {
                return;
            }
            if titles != one.kind.titles() {
                titles = one.kind.titles();
                println!("{:22}{}", "", figures::head(titles));
            }
            println!("{:22}{}", format!("oxshmem {}:", one.op), figures::line(titles, cells));
            match perftest.row(one) {
                Ok(theirs) => println!("{:22}{}", format!("{}:", one.program()), figures::line(titles, &theirs)),
                Err(why) => println!("{:22}not shown: {why}", format!("{}:", one.program())),
            }
        }
    }
}

//! Measures the start of worlds: N host PEs, each a process of this machine.
//!
//! ```sh
//! cargo run --release -p oxshmem-hal --example startup -- 16 64 256
//! ```
//!
//! Under a launcher that offers PMIx it compares gathers by PMIx and by the tree instead (`pmix`):
//!
//! ```sh
//! cargo xtask mpi -n 16 -- target/release/examples/startup
//! ```
//!
//! Prints a row of a table for each step and number of PEs. The time of a step is that from its begin on the first PE
//! to its end on the last one, and in parentheses from its begin on the last PE; the difference is the start of
//! processes. Bytes and messages are those of the control plane, and a message is a call of the system that moved some
//! of them. The last column is the largest number of open descriptors of a PE at the end of the step.

mod pmix;

use std::error::Error;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use oxshmem_hal::bootstrap::{BootstrapConfig, traffic};
use oxshmem_hal::config::BootstrapChoice;
use oxshmem_hal::control::{Control, Mail};
use oxshmem_hal::launcher::Launcher;
use oxshmem_hal::{Config, DeviceChoice, Pe, World};
use oxshmem_raw::transport::{PeerEvent, PeerMessages};

/// Number of queue pairs that the second step creates.
const QPS: u32 = 8;
/// The steps, in the order in which each PE makes them. A PE prints as many lines.
const STEPS: [&str; 6] = [
    "start",
    "qp_create",
    "second control plane",
    "exchange of queue pairs, bulk",
    "exchange of queue pairs, lazy",
    "lazy connection with the next PE",
];
/// Bytes by which a PE lets another connect 8 queue pairs over one port.
const CONNECT_BYTES: usize = 106;

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os("PMIX_NAMESPACE").is_some() {
        return pmix::compare();
    }
    if std::env::var_os("OXSHMEM_PE").is_some() {
        return take_part();
    }
    println!(
        "| PEs | step | ms (all PEs) | ms a PE | PE 0: KB | PE 0: messages | busiest other PE: KB | messages | peak MB a PE | descriptors |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for n_pes in std::env::args().skip(1) {
        measure(n_pes.parse()?)?;
    }
    Ok(())
}

const LIMIT: Duration = Duration::from_secs(120);

/// One step of one PE: nanoseconds of the clock at its begin and end, then bytes, messages, peak memory in KiB, and
/// open descriptors.
type Row = [u64; 6];

/// Makes one PE's steps, and prints a line of numbers for each.
fn take_part() -> Result<(), Box<dyn Error>> {
    let config = Config::from_env()?.with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    let world = step(|| World::init_with(config))?;
    step(|| world.qps().create(QPS))?;
    world.finalize()?;
    // Host PEs of one host need no queue pairs, so their data are exchanged without a world.
    let Some(again) = BootstrapConfig::from_env(BootstrapChoice::Auto, Some(LIMIT))? else {
        return Err("the launcher's variables are gone".into());
    };
    let control = step(|| Control::connect(&again))?;
    let blocks = vec![vec![7; CONNECT_BYTES]; control.n_pes() as usize];
    step(|| control.all_to_all("exchange queue pairs", &blocks))?;
    step(|| control.all_to_all("exchange queue pairs", &vec![Vec::new(); blocks.len()]))?;
    let arrived = mail(&control)?;
    step(|| connect_next(&control, &arrived))?;
    control.barrier("all are connected")?;
    control.leave()?;
    Ok(())
}

/// The messages of the other PEs.
type Arrived = (Mail, Receiver<(Pe, Vec<u8>)>);

fn mail(control: &Control) -> Result<Arrived, Box<dyn Error>> {
    let (mail, (send, arrived)) = (control.mail(0), channel());
    mail.receive(Box::new(move |from, event| {
        if let PeerEvent::Message(bytes) = event {
            let _ = send.send((from, bytes.to_vec()));
        }
    }));
    control.barrier("all read their messages")?;
    Ok((mail, arrived))
}

/// Sends the messages by which a queue to the next PE is connected at its first use, and those of the one before: each
/// end sends an address, and that it is ready.
fn connect_next(control: &Control, (mail, arrived): &Arrived) -> Result<(), Box<dyn Error>> {
    let n_pes = control.n_pes();
    if n_pes == 1 {
        return Ok(());
    }
    let next = Pe::new((control.pe().number() + 1) % n_pes);
    let (address, ready) = ([&[1][..], &[7; CONNECT_BYTES]].concat(), [2]);
    mail.send(next, &address)?;
    // From the next PE and from the one before, if that is another one: an address and a word each.
    for _ in 0..if n_pes > 2 { 4 } else { 2 } {
        let (from, message) = arrived.recv_timeout(LIMIT)?;
        if message == address {
            if from != next {
                mail.send(from, &address)?;
            }
            mail.send(from, &ready)?;
        }
    }
    Ok(())
}

fn step<T, E>(make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let (begin, before) = (now(), traffic());
    let made = make()?;
    let after = traffic();
    let bytes = (after.sent_bytes + after.received_bytes) - (before.sent_bytes + before.received_bytes);
    let messages = (after.sends + after.receives) - (before.sends + before.receives);
    println!("{begin} {} {bytes} {messages} {} {}", now(), peak_kib(), descriptors());
    Ok(made)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// Returns the largest resident memory of this process so far.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

/// Returns the number of open descriptors of this process, without the one that reads them.
fn descriptors() -> u64 {
    std::fs::read_dir("/proc/self/fd").map_or(0, |all| all.count() as u64 - 1)
}

/// Starts a world of `n_pes` processes and prints its rows.
fn measure(n_pes: u32) -> Result<(), Box<dyn Error>> {
    let launcher = Launcher::new(n_pes)?;
    let start = |pe| {
        let mut command = Command::new(std::env::current_exe()?);
        launcher.prepare(Pe::new(pe), &mut command);
        command.stdout(Stdio::piped()).spawn()
    };
    let children = (0..n_pes).map(start).collect::<Result<Vec<_>, _>>()?;
    let pes = children.into_iter().map(rows_of).collect::<Result<Vec<_>, _>>()?;
    for (number, name) in STEPS.iter().enumerate() {
        let rows: Vec<Row> = pes.iter().map(|rows| rows[number]).collect();
        let of = |column: usize| rows.iter().map(move |row| row[column]);
        let since = |begin: Option<u64>| of(1).max().unwrap_or(0).saturating_sub(begin.unwrap_or(0)) as f64 / 1e6;
        let (ms, all) = (since(of(0).min()), since(of(0).max()));
        let busiest = rows[1..].iter().max_by_key(|row| row[2]).unwrap_or(&rows[0]);
        let kb = |row: &Row| row[2] as f64 / 1e3;
        println!(
            "| {n_pes} | {name} | {ms:.0} ({all:.0}) | {:.2} | {:.1} | {} | {:.1} | {} | {:.1} | {} |",
            ms / f64::from(n_pes),
            kb(&rows[0]),
            rows[0][3],
            kb(busiest),
            busiest[3],
            of(4).max().unwrap_or(0) as f64 / 1024.0,
            of(5).max().unwrap_or(0),
        );
    }
    Ok(())
}

/// Reads the lines of one PE until it ends.
fn rows_of(mut child: Child) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut text = String::new();
    if let Some(out) = &mut child.stdout {
        out.read_to_string(&mut text)?;
    }
    let status = child.wait()?;
    let numbers = text.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let (rows, rest) = numbers.as_chunks();
    if !status.success() || rows.len() != STEPS.len() || !rest.is_empty() {
        return Err(format!("a PE ended with {status} after {} of {} steps", rows.len(), STEPS.len()).into());
    }
    Ok(rows.to_vec())
}

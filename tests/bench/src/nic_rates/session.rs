//! Handles a row, from the request to its answer.

use std::time::Duration;

use oxshmem_hal::{Error, ErrorKind, Result};
use oxshmem_nic_kernels::table::SinkReport;

use super::engine::{Engine, violation};
use super::queues::{Counts, Queues};
use super::request::Request;
use super::{latency, rate};
pub(super) use crate::peer::{Outcome, Stop};
use oxshmem_machine::{Machine, Running};

/// Limit of a posting kernel's run.
const LIMIT: Duration = Duration::from_secs(30);

/// Measures a row.
///
/// # Errors
/// Something failed; the machine may be unfit for more.
pub(super) fn measure(machine: &Machine, request: &Request) -> Result<Outcome, Stop> {
    match request.test.as_str() {
        "nic_p_rate" => rate::p(machine, request, false),
        "nic_p_own_rate" => rate::p(machine, request, true),
        "nic_engine" => rate::engine(machine, request),
        "nic_doorbell_by_hand_latency" => latency::lone_p(machine, request, latency::Until::ByHand, false),
        "nic_doorbell_seen_latency" => latency::lone_p(machine, request, latency::Until::Seen, false),
        "nic_p_doorbell_latency" => latency::lone_p(machine, request, latency::Until::Doorbell, false),
        "nic_p_own_doorbell_latency" => latency::lone_p(machine, request, latency::Until::Doorbell, true),
        "nic_p_call_latency" => latency::lone_p(machine, request, latency::Until::Called, false),
        "nic_p_own_call_latency" => latency::lone_p(machine, request, latency::Until::Called, true),
        "nic_p_quiet_latency" => latency::lone_p(machine, request, latency::Until::Quiet, false),
        "nic_p_own_quiet_latency" => latency::lone_p(machine, request, latency::Until::Quiet, true),
        other => Ok(Outcome::Skip(format!("no test {other}"))),
    }
}

/// Waits for a posting kernel, and checks its fault.
pub(super) fn finish(running: Running, queues: &Queues) -> Result<()> {
    let ended = running.wait(LIMIT);
    match &ended {
        // The state for which it waited explains more.
        Err(error) if error.kind() == ErrorKind::Timeout => Err(error.clone().because(state(queues))),
        Err(_) => ended,
        Ok(()) => queues.check_fault(),
    }
}

/// Explains why a posting kernel failed, with the state of engine and queues.
pub(super) fn explain(error: Error, engine: Engine<'_>, queues: &Queues) -> Stop {
    let reports = match engine.stop() {
        Ok(reports) => reports,
        Err(engine) => return Stop::Failed(error.because(format!("and the engine: {engine}"))),
    };
    let broken = violation(&reports).map_or_else(String::new, |broken| format!("; {broken}"));
    let counts = queues.counts().unwrap_or_default();
    let all: Vec<String> = counts
        .iter()
        .zip(&reports)
        .enumerate()
        .filter(|(_, (count, report))| count.reserved != report.done || count.done != report.done)
        .map(|(queue, (count, report))| format!("; queue {queue} has {count:?}, the engine is at {}", report.done))
        .collect();
    Stop::Wrong(format!("{error}{broken}{}", all.concat()))
}

fn state(queues: &Queues) -> String {
    let counts = queues.counts().unwrap_or_default();
    let stuck = counts.iter().position(|one| one.done != one.reserved);
    match stuck {
        Some(row) => format!("the posting kernel did not end within {LIMIT:?}; queue {row} has {:?}", counts[row]),
        None => format!("the posting kernel did not end within {LIMIT:?}"),
    }
}

/// The posts that the checking engine must have seen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Posted {
    pub(super) elements: u64,
    pub(super) values: u64,
    pub(super) places: u64,
}

/// Checks that every queue's counters agree with each other and with the engine's.
pub(super) fn agree(reports: &[SinkReport], counts: &[Counts]) -> Result<(), Stop> {
    if let Some(broken) = violation(reports) {
        return Err(Stop::Wrong(broken));
    }
    for (queue, (report, count)) in reports.iter().zip(counts).enumerate() {
        let same = [count.reserved, count.posted, count.done].iter().all(|&one| one == report.done);
        if !same || count.stopped != 0 {
            return Err(Stop::Wrong(format!(
                "queue {queue} has {count:?}, and the engine completed up to {}",
                report.done
            )));
        }
        if report.rings > count.doorbells {
            return Err(Stop::Wrong(format!(
                "queue {queue} counted {} doorbells, and the engine saw {}",
                count.doorbells, report.rings
            )));
        }
    }
    Ok(())
}

/// Checks that the checking engine has seen exactly the posts.
pub(super) fn seen(reports: &[SinkReport], posted: Posted) -> Result<(), Stop> {
    let sum = |of: fn(&SinkReport) -> u64| reports.iter().map(of).fold(0u64, u64::wrapping_add);
    let found = [sum(|one| one.elements), sum(|one| one.values), sum(|one| one.places)];
    let due = [posted.elements, posted.values, posted.places];
    for (what, (found, due)) in ["elements", "their values' sum", "their places' sum"].iter().zip(found.iter().zip(due))
    {
        if *found != due {
            return Err(Stop::Wrong(format!("{what}: {due:#x} posted, {found:#x} seen")));
        }
    }
    Ok(())
}

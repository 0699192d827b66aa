//! The engine, from its start to its reports.

use std::marker::PhantomData;
use std::time::Duration;

use oxshmem_hal::{Error, ErrorKind, Result};
use oxshmem_nic_kernels::table::{SinkJob, SinkReport, rule};

use super::queues::Queues;
use crate::room::Room;
use oxshmem_machine::{Lane, Machine, Running};

/// The engine ends by itself after this time.
const LIMIT: Duration = Duration::from_secs(60);
/// Threads of its block: each serves one queue.
const THREADS: u32 = 256;

/// Number of queues that it can serve.
pub(super) const MOST_QUEUES: u32 = THREADS;

/// A running engine.
#[derive(Debug)]
pub(super) struct Engine<'m> {
    /// The queues whose memory it uses.
    queues: PhantomData<&'m Queues>,
    region: Room,
    job: SinkJob,
    running: Option<Running>,
}

/// The kind of engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Care {
    /// Completes only.
    None,
    /// Decodes every entry, then completes.
    Checks,
}

impl<'m> Engine<'m> {
    /// Starts the engine on these queues, in their present state.
    pub(super) fn start(machine: &Machine, queues: &'m Queues, rows: u32, care: Care) -> Result<Self> {
        let bytes = rows as usize * size_of::<SinkReport>();
        let mut region = Room::beside(&machine.memory, bytes + 2 * Room::ALIGNMENT)?;
        let (reports, stop) = (region.take(bytes)?, region.take(8)?);
        let job =
            SinkJob { table: queues.table, reports, stop, limit_ns: LIMIT.as_nanos() as u64, queues: rows, unused: 0 };
        let kernel = if care == Care::Checks { "sink_checked" } else { "sink" };
        // SAFETY: **live**: the queues outlive this value, which waits for the engine before it frees its region.
        let running = unsafe { machine.launch(Lane::Engine, kernel, [1, THREADS], queues.world, job)? };
        Ok(Self { queues: PhantomData, region, job, running: Some(running) })
    }

    /// Ends the engine. Returns its report on each queue.
    ///
    /// # Errors
    /// It had ended before, or failed.
    pub(super) fn stop(mut self) -> Result<Vec<SinkReport>> {
        self.end()?;
        let words = size_of::<SinkReport>() / 8;
        let raw = self.region.read::<u64>(self.job.reports, self.job.queues as usize * words)?;
        let reports: Vec<SinkReport> = raw.chunks_exact(words).map(report).collect();
        match reports.iter().any(|report| report.late != 0) {
            true => Err(Error::new(ErrorKind::Timeout, "run the engine")
                .because(format!("it was not told to stop for {LIMIT:?}"))),
            false => Ok(reports),
        }
    }

    fn end(&mut self) -> Result<()> {
        let Some(running) = self.running.take() else { return Ok(()) };
        self.region.write(self.job.stop, &[1u32])?;
        running.wait(LIMIT + Duration::from_secs(5))
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        // A failed row still ends its engine, which must not lose its memory.
        let _ = self.end();
    }
}

fn report(words: &[u64]) -> SinkReport {
    SinkReport {
        done: words[0],
        rings: words[1],
        astray: words[2],
        late: words[3],
        entries: words[4],
        elements: words[5],
        values: words[6],
        places: words[7],
        violations: words[8],
        rule: words[9],
        index: words[10],
        found: words[11],
        unused: [0; 4],
    }
}

/// Returns the first broken rule, in words.
pub(super) fn violation(reports: &[SinkReport]) -> Option<String> {
    let all: u64 = reports.iter().map(|report| report.violations + report.astray).sum();
    let (queue, first) = reports.iter().enumerate().find(|(_, report)| report.violations + report.astray > 0)?;
    let which = if first.violations == 0 { rule::DOORBELL } else { first.rule };
    Some(format!(
        "{all} rules broken, first on queue {queue} at index {}: {}; found {:#x}",
        first.index,
        rule::text(which),
        first.found
    ))
}

//! The elements that a grid posts in a second, and those that the engine can take.

use oxshmem_core::{Pe, SymAddr, SymPtr};
use oxshmem_hal::Result;
use oxshmem_nic_kernels::by_hand::{self, HandJob};
use oxshmem_nic_kernels::post::{self, PostJob};
use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;

use super::engine::{Care, Engine, violation};
use super::queues::{PEER, Queues};
use super::request::Request;
use super::session::{Outcome, Posted, Stop, agree, explain, finish, seen};
use crate::room::Room;
use oxshmem_machine::{Lane, Machine};

/// Laps of each queue that are posted to the checking engine.
const CHECKED_LAPS: u64 = 3;

/// Bytes from the start of the heap to the first element.
pub(super) const DEST: u64 = 1 << 20;

/// The blocks' start and end times.
#[derive(Debug)]
pub(super) struct Slots {
    region: Room,
    pub(super) at: u64,
    blocks: usize,
}

impl Slots {
    pub(super) fn new(machine: &Machine, blocks: u32) -> Result<Self> {
        let blocks = blocks as usize;
        let mut region = Room::beside(&machine.memory, 16 * blocks)?;
        let at = region.take(16 * blocks)?;
        Ok(Self { region, at, blocks })
    }

    /// Returns the time from the earliest start to the latest end, in ns.
    fn span_ns(&self) -> Result<f64> {
        let words = self.region.read::<u64>(self.at, 2 * self.blocks)?;
        let start = words.iter().step_by(2).min().copied().unwrap_or(0);
        let end = words.iter().skip(1).step_by(2).max().copied().unwrap_or(0);
        Ok(end.saturating_sub(start) as f64)
    }
}

/// Measures `nic_p_rate`. `own`: with an exclusive queue for each block, `nic_p_own_rate`.
pub(super) fn p(machine: &Machine, request: &Request, own: bool) -> Result<Outcome, Stop> {
    let shape = &request.shape;
    if own && shape.qps != request.ctas {
        return Err(Stop::Wrong(format!("{} queues for {} blocks, which have one each", shape.qps, request.ctas)));
    }
    let queues = Queues::new(&machine.memory, shape)?;
    let slots = Slots::new(machine, request.ctas)?;
    let threads = u64::from(request.ctas) * u64::from(request.threads);
    let grid = [request.ctas, request.threads, EXCLUSIVE_BYTES];
    let stride = if request.line { 16 } else { 1 };
    let kernel = match (request.threads <= 768, own) {
        (true, false) => "nic_p_rate",
        (false, false) => "nic_p_rate_large",
        (true, true) => "nic_p_own_rate",
        (false, true) => "nic_p_own_rate_large",
    };
    let (custom, handle, next) = queues.as_custom();
    let world = if own { custom } else { queues.world };
    let post = |base: u64, iters: u32| -> Result<()> {
        let job = PostJob {
            dest: SymPtr::new(SymAddr::new(DEST)),
            slots: slots.at,
            ticks: 0,
            doorbell: 0,
            stride,
            base,
            pause_ns: 0,
            iters,
            pe: Pe::new(PEER),
            handle,
            next,
        };
        // SAFETY: **live**: queues and slots stay until the kernel has ended, which `finish` waits for.
        let running = unsafe { machine.launch_sharing(Lane::Post, kernel, grid, world, job)? };
        finish(running, &queues)
    };

    let laps = (CHECKED_LAPS * u64::from(shape.depth) * u64::from(shape.qps)).div_ceil(threads);
    let rounds = laps.clamp(2, 4096) as u32;
    queues.reset()?;
    let engine = Engine::start(machine, &queues, shape.qps, Care::Checks)?;
    if let Err(error) = post(0, rounds) {
        return Err(explain(error, engine, &queues));
    }
    let reports = engine.stop()?;
    agree(&reports, &queues.counts()?)?;
    let mut posted = posted_by_grid(threads, u64::from(rounds), 8 * stride);
    posted.elements += u64::from(request.corrupt);
    seen(&reports, posted)?;

    queues.reset()?;
    let engine = Engine::start(machine, &queues, shape.qps, Care::None)?;
    let mut times = Vec::new();
    for repetition in 0..=request.repeat {
        if let Err(error) = post(u64::from(repetition) * u64::from(request.iters), request.iters) {
            return Err(explain(error, engine, &queues));
        }
        if repetition > 0 {
            times.push(slots.span_ns()? / f64::from(request.iters));
        }
    }
    let reports = engine.stop()?;
    let counts = queues.counts()?;
    agree(&reports, &counts)?;
    let blocks: u64 = reports.iter().map(|report| report.done - shape.start).sum();
    let rings: u64 = counts.iter().map(|count| count.doorbells).sum();
    let seen: u64 = reports.iter().map(|report| report.rings).sum();
    let stalls: u64 = counts.iter().map(|count| count.stalls).sum();
    let note = format!(
        "{} per_ring={:.1} rings_seen={:.0}% stalls={stalls}",
        rate(&times, threads as f64),
        blocks as f64 / rings.max(1) as f64,
        100.0 * seen as f64 / rings.max(1) as f64,
    );
    Ok(Outcome::Times(times, note))
}

/// Returns the sum of the posts of all threads of a grid in `rounds` rounds, with `step` bytes between adjacent
/// threads.
fn posted_by_grid(threads: u64, rounds: u64, step: u64) -> Posted {
    let (mut values, mut places) = (0u64, 0u64);
    for thread in 0..threads {
        places = places.wrapping_add((DEST + thread * step).wrapping_mul(rounds));
        for round in 0..rounds {
            values = values.wrapping_add(post::value(round, thread));
        }
    }
    Posted { elements: threads * rounds, values, places }
}

/// Measures `nic_engine`.
pub(super) fn engine(machine: &Machine, request: &Request) -> Result<Outcome, Stop> {
    let shape = &request.shape;
    let queues = Queues::new(&machine.memory, shape)?;
    let threads = 32;
    let blocks = shape.qps.div_ceil(threads);
    let slots = Slots::new(machine, blocks)?;
    let batch = if request.batch == 0 { shape.depth / 2 } else { request.batch.min(shape.depth) };
    let post = |rings: u64, posted: u64, written: u32, broken: u32| -> Result<()> {
        let job = HandJob {
            table: queues.table,
            slots: slots.at,
            rings,
            posted,
            // A post that breaks a rule may never be completed.
            limit_ns: if broken == 0 { 2_000_000_000 } else { 100_000_000 },
            queues: shape.qps,
            batch,
            written,
            broken,
        };
        // SAFETY: **live**: queues and slots stay until the kernel has ended, which `finish` waits for.
        let running = unsafe { machine.launch(Lane::Post, "by_hand", [blocks, threads], queues.world, job)? };
        finish(running, &queues)
    };
    let done_by_all = |reports: &[oxshmem_nic_kernels::table::SinkReport], each: u64| -> Result<(), Stop> {
        if let Some(broken) = violation(reports) {
            return Err(Stop::Wrong(broken));
        }
        match reports.iter().position(|report| report.done != shape.start + each) {
            Some(queue) => Err(Stop::Wrong(format!(
                "queue {queue}: {each} blocks posted, {} completed",
                reports[queue].done - shape.start
            ))),
            None => Ok(()),
        }
    };

    let rings = (CHECKED_LAPS * u64::from(shape.depth)).div_ceil(u64::from(batch));
    queues.reset()?;
    let engine = Engine::start(machine, &queues, shape.qps, Care::Checks)?;
    post(rings, 0, 1, request.corrupt)?;
    let reports = engine.stop()?;
    let each = rings * u64::from(batch);
    done_by_all(&reports, each)?;
    let mut due = Posted { elements: each * u64::from(shape.qps), ..Posted::default() };
    for index in shape.start..shape.start + each {
        due.values = due.values.wrapping_add(by_hand::value(index).wrapping_mul(shape.qps.into()));
        due.places = due.places.wrapping_add(by_hand::place(index).wrapping_mul(shape.qps.into()));
    }
    seen(&reports, due)?;

    queues.reset()?;
    let engine = Engine::start(machine, &queues, shape.qps, Care::None)?;
    let (mut times, mut posted) = (Vec::new(), 0);
    for repetition in 0..=request.repeat {
        post(request.iters.into(), posted, 0, 0)?;
        posted += u64::from(request.iters) * u64::from(batch);
        if repetition > 0 {
            times.push(slots.span_ns()? / f64::from(request.iters));
        }
    }
    done_by_all(&engine.stop()?, posted)?;
    let note = format!("{} batch={batch}", rate(&times, f64::from(batch) * f64::from(shape.qps)));
    Ok(Outcome::Times(times, note))
}

/// Formats millions a second, for iterations of this many: the median, the lowest, the highest.
fn rate(times: &[f64], of_iteration: f64) -> String {
    let mut rates: Vec<f64> = times.iter().map(|time| 1e3 * of_iteration / time.max(1e-9)).collect();
    rates.sort_by(f64::total_cmp);
    let at = |i: usize| rates.get(i).copied().unwrap_or(f64::NAN);
    format!(" Mputs/s={:.1} low={:.1} high={:.1}", at(rates.len() / 2), at(0), at(rates.len().saturating_sub(1)))
}

//! Writes, reads, sends and atomics between PE 0 and PE 1, as verbs' own benchmarks measure them.
//!
//! Each row has a pass of its own whose data is compared, before the timed repetitions.

use oxshmem_core::Result;
use oxshmem_hal::{Launch, Pe, QpHandle, SymPtr, World};
use oxshmem_perf_kernels::elements::{COMPARE_SWAP, FETCH_ADD, POISONED};
use oxshmem_perf_kernels::job::Job;
use oxshmem_perf_kernels::wire::{READ, SEND, WRITE};

use super::answer::Answer;
use super::buffers::{Buffer, Place};
use super::data::{Data, Expected};
use super::plan::scope_name;
use super::request::Request;
use super::session::{FLAG, FLAGS, Session};
use super::wire_host;

/// Bytes that reads of a bandwidth pass before they start over: more than all L1 caches of a GPU hold.
const WINDOW: u64 = 64 << 20;

/// The program's queue pairs, which are kept from row to row.
#[derive(Debug, Default)]
pub(super) struct Queues {
    handles: Vec<QpHandle>,
    at: Buffer,
}

impl Queues {
    /// Ensures at least `count` queue pairs, and returns the place of their handles for kernels. Collective.
    fn ensure(&mut self, world: &World, count: usize) -> Result<SymPtr<i32>> {
        if let missing @ 1.. = count.saturating_sub(self.handles.len()) {
            self.handles.extend(world.qps().create(missing as u32)?);
        }
        let raw: Vec<i32> = self.handles.iter().map(|handle| handle.raw()).collect();
        let at = self.at.ensure(world, 4 * raw.len() as u64)?.cast::<i32>();
        world.write(at, &raw)?;
        Ok(at)
    }

    /// Destroys them. Collective.
    pub(super) fn free(&mut self, world: &World) -> Result<()> {
        // A world of load/store alone has nothing but the default queue.
        self.handles.retain(|handle| *handle != QpHandle::DEFAULT);
        if !self.handles.is_empty() {
            world.qps().destroy(&std::mem::take(&mut self.handles))?;
        }
        self.at.free(world)
    }
}

/// The operation of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Write,
    Read,
    Send,
    FetchAdd,
    CompareSwap,
}

impl Op {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "write" => Self::Write,
            "read" => Self::Read,
            "send" => Self::Send,
            "fetch_add" => Self::FetchAdd,
            "compare_swap" => Self::CompareSwap,
            _ => return None,
        })
    }

    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Self::FetchAdd | Self::CompareSwap)
    }

    fn of_job(self) -> u32 {
        match self {
            Self::Write => WRITE,
            Self::Read => READ,
            Self::Send => SEND,
            Self::FetchAdd => FETCH_ADD,
            Self::CompareSwap => COMPARE_SWAP,
        }
    }
}

/// The part of a row that is equal on every PE.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) op: Op,
    /// Whether each operation has a time of its own.
    pub(super) is_latency: bool,
    /// Whether the host issues the operations.
    by_host: bool,
    pub(super) place: Place,
    /// Bytes of one operation.
    pub(super) bytes: u64,
    /// Operations that are in progress at the same places: blocks, or threads of atomics.
    lanes: u64,
    launch: Launch,
    handles: SymPtr<i32>,
}

/// Nanoseconds of an operation: of each in a latency, else the mean of a pass.
pub(super) type Times = Vec<f64>;

/// Measures the row. Collective. `None`: the test is not one of these.
pub(super) fn measure(session: &mut Session<'_>, request: &Request) -> Option<Result<Answer>> {
    let (is_latency, by_host) = match request.test.as_str() {
        "wire_bw" => (false, false),
        "wire_lat" => (true, false),
        "wire_host_bw" => (false, true),
        "wire_host_lat" => (true, true),
        _ => return None,
    };
    Some(of_row(session, request, is_latency, by_host))
}

fn of_row(session: &mut Session<'_>, request: &Request, is_latency: bool, by_host: bool) -> Result<Answer> {
    let world = session.world;
    if world.n_pes() < 2 {
        return Ok(Answer::skip("it takes two PEs"));
    }
    let Some(op) = Op::named(request.op_or("write")) else {
        return Ok(Answer::skip(format!("op={}: it is write, read, send, fetch_add or compare_swap", request.op)));
    };
    let by_threads = scope_name(request.scope) == "thread";
    if !by_host && op.is_atomic() != by_threads {
        return Ok(Answer::skip("atomics are by threads, and the others by warps or blocks"));
    }
    let alone = is_latency || by_host;
    let (ctas, threads) = (if alone { 1 } else { request.ctas }, request.threads.min(512));
    if ctas as usize > FLAGS {
        return Ok(Answer::skip(format!("ctas={ctas}: the blocks have {FLAGS} signals at most")));
    }
    let launch = match scope_name(request.scope) {
        "thread" if alone => Launch::new(1, 1),
        "warp" => Launch::new(ctas, 32),
        _ => Launch::new(ctas, threads),
    };
    let lanes = if op.is_atomic() { u64::from(launch.grid[0]) * u64::from(launch.block[0]) } else { ctas.into() };
    let lanes = if by_host { 1 } else { lanes };
    let bytes = if op.is_atomic() { 8 } else { request.bytes };
    if bytes % 8 != 0 {
        return Ok(Answer::skip(format!("bytes={bytes}: it is a multiple of 8")));
    }
    let step = (bytes * lanes).next_multiple_of(256);
    let is_window = op == Op::Read && !is_latency && !by_host && !world.on_host();
    let window = if is_window { (WINDOW / step).clamp(1, request.iters.into()) } else { 1 };
    let place = session.buffers.place(world, step * window, bytes * lanes)?;
    let of_grid = u64::from(launch.grid[0]) * (16 + 8 * u64::from(launch.block[0]));
    session.times.ensure(world, of_grid + 8 * (u64::from(request.repeat) + 1))?;
    let handles = session.queues.ensure(world, ctas as usize)?;
    let row = Row { op, is_latency, by_host, place, bytes, lanes, launch, handles };

    let prepared = row.prepare(session);
    session.meet("fill the buffers of a row", prepared)?;
    let once = row.pass(session, 0, 1, 1);
    session.meet("run the pass whose data is compared", once)?;
    let wrong = row.check(session, request.corrupt)?;
    // All PEs learn of it: none times wrong data, nor writes while another one compares.
    let all = world.all_gather("compare what arrived", wrong.as_deref().unwrap_or_default().as_bytes())?;
    if let Some(what) = wrong {
        return Ok(Answer::Wrong(what));
    }
    if all.iter().any(|wrong| !wrong.is_empty()) {
        return Ok(Answer::Serves);
    }
    let timed = row.timed(session, request, window as u32);
    let times = session.meet("time a row", timed)?;
    Ok(if session.me() == 0 { Answer::Times(times) } else { Answer::Serves })
}

impl Row {
    fn prepare(&self, session: &Session<'_>) -> Result<()> {
        session.data.fill(self.place, Data::seed(session.me(), session.row))?;
        session.world.write(session.words.add(FLAG), &[0u64; FLAGS])
    }

    /// Runs one pass of `iters` operations, with a number of samples for latencies. `base` is the number of earlier
    /// operations.
    fn pass(&self, session: &Session<'_>, base: u64, iters: u32, window: u32) -> Result<Times> {
        match self.by_host {
            true => wire_host::pass(session, self, base, iters),
            false => self.kernel(session, base, iters, window),
        }
    }

    /// Runs a warm-up, then the timed repetitions.
    fn timed(&self, session: &Session<'_>, request: &Request, window: u32) -> Result<Times> {
        let mut base = self.operations(1);
        let mut pass = |iters| {
            let times = self.pass(session, base, iters, window);
            base += self.operations(iters);
            times
        };
        pass(request.iters)?;
        if self.is_latency {
            return pass(request.repeat);
        }
        let mut all = Vec::new();
        for _ in 0..request.repeat {
            all.extend(pass(request.iters)?);
        }
        Ok(all)
    }

    /// Returns the number of operations of a pass: PEs meet in one more than those of a latency.
    fn operations(&self, iters: u32) -> u64 {
        u64::from(iters) + u64::from(self.is_latency)
    }

    /// Reports whether this PE issues operations.
    pub(super) fn issues(&self, me: u32) -> bool {
        me == 0 || (me == 1 && self.is_ping_pong())
    }

    /// Reports whether both PEs answer each other.
    pub(super) fn is_ping_pong(&self) -> bool {
        self.is_latency && matches!(self.op, Op::Write | Op::Send)
    }

    fn kernel(&self, session: &Session<'_>, base: u64, iters: u32, window: u32) -> Result<Times> {
        let (world, me) = (session.world, session.me());
        if !self.issues(me) {
            return Ok(Vec::new());
        }
        let scope = match (self.op.is_atomic(), self.launch.block[0]) {
            (true, _) => "thread",
            (false, 32) => "warp",
            (false, _) => "block",
        };
        let blocks = self.launch.grid[0] as usize;
        let slots = session.times.at().unwrap_or(session.words.cast()).cast::<u64>();
        let sums = slots.add(2 * blocks);
        let samples = sums.add(blocks * self.launch.block[0] as usize);
        let job = Job {
            dest: self.place.dest,
            source: self.place.source,
            flag: session.words.add(FLAG),
            line: session.words,
            slots,
            sums,
            bytes: self.bytes,
            elements: 0,
            stride: 0,
            step: (self.bytes * self.lanes).next_multiple_of(256),
            base,
            meet: 0,
            iters,
            window,
            pe: Pe::new(1 - me.min(1)),
            op: self.op.of_job(),
            meeting: 0,
            zero: 0,
            lend: 0,
            unused: 0,
        };
        let (kind, stream) = (if self.is_latency { "lat" } else { "bw" }, world.own_stream());
        let kernel = session.module.kernel(&format!("wire_{kind}_{scope}"))?;
        match self.is_latency {
            true => stream.launch_kernel(&kernel, self.launch, (job, samples))?,
            false => stream.launch_kernel(&kernel, self.launch, (job, self.handles))?,
        }
        stream.synchronize()?;
        let mut stamps = vec![0u64; 2 * blocks];
        world.read(slots, &mut stamps)?;
        let start = stamps.iter().step_by(2).min().copied().unwrap_or(0);
        let end = stamps.iter().skip(1).step_by(2).max().copied().unwrap_or(0);
        let ns = end.saturating_sub(start) as f64;
        if !self.is_latency {
            return Ok(vec![ns / (f64::from(iters) * self.lanes as f64)]);
        }
        let mut cycles = vec![0u64; iters as usize + 1];
        world.read(samples, &mut cycles)?;
        // The clock of the samples is finer than that of the stamps, and its rate changes from run to run.
        let ns_of_cycle = ns / (cycles[0].max(1) as f64) / if self.is_ping_pong() { 2.0 } else { 1.0 };
        Ok(cycles[1..].iter().map(|cycles| *cycles as f64 * ns_of_cycle).collect())
    }

    /// Returns the difference that this PE finds after the pass that is compared, if any.
    fn check(&self, session: &Session<'_>, corrupt: bool) -> Result<Option<String>> {
        let (world, me, dest) = (session.world, session.me(), self.place.dest);
        // The PE whose destination the pass has written; both in a ping-pong.
        let written = me < 2 && (self.is_ping_pong() || (me == 1) == (self.op != Op::Read));
        if !written {
            return Ok(None);
        }
        if corrupt {
            world.p(dest, !world.g(dest, world.my_pe())?, world.my_pe())?;
            world.quiet()?;
        }
        let (operations, bytes) = (self.operations(1), self.bytes * self.lanes);
        let word = |at, count, value| Expected::Words64 { at, count, stride: 8, value };
        let stream = |bytes| Expected::Stream { at: dest, bytes, seed: Data::seed(1 - me, session.row), from: 0 };
        let expected = match self.op {
            Op::FetchAdd | Op::CompareSwap => vec![word(dest, self.lanes, POISONED + operations)],
            Op::Write if self.is_latency => {
                let before = bytes - 8;
                let round = word(dest.add(before as usize), 1, operations);
                if before == 0 { vec![round] } else { vec![stream(before), round] }
            }
            Op::Send => vec![stream(bytes), word(session.words.add(FLAG).cast(), self.lanes, operations)],
            Op::Write | Op::Read => vec![stream(bytes)],
        };
        for one in expected {
            if let Some(wrong) = session.data.compare(one)? {
                return Ok(Some(wrong));
            }
        }
        session.data.compare_guards(dest, bytes)
    }
}

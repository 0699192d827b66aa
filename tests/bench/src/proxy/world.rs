//! A world of two PEs, whose other PE is reached by proxies that post to a sink.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Extent, QpCounters, Result, Transport};
use oxshmem_core::{Pe, SymAddr, SymPtr};
use oxshmem_proxy_kernels::ask::AskJob;
use oxshmem_raw::memory::world_copy::WorldCopy;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::state::{FaultSlot, LocalState, StopWord, WorldState};
use oxshmem_transport_ibrc::host::{Ibrc, IbrcConfig};

use super::request::Request;
use super::sink::{Provider, Sink};
use crate::room::{Part, Room};
use oxshmem_machine::{Lane, Machine};

/// This PE, and the target.
const ME: Pe = Pe::new(0);
const PEER: Pe = Pe::new(1);
const N_PES: u32 = 2;
/// Limit of a kernel's waits.
const WAIT_LIMIT: Duration = Duration::from_secs(10);
/// Limit of a kernel's run.
const LIMIT: Duration = Duration::from_secs(40);
const HEAP_BYTES: u64 = 64 << 20;
/// Bytes from the start of the heap to the first element.
const DEST: u64 = 1 << 20;
/// Most lone calls of a launch.
pub(super) const MOST_CALLS: u32 = 1 << 14;
/// Words of the host that announce events to calls, each in a line of its own.
pub(super) const POSTED: usize = 0;
pub(super) const ANSWER: usize = 32;
pub(super) const ASKED: usize = 64;
pub(super) const STOP: usize = 96;

/// The world, with its proxies.
#[derive(Debug)]
pub(super) struct World<'m> {
    machine: &'m Machine,
    // Dropped in the order of the fields: proxies, then the objects that they use.
    pub(super) ibrc: Ibrc,
    _windows: Arc<Mutex<Windows>>,
    _copy: WorldCopy,
    _room: Room,
    pub(super) sink: Arc<Sink>,
    pub(super) state: WorldState,
    fault: Part,
    slots: Part,
    ticks: Part,
    pub(super) words: Part,
    pub(super) source: Part,
    ctas: u32,
}

fn pe(memory: &Memory, config: &IbrcConfig, me: Pe, sink: &Arc<Sink>) -> Result<(Ibrc, Arc<Mutex<Windows>>)> {
    let granularity = memory.granularity()? as u64;
    let windows = Windows::new(memory, me, N_PES, HEAP_BYTES.next_multiple_of(granularity))?;
    let windows = Arc::new(Mutex::new(windows));
    lock(&windows).create(extent(memory)?)?;
    let far = [me != ME, me != PEER];
    let ibrc = Ibrc::open(config, &Provider(sink.clone()), memory.clone(), windows.clone(), me, None, &far)?;
    Ok((ibrc, windows))
}

fn extent(memory: &Memory) -> Result<Extent> {
    Ok(Extent { offset: 0, bytes: HEAP_BYTES.next_multiple_of(memory.granularity()? as u64) })
}

fn lock(windows: &Mutex<Windows>) -> std::sync::MutexGuard<'_, Windows> {
    windows.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'m> World<'m> {
    /// Creates the world with the proxies, queues and rings of the request.
    pub(super) fn new(machine: &'m Machine, request: &Request) -> Result<Self> {
        let memory = &machine.memory;
        let config = IbrcConfig {
            proxies: Some(request.proxies),
            ring_depth: request.ring,
            rows: request.qps,
            spare_rows: 0,
            wait_limit: Some(WAIT_LIMIT),
            ..IbrcConfig::default()
        };
        let sink = Sink::new();
        let (mut ibrc, windows) = pe(memory, &config, ME, &sink)?;
        // The other PE exists until both have connected.
        let (mut other, _other_windows) = pe(memory, &IbrcConfig { proxies: Some(1), ..config }, PEER, &Sink::new())?;
        let extent = extent(memory)?;
        let (mine, theirs) = (ibrc.offer(extent)?, other.offer(extent)?);
        ibrc.accept(PEER, extent, theirs)?;
        other.accept(ME, extent, mine)?;
        let copy = WorldCopy::new(memory, &[ME, PEER].map(|pe| usize::from(pe == PEER)))?;
        ibrc.set_world(copy.address());
        let cards = [ibrc.prepare_qps(0..request.qps)?, other.prepare_qps(0..request.qps)?];
        let to = |pe: Pe| cards.each_ref().map(|messages| messages[pe.index()].clone());
        ibrc.connect_qps(&to(ME))?;
        other.connect_qps(&to(PEER))?;

        let blocks = request.ctas as usize;
        let sizes = [
            size_of::<LocalState>(),
            size_of::<StopWord>(),
            size_of::<FaultSlot>(),
            16 * blocks,
            16 * MOST_CALLS as usize,
            4096,
            request.bytes.next_multiple_of(8) as usize,
        ];
        let mut room = Room::on_host(memory, sizes.iter().map(|bytes| bytes.next_multiple_of(Room::ALIGNMENT)).sum())?;
        let [local, notice, fault, slots, ticks, words, source] = sizes.map(|bytes| room.part(bytes));
        let (local, notice, fault, source) = (local?, notice?, fault?, source?);
        let view = ibrc.path_view();
        let mut state = {
            let windows = lock(&windows);
            WorldState {
                heap: windows.base(),
                stride: windows.stride(),
                heap_bytes: extent.bytes,
                own: windows.address(ME, 0).unwrap_or(0),
                bases: windows.table(),
                local: local.kernel,
                notice: notice.kernel,
                fault: fault.kernel,
                wait_limit_ns: WAIT_LIMIT.as_nanos() as u64,
                my_pe: ME.number(),
                n_pes: N_PES,
                default_rows: request.qps,
                ..WorldState::default()
            }
        };
        copy.set_numbers(&mut state);
        state.set_path(1, &view);
        copy.write(&state)?;
        ibrc.register(source.kernel, request.bytes.next_multiple_of(8))?;
        Ok(Self {
            machine,
            ibrc,
            _windows: windows,
            _copy: copy,
            _room: room,
            sink,
            state,
            fault,
            slots: slots?,
            ticks: ticks?,
            words: words?,
            source,
            ctas: request.ctas,
        })
    }

    /// Returns the launch argument, complete except for its numbers.
    pub(super) fn job(&self) -> AskJob {
        AskJob {
            dest: SymPtr::new(SymAddr::new(DEST)),
            source: self.source.kernel,
            slots: self.slots.kernel,
            ticks: self.ticks.kernel,
            word: self.words.kernel + 8 * POSTED as u64,
            ask: self.words.kernel + 8 * ASKED as u64,
            pause_ns: 0,
            bytes: 0,
            iters: 1,
            pe: PEER,
        }
    }

    /// Runs a kernel to its end.
    ///
    /// # Errors
    /// It did not end, or left a fault.
    pub(super) fn run(&self, kernel: &'static str, grid: [u32; 2], job: AskJob) -> Result<()> {
        self.ibrc.about_to_launch();
        self.run_untold(kernel, grid, job)
    }

    /// Performs [`run`](Self::run) without an announcement to the proxies, which learn of the kernel by its requests
    /// alone.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn run_untold(&self, kernel: &'static str, grid: [u32; 2], job: AskJob) -> Result<()> {
        self.run_as(self.state, kernel, grid, job)?;
        match self.ibrc.faults()?.first() {
            None => Ok(()),
            Some(fault) => Err(Error::from_fault(format!("run {kernel}"), *fault)),
        }
    }

    /// Performs [`run`](Self::run) with another state, whose addresses are all of this world.
    pub(super) fn run_as(&self, state: WorldState, kernel: &'static str, grid: [u32; 2], job: AskJob) -> Result<()> {
        let state = state.arranged(self.machine.path_numbers(&["ibrc"]));
        // SAFETY: **live**: the room stays until the kernel has ended; a kernel that does not end is an error that ends
        // the program.
        let running = unsafe { self.machine.launch(Lane::Post, kernel, grid, state, job)? };
        let ended = running.wait(LIMIT);
        let words = self.fault.read(8);
        if words[0] == FaultSlot::WRITTEN {
            let rest = std::array::from_fn(|i| words[i + 1]);
            let what = FaultSlot::decode(rest).map_or_else(|| format!("{rest:?}"), |fault| format!("{fault:?}"));
            return Err(Error::new(ErrorKind::Fault, format!("run {kernel}")).because(what));
        }
        ended
    }

    /// Returns the queues' counters.
    pub(super) fn counters(&self) -> Result<Vec<QpCounters>> {
        self.ibrc.counters()
    }

    /// Returns the time from the earliest start of a block to the latest end, in ns.
    pub(super) fn span_ns(&self) -> f64 {
        let words = self.slots.read(2 * self.ctas as usize);
        let start = words.iter().step_by(2).min().copied().unwrap_or(0);
        let end = words.iter().skip(1).step_by(2).max().copied().unwrap_or(0);
        end.saturating_sub(start) as f64
    }

    /// Returns the duration of lone calls, in cycles: both words of each.
    pub(super) fn ticks(&self, calls: u32) -> Vec<[u64; 2]> {
        self.ticks.read(2 * calls as usize).as_chunks::<2>().0.to_vec()
    }

    /// Returns the nanoseconds of a cycle.
    pub(super) fn ns_of_cycle(&self) -> Result<f64> {
        self.run("proxy_clock", [1, 1], AskJob { pause_ns: 1_000_000, ..self.job() })?;
        let [cycles, ns] = self.ticks(1)[0];
        Ok(ns as f64 / cycles.max(1) as f64)
    }
}

//! The start of a world.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Reach, Result};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::nic_params::Neighbours;
use oxshmem_raw::state::abi::layout_hash;
use oxshmem_raw::state::{StopWord, words_bytes};
use oxshmem_raw::transport::TransportContext;

use super::agreement::all_ok;
use super::barriers::Barriers;
use super::bootstrapped::Bootstrapped;
use super::call_streams::CallStreams;
use super::capture::Captures;
use super::choose_machine::{choose_machine, on_host};
use super::collectives::kernels::Collectives;
use super::gpu_atomics::GpuAtomics;
use super::linked::Linked;
use super::peers::{Peers, Uuid};
use super::routes::{Routes, load_store_peers};
use super::rows::Rows;
use super::stream::kernels::StreamKernels;
use super::teams::{Resident, Teams};
use super::typed::TypedKernels;
use super::{AnyTransport, Inner, World, path_map, report};
use crate::bootstrap::BootstrapConfig;
use crate::config::{Config, HeapKind, RemoteChoice};
use crate::control::Control;
use crate::heap::Heap;
use crate::stream::Streams;
use crate::transports;

/// The least size of the heap's first extent and of its growth, beside the library's own memory. A heap that grew by a
/// page at a time would have too many extents.
const LEAST_HEAP_BYTES: u64 = 64 << 10;

impl World {
    /// Joins the world that the launcher made: `cargo xtask run`, `mpirun`, `srun`, `torchrun`, or a launcher that sets
    /// the `OXSHMEM_*` variables. Without a launcher creates a world of one PE. Collective.
    ///
    /// # Errors
    /// A variable is wrong, the others can't be reached within the limit, PEs differ in a value that must be the same,
    /// or there is not enough memory or GPUs. Each error names its cause.
    pub fn init() -> Result<Self> {
        Self::init_with(Config::from_env()?)
    }

    /// Joins as [`init`](World::init), with the program's own configuration.
    ///
    /// # Errors
    /// As [`init`](World::init).
    pub fn init_with(config: Config) -> Result<Self> {
        Bootstrapped::by_launcher(&config)?.start(config)
    }

    /// Joins the world that `bootstrap` describes. Collective.
    ///
    /// # Errors
    /// As [`init`](World::init).
    pub fn join(config: Config, bootstrap: &BootstrapConfig) -> Result<Self> {
        Self::with_control(config, Control::connect(bootstrap)?)
    }

    /// Starts a world over a connected control plane.
    pub(super) fn with_control(config: Config, control: Control) -> Result<Self> {
        all_ok(&control, "check the configuration", config.check())?;
        let (me, n_pes) = (control.pe(), control.n_pes());
        control.agree(
            "init",
            &[
                ("the layout of what kernels share", layout_hash()),
                ("the first size of the symmetric heap in bytes", config.heap_bytes),
                ("the memory of teams in bytes", config.team_memory()),
            ],
        )?;
        let (machine, uuids) = choose_machine(&config, &control)?;
        let memory = &machine.memory;
        let resident =
            all_ok(&control, "size the grids of collectives", resident(memory, &uuids))?.smallest(&control)?;

        let team_memory = words_bytes(n_pes)..words_bytes(n_pes) + config.team_memory();
        let prepared = (|| {
            let granularity = memory.granularity()? as u64;
            let bytes = config.heap_bytes.max(LEAST_HEAP_BYTES).next_multiple_of(granularity);
            let gpu_bytes = match memory {
                Memory::Host => None,
                Memory::Gpu(context) => Some(context.device().total_memory()? as u64),
            };
            // Each PE of this process maps a window for every PE.
            let windows = u64::from(n_pes) * if control.is_in_process() { u64::from(n_pes) } else { 1 };
            let limit = config.heap_limit(gpu_bytes, windows);
            Ok((bytes, Heap::new(granularity, limit, bytes, team_memory.end)))
        })();
        let (first_bytes, heap) = all_ok(&control, "size the symmetric heap", prepared)?;
        control.agree(
            "init",
            &[
                ("the limit of the symmetric heap in bytes", heap.limit()),
                ("the granularity of the symmetric heap in bytes", heap.granularity()),
            ],
        )?;

        let windows = make_windows(&config, memory, me, n_pes, heap.limit());
        let windows = Arc::new(Mutex::new(all_ok(&control, "reserve addresses for the symmetric heaps", windows)?));
        let peers = Peers::find(memory, &control, &uuids);
        let load_store = load_store_peers(&config, me, &peers.mappable);
        let routes = Routes::choose(&config, &control, &load_store)?;
        let mut nic = config.nic.clone();
        nic.nics.neighbours =
            Some(Neighbours { place: on_host(&control, me.number()), count: on_host(&control, n_pes) });
        let context = TransportContext {
            me,
            memory,
            windows: &windows,
            nic: &nic,
            settings: &config.transports,
            wait_limit: config.wait_limit,
            chosen: "",
            messages: None,
        };
        let transports = all_ok(&control, "set up the way to every PE", routes.open(&context, &control))?;
        let paths = choose_paths(&config, &transports, &peers);
        let paths = all_ok(&control, "reach every PE", paths)?;
        let copy = path_map::copy(memory, &paths, transports.len());
        let copy = all_ok(&control, "lay out the paths to all PEs", copy)?;
        let rows = match transports.len() {
            1 => Rows::none(n_pes),
            _ => Rows::new(&nic, n_pes),
        };
        report::note(&config, &peers.notes);
        transports.iter().flatten().for_each(|transport| report::note(&config, &transport.warnings()));

        let notified = Arc::downgrade(&machine);
        control.on_death(Box::new(move |pe, _| {
            if let Some(machine) = notified.upgrade() {
                machine.stop(StopWord::peer_died(pe));
            }
        }));
        let streams = Arc::new(Streams::new(control.is_in_process()));
        let barriers = Barriers::new(control.is_in_process() && matches!(memory, Memory::Gpu(_)));
        let stream = Arc::new(all_ok(&control, "make a stream", streams.make(memory))?);
        let world = Self {
            me,
            n_pes,
            control,
            windows,
            inner: Mutex::new(Inner { heap, rows, registered: BTreeMap::new(), launches: 0 }),
            transport_names: transports[0].iter().map(|one| one.name().into()).chain(routes.remote).collect(),
            transports: transports.into_iter().map(|one| one.map(RwLock::new)).collect(),
            paths,
            copy,
            stopped: OnceLock::new(),
            stream,
            call_streams: CallStreams::default(),
            streams,
            over: false,
            machine,
            config,
            barriers,
            captures: Captures::default(),
            stream_kernels: StreamKernels::default(),
            gpu_atomics: GpuAtomics::default(),
            teams: Teams::new(team_memory, resident),
            collectives: Collectives::default(),
            linked: Linked::default(),
            typed: TypedKernels::default(),
        };
        report::note(&world.config, &report::rounded(&world.config, me, first_bytes));
        let first = world.inner().heap.next_extent(0);
        let first = all_ok(&world.control, "size the symmetric heap", first)?;
        world.grow(first)?;
        world.make_default_qps()?;
        let zeroed = world.zero_reserved();
        all_ok(&world.control, "clear the library's part of the heap", zeroed)?;
        world.report();
        Ok(world)
    }

    /// Clears the words. A team clears its own area when it is made.
    fn zero_reserved(&self) -> Result<()> {
        let state = self.state();
        // SAFETY: **mapped**: the first extent is larger than the library's own part.
        unsafe { self.machine.memory.fill(state.own, 0, words_bytes(self.n_pes) as usize) }
    }
}

fn make_windows(config: &Config, memory: &Memory, me: Pe, n_pes: u32, stride: u64) -> Result<Windows> {
    let by_table = match (memory, config.heap_kind) {
        (Memory::Host, _) | (_, HeapKind::Vmm) => false,
        (_, HeapKind::Ipc) => true,
        (Memory::Gpu(context), HeapKind::Auto) => {
            let device = context.device();
            !(device.vmm_supported()? && device.posix_fd_handles_supported()?)
        }
    };
    if by_table { Windows::by_table(memory, me, n_pes, stride) } else { Windows::new(memory, me, n_pes, stride) }
}

/// Returns the work that this PE's device can hold at once for it, when all PEs use as much.
fn resident(memory: &Memory, uuids: &[Option<Uuid>]) -> Result<Resident> {
    Ok(match memory {
        Memory::Host => Resident::of_host_threads(uuids.len()),
        Memory::Gpu(context) => {
            // Several PEs may share a GPU.
            let sharers = uuids.iter().map(|gpu| uuids.iter().filter(|other| *other == gpu).count()).max().unwrap_or(1);
            let sharers = sharers.max(1) as u32;
            Resident::Blocks { count: (context.device().sm_count()? / sharers).max(1), sharers }
        }
    })
}

/// Returns for each PE the first transport that reaches it.
fn choose_paths(config: &Config, opened: &[Option<AnyTransport>], peers: &Peers) -> Result<Vec<usize>> {
    (0..)
        .map(Pe::new)
        .zip(&peers.reasons)
        .map(|(pe, reason)| {
            let reaches = |one: &AnyTransport| one.reach(pe) != Reach::None;
            opened.iter().position(|one| one.as_ref().is_some_and(reaches)).ok_or_else(|| {
                Error::new(ErrorKind::Unreachable, format!("reach {pe}"))
                    .because(format!(
                        "{}, and {}",
                        match (reason, peers.mappable.get(pe.index())) {
                            (Some(reason), _) => reason,
                            (None, Some(true)) =>
                                "OXSHMEM_DISABLE_P2P or OXSHMEM_MAX_P2P_GPUS keeps loads and stores from it",
                            (None, _) => "it is on another host",
                        },
                        match config.remote {
                            RemoteChoice::None => "OXSHMEM_REMOTE_TRANSPORT = none forbids all others".into(),
                            _ => format!("this build has only the transports {:?}", transports::names()),
                        }
                    ))
                    .hint("build oxshmem-hal and the kernels with the feature `ibgda` or `ibrc` to reach it by a NIC")
                    .about(pe)
            })
        })
        .collect()
}

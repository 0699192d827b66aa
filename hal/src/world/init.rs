//! The start of a world.

use std::sync::{Arc, Mutex, OnceLock, RwLock};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Reach, Result};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::rdma::wire::Neighbours;
use oxshmem_raw::state::abi::layout_hash;
use oxshmem_raw::state::{MAX_PES, RESERVED_BYTES, StopWord};
use oxshmem_raw::transport::TransportContext;

use super::barriers::Barriers;
use super::collective::all_ok;
use super::on_stream::StreamKernels;
use super::peers::{Peers, Uuid};
use super::routes::{Routes, load_store_peers};
use super::{AnyTransport, Inner, World, path_map, report};
use crate::bootstrap::{BootstrapConfig, Control, RootAt};
use crate::config::{Config, DeviceChoice, HeapKind, RemoteChoice};
use crate::heap::Heap;
use crate::machine::Machine;
use crate::stream::Streams;
use crate::transports;

/// The default limit of a host PE's heap. Addresses cost nothing, and this leaves room for many PEs.
const HOST_HEAP_LIMIT: u64 = 64 << 30;

impl World {
    /// Joins the world that the launcher made: `cargo xtask run`, `mpirun`, `srun`, `torchrun`, or the one that the
    /// `OXSHMEM_*` variables describe. Without any of them it is a world of one PE. Collective.
    ///
    /// # Errors
    /// A variable is wrong, the others can't be reached within the limit, PEs differ in a value that must be the same,
    /// or there is not enough memory or GPUs. Each error says which.
    pub fn init() -> Result<Self> {
        Self::init_with(Config::from_env()?)
    }

    /// Joins as [`init`](World::init), with a configuration of the program's own.
    ///
    /// # Errors
    /// As [`init`](World::init).
    pub fn init_with(config: Config) -> Result<Self> {
        let bootstrap = match BootstrapConfig::from_env(config.bootstrap, config.wait_limit)? {
            Some(found) => found,
            None => {
                BootstrapConfig { pe: Pe::new(0), n_pes: 1, root: RootAt::Alone, limit: config.wait_limit, host: None }
            }
        };
        Self::join(config, &bootstrap)
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
        if n_pes > MAX_PES {
            return Err(Error::new(ErrorKind::OutOfRange, "make a world").amount(n_pes.into(), MAX_PES.into(), "PEs"));
        }
        control.agree("init", "the layout of what kernels share", layout_hash())?;
        control.agree("init", "the first size of the symmetric heap in bytes", config.heap_bytes)?;
        let (machine, uuids) = choose_machine(&config, &control)?;
        let memory = &machine.memory;

        let prepared = (|| {
            let granularity = memory.granularity()? as u64;
            let limit = heap_limit(&config, memory)?.next_multiple_of(granularity);
            Ok((granularity, limit))
        })();
        let (granularity, limit) = all_ok(&control, "size the symmetric heap", prepared)?;
        control.agree("init", "the limit of the symmetric heap in bytes", limit)?;
        control.agree("init", "what the symmetric heap is a multiple of in bytes", granularity)?;

        let windows = make_windows(&config, memory, me, n_pes, limit);
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
        };
        let transports = all_ok(&control, "set up the way to every PE", routes.open(&context))?;
        let paths = choose_paths(&config, &transports, &peers);
        let paths = all_ok(&control, "reach every PE", paths)?;
        let copy = path_map::copy(memory, &paths, transports.len());
        let copy = all_ok(&control, "lay out the paths to all PEs", copy)?;
        report::note(&config, &peers.notes);
        transports.iter().for_each(|transport| report::note(&config, &transport.warnings()));

        let notified = Arc::downgrade(&machine);
        control.on_death(Box::new(move |pe| {
            if let Some(machine) = notified.upgrade() {
                machine.stop(StopWord::peer_died(pe));
            }
        }));
        let streams: Arc<Streams> = Arc::default();
        let stream = all_ok(&control, "make a stream", streams.make(memory))?;
        let world = Self {
            me,
            n_pes,
            control,
            windows,
            inner: Mutex::new(Inner { heap: Heap::new(granularity, limit, config.heap_bytes), launches: 0 }),
            transport_names: transports.iter().take(1).map(|one| one.name().into()).chain(routes.remote).collect(),
            transports: transports.into_iter().map(RwLock::new).collect(),
            paths,
            copy,
            stopped: OnceLock::new(),
            stream,
            streams,
            over: false,
            machine,
            config,
            barriers: Barriers::default(),
            stream_kernels: StreamKernels::default(),
        };
        let first = world.inner().heap.next_extent(0);
        let first = all_ok(&world.control, "size the symmetric heap", first)?;
        world.grow(first)?;
        if world.state().has_queues() {
            world.make_default_qps()?;
        }
        let zeroed = world.zero_reserved();
        all_ok(&world.control, "clear the library's part of the heap", zeroed)?;
        world.report();
        Ok(world)
    }

    fn zero_reserved(&self) -> Result<()> {
        let state = self.state();
        // SAFETY: **mapped**: the first extent is larger than the library's own part.
        unsafe { self.machine.memory.fill(state.own, 0, RESERVED_BYTES as usize) }
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

fn heap_limit(config: &Config, memory: &Memory) -> Result<u64> {
    let default = match memory {
        Memory::Host => HOST_HEAP_LIMIT,
        Memory::Gpu(context) => context.device().total_memory()? as u64,
    };
    Ok(config.heap_limit_bytes.unwrap_or(default).max(config.heap_bytes))
}

/// Returns for each PE the first transport that reaches it.
fn choose_paths(config: &Config, opened: &[AnyTransport], peers: &Peers) -> Result<Vec<usize>> {
    (0..)
        .map(Pe::new)
        .zip(&peers.reasons)
        .map(|(pe, reason)| {
            opened.iter().position(|transport| transport.reach(pe) != Reach::None).ok_or_else(|| {
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

/// Returns how many of the first `pes` PEs are on this PE's host.
fn on_host(control: &Control, pes: u32) -> u32 {
    (0..pes).filter(|&pe| control.same_host(Pe::new(pe))).count() as u32
}

/// Decides, on every PE alike, what the world runs on, and returns each PE's GPU. Collective.
fn choose_machine(config: &Config, control: &Control) -> Result<(Arc<Machine>, Vec<Option<Uuid>>)> {
    let me = control.pe();
    let local_rank = on_host(control, me.number());
    let mine = match config.device {
        DeviceChoice::Host => Ok(None),
        DeviceChoice::GpuOrdinal(ordinal) => cuda::Device::get(ordinal).map(Some),
        DeviceChoice::Gpu | DeviceChoice::Auto => match cuda::device_count() {
            Ok(0) => Err(Error::new(ErrorKind::NotFound, "find a GPU").because("the driver sees none")),
            Ok(count) => cuda::Device::get(local_rank % count).map(Some),
            Err(error) => Err(error),
        },
    };
    let mine = mine.and_then(|device| device.map(|device| Ok((device, device.uuid()?))).transpose());
    // With the automatic choice a PE without a GPU takes host threads.
    let mine = match mine {
        Err(_) if config.device == DeviceChoice::Auto => Ok(None),
        mine => mine.map_err(|error| {
            Error::new(error.kind(), format!("run on {}", config.device))
                .because(error.to_string())
                .hint("or set OXSHMEM_DEVICE=host to run on host threads (auto: where there is no GPU)")
        }),
    };
    let mine = all_ok(control, "choose what the world runs on", mine)?;
    settle(config, control, mine)
}

/// Chooses the same kind of machine on every PE, from the reports of all.
fn settle(
    config: &Config,
    control: &Control,
    mine: Option<(cuda::Device, Uuid)>,
) -> Result<(Arc<Machine>, Vec<Option<Uuid>>)> {
    let auto = config.device == DeviceChoice::Auto;
    let host_name = control.pe();
    let mut say = vec![auto as u8, mine.is_some() as u8, config.gpu_share as u8];
    if let Some((_, uuid)) = &mine {
        say.extend_from_slice(uuid);
    }
    let all = control.all_gather("choose what the world runs on", &say)?;
    let has_gpu = |report: &[u8]| report.get(1) == Some(&1);
    // The first two PEs on the same GPU, if any: the same UUID can't appear on two hosts.
    let mut clash = None;
    for (a, report) in all.iter().enumerate() {
        if let Some(b) =
            all[..a].iter().position(|other| has_gpu(report) && has_gpu(other) && other[3..] == report[3..])
        {
            clash.get_or_insert((b, a));
        }
    }
    let shared_is_fine = all.iter().all(|report| report.get(2) == Some(&1));
    let all_auto = all.iter().all(|report| report.first() == Some(&1));
    let all_gpu = all.iter().all(|report| has_gpu(report));
    let enough = clash.is_none() || shared_is_fine;
    if all_gpu && enough {
        let (device, _) =
            mine.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("find the GPU of {host_name}")))?;
        let machine = all_ok(control, "set up the GPU", Machine::gpu(device))?;
        return Ok((machine, all.iter().map(|report| report[3..].try_into().ok()).collect()));
    }
    // A request for a GPU by name must not silently get something else.
    let some_must = all.iter().any(|report| report.first() == Some(&0) && has_gpu(report));
    if some_must && !all_gpu {
        let without = all.iter().position(|report| !has_gpu(report)).unwrap_or(0);
        return Err(Error::new(ErrorKind::Mismatch, "choose what the world runs on")
            .because(format!(
                "some PEs were told to run on a GPU, and PE {without} has none or was told to run on host threads"
            ))
            .about(Pe::new(without as u32)));
    }
    if let (Some((a, b)), true) = (clash, some_must || !all_auto && all_gpu) {
        let gpus = all.iter().map(|report| report[3..].to_vec()).collect::<std::collections::BTreeSet<_>>().len();
        return Err(Error::new(ErrorKind::Exhausted, "give each PE a GPU of its own")
            .because(format!("PE {a} and PE {b} would share one"))
            .amount(all.len() as u64, gpus as u64, "GPUs")
            .hint("start fewer PEs, or set OXSHMEM_GPU_SHARE=1 to let PEs share a GPU"));
    }
    Ok((Machine::host(), vec![None; all.len()]))
}

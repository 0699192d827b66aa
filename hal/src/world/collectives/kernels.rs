//! The kernels of collectives: the module `oxshmem_collectives`, which is loaded at the first call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::host::Result;
use oxshmem_raw::state::collective::{CollectiveKernel, DataWay};

use crate::launch::{KernelArgs, Launch, Packed};
use crate::module::{Kernel, Module};
use crate::stream::StreamState;
use crate::world::World;
use crate::world::teams::Team;

/// The largest blocks on host PEs.
const HOST_THREADS: u32 = 256;

/// The kernels of collectives, when they are loaded: those for any team, and those for load/store teams of a world that
/// has remote PEs, if there are any.
#[derive(Debug, Default)]
pub(in crate::world) struct Collectives(Mutex<Option<(Loaded, Option<Loaded>)>>);

/// A module, and those of its kernels that were used.
#[derive(Debug)]
struct Loaded {
    module: Module,
    /// Whether its kernels themselves wait for the preceding work of their stream.
    early: bool,
    /// The largest blocks of its kernels that use packets.
    packet_threads: u32,
    kernels: BTreeMap<CollectiveKernel, Arc<Kernel>>,
}

impl Loaded {
    fn new(module: Module) -> Result<Self> {
        let early = module.barrier_waits()?;
        // All such kernels have the same bound.
        let packet_threads = module
            .kernel(CollectiveKernel::Broadcast(DataWay::Packets).name())?
            .most_threads()?
            .unwrap_or(HOST_THREADS);
        Ok(Self { module, early, packet_threads, kernels: BTreeMap::new() })
    }

    fn kernel(&mut self, which: CollectiveKernel) -> Result<Arc<Kernel>> {
        if let Some(kernel) = self.kernels.get(&which) {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(self.module.kernel(which.name())?);
        self.kernels.insert(which, kernel.clone());
        Ok(kernel)
    }
}

impl World {
    /// Launches a kernel of collectives of a team on a stream of this world.
    pub(super) fn run_collective(
        &self,
        stream: &StreamState,
        team: &Team<'_>,
        which: CollectiveKernel,
        (blocks, threads): (u32, u32),
        args: impl KernelArgs,
    ) -> Result<()> {
        self.check_fault(format_args!("enqueue `{}` on a stream", which.name()))?;
        let (kernel, early) = self.with_collectives(team.is_load_store(), |loaded| {
            let kernel = loaded.kernel(which)?;
            Ok((kernel, loaded.early))
        })?;
        // Where PEs share a GPU, blocks that are placed early must leave room for those of other PEs, for which this PE
        // waits.
        let resident = self.teams.resident();
        let early = early && (resident.sharers() == 1 || 2 * blocks <= resident.blocks(threads));
        let launch = Launch { early, ..Launch::new(blocks, threads) };
        let launch = if self.on_host() { launch.collective() } else { launch };
        let packed = Packed::new(&self.state().arranged(kernel.paths), &args);
        self.run_kernel(stream, &kernel, launch, packed)
    }

    pub(in crate::world) fn load_collectives(&self) -> Result<()> {
        self.with_collectives(false, |_| Ok(()))
    }

    pub(in crate::world) fn collectives_check(&self) -> Result<bool> {
        self.with_collectives(false, |loaded| Ok(loaded.module.checks_arguments()))
    }

    /// Returns the largest blocks of a team's kernels that use packets, which depend on the paths that the kernels have.
    pub(super) fn packet_threads(&self, team: &Team<'_>) -> Result<u32> {
        self.with_collectives(team.is_load_store(), |loaded| Ok(loaded.packet_threads))
    }

    /// Calls `body` with the kernels for a team, after loading them if they are not yet.
    fn with_collectives<R>(&self, is_load_store: bool, body: impl FnOnce(&mut Loaded) -> Result<R>) -> Result<R> {
        let mut guard = self.collectives.0.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = match &mut *guard {
            Some(loaded) => loaded,
            None => {
                // Both now: a later load could wait for a kernel that waits for another PE.
                let all = Loaded::new(self.load_at_any_time(CollectiveKernel::MODULE)?)?;
                let load_store = self.find_for_load_store(CollectiveKernel::MODULE)?.map(Loaded::new).transpose()?;
                guard.insert((all, load_store))
            }
        };
        match loaded {
            (_, Some(load_store)) if is_load_store => body(load_store),
            (all, _) => body(all),
        }
    }
}

//! The kernels of collectives: the module `oxshmem_collectives`, which is loaded at the first call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use oxshmem_core::host::Result;

use super::World;
use crate::launch::{KernelArgs, Launch, Packed};
use crate::module::{Kernel, Module};
use crate::stream::Stream;

/// The name of the module.
const MODULE: &str = "oxshmem_collectives";
/// The largest blocks on host PEs.
const HOST_THREADS: u32 = 256;

/// The module, when it is loaded, and those of its kernels that were used.
#[derive(Debug, Default)]
pub(super) struct Collectives(Mutex<Option<Loaded>>);

#[derive(Debug)]
struct Loaded {
    module: Module,
    /// Whether its kernels themselves wait for the preceding work of their stream.
    early: bool,
    /// The largest blocks of its kernels that use packets.
    packet_threads: u32,
    kernels: BTreeMap<String, Arc<Kernel>>,
}

impl World {
    /// Launches a kernel of collectives on a stream of this world.
    pub(super) fn run_collective(
        &self,
        stream: &Stream,
        name: &str,
        (blocks, threads): (u32, u32),
        args: impl KernelArgs,
    ) -> Result<()> {
        self.check_fault(format_args!("put {name} on a stream"))?;
        let (kernel, early) = self.collective_kernel(name)?;
        // Where PEs share a GPU, blocks that are placed early must leave room for those of other PEs, for which this PE
        // waits.
        let resident = self.teams.resident();
        let early = early && (resident.sharers() == 1 || 2 * blocks <= resident.blocks(threads));
        let launch = Launch { early, ..Launch::new(blocks, threads) };
        let launch = if self.on_host() { launch.collective() } else { launch };
        let packed = Packed::new(&self.state().arranged(kernel.paths), &args);
        self.run_kernel(stream, &kernel, launch, packed)
    }

    /// Loads the kernels of collectives, which the first collective would load otherwise. As any module, they provide
    /// the kernels of barriers and signals on streams, for a program without kernels of its own.
    ///
    /// # Errors
    /// As [`load`](World::load).
    pub fn load_collectives(&self) -> Result<()> {
        self.loaded_collectives(&mut self.collectives.0.lock().unwrap_or_else(PoisonError::into_inner)).map(drop)
    }

    /// Reports whether the kernels of collectives, which are loaded if they are not yet, check their arguments and
    /// compare the calls of the members: always on host PEs, on GPUs if they were built with `--checked`.
    ///
    /// # Errors
    /// As [`load`](World::load).
    pub fn collectives_check(&self) -> Result<bool> {
        let mut loaded = self.collectives.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.loaded_collectives(&mut loaded)?.module.checks_arguments())
    }

    /// Returns the largest blocks of the kernels that use packets, which depend on the paths that the kernels have.
    pub(super) fn packet_threads(&self) -> Result<u32> {
        let mut loaded = self.collectives.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.loaded_collectives(&mut loaded)?.packet_threads)
    }

    fn loaded_collectives<'l>(&self, loaded: &'l mut Option<Loaded>) -> Result<&'l mut Loaded> {
        match loaded {
            Some(loaded) => Ok(loaded),
            None => {
                let module = self.load_at_any_time(MODULE)?;
                let early = module.barrier_waits()?;
                // All such kernels have the same bound.
                let packet_threads = module.kernel("broadcast_packets")?.most_threads()?.unwrap_or(HOST_THREADS);
                Ok(loaded.insert(Loaded { module, early, packet_threads, kernels: BTreeMap::new() }))
            }
        }
    }

    fn collective_kernel(&self, name: &str) -> Result<(Arc<Kernel>, bool)> {
        let mut loaded = self.collectives.0.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = self.loaded_collectives(&mut loaded)?;
        if let Some(kernel) = loaded.kernels.get(name) {
            return Ok((kernel.clone(), loaded.early));
        }
        let kernel = Arc::new(loaded.module.kernel(name)?);
        loaded.kernels.insert(name.into(), kernel.clone());
        Ok((kernel, loaded.early))
    }
}

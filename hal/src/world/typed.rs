//! Kernels that are named by their types.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use oxshmem_core::host::Result;
use oxshmem_raw::state::kernel::KernelCall;

use super::World;
use super::stream::Stream;
use crate::launch::{Launch, Packed, check_args};
use crate::module::{Kernel, Module, check_abi};

/// The kernels that were found by their types. A launch looks one up, and allocates nothing.
#[derive(Debug, Default)]
pub(super) struct TypedKernels {
    found: RwLock<BTreeMap<TypeId, Arc<Kernel>>>,
    /// The modules that were loaded for them on a GPU, by name, and those for load/store PEs alone. It is held during a
    /// load, so that each is loaded once.
    modules: Mutex<BTreeMap<(&'static str, bool), Module>>,
}

impl Stream<'_> {
    /// Launches a kernel, which `kernel!` defines with a struct of its arguments; returns at once.
    /// [`synchronize`](Stream::synchronize) waits for it.
    ///
    /// The first launch of a kernel on a GPU finds it in its module, and the first of a module's kernels loads the
    /// module, which takes milliseconds and may wait for kernels that run on the GPU. Before launches that must not wait
    /// call [`load_of`](super::modules::Modules::load_of).
    ///
    /// # Errors
    /// Those of [`load`](crate::Modules::load) at the first launch; the shape exceeds the machine (requested and available size
    /// named), or an earlier kernel has reported a fault.
    pub fn launch<K: KernelCall>(&self, launch: Launch, call: K) -> Result<()> {
        let (world, kernel) = (self.world, self.world.kernel_of::<K>()?);
        world.check_launch(&kernel, launch)?;
        let packed = Packed::of_call(&world.state().arranged(kernel.paths), &call);
        world.launch_packed(&self.state, &kernel, launch, packed)
    }

    /// Returns the largest number of blocks of this launch's size and shared memory that can be resident at once: the
    /// limit for the grid of a collective launch. PEs that share a GPU share its room.
    ///
    /// # Errors
    /// Those of [`load`](crate::Modules::load), or the driver does not answer.
    pub fn most_resident_blocks<K: KernelCall>(&self, launch: Launch) -> Result<u64> {
        self.world.kernel_of::<K>()?.most_resident_blocks(self.world, launch)
    }
}

impl World {
    pub(super) fn kernel_of<K: KernelCall>(&self) -> Result<Arc<Kernel>> {
        // Both maps are consistent between any two calls on them.
        let found = self.typed.found.read().unwrap_or_else(PoisonError::into_inner).get(&TypeId::of::<K>()).cloned();
        match found {
            Some(kernel) => Ok(kernel),
            None => self.find_kernel::<K>(false),
        }
    }

    /// Finds a kernel for its launches from now on: with `load_store` among those for load/store PEs alone, if there
    /// are such kernels.
    #[cold]
    pub(super) fn find_kernel<K: KernelCall>(&self, load_store: bool) -> Result<Arc<Kernel>> {
        let kernel = if self.on_host() {
            Kernel::of_host(K::HOST, check_abi(K::MODULE, Some(K::HOST.abi), &self.transports_used())?)
        } else {
            let mut modules = self.typed.modules.lock().unwrap_or_else(PoisonError::into_inner);
            let fewer = (K::MODULE, true);
            if load_store
                && !modules.contains_key(&fewer)
                && let Some(module) = self.find_for_load_store(K::MODULE)?
            {
                modules.insert(fewer, module);
            }
            let key = (K::MODULE, load_store && modules.contains_key(&fewer));
            match modules.entry(key) {
                Entry::Occupied(loaded) => loaded.into_mut(),
                Entry::Vacant(free) => free.insert(self.load_at_any_time(K::MODULE)?),
            }
            .kernel(K::NAME)?
        };
        // The file may be of another build.
        check_args(&kernel.name, &kernel.args, K::ARGS)?;
        let kernel = Arc::new(kernel);
        self.typed.found.write().unwrap_or_else(PoisonError::into_inner).insert(TypeId::of::<K>(), kernel.clone());
        Ok(kernel)
    }
}

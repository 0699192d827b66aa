//! Modules.

use std::ffi::c_void;
use std::path::{Path, PathBuf};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::state::kernel::KernelCall;

use super::World;
use crate::module::Module;
use crate::transports;

/// The modules of a world: kernels that a program loads by name, ahead of their first launch or from elsewhere.
/// [`World::modules`] returns it. Kernels of `kernel!` are loaded by their first launch.
#[derive(Clone, Copy, Debug)]
pub struct Modules<'w>(&'w World);

impl Modules<'_> {
    /// Loads the kernels of crate `name`: for host PEs those linked into the program, for a GPU those in `NAME.ptx`
    /// (searched in `OXSHMEM_PTX_PATH`, beside the program, in `ptx` beside its folder, and in `target/ptx`). If the
    /// folder has `NAME.nvlink.ptx`, worlds that are reached by loads and stores alone load those, which are faster.
    ///
    /// Files in these folders are trusted as the program's own file is: a GPU executes them. The load compares versions
    /// and layouts, which finds a file of another build, not one that was made to do harm. Only users whom the program
    /// trusts may write the folders, which include that of the program and three above it.
    ///
    /// # Errors
    /// They are missing, or were built for another version or other features (both named).
    pub fn load(&self, name: &str) -> Result<Module> {
        self.0.refuse_in_capture("load")?;
        self.0.load_at_any_time(name)
    }

    /// Loads kernels as [`load`](crate::Modules::load) whose calls all go to these PEs. If they are load/store PEs and the world
    /// has others, a GPU loads those in `NAME.nvlink.ptx`, if it is there: they need no registers for code that reaches
    /// remote PEs.
    ///
    /// A kernel loaded so has no barrier over all PEs, and a quiet or a fence of it is one of operations to load/store
    /// PEs. If it calls a remote PE all the same, it ends with a fault in builds that check, and accesses an address
    /// that is not mapped in others.
    ///
    /// # Errors
    /// As [`load`](crate::Modules::load); or there is no such PE.
    pub fn load_for(&self, name: &str, pes: &[Pe]) -> Result<Module> {
        self.0.refuse_in_capture("load_for")?;
        let fewer = if self.all_load_store(name, pes)? { self.0.find_for_load_store(name)? } else { None };
        fewer.map_or_else(|| self.0.load_at_any_time(name), Ok)
    }

    /// Loads the module of a kernel, as its first launch would, and finds the kernel in it. On host PEs the kernel is
    /// linked into the program.
    ///
    /// # Errors
    /// As [`load`](crate::Modules::load).
    pub fn load_of<K: KernelCall>(&self) -> Result<()> {
        self.0.refuse_in_capture("load_of")?;
        self.0.kernel_of::<K>().map(drop)
    }

    /// Loads the module of a kernel whose calls all go to these PEs, as [`load_for`](Modules::load_for) does. All later
    /// launches of the kernel in this world run what was loaded here.
    ///
    /// # Errors
    /// As [`load_for`](Modules::load_for).
    pub fn load_of_for<K: KernelCall>(&self, pes: &[Pe]) -> Result<()> {
        self.0.refuse_in_capture("load_of_for")?;
        let load_store = self.all_load_store(K::MODULE, pes)?;
        self.0.find_kernel::<K>(load_store).map(drop)
    }

    /// Returns whether these are load/store PEs.
    fn all_load_store(&self, name: &str, pes: &[Pe]) -> Result<bool> {
        for &pe in pes {
            self.0.check_pe(|| format!("load module `{name}` for calls to {pe}"), pe)?;
        }
        Ok(pes.iter().all(|pe| self.0.paths[pe.index()] == 0))
    }

    /// Loads the kernels in a PTX or cubin file, on a GPU.
    ///
    /// # Errors
    /// As [`load`](crate::Modules::load).
    ///
    /// # Safety
    ///
    /// - **code**: as for [`load_image`](Modules::load_image).
    pub unsafe fn load_file(&self, path: impl AsRef<Path>) -> Result<Module> {
        self.0.refuse_in_capture("load_file")?;
        self.0.loaded(Module::from_file(&self.0.machine.memory, path.as_ref(), &self.0.transports_used())?)
    }

    /// Loads the kernels in these bytes, PTX or cubin, on a GPU.
    ///
    /// # Errors
    /// As [`load`](crate::Modules::load).
    ///
    /// # Safety
    ///
    /// - **code**: the kernels are those of a crate that `cargo oxshmem ptx` built, or as sound: they take the arguments
    ///   that they declare and, whatever their values, access no memory but that of their world and of their own launch.
    ///   The load compares versions and layouts, and can't check more.
    pub unsafe fn load_image(&self, name: &str, image: &[u8]) -> Result<Module> {
        self.0.refuse_in_capture("load_image")?;
        self.0.loaded(Module::from_image(&self.0.machine.memory, name, image, &self.0.transports_used())?)
    }

    /// Returns a module of this world for a module that the program loaded on the GPU (`CUmodule`); `name` is for
    /// errors. Dropping the result leaves the GPU's module loaded.
    ///
    /// # Errors
    /// As [`load_image`](Modules::load_image); `InvalidArgument` on host PEs.
    ///
    /// # Safety
    ///
    /// - **module**: `raw` names a module of this PE's GPU, in its primary context. It stays loaded as long as the
    ///   result, each [`Kernel`](crate::Kernel) of it and each graph with such a kernel exist; if it is the first
    ///   module of this world, as long as the world, whose barriers and signals on streams are kernels of its first
    ///   module.
    /// - **code**: as for [`load_image`](Modules::load_image).
    pub unsafe fn adopt(&self, name: &str, raw: *mut c_void) -> Result<Module> {
        self.0.refuse_in_capture("adopt")?;
        let context = self.0.gpu_context("module")?;
        if raw.is_null() {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("use module `{name}` of the program"))
                .because("the handle is null"));
        }
        // SAFETY: **module** by the caller.
        let module = unsafe { cuda::Module::from_raw(context, raw) };
        self.0.loaded(Module::from_loaded(&self.0.machine.memory, name, module, &self.0.transports_used())?)
    }

    /// Loads the kernels of collectives, which the first collective would load otherwise. As any module, they provide
    /// the kernels of barriers and signals on streams, for a program without kernels of its own.
    ///
    /// # Errors
    /// As [`load`](crate::Modules::load).
    pub fn load_collectives(&self) -> Result<()> {
        self.0.load_collectives()
    }

    /// Reports whether the kernels of collectives, which are loaded if they are not yet, check their arguments and
    /// compare the calls of the members: always on host PEs, on GPUs if they were built with `--checked`.
    ///
    /// # Errors
    /// As [`load`](crate::Modules::load).
    pub fn collectives_check(&self) -> Result<bool> {
        self.0.collectives_check()
    }
}

impl World {
    /// Returns the modules of this world.
    pub fn modules(&self) -> Modules<'_> {
        Modules(self)
    }

    /// Loads the kernels for load/store PEs alone, also while a graph is recorded. `None` if the world has no remote PE,
    /// or no such kernels are there: those of [`load`](crate::Modules::load) serve then. The kernels of barriers and of calls on
    /// streams are never from such a module.
    pub(super) fn find_for_load_store(&self, name: &str) -> Result<Option<Module>> {
        let used = self.transports_used();
        if used.len() < 2 {
            return Ok(None);
        }
        Module::find_load_store(&self.machine.memory, name, &self.ptx_folders(), &used)
    }

    /// Loads as [`load`](crate::Modules::load), also while a graph is recorded.
    pub(super) fn load_at_any_time(&self, name: &str) -> Result<Module> {
        self.loaded(Module::find(&self.machine.memory, name, &self.ptx_folders(), &self.transports_used())?)
    }

    pub(super) fn loaded(&self, module: Module) -> Result<Module> {
        self.keep_barrier(&module)?;
        self.keep_stream_kernels(&module)?;
        Ok(module)
    }

    pub(super) fn transports_used(&self) -> Vec<String> {
        let path = |name: &String| transports::host_path(name).map_or(name.clone(), |path| path.name().into());
        self.transport_names.iter().map(path).collect()
    }

    fn ptx_folders(&self) -> Vec<PathBuf> {
        let mut folders = self.config.ptx_path.clone();
        let program = std::env::current_exe().unwrap_or_default();
        // Cargo puts a program in target/PROFILE or a folder below; a distributed program is in bin.
        for folder in program.ancestors().skip(1).take(4) {
            folders.extend([folder.to_path_buf(), folder.join("ptx"), folder.join("target").join("ptx")]);
        }
        folders
    }
}

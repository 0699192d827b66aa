//! Modules.

use std::path::{Path, PathBuf};

use oxshmem_core::Pe;
use oxshmem_core::host::Result;

use super::World;
use crate::module::Module;
use crate::transports;

impl World {
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
        self.refuse_in_capture("load")?;
        self.load_at_any_time(name)
    }

    /// Loads kernels as [`load`](World::load) whose calls all go to these PEs. If they are load/store PEs and the world
    /// has others, a GPU loads those in `NAME.nvlink.ptx`, if it is there: they need no registers for code that reaches
    /// remote PEs.
    ///
    /// A kernel loaded so has no barrier over all PEs, and a quiet or a fence of it is one of operations to load/store
    /// PEs. If it calls a remote PE all the same, it ends with a fault in builds that check, and accesses an address
    /// that is not mapped in others.
    ///
    /// # Errors
    /// As [`load`](World::load); or there is no such PE.
    pub fn load_for(&self, name: &str, pes: &[Pe]) -> Result<Module> {
        self.refuse_in_capture("load_for")?;
        for &pe in pes {
            self.check_pe(|| format!("load module `{name}` for calls to {pe}"), pe)?;
        }
        let all = pes.iter().all(|pe| self.paths[pe.index()] == 0);
        let fewer = if all { self.find_for_load_store(name)? } else { None };
        fewer.map_or_else(|| self.load_at_any_time(name), Ok)
    }

    /// Loads the kernels for load/store PEs alone, also while a graph is recorded. `None` if the world has no remote PE,
    /// or no such kernels are there: those of [`load`](World::load) serve then. The kernels of barriers and of calls on
    /// streams are never from such a module.
    pub(super) fn find_for_load_store(&self, name: &str) -> Result<Option<Module>> {
        let used = self.transports_used();
        if used.len() < 2 {
            return Ok(None);
        }
        Module::find_load_store(&self.machine.memory, name, &self.ptx_folders(), &used)
    }

    /// Loads as [`load`](World::load), also while a graph is recorded.
    pub(super) fn load_at_any_time(&self, name: &str) -> Result<Module> {
        self.loaded(Module::find(&self.machine.memory, name, &self.ptx_folders(), &self.transports_used())?)
    }

    /// Loads the kernels in a PTX or cubin file, on a GPU.
    ///
    /// # Errors
    /// As [`load`](World::load).
    ///
    /// # Safety
    ///
    /// - **code**: as for [`load_image`](World::load_image).
    pub unsafe fn load_file(&self, path: impl AsRef<Path>) -> Result<Module> {
        self.refuse_in_capture("load_file")?;
        self.loaded(Module::from_file(&self.machine.memory, path.as_ref(), &self.transports_used())?)
    }

    /// Loads the kernels in these bytes, PTX or cubin, on a GPU.
    ///
    /// # Errors
    /// As [`load`](World::load).
    ///
    /// # Safety
    ///
    /// - **code**: the kernels are those of a crate that `cargo oxshmem ptx` built, or as sound: they take the arguments
    ///   that they declare and, whatever their values, access no memory but that of their world and of their own launch.
    ///   The load compares versions and layouts, and can't check more.
    pub unsafe fn load_image(&self, name: &str, image: &[u8]) -> Result<Module> {
        self.refuse_in_capture("load_image")?;
        self.loaded(Module::from_image(&self.machine.memory, name, image, &self.transports_used())?)
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

//! Modules.

use std::path::{Path, PathBuf};

use oxshmem_core::host::Result;

use super::World;
use crate::module::Module;
use crate::transports;

impl World {
    /// Loads the kernels of crate `name`: for host PEs those linked into the program, for a GPU those in `NAME.ptx`
    /// (searched in `OXSHMEM_PTX_PATH`, beside the program, in `ptx` beside its folder, and in `target/ptx`). If the
    /// folder has `NAME.nvlink.ptx`, worlds that are reached by loads and stores alone load those, which are faster.
    ///
    /// # Errors
    /// They are missing, or were built for another version or other features (both named).
    pub fn load(&self, name: &str) -> Result<Module> {
        self.refuse_in_capture("load")?;
        self.load_at_any_time(name)
    }

    /// Loads as [`load`](World::load), also while a graph is recorded.
    pub(super) fn load_at_any_time(&self, name: &str) -> Result<Module> {
        self.loaded(Module::find(&self.machine.memory, name, &self.ptx_folders(), &self.transports_used())?)
    }

    /// Loads the kernels in a PTX or cubin file, on a GPU.
    ///
    /// # Errors
    /// As [`load`](World::load).
    pub fn load_file(&self, path: impl AsRef<Path>) -> Result<Module> {
        self.refuse_in_capture("load_file")?;
        self.loaded(Module::from_file(&self.machine.memory, path.as_ref(), &self.transports_used())?)
    }

    /// Loads the kernels in these bytes, PTX or cubin, on a GPU.
    ///
    /// # Errors
    /// As [`load`](World::load).
    pub fn load_image(&self, name: &str, image: &[u8]) -> Result<Module> {
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

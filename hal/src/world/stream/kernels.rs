//! The kernels of the calls on streams, and of the atomics of the host.

use std::sync::OnceLock;

use oxshmem_core::Fault;
use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::launch::{KernelArgs, Launch, Packed, check_args};
use crate::module::{Kernel, Module};
use crate::stream::StreamState;
use crate::world::World;

/// The kernels for these calls, which every module has.
#[derive(Debug, Default)]
pub(in crate::world) struct StreamKernels(OnceLock<StreamKernelSet>);

#[derive(Debug)]
pub(in crate::world) struct StreamKernelSet {
    pub(super) put: Kernel,
    pub(super) wait: Kernel,
    pub(super) queue: Kernel,
    pub(super) elements: Kernel,
    pub(in crate::world) atomic: Kernel,
}

impl World {
    /// Keeps the kernels of the first module that is loaded on a GPU.
    pub(in crate::world) fn keep_stream_kernels(&self, module: &Module) -> Result<()> {
        if self.on_host() || self.has_stream_kernels() {
            return Ok(());
        }
        let found = StreamKernelSet {
            put: module.any_kernel("oxshmem_put_on_stream")?,
            wait: module.any_kernel("oxshmem_wait_on_stream")?,
            queue: module.any_kernel("oxshmem_queue_on_stream")?,
            elements: module.any_kernel("oxshmem_elements_on_stream")?,
            atomic: module.any_kernel("oxshmem_atomic_of_host")?,
        };
        // Another thread may have been first, with kernels that do the same.
        let _ = self.stream_kernels.0.set(found);
        Ok(())
    }

    /// Returns whether a module was loaded, which provides the kernels of these calls.
    pub(in crate::world) fn has_stream_kernels(&self) -> bool {
        self.stream_kernels.0.get().is_some()
    }

    pub(in crate::world) fn kernels_for(&self, name: &str) -> Result<&StreamKernelSet> {
        self.stream_kernels.0.get().ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("enqueue `{name}` on a stream"))
                .because("no module is loaded on this PE")
                .hint("load a module first: its kernel is what signals and waits")
                .about(self.me)
        })
    }

    /// Launches one block of one of the library's own kernels.
    pub(in crate::world) fn run_own(
        &self,
        stream: &StreamState,
        kernel: &Kernel,
        threads: u32,
        args: impl KernelArgs,
    ) -> Result<()> {
        check_args(&kernel.name, &kernel.args, args.describe())?;
        let packed = Packed::new(&self.state().arranged(kernel.paths), &args);
        self.run_kernel(stream, kernel, Launch::new(1, threads), packed)
    }

    /// Runs an operation of a host PE's own threads on a stream. A fault is in its slot, where the next synchronize
    /// finds it.
    pub(super) fn on_host_thread(
        &self,
        stream: &StreamState,
        name: &str,
        operation: impl Fn() -> Result<(), Fault> + Copy + Send + Sync + 'static,
    ) -> Result<()> {
        self.run_on_threads(stream, name, Launch::new(1, 1), move || {
            Box::new(move || {
                let _ = operation();
            })
        })
    }
}

//! Runs kernels on a GPU or on host threads without a world: the caller makes the world's state by hand.

use std::collections::HashMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context, Device, Function, LaunchShape, Stream};
use oxshmem_raw::gpu::simt::{self, Schedule};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::abi::{self, Abi};
use oxshmem_raw::state::kernel::{ARGS_PREFIX, ArgDesc, KernelArg, host_kernels};
use oxshmem_raw::state::{MAX_PATHS, WorldState};

/// A machine with the kernels loaded.
#[derive(Debug)]
pub struct Machine {
    /// The kind of memory that its kernels use.
    pub memory: Memory,
    /// The crate of the kernels.
    module: &'static str,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Host,
    Gpu { context: Context, kernels: HashMap<&'static str, (Function, ArgDesc)>, lanes: [Arc<Stream>; 2] },
}

/// Kernels of one lane run one after the other; kernels of different lanes run at the same time.
#[derive(Clone, Copy, Debug)]
pub enum Lane {
    /// The lane of the engine.
    Engine,
    /// The lane of the kernels that post.
    Post,
}

/// A launched kernel.
#[derive(Debug)]
pub enum Running {
    /// It runs on a host thread.
    Thread(JoinHandle<Result<()>>),
    /// In a stream.
    Stream(Arc<Stream>),
}

impl Machine {
    /// Uses host threads.
    pub fn host(module: &'static str) -> Self {
        Self { memory: Memory::Host, module, kind: Kind::Host }
    }

    /// Uses a GPU, with the kernels of a PTX file or a cubin.
    pub fn gpu(module: &'static str, ordinal: u32, image: &Path) -> Result<Self> {
        let context = Context::primary(Device::get(ordinal)?)?;
        let bytes = std::fs::read(image).map_err(|error| {
            Error::new(ErrorKind::NotFound, format!("read {}", image.display())).because(error.to_string())
        })?;
        let loaded = cuda::Module::load(&context, &bytes)?;
        let memory = Memory::Gpu(context.clone());
        let mut tag = [0; size_of::<Abi>()];
        read_global(&memory, &loaded, abi::SYMBOL, &mut tag)?;
        let ours = host_kernels().find(|kernel| kernel.module == module).map(|kernel| kernel.abi);
        let same = |ours: &Abi, theirs: Abi| (theirs.layout, theirs.paths) == (ours.layout, ours.paths);
        if !ours.zip(Abi::from_bytes(&tag)).is_some_and(|(ours, theirs)| same(ours, theirs)) {
            return Err(Error::new(ErrorKind::Incompatible, format!("use {}", image.display()))
                .because("it was built for another layout of what host and device share")
                .hint(format!("build it again with `{}`", how_to_build(module))));
        }
        let mut kernels = HashMap::new();
        for kernel in host_kernels().filter(|kernel| kernel.module == module) {
            let function = loaded.function(kernel.name)?;
            // The driver loads a kernel at its first use and may then wait for all others; none runs yet.
            function.limits()?;
            let mut raw = [0; size_of::<ArgDesc>()];
            read_global(&memory, &loaded, &format!("{ARGS_PREFIX}{}", kernel.name), &mut raw)?;
            kernels.insert(kernel.name, (function, ArgDesc::from_bytes(&raw)));
        }
        let lanes = [Arc::new(Stream::new(&context)?), Arc::new(Stream::new(&context)?)];
        Ok(Self { memory, module, kind: Kind::Gpu { context, kernels, lanes } })
    }

    /// Describes the machine.
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Host => "host threads".into(),
            Kind::Gpu { context, .. } => context.device().name().unwrap_or_else(|_| "a GPU".into()),
        }
    }

    /// Returns whether the machine is a GPU.
    pub fn is_gpu(&self) -> bool {
        matches!(self.kind, Kind::Gpu { .. })
    }

    /// Returns, in the order of the module's remote paths, the numbers that a world with the paths `used` gives them:
    /// see [`WorldState::arranged`].
    pub fn path_numbers(&self, used: &[&str]) -> [usize; MAX_PATHS] {
        let mut numbers = [0; MAX_PATHS];
        let kernel = host_kernels().find(|kernel| kernel.module == self.module);
        for ((name, _), number) in kernel.iter().flat_map(|kernel| kernel.abi.remote_paths()).zip(&mut numbers) {
            *number = used.iter().position(|used| *used == name).map_or(0, |at| at + 1);
        }
        numbers
    }

    /// Launches a kernel.
    ///
    /// # Safety
    ///
    /// - **live**: every address in `state` and `job` stays mapped until the kernel has ended, and the kernel may
    ///   access it as it documents.
    pub unsafe fn launch<J: KernelArg + Send>(
        &self,
        lane: Lane,
        kernel: &'static str,
        [blocks, threads]: [u32; 2],
        state: WorldState,
        job: J,
    ) -> Result<Running> {
        // SAFETY: **live** is the caller's promise.
        unsafe { self.launch_sharing(lane, kernel, [blocks, threads, 0], state, job) }
    }

    /// Launches a kernel; the third number is the bytes of shared memory of each block.
    ///
    /// # Safety
    ///
    /// - **live**: as for [`launch`](Self::launch).
    pub unsafe fn launch_sharing<J: KernelArg + Send>(
        &self,
        lane: Lane,
        kernel: &'static str,
        [blocks, threads, shared_bytes]: [u32; 3],
        state: WorldState,
        job: J,
    ) -> Result<Running> {
        let missing = || Error::new(ErrorKind::NotFound, format!("find kernel `{kernel}`"));
        match &self.kind {
            Kind::Host => {
                let mut all = host_kernels().filter(|one| one.module == self.module);
                let found = all.find(|one| one.name == kernel).ok_or_else(missing)?;
                check_argument::<J>(kernel, found.args.first())?;
                let grid = simt::Grid {
                    blocks: [blocks, 1, 1],
                    threads: [threads, 1, 1],
                    dynamic_shared_bytes: shared_bytes as usize,
                    collective: false,
                };
                let run = move || {
                    let (state, job) = (state, job);
                    let list = [(&raw const state).cast::<c_void>(), (&raw const job).cast()];
                    // SAFETY: the kernel takes the state and a `J`, which `check_argument` has compared; **live** is
                    // the caller's.
                    simt::run(&grid, &Schedule::default(), &|| unsafe { (found.run)(list.as_ptr()) }).map(drop)
                };
                Ok(Running::Thread(std::thread::spawn(run)))
            }
            Kind::Gpu { kernels, lanes, .. } => {
                let (function, takes) = kernels.get(kernel).ok_or_else(missing)?;
                check_argument::<J>(kernel, Some(takes))?;
                let (mut state, mut job) = (state, job);
                let mut list = [(&raw mut state).cast::<c_void>(), (&raw mut job).cast()];
                let stream = &lanes[lane as usize];
                let shape = LaunchShape { dynamic_shared_bytes: shared_bytes, ..LaunchShape::linear(blocks, threads) };
                // SAFETY: **arguments**: the state and a `J`, which the kernel takes. **kernel**: **live** is the
                // caller's promise.
                unsafe { cuda::launch(function, &shape, stream, &mut list)? }
                Ok(Running::Stream(stream.clone()))
            }
        }
    }
}

impl Running {
    /// Waits for the kernel's end, but not longer than `limit`.
    ///
    /// # Errors
    /// It takes longer, or it failed.
    pub fn wait(self, limit: Duration) -> Result<()> {
        let thread = match self {
            Running::Stream(stream) => return stream.synchronize_within(limit),
            Running::Thread(thread) => thread,
        };
        let started = Instant::now();
        while !thread.is_finished() {
            if started.elapsed() > limit {
                return Err(Error::new(ErrorKind::Timeout, "wait for a kernel")
                    .because(format!("it was not done after {limit:?}")));
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        thread.join().unwrap_or_else(|_| Err(Error::new(ErrorKind::Fault, "run a kernel").because("it panicked")))
    }
}

/// Checks that a kernel takes this argument.
///
/// # Errors
/// The argument is of another type; the error names both.
pub fn check_argument<J: KernelArg>(kernel: &str, takes: Option<&ArgDesc>) -> Result<()> {
    match takes {
        Some(takes) if takes.hash == J::DESC.hash => Ok(()),
        takes => Err(Error::new(ErrorKind::Incompatible, format!("launch kernel `{kernel}`")).because(format!(
            "it takes a {} of {} bytes, and this program has a {} of {} bytes",
            takes.map_or("?", |one| one.name()),
            takes.map_or(0, |one| one.bytes),
            J::DESC.name(),
            J::DESC.bytes,
        ))),
    }
}

/// Reads the first bytes of a module's global.
///
/// # Errors
/// The global does not exist, or is too small.
pub fn read_global(memory: &Memory, module: &cuda::Module, name: &str, to: &mut [u8]) -> Result<()> {
    match module.global(name)? {
        // SAFETY: **mapped**: a global of a loaded module, of at least this size.
        Some((at, bytes)) if bytes >= to.len() => unsafe { memory.read(to, at) },
        found => Err(Error::new(ErrorKind::Incompatible, format!("read `{name}` of the kernels"))
            .because("it is not there, or too small")
            .amount(to.len() as u64, found.map_or(0, |(_, bytes)| bytes as u64), "bytes")),
    }
}

fn how_to_build(module: &str) -> String {
    format!("cargo xtask ptx -p {} --arch sm_90", module.replace('_', "-"))
}

/// Returns the kernels' file: the named one, or one in the usual folders.
///
/// # Errors
/// There is none; the error names the places.
pub fn find_image(module: &str, named: Option<&Path>) -> Result<PathBuf> {
    let file = format!("{module}.ptx");
    let folders: Vec<PathBuf> = match named {
        Some(path) if path.is_file() => return Ok(path.to_path_buf()),
        Some(path) => vec![path.to_path_buf()],
        None => {
            let told = std::env::var_os("OXSHMEM_PTX_PATH").unwrap_or_default();
            let mut folders: Vec<PathBuf> = std::env::split_paths(&told).filter(|one| one.is_dir()).collect();
            let program = std::env::current_exe().unwrap_or_default();
            for folder in program.ancestors().skip(1).take(4) {
                folders.extend([folder.to_path_buf(), folder.join("ptx"), folder.join("target").join("ptx")]);
            }
            folders
        }
    };
    let found = folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file());
    found.ok_or_else(|| {
        let places = folders.iter().map(|one| one.display().to_string()).collect::<Vec<_>>().join(", ");
        Error::new(ErrorKind::NotFound, format!("find {file}"))
            .because(format!("it is in none of {places}"))
            .hint(format!("build it with `{}`, or name it with --ptx", how_to_build(module)))
    })
}

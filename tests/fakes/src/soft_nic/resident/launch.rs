//! Runs the kernel, on a GPU or on a host thread, a slice at a time.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use oxshmem_nic_kernels::resident::table::ResidentJob;
use oxshmem_raw::gpu::cuda::{self, Context, Event, Function, LaunchShape, Module, Stream};
use oxshmem_raw::gpu::simt::{self, Schedule};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::kernel::{ARGS_PREFIX, ArgDesc, HostKernel, host_kernels};

use super::tell;

use oxshmem_machine::{check_argument, find_image, read_global};

/// The crate of the kernel.
const KERNELS: &str = "oxshmem_nic_kernels";
const KERNEL: &str = "resident";
/// Threads of the block on a GPU.
const THREADS: u32 = 128;
/// The limit of a slice, including other work of the GPU before it.
const LIMIT: Duration = Duration::from_secs(120);
/// A slice that takes this long is reported.
const LONG: Duration = Duration::from_secs(2);

/// Slices that are put into the stream ahead. A launch may take long: the driver makes it wait for a thread that fills
/// another stream.
const AHEAD: usize = 4;

/// The executor of slices.
pub(super) enum Launcher {
    Host(&'static HostKernel),
    Gpu(OnGpu),
}

/// The kernel on a GPU.
pub(super) struct OnGpu {
    /// Keeps its module loaded.
    function: Function,
    stream: Stream,
    /// The end events of the slices that were launched and may still run, with their numbers.
    pending: VecDeque<(u64, Event)>,
    idle: Vec<Event>,
}

impl Launcher {
    /// Finds and loads the kernel. Launches load nothing afterwards, because loading could wait for running kernels.
    pub(super) fn new(memory: &Memory) -> Result<Self, String> {
        match memory {
            Memory::Host => {
                let mut all = host_kernels().filter(|one| one.module == KERNELS && one.name == KERNEL);
                let found = all.next().ok_or("the kernel `resident` is not linked into this program")?;
                check_argument::<ResidentJob>(KERNEL, found.args.first()).map_err(words)?;
                Ok(Self::Host(found))
            }
            Memory::Gpu(context) => {
                let image = std::fs::read(image(context)?).map_err(|error| error.to_string())?;
                let module = Module::load(context, &image).map_err(words)?;
                let function = module.function(KERNEL).map_err(words)?;
                // Queries its needs on an SM, which also loads its code.
                function.limits().map_err(words)?;
                let mut raw = [0; size_of::<ArgDesc>()];
                read_global(memory, &module, &format!("{ARGS_PREFIX}{KERNEL}"), &mut raw).map_err(words)?;
                check_argument::<ResidentJob>(KERNEL, Some(&ArgDesc::from_bytes(&raw))).map_err(words)?;
                // With this priority its block gets the next free SM before any other waiting block.
                let stream = Stream::urgent(context).map_err(words)?;
                let events = (0..=AHEAD).map(|_| Event::new(context)).collect::<Result<_, _>>().map_err(words)?;
                Ok(Self::Gpu(OnGpu { function, stream, pending: VecDeque::new(), idle: events }))
            }
        }
    }

    /// Launches a slice, and waits until it has ended (on a GPU: until there is room for another) or until `enough`.
    ///
    /// # Safety
    ///
    /// - **live**: all memory of the job's tables is mapped until [`drain`](Self::drain) returns.
    pub(super) unsafe fn launch(
        &mut self,
        job: ResidentJob,
        number: u64,
        enough: impl Fn() -> bool,
    ) -> Result<(), String> {
        let (mut state, mut job) = (nowhere(), job);
        match self {
            Self::Host(kernel) => {
                let list = [(&raw const state).cast::<c_void>(), (&raw const job).cast()];
                let grid = simt::Grid { blocks: [1; 3], threads: [1; 3], dynamic_shared_bytes: 0, collective: false };
                // SAFETY: the kernel takes the state and a job. **live**: the caller keeps the job's tables mapped.
                let run = simt::run(&grid, &Schedule::default(), &|| unsafe { (kernel.run)(list.as_ptr()) });
                run.map(drop).map_err(words)
            }
            Self::Gpu(gpu) => {
                let mut list = [(&raw mut state).cast::<c_void>(), (&raw mut job).cast()];
                let shape = LaunchShape::linear(1, THREADS);
                // SAFETY: **arguments**: the kernel takes the state and a job. **kernel**: by **live** the caller keeps
                // the tables mapped until `drain` returns.
                unsafe { cuda::launch(&gpu.function, &shape, &gpu.stream, &mut list) }.map_err(words)?;
                let event = gpu.idle.pop().ok_or("there is no event for a slice")?;
                event.record(&gpu.stream).map_err(words)?;
                gpu.pending.push_back((number, event));
                gpu.wait(AHEAD - 1, enough)
            }
        }
    }

    /// Waits until no slice runs.
    pub(super) fn drain(&mut self) -> Result<(), String> {
        match self {
            Self::Host(_) => Ok(()),
            Self::Gpu(gpu) => gpu.wait(0, || false),
        }
    }
}

fn words(error: oxshmem_hal::Error) -> String {
    error.to_string()
}

/// Returns machine code for this GPU if a file beside the PTX has it, because compiling the PTX takes seconds.
fn image(context: &Context) -> Result<PathBuf, String> {
    let ptx = find_image(KERNELS, None).map_err(words)?;
    let (major, minor) = context.device().compute_capability().map_err(words)?;
    let cubin = ptx.with_extension(format!("sm_{major}{minor}.cubin"));
    Ok(if cubin.is_file() { cubin } else { ptx })
}

impl OnGpu {
    /// Waits until at most `few` slices are left, or until `enough`. A slice that does not end may wait for an SM that
    /// other processes' kernels occupy.
    fn wait(&mut self, few: usize, enough: impl Fn() -> bool) -> Result<(), String> {
        let (mut began, mut told) = (Instant::now(), false);
        while self.pending.len() > few {
            let Some((number, event)) = self.pending.front() else { break };
            let waited = began.elapsed();
            if event.query().map_err(words)? {
                if told {
                    tell(format!("slice {number} ended after {waited:?}"));
                }
                if let Some((_, event)) = self.pending.pop_front() {
                    self.idle.push(event);
                }
                (began, told) = (Instant::now(), false);
                continue;
            }
            if enough() {
                return Ok(());
            }
            if waited > LIMIT {
                return Err(format!("slice {number} has not ended after {LIMIT:?}: it got no SM, or hangs"));
            }
            if waited > LONG && !told {
                told = true;
                tell(format!("slice {number} has not ended after {LONG:?}: it may wait for a free SM"));
            }
            match waited.as_micros() {
                0..200 => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(20)),
            }
        }
        Ok(())
    }
}

/// Returns the state of no world; the kernel does not read it.
fn nowhere() -> WorldState {
    WorldState { n_pes: 1, ..WorldState::default() }
}

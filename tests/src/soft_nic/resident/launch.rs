//! The kernel, wherever it runs: a slice at a time.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use oxshmem_nic_kernels::resident::table::ResidentJob;
use oxshmem_raw::cuda::{self, Function, LaunchShape, Module, Stream};
use oxshmem_raw::kernel::{ARGS_PREFIX, ArgDesc, HostKernel, host_kernels};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::simt::{self, Schedule};
use oxshmem_raw::state::WorldState;

use crate::nic_rates::machine::{KERNELS, check_argument, find_image, read_global};

const KERNEL: &str = "resident";
/// Threads of the block on a GPU.
const THREADS: u32 = 256;
/// No slice takes so long, whatever else the GPU does first.
const LIMIT: Duration = Duration::from_secs(120);
/// A slice that takes so long is told of.
const LONG: Duration = Duration::from_secs(2);

/// What runs slices.
pub(super) enum Launcher {
    Host(&'static HostKernel),
    /// The module is kept by its function.
    Gpu(Function, Stream),
}

impl Launcher {
    /// The kernel, found and loaded: from here on a launch loads nothing, which could wait for kernels that run.
    pub(super) fn new(memory: &Memory) -> Result<Self, String> {
        let words = |error: oxshmem_hal::Error| error.to_string();
        match memory {
            Memory::Host => {
                let mut all = host_kernels().filter(|one| one.module == KERNELS && one.name == KERNEL);
                let found = all.next().ok_or("the kernel `resident` is not linked into this program")?;
                check_argument::<ResidentJob>(KERNEL, found.args.first()).map_err(words)?;
                Ok(Self::Host(found))
            }
            Memory::Gpu(context) => {
                let image = std::fs::read(find_image(None).map_err(words)?).map_err(|error| error.to_string())?;
                let module = Module::load(context, &image).map_err(words)?;
                let function = module.function(KERNEL).map_err(words)?;
                // What it needs of an SM, and with it its code.
                function.limits().map_err(words)?;
                let mut raw = [0; size_of::<ArgDesc>()];
                read_global(memory, &module, &format!("{ARGS_PREFIX}{KERNEL}"), &mut raw).map_err(words)?;
                check_argument::<ResidentJob>(KERNEL, Some(&ArgDesc::from_bytes(&raw))).map_err(words)?;
                // Its block gets the next SM that is free, whatever else waits for one.
                Ok(Self::Gpu(function, Stream::urgent(context).map_err(words)?))
            }
        }
    }

    /// Runs a slice to its end.
    ///
    /// # Safety
    ///
    /// - **live**: everything that the job's tables say is mapped until this returns.
    pub(super) unsafe fn run(&self, job: ResidentJob, number: u64) -> Result<(), String> {
        let (mut state, mut job) = (nowhere(), job);
        match self {
            Self::Host(kernel) => {
                let list = [(&raw const state).cast::<c_void>(), (&raw const job).cast()];
                let grid = simt::Grid { blocks: [1; 3], threads: [1; 3], dynamic_shared_bytes: 0, collective: false };
                // SAFETY: the kernel takes the state and a job; **live**.
                let run = simt::run(&grid, &Schedule::default(), &|| unsafe { (kernel.run)(list.as_ptr()) });
                run.map(drop).map_err(|error| error.to_string())
            }
            Self::Gpu(function, stream) => {
                let mut list = [(&raw mut state).cast::<c_void>(), (&raw mut job).cast()];
                let shape = LaunchShape::linear(1, THREADS);
                // SAFETY: **arguments**: the state and a job, which the kernel takes. **kernel**: **live**.
                unsafe { cuda::launch(function, &shape, stream, &mut list) }.map_err(|error| error.to_string())?;
                wait(stream, number)
            }
        }
    }
}

/// Waits for a slice. While it does not end it may wait for an SM: somebody else's kernels fill the GPU.
fn wait(stream: &Stream, number: u64) -> Result<(), String> {
    let began = Instant::now();
    let mut told = false;
    loop {
        if stream.query().map_err(|error| error.to_string())? {
            if told {
                eprintln!("softnic engine: slice {number} ended after {:?}", began.elapsed());
            }
            return Ok(());
        }
        let waited = began.elapsed();
        if waited > LIMIT {
            return Err(format!("slice {number} has not ended after {LIMIT:?}: it got no SM, or hangs"));
        }
        if waited > LONG && !told {
            told = true;
            eprintln!("softnic engine: slice {number} has not ended after {LONG:?}: it may wait for a free SM");
        }
        match waited.as_micros() {
            0..300 => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_micros(20)),
        }
    }
}

/// The state of no world: the kernel does not look at it.
fn nowhere() -> WorldState {
    WorldState {
        heap: 0,
        stride: 0,
        heap_bytes: 0,
        own: 0,
        bases: 0,
        local: 0,
        notice: 0,
        fault: 0,
        wait_limit_ns: 0,
        my_pe: 0,
        n_pes: 1,
        far: 0,
        far_bits: 0,
        queues: 0,
        nic: 0,
        default_rows: 0,
        map_by: 0,
    }
}

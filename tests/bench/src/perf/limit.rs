//! The hardware's limit: hand-written PTX kernels, launched without the library.
//!
//! The entry of a row is named `limit_` and the library's kernel, with the atomic if there is one, as in
//! `limit_shmem_put_bw_block`, `limit_shmem_p_bw` and `limit_shmem_atomic_bw_add`. There may be a second entry with
//! `_smem` appended, which gets all the dynamic shared memory that a block can have; the faster of the two counts. The
//! grid is that of the library's kernel of the same row.
//!
//! Every entry takes these parameters, all `.u64`:
//!
//! | parameters | meaning |
//! |---|---|
//! | `own_src`, `own_dst` | this PE's source, from which a put reads, and its destination, to which a get writes |
//! | `peer_src`, `peer_dst` | those of the other of PE 0 and PE 1, as mapped here |
//! | `own_flag`, `peer_flag` | 64 words of this PE and of the other, all `round` when a row begins |
//! | `slots` | for each block, the addresses of its start and end times (two words) |
//! | `bytes` | bytes of a group; of all elements together in rows that move elements |
//! | `iters` | iterations |
//! | `me`, `n_pes` | this PE, and the number of PEs |
//! | `extra` | bit 0: each element is in a line of its own; bits 8 and up: the atomic |
//! | `round` | increases by `iters` with each launch |
//! | `flags`, `stride` | PE 0's flag words, as mapped here, and the distance in bytes to the next PE's |
//! | `step`, `window` | an iteration that reads a peer's memory reads this many bytes further on, this many times |
//!
//! The kernels move 16 bytes at a time: a row whose pieces are not aligned to 16 has no entry.

use std::ffi::c_void;

use oxshmem_core::{Error, ErrorKind, Result};
use oxshmem_hal::{Kernel, Launch, Module, Pe, Stream, SymPtr, World};
use oxshmem_perf_kernels::job::Job;
use oxshmem_raw::gpu::cuda::{self, Context, Device, Function, LaunchShape};

use super::limit_collectives::Kernels;
use super::plan::{Moves, Size, Test};
use super::request::Request;

/// The kernels.
const PTX: &str = include_str!("../../../perf-kernels/limit/limit.ptx");
/// Bytes of one access.
const ACCESS: u64 = 16;

/// The kernels, on the world's GPU.
#[derive(Debug)]
pub(super) struct Limit {
    module: cuda::Module,
    collectives: Kernels,
    /// The library's kernel after which kernels of several PEs start together.
    line_up: Kernel,
}

/// One of the kernels.
#[derive(Debug)]
pub(super) struct Entry {
    function: Function,
    shared_bytes: u32,
    moves: Moves,
    line: bool,
}

impl Limit {
    /// Loads the kernels; `None` without a GPU.
    pub(super) fn load(world: &World, module: &Module) -> Result<Option<Self>> {
        let Some(ordinal) = world.gpu() else { return Ok(None) };
        let context = Context::primary(Device::get(ordinal)?)?;
        let collectives = Kernels::load(&context)?;
        Ok(Some(Self {
            module: cuda::Module::load(&context, PTX.as_bytes())?,
            collectives,
            line_up: module.kernel("line_up")?,
        }))
    }

    /// Returns the kernels of collectives.
    pub(super) fn collectives(&self) -> &Kernels {
        &self.collectives
    }

    /// Returns the entries of a row that exist and fit it: with dynamic shared memory, and without.
    pub(super) fn entries(&self, test: &Test, request: &Request, size: &Size) -> Result<Vec<Entry>> {
        let name = entry_name(test, request);
        let whole = size.group_bytes.is_multiple_of(ACCESS);
        let alone = size.bytes == size.group_bytes;
        if size.elements == 0 && (!request.skew.is_multiple_of(ACCESS) || !(whole || alone)) {
            return Ok(Vec::new());
        }
        let mut entries = Vec::new();
        for (name, lends) in [(name.clone(), false), (format!("{name}_smem"), true)] {
            let function = match self.module.function(&name) {
                Ok(function) => function,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if lends && !whole {
                continue;
            }
            let mut shared_bytes = 0;
            if lends {
                let device = self.module.context().device();
                shared_bytes = device.max_shared_per_block()?.saturating_sub(function.limits()?.static_shared_bytes);
                function.set_max_dynamic_shared(shared_bytes)?;
            }
            entries.push(Entry { function, shared_bytes, moves: test.moves, line: request.line });
        }
        Ok(entries)
    }

    /// Runs one of the kernels on the stream and waits for it.
    pub(super) fn run(
        &self,
        world: &World,
        stream: &Stream<'_>,
        entry: &Entry,
        launch: Launch,
        job: &Job,
    ) -> Result<()> {
        let mut words = words(world, entry, job)?;
        let mut list: Vec<*mut c_void> = words.iter_mut().map(|word| (&raw mut *word).cast()).collect();
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: entry.shared_bytes,
            cooperative: launch.collective,
            early: false,
        };
        if job.meet != 0 {
            // Both are in the stream before the first ends, so that the PEs' kernels start together to within a
            // microsecond.
            stream.launch_kernel(&self.line_up, Launch::new(1, 32), (*job,))?;
        }
        // SAFETY: **stream**: it belongs to this GPU, and the session keeps it.
        let on = unsafe { cuda::Stream::from_raw(self.module.context(), stream.raw()) }?;
        // SAFETY: **arguments**: every entry takes these 17 words. **kernel**: the addresses are of this world's heaps,
        // which stay mapped, and the sizes are those of their buffers, which nothing else uses now.
        unsafe { cuda::launch(&entry.function, &shape, &on, &mut list)? }
        match world.config().wait_limit {
            Some(limit) => on.synchronize_within(limit)?,
            None => on.synchronize()?,
        }
        stream.synchronize()
    }
}

/// Returns the name of a row's entry.
fn entry_name(test: &Test, request: &Request) -> String {
    let kernel = test.kernel(request.scope);
    match test.moves {
        Moves::Atomics => format!("limit_{kernel}_{}", request.op_or("fetch_add")),
        _ => format!("limit_{kernel}"),
    }
}

/// Returns the parameters.
fn words(world: &World, entry: &Entry, job: &Job) -> Result<[u64; 17]> {
    let address = |at: SymPtr<u8>, pe: Pe| match world.ptr(at, pe)? {
        Some(at) => Ok(at as u64),
        None => Err(Error::new(ErrorKind::Unreachable, format!("find {pe}'s memory")).about(pe)),
    };
    let (me, flag) = (world.my_pe(), job.flag.cast());
    let other = if world.n_pes() > 1 { job.pe } else { me };
    let (first, last) = (address(flag, Pe::new(0))?, address(flag, Pe::new(world.n_pes() - 1))?);
    let stride = last.wrapping_sub(first) / u64::from(world.n_pes() - 1).max(1);
    let bytes = if job.elements > 0 { job.elements * entry.moves.element() } else { job.bytes };
    Ok([
        address(job.source, me)?,
        address(job.dest, me)?,
        address(job.source, other)?,
        address(job.dest, other)?,
        address(flag, me)?,
        address(flag, other)?,
        address(job.slots.cast(), me)?,
        bytes,
        job.iters.into(),
        me.number().into(),
        world.n_pes().into(),
        u64::from(entry.line) | u64::from(job.op) << 8,
        job.base,
        first,
        stride,
        job.step,
        u64::from(job.window),
    ])
}

//! What the hardware gives: kernels of hand-written PTX, launched without the library.
//!
//! The entry of a row is `limit_TEST_SCOPE`, or `limit_TEST_OP_SCOPE` where the row names an operation, as in
//! `limit_shmem_put_bw_block` and `limit_shmem_atomic_bw_add_thread`. Beside it there may be one with `_smem` behind
//! the name, which is given all the dynamic shared memory that a block can have; of the two the faster counts.
//! The grid is that of the library's kernel of the same row.
//!
//! Every entry takes these parameters, all `.u64`:
//!
//! | | parameter | what |
//! |---|---|---|
//! | 0 | `own_src` | this PE's source, from which a put reads |
//! | 1 | `own_dst` | this PE's destination, to which a get writes |
//! | 2 | `peer_src` | PE 0's or PE 1's source, whichever the other is, as it is mapped here |
//! | 3 | `peer_dst` | its destination |
//! | 4 | `own_flag` | 16 words of this PE, of which all are `base_round` when a row begins |
//! | 5 | `peer_flag` | the other's |
//! | 6 | `slots` | for each block, where it writes its start and its end (two words) |
//! | 7 | `bytes_per_group` | bytes of a group; elements of all threads in rows that move elements |
//! | 8 | `iters` | iterations |
//! | 9 | `me` | this PE |
//! | 10 | `n_pes` | PEs |
//! | 11 | `extra` | bytes from one element to the next in rows that move elements; dynamic shared bytes for `_smem` |
//! | 12 | `base_round` | iterations of all launches before |
//! | 13 | `pe0_flag` | PE 0's flag words, as they are mapped here |
//! | 14 | `flag_stride` | bytes from there to PE 1's, and so on |
//!
//! The source of `shmem_g_latency` has a chain: each word is the offset of the next from the start of the source.

use std::ffi::c_void;

use oxshmem_core::{ErrorKind, Result};
use oxshmem_hal::{Launch, Pe, SymPtr, World};
use oxshmem_perf_kernels::job::Job;
use oxshmem_raw::cuda::{self, Context, Device, Function, LaunchShape};

use super::plan::{Moves, Test, scope_name};
use super::request::Request;

/// The kernels.
const PTX: &str = include_str!("../../perf-kernels/limit/limit.ptx");

/// The kernels, on the world's GPU.
#[derive(Debug)]
pub(super) struct Limit {
    module: cuda::Module,
    stream: cuda::Stream,
}

/// One of the kernels.
#[derive(Debug)]
pub(super) struct Entry {
    function: Function,
    shared_bytes: u32,
}

impl Limit {
    /// Loads them; `None` without a GPU.
    pub(super) fn load(world: &World) -> Result<Option<Self>> {
        let Some(ordinal) = world.gpu() else { return Ok(None) };
        let context = Context::primary(Device::get(ordinal)?)?;
        let module = cuda::Module::load(&context, PTX.as_bytes())?;
        Ok(Some(Self { module, stream: cuda::Stream::new(&context)? }))
    }

    /// The entries of a row: one with dynamic shared memory and one without, as far as they are there.
    pub(super) fn entries(&self, test: &Test, request: &Request) -> Result<Vec<Entry>> {
        let name = entry_name(test, request);
        let mut entries = Vec::new();
        for (name, lends) in [(name.clone(), false), (format!("{name}_smem"), true)] {
            let function = match self.module.function(&name) {
                Ok(function) => function,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let mut shared_bytes = 0;
            if lends {
                let device = self.module.context().device();
                shared_bytes = device.max_shared_per_block()?.saturating_sub(function.limits()?.static_shared_bytes);
                function.set_max_dynamic_shared(shared_bytes)?;
            }
            entries.push(Entry { function, shared_bytes });
        }
        Ok(entries)
    }

    /// Runs one of the kernels and waits for it.
    pub(super) fn run(&self, world: &World, entry: &Entry, moves: Moves, launch: Launch, job: &Job) -> Result<()> {
        let mut words = words(world, entry, moves, job)?;
        let mut list: Vec<*mut c_void> = words.iter_mut().map(|word| (&raw mut *word).cast()).collect();
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: entry.shared_bytes,
            cooperative: launch.collective,
        };
        // SAFETY: **arguments**: every entry takes these 15 words. **kernel**: the addresses are of the heaps of this
        // world, which stay mapped, and the sizes are those of the buffers behind them; nobody else uses them now.
        unsafe { cuda::launch(&entry.function, &shape, &self.stream, &mut list)? }
        match world.config().wait_limit {
            Some(limit) => self.stream.synchronize_within(limit),
            None => self.stream.synchronize(),
        }
    }
}

/// The name that a row's entry has.
fn entry_name(test: &Test, request: &Request) -> String {
    let op = if test.moves == Moves::Atomics { format!("_{}", request.op_or("add")) } else { String::new() };
    format!("limit_{}{op}_{}", test.name, scope_name(request.scope))
}

/// The parameters.
fn words(world: &World, entry: &Entry, moves: Moves, job: &Job) -> Result<[u64; 15]> {
    let address = |at: SymPtr<u8>, pe: Pe| -> Result<u64> { Ok(world.ptr(at, pe)?.map_or(0, |at| at as u64)) };
    let (me, other, flag) = (world.my_pe(), job.pe, job.flag.cast());
    let of_elements = job.elements > 0;
    let next = if world.n_pes() > 1 { address(flag, Pe::new(1))? } else { address(flag, Pe::new(0))? };
    let first = address(flag, Pe::new(0))?;
    let other = if moves == Moves::Nothing && world.n_pes() < 2 { me } else { other };
    Ok([
        address(job.source, me)?,
        address(job.dest, me)?,
        address(job.source, other)?,
        address(job.dest, other)?,
        address(flag, me)?,
        address(flag, other)?,
        address(job.slots.cast(), me)?,
        if of_elements { job.elements } else { job.bytes },
        job.iters.into(),
        me.number().into(),
        world.n_pes().into(),
        if of_elements { job.stride } else { entry.shared_bytes.into() },
        job.base,
        first,
        next.wrapping_sub(first),
    ])
}

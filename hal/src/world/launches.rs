//! Launches, streams, and the host's barriers.

use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, LaunchShape};
use oxshmem_raw::gpu::simt::{self, Schedule};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::StopWord;

use super::World;
use super::stream::Stream;
use crate::launch::{KernelArgs, Launch, Packed, check_args};
use crate::module::{Entry, Kernel};
use crate::recording::{GraphKernel, NodeAt, Task};
use crate::stream::StreamState;

impl Stream<'_> {
    /// Launches a kernel that was found by its name, as those of PTX from elsewhere are: the types of the arguments, a
    /// tuple, are checked at the launch. Returns at once. [`launch`](Stream::launch) takes kernels of a linked crate.
    ///
    /// # Errors
    /// The arguments differ from the kernel's parameters (both named), the shape exceeds the machine (requested and
    /// available size named), or an earlier kernel has reported a fault.
    pub fn launch_kernel(&self, kernel: &Kernel, launch: Launch, args: impl KernelArgs) -> Result<()> {
        let world = self.world;
        check_args(&kernel.name, &kernel.args, args.describe())?;
        world.check_launch(kernel, launch)?;
        world.launch_packed(&self.state, kernel, launch, Packed::new(&world.state().arranged(kernel.paths), &args))
    }
}

impl World {
    pub(super) fn check_launch(&self, kernel: &Kernel, launch: Launch) -> Result<()> {
        check_shape(&kernel.name, launch)?;
        if self.on_host() {
            check_shared(&kernel.name, launch)?;
        }
        self.check_fault(format_args!("launch kernel `{}`", kernel.name))
    }

    /// Runs a kernel whose arguments have been compared with its parameters, and notes it as a node of a graph.
    pub(super) fn launch_packed(
        &self,
        stream: &StreamState,
        kernel: &Kernel,
        launch: Launch,
        packed: Packed,
    ) -> Result<()> {
        self.run_kernel(stream, kernel, launch, packed)?;
        stream.note(|recording| {
            let at = match (&kernel.entry, stream.gpu()) {
                (Entry::Gpu(function), Some(on)) => NodeAt::Gpu(on.last_captured(function)?),
                _ => NodeAt::Host(recording.tasks.len().saturating_sub(1)),
            };
            recording.kernels.push(GraphKernel { kernel: kernel.clone(), launch, at });
            Ok(())
        })
    }

    /// Returns this PE's share in the blocks that its GPU can hold.
    pub(super) fn share_of_gpu(&self, blocks: u32) -> u64 {
        (blocks / self.teams.resident().sharers()).max(blocks.min(1)).into()
    }

    /// Enqueues a kernel whose arguments have been compared with its parameters.
    pub(super) fn run_kernel(
        &self,
        stream: &StreamState,
        kernel: &Kernel,
        launch: Launch,
        mut packed: Packed,
    ) -> Result<()> {
        let name = &kernel.name;
        let (function, on) = match (&kernel.entry, stream.gpu()) {
            (Entry::Gpu(function), Some(on)) => (function, on),
            (Entry::Host(_), None) => {
                return self.give_task(stream, name, self.kernel_task(kernel, launch, packed)?);
            }
            _ => return Err(of_another_machine(name)),
        };
        allow_shared(function, launch)?;
        if launch.collective {
            let fit = function
                .max_resident_blocks(u32::try_from(launch.threads()).unwrap_or(u32::MAX), launch.shared_bytes)?;
            check_fit(name, launch, fit.into())?;
        }
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: launch.shared_bytes,
            cooperative: launch.collective,
            early: launch.early,
        };
        self.about_to_launch();
        // SAFETY: **arguments**: `check_args` compared their types with the kernel's parameters. **kernel**: it was
        // built with this library (its ABI was compared), and the state's addresses are this world's. **early**: the
        // library sets it for kernels of its own whose module declares that they wait.
        self.check_given(unsafe { cuda::launch(function, &shape, on, &mut packed.addresses()) })?;
        stream.note(|recording| {
            recording.functions.push(function.clone());
            Ok(())
        })
    }

    /// Returns the task that runs a kernel of host threads. Its arguments have been compared with its parameters.
    pub(super) fn kernel_task(&self, kernel: &Kernel, launch: Launch, packed: Packed) -> Result<Task> {
        let Entry::Host(entry) = &kernel.entry else { return Err(of_another_machine(&kernel.name)) };
        let run = entry.run;
        self.task(&kernel.name, launch, move || {
            // In a box, because the addresses are those of its content.
            let mut packed = Box::new(packed.clone());
            let addresses = packed.addresses();
            Box::new(move || {
                let _alive = &packed;
                // SAFETY: `check_args` compared the types with the kernel's parameters, and `_alive` keeps `packed`
                // alive.
                unsafe { run(addresses.as_ptr().cast()) }
            })
        })
    }

    /// Runs a grid on the stream's thread. That thread calls `make`, whose result therefore need not be `Send`.
    pub(super) fn run_on_threads(
        &self,
        stream: &StreamState,
        name: &str,
        launch: Launch,
        make: impl Fn() -> Box<dyn Fn()> + Send + Sync + 'static,
    ) -> Result<()> {
        match stream.gpu() {
            None => self.give_task(stream, name, self.task(name, launch, make)?),
            Some(_) => Err(of_another_machine(name)),
        }
    }

    fn give_task(&self, stream: &StreamState, name: &str, task: Task) -> Result<()> {
        self.about_to_launch();
        stream.enqueue(name, task)
    }

    /// Returns the task that runs a grid, each time with a new result of `make`.
    fn task(
        &self,
        name: &str,
        launch: Launch,
        make: impl Fn() -> Box<dyn Fn()> + Send + Sync + 'static,
    ) -> Result<Task> {
        if launch.collective && launch.threads() > 0 {
            check_fit(name, launch, simt::most_resident_threads() as u64 / launch.threads())?;
        }
        let grid = simt::Grid {
            blocks: launch.grid,
            threads: launch.block,
            dynamic_shared_bytes: launch.shared_bytes as usize,
            collective: launch.collective,
        };
        let schedule = self.next_schedule();
        let (machine, name, me) = (Arc::downgrade(&self.machine), Arc::<str>::from(name), self.me);
        Ok(Arc::new(move |run| {
            let running = machine.upgrade();
            running.iter().for_each(|machine| machine.kernel_begins(schedule.launch, &name));
            // Each launch of a graph has an interleaving of its own.
            let schedule = Schedule { seed: schedule.seed ^ run.wrapping_mul(0xd134_2543_de82_ef95), ..schedule };
            let ended = simt::run(&grid, &schedule, &*make());
            running.iter().for_each(|machine| machine.kernel_ended(schedule.launch));
            ended.map(drop).map_err(|error| {
                // Kernels of other streams may be waiting for this one.
                running.iter().for_each(|machine| machine.stop(StopWord::ABORT));
                Error::new(error.kind(), format!("run kernel `{name}` on {me}")).because(error.to_string()).about(me)
            })
        }))
    }

    /// Returns the interleaving of the next grid, from the seed, the PE and the number of the launch.
    fn next_schedule(&self) -> Schedule {
        let mut inner = self.inner();
        inner.launches += 1;
        let seed = self.config.schedule_seed.unwrap_or_else(|| {
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
        });
        let mut schedule = Schedule::seeded(
            seed ^ (u64::from(self.me.number()) << 48) ^ inner.launches.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        );
        (schedule.yield_one_in, schedule.launch) = (self.config.yield_one_in, inner.launches);
        schedule
    }

    /// Waits for every PE, after completing this PE's kernels and the puts of this host. Collective.
    ///
    /// # Errors
    /// A kernel of this PE reported a fault; a PE made another call, did not arrive within the limit, or died.
    pub fn barrier_all(&self) -> Result<()> {
        self.refuse_in_capture("barrier_all")?;
        self.finish_own_work()?;
        self.control.barrier("barrier_all")
    }

    /// Waits for every PE, without completing any operation. Collective.
    ///
    /// # Errors
    /// A PE made another call, did not arrive within the limit, or died.
    pub fn sync_all(&self) -> Result<()> {
        self.refuse_in_capture("sync_all")?;
        self.control.barrier("sync_all")
    }

    /// Completes this PE's own kernels, on every stream, and its puts.
    pub(super) fn finish_own_work(&self) -> Result<()> {
        let finished = self.quiesce().and_then(|()| self.complete_queues()).and_then(|()| self.quiet());
        // Other members may wait for memory of teams that this PE has dropped.
        self.check_outcome(finished.and_then(|()| self.say_good_byes()))
    }

    /// Completes the operations that this PE's kernels, which have ended, left on queues: by a kernel that waits for
    /// them.
    pub(super) fn complete_queues(&self) -> Result<()> {
        if !self.has_queues() {
            return Ok(());
        }
        if self.on_host() {
            // A fault is in its slot, or in its queue's slot.
            let _ = self.host_queue().quiet();
            return Ok(());
        }
        // Without a loaded module no kernel can have issued an operation.
        if !self.has_stream_kernels() {
            return Ok(());
        }
        self.own_stream().quiet()?;
        self.stream.drain()
    }

    /// Waits for the kernels of every stream of this PE, but not for collectives of the host in which other threads are:
    /// other PEs may take part in those after the present call. On a GPU such a collective can still begin between the
    /// look and the driver's wait, which then waits for it too.
    pub(super) fn quiesce(&self) -> Result<()> {
        self.streams.drain();
        match &self.machine.memory {
            Memory::Host => Ok(()),
            Memory::Gpu(context) => self.streams.drain_gpu(context, self.call_streams.in_use()),
        }
    }
}

impl Kernel {
    /// Returns the largest number of blocks of this launch's size and shared memory that can be resident at once on a PE of
    /// this world: the limit for the grid of a collective launch. PEs that share a GPU share its room.
    ///
    /// # Errors
    /// The driver does not answer.
    pub fn most_resident_blocks(&self, world: &World, launch: Launch) -> Result<u64> {
        match &self.entry {
            Entry::Gpu(function) => {
                allow_shared(function, launch)?;
                let threads = u32::try_from(launch.threads()).unwrap_or(u32::MAX);
                Ok(world.share_of_gpu(function.max_resident_blocks(threads, launch.shared_bytes)?))
            }
            Entry::Host(_) => {
                check_shared(&self.name, launch)?;
                Ok(simt::most_resident_threads() as u64 / launch.threads().max(1))
            }
        }
    }
}

fn of_another_machine(name: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("launch kernel `{name}`"))
        .because("one of kernel and stream is of a GPU, and the other of host threads")
}

/// The largest number of threads of a block, on every machine.
const MOST_THREADS: u64 = 1024;

/// The shared memory of a block, declared and dynamic, that a kernel may use without an attribute.
const USUAL_SHARED_BYTES: u32 = 48 << 10;

/// The largest dynamic shared memory of a block, on any GPU so far.
const MOST_SHARED_BYTES: u32 = 227 << 10;

/// Refuses more shared memory on host PEs than a GPU has. A GPU's driver has a limit of its own.
fn check_shared(name: &str, launch: Launch) -> Result<()> {
    if launch.shared_bytes <= MOST_SHARED_BYTES {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidArgument, format!("launch kernel `{name}`"))
        .because("no GPU has so much shared memory for a block")
        .amount(launch.shared_bytes.into(), MOST_SHARED_BYTES.into(), "bytes of shared memory"))
}

/// Allows the kernel the shared memory of this launch. Otherwise the driver reports room for none of its blocks.
pub(super) fn allow_shared(function: &cuda::Function, launch: Launch) -> Result<()> {
    // Most launches need no dynamic shared memory, and so no query of the driver.
    if launch.shared_bytes == 0 {
        return Ok(());
    }
    let limits = function.limits()?;
    let needs_more = limits.static_shared_bytes.saturating_add(launch.shared_bytes) > USUAL_SHARED_BYTES;
    if needs_more {
        // Never less than before: another thread may be between this call and its own launch.
        function.set_max_dynamic_shared(launch.shared_bytes.max(limits.max_dynamic_shared_bytes))?;
    }
    Ok(())
}

/// Refuses at once a shape that no machine can run, before the stream reaches the launch.
pub(super) fn check_shape(name: &str, launch: Launch) -> Result<()> {
    let refuse = || Error::new(ErrorKind::InvalidArgument, format!("launch kernel `{name}`"));
    if launch.blocks() == 0 || launch.threads() == 0 {
        return Err(
            refuse().because(format!("{:?} blocks of {:?} threads: no number may be 0", launch.grid, launch.block))
        );
    }
    if launch.threads() > MOST_THREADS {
        return Err(refuse().because(format!("a block of {:?} threads is too large", launch.block)).amount(
            launch.threads(),
            MOST_THREADS,
            "threads of a block",
        ));
    }
    Ok(())
}

pub(super) fn check_fit(name: &str, launch: Launch, fit: u64) -> Result<()> {
    if launch.blocks() <= fit {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Exhausted, format!("launch kernel `{name}` collectively"))
        .because(format!(
            "all its blocks must be resident at once, and with {} threads each {fit} are",
            launch.threads()
        ))
        .amount(launch.blocks(), fit, "blocks"))
}

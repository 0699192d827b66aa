//! Barriers on streams, one after another.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Function, LaunchShape};
use oxshmem_raw::state::MAX_PATHS;
use oxshmem_raw::state::on_stream::barrier::{COMPLETES, COUNTS};

use super::World;
use super::stream::Stream;
use crate::launch::{KernelArgs, Launch, check_args};
use crate::module::{Entry, Module};
use crate::stream::StreamState;
use crate::turns::{Ticket, Turns};

/// The name of the kernel for a barrier on a stream, which every module has.
const BARRIER: &str = "oxshmem_barrier_all";

/// The number of barriers with events after one that came on another stream than its predecessor.
const RECORDED: u32 = 100;

/// The barriers on streams of one PE. All count rounds in the same words, so each waits for the one before it, even on
/// another stream.
#[derive(Debug, Default)]
pub(super) struct Barriers {
    /// Held while a barrier is enqueued, so that barriers run in the order of their calls.
    order: Mutex<Order>,
    turns: Arc<Turns>,
}

#[derive(Debug, Default)]
struct Order {
    /// The kernel of a barrier on a GPU, from the first module that is loaded.
    kernel: Option<BarrierKernel>,
    /// Barriers enqueued on the GPU.
    on_gpu: GpuBarriers,
    /// Whether an event is recorded after each of them.
    records_all: bool,
    /// The end of the last barrier on the GPU, if it was recorded.
    end: Option<cuda::Event>,
    /// The number of barriers enqueued on host threads.
    given: u64,
}

#[derive(Clone, Debug)]
struct BarrierKernel {
    function: Function,
    /// Whether the kernel itself waits for the preceding work of its stream, so that it may be launched early.
    waits: bool,
    /// Its module's remote paths, by the numbers of the world's transports.
    paths: [usize; MAX_PATHS],
}

/// The barriers enqueued on a GPU, one after another.
///
/// Barriers on one stream are ordered by the stream, without further means. Before a barrier on another stream than the
/// last one, the stream waits for the end of the last one. Neither wait needs the old stream, which may be gone:
///
/// - The first time it waits until the GPU has counted all earlier barriers: each counts itself, when it ends, in a
///   word of the PE. An event recorded on the old stream now would also wait for later work of that stream, and a
///   kernel there may be waiting for work after the new barrier. A kernel that waited for the count could keep a
///   collective kernel, ahead of the last barrier, from finding room for its blocks; so the GPU's front end waits.
/// - For the next [`RECORDED`] barriers an event is recorded after each. The driver does not see the order that a count
///   makes, and now and then it kept a stream's work after such a wait from starting while a barrier of another PE ran
///   in the same context (driver 580; in each of 8 runs of the suite's cases of streams, and in none with events). So
///   where PEs share a context, events are recorded after all barriers. A program whose barriers stay on one stream
///   needs none, and an event takes the host 0.8 us. Each barrier has a new event: with one event, recorded again after
///   each barrier, such work was kept from starting as well (in 6 of 8 runs).
#[derive(Debug, Default)]
struct GpuBarriers {
    /// The number of the stream with the last barrier.
    last_on: Option<u64>,
    /// The number of barriers, modulo 2^32, as the GPU counts the completed ones.
    given: u32,
    /// Whether the last one was the launch of a graph, which the stream itself counts.
    last_was_graph: bool,
    /// The number of barriers, the last one included, after which an event is recorded.
    to_record: u32,
}

impl GpuBarriers {
    /// Returns the number of barriers that must have ended before one on this stream may begin; `None` if the stream
    /// orders them.
    fn ahead(&self, stream: u64) -> Option<u32> {
        self.last_on.is_some_and(|last| last != stream).then_some(self.given)
    }

    /// Returns the count after the next barrier.
    fn next(&self) -> u32 {
        self.given.wrapping_add(1)
    }

    /// Returns whether a barrier on this stream may start early: the last barrier is then a kernel of the same stream,
    /// for whose end the new one waits by itself.
    fn may_be_early(&self, stream: u64) -> bool {
        self.ahead(stream).is_none() && !self.last_was_graph
    }

    /// Counts a barrier, or a graph with barriers, on this stream.
    fn give(&mut self, stream: u64, is_graph: bool) {
        self.to_record = if self.ahead(stream).is_some() { RECORDED } else { self.to_record.saturating_sub(1) };
        (self.last_on, self.last_was_graph) = (Some(stream), is_graph);
        self.given = self.next();
    }
}

impl Barriers {
    /// Returns the state of a PE without barriers. `context_is_shared`: other PEs use the GPU's context too.
    pub(super) fn new(context_is_shared: bool) -> Self {
        let order = Order { records_all: context_is_shared, ..Order::default() };
        Self { order: Mutex::new(order), turns: Arc::default() }
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        // The locked data is consistent between any two statements.
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream<'_> {
    /// Enqueues a barrier over all PEs: later kernels of the stream start when every PE's earlier kernels
    /// have ended and their puts are delivered. Collective; returns at once. On GPUs every PE must have loaded a module
    /// before, because the barrier is a kernel of it.
    ///
    /// One barrier of a PE is in flight at a time. Barriers on streams wait for each other in the order of these calls,
    /// also across streams; they do not wait for other work of those streams. The library can't see a kernel that calls
    /// `barrier_all` or `sync_all` itself: the program must not let such a kernel run at the same time as a barrier on
    /// another stream.
    ///
    /// In a capture ([`capture`](Stream::capture)) the barrier is recorded, and [`Graph::launch`](crate::Graph::launch)
    /// keeps its order with others. In a capture that the program began itself on the GPU's stream, the barrier is
    /// recorded too; the program must then order each launch of its graph with all other barriers of this PE, because
    /// the library sees no such launch.
    ///
    /// From compute capability 9.0 on, outside captures, the barrier's kernel permits the stream's next kernel to start
    /// early, if the program launches that kernel itself and asks for it (programmatic stream serialization). It
    /// executes `griddepcontrol.wait` before it relies on the barrier. A kernel launched by the world starts after the
    /// barrier.
    ///
    /// # Errors
    /// It could not be launched, or an earlier kernel has reported a fault. `InvalidArgument` on a GPU without a loaded
    /// module, which ends the world: the other PEs get an error that names this one.
    pub fn barrier_all(&self) -> Result<()> {
        self.world.barrier_on(&self.state, "barrier_all", true)
    }

    /// Enqueues a barrier as [`barrier_all`](Stream::barrier_all) does, which need not complete operations of
    /// queues. Operations by loads and stores are complete at either.
    ///
    /// # Errors
    /// As [`barrier_all`](Stream::barrier_all).
    pub fn sync_all(&self) -> Result<()> {
        self.world.barrier_on(&self.state, "sync_all", false)
    }
}

impl World {
    /// Keeps the barrier kernel of the first module that is loaded on a GPU.
    pub(super) fn keep_barrier(&self, module: &Module) -> Result<()> {
        // No module for host threads has the kernel, and host threads need none.
        if self.on_host() {
            return Ok(());
        }
        let kernel = module.any_kernel(BARRIER)?;
        check_args(BARRIER, &kernel.args, (COUNTS,).describe())?;
        if let Entry::Gpu(function) = kernel.entry {
            let kernel = BarrierKernel { function, waits: module.barrier_waits()?, paths: kernel.paths };
            self.barriers.order().kernel.get_or_insert(kernel);
        }
        Ok(())
    }

    fn barrier_on(&self, stream: &StreamState, name: &str, complete: bool) -> Result<()> {
        self.check_fault("put a barrier on a stream")?;
        if stream.is_captured()? {
            let mut before = None;
            stream.note(|recording| {
                recording.has_barriers = true;
                before = recording.last_barrier.take();
                Ok(())
            })?;
            // All barriers count rounds in the same words.
            before.map_or(Ok(()), |before| stream.wait_captured(&before))?;
            match stream.gpu() {
                Some(on) => self.check_given(self.launch_barrier(&self.barriers.order(), stream, on, complete, None)),
                None => self.barrier_on_threads(stream, name, complete, None),
            }?;
            let end = stream.captured_point()?;
            return stream.note(|recording| {
                recording.last_barrier = end;
                Ok(())
            });
        }
        self.in_order(stream, false, |order, ticket| match stream.gpu() {
            Some(on) => {
                let early = order.on_gpu.may_be_early(stream.number());
                self.launch_barrier(order, stream, on, complete, Some(early))
            }
            None => self.barrier_on_threads(stream, name, complete, Some(ticket)),
        })
    }

    /// Enqueues a launch of a graph with barriers, as one barrier among those on streams.
    pub(super) fn graph_in_order(&self, stream: &StreamState, launch: impl FnOnce(Ticket) -> Result<()>) -> Result<()> {
        self.in_order(stream, true, |order, ticket| {
            launch(ticket)?;
            let Some(on) = stream.gpu() else { return Ok(()) };
            // SAFETY: **live**: the word belongs to the machine, which outlives all work of its streams. **unshared**:
            // the barriers that count it ended before the graph began, and later ones wait for this count or for the
            // stream.
            unsafe { on.set_count(self.machine.stream_barriers(), order.on_gpu.next()) }
        })
    }

    /// Enqueues a barrier, or a graph with barriers, in the order of barriers on streams. `give` gets the order, and
    /// for host threads a ticket.
    fn in_order(
        &self,
        stream: &StreamState,
        is_graph: bool,
        give: impl FnOnce(&Order, Ticket) -> Result<()>,
    ) -> Result<()> {
        let mut order = self.barriers.order();
        if let Some(on) = stream.gpu()
            && let Some(count) = order.on_gpu.ahead(stream.number())
        {
            let given = match &order.end {
                Some(end) => on.wait_event(end),
                // SAFETY: **live**: the word belongs to the machine, which outlives all work of its streams. The
                // barriers that count it were enqueued before.
                None => unsafe { on.wait_count(self.machine.stream_barriers(), count) },
            };
            self.check_barrier_given(self.check_given(given))?;
        }
        let ticket = Ticket { turns: self.barriers.turns.clone(), number: order.given };
        let given = give(&order, ticket);
        self.check_barrier_given(self.check_given(given))?;
        match stream.gpu() {
            Some(on) => {
                order.on_gpu.give(stream.number(), is_graph);
                order.end = None;
                if order.records_all || order.on_gpu.to_record > 0 {
                    let ended = cuda::Event::untimed(on.context()).and_then(|end| {
                        end.record(on)?;
                        order.end = Some(end);
                        Ok(())
                    });
                    self.check_barrier_given(self.check_given(ended))?;
                }
                Ok(())
            }
            None => {
                order.given += 1;
                Ok(())
            }
        }
    }

    /// Launches the barrier's kernel. `early` is `None` in a capture; otherwise the kernel counts itself, and `early`
    /// says whether it may start before the preceding kernel of the stream has ended.
    fn launch_barrier(
        &self,
        order: &Order,
        stream: &StreamState,
        on: &cuda::Stream,
        complete: bool,
        early: Option<bool>,
    ) -> Result<()> {
        let Some(kernel) = &order.kernel else {
            return Err(Error::new(ErrorKind::InvalidArgument, "put a barrier on a stream")
                .because("no module is loaded on this PE")
                .hint("load a module first: its barrier kernel is what runs")
                .about(self.me));
        };
        // A larger block would not fit with the registers that a barrier uses to complete queues.
        let threads = self.n_pes.next_multiple_of(32).min(256);
        let shape = LaunchShape::linear(1, threads);
        // An early kernel itself waits for the preceding kernel of its stream; the stream waits for a count.
        let shape = if kernel.waits && early == Some(true) { shape.early() } else { shape };
        let mut state = self.state().arranged(kernel.paths);
        let mut how = if early.is_some() { COUNTS } else { 0 } | if complete { COMPLETES } else { 0 };
        self.about_to_launch();
        // SAFETY: **arguments**: the kernel takes the state and the mode, as `keep_barrier` has checked. **kernel**: it
        // was built with this library (its ABI was compared), and the state's addresses are this world's. **early**:
        // its module declares that it waits.
        unsafe { cuda::launch(&kernel.function, &shape, on, &mut [(&raw mut state).cast(), (&raw mut how).cast()]) }?;
        stream.note(|recording| {
            recording.functions.push(kernel.function.clone());
            Ok(())
        })
    }

    /// Reports a failed barrier to the other PEs, whose barriers may be enqueued already and would wait for this one.
    fn check_barrier_given(&self, given: Result<()>) -> Result<()> {
        given.inspect_err(|error| self.control.fail(&error.to_string()))
    }

    /// Enqueues a barrier of host threads; in a capture without a ticket of its own, because the graph's launch has
    /// one.
    fn barrier_on_threads(
        &self,
        stream: &StreamState,
        name: &str,
        complete: bool,
        ticket: Option<Ticket>,
    ) -> Result<()> {
        let queue = self.host_queue();
        self.run_on_threads(stream, name, Launch::new(1, 1), move || {
            let turn = ticket.as_ref().map(Ticket::wait);
            Box::new(move || {
                let _until_done = &turn;
                // A fault is in its slot, where the next synchronize finds it.
                let _ = queue.barrier_all(complete);
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_waits_for_those_on_other_streams_and_leaves_the_rest_to_its_own() {
        let mut barriers = GpuBarriers::default();
        assert_eq!(barriers.ahead(7), None, "there is none before the first");
        for _ in 0..3 {
            barriers.give(7, false);
            assert_eq!(barriers.ahead(7), None, "its stream orders it");
        }
        assert_eq!(barriers.ahead(8), Some(3), "all three, on the other stream");
        assert_eq!(barriers.ahead(8), Some(3), "again, where the launch failed");
        barriers.give(8, false);
        assert_eq!((barriers.ahead(8), barriers.ahead(7)), (None, Some(4)), "the old stream waits for the new one");
    }

    #[test]
    fn a_barrier_starts_early_after_a_barrier_of_its_stream_and_not_after_a_graph() {
        let mut barriers = GpuBarriers::default();
        assert!(barriers.may_be_early(7), "there is none before the first");
        barriers.give(7, false);
        assert!(barriers.may_be_early(7) && !barriers.may_be_early(8), "a stream waits for the count");
        barriers.give(7, true);
        assert!(!barriers.may_be_early(7) && barriers.ahead(7).is_none(), "the stream orders it, and counts first");
        barriers.give(7, false);
        assert!(barriers.may_be_early(7));
    }

    #[test]
    fn events_are_recorded_for_a_while_after_barriers_have_moved_to_another_stream() {
        let mut barriers = GpuBarriers::default();
        for _ in 0..3 {
            barriers.give(7, false);
            assert_eq!(barriers.to_record, 0, "one stream needs none");
        }
        for _ in 0..2 {
            barriers.give(8, false);
            let recorded = (0..2 * RECORDED).map(|_| (barriers.to_record > 0, barriers.give(8, false)).0);
            assert_eq!(recorded.filter(|is| *is).count(), RECORDED as usize);
            barriers.give(7, false);
            assert!(barriers.to_record > 0, "after the first of a stream");
        }
    }

    #[test]
    fn the_count_of_barriers_wraps_as_the_gpus_does() {
        let mut barriers = GpuBarriers { last_on: Some(1), given: u32::MAX, ..GpuBarriers::default() };
        barriers.give(1, false);
        assert_eq!(barriers.ahead(2), Some(0));
    }

    #[test]
    fn barriers_on_several_streams_at_once_are_passed_by_every_pe() {
        let limit = std::time::Duration::from_secs(20);
        let config = crate::Config::new().with_device(crate::DeviceChoice::Host).with_wait_limit(Some(limit));
        World::threads(3, &config, |world| {
            let streams = [world.stream()?, world.stream()?, world.stream()?];
            for round in 0..300 {
                streams[(round * round) % 3].barrier_all()?;
            }
            world.barrier_all()
        })
        .unwrap();
    }
}

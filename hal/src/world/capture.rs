//! Captures of a stream's calls into graphs, and the launches of graphs.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::kernel::ArgDesc;

use super::World;
use super::graph::{Graph, GraphWork};
use super::stream::Stream;
use crate::launch::{Packed, check_args};
use crate::recording::NodeAt;
use crate::stream::StreamState;

/// The threads that record a graph of this world, once for each capture.
#[derive(Debug, Default)]
pub(super) struct Captures(Mutex<Vec<ThreadId>>);

/// The capture of this thread. Dropping it ends the capture.
struct Capturing<'w>(&'w Captures);

impl Captures {
    fn threads(&self) -> MutexGuard<'_, Vec<ThreadId>> {
        // The list is consistent between any two calls on it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> Capturing<'_> {
        self.threads().push(std::thread::current().id());
        Capturing(self)
    }
}

impl Drop for Capturing<'_> {
    fn drop(&mut self) {
        let mut threads = self.0.threads();
        let me = std::thread::current().id();
        if let Some(at) = threads.iter().rposition(|thread| *thread == me) {
            threads.remove(at);
        }
    }
}

impl<'w> Stream<'w> {
    /// Records the calls that `record` makes on this stream into a graph, instead of running them. `record` gets the
    /// stream.
    ///
    /// Recorded are launches and the other calls of this stream that return at once, and collectives on it. All PEs that
    /// take part in recorded barriers record and launch such graphs alike. On a GPU the stream is captured by the driver,
    /// with its rules for captures; work that `record` gives to the stream by its raw handle is captured too.
    ///
    /// ```
    /// use oxshmem_hal::{Config, DeviceChoice, Signal, World};
    ///
    /// let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    /// let counted = World::threads(2, &config, |world| {
    ///     let (stream, word) = (world.stream()?, world.calloc::<u64>(1)?);
    ///     let graph = stream.capture(|stream| {
    ///         stream.signal(Signal::add(word, 1), world.pe_after(1))?;
    ///         stream.barrier_all()
    ///     })?;
    ///     for _ in 0..100 {
    ///         graph.launch(&stream)?;
    ///     }
    ///     world.barrier_all()?;
    ///     world.g(word, world.my_pe())
    /// })?;
    /// assert_eq!(counted, [100, 100]);
    /// # Ok::<(), oxshmem_hal::Error>(())
    /// ```
    ///
    /// Calls on other streams are recorded as well once such a stream has joined the capture (fork and join): record an
    /// event on the captured stream by [`record_event`](Stream::record_event), and let the other stream wait for it by
    /// [`wait_event`](Stream::wait_event). Before the capture ends, the captured stream waits in the same way for the
    /// last call of each stream that has joined. Calls of two streams run side by side as far as no event orders them;
    /// barriers over all PEs run in the order of the calls, also on different streams.
    ///
    /// No other thread uses these streams meanwhile; work for other streams runs as ever. Calls of this thread that run
    /// at once on the host are refused while `record` runs: allocation, synchronization, barriers and collectives of the
    /// host, the making, splitting and dropping of teams, `put` and `get` of the host, `load`, queue pairs, events. Other
    /// threads may go on; those that synchronize a GPU as a whole ([`barrier_all`](World::barrier_all),
    /// [`free`](World::free), [`finalize`](World::finalize)) fail meanwhile, and the driver may then fail the capture.
    ///
    /// # Errors
    /// The error of `record`, after which nothing is recorded and the stream is as before. The stream is
    /// being captured already, an earlier kernel has reported a fault, the driver can't capture a call, or
    /// the stream does not wait for the last call of a stream that has joined.
    pub fn capture(&self, record: impl FnOnce(&Self) -> Result<()>) -> Result<Graph<'w>> {
        self.world.check_fault("capture a stream into a graph")?;
        let _capturing = self.world.captures.begin();
        Graph::capture(self, || record(self))
    }
}

impl World {
    /// Refuses a call of the host that can't be recorded, while this thread records a graph.
    pub(super) fn refuse_in_capture(&self, call: &str) -> Result<()> {
        if !self.captures.threads().contains(&std::thread::current().id()) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::InvalidArgument, format!("call `{call}` while a graph is recorded"))
            .because("it runs at once on the host, and only work of the captured stream can be recorded")
            .hint("call it before or after `capture`")
            .about(self.me))
    }

    /// Refuses a call that needs the stream's work to run, while the stream is being captured by any thread.
    pub(super) fn refuse_captured(&self, call: &str, stream: &StreamState) -> Result<()> {
        if stream.is_captured()? { Err(self.captured(call)) } else { Ok(()) }
    }

    fn captured(&self, call: &str) -> Error {
        Error::new(ErrorKind::InvalidArgument, format!("call `{call}` on a stream that is being captured"))
            .because("the stream's work is recorded, and does not run before its graph is launched")
            .about(self.me)
    }

    pub(super) fn launch_graph(&self, graph: &Graph<'_>, stream: &StreamState) -> Result<()> {
        self.refuse_captured("launch", stream)?;
        self.check_fault("launch a graph")?;
        self.about_to_launch();
        let launch = |among_barriers| match (&graph.work, stream.gpu()) {
            (GraphWork::Host(graph), None) => graph.launch(stream, among_barriers),
            (GraphWork::Gpu { graph, .. }, Some(on)) => {
                // SAFETY: **kernels**: they were launched by this world in the capture, with arguments of their types.
                // The world's memory is mapped until its work has ended, and the graph holds the functions.
                unsafe { graph.launch(on) }
            }
            _ => Err(Error::new(ErrorKind::InvalidArgument, "launch a graph")
                .because("graph and stream are of different machines")),
        };
        if graph.has_barriers {
            return self.graph_in_order(stream, |ticket| launch(Some(ticket)));
        }
        self.check_given(launch(None))
    }

    /// Replaces the arguments of a kernel, of this name if there is one. `types` describes what `pack` packs.
    pub(super) fn set_graph_args(
        &self,
        graph: &mut Graph<'_>,
        index: usize,
        name: Option<&str>,
        types: &[ArgDesc],
        pack: impl FnOnce(&WorldState) -> Packed,
    ) -> Result<()> {
        let Graph { kernels, work, .. } = graph;
        let Some(node) = kernels.get(index) else {
            return Err(Error::new(
                ErrorKind::OutOfRange,
                format!("replace the arguments of kernel {index} of a graph"),
            )
            .because("the program launched fewer kernels in the capture")
            .amount(index as u64, kernels.len() as u64, "kernels"));
        };
        let kernel = &node.kernel;
        if let Some(name) = name.filter(|name| *name != kernel.name) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("replace the arguments of kernel {index} of a graph"),
            )
            .because(format!("it is `{}`, and the arguments are those of `{name}`", kernel.name)));
        }
        check_args(&kernel.name, &kernel.args, types)?;
        let mut packed = pack(&self.state().arranged(kernel.paths));
        match (work, &node.at) {
            (GraphWork::Host(graph), NodeAt::Host(at)) => {
                graph.tasks[*at].task = self.kernel_task(kernel, node.launch, packed)?;
                Ok(())
            }
            (GraphWork::Gpu { graph, .. }, NodeAt::Gpu(at)) => {
                // SAFETY: **arguments**: `check_args` compared their types with the kernel's parameters. **kernel**: as
                // in `run_kernel`. **node**: the capture that made this graph returned it.
                unsafe { graph.set_arguments(at, &mut packed.addresses()) }
            }
            _ => unreachable!("the nodes of a graph are of its machine"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, DeviceChoice};

    fn with_world<T: Send>(body: impl Fn(&World) -> Result<T> + Sync) -> T {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        World::threads(1, &config, body).unwrap().pop().unwrap()
    }

    #[test]
    fn a_graph_of_another_world_is_refused() {
        with_world(|world| {
            let graph = world.stream()?.capture(Stream::barrier_all)?;
            let refused = with_world(|other| Ok(graph.launch(&other.stream()?).unwrap_err()));
            assert_eq!(refused.to_string(), "cannot launch a graph: the graph is of another world");
            Ok(())
        });
    }

    #[test]
    fn a_panic_in_a_capture_ends_it() {
        with_world(|world| {
            let (stream, at) = (world.stream()?, world.calloc::<u64>(1)?);
            let capture = || stream.capture(|_| panic!("in the capture"));
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(capture)).is_err());
            stream.p(at, 7, world.my_pe())?;
            stream.synchronize()?;
            assert_eq!(world.g(at, world.my_pe())?, 7, "the stream runs its work, and the host's calls are allowed");
            world.free(at)
        });
    }

    #[test]
    fn a_stream_whose_graph_is_recorded_is_not_waited_for_by_any_thread() {
        with_world(|world| {
            let stream = world.stream()?;
            stream.capture(|stream| {
                let other = std::thread::scope(|scope| scope.spawn(|| stream.synchronize()).join().unwrap());
                assert_eq!(other.unwrap_err().kind(), ErrorKind::InvalidArgument);
                Ok(())
            })?;
            stream.synchronize()
        });
    }
}

//! Graphs: recorded work of a stream, launched any number of times.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::ScopedJoinHandle;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::os::private::Scratch;
use oxshmem_raw::state::kernel::KernelCall;

use super::World;
use super::stream::Stream;
use crate::launch::{KernelArgs, Packed};
use crate::recording::{GraphKernel, NamedTask, Recording, lock};
use crate::stream::StreamState;
use crate::turns::{Ticket, Turns};

/// Work of a stream that was recorded, ready to be launched any number of times.
/// [`Stream::capture`](crate::Stream::capture) makes one.
///
/// The recorded calls keep the arguments, the world's state and the memory of the time of the capture: symmetric memory
/// that they use must not be freed, and queues that they use must not be destroyed, while the graph may be launched.
#[derive(Debug)]
pub struct Graph<'w> {
    pub(crate) kernels: Vec<GraphKernel>,
    /// Whether a launch takes part in the order of barriers on streams.
    pub(crate) has_barriers: bool,
    pub(crate) work: GraphWork,
    world: &'w World,
}

#[derive(Debug)]
pub(crate) enum GraphWork {
    Host(HostGraph),
    Gpu {
        graph: cuda::Graph,
        /// Keeps the modules of the kernels loaded.
        _functions: Vec<cuda::Function>,
    },
}

/// The recorded tasks of host threads' streams.
#[derive(Debug, Default)]
pub(crate) struct HostGraph {
    /// In the order of the calls: a task follows earlier ones alone.
    pub(crate) tasks: Vec<NamedTask>,
    /// The number of launches, held while one is enqueued.
    launches: Mutex<u64>,
    /// Launches run one after another, as those of a GPU's graph.
    turns: Arc<Turns>,
}

impl<'w> Graph<'w> {
    /// Records the calls of `record` on a stream into a graph: of their tasks, or of the driver's graph.
    pub(super) fn capture(stream: &Stream<'w>, record: impl FnOnce() -> Result<()>) -> Result<Self> {
        let (recording, graph) = stream.state.capture(record)?;
        let Recording { tasks, kernels, functions, has_barriers, .. } = recording;
        let work = match graph {
            Some(graph) => GraphWork::Gpu { graph, _functions: functions },
            None => GraphWork::Host(HostGraph { tasks, ..HostGraph::default() }),
        };
        Ok(Self { kernels, has_barriers, work, world: stream.world })
    }

    /// Launches the recorded work on a stream of the world in which it was recorded; returns at once. It runs after the
    /// stream's earlier work. The calls of one stream run in the order of the capture; those of streams that joined it
    /// run beside them, as far as events allow.
    ///
    /// Launches of one graph run one after another, also on different streams. If barriers over all PEs were recorded,
    /// a launch counts as one barrier on streams: its work starts after the last barrier enqueued on any stream has
    /// ended, and the next barrier enqueued on any stream starts after all of its work. Every PE launches such graphs
    /// in the same order among its barriers on streams.
    ///
    /// # Errors
    /// The stream is of another world or is being captured, an earlier kernel has reported a fault, or
    /// the launch failed.
    pub fn launch(&self, stream: &Stream<'_>) -> Result<()> {
        if !std::ptr::eq(self.world, stream.world) {
            return Err(
                Error::new(ErrorKind::InvalidArgument, "launch a graph").because("the graph is of another world")
            );
        }
        self.world.launch_graph(self, &stream.state)
    }

    /// Returns the names of the kernels that the program launched in the capture, in order. The library's own kernels
    /// are not among them.
    pub fn kernels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels.iter().map(|node| node.kernel.name())
    }

    /// Replaces the arguments of kernel `index` of [`kernels`](Graph::kernels) in later launches; earlier launches keep
    /// theirs. The kernel, its grid and its blocks stay. The world's state is replaced by the present one, which covers
    /// memory that was allocated since.
    ///
    /// # Errors
    /// `OutOfRange` if there is no such kernel; `InvalidArgument` if the arguments differ from the kernel's parameters
    /// (both named).
    pub fn set_kernel_args(&mut self, index: usize, args: impl KernelArgs) -> Result<()> {
        self.world.set_graph_args(self, index, None, args.describe(), |state| Packed::new(state, &args))
    }

    /// Replaces the arguments as [`set_kernel_args`](Graph::set_kernel_args) by those of `call`, which names the kernel.
    ///
    /// # Errors
    /// As [`set_kernel_args`](Graph::set_kernel_args); `InvalidArgument` if it is another kernel.
    pub fn set_args<K: KernelCall>(&mut self, index: usize, call: K) -> Result<()> {
        self.world.set_graph_args(self, index, Some(K::NAME), K::ARGS, |state| Packed::of_call(state, &call))
    }

    /// Returns a description of the graph in Graphviz' language `dot`: a node for each recorded call of a host PE, or
    /// for each node of the GPU's graph, as captured.
    ///
    /// # Errors
    /// On a GPU: the driver can't write it to a file in the folder for temporary files.
    pub fn dot(&self) -> Result<String> {
        match &self.work {
            GraphWork::Host(graph) => Ok(graph.dot()),
            GraphWork::Gpu { graph, .. } => {
                let folder = Scratch::new("graph")?;
                let path = folder.join("graph.dot");
                graph.write_dot(&path)?;
                std::fs::read_to_string(&path).map_err(|error| {
                    Error::new(ErrorKind::System, format!("read the description of a graph in {}", path.display()))
                        .call("read", error.raw_os_error().unwrap_or(0).into(), error.to_string())
                })
            }
        }
    }
}

impl HostGraph {
    /// Enqueues all tasks as one. With a ticket, they run when its turn has come.
    pub(crate) fn launch(&self, stream: &StreamState, among_barriers: Option<Ticket>) -> Result<()> {
        // The locked data is consistent at any time.
        let mut launches = self.launches.lock().unwrap_or_else(PoisonError::into_inner);
        let own = Ticket { turns: self.turns.clone(), number: *launches };
        let tasks = self.tasks.clone();
        stream.enqueue(
            "graph",
            Arc::new(move |_| {
                let _turn_among_barriers = among_barriers.as_ref().map(Ticket::wait);
                let _turn_of_this_graph = own.wait();
                run(&tasks, own.number)
            }),
        )?;
        *launches += 1;
        Ok(())
    }

    fn dot(&self) -> String {
        let mut text = String::from("digraph graph_of_host_tasks {\n");
        for (i, NamedTask { name, stream, after, .. }) in self.tasks.iter().enumerate() {
            text += &format!("  n{i} [label=\"{name}\"];\n");
            let before = self.tasks[..i].iter().rposition(|earlier| earlier.stream == *stream);
            for earlier in before.iter().chain(after) {
                text += &format!("  n{earlier} -> n{i};\n");
            }
        }
        text + "}\n"
    }
}

/// The tasks of a launch that have run.
#[derive(Debug, Default)]
struct Ran {
    done: Vec<bool>,
    /// Whether a task failed, after which no other one begins.
    failed: bool,
}

/// Runs the tasks of a launch with this number: those of each stream one after another, on a thread of their own for
/// streams that joined the capture.
fn run(tasks: &[NamedTask], number: u64) -> Result<()> {
    let streams = tasks.iter().map(|task| task.stream + 1).max().unwrap_or(0);
    if streams <= 1 {
        return tasks.iter().try_for_each(|named| (named.task)(number));
    }
    let ran = (Mutex::new(Ran { done: vec![false; tasks.len()], failed: false }), Condvar::new());
    let run_stream = &|stream: usize| {
        for (index, named) in tasks.iter().enumerate().filter(|(_, named)| named.stream == stream) {
            // The awaited tasks run on other threads, and end by their own limits.
            let mut now = lock(&ran.0);
            while !now.failed && !named.after.iter().all(|earlier| now.done[*earlier]) {
                now = ran.1.wait(now).unwrap_or_else(PoisonError::into_inner);
            }
            if now.failed {
                return Ok(());
            }
            drop(now);
            // A panic is a failure too: it must not leave other threads waiting.
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (named.task)(number)));
            let mut now = lock(&ran.0);
            now.done[index] = true;
            now.failed |= !matches!(ended, Ok(Ok(())));
            drop(now);
            ran.1.notify_all();
            ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let start = |stream| {
            std::thread::Builder::new().name("oxshmem-graph".into()).spawn_scoped(scope, move || run_stream(stream))
        };
        let others: Result<Vec<_>> = (1..streams)
            .map(|stream| {
                start(stream).map_err(|error| {
                    let code = error.raw_os_error().unwrap_or(0).into();
                    Error::new(ErrorKind::Exhausted, "start a thread for a stream of a graph").call(
                        "clone",
                        code,
                        error.to_string(),
                    )
                })
            })
            .collect();
        let others = others.inspect_err(|_| {
            lock(&ran.0).failed = true;
            ran.1.notify_all();
        })?;
        let first = run_stream(0);
        let join = |thread: ScopedJoinHandle<'_, Result<()>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        others.into_iter().map(join).fold(first, Result::and)
    })
}

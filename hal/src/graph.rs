//! Graphs: recorded work of a stream, launched any number of times.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;

use crate::launch::{KernelArgs, Launch};
use crate::module::Kernel;
use crate::stream::{Stream, Streams, Task};
use crate::turns::{Ticket, Turns};
use crate::world::World;

/// Work of a stream that was recorded, ready to be launched any number of times.
/// [`World::capture`](crate::World::capture) makes one.
///
/// The recorded calls keep the arguments, the world's state and the memory of the time of the capture: symmetric memory
/// that they use must not be freed, and queues that they use must not be destroyed, while the graph may be launched.
#[derive(Debug)]
pub struct Graph {
    pub(crate) kernels: Vec<GraphKernel>,
    /// Whether a launch takes part in the order of barriers on streams.
    pub(crate) has_barriers: bool,
    pub(crate) work: GraphWork,
    of: Weak<Streams>,
}

/// A kernel that the program launched in the capture.
#[derive(Debug)]
pub(crate) struct GraphKernel {
    pub(crate) kernel: Kernel,
    pub(crate) launch: Launch,
    pub(crate) at: NodeAt,
}

/// The place of a kernel in its graph.
#[derive(Debug)]
pub(crate) enum NodeAt {
    /// The index of its task.
    Host(usize),
    Gpu(cuda::CapturedKernel),
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

/// The recorded tasks of a host thread's stream.
#[derive(Debug, Default)]
pub(crate) struct HostGraph {
    pub(crate) tasks: Vec<NamedTask>,
    /// The number of launches, held while one is enqueued.
    launches: Mutex<u64>,
    /// Launches run one after another, as those of a GPU's graph.
    turns: Arc<Turns>,
}

/// A task with the name of its kernel or call.
#[derive(Clone)]
pub(crate) struct NamedTask {
    pub(crate) name: String,
    pub(crate) task: Task,
}

/// The calls of a capture so far.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// On host threads, the tasks in order.
    pub(crate) tasks: Vec<NamedTask>,
    /// The kernels that the program launched, in order.
    pub(crate) kernels: Vec<GraphKernel>,
    /// On a GPU, all kernels.
    pub(crate) functions: Vec<cuda::Function>,
    pub(crate) has_barriers: bool,
}

impl Graph {
    /// Makes a graph of a recording: of its tasks, or of the driver's graph.
    pub(crate) fn new(of: Weak<Streams>, recording: Recording, graph: Option<cuda::Graph>) -> Self {
        let Recording { tasks, kernels, functions, has_barriers } = recording;
        let work = match graph {
            Some(graph) => GraphWork::Gpu { graph, _functions: functions },
            None => GraphWork::Host(HostGraph { tasks, ..HostGraph::default() }),
        };
        Self { kernels, has_barriers, work, of }
    }

    pub(crate) fn is_of(&self, streams: &Arc<Streams>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(streams))
    }

    /// Launches the recorded work on a stream of the world in which it was recorded; returns at once. It runs after the
    /// stream's earlier work, and its calls run in the order of the capture.
    ///
    /// Launches of one graph run one after another, also on different streams. If barriers over all PEs were recorded, a
    /// launch counts as one barrier on streams: its work starts after the last barrier enqueued on any stream has ended,
    /// and the next barrier enqueued on any stream starts after all of its work. Every PE launches such graphs in the
    /// same order among its barriers on streams.
    ///
    /// # Errors
    /// Graph or stream is of another world, the stream is being captured, an earlier kernel has reported a fault, or the
    /// launch failed.
    pub fn launch(&self, world: &World, stream: &Stream) -> Result<()> {
        world.launch_graph(self, stream)
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
    /// (both named), or the graph is of another world.
    pub fn set_args(&mut self, world: &World, index: usize, args: impl KernelArgs) -> Result<()> {
        world.set_graph_args(self, index, args)
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
                let path = temporary();
                graph.write_dot(&path)?;
                let text = std::fs::read_to_string(&path).map_err(|error| {
                    Error::new(ErrorKind::System, format!("read the description of a graph in {}", path.display()))
                        .call("read", error.raw_os_error().unwrap_or(0).into(), error.to_string())
                });
                let _ = std::fs::remove_file(&path);
                text
            }
        }
    }
}

/// Returns the name of a file that no other call uses.
fn temporary() -> PathBuf {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("oxshmem-graph-{}-{number}.dot", std::process::id()))
}

impl HostGraph {
    /// Enqueues all tasks as one. With a ticket, they run when its turn has come.
    pub(crate) fn launch(&self, stream: &Stream, among_barriers: Option<Ticket>) -> Result<()> {
        // The locked data is consistent at any time.
        let mut launches = self.launches.lock().unwrap_or_else(PoisonError::into_inner);
        let own = Ticket { turns: self.turns.clone(), number: *launches };
        let tasks: Vec<Task> = self.tasks.iter().map(|named| named.task.clone()).collect();
        stream.enqueue(
            "graph",
            Arc::new(move |_| {
                let _turn_among_barriers = among_barriers.as_ref().map(Ticket::wait);
                let _turn_of_this_graph = own.wait();
                tasks.iter().try_for_each(|task| task(own.number))
            }),
        )?;
        *launches += 1;
        Ok(())
    }

    fn dot(&self) -> String {
        let mut text = String::from("digraph graph_of_host_tasks {\n");
        for (i, NamedTask { name, .. }) in self.tasks.iter().enumerate() {
            text += &format!("  n{i} [label=\"{name}\"];\n");
            if i > 0 {
                text += &format!("  n{} -> n{i};\n", i - 1);
            }
        }
        text + "}\n"
    }
}

impl fmt::Debug for NamedTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamedTask").field(&self.name).finish()
    }
}

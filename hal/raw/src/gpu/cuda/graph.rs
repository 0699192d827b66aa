//! Captures of streams, and the graphs that they leave.

use core::ffi::{c_uint, c_void};
use core::marker::PhantomData;
use core::{fmt, ptr};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cudarc::driver::sys::{CUDA_KERNEL_NODE_PARAMS_v2, CUgraph, CUgraphExec, CUgraphNode};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::captures;
use super::context::Context;
use super::module::Function;
use super::stream::Stream;

/// `CU_STREAM_CAPTURE_MODE_RELAXED` of `cuda.h`.
///
/// The capturing thread may go on to use other streams and to look up kernels, whose descriptions are copied from the
/// device. The other modes refuse every synchronous call of this thread, or of all; the library itself refuses calls
/// that can't be part of a graph.
const RELAXED: c_uint = 2;

/// `CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE` of `cuda.h`.
const VERBOSE: c_uint = 1;

/// A stream whose calls become nodes of a graph until this value ends the capture. Dropping it discards the nodes.
#[derive(Debug)]
pub struct BegunCapture<'s> {
    stream: &'s Stream,
    ended: bool,
    _entry: captures::CapturingThread,
    /// A capture ends on the thread that began it.
    thread: PhantomData<*mut ()>,
}

/// A kernel that was launched on a stream in a capture: a node of its graph.
///
/// The node belongs to the graph of that capture, to which alone it may be passed.
pub struct CapturedKernel {
    node: CUgraphNode,
    /// Keeps the kernel's module loaded.
    function: Function,
}

/// A graph of a stream's work, ready to be launched any number of times.
pub struct Graph {
    context: Context,
    raw: CUgraph,
    exec: CUgraphExec,
}

// SAFETY: the pointers only name the graph, and the driver's functions accept them from any thread. The driver does not
// lock a graph; the functions here that change one take `&mut self`.
unsafe impl Send for Graph {}
// SAFETY: as for `Send`; shared references only print the graph and launch it, and the driver serialises its launches.
unsafe impl Sync for Graph {}
// SAFETY: the pointer only names the node.
unsafe impl Send for CapturedKernel {}
// SAFETY: as for `Send`; besides, no field changes after construction.
unsafe impl Sync for CapturedKernel {}

impl Stream {
    /// Begins to capture this stream: its work becomes nodes of a graph and does not run.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if it is being captured already, or is the context's default stream.
    pub fn begin_capture(&self) -> Result<BegunCapture<'_>> {
        let action = || format!("capture a stream of {}", self.context().device());
        if self.is_capturing()? {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("it is being captured already"));
        }
        let _current = self.context().enter()?;
        let entry = captures::CapturingThread::new();
        // SAFETY: `self` keeps the stream alive.
        unsafe { self.context().driver().cuStreamBeginCapture_v2(self.raw_stream(), RELAXED) }.or_cannot(action)?;
        Ok(BegunCapture { stream: self, ended: false, _entry: entry, thread: PhantomData })
    }

    /// Returns the kernel that was launched last on this stream, which is being captured.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if the capture has failed, or its last work is not one kernel.
    pub fn last_captured(&self, function: &Function) -> Result<CapturedKernel> {
        let action = || format!("find kernel `{}` in a capture on {}", function.name(), self.context().device());
        let _current = self.context().enter()?;
        let (mut status, mut count, mut last) = (0, 0, ptr::null());
        let (no_id, no_graph) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `self` keeps the stream alive. Three are valid out pointers, and the other two may be null.
        unsafe {
            self.context().driver().cuStreamGetCaptureInfo_v2(
                self.raw_stream(),
                &mut status,
                no_id,
                no_graph,
                &mut last,
                &mut count,
            )
        }
        .or_cannot(action)?;
        if count != 1 || last.is_null() {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the capture ends in {count} nodes, where one is expected")));
        }
        // SAFETY: the driver returned the address of `count` nodes, valid until the next call on the stream.
        let node = unsafe { *last };
        Ok(CapturedKernel { node, function: function.clone() })
    }
}

impl BegunCapture<'_> {
    /// Ends the capture and makes its graph ready for launches.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if a call during the capture was not allowed in it, or another stream that was captured with
    /// this one was not joined; `Exhausted` if memory is used up.
    pub fn end(mut self) -> Result<Graph> {
        self.ended = true;
        let context = self.stream.context().clone();
        let raw = self.close()?;
        let mut graph = Graph { context, raw, exec: ptr::null_mut() };
        let _current = graph.context.enter()?;
        // SAFETY: `exec` is a valid out pointer, the graph is alive, and no flag is set.
        unsafe { graph.context.driver().cuGraphInstantiateWithFlags(&mut graph.exec, raw, 0) }
            .or_cannot(|| format!("make a captured graph ready on {}", graph.context.device()))?;
        drop(_current);
        Ok(graph)
    }

    fn close(&self) -> Result<CUgraph> {
        let context = self.stream.context();
        let _current = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid out pointer, and the stream is alive. This thread began the capture, because `self`
        // is not `Send`.
        unsafe { context.driver().cuStreamEndCapture(self.stream.raw_stream(), &mut raw) }
            .or_cannot(|| format!("end the capture of a stream of {}", context.device()))?;
        Ok(raw)
    }
}

impl Drop for BegunCapture<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // The capture has failed for a reason that the caller knows.
        if let Ok(raw) = self.close() {
            drop(Graph { context: self.stream.context().clone(), raw, exec: ptr::null_mut() });
        }
    }
}

impl Graph {
    /// Launches the graph on a stream of its context, after the stream's work so far. Launches of one graph run one
    /// after another, also on different streams.
    ///
    /// # Errors
    ///
    /// Also those of earlier work.
    ///
    /// # Safety
    ///
    /// - **kernels**: the memory that the nodes use is mapped until they have run, their modules are loaded, and their
    ///   writes race with no other access.
    pub unsafe fn launch(&self, stream: &Stream) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: graph and stream are alive; **kernels** by the caller.
        unsafe { self.context.driver().cuGraphLaunch(self.exec, stream.raw_stream()) }
            .or_cannot(|| format!("launch a graph on {}", self.context.device()))
    }

    /// Replaces the arguments of a kernel in later launches. `arguments` is as for [`launch`](super::launch).
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if the node is of another graph.
    ///
    /// # Safety
    ///
    /// - **arguments** and **kernel**: as for [`launch`](super::launch).
    /// - **node**: `of` was captured with this graph.
    pub unsafe fn set_arguments(&mut self, of: &CapturedKernel, arguments: &mut [*mut c_void]) -> Result<()> {
        let action = || format!("replace the arguments of kernel `{}` in a graph", of.function.name());
        let _current = self.context.enter()?;
        // SAFETY: the struct consists of numbers and of pointers that may be null.
        let mut params: CUDA_KERNEL_NODE_PARAMS_v2 = unsafe { core::mem::zeroed() };
        // SAFETY: `params` is a valid out pointer; **node** by the caller, and the graph is alive.
        unsafe { self.context.driver().cuGraphKernelNodeGetParams_v2(of.node, &mut params) }.or_cannot(action)?;
        (params.kernelParams, params.extra) = (arguments.as_mut_ptr(), ptr::null_mut());
        // SAFETY: all parameters but the arguments are as captured; **arguments**, **kernel** and **node** by the
        // caller.
        unsafe { self.context.driver().cuGraphExecKernelNodeSetParams_v2(self.exec, of.node, &params) }
            .or_cannot(action)
    }

    /// Writes a description of the graph's nodes, as captured, to a file: in the language of Graphviz, `dot`.
    ///
    /// # Errors
    ///
    /// The file can't be written.
    pub fn write_dot(&self, path: &Path) -> Result<()> {
        let action = || format!("describe a graph in {}", path.display());
        let name = CString::new(path.as_os_str().as_bytes())
            .map_err(|_| Error::new(ErrorKind::InvalidArgument, action()).because("the path has a NUL in it"))?;
        let _current = self.context.enter()?;
        // SAFETY: the graph is alive, and `name` is a C string.
        unsafe { self.context.driver().cuGraphDebugDotPrint(self.raw, name.as_ptr(), VERBOSE) }.or_cannot(action)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let _current = self.context.enter();
        if !self.exec.is_null() {
            // SAFETY: this value alone owns it. Launches that have begun are completed.
            unsafe { self.context.driver().cuGraphExecDestroy(self.exec) }.ignore();
        }
        if !self.raw.is_null() {
            // SAFETY: this value alone owns the graph.
            unsafe { self.context.driver().cuGraphDestroy(self.raw) }.ignore();
        }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({:p} on {})", self.raw, self.context.device())
    }
}

impl fmt::Debug for CapturedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CapturedKernel({})", self.function.name())
    }
}

//! The calls of a capture: those of the captured stream, and of streams that join it by events.
//!
//! A stream joins when it waits for an event that was recorded in the capture. Calls of one stream run one after
//! another; those of two streams only where an event orders them.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;

use crate::launch::Launch;
use crate::module::Kernel;

/// Work of a host thread, which takes the number of its run: 0, or in a graph the number of the launch.
pub(crate) type Task = Arc<dyn Fn(u64) -> Result<()> + Send + Sync>;

/// The calls of a capture so far.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// On host threads, the tasks in the order of the calls.
    pub(crate) tasks: Vec<NamedTask>,
    /// The kernels that the program launched, in order.
    pub(crate) kernels: Vec<GraphKernel>,
    /// On a GPU, all kernels.
    pub(crate) functions: Vec<cuda::Function>,
    pub(crate) has_barriers: bool,
    /// The end of the last barrier over all PEs, for which the next one waits, also on another stream.
    pub(crate) last_barrier: Option<CapturedPoint>,
    /// The places of the streams that take part, the captured one first.
    streams: Vec<Weak<CaptureSlot>>,
}

/// A task with the name of its kernel or call.
#[derive(Clone)]
pub(crate) struct NamedTask {
    pub(crate) name: String,
    pub(crate) task: Task,
    /// The number of its stream among those of the capture.
    pub(crate) stream: usize,
    /// The earlier tasks of other streams that it follows, by index.
    pub(crate) after: Vec<usize>,
}

impl fmt::Debug for NamedTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamedTask").field(&self.name).finish()
    }
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

/// The part of a stream in a capture; `None` while it takes part in none.
pub(crate) type CaptureSlot = Mutex<Option<CapturedStream>>;

/// A stream in a capture.
#[derive(Debug)]
pub(crate) struct CapturedStream {
    recording: Arc<Mutex<Recording>>,
    number: usize,
    /// Tasks of other streams that the next one of this stream follows.
    after: Vec<usize>,
    /// The last task of this stream.
    last: Option<usize>,
}

/// A point of a stream in a capture, which an event marks.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    recording: Weak<Mutex<Recording>>,
    /// The tasks before the point that no other one of them follows.
    tasks: Vec<usize>,
}

/// The end of a captured call, for which other streams of the capture wait.
#[derive(Debug)]
pub(crate) struct CapturedPoint {
    pub(crate) mark: Mark,
    /// On a GPU, the driver's event.
    pub(crate) event: Option<cuda::Event>,
}

/// A capture, which ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Capture(Arc<Mutex<Recording>>);

impl Capture {
    /// Begins a capture of the stream with this slot.
    pub(crate) fn begin(slot: &Arc<CaptureSlot>) -> Result<Self> {
        let mut captured = lock(slot);
        if captured.is_some() {
            return Err(Error::new(ErrorKind::InvalidArgument, "capture a stream into a graph")
                .because("it is being captured already"));
        }
        let recording = Arc::new(Mutex::new(Recording { streams: vec![Arc::downgrade(slot)], ..Recording::default() }));
        *captured = Some(CapturedStream { recording: recording.clone(), number: 0, after: Vec::new(), last: None });
        Ok(Self(recording))
    }

    /// Ends the capture and returns its calls.
    ///
    /// # Errors
    /// A stream has joined whose last call the captured stream does not follow.
    pub(crate) fn end(self) -> Result<Recording> {
        let streams: Vec<_> = lock(&self.0).streams.iter().map(Weak::upgrade).collect();
        let points = |captured: &Option<Arc<CaptureSlot>>| {
            captured.as_ref().and_then(|slot| lock(slot).as_ref().map(CapturedStream::tasks)).unwrap_or_default()
        };
        let mut followed = points(&streams[0]);
        let recording = {
            let mut all = lock(&self.0);
            // `drop` needs the streams.
            let streams = std::mem::take(&mut all.streams);
            let recording = std::mem::take(&mut *all);
            all.streams = streams;
            recording
        };
        // A task follows those of smaller indices alone.
        for index in (0..recording.tasks.len()).rev() {
            if followed.contains(&index) {
                let task = &recording.tasks[index];
                let before = recording.tasks[..index].iter().rposition(|earlier| earlier.stream == task.stream);
                followed.extend(task.after.iter().copied().chain(before));
            }
        }
        let last_of = |stream: usize| recording.tasks.iter().rposition(|task| task.stream == stream);
        match (0..streams.len()).filter_map(last_of).find(|last| !followed.contains(last)) {
            None => Ok(recording),
            Some(left) => Err(Error::new(ErrorKind::InvalidArgument, "end the capture of a stream")
                .because(format!(
                    "another stream has joined it, and the captured stream does not follow that stream's last call `{}`",
                    recording.tasks[left].name
                ))
                .hint("record an event on the other stream, and let the captured one wait for it")),
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let streams = std::mem::take(&mut lock(&self.0).streams);
        for slot in streams.iter().filter_map(Weak::upgrade) {
            let mut captured = lock(&slot);
            if captured.as_ref().is_some_and(|captured| Arc::ptr_eq(&captured.recording, &self.0)) {
                *captured = None;
            }
        }
    }
}

impl CapturedStream {
    /// Records a task.
    pub(crate) fn add(&mut self, name: &str, task: Task) {
        let mut recording = lock(&self.recording);
        let after = std::mem::take(&mut self.after);
        self.last = Some(recording.tasks.len());
        recording.tasks.push(NamedTask { name: name.into(), task, stream: self.number, after });
    }

    /// Changes the recording.
    pub(crate) fn note(&self, change: impl FnOnce(&mut Recording) -> Result<()>) -> Result<()> {
        change(&mut lock(&self.recording))
    }

    /// Returns the point after the calls so far.
    pub(crate) fn mark(&self) -> Mark {
        Mark { recording: Arc::downgrade(&self.recording), tasks: self.tasks() }
    }

    /// Returns the tasks that the next one follows directly.
    fn tasks(&self) -> Vec<usize> {
        self.after.iter().copied().chain(self.last).collect()
    }
}

impl Mark {
    /// Lets the stream with this slot follow the point: it joins the capture, unless it takes part already.
    ///
    /// # Errors
    /// The capture has ended, or the stream is in another one.
    pub(crate) fn wait(&self, slot: &Arc<CaptureSlot>) -> Result<()> {
        let refuse = |reason: &str| {
            Err(Error::new(ErrorKind::InvalidArgument, "let a stream wait for an event").because(reason))
        };
        let Some(recording) = self.recording.upgrade() else {
            return refuse("the event was recorded in a capture that has ended");
        };
        let mut captured = lock(slot);
        match &mut *captured {
            Some(captured) if !Arc::ptr_eq(&captured.recording, &recording) => {
                refuse("the stream is in another capture")
            }
            Some(captured) => {
                captured.after.extend(&self.tasks);
                Ok(())
            }
            None => {
                let mut all = lock(&recording);
                let number = all.streams.len();
                all.streams.push(Arc::downgrade(slot));
                drop(all);
                *captured = Some(CapturedStream { recording, number, after: self.tasks.clone(), last: None });
                Ok(())
            }
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The locked data is consistent between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

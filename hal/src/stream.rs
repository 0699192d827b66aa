//! Streams: the kernels of one stream run one after another.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::Memory;

use crate::recording::{Capture, CaptureSlot, CapturedPoint, Mark, Recording, Task, lock};

/// The queue of a stream. Dropping it waits for its work, as the world does before it ends.
#[derive(Debug)]
pub(crate) struct StreamState {
    kind: StreamKind,
    number: u64,
    of: Weak<Streams>,
    /// Its part in a capture.
    capture: Arc<CaptureSlot>,
}

/// The streams of one world, but for those of calls that wait on the host.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    list: Mutex<StreamList>,
    /// Whether other PEs use the same context: those of a world whose PEs are threads.
    context_is_shared: bool,
}

#[derive(Debug, Default)]
struct StreamList {
    /// Streams made so far.
    count: u64,
    progress: Vec<Weak<PendingTasks>>,
    /// The GPU's streams, kept until their work is done.
    on_gpu: Vec<Arc<cuda::Stream>>,
    /// The program's own streams on the GPU, which it may destroy after this world's value of them.
    adopted: Vec<Weak<cuda::Stream>>,
    /// The error of the first task that failed, on any stream, or the driver's error for it.
    failed: Option<Error>,
}

type PendingTasks = (Mutex<Progress>, Condvar);

#[derive(Debug)]
enum StreamKind {
    Host(StreamThread),
    Gpu(Arc<cuda::Stream>),
}

/// A thread of the host that runs grids, one after another.
#[derive(Debug)]
struct StreamThread {
    tasks: Option<Sender<Task>>,
    progress: Arc<PendingTasks>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Progress {
    pending: u64,
}

impl Streams {
    /// Returns a world's empty list of streams.
    pub(crate) fn new(context_is_shared: bool) -> Self {
        Self { context_is_shared, ..Self::default() }
    }

    /// Makes a stream.
    pub(crate) fn make(self: &Arc<Self>, memory: &Memory) -> Result<StreamState> {
        let kind = match memory {
            Memory::Host => {
                let thread = StreamThread::start(Arc::downgrade(self))?;
                let mut made = lock(&self.list);
                made.progress.retain(|stream| stream.strong_count() > 0);
                made.progress.push(Arc::downgrade(&thread.progress));
                StreamKind::Host(thread)
            }
            Memory::Gpu(context) => {
                let stream = Arc::new(cuda::Stream::new(context)?);
                let mut made = lock(&self.list);
                made.on_gpu.retain(|stream| Arc::strong_count(stream) > 1 || !stream.query().unwrap_or(true));
                made.on_gpu.push(stream.clone());
                StreamKind::Gpu(stream)
            }
        };
        Ok(self.add(kind))
    }

    /// Makes a stream that is not listed: no other call of the host waits for its work.
    pub(crate) fn make_unlisted(self: &Arc<Self>, memory: &Memory) -> Result<StreamState> {
        Ok(self.add(match memory {
            Memory::Host => StreamKind::Host(StreamThread::start(Arc::downgrade(self))?),
            Memory::Gpu(context) => StreamKind::Gpu(Arc::new(cuda::Stream::new(context)?)),
        }))
    }

    /// Adds a stream that the program made on the GPU.
    pub(crate) fn adopt(self: &Arc<Self>, stream: cuda::Stream) -> StreamState {
        let stream = Arc::new(stream);
        let mut made = lock(&self.list);
        made.adopted.retain(|stream| stream.strong_count() > 0);
        made.adopted.push(Arc::downgrade(&stream));
        drop(made);
        self.add(StreamKind::Gpu(stream))
    }

    fn add(self: &Arc<Self>, kind: StreamKind) -> StreamState {
        let mut made = lock(&self.list);
        made.count += 1;
        StreamState { kind, number: made.count, of: Arc::downgrade(self), capture: Arc::default() }
    }

    /// Returns whether the stream is one of these.
    pub(crate) fn contains(self: &Arc<Self>, stream: &StreamState) -> bool {
        std::ptr::eq(stream.of.as_ptr(), Arc::as_ptr(self))
    }

    /// Waits for every task of every stream. This ends: each wait of a task has a limit, and a panic ends a task.
    pub(crate) fn drain(&self) {
        let streams: Vec<_> = lock(&self.list).progress.iter().filter_map(Weak::upgrade).collect();
        streams.iter().for_each(|stream| drain(stream));
    }

    /// Waits for all work on a GPU. If other PEs use the context, or other threads of this PE wait in calls
    /// (`others_wait`), this is the work of the listed streams, and in a context of this PE alone of the default stream:
    /// a wait for the context would be one for kernels that may themselves wait for this call.
    ///
    /// # Errors
    /// Also the errors of the work itself.
    pub(crate) fn drain_gpu(&self, context: &cuda::Context, others_wait: bool) -> Result<()> {
        match (self.context_is_shared, others_wait) {
            (false, false) => return context.synchronize(),
            (false, true) => cuda::Stream::default_of(context).synchronize()?,
            (true, _) => {}
        }
        let streams = {
            let list = lock(&self.list);
            list.on_gpu.iter().cloned().chain(list.adopted.iter().filter_map(Weak::upgrade)).collect::<Vec<_>>()
        };
        // A wait for a stream that is being captured would invalidate the capture, whose work does not run.
        streams.iter().try_for_each(|stream| if stream.is_capturing()? { Ok(()) } else { stream.synchronize() })
    }

    /// Records an error after which no kernel can run. The first error is kept.
    pub(crate) fn fail(&self, error: Error) {
        lock(&self.list).failed.get_or_insert(error);
    }

    /// Returns the error of the first task that failed. It is kept, because later tasks would use the failed task's
    /// results.
    pub(crate) fn failed(&self) -> Option<Error> {
        lock(&self.list).failed.clone()
    }
}

impl StreamState {
    /// Returns its number in its world, which no other stream ever has. The driver's handle is no such number, because
    /// the driver reuses it after a stream is dropped.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn gpu(&self) -> Option<&cuda::Stream> {
        match &self.kind {
            StreamKind::Gpu(stream) => Some(stream),
            StreamKind::Host(_) => None,
        }
    }

    /// Enqueues a task for the host thread of this stream, or records it.
    pub(crate) fn enqueue(&self, name: &str, task: Task) -> Result<()> {
        if let Some(captured) = &mut *lock(&self.capture) {
            captured.add(name, task);
            return Ok(());
        }
        match &self.kind {
            StreamKind::Host(thread) => thread.enqueue(task),
            StreamKind::Gpu(_) => unreachable!("a GPU's stream is given kernels, not tasks"),
        }
    }

    /// Records the calls of `record`, on a GPU also into a graph of the driver.
    pub(crate) fn capture(&self, record: impl FnOnce() -> Result<()>) -> Result<(Recording, Option<cuda::Graph>)> {
        // Each ends its part also if `record` fails or panics.
        let captured = Capture::begin(&self.capture)?;
        let begun = self.gpu().map(cuda::Stream::begin_capture).transpose()?;
        record()?;
        let graph = begun.map(cuda::BegunCapture::end).transpose()?;
        Ok((captured.end()?, graph))
    }

    /// Adds to the recording, if the world records a graph on this stream.
    pub(crate) fn note(&self, add: impl FnOnce(&mut Recording) -> Result<()>) -> Result<()> {
        lock(&self.capture).as_ref().map_or(Ok(()), |captured| captured.note(add))
    }

    /// Returns whether the world records a graph on this stream, or on one that it has joined.
    pub(crate) fn is_recorded(&self) -> bool {
        lock(&self.capture).is_some()
    }

    /// Returns the point after the calls so far, if the world records a graph on this stream.
    pub(crate) fn mark(&self) -> Option<Mark> {
        lock(&self.capture).as_ref().map(|captured| captured.mark())
    }

    /// Follows a point of a capture, and joins that capture.
    pub(crate) fn follow(&self, mark: &Mark) -> Result<()> {
        mark.wait(&self.capture)
    }

    /// Returns the point after the calls so far, for streams that wait for it, if the world records a graph on this
    /// stream.
    pub(crate) fn captured_point(&self) -> Result<Option<CapturedPoint>> {
        let Some(mark) = self.mark() else { return Ok(None) };
        let record = |on: &cuda::Stream| {
            let event = cuda::Event::new(on.context())?;
            event.record(on).map(|()| event)
        };
        Ok(Some(CapturedPoint { mark, event: self.gpu().map(record).transpose()? }))
    }

    /// Waits for a point of a capture, and joins that capture.
    pub(crate) fn wait_captured(&self, point: &CapturedPoint) -> Result<()> {
        if let (Some(event), Some(on)) = (&point.event, self.gpu()) {
            on.wait_event(event)?;
        }
        self.follow(&point.mark)
    }

    /// Returns whether its work is captured and does not run: into a graph of the world, or, on a GPU, by the program.
    pub(crate) fn is_captured(&self) -> Result<bool> {
        if self.is_recorded() {
            return Ok(true);
        }
        self.gpu().map_or(Ok(false), cuda::Stream::is_capturing)
    }

    /// Returns whether all work of the stream is done.
    pub(crate) fn is_idle(&self) -> Result<bool> {
        match &self.kind {
            StreamKind::Host(thread) => Ok(lock(&thread.progress.0).pending == 0),
            StreamKind::Gpu(stream) => stream.query(),
        }
    }

    /// Waits for all work of the stream. The world checks for faults and failed tasks.
    pub(crate) fn drain(&self) -> Result<()> {
        match &self.kind {
            StreamKind::Host(thread) => {
                drain(&thread.progress);
                Ok(())
            }
            StreamKind::Gpu(stream) => stream.synchronize(),
        }
    }

    /// Returns the GPU's stream (`CUstream`); null for a host PE's.
    pub(crate) fn raw(&self) -> *mut std::ffi::c_void {
        match &self.kind {
            StreamKind::Host(_) => std::ptr::null_mut(),
            StreamKind::Gpu(stream) => stream.raw(),
        }
    }
}

impl StreamThread {
    fn start(streams: Weak<Streams>) -> Result<Self> {
        let (tasks, given) = channel::<Task>();
        let progress: Arc<PendingTasks> = Arc::default();
        let shared = progress.clone();
        let thread = std::thread::Builder::new()
            .name("oxshmem-stream".into())
            .spawn(move || {
                for task in given {
                    let outcome = task(0);
                    if let (Err(error), Some(streams)) = (outcome, streams.upgrade()) {
                        streams.fail(error);
                    }
                    lock(&shared.0).pending -= 1;
                    shared.1.notify_all();
                }
            })
            .map_err(|e| {
                Error::new(ErrorKind::Exhausted, "start the thread of a stream").call(
                    "clone",
                    e.raw_os_error().unwrap_or(0).into(),
                    e.to_string(),
                )
            })?;
        Ok(Self { tasks: Some(tasks), progress, thread: Some(thread) })
    }

    fn enqueue(&self, task: Task) -> Result<()> {
        lock(&self.progress.0).pending += 1;
        let sent = self.tasks.as_ref().is_some_and(|tasks| tasks.send(task).is_ok());
        if sent {
            return Ok(());
        }
        lock(&self.progress.0).pending -= 1;
        Err(Error::new(ErrorKind::System, "launch on a stream").because("its thread has ended"))
    }
}

impl Drop for StreamThread {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn drain(stream: &PendingTasks) {
    let mut now = lock(&stream.0);
    while now.pending > 0 {
        now = stream.1.wait(now).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_of_any_stream_stays() {
        let streams: Arc<Streams> = Arc::default();
        let stream = streams.make(&Memory::Host).unwrap();
        assert!(streams.failed().is_none());
        stream.enqueue("fail", Arc::new(|_| Err(Error::new(ErrorKind::System, "run the first")))).unwrap();
        stream.drain().unwrap();
        streams.fail(Error::new(ErrorKind::System, "run the second"));
        assert_eq!(streams.failed().unwrap().to_string(), "cannot run the first");
    }
}

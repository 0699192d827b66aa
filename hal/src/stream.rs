//! Streams: kernels of one stream run one after the other.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::cuda;
use oxshmem_raw::memory::Memory;

type Job = Box<dyn FnOnce() -> Result<()> + Send>;

/// An order of kernels on a PE's machine. Kernels of different streams may run at the same time.
///
/// Dropped, it waits for what it was given.
#[derive(Debug)]
pub struct Stream(Kind);

#[derive(Debug)]
enum Kind {
    Host(Worker),
    Gpu(cuda::Stream),
}

/// A thread of the host that runs grids, one after the other.
#[derive(Debug)]
struct Worker {
    jobs: Option<Sender<Job>>,
    progress: Arc<(Mutex<Progress>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Progress {
    pending: u64,
    first_error: Option<Error>,
}

impl Stream {
    pub(crate) fn new(memory: &Memory) -> Result<Self> {
        Ok(Self(match memory {
            Memory::Host => Kind::Host(Worker::start()?),
            Memory::Gpu(context) => Kind::Gpu(cuda::Stream::new(context)?),
        }))
    }

    pub(crate) fn gpu(&self) -> Option<&cuda::Stream> {
        match &self.0 {
            Kind::Gpu(stream) => Some(stream),
            Kind::Host(_) => None,
        }
    }

    /// Has the host thread of this stream do a job after those before.
    pub(crate) fn enqueue(&self, job: Job) -> Result<()> {
        match &self.0 {
            Kind::Host(worker) => worker.enqueue(job),
            Kind::Gpu(_) => unreachable!("a GPU's stream is given kernels, not jobs"),
        }
    }

    /// Waits for everything that the stream was given. Faults are the world's to look for.
    pub(crate) fn drain(&self) -> Result<()> {
        match &self.0 {
            Kind::Host(worker) => worker.drain(),
            Kind::Gpu(stream) => stream.synchronize(),
        }
    }

    /// The GPU's stream (`CUstream`), for work of the program's own; null for a host PE's.
    pub fn raw(&self) -> *mut std::ffi::c_void {
        match &self.0 {
            Kind::Host(_) => std::ptr::null_mut(),
            Kind::Gpu(stream) => stream.raw(),
        }
    }
}

impl Worker {
    fn start() -> Result<Self> {
        let (jobs, given) = channel::<Job>();
        let progress: Arc<(Mutex<Progress>, Condvar)> = Arc::default();
        let shared = progress.clone();
        let thread = std::thread::Builder::new()
            .name("oxshmem-stream".into())
            .spawn(move || {
                for job in given {
                    let outcome = job();
                    let mut now = lock(&shared.0);
                    now.pending -= 1;
                    if let Err(error) = outcome {
                        now.first_error.get_or_insert(error);
                    }
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
        Ok(Self { jobs: Some(jobs), progress, thread: Some(thread) })
    }

    fn enqueue(&self, job: Job) -> Result<()> {
        lock(&self.progress.0).pending += 1;
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        if sent {
            return Ok(());
        }
        lock(&self.progress.0).pending -= 1;
        Err(Error::new(ErrorKind::System, "launch on a stream").because("its thread has ended"))
    }

    /// Every job's waits have limits, and a job that panics is an error: this ends.
    fn drain(&self) -> Result<()> {
        let mut now = lock(&self.progress.0);
        while now.pending > 0 {
            now = self.progress.1.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
        now.first_error.take().map_or(Ok(()), Err)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    // Counts are whole between any two statements.
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

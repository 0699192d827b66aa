//! The handle of a progress thread: starts it, gives it queues, wakes it and stops it.

use std::os::unix::thread::JoinHandleExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::hca::Handle;

use crate::host::counters::{QueueCounts, RingCounts};
use crate::host::progress::backoff::sleep_precisely;
use crate::host::progress::thread::{Command, ProgressParts, ProgressThread};
use crate::host::progress::waker::Waker;
use crate::host::send_queue::SendQueueParams;
use crate::host::setup::cores::stay_on;

/// The channel for commands to a progress thread, which any thread may use.
#[derive(Debug)]
pub(in crate::host) struct Commands {
    commands: Mutex<Sender<Command>>,
    has_commands: Arc<AtomicBool>,
    waker: Arc<Waker>,
    thread: Thread,
}

impl Commands {
    /// Sends a command and wakes the thread.
    ///
    /// # Errors
    /// `Fault`: the thread has ended.
    pub(in crate::host) fn send(&self, command: Command) -> Result<()> {
        let sent = self.commands.lock().unwrap_or_else(PoisonError::into_inner).send(command);
        self.has_commands.store(true, Ordering::Release);
        self.waker.wake(&self.thread);
        sent.map_err(|_| Error::new(ErrorKind::Fault, "ask a proxy thread").because("it is gone"))
    }
}

/// A proxy: the handle of a progress thread.
#[derive(Debug)]
pub(in crate::host) struct Proxy {
    commands: Arc<Commands>,
    /// Counters of its rings: that of kernels, and that of this process.
    pub(in crate::host) rings: Vec<Arc<RingCounts>>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts the thread.
    ///
    /// # Errors
    /// `Exhausted`: the system has no thread for it.
    pub(in crate::host) fn start(name: String, parts: ProgressParts) -> Result<Self> {
        let (sender, commands) = channel();
        let has_commands = Arc::new(AtomicBool::new(false));
        let waker = Arc::new(Waker::default());
        let rings: Vec<Arc<RingCounts>> = parts.rings.iter().map(|_| Arc::default()).collect();
        let mut work = ProgressThread::new(parts, commands, has_commands.clone(), waker.clone(), rings.clone());
        let body = move || {
            sleep_precisely();
            if let Some(cores) = &work.parts.cores {
                stay_on(cores);
            }
            if catch_unwind(AssertUnwindSafe(|| work.run())).is_err() {
                // If this fails too, `end` still announces in the rings that the thread has ended.
                let _ = catch_unwind(AssertUnwindSafe(|| work.abandon()));
                work.end();
            }
        };
        let thread = thread::Builder::new().name(name.clone()).spawn(body).map_err(|error| {
            Error::new(ErrorKind::Exhausted, format!("start the thread {name}")).because(error.to_string())
        })?;
        let commands = Commands { commands: Mutex::new(sender), has_commands, waker, thread: thread.thread().clone() };
        Ok(Self { commands: Arc::new(commands), rings, thread: Some(thread) })
    }

    /// Returns the channel for commands to the thread.
    pub(in crate::host) fn commands(&self) -> Arc<Commands> {
        self.commands.clone()
    }

    /// Wakes the thread, which then polls for a while.
    pub(in crate::host) fn wake(&self) {
        self.commands.waker.wake(&self.commands.thread);
    }

    /// Returns the processor time of the thread.
    pub(in crate::host) fn time(&self) -> Duration {
        let Some(thread) = &self.thread else { return Duration::ZERO };
        let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
        // SAFETY: the thread is not joined yet, so its handle is valid; `clock` is live, and written by the call alone.
        let known = unsafe { libc::pthread_getcpuclockid(thread.as_pthread_t(), &mut clock) } == 0
            // SAFETY: the clock was just returned; `time` is live, and written by the call alone.
            && unsafe { libc::clock_gettime(clock, &mut time) } == 0;
        if known { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) } else { Duration::ZERO }
    }

    /// Serves more queues, whose completions come to `cq`.
    ///
    /// # Errors
    /// `Fault`: the thread has ended.
    pub(in crate::host) fn add(&self, cq: Handle, queues: Vec<(SendQueueParams, Arc<QueueCounts>)>) -> Result<()> {
        self.commands.send(Command::Add(cq, queues))
    }

    /// Stops serving these queues. After it returns, the thread accesses none of them.
    ///
    /// # Errors
    /// `Fault`: the thread has ended, and accesses no queue either.
    pub(in crate::host) fn remove(&self, numbers: Vec<u32>) -> Result<()> {
        let (done, wait) = channel();
        self.commands.send(Command::Remove(numbers, done))?;
        wait.recv().map_err(|_| Error::new(ErrorKind::Fault, "ask a proxy thread").because("it is gone"))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // A thread that has ended needs no command.
        let _ = self.commands.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

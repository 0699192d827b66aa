//! A thread that works for kernels in turn: it rings doorbells and copies completions.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};

/// Rounds without work after which the thread yields, and after which it sleeps between rounds.
const YIELD_AFTER: u32 = 1 << 10;
const SLEEP_AFTER: u32 = 1 << 14;
const SLEEP: Duration = Duration::from_micros(20);

/// The work for one queue.
pub(in crate::host) trait Duty: Send + fmt::Debug {
    /// Does the work that has come up, and returns whether there was any.
    fn look(&mut self) -> bool;
}

/// The thread. It starts with its first duty and ends when this is dropped.
#[derive(Debug, Default)]
pub(in crate::host) struct ServiceThread {
    shared: Arc<ThreadState>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct ThreadState {
    duties: Mutex<Duties>,
    changed: Condvar,
    stop: AtomicBool,
}

#[derive(Debug, Default)]
struct Duties {
    next: u64,
    list: Vec<(u64, Box<dyn Duty>)>,
}

/// Keeps a duty alive: once this is dropped, the thread does not call the duty again.
#[derive(Debug)]
pub(in crate::host) struct DutyGuard {
    shared: Arc<ThreadState>,
    number: u64,
}

impl ServiceThread {
    /// Adds a duty.
    ///
    /// # Errors
    /// The thread can't be started.
    pub(in crate::host) fn add(&mut self, duty: Box<dyn Duty>) -> Result<DutyGuard> {
        if self.thread.is_none() {
            let state = self.shared.clone();
            let started = std::thread::Builder::new().name("oxshmem-nic".into()).spawn(move || state.run());
            self.thread = Some(started.map_err(|error| {
                let code = error.raw_os_error().unwrap_or(0).into();
                Error::new(ErrorKind::System, "start the thread that helps kernels with the NIC").call(
                    "clone",
                    code,
                    error.to_string(),
                )
            })?);
        }
        let mut duties = self.shared.lock();
        let number = duties.next;
        duties.next += 1;
        duties.list.push((number, duty));
        drop(duties);
        self.shared.changed.notify_one();
        Ok(DutyGuard { shared: self.shared.clone(), number })
    }
}

impl Drop for DutyGuard {
    fn drop(&mut self) {
        // The thread holds the lock while it calls duties, so that no call is in progress once the duty is removed.
        self.shared.lock().list.retain(|(number, _)| *number != self.number);
    }
}

impl Drop for ServiceThread {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        drop(self.shared.lock());
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl ThreadState {
    fn lock(&self) -> MutexGuard<'_, Duties> {
        // No call leaves the list half changed, so that a panic of another thread does not matter.
        self.duties.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut idle = 0u32;
        while !self.stop.load(Ordering::Acquire) {
            let mut duties = self.lock();
            if duties.list.is_empty() && !self.stop.load(Ordering::Acquire) {
                // Each new duty and the end notify this. The lock is held from the check of both on, so that no notice
                // is lost.
                drop(self.changed.wait(duties).unwrap_or_else(PoisonError::into_inner));
                continue;
            }
            let done = duties.list.iter_mut().filter_map(|(_, duty)| duty.look().then_some(())).count();
            drop(duties);
            idle = if done > 0 { 0 } else { idle.saturating_add(1) };
            if idle < YIELD_AFTER {
                std::hint::spin_loop();
            } else if idle < SLEEP_AFTER {
                std::thread::yield_now();
            } else {
                std::thread::sleep(SLEEP);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_with_nothing_to_do_ends_too() {
        drop(ServiceThread::default());
        #[derive(Debug)]
        struct Nothing;
        impl Duty for Nothing {
            fn look(&mut self) -> bool {
                false
            }
        }
        let mut helper = ServiceThread::default();
        drop(helper.add(Box::new(Nothing)).unwrap());
        drop(helper);
    }
}

//! Stops a run early: after a time limit, or on a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The reasons to stop a run early.
pub(crate) struct Clock {
    end: Option<(Instant, Duration)>,
    signal: Arc<AtomicUsize>,
    registered: Vec<signal_hook::SigId>,
}

impl Clock {
    /// Starts a run with this time limit, which a signal stops.
    pub(crate) fn start(limit: Option<Duration>) -> Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        let mut registered = Vec::new();
        for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let id = signal_hook::flag::register_usize(number, signal.clone(), number as usize);
            registered.push(id.with_context(|| format!("cannot listen for signal {number}"))?);
        }
        Ok(Self { end: limit.map(|limit| (Instant::now() + limit, limit)), signal, registered })
    }

    /// Returns the signal that asked to stop, if any.
    pub(crate) fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::Relaxed) as i32).filter(|signal| *signal != 0)
    }

    /// Returns the reason to stop, if there is one.
    pub(crate) fn over(&self) -> Option<String> {
        if let Some(signal) = self.signal() {
            return Some(format!("signal {signal} asked to stop"));
        }
        let (_, limit) = self.end.filter(|(end, _)| Instant::now() >= *end)?;
        Some(format!("the limit of {} s was reached", limit.as_secs()))
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

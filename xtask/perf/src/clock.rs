//! When to stop before the end: the time is up, or a signal asks for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Says when a run is to stop.
pub(crate) struct Clock {
    end: Option<(Instant, Duration)>,
    signal: Arc<AtomicUsize>,
    registered: Vec<signal_hook::SigId>,
}

impl Clock {
    /// A run that may take so long, and that a signal stops.
    pub(crate) fn start(limit: Option<Duration>) -> Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        let mut registered = Vec::new();
        for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let id = signal_hook::flag::register_usize(number, signal.clone(), number as usize);
            registered.push(id.with_context(|| format!("cannot listen for signal {number}"))?);
        }
        Ok(Self { end: limit.map(|limit| (Instant::now() + limit, limit)), signal, registered })
    }

    /// The signal that asked to stop, if one did.
    pub(crate) fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::Relaxed) as i32).filter(|signal| *signal != 0)
    }

    /// Why to stop, if so.
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

//! When to stop before the end: the time is up, or a signal asks for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Says when a run is to stop.
pub(crate) struct Clock {
    end: Option<(Instant, Duration)>,
    signal: Arc<AtomicUsize>,
}

impl Clock {
    /// A run that may take so long, and that a signal stops.
    pub(crate) fn start(limit: Option<Duration>) -> Result<Self> {
        let signal = Arc::new(AtomicUsize::new(0));
        for number in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            signal_hook::flag::register_usize(number, signal.clone(), number as usize)
                .with_context(|| format!("cannot listen for signal {number}"))?;
        }
        Ok(Self { end: limit.map(|limit| (Instant::now() + limit, limit)), signal })
    }

    /// Why to stop, if so.
    pub(crate) fn over(&self) -> Option<String> {
        match (self.signal.load(Ordering::Relaxed), self.end) {
            (0, Some((end, limit))) if Instant::now() >= end => {
                Some(format!("the limit of {} s was reached", limit.as_secs()))
            }
            (0, _) => None,
            (signal, _) => Some(format!("stopped by signal {signal}")),
        }
    }
}

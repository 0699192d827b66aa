//! Stops a run early: after a time limit, or on a signal.

use std::time::{Duration, Instant};

use anyhow::Result;
use xtask::run::Signals;

/// The reasons to stop a run early.
pub(crate) struct Clock {
    end: Option<(Instant, Duration)>,
    signals: Signals,
}

impl Clock {
    /// Starts a run with this time limit, which a signal stops.
    pub(crate) fn start(limit: Option<Duration>) -> Result<Self> {
        Ok(Self { end: limit.map(|limit| (Instant::now() + limit, limit)), signals: Signals::listen()? })
    }

    /// Returns the signal that asked to stop, if any.
    pub(crate) fn signal(&self) -> Option<i32> {
        self.signals.seen()
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

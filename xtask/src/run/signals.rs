//! The signals that ask this program to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};

/// The signals that ask this program to stop, as long as it lives.
pub struct Signals {
    last: Arc<AtomicUsize>,
    registered: Vec<signal_hook::SigId>,
}

impl Signals {
    /// Listens from now on.
    pub fn listen() -> Result<Self> {
        let mut signals = Self { last: Arc::default(), registered: Vec::new() };
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            let id = signal_hook::flag::register_usize(signal, signals.last.clone(), signal as usize);
            signals.registered.push(id.with_context(|| format!("cannot listen for {}", name_of(signal)))?);
        }
        Ok(signals)
    }

    /// Returns the last signal, if any came.
    pub fn seen(&self) -> Option<i32> {
        Some(self.last.load(Ordering::Relaxed) as i32).filter(|signal| *signal != 0)
    }

    /// Returns the last signal since the last call.
    pub(super) fn take(&self) -> Option<i32> {
        Some(self.last.swap(0, Ordering::Relaxed) as i32).filter(|signal| *signal != 0)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Returns the name of a signal.
pub(super) fn name_of(signal: i32) -> &'static str {
    match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGTERM => "SIGTERM",
        _ => "see signal(7)",
    }
}

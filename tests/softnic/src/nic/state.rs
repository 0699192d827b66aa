//! The state of a queue pair, shared by all parts that use it.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// States, as the QP context encodes them.
pub(crate) const RESET: u8 = 0;
pub(crate) const INIT: u8 = 1;
pub(crate) const RTR: u8 = 2;
pub(crate) const RTS: u8 = 3;
pub(crate) const ERR: u8 = 6;

/// Returns the name of a state.
pub(crate) fn name(state: u8) -> &'static str {
    match state {
        RESET => "RESET",
        INIT => "INIT",
        RTR => "RTR",
        RTS => "RTS",
        ERR => "ERR",
        _ => "no state",
    }
}

/// A function that is called for an event.
pub(crate) type Sink = Box<dyn Fn() + Send + Sync>;

/// The state of a queue pair. Commands and errors change it.
#[derive(Default)]
pub(crate) struct QpState {
    state: AtomicU8,
    /// Called when it comes into error.
    on_error: OnceLock<Sink>,
}

impl fmt::Debug for QpState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name(self.get()))
    }
}

impl QpState {
    pub(crate) fn get(&self) -> u8 {
        self.state.load(Ordering::Acquire)
    }

    pub(crate) fn set(&self, state: u8) {
        self.state.store(state, Ordering::Release);
    }

    /// Moves a working queue pair to the error state.
    pub(crate) fn fail(&self) {
        let works = |state| (state != RESET && state != ERR).then_some(ERR);
        if self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, works).is_ok()
            && let Some(sink) = self.on_error.get()
        {
            sink();
        }
    }

    /// Calls a function each time that it comes into error. Only the first call has an effect.
    pub(crate) fn on_error(&self, sink: Sink) {
        let _ = self.on_error.set(sink);
    }

    /// Reports whether requests to it are answered.
    pub(crate) fn responds(&self) -> bool {
        matches!(self.get(), RTR | RTS)
    }
}

//! The state of a queue pair, shared by all parts that use it.

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

/// The state of a queue pair. Commands and errors change it.
#[derive(Debug, Default)]
pub(crate) struct QpState(AtomicU8);

impl QpState {
    pub(crate) fn get(&self) -> u8 {
        self.0.load(Ordering::Acquire)
    }

    pub(crate) fn set(&self, state: u8) {
        self.0.store(state, Ordering::Release);
    }

    /// Moves a working queue pair to the error state.
    pub(crate) fn fail(&self) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| (state != RESET).then_some(ERR));
    }

    /// Reports whether requests to it are answered.
    pub(crate) fn responds(&self) -> bool {
        matches!(self.get(), RTR | RTS)
    }
}

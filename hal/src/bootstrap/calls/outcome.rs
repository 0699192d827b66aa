//! The outcome of an exchange beside the collective calls: each PE's own, and the agreement of all PEs on it.

use std::io;

use oxshmem_core::{Error, ErrorKind, Pe, Result};

use super::Calls;
use crate::bootstrap::connection::Deadline;
use crate::bootstrap::frame::{Op, action, text_of};

/// A failed step of the exchange on this PE.
pub(in crate::bootstrap) struct ExchangeError {
    /// It is a consequence of another PE's failure.
    pub is_consequence: bool,
    pub kind: ErrorKind,
    pub text: String,
}

/// Agrees with all PEs on whether the exchange succeeded on each.
pub(in crate::bootstrap) fn agree_on_outcome<T>(
    calls: &Calls,
    op: Op,
    step: &str,
    received: Result<T, ExchangeError>,
) -> Result<T> {
    let report = match &received {
        Ok(_) => Vec::new(),
        // The PE that failed first reports the cause.
        Err(failed) if failed.is_consequence => failed.text.as_bytes().to_vec(),
        Err(_) => return received.or_else(|failed| failed.refuse(calls, op, step)),
    };
    let all = calls.call(op, step, &report)?;
    match (0..).zip(&all).find(|(_, report)| !report.is_empty()) {
        None => received.map_err(|failed| failed.error(op, step, calls.pe)),
        Some((pe, report)) => Err(ExchangeError::new(ErrorKind::Timeout, text_of(report)).error(op, step, Pe::new(pe))),
    }
}

impl ExchangeError {
    pub(in crate::bootstrap) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { is_consequence: matches!(kind, ErrorKind::Timeout | ErrorKind::PeerDied), kind, text: text.into() }
    }

    /// The failure of `pe` made this PE fail.
    pub(in crate::bootstrap) fn because_of(pe: u32) -> Self {
        Self { is_consequence: true, kind: ErrorKind::System, text: format!("PE {pe} offered none") }
    }

    fn message(&self, op: Op, pe: Pe) -> String {
        format!("{pe} could not pass {}: {}", op.name(), self.text)
    }

    pub(in crate::bootstrap) fn error(&self, op: Op, step: &str, pe: Pe) -> Error {
        Error::new(self.kind, action(op, step)).because(self.message(op, pe)).about(pe)
    }

    /// Makes the call fail on all PEs for this reason.
    pub(in crate::bootstrap) fn refuse<T>(&self, calls: &Calls, op: Op, step: &str) -> Result<T> {
        calls.refuse(op, step, self.kind, &self.message(op, calls.pe))?;
        Err(self.error(op, step, calls.pe))
    }
}

impl From<Error> for ExchangeError {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

impl From<io::Error> for ExchangeError {
    fn from(error: io::Error) -> Self {
        let kind = match error.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE | libc::ETOOMANYREFS | libc::ENOBUFS) => ErrorKind::Exhausted,
            _ if error.kind() == io::ErrorKind::TimedOut => ErrorKind::Timeout,
            _ => ErrorKind::System,
        };
        let hint = match kind {
            ErrorKind::Exhausted => " (`ulimit -n` says how many descriptors a process may have)",
            _ => "",
        };
        // A connection ends early because the other side gave up.
        use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, TimedOut, UnexpectedEof};
        let is_consequence =
            matches!(error.kind(), TimedOut | UnexpectedEof | ConnectionReset | ConnectionRefused | BrokenPipe);
        Self { is_consequence, kind, text: format!("{error}{hint}") }
    }
}

/// Returns an error if the exchange in progress can't succeed any more: a PE died, another PE refused, or the limit has
/// passed.
pub(in crate::bootstrap) fn check_progress(
    calls: &Calls,
    op: Op,
    step: &str,
    deadline: Deadline,
) -> Result<(), ExchangeError> {
    let died = |error: Error| ExchangeError::new(ErrorKind::PeerDied, error.to_string());
    calls.monitor.check_alive(&action(op, step)).map_err(died)?;
    if calls.next_call_fails() {
        return Err(ExchangeError {
            is_consequence: true,
            kind: ErrorKind::System,
            text: "another PE could not".into(),
        });
    }
    match deadline.passed() {
        true => Err(ExchangeError::new(ErrorKind::Timeout, "a PE did not connect within the limit")),
        false => Ok(()),
    }
}

//! The health of a PE's work: the first fault or failure of any part is kept.

use std::fmt::Display;
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::state::StopWord;

use super::World;

/// The least and the most time that the announcement of a death is given once the network has noticed it. A killed
/// process announces its end when all its threads have ended, which takes long where many wait for a core.
const ANNOUNCEMENT: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(4));

impl World {
    /// Checks the outcome of this PE's work, and reports its first fault or failure, which is kept and announced to the
    /// others. A kernel that crashes causes the driver's error without a fault, and no collective call of this PE can
    /// succeed after it.
    pub(super) fn check_outcome(&self, done: Result<()>) -> Result<()> {
        if let Err(error) = done {
            // The driver refused to wait, because a stream is being captured: no kernel has failed.
            if error.kind() == ErrorKind::InvalidArgument {
                return Err(error);
            }
            self.streams.fail(error);
            self.machine.stop(StopWord::ABORT);
        }
        // A fault gives the cause; the driver's error is its consequence.
        self.check_fault(format_args!("run the kernels of {}", self.me))?;
        self.queue_faults()
    }

    /// Checks the driver's answer to work that was enqueued with checked arguments: an error of the system is then not
    /// about this work, but about an earlier kernel that crashed.
    pub(super) fn check_given(&self, given: Result<()>) -> Result<()> {
        match given {
            Err(error) if error.kind() == ErrorKind::System => self.check_outcome(Err(error)),
            given => given,
        }
    }

    /// Checks that no kernel of this PE has reported a fault or failed. The first fault or failure is the reason of all
    /// later errors.
    pub(super) fn check_fault(&self, action: impl Display) -> Result<()> {
        let (fault, failed) = (self.machine.fault(), self.streams.failed());
        let error = match (fault, failed) {
            (None, None) => return Ok(()),
            // A failed kernel stops the others, whose faults only report that.
            (Some(Fault { step: FaultStep::Aborted, .. }) | None, Some(failed)) => failed,
            (Some(fault), _) => {
                let cause = self.cause_of(&fault);
                if let Some(stopped) = cause.filter(|_| fault.step == FaultStep::Aborted) {
                    // As any error of a queue it is not announced: if its peer died, the others learn that by itself,
                    // and must not take this PE for the one that is gone.
                    return Err(self.after_a_death(Error::from_fault(action.to_string(), stopped)));
                }
                // A death is no fault of the thread that saw it.
                let died = fault.step == FaultStep::PeerDied;
                let thread = if died { String::new() } else { self.machine.fault_thread() };
                let error = match cause {
                    Some(stopped) => Error::from_fault(action.to_string(), stopped)
                        .because(format!("{stopped}; and {fault}{thread}")),
                    None => Error::from_fault(action.to_string(), fault).because(format!("{fault}{thread}")),
                };
                let error = self.after_a_death(error);
                let dead = error.pe().filter(|_| fault.step == FaultStep::PeerDied);
                match dead.and_then(|pe| self.control.death_of(pe)) {
                    Some(reason) => error.because(format!("{fault}{thread}: {reason}")),
                    None => error,
                }
            }
        };
        // Without this the other PEs would wait for this one until their limit. The death of a PE is already announced
        // to them.
        if error.kind() != ErrorKind::PeerDied {
            self.control.fail_of(&error);
        }
        Err(error)
    }

    /// Names the PE that died first in an error of a queue whose peer is found dead: after a death others end their
    /// worlds too, so that requests to them fail as well. The network may notice a death before its announcement comes,
    /// so this waits for it.
    pub(super) fn after_a_death(&self, error: Error) -> Error {
        let lost = error.fault().filter(Fault::may_be_a_death).and(error.pe());
        let (least, most) = ANNOUNCEMENT;
        let given = self.control.limit().map_or(most, |limit| (limit / 15).clamp(least, most));
        let is_dead = lost.is_some_and(|pe| self.control.is_dead_within(pe, given));
        match self.control.death().filter(|_| is_dead) {
            Some((first, reason)) => error.after_the_death_of(first, &reason),
            None => error,
        }
    }

    /// Returns the reason why a wait reached its limit, or a call ended with another thread's, if it is known: a queue of
    /// this PE has stopped, so that its peer waits for this PE.
    fn cause_of(&self, late: &Fault) -> Option<Fault> {
        if !matches!(late.step, FaultStep::Wait | FaultStep::Barrier | FaultStep::Queue | FaultStep::Aborted) {
            return None;
        }
        // Its faults are reported here, and not again.
        let _ = self.queue_faults();
        self.stopped.get().copied()
    }
}

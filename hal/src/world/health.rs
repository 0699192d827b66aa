//! The health of a PE's work: its first fault or failure, of whichever part, stays.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::state::StopWord;

use super::World;

impl World {
    /// Checks the outcome of this PE's work and reports its first fault or failure, which stays and is announced to the
    /// others. A kernel that crashes leaves no fault but the driver's error, and no collective call of this PE can
    /// succeed after it.
    pub(super) fn check_outcome(&self, done: Result<()>) -> Result<()> {
        if let Err(error) = done {
            self.streams.fail(error);
            self.machine.stop(StopWord::ABORT);
        }
        // A fault says more than the driver's error about its consequences.
        self.check_fault(&format!("run the kernels of {}", self.me))?;
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

    /// Checks that no kernel of this PE has reported a fault or failed. The first that did is the reason why nothing
    /// works any more.
    pub(super) fn check_fault(&self, action: &str) -> Result<()> {
        let (fault, failed) = (self.machine.fault(), self.streams.failed());
        let error = match (fault, failed) {
            (None, None) => return Ok(()),
            // A kernel that failed stops the others, whose faults say nothing else.
            (Some(Fault { step: FaultStep::Aborted, .. }) | None, Some(failed)) => failed,
            (Some(fault), _) => {
                let error = match self.cause_of(&fault) {
                    Some(stopped) => Error::from_fault(action, stopped).because(format!("{stopped}; and {fault}")),
                    None => Error::from_fault(action, fault),
                };
                match self
                    .control
                    .death()
                    .filter(|(pe, _)| fault.step == FaultStep::PeerDied && Some(*pe) == error.pe())
                {
                    Some((_, reason)) => error.because(format!("{fault}: {reason}")),
                    None => error,
                }
            }
        };
        // Without this the other PEs would wait for this one until their limit. They know themselves that a PE died.
        if error.kind() != ErrorKind::PeerDied {
            self.control.fail(&error.to_string());
        }
        Err(error)
    }

    /// Returns the reason why a wait reached its limit, if it is known: a queue of this PE has stopped, and its peer
    /// waits for this one.
    fn cause_of(&self, late: &Fault) -> Option<Fault> {
        if !matches!(late.step, FaultStep::Wait | FaultStep::Barrier | FaultStep::Queue) {
            return None;
        }
        // Its faults are reported here, and not again.
        let _ = self.queue_faults();
        self.stopped.get().copied()
    }
}

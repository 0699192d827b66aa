//! What became of a PE's work: the first fault or failure, of whichever part, for good.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Fault, FaultStep};
use oxshmem_raw::state::StopWord;

use super::World;

impl World {
    /// What became of this PE's work: the first fault or failure, for good, which the others learn of. A kernel
    /// that crashes leaves no fault but the driver's error, and none of this PE's collective calls can follow it.
    pub(super) fn check_outcome(&self, done: Result<()>) -> Result<()> {
        if let Err(error) = done {
            self.streams.fail(error);
            self.machine.stop(StopWord::ABORT);
        }
        // A fault says more than what the driver makes of its consequences.
        self.check_fault(&format!("run the kernels of {}", self.me))?;
        self.queue_faults()
    }

    /// What the driver said when a stream was given something that had been checked: a failure of the system is not of
    /// this, but of a kernel before that crashed.
    pub(super) fn check_given(&self, given: Result<()>) -> Result<()> {
        match given {
            Err(error) if error.kind() == ErrorKind::System => self.check_outcome(Err(error)),
            given => given,
        }
    }

    /// No kernel of this PE has reported a fault or failed; the first that did is why nothing works any more.
    pub(super) fn check_fault(&self, action: &str) -> Result<()> {
        let (fault, failed) = (self.machine.fault(), self.streams.failed());
        let error = match (fault, failed) {
            (None, None) => return Ok(()),
            // A kernel that failed stops the others, whose fault then says nothing but that.
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
        // The others would otherwise wait for this PE until their limit. That a PE died they know themselves.
        if error.kind() != ErrorKind::PeerDied {
            self.control.fail(&error.to_string());
        }
        Err(error)
    }

    /// Why what was waited for until the limit did not come, where that is known: a queue of this PE has stopped, whose
    /// peer then waits for this one.
    fn cause_of(&self, late: &Fault) -> Option<Fault> {
        if !matches!(late.step, FaultStep::Wait | FaultStep::Barrier | FaultStep::Queue) {
            return None;
        }
        // It is told here, and not again.
        let _ = self.queue_faults();
        self.stopped.get().copied()
    }
}

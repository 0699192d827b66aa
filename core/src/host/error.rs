//! The error type of the host.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use crate::{Fault, Pe};

/// The kind of an error, on which a program can act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is wrong by itself.
    InvalidArgument,
    /// A number, a pointer or a length is out of range.
    OutOfRange,
    /// PEs gave different arguments, or made different calls.
    Mismatch,
    /// Memory or another resource is used up.
    Exhausted,
    /// A file, a kernel, a device or a library is missing.
    NotFound,
    /// A program that needs a GPU sees none.
    NoGpu,
    /// Two parts were built for different versions or features.
    Incompatible,
    /// A peer or an address can't be reached.
    Unreachable,
    /// A wait reached its limit.
    Timeout,
    /// Another PE died, or left.
    PeerDied,
    /// A peer lacks the secret, or belongs to the wrong user.
    Refused,
    /// A message or a file does not have its format.
    Malformed,
    /// The operating system or a driver refused.
    System,
    /// Device code reported a [`Fault`].
    Fault,
}

/// The requested amount and the available amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Requested.
    pub asked: u64,
    /// Available at most.
    pub limit: u64,
    /// The unit.
    pub unit: &'static str,
}

#[derive(Clone, Debug)]
struct ErrorParts {
    kind: ErrorKind,
    action: String,
    reason: String,
    amount: Option<Amount>,
    call: Option<(&'static str, i64, String)>,
    hint: Option<String>,
    pe: Option<Pe>,
    fault: Option<Fault>,
}

/// An error of the host. It names the failed action and its object, the requested and the available amount, the
/// system's answer, and a remedy.
///
/// Its text reads `cannot ACTION: REASON: 64 queue pairs asked, 41 available (CALL returned 12: ANSWER); HINT`, without
/// the parts that are unknown.
#[derive(Clone)]
pub struct Error(Box<ErrorParts>);

impl Error {
    /// Returns an error of this kind: "cannot `action`".
    pub fn new(kind: ErrorKind, action: impl Into<String>) -> Self {
        Self(Box::new(ErrorParts {
            kind,
            action: action.into(),
            reason: String::new(),
            amount: None,
            call: None,
            hint: None,
            pe: None,
            fault: None,
        }))
    }

    /// Returns the error for a fault that device code reported during `action`.
    pub fn from_fault(action: impl Into<String>, fault: Fault) -> Self {
        use crate::FaultStep::*;
        let kind = match fault.step {
            Wait | Barrier | Collective => ErrorKind::Timeout,
            PeerDied => ErrorKind::PeerDied,
            NoSuchPe | OutOfHeap | OutOfLocal | NoSuchQp | NoSuchSlot | NoSuchMember | RoundTooLarge => {
                ErrorKind::OutOfRange
            }
            Misaligned | SignalOverlap | NotCollective | Overlap | NoSuchTeam | NotLoadStore => {
                ErrorKind::InvalidArgument
            }
            CallMismatch => ErrorKind::Mismatch,
            Aborted | Completion | HostThread => ErrorKind::Fault,
            Queue => ErrorKind::Timeout,
            NotRegistered => ErrorKind::InvalidArgument,
        };
        let mut error = Self::new(kind, action).because(alloc::format!("{fault}"));
        if fault.lost_its_cause() {
            error = error.hint("an error of another queue or PE, or the log of its kernel, may have the cause");
        }
        error.0.fault = Some(fault);
        error.0.pe = fault.about();
        error
    }

    /// Sets the reason.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.0.reason = reason.into();
        self
    }

    /// Adds to the reason.
    pub fn because_also(mut self, reason: impl fmt::Display) -> Self {
        let own = core::mem::take(&mut self.0.reason);
        self.0.reason = if own.is_empty() { alloc::format!("{reason}") } else { alloc::format!("{own}; {reason}") };
        self
    }

    /// Sets the requested and the available amount.
    pub fn amount(mut self, asked: u64, limit: u64, unit: &'static str) -> Self {
        self.0.amount = Some(Amount { asked, limit, unit });
        self
    }

    /// Sets the system call that failed, its code, and the system's text for the code.
    pub fn call(mut self, call: &'static str, code: i64, answer: impl Into<String>) -> Self {
        self.0.call = Some((call, code, answer.into()));
        self
    }

    /// Sets a hint: the remedy for the error.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets the PE that the error is about.
    pub fn about(mut self, pe: Pe) -> Self {
        self.0.pe = Some(pe);
        self
    }

    /// Makes the error one about the death of `pe`, for this reason, which its own reason follows.
    pub fn after_the_death_of(mut self, pe: Pe, reason: &str) -> Self {
        self.0.reason = alloc::format!("{pe} died: {reason}; and {}", self.0.reason);
        (self.0.kind, self.0.pe, self.0.hint) = (ErrorKind::PeerDied, Some(pe), None);
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the PE that the error is about, if any.
    pub fn pe(&self) -> Option<Pe> {
        self.0.pe
    }

    /// Returns the requested and the available amount, if known.
    pub fn how_much(&self) -> Option<Amount> {
        self.0.amount
    }

    /// Returns the device's fault, if the error comes from one.
    pub fn fault(&self) -> Option<Fault> {
        self.0.fault
    }

    /// Returns the code of the call that failed, if any.
    pub fn code(&self) -> Option<i64> {
        self.0.call.as_ref().map(|(_, code, _)| *code)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &*self.0;
        write!(f, "cannot {}", parts.action)?;
        if !parts.reason.is_empty() {
            write!(f, ": {}", parts.reason)?;
        }
        if let Some(Amount { asked, limit, unit }) = parts.amount {
            write!(f, ": {asked} {unit} asked, {limit} available")?;
        }
        if let Some((call, code, answer)) = &parts.call {
            write!(f, " ({call} returned {code}")?;
            if !answer.is_empty() {
                write!(f, ": {answer}")?;
            }
            write!(f, ")")?;
        }
        if let Some(hint) = &parts.hint {
            write!(f, "; {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // In one piece: several PEs write to one terminal, and pieces would be interleaved.
        f.write_str(&alloc::format!("{self} [{:?}]", self.0.kind))
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn an_error_says_what_how_much_of_how_much_and_what_the_system_answered() {
        let error = Error::new(ErrorKind::Exhausted, "create queue pairs on mlx5_0")
            .amount(64, 41, "queue pairs")
            .call("mlx5dv_devx_obj_create", 12, "")
            .hint("ask for fewer");
        assert_eq!(
            error.to_string(),
            "cannot create queue pairs on mlx5_0: 64 queue pairs asked, 41 available (mlx5dv_devx_obj_create returned 12); ask for fewer"
        );
    }

    #[test]
    fn a_fault_keeps_its_pe_and_its_numbers() {
        let mut fault = Fault::new(crate::FaultStep::Barrier);
        (fault.pe, fault.asked, fault.seen) = (3, 8, 7);
        let error = Error::from_fault("run kernel `ring`", fault);
        assert_eq!((error.kind(), error.pe()), (ErrorKind::Timeout, Some(Pe::new(3))));
        assert!(error.to_string().contains("PE 3 had not arrived at barrier 8"), "{error}");
    }

    #[test]
    fn a_flushed_entry_is_reported_without_a_cause_and_any_other_error_with_its_own() {
        let text = |syndrome| {
            let mut fault = Fault::new(crate::FaultStep::Completion);
            fault.detail = Fault::completion_detail(syndrome, 0, 8);
            Error::from_fault("copy to PE 1", fault).to_string()
        };
        let (flushed, refused) = (text(0x05), text(0x13));
        assert!(flushed.contains("the cause was lost") && flushed.contains("another queue or PE"), "{flushed}");
        assert!(refused.contains("remote access error") && !refused.contains("another queue"), "{refused}");
    }

    #[test]
    fn a_death_is_the_error_and_the_failed_operation_its_consequence() {
        let of = |syndrome| {
            let mut fault = Fault::new(crate::FaultStep::Completion);
            (fault.pe, fault.detail) = (1, Fault::completion_detail(syndrome, 0, 8));
            fault
        };
        assert_eq!([0x15, 0x05, 0x13].map(|syndrome| of(syndrome).may_be_a_death()), [true, true, false]);
        let error = Error::from_fault("copy to PE 1", of(0x15)).after_the_death_of(Pe::new(3), "it was killed");
        assert_eq!((error.kind(), error.pe()), (ErrorKind::PeerDied, Some(Pe::new(3))));
        let text = error.to_string();
        assert!(text.contains("cannot copy to PE 1: PE 3 died: it was killed; and the operation"), "{text}");
    }
}

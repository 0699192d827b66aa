//! Agreement between PEs on whether a step succeeded on each.

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};

use crate::control::Control;

/// Continues only if the step succeeded on every PE. A PE that failed keeps its own error; the others get one of the
/// same kind with the failed PE's number and text. Collective.
pub(super) fn all_ok<T>(control: &Control, step: &str, mine: Result<T>) -> Result<T> {
    let report = match &mine {
        Ok(_) => Vec::new(),
        Err(error) => {
            let mut bytes = vec![code_of(error.kind())];
            bytes.extend_from_slice(error.to_string().as_bytes());
            bytes
        }
    };
    let all = control.all_gather(step, &report)?;
    let mine = mine?;
    match (0..).zip(&all).find(|(_, report)| !report.is_empty()) {
        None => Ok(mine),
        Some((pe, report)) => Err(Error::new(kind_of(report[0]), step)
            .because(format!("PE {pe} {}", String::from_utf8_lossy(&report[1..])))
            .about(Pe::new(pe))),
    }
}

const KINDS: [ErrorKind; 14] = [
    ErrorKind::InvalidArgument,
    ErrorKind::OutOfRange,
    ErrorKind::Mismatch,
    ErrorKind::Exhausted,
    ErrorKind::NotFound,
    ErrorKind::NoGpu,
    ErrorKind::Incompatible,
    ErrorKind::Unreachable,
    ErrorKind::Timeout,
    ErrorKind::PeerDied,
    ErrorKind::Refused,
    ErrorKind::Malformed,
    ErrorKind::System,
    ErrorKind::Fault,
];

/// Returns the number of a kind of errors in messages between PEs.
pub(super) fn code_of(kind: ErrorKind) -> u8 {
    KINDS.iter().position(|&k| k == kind).unwrap_or(KINDS.len()) as u8
}

/// Returns the kind of errors with this number.
pub(super) fn kind_of(code: u8) -> ErrorKind {
    KINDS.get(code as usize).copied().unwrap_or(ErrorKind::System)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_one_pe_is_everybodys_and_names_it() {
        let controls = Control::in_process(3, Some(std::time::Duration::from_secs(20))).unwrap();
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = controls
                .into_iter()
                .map(|control| {
                    scope.spawn(move || {
                        let mine = match control.pe().number() {
                            1 => Err(Error::new(ErrorKind::Exhausted, "make memory").amount(8, 4, "bytes")),
                            n => Ok(n),
                        };
                        let outcome = all_ok(&control, "grow the heap", mine);
                        control.leave().unwrap();
                        outcome
                    })
                })
                .collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(outcomes[1].as_ref().unwrap_err().to_string(), "cannot make memory: 8 bytes asked, 4 available");
        for pe in [0, 2] {
            let error = outcomes[pe].as_ref().unwrap_err();
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Exhausted, Some(Pe::new(1))));
            assert!(error.to_string().contains("PE 1 cannot make memory: 8 bytes asked"), "{error}");
        }
    }
}

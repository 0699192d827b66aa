//! The edge between C and the library: runs a call on the default world, and turns its error into C's answer.

use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxshmem_hal::{Bootstrapped, Error, ErrorKind, Result, report_error};

use crate::face::Face;
use crate::life;

/// The exit status of a process after an error that has no other way out: NVSHMEM exits with -1, and the system keeps
/// its lowest byte.
pub(crate) const EXIT: i32 = 255;

/// NVSHMEM's status codes (`nvshmemx_status`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Status {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NotSupported = 3,
    Symmetry = 4,
    GpuNotSelected = 5,
    CollectiveLaunchFailed = 6,
    Internal = 7,
}

impl Status {
    /// Returns the code for an error.
    fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidArgument | ErrorKind::OutOfRange | ErrorKind::Malformed => Self::InvalidValue,
            ErrorKind::Exhausted => Self::OutOfMemory,
            ErrorKind::Incompatible | ErrorKind::Unreachable => Self::NotSupported,
            ErrorKind::Mismatch => Self::Symmetry,
            ErrorKind::NoGpu => Self::GpuNotSelected,
            _ => Self::Internal,
        }
    }
}

// There are thousands of C functions, and each has a closure of its own. The code that all of them need is in functions
// that take the closure as `dyn`, so that the library has it once; the rest is inlined.

/// A call on the default world. A table of `dyn FnMut` would have a second copy of each closure, `call_once`.
trait Call {
    fn run(&mut self, face: &Face) -> Result<()>;
}

impl<F: FnMut(&Face) -> Result<()>> Call for F {
    fn run(&mut self, face: &Face) -> Result<()> {
        self(face)
    }
}

/// Runs a call that reports a status.
#[inline(always)]
pub(crate) fn status(name: &str, mut call: impl FnMut(&Face) -> Result<()>) -> c_int {
    status_of_call(name, &mut call)
}

/// Runs a call that takes the world's state back from a part of the program. It has nothing to do after the world's end, which
/// took it back from all: programs unload their modules at their very end.
pub(crate) fn take_back(name: &str, call: impl FnMut(&Face) -> Result<()>) -> c_int {
    if !life::is_forked() && life::is_finalised() {
        return Status::Success as c_int;
    }
    status(name, call)
}

/// Runs a call that may answer with a status that is no error, and is not reported.
#[inline(always)]
pub(crate) fn answer(name: &str, mut call: impl FnMut(&Face) -> Result<Status>) -> c_int {
    let mut answer = Status::Success;
    let code = status_of_call(name, &mut |face: &Face| {
        answer = call(face)?;
        Ok(())
    });
    if code == Status::Success as c_int { answer as c_int } else { code }
}

/// Runs a launch, which has a status of its own for failures other than wrong arguments.
#[inline(always)]
pub(crate) fn launch_status(name: &str, mut call: impl FnMut(&Face) -> Result<()>) -> c_int {
    match status_of_call(name, &mut call) {
        code if code == Status::Success as c_int || code == Status::InvalidValue as c_int => code,
        _ => Status::CollectiveLaunchFailed as c_int,
    }
}

/// Runs a call that returns `otherwise` if it fails.
#[inline(always)]
pub(crate) fn or<R>(name: &str, otherwise: R, mut call: impl FnMut(&Face) -> Result<R>) -> R {
    let mut answer = None;
    status_of_call(name, &mut |face: &Face| {
        answer = Some(call(face)?);
        Ok(())
    });
    answer.unwrap_or(otherwise)
}

/// Answers a query about the PEs, which needs no device: by `met` before there is a world. Returns -1 if it fails.
pub(crate) fn query(
    name: &str,
    met: impl FnOnce(&Bootstrapped) -> Option<u32>,
    running: impl FnOnce(&Face) -> Result<u32>,
) -> c_int {
    let mut answer = -1;
    status_of(name, || {
        answer = life::query(met, running)? as c_int;
        Ok(())
    });
    answer
}

/// Runs a call that can't report an error: ends the process if it fails.
#[inline(always)]
pub(crate) fn or_exit<R>(name: &str, mut call: impl FnMut(&Face) -> Result<R>) -> R {
    let mut answer = None;
    run_or_exit(name, &mut |face: &Face| {
        answer = Some(call(face)?);
        Ok(())
    });
    match answer {
        Some(answer) => answer,
        None => std::process::exit(EXIT),
    }
}

#[inline(never)]
fn status_of_call(name: &str, call: &mut dyn Call) -> c_int {
    status_of(name, || life::with(|face| call.run(face)))
}

#[inline(never)]
fn run_or_exit(name: &str, call: &mut dyn Call) {
    guarded(|| life::with(|face| call.run(face))).unwrap_or_else(|error| exit(name, &error))
}

/// Runs a call that reports a status and does not need the world.
pub(crate) fn status_of(name: &str, call: impl FnOnce() -> Result<()>) -> c_int {
    match guarded(call) {
        Ok(()) => Status::Success as c_int,
        Err(error) => {
            report(name, &error);
            Status::of(&error) as c_int
        }
    }
}

/// Reports an error, announces it to the other PEs, and ends the process.
pub(crate) fn exit(name: &str, error: &Error) -> ! {
    report(name, error);
    life::give_up(&format!("{name}: {error}"));
    std::process::exit(EXIT)
}

/// Runs a call, and makes an error of its panic.
pub(crate) fn guarded<R>(call: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        Err(Error::new(ErrorKind::System, "complete the call").because(format!("it panicked: {}", text(&*panic))))
    })
}

/// Reports an error as one message: to the program's logger, or on standard error.
pub(crate) fn report(name: &str, error: &Error) {
    report_error(&match life::my_pe() {
        Some(pe) => format!("{pe}: {name}: {error}"),
        None => format!("{name}: {error}"),
    });
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("with something that is not text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_text_and_leaves_no_function() {
        let of = |call: fn() -> Result<()>| guarded(call).unwrap_err().to_string();
        assert!(of(|| panic!("out of {}", "paper")).contains("it panicked: out of paper"));
        assert!(of(|| std::panic::panic_any(7)).contains("it panicked: with something that is not text"));
        assert_eq!(status_of("f", || panic!("on purpose")), Status::Internal as c_int);
    }

    #[test]
    fn each_kind_of_error_has_a_code_of_nvshmem() {
        let code = |kind| status_of("f", || Err(Error::new(kind, "do it")));
        assert_eq!(status_of("f", || Ok(())), 0);
        for (kind, expected) in [
            (ErrorKind::OutOfRange, 1),
            (ErrorKind::Exhausted, 2),
            (ErrorKind::Unreachable, 3),
            (ErrorKind::Mismatch, 4),
            (ErrorKind::NoGpu, 5),
            (ErrorKind::NotFound, 7),
            (ErrorKind::PeerDied, 7),
        ] {
            assert_eq!(code(kind), expected, "{kind:?}");
        }
    }
}

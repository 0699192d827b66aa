//! The edge between C and the library: runs a call on the default world, and turns its error into C's answer.

use std::any::Any;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use oxshmem_hal::{Error, ErrorKind, Result};

use crate::face::Face;
use crate::life;

/// The exit status of a process that NVSHMEM ends: -1, of which the system keeps a byte.
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
            ErrorKind::NotFound => Self::GpuNotSelected,
            _ => Self::Internal,
        }
    }
}

/// Runs a call that reports a status.
pub(crate) fn status(name: &str, call: impl FnOnce(&Face) -> Result<()>) -> c_int {
    answered(name, attempt(call))
}

/// Runs a launch, which has a status of its own for failures other than wrong arguments.
pub(crate) fn launch_status(name: &str, launch: impl FnOnce(&Face) -> Result<()>) -> c_int {
    match status(name, launch) {
        code if code == Status::Success as c_int || code == Status::InvalidValue as c_int => code,
        _ => Status::CollectiveLaunchFailed as c_int,
    }
}

/// Runs a call that reports a status and does not need the world.
pub(crate) fn status_of(name: &str, call: impl FnOnce() -> Result<()>) -> c_int {
    answered(name, guarded(call))
}

/// Returns the code of an outcome, and reports an error.
fn answered(name: &str, outcome: Result<()>) -> c_int {
    match outcome {
        Ok(()) => Status::Success as c_int,
        Err(error) => {
            report(name, &error);
            Status::of(&error) as c_int
        }
    }
}

/// Runs a call on the default world, and makes an error of its panic.
fn attempt<R>(call: impl FnOnce(&Face) -> Result<R>) -> Result<R> {
    let (mut call, mut answer) = (Some(call), None);
    let mut once = |face: &Face| {
        answer = call.take().map(|call| call(face)).transpose()?;
        Ok(())
    };
    with_face(&mut once)?;
    answer.ok_or_else(|| Error::new(ErrorKind::System, "complete the call"))
}

/// One function for the calls of all C functions, which would otherwise have a copy each.
#[inline(never)]
fn with_face(call: &mut dyn FnMut(&Face) -> Result<()>) -> Result<()> {
    guarded(|| life::with(call))
}

/// Runs a call that returns `otherwise` if it fails.
pub(crate) fn or<R>(name: &str, otherwise: R, call: impl FnOnce(&Face) -> Result<R>) -> R {
    attempt(call).unwrap_or_else(|error| {
        report(name, &error);
        otherwise
    })
}

/// Runs a call that can't report an error: ends the process if it fails.
pub(crate) fn or_exit<R>(name: &str, call: impl FnOnce(&Face) -> Result<R>) -> R {
    attempt(call).unwrap_or_else(|error| exit(name, &error))
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

/// Writes one line about an error.
pub(crate) fn report(name: &str, error: &Error) {
    let line = match life::my_pe() {
        Some(pe) => format!("oxshmem: {pe}: {name}: {error}"),
        None => format!("oxshmem: {name}: {error}"),
    };
    eprintln!("{}", line.replace('\n', " "));
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("with something that is not text")
}

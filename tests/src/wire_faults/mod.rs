//! The program `oxshmem-wire-faults`, for the machine of `cargo xtask rxe`: checks the errors that PEs report when
//! the wire between them breaks. It starts two PEs at a time, each on a device of its own, and breaks the wire when
//! they report that they are at work.

mod checks;
mod pes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode};

/// Runs the checks, each in a world of its own; prints a line for each, and the count.
pub fn run() -> ExitCode {
    if crate::worlds::is_started() {
        crate::worlds::enter(&[pes::BODIES]);
        return ExitCode::SUCCESS;
    }
    if let Err(why) = wire("mend", 0) {
        eprintln!("oxshmem-wire-faults: {why}; it runs in a machine of `cargo xtask rxe`");
        return ExitCode::from(2);
    }
    let (mut passed, mut failed) = (0, 0);
    for (name, check) in checks::CHECKS {
        match catch_unwind(AssertUnwindSafe(check)) {
            Ok(note) => {
                passed += 1;
                println!("ok {name} ({note})");
            }
            // The panic's message stands above.
            Err(_) => {
                failed += 1;
                println!("FAIL {name}");
            }
        }
    }
    println!("{passed} passed, {failed} failed, 0 skipped");
    ExitCode::from(u8::from(failed > 0))
}

/// Changes the cable of the device of this number, by the machine's own command.
fn wire(what: &str, device: u32) -> Result<(), String> {
    let status = Command::new("wire").args([what, &device.to_string()]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`wire {what} {device}`: {status}")),
        Err(error) => Err(format!("there is no command `wire`: {error}")),
    }
}

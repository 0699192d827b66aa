//! torch's symmetric memory as a peer of all-reduces: a Python program, run by an interpreter that has torch.

use std::path::Path;

use anyhow::{Result, bail};

use super::comparator::{self, Against};
use super::roster;
use xtask::place::Place;

/// The library's name, and the prefix of its modes' names.
pub(crate) const NAME: &str = "torch";
/// The program.
const SCRIPT: &str = "collectives.py";
/// Its modes: torch's algorithms.
const ALGORITHMS: [&str; 2] = ["one-shot", "two-shot"];

/// Returns the library of this interpreter.
///
/// # Errors
///
/// There is no such interpreter, or the program is missing.
pub(crate) fn against(place: &Place, interpreter: &Path) -> Result<Against> {
    let script = comparator::folder(place).join(NAME).join(SCRIPT);
    if !script.is_file() {
        bail!("{} is missing, which measures torch", script.display());
    }
    let mode =
        |algorithm: &str| (format!("{NAME}-{algorithm}"), vec![script.display().to_string(), algorithm.to_string()]);
    // The program sets these variables itself. They are repeated here because the page lists only these.
    let own = [("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1"), ("NCCL_NVLS_ENABLE", "0")];
    Ok(Against {
        program: roster::named_program(interpreter)?,
        origin: "a Python program",
        modes: ALGORITHMS.map(mode).into(),
        environment: own.map(|(name, value)| (name.into(), value.into())).into(),
    })
}

//! NCCL as a peer of rows of collectives: its comparator is built against an unpacked package.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::comparator::{self, Against, Sources};
use xtask::place::Place;

/// The library's name, and that of its first mode.
pub(crate) const NAME: &str = "nccl";
/// The program's name.
const PROGRAM: &str = "nccl-perf";
/// The library itself.
const LIBRARY: &str = "libnccl.so.2";

/// Returns the library in this package, with its program.
///
/// # Errors
///
/// It is no package of NCCL, or the program can't be built.
pub(crate) fn against(place: &Place, package: &Path, out: &Path) -> Result<Against> {
    let what = "the folder `nvidia/nccl` of the Python package nvidia-nccl-cu12 or -cu13, which torch needs too";
    let package = comparator::check_package(package, &format!("lib/{LIBRARY}"), what)?;
    let (program, origin) = build(place, &package, out)?;
    let modes = vec![(NAME.to_string(), Vec::new()), (format!("{NAME}-symmetric"), vec!["--symmetric".to_string()])];
    // The program sets these variables itself. They are repeated here because the page lists only these.
    let own = [("NCCL_NVLS_ENABLE", "0"), ("NCCL_GRAPH_MIXING_SUPPORT", "0")];
    Ok(Against { program, origin, modes, environment: comparator::environment(&own, &package.join("lib")) })
}

fn build(place: &Place, package: &Path, out: &Path) -> Result<(PathBuf, &'static str)> {
    let sources = Sources::of(place, NAME, PROGRAM);
    if let Some(ready) = sources.ready() {
        return Ok(ready);
    }
    let program = comparator::out_folder(out, NAME)?.join(PROGRAM);
    let mut command = sources.command(&[], &package.join("include"))?;
    // The package lacks the name that `-lnccl` searches for.
    command.arg("-o").arg(&program).arg("-L").arg(package.join("lib")).arg(format!("-l:{LIBRARY}"));
    let origin = sources.compile(command, &program)?;
    Ok((program, origin))
}

//! NVSHMEM as a peer: its comparator is built against an unpacked package.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::comparator::{self, Against, Sources};
use super::results::NVSHMEM;
use xtask::place::Place;

/// The program's name.
const PROGRAM: &str = "nvshmem-perf";
/// The file that the package lacks, and the file that it has instead.
const HOST_LIBRARY: (&str, &str) = ("libnvshmem_host.so", "libnvshmem_host.so.3");

/// Returns the library in this package, with its program. Its mode with bulk copies has no rows of `collectives`.
///
/// # Errors
///
/// It is no package of NVSHMEM, or the program can't be built.
pub(crate) fn against(place: &Place, package: &Path, out: &Path, collectives: bool) -> Result<Against> {
    let what = "the folder `nvidia/nvshmem` of the unpacked Python package nvidia-nvshmem-cu12 or -cu13";
    let package = comparator::check_package(package, &format!("lib/{}", HOST_LIBRARY.1), what)?;
    let (program, origin) = build(place, &package, out)?;
    let mut modes = vec![(NVSHMEM.to_string(), Vec::new())];
    if !collectives {
        modes.push((format!("{NVSHMEM}-tma"), vec!["--tma".to_string()]));
    }
    Ok(Against { program, origin, modes, environment: environment(&package) })
}

/// Returns the environment of its processes: one node, no NIC, no multicast, and its libraries. NVSHMEM uses NCCL for
/// collectives on streams if NCCL is there, which is faster for most sizes.
pub(crate) fn environment(package: &Path) -> Vec<(String, String)> {
    let own = [
        ("NVSHMEM_REMOTE_TRANSPORT", "none"),
        ("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo"),
        ("NVSHMEM_DISABLE_NVLS", "1"),
        ("NCCL_NVLS_ENABLE", "0"),
        ("NVSHMEM_SYMMETRIC_SIZE", "4G"),
    ];
    comparator::environment(&own, &package.join("lib"))
}

fn build(place: &Place, package: &Path, out: &Path) -> Result<(PathBuf, &'static str)> {
    let sources = Sources::of(place, NVSHMEM, PROGRAM);
    if let Some(ready) = sources.ready() {
        return Ok(ready);
    }
    let out = comparator::out_folder(out, NVSHMEM)?;
    let program = out.join(PROGRAM);
    let link = out.join(HOST_LIBRARY.0);
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(package.join("lib").join(HOST_LIBRARY.1), &link)
        .with_context(|| format!("cannot make the link {}", link.display()))?;
    let mut command = sources.command(&["-rdc=true", "--threads", "0"], &package.join("include"))?;
    command.arg("-o").arg(&program).arg("-L").arg(&out).arg("-L").arg(package.join("lib"));
    command.args(["-lnvshmem_host", "-lnvshmem_device", "-lcuda", "-lnvidia-ml"]);
    let origin = sources.compile(command, &program)?;
    Ok((program, origin))
}

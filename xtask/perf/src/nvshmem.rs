//! NVSHMEM as a peer: its comparator is built here, by the compiler of a CUDA toolkit, against an unpacked package.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::results::NVSHMEM;
use xtask::place::Place;
use xtask::shell;

/// The program's name.
const PROGRAM: &str = "nvshmem-perf";
/// The folder of the sources in a checkout; a packed folder has them without the first part.
const SOURCES: &str = "tests/peers/nvshmem";
/// The file that the package lacks, and the file that it has instead.
const HOST_LIBRARY: (&str, &str) = ("libnvshmem_host.so", "libnvshmem_host.so.3");

/// NVSHMEM's modes: the peer's name, and the program's arguments.
pub(crate) fn modes() -> [(String, Vec<String>); 2] {
    [(NVSHMEM.to_string(), Vec::new()), (format!("{NVSHMEM}-tma"), vec!["--tma".to_string()])]
}

/// Returns the environment of its processes: one node, no NIC, no multicast, and its libraries.
pub(crate) fn environment(package: &Path) -> Vec<(String, String)> {
    let own = [
        ("NVSHMEM_REMOTE_TRANSPORT", "none"),
        ("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo"),
        ("NVSHMEM_DISABLE_NVLS", "1"),
        ("NVSHMEM_SYMMETRIC_SIZE", "4G"),
    ];
    let mut environment: Vec<(String, String)> = own.map(|(name, value)| (name.into(), value.into())).into();
    let mut path = package.join("lib").display().to_string();
    if let Ok(before) = std::env::var("LD_LIBRARY_PATH") {
        path = format!("{path}:{before}");
    }
    environment.push(("LD_LIBRARY_PATH".into(), path));
    environment
}

/// Builds the program into `out` unless it is newer than its sources, and returns its path and its origin as text. A
/// program beside its sources is used as it is.
///
/// # Errors
///
/// The sources or the compiler are missing, or the compiler fails.
pub(crate) fn build(place: &Place, package: &Path, out: &Path) -> Result<(PathBuf, &'static str)> {
    let folder = sources_folder(place);
    // Without a compiler here, a user can build the program elsewhere for the same GPUs and put it there.
    let ready = folder.join(PROGRAM);
    if shell::is_program(&ready) {
        return Ok((ready, "program found beside its sources"));
    }
    let sources = sources(&folder)?;
    let nvcc = find_nvcc()?;
    let out = out.join(NVSHMEM);
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    let out = out.canonicalize().with_context(|| format!("cannot reach {}", out.display()))?;
    let program = out.join(PROGRAM);
    let command = command(&nvcc, package, &folder, &sources, &out);
    let link = out.join(HOST_LIBRARY.0);
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(package.join("lib").join(HOST_LIBRARY.1), &link)
        .with_context(|| format!("cannot make the link {}", link.display()))?;
    let origin = compile(command, &program, &folder)?;
    Ok((program, origin))
}

/// Returns the folder of the sources of NVSHMEM's comparator.
pub(crate) fn sources_folder(place: &Place) -> PathBuf {
    match place {
        Place::Checkout(root) => root.join(SOURCES),
        Place::Packed(root) => root.join(SOURCES.trim_start_matches("tests/")),
    }
}

/// Builds `program` from the sources in `folder` by this command, unless an earlier run has done the same, and returns
/// its origin as text.
pub(crate) fn compile(mut command: Command, program: &Path, folder: &Path) -> Result<&'static str> {
    // The command is kept beside the program, because another package or compiler needs another program.
    let (stamp, built_with) = (program.with_extension("built-with"), shell::typed(&command));
    if is_fresh(program, folder) && std::fs::read_to_string(&stamp).is_ok_and(|before| before == built_with) {
        return Ok("program built by a run before, from the same sources");
    }
    let compiler = command.get_program().to_string_lossy();
    eprintln!("perf: building {} with {compiler}", program.file_name().unwrap_or_default().to_string_lossy());
    shell::capture(&mut command).context("cannot build NVSHMEM's side of the comparison")?;
    std::fs::write(&stamp, built_with).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok("program built by this run")
}

fn command(nvcc: &Path, package: &Path, folder: &Path, sources: &[PathBuf], out: &Path) -> Command {
    let mut command = Command::new(nvcc);
    command
        .args(["-O3", "-std=c++17", "-arch=native", "-rdc=true", "--threads", "0", "-I"])
        .arg(package.join("include"));
    command.arg("-I").arg(folder).args(sources).arg("-o").arg(out.join(PROGRAM));
    command.arg("-L").arg(out).arg("-L").arg(package.join("lib"));
    command.args(["-lnvshmem_host", "-lnvshmem_device", "-lcuda", "-lnvidia-ml"]);
    command
}

/// Returns the package's absolute folder, if it has the needed files.
pub(crate) fn check_package(package: &Path) -> Result<PathBuf> {
    // The compiler reports other missing files.
    let part = format!("lib/{}", HOST_LIBRARY.1);
    if !package.join(&part).is_file() {
        bail!(
            "{} has no {part}: give the folder `nvidia/nvshmem` of the unpacked Python package nvidia-nvshmem-cu12 or -cu13",
            package.display()
        );
    }
    package.canonicalize().with_context(|| format!("cannot reach {}", package.display()))
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}, where the sources of {PROGRAM} should be", folder.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "cu")).collect();
    sources.sort();
    if sources.is_empty() {
        bail!("{} has no .cu files, which should be the sources of {PROGRAM}", folder.display());
    }
    Ok(sources)
}

/// Returns the compiler: `$NVCC`, one on the PATH, or one in a toolkit's default folder.
pub(crate) fn find_nvcc() -> Result<PathBuf> {
    if let Some(nvcc) = std::env::var_os("NVCC").map(PathBuf::from) {
        if shell::is_program(&nvcc) {
            return Ok(nvcc);
        }
        return shell::on_path(&nvcc.to_string_lossy())
            .with_context(|| format!("NVCC={} is not a program", nvcc.display()));
    }
    let usual = PathBuf::from("/usr/local/cuda/bin/nvcc");
    shell::on_path("nvcc").or_else(|| shell::is_program(&usual).then_some(usual)).context(
        "no nvcc, which NVSHMEM's side of the comparison is built with: it is not on the PATH and not in \
         /usr/local/cuda/bin; install a CUDA toolkit, or name its compiler in NVCC",
    )
}

/// Returns whether the program is newer than everything in the sources' folder.
fn is_fresh(program: &Path, folder: &Path) -> bool {
    let changed = |file: &Path| file.metadata().and_then(|meta| meta.modified()).ok();
    let Some(built) = changed(program) else { return false };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).all(|file| changed(&file).is_some_and(|changed| changed < built))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_no_package_is_an_error_that_says_what_is_missing_and_what_to_give() {
        let error = check_package(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(error.contains("lib/libnvshmem_host.so.3") && error.contains("`nvidia/nvshmem`"), "{error}");
    }

    #[test]
    fn the_program_is_linked_with_our_link_before_the_packages_libraries() {
        let folder = Path::new("/s");
        let command = command(Path::new("nvcc"), Path::new("/p"), folder, &[folder.join("perf.cu")], Path::new("/o"));
        assert_eq!(
            shell::typed(&command),
            "nvcc -O3 -std=c++17 -arch=native -rdc=true --threads 0 -I /p/include -I /s /s/perf.cu -o /o/nvshmem-perf -L /o -L /p/lib \
             -lnvshmem_host -lnvshmem_device -lcuda -lnvidia-ml"
        );
    }
}

//! The peers: our program, NVSHMEM's device code, and other programs that speak the protocol.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use oxshmem_raw::gpu::cuda;

use super::super::peer::Peer;
use super::super::plan::On;
use super::super::processes::Start;
use super::super::results::{NVSHMEM, OURS};
use super::super::{Options, alone, comparator, roster};
use xtask::place::Place;
use xtask::programs::{self, Profile};
use xtask::ptx;
use xtask::rdma::Rdma;
use xtask::run::Device;
use xtask::shell;

/// The name of our program.
const PROGRAM: &str = "oxshmem-nic-rates";
/// NVSHMEM's device code.
const THEIRS: &str = "nvshmem-ibgda-rates";
/// The crate with the engine, and with the kernels that post to it in our program.
const KERNELS: &str = "oxshmem-nic-kernels";
/// The folder of its source, in the folder of NVSHMEM's comparators.
const SOURCE: (&str, &str) = ("ibgda", "rates.cu");
/// The file that the package must have.
const HEADERS: &str = "include";

/// Builds the missing programs, and returns the peers, ours first. None is started yet.
pub(super) fn enlist(place: &Place, options: &Options, on: On, out: &Path) -> Result<Vec<Peer>> {
    let device = if on == On::Gpus { Device::Gpu } else { Device::Host };
    let start = |name: &str, program: PathBuf, args: Vec<String>, env: Vec<(String, String)>| {
        let start = Start { name: name.to_string(), program, args, env, n: 1, device };
        Peer::new(start, Duration::from_secs(options.row_seconds))
    };
    // Paths in the options are checked before anything is built.
    let mut others = Vec::new();
    for (name, path) in &options.against {
        if name != NVSHMEM {
            bail!(
                "--against knows `{NVSHMEM}` alone, not `{name}`; any program that speaks the protocol can be a --peer"
            );
        }
        if on == On::Host {
            bail!("{NVSHMEM} runs on GPUs alone, and this run is on threads of the CPU; leave --against out");
        }
        others.push(check_theirs(path)?);
    }
    let program = match &options.ours {
        Some(program) => roster::named_program(program)?,
        None => programs::resolve(place, PROGRAM, if on == On::Gpus { Profile::Release } else { Profile::Dev })?,
    };
    let mut environment = place.environment();
    let image = if on == On::Gpus { Some(kernels(place)?) } else { None };
    if let Some(folder) = image.as_deref().and_then(Path::parent) {
        // All peers use this engine, even if another folder has one.
        environment.retain(|(name, _)| name != "OXSHMEM_PTX_PATH");
        environment.push(("OXSHMEM_PTX_PATH".into(), folder.display().to_string()));
    }
    let mut peers = vec![start(OURS, program, Vec::new(), environment.clone())];
    for (theirs, image) in others.into_iter().zip(image.iter().cycle()) {
        let (program, origin) = match theirs {
            Theirs::Program(program) => (program, "program given"),
            Theirs::Package(package) => build(place, &package, out)?,
        };
        let mut peer = start(NVSHMEM, program, vec![image.display().to_string()], Vec::new());
        peer.origin = Some(origin);
        peers.push(peer);
    }
    for (name, program) in &options.peers {
        peers.push(start(name, roster::named_program(program)?, Vec::new(), environment.clone()));
    }
    for (index, peer) in peers.iter().enumerate() {
        if peers[..index].iter().any(|before| before.name() == peer.name()) {
            bail!("two peers are named `{}`", peer.name());
        }
    }
    Ok(peers)
}

/// Returns the PTX of the engine for this machine's GPU.
fn kernels(place: &Place) -> Result<PathBuf> {
    let gpu = || cuda::Device::get(0).and_then(|gpu| gpu.compute_capability());
    // A packed folder has it for the GPUs of its cluster.
    let arch = match place {
        Place::Packed(_) => "",
        Place::Checkout(_) => gpu().map(|(major, minor)| arch(10 * major + minor)).context("`perf --nic`")?,
    };
    alone::kernels(place, KERNELS, "nic", arch)
}

/// Returns the newest architecture of our PTX that such a GPU runs.
fn arch(capability: u32) -> &'static str {
    let runs = |arch: &&&str| ptx::arch_number(arch).is_some_and(|number| number <= capability);
    ptx::ASSEMBLED_ARCHS.iter().filter(runs).max_by_key(|arch| ptx::arch_number(arch)).unwrap_or(&"sm_80")
}

/// The form in which the user gave NVSHMEM.
#[derive(Debug, PartialEq, Eq)]
enum Theirs {
    /// Its program, built elsewhere.
    Program(PathBuf),
    /// The folder of its Python package.
    Package(PathBuf),
}

fn check_theirs(path: &Path) -> Result<Theirs> {
    if path.is_file() {
        return roster::named_program(path).map(Theirs::Program);
    }
    if !path.join(HEADERS).join("nvshmem.h").is_file() {
        bail!(
            "{} is no program and has no {HEADERS}/nvshmem.h: give {THEIRS}, or the folder `nvidia/nvshmem` of the \
             unpacked Python package nvidia-nvshmem-cu13 to build it",
            path.display()
        );
    }
    path.canonicalize().map(Theirs::Package).with_context(|| format!("cannot reach {}", path.display()))
}

/// Builds NVSHMEM's program into `out` if it is missing, and returns its origin as text. A program beside its source
/// is used as it is.
fn build(place: &Place, package: &Path, out: &Path) -> Result<(PathBuf, &'static str)> {
    let folder = comparator::folder(place).join(NVSHMEM).join(SOURCE.0);
    let ready = folder.join(THEIRS);
    if shell::is_program(&ready) {
        return Ok((ready, "program found beside its sources"));
    }
    let source = folder.join(SOURCE.1);
    if !source.is_file() {
        bail!("{} is missing, which {THEIRS} is built from", source.display());
    }
    let nvcc = comparator::find_nvcc()?;
    let verbs = match place {
        Place::Checkout(root) => Some(Rdma::find(root)?),
        Place::Packed(root) => Rdma::at_hand(root),
    };
    let program = comparator::out_folder(out, NVSHMEM)?.join(THEIRS);
    let command = command(&nvcc, package, verbs.as_ref().map(Rdma::include), &source, &program);
    let origin = comparator::compile(command, &program, &[&folder])?;
    Ok((program, origin))
}

/// Returns the compiler's command. Without `-rdc`, NVSHMEM's device code is inlined, and its state belongs to the
/// program.
fn command(nvcc: &Path, package: &Path, verbs: Option<&Path>, source: &Path, program: &Path) -> Command {
    let mut command = Command::new(nvcc);
    command.args(["-O3", "-std=c++17", "-arch=native", "-DNDEBUG", "-I"]).arg(package.join(HEADERS));
    // The compiler searches the system's folder by itself.
    if let Some(verbs) = verbs.filter(|folder| *folder != Path::new("/usr/include")) {
        command.arg("-isystem").arg(verbs);
    }
    command.arg(source).arg("-o").arg(program).arg("-lcuda");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_are_built_for_the_newest_architecture_that_the_gpu_runs() {
        assert_eq!([80, 89, 90, 100, 120].map(arch), ["sm_80", "sm_80", "sm_90", "sm_100", "sm_100"]);
    }

    #[test]
    fn nvshmem_is_given_as_a_program_or_as_the_folder_of_its_package() {
        let program = std::env::current_exe().unwrap();
        assert_eq!(check_theirs(&program).unwrap(), Theirs::Program(program));
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(check_theirs(Path::new(file)).unwrap_err().to_string().contains("Cargo.toml is not a program"));
        let error = check_theirs(Path::new("/nowhere")).unwrap_err().to_string();
        assert!(error.contains("include/nvshmem.h") && error.contains(THEIRS), "{error}");
    }

    #[test]
    fn nvshmems_program_is_one_file_with_its_headers_and_those_of_verbs() {
        let [nvcc, package, source, program] = ["nvcc", "/p", "/s/rates.cu", "/o/x"].map(Path::new);
        let typed = |verbs: &str| shell::typed(&command(nvcc, package, Some(Path::new(verbs)), source, program));
        assert_eq!(
            typed("/v"),
            "nvcc -O3 -std=c++17 -arch=native -DNDEBUG -I /p/include -isystem /v /s/rates.cu -o /o/x -lcuda"
        );
        assert!(!typed("/usr/include").contains("-isystem"));
    }
}

//! The programs that measure other libraries, as a table: found beside their sources, or built by the compiler of a
//! CUDA toolkit against an unpacked Python package.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::results::NVSHMEM;
use xtask::files;
use xtask::place::Place;
use xtask::rdma::Rdma;
use xtask::shell;

/// The folder of the comparators in a checkout; a packed folder has it without the first part.
const FOLDER: &str = "tests/peers";

/// Another library, and its comparator.
pub(crate) struct Library {
    /// The name by which `--against` knows it, which is also that of its first mode.
    pub name: &'static str,
    /// The comparator: the program that is built, or a script that an interpreter runs.
    program: &'static str,
    /// The file that the library's package must have, and the folder to give.
    package: (&'static str, &'static str),
    /// The folders of sources, below that of the comparators; none for a script.
    sources: &'static [&'static str],
    /// Options of the compiler.
    compile: &'static [&'static str],
    /// Whether the sources need the headers of libibverbs.
    verbs: bool,
    link: &'static [&'static str],
    /// The library's modes: the end of the peer's name, the program's arguments, and whether it has rows of
    /// collectives.
    modes: &'static [(&'static str, &'static [&'static str], bool)],
    /// Whether it has other rows than those of collectives.
    others: bool,
    /// Variables of its processes. Some are set by the program too, and repeated here because the page lists only
    /// these.
    variables: &'static [(&'static str, &'static str)],
}

/// The libraries that are measured by worlds of PEs.
const LIBRARIES: [Library; 3] = [
    Library {
        name: NVSHMEM,
        program: "nvshmem-perf",
        package: (
            "lib/libnvshmem_host.so.3",
            "the folder `nvidia/nvshmem` of the unpacked Python package nvidia-nvshmem-cu12 or -cu13",
        ),
        sources: &["nvshmem", "common"],
        compile: &["-rdc=true", "--threads", "0"],
        verbs: false,
        // The package lacks the name that `-lnvshmem_host` searches for.
        link: &["-l:libnvshmem_host.so.3", "-lnvshmem_device", "-lcuda", "-lnvidia-ml"],
        modes: &[("", &[], true), ("-tma", &["--tma"], false)],
        others: true,
        // One node, no NIC, no multicast. NVSHMEM uses NCCL for collectives on streams if NCCL is there, which is
        // faster for most sizes.
        variables: &[
            ("NVSHMEM_REMOTE_TRANSPORT", "none"),
            ("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo"),
            ("NVSHMEM_DISABLE_NVLS", "1"),
            ("NCCL_NVLS_ENABLE", "0"),
            ("NVSHMEM_SYMMETRIC_SIZE", "4G"),
        ],
    },
    Library {
        name: "nccl",
        program: "nccl-perf",
        package: (
            "lib/libnccl.so.2",
            "the folder `nvidia/nccl` of the Python package nvidia-nccl-cu12 or -cu13, which torch needs too",
        ),
        sources: &["nccl", "common"],
        compile: &[],
        verbs: false,
        link: &["-l:libnccl.so.2"],
        modes: &[("", &[], true), ("-symmetric", &["--symmetric"], true)],
        others: false,
        variables: &[("NCCL_NVLS_ENABLE", "0"), ("NCCL_GRAPH_MIXING_SUPPORT", "0")],
    },
    Library {
        name: "torch",
        program: "torch/collectives.py",
        package: ("", ""),
        sources: &[],
        compile: &[],
        verbs: false,
        link: &[],
        modes: &[("-one-shot", &["one-shot"], true), ("-two-shot", &["two-shot"], true)],
        others: false,
        variables: &[("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1"), ("NCCL_NVLS_ENABLE", "0")],
    },
];

/// NVSHMEM's device code for a NIC's queues. Without `-rdc` it is inlined, and its state belongs to the program.
pub(crate) const NVSHMEM_ON_NIC: Library = Library {
    program: "nvshmem-ibgda-rates",
    package: (
        "include/nvshmem.h",
        "nvshmem-ibgda-rates, or the folder `nvidia/nvshmem` of the unpacked Python package nvidia-nvshmem-cu13 to build it",
    ),
    sources: &["nvshmem/ibgda"],
    compile: &["-DNDEBUG"],
    verbs: true,
    link: &["-lcuda"],
    modes: &[("", &[], false)],
    variables: &[],
    ..LIBRARIES[0]
};

/// Another library in a run.
#[derive(Debug)]
pub(crate) struct Against {
    pub program: PathBuf,
    /// The origin of the program, as text.
    pub origin: &'static str,
    /// The library's modes: the peer's name, and the program's arguments.
    pub modes: Vec<(String, Vec<String>)>,
    pub environment: Vec<(String, String)>,
}

/// Returns the library that `--against NAME=PATH` names.
///
/// # Errors
///
/// There is none of this name; the message lists those that there are.
pub(crate) fn library(name: &str) -> Result<&'static Library> {
    let names = LIBRARIES.map(|library| format!("`{}`", library.name));
    LIBRARIES.iter().find(|library| library.name == name).with_context(|| {
        let (last, first) = names.split_last().expect("there is one");
        format!(
            "--against knows {} and {last}, not `{name}`; any program that speaks the protocol can be a --peer",
            first.join(", ")
        )
    })
}

impl Library {
    /// Returns the library in a package, by its path, with the modes that have rows of this run: of `collectives`, or
    /// all others. Builds its program into `out` if it is missing.
    ///
    /// # Errors
    ///
    /// The library has no rows of this run; `path` is not the package that it needs; its program can't be built.
    pub(crate) fn against(&self, place: &Place, path: &Path, out: &Path, collectives: bool) -> Result<Against> {
        if !collectives && !self.others {
            bail!("{} has rows of --collectives alone", self.name);
        }
        let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
        let mut environment: Vec<(String, String)> = self.variables.iter().map(own).collect();
        let mut script = None;
        let (program, origin) = if self.sources.is_empty() {
            let file = folder(place).join(self.program);
            if !file.is_file() {
                bail!("{} is missing, which measures {}", file.display(), self.name);
            }
            script = Some(file.display().to_string());
            (named_program(path)?, "a Python program")
        } else if self.verbs && path.is_file() {
            (named_program(path)?, "program given")
        } else {
            let package = self.check_package(path)?;
            if !self.verbs {
                environment.push(("LD_LIBRARY_PATH".into(), before_the_users(&package.join("lib"))));
            }
            self.build(place, &package, out)?
        };
        let modes = self.modes.iter().filter(|(.., has_collectives)| *has_collectives || !collectives);
        let args = |args: &[&str]| script.iter().cloned().chain(args.iter().map(|arg| arg.to_string())).collect();
        let modes = modes.map(|(end, words, _)| (format!("{}{end}", self.name), args(words))).collect();
        Ok(Against { program, origin, modes, environment })
    }

    /// Returns the absolute folder of the library's package.
    ///
    /// # Errors
    ///
    /// It is another folder; the message says which one to give.
    pub(crate) fn check_package(&self, package: &Path) -> Result<PathBuf> {
        let (file, give) = self.package;
        if !package.join(file).is_file() {
            bail!("{} has no {file}: give {give}", package.display());
        }
        package.canonicalize().with_context(|| format!("cannot reach {}", package.display()))
    }

    /// Returns the program and its origin as text: the one beside its sources, which a user can have built elsewhere
    /// for the same GPUs, or one that is built now, unless an earlier run has done the same.
    fn build(&self, place: &Place, package: &Path, out: &Path) -> Result<(PathBuf, &'static str)> {
        let folders: Vec<PathBuf> = self.sources.iter().map(|source| folder(place).join(source)).collect();
        let ready = folders[0].join(self.program);
        if shell::is_program(&ready) {
            return Ok((ready, "program found beside its sources"));
        }
        let verbs = match place {
            Place::Checkout(root) if self.verbs => Some(Rdma::find(root)?),
            Place::Packed(root) if self.verbs => Rdma::at_hand(root),
            _ => None,
        };
        let out = out.join(self.name);
        std::fs::create_dir_all(&out).with_context(|| format!("cannot make the folder {}", out.display()))?;
        let program = out.canonicalize().with_context(|| format!("cannot reach {}", out.display()))?.join(self.program);
        let command = self.command(&find_nvcc()?, package, verbs.as_ref().map(Rdma::include), &folders, &program)?;
        let origin = compile(command, &program, &folders)?;
        Ok((program, origin))
    }

    /// Returns the compiler's command.
    fn command(
        &self,
        nvcc: &Path,
        package: &Path,
        verbs: Option<&Path>,
        folders: &[PathBuf],
        program: &Path,
    ) -> Result<Command> {
        let mut command = Command::new(nvcc);
        command.args(["-O3", "-std=c++17", "-arch=native"]).args(self.compile).arg("-I").arg(package.join("include"));
        // The compiler searches the system's folder by itself.
        if let Some(verbs) = verbs.filter(|folder| *folder != Path::new("/usr/include")) {
            command.arg("-isystem").arg(verbs);
        }
        for folder in folders {
            command.arg("-I").arg(folder);
        }
        for folder in folders {
            let files = files::with_extension(folder, "cu")?;
            if files.is_empty() {
                bail!("{} has no .cu files, which should be sources of {}", folder.display(), self.program);
            }
            command.args(files);
        }
        command.arg("-o").arg(program).arg("-L").arg(package.join("lib")).args(self.link);
        Ok(command)
    }
}

/// Returns the absolute path of a program that the user names.
pub(crate) fn named_program(program: &Path) -> Result<PathBuf> {
    if !shell::is_program(program) {
        bail!("{} is not a program", program.display());
    }
    // A program may depend on the name by which it is called, so links are kept.
    std::path::absolute(program).with_context(|| format!("cannot reach {}", program.display()))
}

/// Returns the folder of the comparators.
fn folder(place: &Place) -> PathBuf {
    match place {
        Place::Checkout(root) => root.join(FOLDER),
        Place::Packed(root) => root.join(FOLDER.trim_start_matches("tests/")),
    }
}

/// Builds `program` from the sources in `folders` by this command, unless an earlier run has done the same, and returns
/// its origin as text.
fn compile(mut command: Command, program: &Path, folders: &[PathBuf]) -> Result<&'static str> {
    // The command is kept beside the program, because another package or compiler needs another program.
    let (stamp, built_with) = (program.with_extension("built-with"), shell::typed(&command));
    if is_fresh(program, folders) && std::fs::read_to_string(&stamp).is_ok_and(|before| before == built_with) {
        return Ok("program built by a run before, from the same sources");
    }
    let compiler = command.get_program().to_string_lossy();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    eprintln!("perf: building {name} with {compiler}");
    shell::capture(&mut command).with_context(|| format!("cannot build {name}, which measures another library"))?;
    std::fs::write(&stamp, built_with).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok("program built by this run")
}

/// Returns the compiler: `$NVCC`, one on the PATH, or one in a toolkit's default folder.
fn find_nvcc() -> Result<PathBuf> {
    if let Some(nvcc) = std::env::var_os("NVCC").map(PathBuf::from) {
        if shell::is_program(&nvcc) {
            return Ok(nvcc);
        }
        return shell::on_path(&nvcc.to_string_lossy())
            .with_context(|| format!("NVCC={} is not a program", nvcc.display()));
    }
    let usual = PathBuf::from("/usr/local/cuda/bin/nvcc");
    shell::on_path("nvcc").or_else(|| shell::is_program(&usual).then_some(usual)).context(
        "no nvcc, which programs that measure other libraries are built with: it is not on the PATH and not in \
         /usr/local/cuda/bin; install a CUDA toolkit, or name its compiler in NVCC",
    )
}

/// Returns `LD_LIBRARY_PATH` with this folder before the user's.
fn before_the_users(libraries: &Path) -> String {
    let before = std::env::var("LD_LIBRARY_PATH").map_or_else(|_| String::new(), |before| format!(":{before}"));
    format!("{}{before}", libraries.display())
}

/// Returns whether the program is newer than everything in the sources' folders.
fn is_fresh(program: &Path, folders: &[PathBuf]) -> bool {
    let changed = |file: &Path| file.metadata().and_then(|meta| meta.modified()).ok();
    let Some(built) = changed(program) else { return false };
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    entries.map(|entry| entry.path()).all(|file| changed(&file).is_some_and(|changed| changed < built))
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn a_program_is_built_from_its_own_and_the_common_sources_and_one_for_a_nic_with_the_headers_of_verbs() {
        let root = Scratch::new("comparator").unwrap();
        let folders = ["nccl", "common"].map(|folder| root.join(folder));
        for (folder, file) in [(0, "b.cu"), (0, "a.cu"), (0, "a.h"), (1, "c.cu")] {
            std::fs::create_dir_all(&folders[folder]).unwrap();
            std::fs::write(folders[folder].join(file), "").unwrap();
        }
        let [nvcc, package, program] = ["nvcc", "/p", "/o/x"].map(Path::new);
        let typed = |library: &Library, verbs, folders: &[PathBuf]| {
            let command = library.command(nvcc, package, verbs, folders, program).unwrap();
            shell::typed(&command).replace(&root.display().to_string(), "/s")
        };
        assert_eq!(
            typed(library("nvshmem").unwrap(), None, &folders),
            "nvcc -O3 -std=c++17 -arch=native -rdc=true --threads 0 -I /p/include -I /s/nccl -I /s/common /s/nccl/a.cu \
             /s/nccl/b.cu /s/common/c.cu -o /o/x -L /p/lib -l:libnvshmem_host.so.3 -lnvshmem_device -lcuda -lnvidia-ml"
        );
        let on_nic = |verbs| typed(&NVSHMEM_ON_NIC, Some(Path::new(verbs)), &folders[1..]);
        assert_eq!(
            on_nic("/v"),
            "nvcc -O3 -std=c++17 -arch=native -DNDEBUG -I /p/include -isystem /v -I /s/common /s/common/c.cu -o /o/x \
             -L /p/lib -lcuda"
        );
        assert!(!on_nic("/usr/include").contains("-isystem"));

        let program = root.join("x-perf");
        assert!(!is_fresh(&program, &folders), "it is missing");
        std::fs::write(&program, "").unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        std::fs::File::options().write(true).open(&program).unwrap().set_modified(later).unwrap();
        assert!(is_fresh(&program, &folders));
        let changed = std::fs::File::options().write(true).open(folders[1].join("c.cu")).unwrap();
        changed.set_modified(later + std::time::Duration::from_secs(5)).unwrap();
        assert!(!is_fresh(&program, &folders), "a common source is newer");
    }

    #[test]
    fn a_library_of_collectives_alone_is_refused_in_other_runs_and_a_folder_that_is_no_package_always() {
        let against = |library: &Library, path: &Path, collectives| {
            library.against(&Place::Packed("/packed".into()), path, Path::new("/out"), collectives)
        };
        let nowhere = Path::new("/nowhere");
        let refused = |library, collectives| against(library, nowhere, collectives).unwrap_err().to_string();
        let nccl = library("nccl").unwrap();
        assert_eq!(refused(nccl, false), "nccl has rows of --collectives alone");
        let error = refused(nccl, true);
        assert!(error.starts_with("/nowhere has no lib/libnccl.so.2: give the folder `nvidia/nccl`"), "{error}");
        let error = refused(&NVSHMEM_ON_NIC, false);
        assert!(error.contains("include/nvshmem.h") && error.contains("nvshmem-ibgda-rates"), "{error}");
        let program = std::env::current_exe().unwrap();
        assert_eq!(against(&NVSHMEM_ON_NIC, &program, false).unwrap().program, program);
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let error = against(&NVSHMEM_ON_NIC, Path::new(file), false).unwrap_err().to_string();
        assert!(error.contains("Cargo.toml is not a program"), "{error}");
    }

    #[test]
    fn every_known_library_is_in_the_message_about_an_unknown_one() {
        let error = library("mpi").err().unwrap().to_string();
        for known in &LIBRARIES {
            assert!(error.contains(known.name) && library(known.name).is_ok(), "{error}");
        }
    }
}

//! The programs that measure other libraries: found beside their sources, or built by the compiler of a CUDA toolkit.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::results::NVSHMEM;
use super::{nccl, nvshmem, torch};
use xtask::place::Place;
use xtask::shell;

/// The folder of the comparators in a checkout; a packed folder has it without the first part.
const FOLDER: &str = "tests/peers";
/// The folder in it of the parts that comparators share.
const COMMON: &str = "common";

/// Another library in a run.
pub(crate) struct Against {
    pub program: PathBuf,
    /// The origin of the program, as text.
    pub origin: &'static str,
    /// The library's modes: the peer's name, and the program's arguments.
    pub modes: Vec<(String, Vec<String>)>,
    pub environment: Vec<(String, String)>,
}

/// Returns the library that `--against NAME=PATH` names, with the modes that have rows of this run: of `collectives`,
/// or all others. Builds its program into `out` if it is missing.
///
/// # Errors
///
/// The name is not one of a library; the library has no rows of this run; `path` is not the package that it needs; its
/// program can't be built.
pub(crate) fn against(place: &Place, name: &str, path: &Path, out: &Path, collectives: bool) -> Result<Against> {
    match name {
        NVSHMEM => nvshmem::against(place, path, out, collectives),
        nccl::NAME | torch::NAME if !collectives => bail!("{name} has rows of --collectives alone"),
        nccl::NAME => nccl::against(place, path, out),
        torch::NAME => torch::against(place, path),
        _ => bail!("{}", unknown(name)),
    }
}

/// Returns whether there is such a library.
pub(crate) fn is_known(name: &str) -> bool {
    [NVSHMEM, nccl::NAME, torch::NAME].contains(&name)
}

/// Returns the message about a library that `--against` does not know.
pub(crate) fn unknown(name: &str) -> String {
    format!(
        "--against knows `{NVSHMEM}`, `{}` and `{}`, not `{name}`; any program that speaks the protocol can be a --peer",
        nccl::NAME,
        torch::NAME
    )
}

/// The sources of one comparator.
pub(crate) struct Sources {
    /// Its program's name.
    pub program: &'static str,
    /// Its folder.
    pub folder: PathBuf,
    /// The folder of the parts that comparators share.
    pub common: PathBuf,
}

impl Sources {
    /// Returns the sources in the folder `name`.
    pub(crate) fn of(place: &Place, name: &str, program: &'static str) -> Self {
        Self { program, folder: folder(place).join(name), common: folder(place).join(COMMON) }
    }

    /// Returns the program beside its sources, if there is one. Without a compiler here, a user can build it elsewhere
    /// for the same GPUs and put it there.
    pub(crate) fn ready(&self) -> Option<(PathBuf, &'static str)> {
        let ready = self.folder.join(self.program);
        shell::is_program(&ready).then_some((ready, "program found beside its sources"))
    }

    /// Returns the start of the compiler's command: options of the language, `headers`, and all sources.
    ///
    /// # Errors
    ///
    /// The compiler or the sources are missing.
    pub(crate) fn command(&self, options: &[&str], headers: &Path) -> Result<Command> {
        self.command_of(&find_nvcc()?, options, headers)
    }

    fn command_of(&self, nvcc: &Path, options: &[&str], headers: &Path) -> Result<Command> {
        let mut command = Command::new(nvcc);
        command.args(["-O3", "-std=c++17", "-arch=native"]).args(options).arg("-I").arg(headers);
        command.arg("-I").arg(&self.folder).arg("-I").arg(&self.common);
        for folder in [&self.folder, &self.common] {
            command.args(self.files(folder)?);
        }
        Ok(command)
    }

    fn files(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder).with_context(|| {
            format!("cannot read {}, where sources of {} should be", folder.display(), self.program)
        })?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "cu")).collect();
        files.sort();
        if files.is_empty() {
            bail!("{} has no .cu files, which should be sources of {}", folder.display(), self.program);
        }
        Ok(files)
    }

    /// Builds `program` by this command, unless an earlier run has done the same, and returns its origin as text.
    pub(crate) fn compile(&self, command: Command, program: &Path) -> Result<&'static str> {
        compile(command, program, &[&self.folder, &self.common])
    }
}

/// Returns the folder of the comparators.
pub(crate) fn folder(place: &Place) -> PathBuf {
    match place {
        Place::Checkout(root) => root.join(FOLDER),
        Place::Packed(root) => root.join(FOLDER.trim_start_matches("tests/")),
    }
}

/// Returns the folder for a comparator's program, and creates it if it is missing.
pub(crate) fn out_folder(out: &Path, name: &str) -> Result<PathBuf> {
    let out = out.join(name);
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    out.canonicalize().with_context(|| format!("cannot reach {}", out.display()))
}

/// Builds `program` from the sources in `folders` by this command, unless an earlier run has done the same, and returns
/// its origin as text.
pub(crate) fn compile(mut command: Command, program: &Path, folders: &[&Path]) -> Result<&'static str> {
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
        "no nvcc, which programs that measure other libraries are built with: it is not on the PATH and not in \
         /usr/local/cuda/bin; install a CUDA toolkit, or name its compiler in NVCC",
    )
}

/// Returns variables, and `LD_LIBRARY_PATH` with this folder before the user's.
pub(crate) fn environment(variables: &[(&str, &str)], libraries: &Path) -> Vec<(String, String)> {
    let mut path = libraries.display().to_string();
    if let Ok(before) = std::env::var("LD_LIBRARY_PATH") {
        path = format!("{path}:{before}");
    }
    let own = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    own.chain([("LD_LIBRARY_PATH".into(), path)]).collect()
}

/// Returns the absolute folder of an unpacked Python package, if it has this file. `what` names the package.
///
/// # Errors
///
/// The file is missing; the message says which folder to give.
pub(crate) fn check_package(package: &Path, file: &str, what: &str) -> Result<PathBuf> {
    if !package.join(file).is_file() {
        bail!("{} has no {file}: give {what}", package.display());
    }
    package.canonicalize().with_context(|| format!("cannot reach {}", package.display()))
}

/// Returns whether the program is newer than everything in the sources' folders.
fn is_fresh(program: &Path, folders: &[&Path]) -> bool {
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
    fn a_program_is_built_from_its_own_and_the_common_sources() {
        let root = Scratch::new("comparator").unwrap();
        let (folder, common) = (root.join("nccl"), root.join("common"));
        for (folder, file) in [(&folder, "b.cu"), (&folder, "a.cu"), (&folder, "a.h"), (&common, "c.cu")] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join(file), "").unwrap();
        }
        let sources = Sources { program: "x-perf", folder, common };
        let command = sources.command_of(Path::new("nvcc"), &["-rdc=true"], Path::new("/p/include")).unwrap();
        let typed = shell::typed(&command).replace(&root.display().to_string(), "/s");
        assert_eq!(
            typed,
            "nvcc -O3 -std=c++17 -arch=native -rdc=true -I /p/include -I /s/nccl -I /s/common /s/nccl/a.cu /s/nccl/b.cu \
             /s/common/c.cu"
        );
        let program = root.join("x-perf");
        let folders = [sources.folder.as_path(), sources.common.as_path()];
        assert!(!is_fresh(&program, &folders), "it is missing");
        std::fs::write(&program, "").unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        std::fs::File::options().write(true).open(&program).unwrap().set_modified(later).unwrap();
        assert!(is_fresh(&program, &folders));
        let changed = std::fs::File::options().write(true).open(sources.common.join("c.cu")).unwrap();
        changed.set_modified(later + std::time::Duration::from_secs(5)).unwrap();
        assert!(!is_fresh(&program, &folders), "a common source is newer");
    }

    #[test]
    fn a_folder_that_is_no_package_is_an_error_that_says_what_is_missing_and_what_to_give() {
        let error = check_package(Path::new("/nowhere"), "lib/libx.so", "the folder `x`").unwrap_err().to_string();
        assert_eq!(error, "/nowhere has no lib/libx.so: give the folder `x`");
    }

    #[test]
    fn a_library_of_collectives_alone_is_refused_in_other_runs() {
        let against = |collectives| {
            let place = Place::Packed("/packed".into());
            against(&place, nccl::NAME, Path::new("/nowhere"), Path::new("/out"), collectives)
                .err()
                .unwrap()
                .to_string()
        };
        assert_eq!(against(false), "nccl has rows of --collectives alone");
        assert!(against(true).starts_with("/nowhere has no lib/libnccl.so.2"), "{}", against(true));
    }

    #[test]
    fn every_known_library_is_in_the_message_about_an_unknown_one() {
        for name in [NVSHMEM, nccl::NAME, torch::NAME] {
            assert!(is_known(name) && unknown("mpi").contains(name));
        }
        assert!(!is_known("mpi"));
    }
}

//! Finds ptxas: in the machine's CUDA toolkit, or in the Python package that has it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow};

use crate::called;
use crate::fetch::wheels::{make_executable, wheels};
use crate::place::target_dir;
use crate::shell;

/// The Python package with ptxas.
const WHEEL: &str = "nvidia-cuda-nvcc";

/// An assembler that starts.
#[derive(Clone, Debug)]
pub(crate) struct Ptxas {
    /// The program.
    pub program: PathBuf,
    release: String,
}

impl fmt::Display for Ptxas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.program.display(), self.release)
    }
}

impl Ptxas {
    /// Finds one, in this order: `named`; on the PATH; in `/usr/local/cuda/bin`; fetched by pip into `target/`.
    pub(crate) fn find(root: &Path, named: Option<&Path>) -> Result<Self> {
        if let Some(program) = named {
            return Self::at(program).context("the ptxas that --ptxas or OXSHMEM_PTXAS names does not work");
        }
        Self::at_hand(root).or_else(|_| {
            let program = fetch(&wheel_folder(root)).map_err(|why| anyhow!(none_found(&why)))?;
            Self::at(&program)
        })
    }

    /// Finds one without fetching it.
    pub(crate) fn at_hand(root: &Path) -> Result<Self> {
        let places = shell::on_path("ptxas")
            .into_iter()
            .chain([PathBuf::from("/usr/local/cuda/bin/ptxas")])
            .chain(ptxas_below(&wheel_folder(root)));
        places.map(|program| Self::at(&program)).find_map(Result::ok).ok_or_else(|| {
            let called = called();
            anyhow!(
                "not on the PATH, in /usr/local/cuda/bin or in target/; `{called} ptx --assemble` fetches it if it can"
            )
        })
    }

    /// Returns the linker beside it, which the same package or toolkit has. Python's unpacking of wheels leaves programs
    /// without the permission to run.
    pub(super) fn linker(&self) -> PathBuf {
        let linker = self.program.with_file_name("nvlink");
        if linker.is_file() && !shell::is_program(&linker) {
            // If this fails, the start of the linker says why.
            let _ = make_executable(&linker);
        }
        linker
    }

    /// Returns this program, untried.
    #[cfg(test)]
    pub(super) fn for_tests(program: &Path) -> Self {
        Self { program: program.to_path_buf(), release: String::new() }
    }

    fn at(program: &Path) -> Result<Self> {
        let said = shell::capture(Command::new(program).arg("--version"))?;
        let release =
            said.lines().find(|line| line.contains("release")).unwrap_or("unknown release").trim().to_string();
        Ok(Self { program: program.to_path_buf(), release })
    }
}

fn wheel_folder(root: &Path) -> PathBuf {
    target_dir(root).join("toolchain/ptxas")
}

/// Returns `nvidia/cu13/bin/ptxas`, or the same of another CUDA version.
fn ptxas_below(folder: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(folder.join("nvidia")).ok()?;
    versions.flatten().map(|version| version.path().join("bin/ptxas")).find(|program| shell::is_program(program))
}

fn fetch(folder: &Path) -> Result<PathBuf> {
    let in_wheel = || {
        ["cu13", "cu12", "cuda_nvcc"]
            .iter()
            .map(|version| folder.join("nvidia").join(version).join("bin/ptxas"))
            .find(|program| program.is_file())
            .ok_or_else(|| anyhow!("the wheel of {WHEEL} has no bin/ptxas"))
    };
    wheels(folder, &[WHEEL], || make_executable(&in_wheel()?))?;
    in_wheel()
}

fn none_found(why: &anyhow::Error) -> String {
    format!(
        "no ptxas: {why:#}\nGet one by any of\n  \
         apt-get install python3-pip python3-venv       (Debian, as root; then this command fetches it)\n  \
         pip install {WHEEL}                   (then --ptxas .../nvidia/cu13/bin/ptxas)\n  \
         {:<46} (one of a CUDA toolkit, 12.8 or later)",
        format!("{} ptx --assemble --ptxas PATH", called())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_ptxas_that_does_not_start_is_an_error_and_not_passed_over() {
        let error = Ptxas::find(Path::new("/nowhere"), Some(Path::new("/nowhere/ptxas"))).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("OXSHMEM_PTXAS") && text.contains("/nowhere/ptxas"), "{text}");
    }

    #[test]
    fn no_ptxas_is_an_error_with_the_commands_that_help() {
        let text = none_found(&anyhow!("python3 is not on the PATH"));
        assert!(text.contains("python3 is not on the PATH") && text.contains("apt-get install python3-pip"), "{text}");
    }
}

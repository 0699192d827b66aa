//! The programs of a CUDA toolkit, which the public Python packages have too.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::place::target_dir;
use crate::ptx::Ptxas;
use crate::python::{make_executable, wheels};
use crate::shell;

/// The packages that make up a compiler.
const WHEELS: [&str; 5] =
    ["nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl", "nvidia-nvvm"];

/// The programs in them that the compiler starts.
const STARTED: [&str; 7] =
    ["bin/nvcc", "bin/ptxas", "bin/fatbinary", "bin/nvlink", "bin/cudafe++", "bin/bin2c", "nvvm/bin/cicc"];

/// The programs that assemble and pack.
#[derive(Debug)]
pub(super) struct Cuda {
    pub(super) ptxas: PathBuf,
    pub(super) fatbinary: PathBuf,
}

impl fmt::Display for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.ptxas.display(), self.fatbinary.display())
    }
}

impl Cuda {
    /// Finds the programs in the `bin` of a folder that the user names; otherwise where [`Ptxas`] is found.
    pub(super) fn find(root: &Path, named: Option<&Path>) -> Result<Self> {
        let ptxas = match named {
            Some(folder) => folder.join("bin/ptxas"),
            None => Ptxas::find(root, None)?.program,
        };
        let fatbinary = ptxas.with_file_name("fatbinary");
        if !fatbinary.is_file() {
            bail!(
                "no program {}; --cuda or CUDA_HOME takes the folder of a CUDA toolkit, or nvidia/cu13 of the Python \
                 package nvidia-cuda-nvcc",
                fatbinary.display()
            );
        }
        for program in [&ptxas, &fatbinary] {
            if !shell::is_program(program) {
                make_executable(program)?;
            }
        }
        Ok(Self { ptxas, fatbinary })
    }
}

/// A compiler of CUDA C++, with the CUDA runtime.
#[derive(Clone, Debug)]
pub(crate) struct Nvcc {
    home: PathBuf,
}

impl Nvcc {
    /// Finds one, in this order: in the folder that the user names; on the PATH; in `/usr/local/cuda`; fetched by pip
    /// into `target/`.
    ///
    /// # Errors
    /// There is none, and the packages can't be fetched.
    pub(crate) fn find(root: &Path, named: Option<&Path>) -> Result<Self> {
        if let Some(home) = named {
            return Self::at(home);
        }
        let on_path =
            shell::on_path("nvcc").and_then(|nvcc| Some(nvcc.canonicalize().ok()?.parent()?.parent()?.into()));
        let places = on_path.into_iter().chain([PathBuf::from("/usr/local/cuda")]);
        if let Some(found) = places.map(|home| Self::at(&home)).find_map(Result::ok) {
            return Ok(found);
        }
        let folder = target_dir(root).join("toolchain/cuda");
        let fetched = folder.join("nvidia/cu13");
        wheels(&folder, &WHEELS, || STARTED.iter().try_for_each(|program| make_executable(&fetched.join(program))))?;
        Self::at(&fetched)
    }

    fn at(home: &Path) -> Result<Self> {
        let nvcc = Self { home: home.to_path_buf() };
        shell::capture(nvcc.command().arg("--version"))?;
        Ok(nvcc)
    }

    /// Returns a command that compiles, and links the CUDA runtime.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.home.join("bin/nvcc"));
        command.arg("-std=c++17");
        for lib in ["lib64", "lib"] {
            command.arg("-L").arg(self.home.join(lib));
        }
        command
    }
}

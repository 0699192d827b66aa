//! The programs of a CUDA toolkit, which the public Python packages have too.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::fetch::wheels::{CUDA, PTXAS_12_4, PTXAS_12_8, Wheels, make_executable};
use crate::ptx::{Ptxas, arch_number};
use crate::shell;

/// The oldest toolkits that programs are linked by, each with the first architecture that it is the oldest for. A
/// toolkit refuses machine code of a later one.
const OLDEST: [(u32, &str, Wheels); 2] = [(100, "12.8", PTXAS_12_8), (0, "12.4", PTXAS_12_4)];
/// The last architecture of these.
const LAST_OF_OLDEST: u32 = 100;

/// The programs that assemble and pack.
#[derive(Debug)]
pub(super) struct Cuda {
    ptxas: PathBuf,
    pub(super) fatbinary: PathBuf,
    /// Whether the user named the toolkit, which then assembles all.
    is_named: bool,
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
        Ok(Self { ptxas, fatbinary, is_named: named.is_some() })
    }

    /// Returns the assembler for code that a program's toolkit links: of the oldest toolkit with the architecture, unless
    /// the user named one. If it can't be fetched, a note names the toolkit that programs need then.
    pub(super) fn ptxas_to_link(&self, root: &Path, arch: &str) -> PathBuf {
        let number = arch_number(arch).unwrap_or(u32::MAX);
        let oldest = OLDEST.iter().find(|(first, ..)| number >= *first);
        let Some((_, toolkit, wheels)) = oldest.filter(|_| !self.is_named && number <= LAST_OF_OLDEST) else {
            return self.ptxas.clone();
        };
        match wheels.find(root) {
            Ok(home) => home.join("ptxas"),
            Err(why) => {
                eprintln!(
                    "note: programs for {arch} need the toolkit of {} or a later one to link, as the ptxas of CUDA \
                     {toolkit} is not to be had: {why:#}",
                    self.ptxas.display()
                );
                self.ptxas.clone()
            }
        }
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
        Self::at(&CUDA.find(root)?)
    }

    fn at(home: &Path) -> Result<Self> {
        let nvcc = Self { home: home.to_path_buf() };
        shell::capture(nvcc.command().arg("--version"))?;
        Ok(nvcc)
    }

    /// Returns the folders of CUDA's headers: the runtime's, and those of CUDA's C++, which later toolkits have apart.
    pub(crate) fn includes(&self) -> [PathBuf; 2] {
        ["include", "include/cccl"].map(|folder| self.home.join(folder))
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

//! The programs of a CUDA toolkit that the device library needs: ptxas and fatbinary. The public Python packages have
//! them too.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::ptx::Ptxas;
use crate::shell;

/// The programs.
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
        for program in [&ptxas, &fatbinary] {
            if !shell::is_program(program) {
                bail!(
                    "no program {}; --cuda or CUDA_HOME takes the folder of a CUDA toolkit, or nvidia/cu13 of the \
                     Python package nvidia-cuda-nvcc",
                    program.display()
                );
            }
        }
        Ok(Self { ptxas, fatbinary })
    }
}

/// Finds nvcc: in the folder that the user names, or on the PATH.
pub(super) fn nvcc(named: Option<&Path>) -> Result<PathBuf> {
    match named {
        Some(folder) => Ok(folder.join("bin/nvcc")),
        None => {
            shell::on_path("nvcc").context("no nvcc on the PATH; --cuda or CUDA_HOME takes the folder of a toolkit")
        }
    }
}

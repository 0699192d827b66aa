//! Programs and modules of Python packages, which pip fetches into `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::place::target_dir;
use crate::{fetch, shell};

/// Packages that are unpacked in a folder of their own.
#[derive(Debug)]
pub(crate) struct Wheels {
    /// The folder, in `toolchain` of the target directory.
    folder: &'static str,
    packages: &'static [&'static str],
    /// The folder in it that is used, and the programs there, which unpacking does not make executable.
    home: &'static str,
    programs: &'static [&'static str],
}

/// A compiler of CUDA C++, with the programs that it starts.
pub(crate) const CUDA: Wheels = Wheels {
    folder: "cuda",
    packages: &["nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl", "nvidia-nvvm"],
    home: "nvidia/cu13",
    programs: &["bin/nvcc", "bin/ptxas", "bin/fatbinary", "bin/nvlink", "bin/cudafe++", "bin/bin2c", "nvvm/bin/cicc"],
};
/// The assemblers of older toolkits.
pub(crate) const PTXAS_12_8: Wheels = Wheels {
    folder: "ptxas-12.8",
    packages: &["nvidia-cuda-nvcc-cu12==12.8.93"],
    home: "nvidia/cuda_nvcc/bin",
    programs: &["ptxas"],
};
pub(crate) const PTXAS_12_4: Wheels =
    Wheels { folder: "ptxas-12.4", packages: &["nvidia-cuda-nvcc-cu12==12.4.131"], ..PTXAS_12_8 };
/// NVSHMEM's headers.
pub(crate) const NVSHMEM: Wheels =
    Wheels { folder: "nvshmem", packages: &["nvidia-nvshmem-cu13==3.8.0"], home: "nvidia/nvshmem", programs: &[] };
/// CUDA's compiler as a library.
pub(crate) const NVRTC: Wheels =
    Wheels { folder: "nvrtc", packages: &["nvidia-cuda-nvrtc"], home: "nvidia/cu13/lib", programs: &[] };
pub(crate) const PKGCONF: Wheels = Wheels {
    folder: "pkgconf-2.5.1.post1",
    packages: &["pkgconf==2.5.1.post1"],
    home: "pkgconf/.bin",
    programs: &["pkgconf"],
};
pub(crate) const CMAKE: Wheels =
    Wheels { folder: "cmake-3.31.10", packages: &["cmake==3.31.10"], home: "cmake/data/bin", programs: &["cmake"] };
pub(crate) const NINJA: Wheels = Wheels {
    folder: "ninja-1.13.0",
    packages: &["ninja==1.13.0"],
    home: "ninja-1.13.0.data/scripts",
    programs: &["ninja"],
};

impl Wheels {
    /// Returns the folder that is used, and fetches the packages first if they are missing.
    ///
    /// # Errors
    /// There is no Python with pip, or a package can't be fetched.
    pub(crate) fn find(&self, checkout: &Path) -> Result<PathBuf> {
        let folder = target_dir(checkout).join("toolchain").join(self.folder);
        let home = folder.join(self.home);
        let prepare = || self.programs.iter().try_for_each(|program| make_executable(&home.join(program)));
        wheels(&folder, self.packages, prepare)?;
        Ok(home)
    }
}

/// Fetches Python packages, unpacks them in `folder` and calls `prepare`, unless an earlier call did.
///
/// # Errors
/// There is no Python with pip, a package can't be fetched, or `prepare` fails.
pub(crate) fn wheels(folder: &Path, packages: &[&str], prepare: impl FnOnce() -> Result<()>) -> Result<()> {
    fetch::once(folder, || {
        download_and_unpack(folder, packages)?;
        prepare()
    })
}

fn download_and_unpack(folder: &Path, packages: &[&str]) -> Result<()> {
    let python = python_with_pip(folder)?;
    eprintln!("fetching {} with {} ...", packages.join(", "), shell::typed(&python.pip()));
    let mut download = python.pip();
    download.args(["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"]).arg(folder).args(packages);
    shell::capture(&mut download)?;
    let files = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let wheels: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "whl")).collect();
    if wheels.is_empty() {
        bail!("pip succeeded and left no wheel in {}", folder.display());
    }
    for wheel in wheels {
        unpack(&python, &wheel, folder)?;
        let _ = std::fs::remove_file(&wheel);
    }
    Ok(())
}

/// Returns a command of a Python that can import `module`: the system's, or one whose package is fetched into `folder`,
/// after which `prepare` is called.
///
/// # Errors
/// The package can't be fetched, or the module can't be imported.
pub(crate) fn python_with(
    folder: &Path,
    package: &str,
    module: &str,
    prepare: impl FnOnce() -> Result<()>,
) -> Result<Command> {
    let system = || Command::new("python3");
    if !fetch::is_complete(folder) && imports(system(), module).is_ok() {
        return Ok(system());
    }
    wheels(folder, &[package], prepare)?;
    let fetched = || {
        let mut python = system();
        python.env("PYTHONPATH", folder);
        python
    };
    imports(fetched(), module)
        .with_context(|| format!("the package {package} was fetched and `{module}` can't be imported"))?;
    Ok(fetched())
}

/// Checks that this Python has a module.
///
/// # Errors
/// It has none.
pub(crate) fn imports(mut python: Command, module: &str) -> Result<()> {
    shell::capture(python.args(["-c", &format!("import {module}")])).map(drop)
}

/// Marks a program of a wheel as one: Python's unpacking does not.
pub(crate) fn make_executable(program: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(program, executable)
        .with_context(|| format!("cannot make {} executable", program.display()))
}

/// Unpacks a wheel, which is a zip file. Python reads zip files, and is present if pip is.
fn unpack(python: &Python, wheel: &Path, folder: &Path) -> Result<()> {
    let mut unzip = Command::new(&python.program);
    unzip.args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder);
    shell::capture(&mut unzip).map(|_| ())
}

struct Python {
    program: PathBuf,
}

impl Python {
    fn pip(&self) -> Command {
        let mut pip = Command::new(&self.program);
        pip.args(["-m", "pip", "--disable-pip-version-check"]);
        pip
    }
}

/// Returns the system's Python if it has pip, and one of a virtual environment with pip otherwise.
fn python_with_pip(folder: &Path) -> Result<Python> {
    let Some(python) = shell::on_path("python3") else { bail!("python3 is not on the PATH") };
    let system = Python { program: python };
    if shell::capture(system.pip().arg("--version")).is_ok() {
        return Ok(system);
    }
    let environment = folder.join("venv");
    shell::capture(Command::new(&system.program).args(["-m", "venv"]).arg(&environment))
        .context("python3 has neither pip nor a working venv")?;
    Ok(Python { program: environment.join("bin/python") })
}

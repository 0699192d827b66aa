//! The folder that the tasks work on: a checkout, in which cargo builds missing parts, or a packed folder, which is
//! complete.

use std::env;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::manifest::Manifest;

/// The packages by which a program depends on oxshmem: its host side and its kernels' side.
pub(crate) const HOST: &str = "oxshmem-hal";
pub(crate) const DEVICE: &str = "oxshmem-device";

/// The folder that the tasks work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A checkout of oxshmem.
    Checkout(Checkout),
    /// The root of a folder made by `dist`, which has a `dist.toml`.
    Packed(PathBuf),
}

/// A program outside the checkout: its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The workspace's root.
    pub(crate) root: PathBuf,
    /// Cargo's target folder of the workspace.
    pub(crate) target: PathBuf,
    /// Each kernel crate's `Cargo.toml`.
    pub(crate) kernels: Vec<PathBuf>,
}

impl Program {
    /// Returns the kernel crates' manifests.
    ///
    /// # Errors
    /// The program has none.
    pub(crate) fn kernel_manifests(&self) -> Result<&[PathBuf]> {
        if self.kernels.is_empty() {
            bail!(
                "no package of {} is a kernel crate, which is a library that depends on {DEVICE} and not on {HOST}; \
                 name one outside by --manifest-path",
                self.root.display()
            );
        }
        Ok(&self.kernels)
    }
}

/// The root of a checkout, as which it can be used, and the program that the tasks are run for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    root: PathBuf,
    program: Option<Program>,
}

impl Checkout {
    /// Returns the checkout at `root`, for its own programs.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), program: None }
    }

    /// Returns the checkout at `root`, for a program outside it.
    pub(crate) fn of_program(root: impl Into<PathBuf>, program: Program) -> Self {
        Self { program: Some(program), ..Self::new(root) }
    }

    /// Returns the program outside the checkout, or `None` if the tasks are run for the checkout's own programs.
    pub(crate) fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }
}

impl Deref for Checkout {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.root
    }
}

impl Place {
    /// Finds the packed folder if this program is in the `bin/` of one, and otherwise the checkout that cargo runs
    /// this program in.
    pub fn find() -> Result<Self> {
        let program = env::current_exe().context("cannot find the path of this program")?;
        if let Some(packed) = packed_around(&program) {
            return Ok(Self::Packed(packed));
        }
        let from = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir().context("cannot read the path of the current folder")?,
        };
        match from.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file()) {
            Some(root) => Ok(Self::Checkout(Checkout::new(root))),
            None => bail!(
                "neither a checkout nor a packed folder: no `xtask/Cargo.toml` in {} or above, and no `dist.toml` beside {}; \
                 run `cargo xtask` in the checkout, `bin/xtask` of a folder made by `cargo xtask dist`, or `cargo oxshmem` \
                 in the folder of a program that depends on oxshmem",
                from.display(),
                program.display()
            ),
        }
    }

    /// Returns the folder for kernels' PTX. If the tasks are run for a program outside the checkout, it is the
    /// program's.
    pub fn ptx(&self) -> PathBuf {
        match self {
            Self::Checkout(checkout) => match checkout.program() {
                Some(program) => program.target.join("ptx"),
                None => target_dir(checkout).join("ptx"),
            },
            Self::Packed(root) => root.join("ptx"),
        }
    }

    /// Returns the environment variables for programs that are run from here, without those that the user has set.
    pub fn environment(&self) -> Vec<(String, String)> {
        let mut told = Vec::new();
        // The user may have set it under its second name.
        if env::var_os("OXSHMEM_PTX_DIR").is_none() {
            told.push(("OXSHMEM_PTX_PATH".to_string(), self.ptx().display().to_string()));
        }
        if let Self::Packed(root) = self {
            match Manifest::read(root) {
                Ok(manifest) => told.extend(manifest.environment),
                Err(why) => eprintln!("warning: {why:#}; its environment is not set"),
            }
        }
        told.retain(|(name, _)| env::var_os(name).is_none());
        told
    }

    /// Returns the program outside the checkout for which the tasks are run, if there is one.
    pub(crate) fn program(&self) -> Option<&Program> {
        match self {
            Self::Checkout(checkout) => checkout.program(),
            Self::Packed(_) => None,
        }
    }

    /// Returns the root of the checkout, or an error that `task` needs one.
    pub fn checkout(&self, task: &str) -> Result<&Path> {
        match self {
            Self::Checkout(root) => Ok(root),
            Self::Packed(root) => bail!(
                "`{task}` needs the sources, and {} is a packed folder without them; run it in a checkout",
                root.display()
            ),
        }
    }
}

/// Returns the packed folder whose `bin/` holds `program`.
fn packed_around(program: &Path) -> Option<PathBuf> {
    let bin = program.parent()?;
    let root = bin.parent()?;
    (bin.file_name()? == "bin" && root.join("dist.toml").is_file()).then(|| root.to_path_buf())
}

/// Returns cargo's target directory for this checkout.
pub fn target_dir(root: &Path) -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}

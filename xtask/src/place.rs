//! The folder that the tasks work on: a checkout, where cargo builds what is missing, or a packed folder, where
//! everything is there already.

use std::env;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::cargo_oxshmem::Program;
use crate::dist::Manifest;

/// The folder that the tasks work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A checkout of oxshmem.
    Checkout(Checkout),
    /// The root of a folder made by `dist`, which has a `dist.toml`.
    Packed(PathBuf),
}

/// The root of a checkout, as which it can be used, and the program that the tasks are run for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    root: PathBuf,
    program: Option<Program>,
}

impl Checkout {
    /// The checkout at `root`, for its own programs.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), program: None }
    }

    /// The checkout at `root`, for a program outside it.
    pub(crate) fn of_program(root: impl Into<PathBuf>, program: Program) -> Self {
        Self { program: Some(program), ..Self::new(root) }
    }

    /// The program outside the checkout; `None` if the tasks are run for the checkout's own programs.
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
    /// Finds it: the folder above this program's `bin/` if that holds a `dist.toml`, else the
    /// checkout that cargo runs this program in.
    pub fn find() -> Result<Self> {
        let program = env::current_exe().context("cannot tell where this program is")?;
        if let Some(packed) = packed_around(&program) {
            return Ok(Self::Packed(packed));
        }
        let from = match env::var_os("CARGO_MANIFEST_DIR") {
            Some(folder) => PathBuf::from(folder),
            None => env::current_dir().context("cannot tell the current folder")?,
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

    /// The folder for kernels' PTX: of the program outside the checkout, if the tasks are run for one.
    pub fn ptx(&self) -> PathBuf {
        match self {
            Self::Checkout(checkout) => match checkout.program() {
                Some(program) => program.target.join("ptx"),
                None => target_dir(checkout).join("ptx"),
            },
            Self::Packed(root) => root.join("ptx"),
        }
    }

    /// What programs that are run from here are told, as far as the user has not told them otherwise.
    pub fn environment(&self) -> Vec<(String, String)> {
        let mut told = Vec::new();
        // It has two names.
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

    /// The root of the checkout, or an error that says that `task` needs one.
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

/// The packed folder whose `bin/` holds `program`.
fn packed_around(program: &Path) -> Option<PathBuf> {
    let bin = program.parent()?;
    let root = bin.parent()?;
    (bin.file_name()? == "bin" && root.join("dist.toml").is_file()).then(|| root.to_path_buf())
}

/// Where cargo puts what it builds in this checkout.
pub fn target_dir(root: &Path) -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}

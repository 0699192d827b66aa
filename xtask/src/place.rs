//! Where this program stands: in a checkout, where cargo builds what is missing, or in a packed
//! folder, where everything is there already.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::dist::Manifest;

/// The folder that the tasks work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The root of a checkout.
    Checkout(PathBuf),
    /// The root of a folder made by `dist`, which has a `dist.toml`.
    Packed(PathBuf),
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
            Some(root) => Ok(Self::Checkout(root.to_path_buf())),
            None => bail!(
                "neither a checkout nor a packed folder: no `xtask/Cargo.toml` in {} or above, and no `dist.toml` beside {}; \
                 run `cargo xtask` in the checkout, or `bin/xtask` of a folder made by `cargo xtask dist`",
                from.display(),
                program.display()
            ),
        }
    }

    /// Where kernels' PTX is.
    pub fn ptx(&self) -> PathBuf {
        match self {
            Self::Checkout(root) => target_dir(root).join("ptx"),
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

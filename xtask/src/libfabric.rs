//! Finds libfabric on the system, or unpacks Debian's package into `target/libfabric` without root.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::apt::{self, Wanted};
use crate::place::target_dir;

const WANTED: Wanted<'static> = Wanted {
    packages: &["libfabric1"],
    stand_ins: &[],
    needs_of: &["libfabric1"],
    least: "",
    archive: "Debian's main archive",
};

const LIBRARY: &str = "libfabric.so.1";

/// The folders of libfabric and of those of its dependencies that the system lacks; none if the system has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Libfabric(Vec<PathBuf>);

impl Libfabric {
    /// Returns the system's library, or Debian's, which is fetched and unpacked first if needed.
    pub(crate) fn find(root: &Path) -> Result<Self> {
        if is_on_system(Path::new("/")) {
            return Ok(Self(Vec::new()));
        }
        let folder = target_dir(root).join("libfabric");
        let unpacked = apt::unpacked(&folder, WANTED).context("this system has no libfabric; install libfabric1")?;
        Self::of_unpacked(&unpacked)
            .with_context(|| format!("the unpacked package is damaged; remove {} and try again", folder.display()))
    }

    fn of_unpacked(root: &Path) -> Result<Self> {
        let root = root.canonicalize().with_context(|| format!("cannot find {}", root.display()))?;
        let folders = apt::library_folders(&root);
        if !has_library(&folders) {
            bail!("no {LIBRARY} in {}", root.display());
        }
        Ok(Self(folders))
    }

    /// Returns the variables by which a program finds the library.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let others = std::env::var_os("LD_LIBRARY_PATH").filter(|others| !others.is_empty());
        let others: Vec<PathBuf> = others.iter().flat_map(std::env::split_paths).collect();
        // A path with a colon can't be represented in this variable.
        let path = std::env::join_paths(self.0.iter().chain(&others)).unwrap_or_default();
        vec![("LD_LIBRARY_PATH", path)]
    }
}

fn is_on_system(root: &Path) -> bool {
    let mut folders = apt::library_folders(root);
    folders.extend(["usr/lib64", "usr/lib"].map(|folder| root.join(folder)));
    has_library(&folders)
}

fn has_library(folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| folder.join(LIBRARY).is_file())
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn an_unpacked_library_is_found_by_a_variable_and_a_system_one_needs_none() {
        let root = Scratch::new("libfabric").unwrap();
        let folder = root.join(format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH));
        std::fs::create_dir_all(&folder).unwrap();
        assert!(!is_on_system(&root) && Libfabric::of_unpacked(&root).is_err(), "the folder is empty");
        std::fs::write(folder.join(LIBRARY), "").unwrap();
        assert!(is_on_system(&root));
        let [(name, value)] = &Libfabric::of_unpacked(&root).unwrap().environment()[..] else { panic!("one variable") };
        let first = std::env::split_paths(value).next().unwrap();
        assert_eq!((*name, first), ("LD_LIBRARY_PATH", folder.canonicalize().unwrap()));
        assert!(Libfabric(Vec::new()).environment().is_empty());
    }
}

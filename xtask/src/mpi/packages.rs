//! Debian's Open MPI and PMIx, unpacked in `target/mpi` without root.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::apt::{self, Wanted};
use crate::place::target_dir;
use crate::shell;

/// A system's own packages are not mixed in, because the launcher and libpmix must match.
const WANTED: Wanted<'static> = Wanted {
    packages: &["openmpi-bin", "openmpi-common", "libopenmpi3", "libpmix2", "libpmix-dev"],
    stand_ins: &[],
    needs_of: &["openmpi-bin"],
    least: "",
    archive: "Debian's main archive",
};

/// The target of `mpirun`, a link through links that only an installation makes.
const MPIRUN: &str = "orterun";
const LIBPMIX: &str = "libpmix.so.2";

/// An unpacked Open MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenMpi {
    root: PathBuf,
    libraries: Vec<PathBuf>,
}

impl OpenMpi {
    /// Returns Debian's Open MPI, which is fetched and unpacked first if needed.
    pub(crate) fn find(root: &Path) -> Result<Self> {
        let folder = target_dir(root).join("mpi");
        let unpacked = apt::unpacked(&folder, WANTED).context("there is no Open MPI here")?;
        Self::of_unpacked(&unpacked)
            .with_context(|| format!("the unpacked packages are damaged; remove {} and try again", folder.display()))
    }

    fn of_unpacked(root: &Path) -> Result<Self> {
        let root = root.canonicalize().with_context(|| format!("cannot find {}", root.display()))?;
        let libraries = apt::library_folders(&root);
        let found = Self { root, libraries };
        if !shell::is_program(&found.mpirun()) {
            bail!("{} is no program", found.mpirun().display());
        }
        if !found.libraries.iter().any(|folder| folder.join(LIBPMIX).exists()) {
            bail!("no {LIBPMIX} in {}", found.root.display());
        }
        Ok(found)
    }

    /// Returns the path of the launcher.
    pub(crate) fn mpirun(&self) -> PathBuf {
        self.root.join("usr/bin").join(MPIRUN)
    }

    /// Returns `LD_LIBRARY_PATH` for the launcher and for programs that open libpmix.
    pub(crate) fn library_path(&self, behind: Option<OsString>) -> OsString {
        let mut folders = self.libraries.clone();
        if let Some(others) = behind.filter(|others| !others.is_empty()) {
            folders.extend(std::env::split_paths(&others));
        }
        // A path with a colon can't be represented in this variable.
        std::env::join_paths(folders).unwrap_or_default()
    }

    /// Returns the launcher's environment. Its own paths and those of libpmix are compiled in.
    pub(crate) fn environment(&self) -> Vec<(String, OsString)> {
        vec![
            ("LD_LIBRARY_PATH".into(), self.library_path(std::env::var_os("LD_LIBRARY_PATH"))),
            ("OPAL_PREFIX".into(), self.root.join("usr").into()),
            // Its compressor warns that it has no library; there is nothing to compress.
            ("PMIX_MCA_pcompress_base_silence_warning".into(), "1".into()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_raw::os::private::Scratch;

    use super::*;

    #[test]
    fn what_is_missing_of_the_packages_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let root = Scratch::new("mpi").unwrap();
        let libraries = root.join(format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH));
        for folder in [&libraries, &root.join("usr/bin")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let error = OpenMpi::of_unpacked(&root).unwrap_err().to_string();
        assert!(error.contains("usr/bin/orterun is no program"), "{error}");
        let mpirun = root.join("usr/bin").join(MPIRUN);
        std::fs::write(&mpirun, "").unwrap();
        std::fs::set_permissions(&mpirun, std::fs::Permissions::from_mode(0o755)).unwrap();
        let error = OpenMpi::of_unpacked(&root).unwrap_err().to_string();
        assert!(error.contains("no libpmix.so.2"), "{error}");
        std::fs::write(libraries.join(LIBPMIX), "").unwrap();
        let found = OpenMpi::of_unpacked(&root).unwrap();
        let path = found.library_path(Some("/other".into())).into_string().unwrap();
        assert!(path.ends_with(":/other") && path.contains("-linux-gnu"), "{path}");
    }
}

//! Debian's Open MPI and PMIx, unpacked in `target/mpi` without root.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::fetch::debian::{OPEN_MPI, Unpacked};

/// An unpacked Open MPI.
pub(crate) struct OpenMpi(Unpacked);

impl OpenMpi {
    /// Returns Debian's Open MPI, which is fetched and unpacked first if needed.
    pub(crate) fn find(root: &Path) -> Result<Self> {
        OPEN_MPI.find(root).map(Self).context("there is no Open MPI here")
    }

    /// Returns the path of the launcher.
    pub(crate) fn mpirun(&self) -> PathBuf {
        self.0.root.join("usr/bin/orterun")
    }

    /// Returns `LD_LIBRARY_PATH` for the launcher and for programs that open libpmix.
    pub(crate) fn library_path(&self, behind: Option<OsString>) -> OsString {
        self.0.library_path(behind)
    }

    /// Returns the launcher's environment. Its own paths and those of libpmix are compiled in.
    pub(crate) fn environment(&self) -> Vec<(String, OsString)> {
        vec![
            ("LD_LIBRARY_PATH".into(), self.library_path(std::env::var_os("LD_LIBRARY_PATH"))),
            ("OPAL_PREFIX".into(), self.0.root.join("usr").into()),
            // Its compressor warns that it has no library; there is nothing to compress.
            ("PMIX_MCA_pcompress_base_silence_warning".into(), "1".into()),
        ]
    }
}

//! Finds libraries that post for proxies on the system, or unpacks Debian's packages without root.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};

use crate::fetch::debian::{self, Packages};

/// A library that posts for proxies.
#[derive(Clone, Copy)]
pub(crate) struct Fabric {
    /// The name by which programs choose it.
    pub(crate) name: &'static str,
    /// The file that programs open.
    file: &'static str,
    /// Debian's packages that have it.
    packages: Packages,
    /// The one to install.
    install: &'static str,
    /// The folder of its modules beside the file, and the variable that names it to the library.
    modules: Option<(&'static str, &'static str)>,
}

pub(crate) const LIBFABRIC: Fabric = Fabric {
    name: "libfabric",
    file: "libfabric.so.1",
    packages: debian::LIBFABRIC,
    install: "libfabric1",
    modules: None,
};

pub(crate) const UCX: Fabric = Fabric {
    name: "ucx",
    file: "libucp.so.0",
    packages: debian::UCX,
    install: "libucx0",
    modules: Some(("lib/ucx", "UCX_MODULE_DIR")),
};

impl Fabric {
    /// Returns the variables by which a program finds the library: none if the system has it. Debian's package is
    /// fetched and unpacked first if needed.
    pub(crate) fn environment(&self, root: &Path) -> Result<Vec<(&'static str, OsString)>> {
        if debian::system_folders(Path::new("/")).iter().any(|folder| folder.join(self.file).is_file()) {
            return Ok(Vec::new());
        }
        let unpacked = self.packages.find(root);
        let unpacked =
            unpacked.with_context(|| format!("this system has no {}; install {}", self.file, self.install))?;
        let path = unpacked.library_path(std::env::var_os("LD_LIBRARY_PATH"));
        let mut environment = vec![("LD_LIBRARY_PATH", path)];
        if let Some((folder, variable)) = self.modules {
            environment.push((variable, unpacked.file(folder)?.into()));
        }
        Ok(environment)
    }
}

//! The packages of the machine: Debian's, unpacked in `target/rxe` without root.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::apt::{self, Wanted};
use crate::place::target_dir;
use crate::shell;

const WANTED: Wanted<'static> = Wanted {
    packages: &[
        "qemu-system-x86",
        "qemu-system-data",
        "seabios",
        "busybox-static",
        "iproute2",
        "libibverbs1",
        "ibverbs-providers",
    ],
    stand_ins: &["linux-image-amd64"],
    needs_of: &["qemu-system-x86", "iproute2", "ibverbs-providers"],
    least: "",
    archive: "Debian's main archive",
};

/// The emulator.
pub(super) const QEMU: &str = "qemu-system-x86_64";

/// The unpacked packages.
pub(super) struct Packages {
    /// The root of a file system.
    pub(super) root: PathBuf,
}

impl Packages {
    /// Fetches the packages if they are missing.
    ///
    /// # Errors
    /// The reason why this system can't have them.
    pub(super) fn find(checkout: &Path) -> Result<Self> {
        if std::env::consts::ARCH != "x86_64" {
            bail!("the virtual machine is a PC, whose programs this {} can't build", std::env::consts::ARCH);
        }
        let folder = target_dir(checkout).join("rxe");
        let root = apt::unpacked(&folder, WANTED).context(
            "the virtual machine is made of Debian's packages (qemu-system-x86, linux-image-amd64, busybox-static, \
             iproute2, ibverbs-providers)",
        )?;
        let found = Self { root: root.canonicalize().with_context(|| format!("cannot find {}", root.display()))? };
        found
            .file(QEMU)
            .with_context(|| format!("the unpacked packages are damaged; remove {} and try again", folder.display()))?;
        Ok(found)
    }

    /// Returns the path of a program.
    ///
    /// # Errors
    /// No package has a program of this name.
    pub(super) fn file(&self, name: &str) -> Result<PathBuf> {
        let folders = ["usr/bin", "usr/sbin", "bin", "sbin"];
        let mut places = folders.iter().map(|folder| self.root.join(folder).join(name));
        places.find(|file| shell::is_program(file)).with_context(|| format!("no {name} in {}", self.root.display()))
    }

    /// Returns the folders of the libraries.
    pub(super) fn library_folders(&self) -> Vec<PathBuf> {
        apt::library_folders(&self.root)
    }

    /// Returns libibverbs' provider for Soft-RoCE.
    pub(super) fn provider(&self) -> Result<PathBuf> {
        let folders = self.library_folders().into_iter().map(|folder| folder.join("libibverbs"));
        let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let mut files = files.map(|entry| entry.path());
        files
            .find(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("librxe-rdmav")))
            .with_context(|| format!("no librxe-rdmav*.so in {}", self.root.display()))
    }

    /// Returns `LD_LIBRARY_PATH` for the unpacked programs.
    pub(super) fn library_path(&self) -> OsString {
        std::env::join_paths(self.library_folders()).unwrap_or_default()
    }
}

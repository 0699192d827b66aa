//! The kernel's information on NICs in `/sys`, `/proc` and `/dev`, of this system or of a fake one in a folder.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use oxshmem_rdma::verbs::sysfs;

const MELLANOX: &str = "0x15b3";

/// A root folder with `proc` and `dev`, and the folder `sys`, which can be elsewhere.
pub(super) struct System {
    root: PathBuf,
    sys: PathBuf,
}

/// A NIC that the kernel has a driver for.
pub(super) struct Nic {
    pub(super) name: String,
    /// The PCI address as `lspci` writes it: `0000:17:00.0`.
    pub(super) pci: Option<String>,
    /// Whether it is a ConnectX or BlueField.
    pub(super) is_mlx5: bool,
    folder: PathBuf,
}

impl System {
    pub(super) fn here() -> Self {
        Self { root: PathBuf::from("/"), sys: sysfs::root() }
    }

    #[cfg(test)]
    pub(super) fn at(root: &Path) -> Self {
        Self { root: root.to_path_buf(), sys: root.join("sys") }
    }

    fn path(&self, absolute: &str) -> PathBuf {
        match absolute.strip_prefix("/sys/") {
            Some(below) => self.sys.join(below),
            None => self.root.join(absolute.trim_start_matches('/')),
        }
    }

    /// Returns the contents of a file, without the line's end.
    pub(super) fn read(&self, absolute: &str) -> Option<String> {
        trimmed(&self.path(absolute))
    }

    /// Returns the NICs, sorted by name.
    pub(super) fn nics(&self) -> Vec<Nic> {
        let folder = self.path("/sys/class/infiniband");
        names(&folder)
            .into_iter()
            .map(|name| {
                let folder = folder.join(&name);
                let device = fs::read_link(folder.join("device")).ok();
                let pci = device.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
                let is_mlx5 = trimmed(&folder.join("device/vendor")).as_deref() == Some(MELLANOX)
                    && name_behind(&folder.join("device/driver")).is_none_or(|driver| driver == "mlx5_core");
                Nic { name, pci, is_mlx5, folder }
            })
            .collect()
    }

    /// Returns the network cards of Mellanox on PCI, with or without a driver.
    pub(super) fn mellanox_on_pci(&self) -> Vec<String> {
        let folder = self.path("/sys/bus/pci/devices");
        let is = |name: &String, file: &str, begin: &str| {
            trimmed(&folder.join(name).join(file)).is_some_and(|text| text.starts_with(begin))
        };
        names(&folder).into_iter().filter(|name| is(name, "vendor", MELLANOX) && is(name, "class", "0x02")).collect()
    }

    /// Returns whether the kernel has a module loaded.
    pub(super) fn has_module(&self, name: &str) -> bool {
        let loaded = self.read("/proc/modules").unwrap_or_default();
        loaded.lines().any(|line| line.split_whitespace().next() == Some(name))
            || self.path(&format!("/sys/module/{name}")).is_dir()
    }

    /// Returns the kernel's major and minor version.
    pub(super) fn kernel(&self) -> Option<(u32, u32)> {
        let release = self.read("/proc/sys/kernel/osrelease")?;
        let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    pub(super) fn may_read_and_write(&self, absolute: &str) -> io::Result<()> {
        let path = CString::new(self.path(absolute).as_os_str().as_bytes())?;
        // SAFETY: `path` ends in NUL.
        match unsafe { libc::access(path.as_ptr(), libc::R_OK | libc::W_OK) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Nic {
    /// Returns the contents of a file in its folder, without the line's end.
    pub(super) fn read(&self, file: &str) -> Option<String> {
        trimmed(&self.folder.join(file))
    }

    /// Returns the names in a subfolder of its folder, numbers in numeric order.
    pub(super) fn entries(&self, folder: &str) -> Vec<String> {
        names(&self.folder.join(folder))
    }

    /// Returns its PCI configuration space; without root only the first 64 bytes.
    pub(super) fn config(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.join("device/config")).ok()
    }

    /// Returns the name of its device file.
    pub(super) fn uverbs(&self) -> Option<String> {
        self.entries("device/infiniband_verbs").into_iter().next()
    }
}

fn trimmed(file: &Path) -> Option<String> {
    fs::read_to_string(file).ok().map(|text| text.trim().to_string())
}

fn name_behind(link: &Path) -> Option<String> {
    Some(fs::read_link(link).ok()?.file_name()?.to_string_lossy().into_owned())
}

/// Sorts by length first, so that 10 comes after 9.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    names
}

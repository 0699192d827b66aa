//! libibverbs, opened, and the devices that it knows.

use core::ffi::{CStr, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::answer;
use super::ffi::{IbvDevice, Verbs};
use super::library::{Opened, Origin};
use super::sysfs;
use crate::rdma::hca::Found;

const NAME: &str = "libibverbs.so.1";
/// What libibverbs needs, in the order in which they need each other.
const NEEDED: [&str; 2] = ["libnl-3.so.200", "libnl-route-3.so.200"];

/// Opens a library from the first of these folders that has it, or where the system's loader finds it.
///
/// # Errors
/// It is not there, or needs what is not there.
pub(crate) fn open(name: &'static str, folders: &[PathBuf]) -> Result<Opened> {
    let folder = folders.iter().map(PathBuf::as_path).find(|folder| folder.join(name).is_file());
    Opened::open(name, folder)
}

/// Its functions, and where it is from.
pub(crate) struct Libibverbs {
    pub(crate) verbs: Verbs,
    pub(crate) from: Origin,
}

impl Libibverbs {
    /// Opens it, and what it needs, from these folders as unpacked packages have them, or where the loader finds it.
    ///
    /// # Errors
    /// It is not there (`NotFound`), or too old (`Incompatible`).
    pub(crate) fn open(folders: &[PathBuf]) -> Result<Self> {
        for name in NEEDED {
            // One that no folder has is the system's, which the loader finds.
            if folders.iter().any(|folder| folder.join(name).is_file()) {
                open(name, folders)?;
            }
        }
        let library = open(NAME, folders)?;
        // SAFETY: **library**: what is called libibverbs.so.1 has the interface of that version.
        let verbs = unsafe { Verbs::find(&library) }?;
        let from = Origin::of(verbs.ibv_get_device_list as *const c_void);
        Ok(Self { verbs, from })
    }

    /// The error that it is too old for something.
    pub(crate) fn too_old(&self, action: impl Into<String>, function: &'static str, since: u32) -> Error {
        too_old("libibverbs", &self.from, action, function, since)
    }

    /// # Errors
    /// There is no list: no driver.
    pub(crate) fn devices(&self) -> Result<DeviceList<'_>> {
        let mut count: c_int = 0;
        // SAFETY: `count` is a live int.
        let first = unsafe { (self.verbs.ibv_get_device_list)(&mut count) };
        match NonNull::new(first) {
            Some(first) => Ok(DeviceList { verbs: &self.verbs, first, count: usize::try_from(count).unwrap_or(0) }),
            None => Err(answer::error("list this machine's NICs", "ibv_get_device_list", answer::last_errno())),
        }
    }
}

/// The error that a library is too old for something.
pub(crate) fn too_old(
    library: &str,
    from: &Origin,
    action: impl Into<String>,
    function: &'static str,
    since: u32,
) -> Error {
    Error::new(ErrorKind::Incompatible, action)
        .because(format!("{library} {} ({}) has no {function}", from.version, from.file.display()))
        .hint(format!("rdma-core {since} or later has it"))
}

/// A list of devices, freed when dropped; a device that was opened is kept by the library for itself.
pub(crate) struct DeviceList<'a> {
    verbs: &'a Verbs,
    first: NonNull<*mut IbvDevice>,
    count: usize,
}

impl DeviceList<'_> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = *mut IbvDevice> + '_ {
        (0..self.count).map(|index| {
            // SAFETY: `index` is below the number of pointers that the library said are there.
            unsafe { *self.first.as_ptr().add(index) }
        })
    }

    /// The device of this name.
    ///
    /// # Errors
    /// There is none: the names that there are.
    pub(crate) fn named(&self, name: &str) -> Result<*mut IbvDevice> {
        self.iter().find(|device| self.name(*device) == name).ok_or_else(|| {
            let others: Vec<String> = self.iter().map(|device| self.name(device)).collect();
            let others = if others.is_empty() { "none".to_string() } else { others.join(", ") };
            Error::new(ErrorKind::NotFound, format!("open the NIC {name}"))
                .because(format!("there is none of this name; there are: {others}"))
                .hint("check the list of NICs in the configuration, and `ibv_devinfo`")
        })
    }

    fn name(&self, device: *mut IbvDevice) -> String {
        // SAFETY: `device` is of this list.
        let name = unsafe { (self.verbs.ibv_get_device_name)(device) };
        if name.is_null() {
            return String::new();
        }
        // SAFETY: the name is a C string within the device.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }

    /// What the system says of a device of this list.
    pub(crate) fn found(&self, device: *mut IbvDevice, sys: &Path, is_mlx5: bool) -> Found {
        let name = self.name(device);
        Found { pci: sysfs::pci(sys, &name), numa_node: sysfs::numa_node(sys, &name), name, is_mlx5 }
    }
}

impl Drop for DeviceList<'_> {
    fn drop(&mut self) {
        // SAFETY: the list came from `ibv_get_device_list` and is freed once.
        unsafe { (self.verbs.ibv_free_device_list)(self.first.as_ptr()) };
    }
}

/// "mlx5_0 (/dev/infiniband/uverbs0)".
pub(crate) fn with_file(sys: &Path, name: &str) -> String {
    match sysfs::device_file(sys, name) {
        Some(file) => format!("{name} ({})", file.display()),
        None => name.to_string(),
    }
}

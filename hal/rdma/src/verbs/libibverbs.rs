//! The opened libibverbs, and its list of devices.

use core::ffi::{CStr, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::answer;
use super::ffi::{IbvDevice, Verbs};
use super::library::{Opened, Origin};
use super::sysfs;
use crate::hca::Found;

const NAME: &str = "libibverbs.so.1";
/// The library of the driver for ConnectX NICs.
pub(crate) const MLX5: &str = "libmlx5.so.1";
/// The libraries that libibverbs needs, each after those that it needs itself.
const NEEDED: [&str; 2] = ["libnl-3.so.200", "libnl-route-3.so.200"];

/// Opens a library from the first of these folders that has it, or where the system's loader finds it.
///
/// # Errors
/// The library, or one that it needs, is not there.
pub(crate) fn open(name: &'static str, folders: &[PathBuf]) -> Result<Opened> {
    let folder = folders.iter().map(PathBuf::as_path).find(|folder| folder.join(name).is_file());
    Opened::open(name, folder)
}

/// The library's functions, and the file that it came from.
pub(crate) struct Libibverbs {
    pub(crate) verbs: Verbs,
    pub(crate) from: Origin,
}

impl Libibverbs {
    /// Opens libibverbs and the libraries that it needs, from these folders of unpacked packages, or where the loader
    /// finds them.
    ///
    /// # Errors
    /// The library is not there (`NotFound`) or too old (`Incompatible`).
    pub(crate) fn open(folders: &[PathBuf]) -> Result<Self> {
        for name in NEEDED {
            // A library that is in none of the folders is the system's, which the loader finds.
            if folders.iter().any(|folder| folder.join(name).is_file()) {
                open(name, folders)?;
            }
        }
        let library = open(NAME, folders)?;
        // SAFETY: **library**: the library named libibverbs.so.1 has the interface of that version.
        let verbs = unsafe { Verbs::find(&library) }?;
        let from = Origin::of(verbs.ibv_get_device_list as *const c_void);
        Ok(Self { verbs, from })
    }

    /// Returns the error of a library that is too old for `what`.
    pub(crate) fn too_old(&self, action: impl Into<String>, function: &'static str, since: u32) -> Error {
        too_old("libibverbs", &self.from, action, function, since)
    }

    /// Lists the devices.
    ///
    /// # Errors
    /// There is no list, because there is no driver.
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

/// Returns the error of a library that is too old for `what`.
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

/// A list of devices, freed when dropped. The library itself keeps devices that were opened.
pub(crate) struct DeviceList<'a> {
    verbs: &'a Verbs,
    first: NonNull<*mut IbvDevice>,
    count: usize,
}

impl DeviceList<'_> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = *mut IbvDevice> + '_ {
        (0..self.count).map(|index| {
            // SAFETY: `index` is below the number of pointers that the library returned.
            unsafe { *self.first.as_ptr().add(index) }
        })
    }

    /// Returns the device of this name.
    ///
    /// # Errors
    /// There is none; the error lists the existing names.
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

    /// Describes a device of this list as the system knows it.
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

/// Returns the device with its file, such as "mlx5_0 (/dev/infiniband/uverbs0)".
pub(crate) fn with_file(sys: &Path, name: &str) -> String {
    match sysfs::device_file(sys, name) {
        Some(file) => format!("{name} ({})", file.display()),
        None => name.to_string(),
    }
}

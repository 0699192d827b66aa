//! libibverbs and libmlx5, opened at run time, as a provider of NICs.

use core::ffi::{CStr, c_int, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::device::Device;
use super::ffi::{CONTEXT_FLAGS_DEVX, ContextAttr, Mlx5dv};
use crate::hca::{Found, Hca, Provider};
use crate::verbs::ffi::{Context, Device as RawDevice, Verbs};
use crate::verbs::library::{Opened, Origin};
use crate::verbs::{answer, sysfs};

const VERBS: &str = "libibverbs.so.1";
const MLX5: &str = "libmlx5.so.1";
/// What libibverbs needs, in the order in which they need each other.
const NEEDED: [&str; 2] = ["libnl-3.so.200", "libnl-route-3.so.200"];

/// The functions of both libraries.
pub(super) struct Api {
    pub(super) verbs: Verbs,
    pub(super) mlx5dv: Mlx5dv,
    verbs_from: Origin,
    mlx5_from: Origin,
}

impl Api {
    /// The error that a library is too old for something.
    pub(super) fn too_old(&self, action: impl Into<String>, function: &'static str, since: u32) -> Error {
        let (library, from) = match function.starts_with("mlx5dv") {
            true => ("libmlx5", &self.mlx5_from),
            false => ("libibverbs", &self.verbs_from),
        };
        Error::new(ErrorKind::Incompatible, action)
            .because(format!("{library} {} ({}) has no {function}", from.version, from.file.display()))
            .hint(format!("rdma-core {since} or later has it"))
    }
}

/// libibverbs and libmlx5. Cheap to clone.
#[derive(Clone)]
pub struct Libraries {
    api: Arc<Api>,
    sys: PathBuf,
}

impl Libraries {
    /// Opens them where the system's loader finds them.
    ///
    /// Opening libmlx5 registers it with libibverbs, so no configuration of providers is needed for it.
    ///
    /// # Errors
    /// One is not there (`NotFound`), or too old (`Incompatible`): which, and what to install.
    pub fn open() -> Result<Self> {
        Self::assemble(Opened::open(VERBS, None)?, Opened::open(MLX5, None)?)
    }

    /// Opens them, and what they need, from these folders, as unpacked packages have them.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_from(folders: &[PathBuf]) -> Result<Self> {
        let folder_of = |name: &str| folders.iter().map(PathBuf::as_path).find(|folder| folder.join(name).is_file());
        for name in NEEDED {
            // One that no folder has is the system's, which the loader finds.
            if let Some(folder) = folder_of(name) {
                Opened::open(name, Some(folder))?;
            }
        }
        let open = |name: &'static str| Opened::open(name, folder_of(name));
        Self::assemble(open(VERBS)?, open(MLX5)?)
    }

    fn assemble(verbs: Opened, mlx5: Opened) -> Result<Self> {
        // SAFETY: **library**: what is called libibverbs.so.1 has the interface of that version.
        let verbs = unsafe { Verbs::find(&verbs) }?;
        // SAFETY: **library**: what is called libmlx5.so.1 has the interface of that version.
        let mlx5dv = unsafe { Mlx5dv::find(&mlx5) }?;
        let verbs_from = Origin::of(verbs.ibv_get_device_list as *const c_void);
        let mlx5_from = Origin::of(mlx5dv.mlx5dv_is_supported as *const c_void);
        Ok(Self { api: Arc::new(Api { verbs, mlx5dv, verbs_from, mlx5_from }), sys: sysfs::root() })
    }

    fn devices(&self) -> Result<DeviceList<'_>> {
        let mut count: c_int = 0;
        // SAFETY: `count` is a live int.
        let first = unsafe { (self.api.verbs.ibv_get_device_list)(&mut count) };
        match NonNull::new(first) {
            Some(first) => Ok(DeviceList { api: &self.api, first, count: usize::try_from(count).unwrap_or(0) }),
            None => Err(answer::error("list this machine's NICs", "ibv_get_device_list", answer::last_errno())),
        }
    }

    /// "mlx5_0 (/dev/infiniband/uverbs0)".
    fn named(&self, name: &str) -> String {
        match sysfs::device_file(&self.sys, name) {
            Some(file) => format!("{name} ({})", file.display()),
            None => name.to_string(),
        }
    }
}

impl fmt::Debug for Libraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl Provider for Libraries {
    fn describe(&self) -> String {
        let Api { verbs_from, mlx5_from, .. } = &*self.api;
        let folder = verbs_from.file.parent().unwrap_or(Path::new(""));
        format!("libibverbs {} and libmlx5 {} from {}", verbs_from.version, mlx5_from.version, folder.display())
    }

    fn list(&self) -> Result<Vec<Found>> {
        let devices = self.devices()?;
        Ok(devices.iter().map(|device| devices.found(device, &self.sys)).collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Hca>> {
        let devices = self.devices()?;
        let Some(device) = devices.iter().find(|device| devices.name(*device) == name) else {
            let others: Vec<String> = devices.iter().map(|device| devices.name(device)).collect();
            let others = if others.is_empty() { "none".to_string() } else { others.join(", ") };
            return Err(Error::new(ErrorKind::NotFound, format!("open the NIC {name}"))
                .because(format!("there is none of this name; there are: {others}"))
                .hint("check the list of NICs in the configuration, and `ibv_devinfo`"));
        };
        if !devices.found(device, &self.sys).is_mlx5 {
            return Err(Error::new(ErrorKind::Incompatible, format!("open the NIC {}", self.named(name)))
                .because("libmlx5 does not drive it, so a GPU can't write its queues")
                .hint("name a ConnectX"));
        }
        let mut attr = ContextAttr { flags: CONTEXT_FLAGS_DEVX, comp_mask: 0 };
        // SAFETY: `device` is of a list that is not freed yet, and `attr` a live structure of its type.
        let context = unsafe { (self.api.mlx5dv.mlx5dv_open_device)(device, &mut attr) };
        let Some(context) = NonNull::<Context>::new(context) else {
            let errno = answer::last_errno();
            let action = format!("open the NIC {} with DEVX", self.named(name));
            return Err(answer::error(action, "mlx5dv_open_device", errno));
        };
        // SAFETY: **opened**: by libmlx5 and with DEVX, just above, and nobody else has it.
        let device = unsafe { Device::new(self.api.clone(), context, name.to_string(), self.sys.clone()) }?;
        device.prove_devx()?;
        Ok(Arc::new(device))
    }
}

/// A list of devices, freed when dropped; a device that was opened is kept by the library for itself.
struct DeviceList<'a> {
    api: &'a Api,
    first: NonNull<*mut RawDevice>,
    count: usize,
}

impl DeviceList<'_> {
    fn iter(&self) -> impl Iterator<Item = *mut RawDevice> + '_ {
        (0..self.count).map(|index| {
            // SAFETY: `index` is below the number of pointers that the library said are there.
            unsafe { *self.first.as_ptr().add(index) }
        })
    }

    fn name(&self, device: *mut RawDevice) -> String {
        // SAFETY: `device` is of this list.
        let name = unsafe { (self.api.verbs.ibv_get_device_name)(device) };
        if name.is_null() {
            return String::new();
        }
        // SAFETY: the name is a C string within the device.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }

    fn found(&self, device: *mut RawDevice, sys: &Path) -> Found {
        let name = self.name(device);
        // SAFETY: `device` is of this list.
        let is_mlx5 = unsafe { (self.api.mlx5dv.mlx5dv_is_supported)(device) };
        Found { pci: sysfs::pci(sys, &name), numa_node: sysfs::numa_node(sys, &name), name, is_mlx5 }
    }
}

impl Drop for DeviceList<'_> {
    fn drop(&mut self) {
        // SAFETY: the list came from `ibv_get_device_list` and is freed once.
        unsafe { (self.api.verbs.ibv_free_device_list)(self.first.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Debian's packages as `cargo xtask rdma` unpacks them, if it did.
    fn unpacked() -> Option<Vec<PathBuf>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/rdma/root");
        let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
        let folders = [root.join("usr/lib").join(&multiarch), root.join("lib").join(&multiarch)];
        folders.iter().any(|folder| folder.join(VERBS).is_file()).then_some(folders.to_vec())
    }

    #[test]
    fn unpacked_libraries_are_opened_with_all_that_they_need_and_say_which_they_are() {
        let Some(folders) = unpacked() else {
            println!("skipped: no libibverbs is unpacked here; `cargo xtask rdma` fetches it");
            return;
        };
        let libraries = Libraries::open_from(&folders).unwrap();
        let text = libraries.describe();
        assert!(text.starts_with("libibverbs 1.") && text.contains(" and libmlx5 1."), "{text}");
        assert!(
            libraries.api.verbs.ibv_reg_dmabuf_mr.is_some() && libraries.api.mlx5dv.mlx5dv_devx_umem_reg_ex.is_some()
        );
        // Whether or not there is a NIC or a module, the answer is a list or says what to do.
        match libraries.list() {
            Ok(found) => assert!(found.iter().all(|found| !found.name.is_empty())),
            Err(error) => assert!(error.to_string().contains("ibv_get_device_list returned"), "{error}"),
        }
        let error = libraries.open("no_such_nic").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    }

    #[test]
    fn what_an_old_library_lacks_is_said_with_the_version_that_has_it() {
        let Some(folders) = unpacked() else {
            println!("skipped: no libibverbs is unpacked here; `cargo xtask rdma` fetches it");
            return;
        };
        let libraries = Libraries::open_from(&folders).unwrap();
        let error = libraries.api.too_old("register memory", "mlx5dv_devx_umem_reg_ex", 35).to_string();
        for part in ["libmlx5 1.", "has no mlx5dv_devx_umem_reg_ex", "rdma-core 35 or later"] {
            assert!(error.contains(part), "{part} in: {error}");
        }
    }
}

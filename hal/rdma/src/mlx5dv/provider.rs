//! libibverbs and libmlx5, opened at run time, as a provider of NICs.

use core::ffi::c_void;
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::api::Api;
use super::device::Mlx5Hca;
use super::ffi::{CONTEXT_FLAGS_DEVX, ContextAttr, Mlx5dv};
use crate::hca::{Found, Hca, Provider};
use crate::verbs::ffi::IbvContext;
use crate::verbs::libibverbs::{self, Libibverbs, with_file};
use crate::verbs::library::Origin;
use crate::verbs::{answer, base::VerbsDevice, sysfs};

/// libibverbs and libmlx5. Cheap to clone.
#[derive(Clone)]
pub struct Libraries {
    api: Arc<Api>,
    sys: PathBuf,
}

impl Libraries {
    /// Opens the libraries where the system's loader finds them.
    ///
    /// Opening libmlx5 registers it with libibverbs, so that it needs no configuration of providers.
    ///
    /// # Errors
    /// A library is missing (`NotFound`) or too old (`Incompatible`). The error names it and a package to install.
    pub fn open() -> Result<Self> {
        Self::open_from(&[])
    }

    /// Opens the libraries, and those that they need, from these folders of unpacked packages.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_from(folders: &[PathBuf]) -> Result<Self> {
        let verbs = Arc::new(Libibverbs::open(folders)?);
        let mlx5 = libibverbs::open(libibverbs::MLX5, folders)?;
        // SAFETY: **library**: the library named libmlx5.so.1 has the interface of that version.
        let mlx5dv = unsafe { Mlx5dv::find(&mlx5) }?;
        let mlx5_from = Origin::of(mlx5dv.mlx5dv_is_supported as *const c_void);
        Ok(Self { api: Arc::new(Api { verbs, mlx5dv, mlx5_from }), sys: sysfs::root() })
    }
}

impl fmt::Debug for Libraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl Provider for Libraries {
    fn describe(&self) -> String {
        let Api { verbs, mlx5_from, .. } = &*self.api;
        let verbs_from = &verbs.from;
        let folder = verbs_from.file.parent().unwrap_or(Path::new(""));
        format!("libibverbs {} and libmlx5 {} from {}", verbs_from.version, mlx5_from.version, folder.display())
    }

    fn list(&self) -> Result<Vec<Found>> {
        let devices = self.api.verbs.devices()?;
        Ok(devices.iter().map(|device| devices.found(device, &self.sys, self.api.drives(device))).collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn Hca>> {
        let devices = self.api.verbs.devices()?;
        let device = devices.named(name)?;
        if !self.api.drives(device) {
            return Err(Error::new(ErrorKind::Incompatible, format!("open the NIC {}", with_file(&self.sys, name)))
                .because("libmlx5 does not drive it, so a GPU can't write its queues")
                .hint("name a ConnectX"));
        }
        let mut attr = ContextAttr { flags: CONTEXT_FLAGS_DEVX, comp_mask: 0 };
        // SAFETY: `device` is of a list that is not freed yet, and `attr` a live structure of its type.
        let context = unsafe { (self.api.mlx5dv.mlx5dv_open_device)(device, &mut attr) };
        let Some(context) = NonNull::<IbvContext>::new(context) else {
            let errno = answer::last_errno();
            let action = format!("open the NIC {} with DEVX", with_file(&self.sys, name));
            return Err(answer::error(action, "mlx5dv_open_device", errno));
        };
        let verbs = self.api.verbs.clone();
        // SAFETY: **opened**: the context was just opened and is nowhere else.
        let base = unsafe { VerbsDevice::new(verbs, context, name.to_string(), self.sys.clone()) }?;
        let device = Mlx5Hca::new(self.api.clone(), base);
        device.prove_devx()?;
        Ok(Arc::new(device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Debian's packages as `cargo xtask rdma` unpacked them, if it did.
    fn unpacked() -> Option<Vec<PathBuf>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/rdma/root");
        let multiarch = format!("{}-linux-gnu", std::env::consts::ARCH);
        let folders = [root.join("usr/lib").join(&multiarch), root.join("lib").join(&multiarch)];
        folders.iter().any(|folder| folder.join(libibverbs::MLX5).is_file()).then_some(folders.to_vec())
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
            libraries.api.verbs.verbs.ibv_reg_dmabuf_mr.is_some()
                && libraries.api.mlx5dv.mlx5dv_devx_umem_reg_ex.is_some()
        );
        // With or without a NIC or a kernel module, the answer is a list or an error with advice.
        match libraries.list() {
            Ok(found) => assert!(found.iter().all(|found| !found.name.is_empty())),
            Err(error) => assert!(error.to_string().contains("ibv_get_device_list returned"), "{error}"),
        }
        let error = libraries.open("no_such_nic").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    }

    #[test]
    fn a_function_that_an_old_library_lacks_is_named_with_the_version_that_has_it() {
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

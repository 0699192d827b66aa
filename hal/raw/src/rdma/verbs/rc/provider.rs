//! libibverbs, opened at run time, as a provider of verbs devices.

use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use oxshmem_core::host::Result;

use super::device::Device;
use crate::rdma::hca::Found;
use crate::rdma::rc::{RcDevice, RcProvider};
use crate::rdma::verbs::base::VerbsDevice;
use crate::rdma::verbs::ffi;
use crate::rdma::verbs::libibverbs::{self, Libibverbs, with_file};
use crate::rdma::verbs::{answer, sysfs};

/// libmlx5's test of whether it drives a device.
type IsMlx5 = unsafe extern "C" fn(*mut ffi::IbvDevice) -> bool;

/// libibverbs, with whichever providers it is configured to load. Cheap to clone.
#[derive(Clone)]
pub struct LibVerbs {
    library: Arc<Libibverbs>,
    /// Where libmlx5 is there too.
    is_mlx5: Option<IsMlx5>,
    sys: PathBuf,
}

impl LibVerbs {
    /// Opens it where the system's loader finds it.
    ///
    /// Its providers are found as it is configured: by `/etc/libibverbs.d`, or by what `RDMAV_DRIVERS` names. Of
    /// libmlx5 none of that is needed: it registers when it is opened, and it is, where it is there.
    ///
    /// # Errors
    /// It is not there (`NotFound`), or too old (`Incompatible`).
    pub fn open() -> Result<Self> {
        Self::open_from(&[])
    }

    /// Opens it, and what it needs, from these folders, as unpacked packages have them.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_from(folders: &[PathBuf]) -> Result<Self> {
        let library = Arc::new(Libibverbs::open(folders)?);
        let mlx5 = libibverbs::open(crate::rdma::mlx5dv::MLX5, folders).ok();
        // SAFETY: **type**: as libmlx5's header declares it.
        let is_mlx5 = mlx5.and_then(|mlx5| unsafe { mlx5.function("mlx5dv_is_supported") }.ok());
        Ok(Self { library, is_mlx5, sys: sysfs::root() })
    }

    fn is_mlx5(&self, device: *mut ffi::IbvDevice) -> bool {
        // SAFETY: `device` is of a list that is not freed yet.
        self.is_mlx5.is_some_and(|is_mlx5| unsafe { is_mlx5(device) })
    }
}

impl fmt::Debug for LibVerbs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe())
    }
}

impl RcProvider for LibVerbs {
    fn describe(&self) -> String {
        let from = &self.library.from;
        format!("libibverbs {} from {}", from.version, from.file.parent().unwrap_or(Path::new("")).display())
    }

    fn list(&self) -> Result<Vec<Found>> {
        let devices = self.library.devices()?;
        Ok(devices.iter().map(|device| devices.found(device, &self.sys, self.is_mlx5(device))).collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn RcDevice>> {
        let devices = self.library.devices()?;
        let device = devices.named(name)?;
        // SAFETY: `device` is of a list that is not freed yet.
        let context = unsafe { (self.library.verbs.ibv_open_device)(device) };
        let Some(context) = NonNull::new(context) else {
            let errno = answer::last_errno();
            return Err(answer::error(
                format!("open the NIC {}", with_file(&self.sys, name)),
                "ibv_open_device",
                errno,
            ));
        };
        // SAFETY: **opened**: just above, and nobody else has it.
        let base = unsafe { VerbsDevice::new(self.library.clone(), context, name.to_string(), self.sys.clone()) }?;
        Ok(Arc::new(Device::new(base)))
    }
}

//! libibverbs, opened at run time.

use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

use oxshmem_core::host::Result;

use super::device::LibVerbsDevice;
use crate::hca::Found;
use crate::rc::{RcDevice, RcProvider};
use crate::verbs::base::VerbsDevice;
use crate::verbs::ffi;
use crate::verbs::libibverbs::{self, Libibverbs, with_file};
use crate::verbs::{answer, sysfs};

/// libmlx5's function that reports whether it drives a device.
type IsMlx5 = unsafe extern "C" fn(*mut ffi::IbvDevice) -> bool;

/// libibverbs, with the drivers that it is configured to load. Cheap to clone.
#[derive(Clone)]
pub struct LibVerbs {
    library: Arc<Libibverbs>,
    /// Present if libmlx5 is.
    is_mlx5: Option<IsMlx5>,
    sys: PathBuf,
}

impl LibVerbs {
    /// Opens the library where the system's loader finds it.
    ///
    /// The library finds its drivers by `/etc/libibverbs.d` or `RDMAV_DRIVERS`. libmlx5 needs neither: it registers
    /// itself when it is opened, which is done here if it is installed.
    ///
    /// # Errors
    /// `NotFound`: it is not installed. `Incompatible`: it is too old.
    pub fn open() -> Result<Self> {
        Self::open_from(&[])
    }

    /// Opens the library and its dependencies from these folders, such as those of unpacked packages.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_from(folders: &[PathBuf]) -> Result<Self> {
        let library = Arc::new(Libibverbs::open(folders)?);
        let mlx5 = libibverbs::open(libibverbs::MLX5, folders).ok();
        // SAFETY: **type**: `IsMlx5` is the declaration in libmlx5's header.
        let is_mlx5 = mlx5.and_then(|mlx5| unsafe { mlx5.function("mlx5dv_is_supported") }.ok());
        Ok(Self { library, is_mlx5, sys: sysfs::root() })
    }

    fn is_mlx5(&self, device: *mut ffi::IbvDevice) -> bool {
        // SAFETY: callers pass a device of a list that is not freed yet, as the function requires.
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
        // SAFETY: `device` is of `devices`, a list that is freed at the end of this function.
        let context = unsafe { (self.library.verbs.ibv_open_device)(device) };
        let Some(context) = NonNull::new(context) else {
            let errno = answer::last_errno();
            return Err(answer::error(
                format!("open the NIC {}", with_file(&self.sys, name)),
                "ibv_open_device",
                errno,
            ));
        };
        // SAFETY: **opened**: the context was just opened, and no other code has it.
        let base = unsafe { VerbsDevice::new(self.library.clone(), context, name.to_string(), self.sys.clone()) }?;
        Ok(Arc::new(LibVerbsDevice::new(base)))
    }
}

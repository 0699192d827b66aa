//! The functions of libibverbs and libmlx5.

use std::sync::Arc;

use oxshmem_core::host::Error;

use super::ffi::Mlx5dv;
use crate::verbs::ffi::IbvDevice;
use crate::verbs::libibverbs::{self, Libibverbs};
use crate::verbs::library::Origin;

/// The functions of both libraries.
pub(super) struct Api {
    pub(super) verbs: Arc<Libibverbs>,
    pub(super) mlx5dv: Mlx5dv,
    pub(super) mlx5_from: Origin,
}

impl Api {
    /// The error of a libmlx5 that is too old for `action`.
    pub(super) fn too_old(&self, action: impl Into<String>, function: &'static str, since: u32) -> Error {
        libibverbs::too_old("libmlx5", &self.mlx5_from, action, function, since)
    }

    pub(super) fn drives(&self, device: *mut IbvDevice) -> bool {
        // SAFETY: `device` is of a list that is not freed yet.
        unsafe { (self.mlx5dv.mlx5dv_is_supported)(device) }
    }
}

//! Memory that commands can name.

use core::ffi::c_void;
use std::ptr::NonNull;

use oxshmem_core::host::Result;

use super::device::Mlx5Hca;
use super::ffi::{DevxUmem, DevxUmemIn, UMEM_MASK_DMABUF};
use crate::hca::Region;
use crate::verbs::base::{described, sized};
use crate::verbs::memlock;
use oxshmem_raw::os::shm;

impl Mlx5Hca {
    pub(super) fn name_memory(
        &self,
        region: Region,
        bytes: u64,
        access: u32,
        pages: Option<u64>,
    ) -> Result<NonNull<DevxUmem>> {
        let action = || format!("let commands name {bytes} bytes of {}", described(region));
        let size = sized(bytes, || self.base.on(action()))?;
        let mlx5dv = &self.api.mlx5dv;
        if let (Region::Address(address), None) = (region, pages) {
            // SAFETY: the context is open; the kernel checks the range and pins it.
            let umem = unsafe {
                (mlx5dv.mlx5dv_devx_umem_reg)(self.base.context.as_ptr(), address as *mut c_void, size, access)
            };
            return self
                .base
                .made(action, "mlx5dv_devx_umem_reg", umem)
                .map_err(|error| memlock::explained(error, bytes));
        }
        let Some(register) = mlx5dv.mlx5dv_devx_umem_reg_ex else {
            return Err(self.api.too_old(self.base.on(action()), "mlx5dv_devx_umem_reg_ex", 35));
        };
        // Any page size from the system's on.
        let pgsz_bitmap = pages.unwrap_or(!(shm::granularity() as u64 - 1));
        let mut input = match region {
            Region::Address(address) => {
                DevxUmemIn { addr: address as *mut c_void, size, access, pgsz_bitmap, comp_mask: 0, dmabuf_fd: -1 }
            }
            Region::DmaBuf { fd, offset } => DevxUmemIn {
                addr: offset as *mut c_void,
                size,
                access,
                pgsz_bitmap,
                comp_mask: UMEM_MASK_DMABUF,
                dmabuf_fd: fd,
            },
        };
        // SAFETY: the context is open, and `input` is a live structure of its type; the kernel checks the memory that
        // it names.
        let umem = unsafe { register(self.base.context.as_ptr(), &mut input) };
        self.base.made(action, "mlx5dv_devx_umem_reg_ex", umem).map_err(|error| match region {
            Region::Address(_) => memlock::explained(error, bytes),
            Region::DmaBuf { .. } => error,
        })
    }
}

//! Memory that a NIC is to reach: registered for the network, and named for commands.

use core::ffi::{c_int, c_void};
use std::ptr::NonNull;

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::device::Device;
use super::ffi::{DevxUmem, DevxUmemIn, UMEM_MASK_DMABUF};
use crate::hca::Region;
use crate::verbs::ffi;

/// Access flags from here on are hints: a library or kernel that does not know one leaves it out.
pub(super) const OPTIONAL_ACCESS: u32 = 0x3ff0_0000;

impl Device {
    pub(super) fn register(
        &self,
        pd: NonNull<ffi::Pd>,
        region: Region,
        bytes: u64,
        iova: u64,
        access: u32,
    ) -> Result<NonNull<ffi::Mr>> {
        let action = || format!("register {bytes} bytes of {}", described(region));
        let length = sized(bytes, || self.on(action()))?;
        let verbs = &self.api.verbs;
        let (call, mr) = match region {
            Region::Address(address) => match verbs.ibv_reg_mr_iova2 {
                Some(register) => {
                    // SAFETY: the protection domain is in use; the kernel checks the range and pins it.
                    let mr = unsafe { register(pd.as_ptr(), address as *mut c_void, length, iova, access) };
                    ("ibv_reg_mr_iova2", mr)
                }
                None if iova == address => {
                    let access = (access & !OPTIONAL_ACCESS) as c_int;
                    // SAFETY: the protection domain is in use; the kernel checks the range and pins it.
                    ("ibv_reg_mr", unsafe { (verbs.ibv_reg_mr)(pd.as_ptr(), address as *mut c_void, length, access) })
                }
                None => return Err(self.api.too_old(self.on(action()), "ibv_reg_mr_iova2", 28)),
            },
            Region::DmaBuf { fd, offset } => match verbs.ibv_reg_dmabuf_mr {
                Some(register) => {
                    // SAFETY: the protection domain is in use; the kernel checks the buffer and the range in it.
                    let mr = unsafe { register(pd.as_ptr(), offset, length, iova, fd, access as c_int) };
                    ("ibv_reg_dmabuf_mr", mr)
                }
                None => return Err(self.api.too_old(self.on(action()), "ibv_reg_dmabuf_mr", 34)),
            },
        };
        self.made(action, call, mr)
    }

    pub(super) fn name_memory(
        &self,
        region: Region,
        bytes: u64,
        access: u32,
        pages: Option<u64>,
    ) -> Result<NonNull<DevxUmem>> {
        let action = || format!("let commands name {bytes} bytes of {}", described(region));
        let size = sized(bytes, || self.on(action()))?;
        let mlx5dv = &self.api.mlx5dv;
        if let (Region::Address(address), None) = (region, pages) {
            // SAFETY: the context is open; the kernel checks the range and pins it.
            let umem =
                unsafe { (mlx5dv.mlx5dv_devx_umem_reg)(self.context.as_ptr(), address as *mut c_void, size, access) };
            return self.made(action, "mlx5dv_devx_umem_reg", umem);
        }
        let Some(register) = mlx5dv.mlx5dv_devx_umem_reg_ex else {
            return Err(self.api.too_old(self.on(action()), "mlx5dv_devx_umem_reg_ex", 35));
        };
        // Any page size but those below the system's.
        let pgsz_bitmap = pages.unwrap_or(!(page_bytes() - 1));
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
        // SAFETY: the context is open, and `input` a live structure of its type; the kernel checks what it names.
        let umem = unsafe { register(self.context.as_ptr(), &mut input) };
        self.made(action, "mlx5dv_devx_umem_reg_ex", umem)
    }
}

fn described(region: Region) -> String {
    match region {
        Region::Address(address) => format!("memory at {address:#x}"),
        Region::DmaBuf { fd, offset } => format!("DMA buffer {fd} at {offset:#x}"),
    }
}

/// A length that this machine can have.
fn sized(bytes: u64, action: impl FnOnce() -> String) -> Result<usize> {
    match usize::try_from(bytes) {
        Ok(0) => Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is nothing to reach")),
        Ok(bytes) => Ok(bytes),
        Err(_) => Err(Error::new(ErrorKind::OutOfRange, action()).amount(bytes, usize::MAX as u64, "bytes")),
    }
}

fn page_bytes() -> u64 {
    // SAFETY: any name may be asked about.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096)
}

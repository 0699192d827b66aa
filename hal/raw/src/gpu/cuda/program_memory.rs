//! Allocations that the program itself made by virtual memory management.

use core::mem::size_of;
use core::ptr;

use cudarc::driver::sys::{CUmemAllocationHandleType, CUmemAllocationProp, CUmemLocationType};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::context::Context;
use super::vmm::{PhysicalChunk, granularity};

const POSIX_FD: u32 = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.0;
const DEVICE: u32 = CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE as u32;

/// `CUmemAllocationProp` with numbers for its enums: handle types are a set, and newer drivers have further places.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Properties {
    kind: u32,
    handle_types: u32,
    place: u32,
    place_id: i32,
    win32_meta_data: usize,
    flags: [u8; 8],
}
const _: () = assert!(size_of::<Properties>() == size_of::<CUmemAllocationProp>());

impl PhysicalChunk {
    /// Returns the allocation of `bytes` bytes that the program made by `cuMemCreate` and mapped as a whole at `at`.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if the range is not one whole mapping of such an allocation, on this device; `Incompatible` if
    /// the allocation can't be shared by file descriptor.
    ///
    /// # Safety
    ///
    /// - **mapped**: the mapping at `at` does not change until this returns.
    pub unsafe fn of_program(context: &Context, at: u64, bytes: usize) -> Result<Self> {
        let device = context.device();
        let action = || format!("share {bytes} bytes at {at:#x} of {device} with other processes");
        let step = granularity(&device)?;
        if bytes == 0 || !bytes.is_multiple_of(step) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the size is not a positive multiple of {step} bytes")));
        }
        // SAFETY: **mapped** by the caller.
        let chunk = unsafe { Self::mapped_at(context, at, bytes) }.map_err(|error| {
            error.hint("allocate it by cuMemCreate and map it by cuMemMap; cudaMalloc's can't be shared so")
        })?;
        let _current = context.enter()?;
        let driver = context.driver();
        let (mut base, mut mapped) = (0, 0);
        // SAFETY: `base` and `mapped` are valid out pointers; the driver validates the address.
        unsafe { driver.cuMemGetAddressRange_v2(&mut base, &mut mapped, at) }.or_cannot(action)?;
        if (base, mapped) != (at, bytes) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the allocation there has {mapped} bytes from {base:#x} on"))
                .hint("register each allocation as a whole, by a call of its own"));
        }
        let mut found =
            Properties { kind: 0, handle_types: 0, place: 0, place_id: 0, win32_meta_data: 0, flags: [0; 8] };
        // SAFETY: `found` has the size and layout of the struct that the driver writes, and the handle is the chunk's.
        unsafe { driver.cuMemGetAllocationPropertiesFromHandle(ptr::from_mut(&mut found).cast(), chunk.handle()) }
            .or_cannot(action)?;
        if (found.place, found.place_id) != (DEVICE, device.raw()) {
            let place = match found.place {
                DEVICE => format!("on GPU {}", found.place_id),
                other => format!("in a place of type {other} (CUmemLocationType), not on a GPU"),
            };
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the allocation is {place}"))
                .hint(format!("allocate it on {device}, which is this PE's")));
        }
        if found.handle_types & POSIX_FD == 0 {
            return Err(Error::new(ErrorKind::Incompatible, action())
                .because("it was made without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR")
                .hint("set requestedHandleTypes of cuMemCreate to it"));
        }
        Ok(chunk)
    }
}

//! Whether memory can be created for other nodes of one NVLink fabric.

use core::ffi::c_void;
use core::mem::{offset_of, size_of};
use core::ptr;

use cudarc::driver::sys::{CUmemAllocationGranularity_flags, CUmemAllocationProp};
use oxshmem_core::host::Result;
use static_assertions::const_assert_eq;

use super::context::Context;

/// `CU_MEM_HANDLE_TYPE_FABRIC`, newer than the bindings (CUDA 12.3).
const FABRIC: u32 = 8;
/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
const PINNED: u32 = 1;
/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const DEVICE: u32 = 1;

/// `CUmemAllocationProp` with its enums as their numbers, so that one of them can be newer than the bindings.
#[repr(C)]
struct Prop {
    kind: u32,
    handle_types: u32,
    location_kind: u32,
    location: i32,
    win32: *mut c_void,
    flags: [u8; 8],
}

const_assert_eq!(size_of::<Prop>(), size_of::<CUmemAllocationProp>());
const_assert_eq!(offset_of!(Prop, handle_types), offset_of!(CUmemAllocationProp, requestedHandleTypes));
const_assert_eq!(offset_of!(Prop, location_kind), offset_of!(CUmemAllocationProp, location));
const_assert_eq!(offset_of!(Prop, flags), offset_of!(CUmemAllocationProp, allocFlags));

/// Creates the least memory of the device that has a fabric handle, and releases it.
///
/// [`Device::fabric_handles_supported`](super::Device::fabric_handles_supported) does not cover the process's right to
/// an IMEX channel, without which the driver refuses such memory.
///
/// # Errors
///
/// The driver's answer; `Incompatible` if it does not support this kind of handle.
pub fn try_fabric_handle(context: &Context) -> Result<()> {
    let (driver, device) = (context.driver(), context.device());
    let prop = Prop {
        kind: PINNED,
        handle_types: FABRIC,
        location_kind: DEVICE,
        location: device.raw(),
        win32: ptr::null_mut(),
        flags: [0; 8],
    };
    let prop = (&raw const prop).cast::<CUmemAllocationProp>();
    let least = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
    let action = || format!("create memory of {device} with a fabric handle");
    let (mut bytes, mut handle) = (0, 0);
    let _current = context.enter()?;
    // SAFETY: `bytes` and `prop` are live; `prop` has the layout that the assertions above compare, and the driver
    // checks its numbers.
    unsafe { driver.cuMemGetAllocationGranularity(&mut bytes, prop, least) }.or_cannot(action)?;
    // SAFETY: `handle` and `prop` are live; the assertions above compare the layout of `prop`, and flags must be 0.
    unsafe { driver.cuMemCreate(&mut handle, bytes, prop, 0) }.or_cannot(action)?;
    // SAFETY: the handle was just created, and no other code has it.
    unsafe { driver.cuMemRelease(handle) }.or_cannot(|| format!("release memory of {device} with a fabric handle"))
}

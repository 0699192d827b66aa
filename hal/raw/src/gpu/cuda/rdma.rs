//! What a NIC and a GPU need to reach each other: device memory as a dma-buf, and registers of a NIC as addresses of
//! the GPU.

use core::ffi::{c_int, c_uint, c_void};
use core::fmt;
use core::ptr;
use std::os::fd::{FromRawFd, OwnedFd};

use cudarc::driver::sys::{
    CU_MEMHOSTREGISTER_DEVICEMAP, CU_MEMHOSTREGISTER_IOMEMORY, CU_MEMHOSTREGISTER_PORTABLE, CUmemRangeHandleType,
    CUpointer_attribute,
};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::code;
use super::context::Context;
use super::device::Device;

/// A dma-buf of `bytes` bytes of device memory at `address`, both multiples of the host's page.
///
/// It keeps what is behind the addresses alive, but not the addresses.
///
/// # Errors
///
/// The driver or the device has no dma-bufs, or the range is not within one allocation.
pub fn dma_buf(context: &Context, address: u64, bytes: usize) -> Result<OwnedFd> {
    let mut fd: c_int = -1;
    let kind = CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
    let _current = context.enter()?;
    // SAFETY: for this kind of handle the driver writes one c_int; what the range is it checks; flags must be 0.
    unsafe { context.driver().cuMemGetHandleForAddressRange((&raw mut fd).cast(), address, bytes, kind, 0) }
        .or_error(|| format!("make a dma-buf of {bytes} bytes at {address:#x} of {}", context.device()))?;
    // SAFETY: the driver opened it for the caller, who alone owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Makes copies by the driver to and from the allocation at `address` be there when their call returns, also for a
/// NIC. Source: GPUDirect RDMA, section "Synchronization Behavior of Memory Copy".
///
/// # Errors
///
/// There is no allocation at `address`, or it can't have this.
pub fn synchronize_copies(context: &Context, address: u64) -> Result<()> {
    let yes: c_uint = 1;
    let _current = context.enter()?;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    // SAFETY: the attribute is a live c_uint; what the address is the driver checks.
    unsafe { context.driver().cuPointerSetAttribute((&raw const yes).cast(), attribute, address) }
        .or_error(|| format!("make copies to {address:#x} of {} synchronous", context.device()))
}

/// Waits until what NICs have written to this device's memory is there for its kernels. Needed where
/// [`Device::rdma_writes_in_order`] is not.
///
/// # Errors
///
/// The driver or the device can't ([`Device::can_flush_rdma_writes`]).
pub fn flush_rdma_writes(context: &Context) -> Result<()> {
    const CURRENT_CONTEXT: c_uint = 0;
    const TO_OWNER: c_uint = 100;
    let action = || format!("flush what NICs wrote to {}", context.device());
    let _current = context.enter()?;
    // SAFETY: both are values of `cuda.h`, and the context is current.
    match unsafe { context.driver().cuFlushGPUDirectRDMAWrites(CURRENT_CONTEXT, TO_OWNER) } {
        Some(result) => result.or_error(action),
        None => Err(Error::new(ErrorKind::Incompatible, action())
            .because("libcuda.so.1 has no function cuFlushGPUDirectRDMAWrites")
            .hint("update the NVIDIA driver")),
    }
}

/// The device whose memory is at `address`; `None` for the host's, or where the driver knows of nothing.
///
/// # Errors
///
/// There is no driver.
pub fn device_of(address: u64) -> Result<Option<Device>> {
    owner_of(address, DEVICE)
}

/// The device in whose context the host's memory at `address` was pinned; `None` for memory that kernels don't reach, or
/// a device's own.
///
/// # Errors
///
/// There is no driver.
pub fn pinner_of(address: u64) -> Result<Option<Device>> {
    owner_of(address, HOST)
}

/// Where kernels of this context find what is at `address` of this process: pinned memory of the host, or a device's.
///
/// # Errors
///
/// The driver knows of nothing there.
pub fn kernel_address(context: &Context, address: u64) -> Result<u64> {
    let mut found: u64 = 0;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
    let _current = context.enter()?;
    // SAFETY: the attribute is a CUdeviceptr, which is live; what the address is the driver checks.
    unsafe { context.driver().cuPointerGetAttribute((&raw mut found).cast(), attribute, address) }
        .or_error(|| format!("find {address:#x} for kernels of {}", context.device()))?;
    Ok(found)
}

fn owner_of(address: u64, wanted: c_uint) -> Result<Option<Device>> {
    let driver = Device::get(0)?.driver();
    let (mut kind, mut ordinal): (c_uint, c_int) = (0, -1);
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: the attribute is a c_uint, which is live; what the address is the driver checks.
    let known =
        unsafe { driver.cuPointerGetAttribute((&raw mut kind).cast(), attribute, address) }.code() == code::SUCCESS;
    if !known || kind != wanted {
        return Ok(None);
    }
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: as above, a c_int.
    unsafe { driver.cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address) }
        .or_error(|| format!("tell whose memory is at {address:#x}"))?;
    Device::get(ordinal.unsigned_abs()).map(Some)
}

/// `CU_MEMORYTYPE_HOST`.
const HOST: c_uint = 1;
/// `CU_MEMORYTYPE_DEVICE`.
const DEVICE: c_uint = 2;

/// Host addresses, of memory or of a device's registers, that kernels can write while this lives.
pub struct MappedHost {
    context: Context,
    host: u64,
    device: u64,
    bytes: usize,
}

impl MappedHost {
    /// Maps `bytes` bytes of ordinary memory at `host`; it stays the caller's.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there, or a part of it is registered already.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range stays mapped in this process while this lives.
    pub unsafe fn memory(context: &Context, host: u64, bytes: usize) -> Result<Self> {
        // SAFETY: **mapped**.
        unsafe { Self::register(context, host, bytes, 0) }
    }

    /// Maps `bytes` bytes of a device's registers at `host`.
    ///
    /// # Errors
    ///
    /// The driver doesn't allow it, or these are not registers.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range stays mapped in this process while this lives.
    pub unsafe fn registers(context: &Context, host: u64, bytes: usize) -> Result<Self> {
        // SAFETY: **mapped**.
        unsafe { Self::register(context, host, bytes, CU_MEMHOSTREGISTER_IOMEMORY) }.map_err(|error| {
            if error.kind() == ErrorKind::Exhausted {
                return error;
            }
            error.hint(
                "let the driver map registers of other devices: \
                 `options nvidia NVreg_RegistryDwords=\"PeerMappingOverride=1;\"` in /etc/modprobe.d",
            )
        })
    }

    /// # Safety
    ///
    /// - **mapped**: the range stays mapped in this process while this lives.
    unsafe fn register(context: &Context, host: u64, bytes: usize, flags: c_uint) -> Result<Self> {
        let what = if flags == 0 { "host memory" } else { "registers" };
        let action = || format!("map {bytes} bytes of {what} at {host:#x} for {}", context.device());
        if bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is nothing in 0 bytes"));
        }
        let at: *mut c_void = ptr::with_exposed_provenance_mut(host as usize);
        let flags = flags | CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
        let _current = context.enter()?;
        // SAFETY: **mapped**; whether the range can be registered the driver checks.
        unsafe { context.driver().cuMemHostRegister_v2(at, bytes, flags) }.or_error(action)?;
        // From here on it is given back by its owner's drop.
        let mut mapped = Self { context: context.clone(), host, device: 0, bytes };
        // SAFETY: `device` is live, the range was registered with DEVICEMAP, flags must be 0.
        unsafe { context.driver().cuMemHostGetDevicePointer_v2(&mut mapped.device, at, 0) }.or_error(action)?;
        Ok(mapped)
    }

    /// Its first address for kernels.
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Its first address on the host.
    pub fn host(&self) -> u64 {
        self.host
    }
}

impl Drop for MappedHost {
    fn drop(&mut self) {
        let _current = self.context.enter();
        let at: *mut c_void = ptr::with_exposed_provenance_mut(self.host as usize);
        // SAFETY: the range was registered once, by this.
        unsafe { self.context.driver().cuMemHostUnregister(at) }.ignore();
    }
}

impl fmt::Debug for MappedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MappedHost({} bytes at {:#x}, {:#x} on the device)", self.bytes, self.host, self.device)
    }
}

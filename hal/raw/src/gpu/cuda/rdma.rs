//! Mutual access of a NIC and a GPU: device memory as a dma-buf, and a NIC's registers as GPU addresses.

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

/// Exports `bytes` bytes of device memory at `address`, both multiples of the host's page size, as a dma-buf.
///
/// The dma-buf keeps the memory alive, but not its addresses.
///
/// # Errors
///
/// The driver or the device has no dma-bufs, or the range is not within one allocation.
pub fn dma_buf(context: &Context, address: u64, bytes: usize) -> Result<OwnedFd> {
    let mut fd: c_int = -1;
    let kind = CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
    let _current = context.enter()?;
    // SAFETY: for this kind of handle the driver writes one c_int to `fd`. It validates the range; flags are 0 as
    // required.
    unsafe { context.driver().cuMemGetHandleForAddressRange((&raw mut fd).cast(), address, bytes, kind, 0) }
        .or_cannot(|| format!("make a dma-buf of {bytes} bytes at {address:#x} of {}", context.device()))?;
    // SAFETY: the driver opened the descriptor for this call, so no other code owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Makes the driver's copies to and from the allocation at `address` complete when their calls return, also for a NIC.
/// Source: GPUDirect RDMA, section "Synchronization Behavior of Memory Copy".
///
/// # Errors
///
/// There is no allocation at `address`, or it does not support this.
pub fn synchronize_copies(context: &Context, address: u64) -> Result<()> {
    let yes: c_uint = 1;
    let _current = context.enter()?;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_SYNC_MEMOPS;
    // SAFETY: the attribute is a valid c_uint; the driver validates the address.
    unsafe { context.driver().cuPointerSetAttribute((&raw const yes).cast(), attribute, address) }
        .or_cannot(|| format!("make copies to {address:#x} of {} synchronous", context.device()))
}

/// Waits until earlier writes of NICs to this device's memory are visible to its kernels. Needed if
/// [`Device::rdma_writes_in_order`] is false.
///
/// # Errors
///
/// The driver or the device does not support it ([`Device::can_flush_rdma_writes`]).
pub fn flush_rdma_writes(context: &Context) -> Result<()> {
    const CURRENT_CONTEXT: c_uint = 0;
    const TO_OWNER: c_uint = 100;
    let action = || format!("flush what NICs wrote to {}", context.device());
    let _current = context.enter()?;
    // SAFETY: both arguments are constants of `cuda.h`, and the context is current.
    match unsafe { context.driver().cuFlushGPUDirectRDMAWrites(CURRENT_CONTEXT, TO_OWNER) } {
        Some(result) => result.or_cannot(action),
        None => Err(Error::new(ErrorKind::Incompatible, action())
            .because("libcuda.so.1 has no function cuFlushGPUDirectRDMAWrites")
            .hint("update the NVIDIA driver")),
    }
}

/// Returns the device whose memory is at `address`; `None` for host memory, or if the driver does not know the address.
///
/// # Errors
///
/// There is no driver.
pub fn device_of(address: u64) -> Result<Option<Device>> {
    owner_of(address, DEVICE)
}

/// Returns the device in whose context the host memory at `address` was pinned; `None` for memory that kernels can't
/// access, or for device memory.
///
/// # Errors
///
/// There is no driver.
pub fn pinner_of(address: u64) -> Result<Option<Device>> {
    owner_of(address, HOST)
}

/// Returns the address at which kernels of this context access `address` of this process, in pinned host memory or
/// device memory.
///
/// # Errors
///
/// The driver does not know the address.
pub fn kernel_address(context: &Context, address: u64) -> Result<u64> {
    let mut found: u64 = 0;
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
    let _current = context.enter()?;
    // SAFETY: `found` is a valid out pointer for the attribute, a CUdeviceptr; the driver validates the address.
    unsafe { context.driver().cuPointerGetAttribute((&raw mut found).cast(), attribute, address) }
        .or_cannot(|| format!("find {address:#x} for kernels of {}", context.device()))?;
    Ok(found)
}

fn owner_of(address: u64, wanted: c_uint) -> Result<Option<Device>> {
    let driver = Device::get(0)?.driver();
    let (mut kind, mut ordinal): (c_uint, c_int) = (0, -1);
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    // SAFETY: `kind` is a valid out pointer for the attribute, a c_uint; the driver validates the address.
    let known =
        unsafe { driver.cuPointerGetAttribute((&raw mut kind).cast(), attribute, address) }.code() == code::SUCCESS;
    if !known || kind != wanted {
        return Ok(None);
    }
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    // SAFETY: `ordinal` is a valid out pointer for the attribute, a c_int; the driver validates the address.
    unsafe { driver.cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address) }
        .or_cannot(|| format!("find the owner of the memory at {address:#x}"))?;
    Device::get(ordinal.unsigned_abs()).map(Some)
}

/// `CU_MEMORYTYPE_HOST`.
const HOST: c_uint = 1;
/// `CU_MEMORYTYPE_DEVICE`.
const DEVICE: c_uint = 2;

/// Host addresses, of memory or of a device's registers, that kernels can access during its lifetime.
pub struct MappedHost {
    context: Context,
    host: u64,
    device: u64,
    bytes: usize,
}

impl MappedHost {
    /// Maps `bytes` bytes of ordinary memory at `host`, which stays the caller's.
    ///
    /// # Errors
    ///
    /// Nothing is mapped there, or a part of it is registered already.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range stays mapped in this process while this lives.
    pub unsafe fn memory(context: &Context, host: u64, bytes: usize) -> Result<Self> {
        // SAFETY: **mapped** by the caller, with the same range.
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
        // SAFETY: **mapped** by the caller, with the same range.
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

    /// Registers `bytes` bytes at `host` with the context.
    ///
    /// # Safety
    ///
    /// - **mapped**: the range stays mapped in this process while this lives.
    unsafe fn register(context: &Context, host: u64, bytes: usize, flags: c_uint) -> Result<Self> {
        let what = if flags == 0 { "host memory" } else { "registers" };
        let action = || format!("map {bytes} bytes of {what} at {host:#x} for {}", context.device());
        if bytes == 0 {
            return Err(
                Error::new(ErrorKind::InvalidArgument, action()).because("a range of 0 bytes has nothing to map")
            );
        }
        let at: *mut c_void = ptr::with_exposed_provenance_mut(host as usize);
        let flags = flags | CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
        let _current = context.enter()?;
        // SAFETY: by **mapped** the range exists while it is registered; the driver checks whether it can be
        // registered.
        unsafe { context.driver().cuMemHostRegister_v2(at, bytes, flags) }.or_cannot(action)?;
        // From here on, dropping `mapped` unregisters the range.
        let mut mapped = Self { context: context.clone(), host, device: 0, bytes };
        // SAFETY: `device` is a valid out pointer, the range was registered with DEVICEMAP, and flags are 0 as
        // required.
        unsafe { context.driver().cuMemHostGetDevicePointer_v2(&mut mapped.device, at, 0) }.or_cannot(action)?;
        Ok(mapped)
    }

    /// Returns the first address for kernels.
    pub fn device(&self) -> u64 {
        self.device
    }

    /// Returns the first address on the host.
    pub fn host(&self) -> u64 {
        self.host
    }
}

impl Drop for MappedHost {
    fn drop(&mut self) {
        let _current = self.context.enter();
        let at: *mut c_void = ptr::with_exposed_provenance_mut(self.host as usize);
        // SAFETY: this value registered the range, once.
        unsafe { self.context.driver().cuMemHostUnregister(at) }.ignore();
    }
}

impl fmt::Debug for MappedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MappedHost({} bytes at {:#x}, {:#x} on the device)", self.bytes, self.host, self.device)
    }
}

//! Virtual memory management: memory that is reserved, created and mapped in separate steps, and shared by file
//! descriptor.

use core::ffi::c_int;
use core::{fmt, ptr};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::Arc;

use cudarc::driver::sys::{
    CUmemAccess_flags, CUmemAccessDesc, CUmemAllocationGranularity_flags, CUmemAllocationHandleType,
    CUmemAllocationProp, CUmemAllocationProp_st__bindgen_ty_1, CUmemAllocationType, CUmemGenericAllocationHandle,
    CUmemLocation, CUmemLocationType,
};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::context::Context;
use super::device::Device;

const POSIX_FD: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const NO_HANDLE: CUmemAllocationHandleType = CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE;

/// Returns the granularity, in bytes, in which this device's memory is created and mapped.
pub fn granularity(device: &Device) -> Result<usize> {
    let prop = properties(device)?;
    let recommended = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    let mut bytes = 0;
    // SAFETY: `bytes` is a valid out pointer, and `prop` a valid description.
    unsafe { device.driver().cuMemGetAllocationGranularity(&mut bytes, &prop, recommended) }
        .or_cannot(|| format!("ask {device} for the granularity of its memory"))?;
    Ok(bytes)
}

/// Describes memory on the device that can be shared with other processes and NICs if the device supports it.
fn properties(device: &Device) -> Result<CUmemAllocationProp> {
    Ok(CUmemAllocationProp {
        type_: CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: if device.posix_fd_handles_supported()? { POSIX_FD } else { NO_HANDLE },
        location: location(device),
        win32HandleMetaData: ptr::null_mut(),
        allocFlags: CUmemAllocationProp_st__bindgen_ty_1 {
            compressionType: 0,
            gpuDirectRDMACapable: u8::from(device.gpu_direct_rdma_with_vmm()?),
            usage: 0,
            reserved: [0; 4],
        },
    })
}

const fn location(device: &Device) -> CUmemLocation {
    CUmemLocation { type_: CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: device.raw() }
}

/// Physical memory of a device, created by this process or another one; it has no address until it is mapped.
///
/// It lives while a clone or a mapping of it does.
#[derive(Clone)]
pub struct PhysicalChunk(Arc<Physical>);

struct Physical {
    context: Context,
    handle: CUmemGenericAllocationHandle,
    bytes: usize,
    shareable: bool,
}

impl Drop for Physical {
    fn drop(&mut self) {
        let _current = self.context.enter();
        // SAFETY: this value alone owns the handle. A mapping holds a clone, so none is left.
        unsafe { self.context.driver().cuMemRelease(self.handle) }.ignore();
    }
}

impl PhysicalChunk {
    /// Creates `bytes` of device memory, not zeroed.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if `bytes` is not a positive multiple of [`granularity`]; `Exhausted` if there is not enough
    /// memory; `Incompatible` if the device does not support it.
    pub fn create(context: &Context, bytes: usize) -> Result<Self> {
        let device = context.device();
        let action = || format!("create {bytes} bytes of memory on {device}");
        if !device.vmm_supported()? {
            return Err(Error::new(ErrorKind::Incompatible, action())
                .because("the device has no virtual memory management")
                .hint("use plain device memory (`DeviceMemory`) instead"));
        }
        whole_steps(bytes, granularity(&device)?, action)?;
        let prop = properties(&device)?;
        let _current = context.enter()?;
        let mut handle = 0;
        // SAFETY: `handle` is a valid out pointer, `prop` a valid description, and flags are 0 as required.
        let result = unsafe { context.driver().cuMemCreate(&mut handle, bytes, &prop, 0) };
        if let Err(error) = result.or_cannot(action) {
            return Err(match context.memory() {
                Ok((free, _)) if error.kind() == ErrorKind::Exhausted => {
                    error.amount(bytes as u64, free as u64, "bytes")
                }
                _ => error,
            });
        }
        let shareable = prop.requestedHandleTypes == POSIX_FD;
        Ok(Self(Arc::new(Physical { context: context.clone(), handle, bytes, shareable })))
    }

    /// Returns the memory of `bytes` bytes whose mapping in this process, on any device, begins at `at`.
    ///
    /// # Errors
    ///
    /// The memory there is not a mapping of such memory.
    ///
    /// # Safety
    ///
    /// - **mapped**: the mapping at `at` does not change until this returns.
    pub unsafe fn mapped_at(context: &Context, at: u64, bytes: usize) -> Result<Self> {
        let action = || format!("find the memory that is mapped at {at:#x} of {}", context.device());
        let shareable = context.device().posix_fd_handles_supported()?;
        let _current = context.enter()?;
        let mut handle = 0;
        let address = ptr::with_exposed_provenance_mut(at as usize);
        // SAFETY: `handle` is a valid out pointer; **mapped** by the caller; the driver validates the address.
        unsafe { context.driver().cuMemRetainAllocationHandle(&mut handle, address) }.or_cannot(action)?;
        Ok(Self(Arc::new(Physical { context: context.clone(), handle, bytes, shareable })))
    }

    /// Returns the driver's handle, which lives as long as a clone of this value.
    pub(super) fn handle(&self) -> CUmemGenericAllocationHandle {
        self.0.handle
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Reports whether [`export_fd`](Self::export_fd) is supported.
    pub fn shareable(&self) -> bool {
        self.0.shareable
    }

    /// Exports a file descriptor for another process; it keeps the memory alive by itself.
    pub fn export_fd(&self) -> Result<OwnedFd> {
        let Physical { context, handle, bytes, shareable } = &*self.0;
        let action = || format!("export {bytes} bytes of memory of {} as a file descriptor", context.device());
        if !shareable {
            return Err(Error::new(ErrorKind::Incompatible, action())
                .because("the device doesn't share memory by file descriptor")
                .hint("use plain device memory (`DeviceMemory`) and its IPC handle instead"));
        }
        let _current = context.enter()?;
        let mut fd: c_int = -1;
        // SAFETY: for this kind of handle the driver writes one c_int to `fd`; flags are 0 as required.
        unsafe { context.driver().cuMemExportToShareableHandle((&raw mut fd).cast(), *handle, POSIX_FD, 0) }
            .or_cannot(action)?;
        // SAFETY: the driver opened the descriptor for this call, so no other code owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // The driver does not document whether a child process inherits it; it must not.
        if let Err(errno) = nix::fcntl::fcntl(&fd, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC)) {
            return Err(Error::new(ErrorKind::System, action()).call("fcntl", errno as i64, errno.desc()));
        }
        Ok(fd)
    }

    /// Imports the memory of a file descriptor from [`export_fd`](Self::export_fd), of this or another process and this
    /// or another device. The caller may close the descriptor afterwards.
    ///
    /// `bytes` is the size that the exporter stated; the driver checks it when the chunk is mapped.
    pub fn import_fd(context: &Context, fd: BorrowedFd<'_>, bytes: usize) -> Result<Self> {
        let action = || format!("import {bytes} bytes of GPU memory from a file descriptor");
        if bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is no memory of 0 bytes"));
        }
        let _current = context.enter()?;
        let mut handle = 0;
        // The descriptor's number is passed as the pointer value itself.
        let number = ptr::without_provenance_mut(fd.as_raw_fd() as usize);
        // SAFETY: `handle` is a valid out pointer and the descriptor is open; the driver validates its kind.
        unsafe { context.driver().cuMemImportFromShareableHandle(&mut handle, number, POSIX_FD) }.or_cannot(action)?;
        Ok(Self(Arc::new(Physical { context: context.clone(), handle, bytes, shareable: true })))
    }
}

impl fmt::Debug for PhysicalChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhysicalChunk").field("bytes", &self.0.bytes).field("shareable", &self.0.shareable).finish()
    }
}

/// A range of addresses for one device's kernels, into which chunks are mapped.
///
/// Dropping it unmaps everything, releases the chunks and frees the addresses, in that order.
pub struct Reservation {
    context: Context,
    base: u64,
    bytes: usize,
    step: usize,
    maps: Vec<ChunkMapping>,
}

struct ChunkMapping {
    offset: usize,
    /// Keeps the memory alive while it is mapped.
    chunk: PhysicalChunk,
}

impl Reservation {
    /// Reserves `bytes` of addresses without memory. `alignment` in bytes is a power of two, or 0 for the device's
    /// default.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if `bytes` is not a positive multiple of [`granularity`] or the alignment is not a power of
    /// two; `Exhausted` if there is no such range of addresses.
    pub fn reserve(context: &Context, bytes: usize, alignment: usize) -> Result<Self> {
        let device = context.device();
        let action = || format!("reserve {bytes} bytes of addresses on {device}");
        let step = granularity(&device)?;
        whole_steps(bytes, step, action)?;
        if alignment != 0 && !alignment.is_power_of_two() {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the alignment {alignment} is not a power of two")));
        }
        let _current = context.enter()?;
        let mut base = 0;
        // SAFETY: `base` is a valid out pointer, no fixed address is requested, and flags are 0 as required.
        unsafe { context.driver().cuMemAddressReserve(&mut base, bytes, alignment, 0, 0) }.or_cannot(action)?;
        Ok(Self { context: context.clone(), base, bytes, step, maps: Vec::new() })
    }

    /// Returns the first address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of its bytes with memory mapped.
    pub fn mapped_bytes(&self) -> usize {
        self.maps.iter().map(|map| map.chunk.bytes()).sum()
    }

    /// Maps `chunk` at `offset` for this device to read and write, and returns the first address. The chunk may belong
    /// to another device that this one can access.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if `offset` is not a multiple of [`granularity`] or the range has memory already; `OutOfRange`
    /// if it leaves the reservation; otherwise the driver's error. On an error nothing is mapped.
    pub fn map(&mut self, offset: usize, chunk: &PhysicalChunk) -> Result<u64> {
        let device = self.context.device();
        let bytes = chunk.bytes();
        let action = || format!("map {bytes} bytes at offset {offset:#x} of a reservation on {device}");
        if !offset.is_multiple_of(self.step) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the offset is not a multiple of {} bytes", self.step)));
        }
        let end = offset.checked_add(bytes).filter(|&end| end <= self.bytes);
        let Some(end) = end else {
            let room = self.bytes.saturating_sub(offset);
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .because(format!("the reservation has {} bytes", self.bytes))
                .amount(bytes as u64, room as u64, "bytes"));
        };
        if let Some(other) = self.maps.iter().find(|map| offset < map.offset + map.chunk.bytes() && map.offset < end) {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because(format!(
                "{} bytes at offset {:#x} have memory already",
                other.chunk.bytes(),
                other.offset
            )));
        }
        let _current = self.context.enter()?;
        let driver = self.context.driver();
        let at = self.base + offset as u64;
        // SAFETY: the range is inside this reservation and has no memory, the chunk is alive, and offset and flags are
        // 0 as required.
        unsafe { driver.cuMemMap(at, bytes, 0, chunk.0.handle, 0) }.or_cannot(action)?;
        let access = CUmemAccessDesc {
            location: location(&device),
            flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: the range was just mapped, and `access` is an array of one valid entry.
        let result = unsafe { driver.cuMemSetAccess(at, bytes, &access, 1) };
        if let Err(error) = result.or_cannot(|| format!("{} for it to read and write", action())) {
            // SAFETY: the range was just mapped as a whole, and no other code has its address.
            unsafe { driver.cuMemUnmap(at, bytes) }.ignore();
            return Err(error.hint(format!("{device} must reach the memory: see `Device::can_access_peer`")));
        }
        self.maps.push(ChunkMapping { offset, chunk: chunk.clone() });
        Ok(at)
    }

    /// Unmaps the memory that was mapped at `offset`.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if no mapping starts there.
    pub fn unmap(&mut self, offset: usize) -> Result<()> {
        let action = || format!("unmap offset {offset:#x} of a reservation on {}", self.context.device());
        let Some(index) = self.maps.iter().position(|map| map.offset == offset) else {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("no mapping starts there"));
        };
        let _current = self.context.enter()?;
        let bytes = self.maps[index].chunk.bytes();
        // SAFETY: the range is one whole mapping of this reservation.
        unsafe { self.context.driver().cuMemUnmap(self.base + offset as u64, bytes) }.or_cannot(action)?;
        self.maps.swap_remove(index);
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let _current = self.context.enter();
        let driver = self.context.driver();
        for map in self.maps.drain(..) {
            // SAFETY: the range is one whole mapping of this reservation, and its chunk is released after it.
            unsafe { driver.cuMemUnmap(self.base + map.offset as u64, map.chunk.bytes()) }.ignore();
        }
        // SAFETY: the range is the whole reservation, and nothing is mapped in it any more.
        unsafe { driver.cuMemAddressFree(self.base, self.bytes) }.ignore();
    }
}

impl fmt::Debug for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation")
            .field("base", &format_args!("{:#x}", self.base))
            .field("bytes", &self.bytes)
            .field("maps", &self.maps.len())
            .finish()
    }
}

fn whole_steps(bytes: usize, step: usize, action: impl FnOnce() -> String) -> Result<()> {
    if bytes != 0 && bytes.is_multiple_of(step) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::InvalidArgument, action())
        .because(format!("the size must be a positive multiple of {step} bytes")))
}

//! Memory that is reserved, created and mapped by hand, and shared by file descriptor.

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

/// In what steps, in bytes, this device's memory is created and mapped.
pub fn granularity(device: &Device) -> Result<usize> {
    let prop = properties(device)?;
    let recommended = CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    let mut bytes = 0;
    // SAFETY: `bytes` and `prop` are live.
    unsafe { device.driver().cuMemGetAllocationGranularity(&mut bytes, &prop, recommended) }
        .or_error(|| format!("ask {device} for the granularity of its memory"))?;
    Ok(bytes)
}

/// Memory on the device, which other processes and NICs may be given where the device can.
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

/// Physical memory of a device, its own or another process's; it has no address until it is mapped.
///
/// It lives as long as a clone of it or a mapping does.
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
        // SAFETY: the handle is owned by this alone. Mappings hold a clone, so there is none left.
        unsafe { self.context.driver().cuMemRelease(self.handle) }.ignore();
    }
}

impl PhysicalChunk {
    /// Takes `bytes` of the device's memory, not zeroed.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if `bytes` is not a positive multiple of [`granularity`]; `Exhausted` if
    /// there is not as much; `Incompatible` if the device has no such memory.
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
        // SAFETY: `handle` and `prop` are live; flags must be 0.
        let result = unsafe { context.driver().cuMemCreate(&mut handle, bytes, &prop, 0) };
        if let Err(error) = result.or_error(action) {
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

    /// The memory whose mapping in this process, on whichever device, begins at `at`, of `bytes` bytes.
    ///
    /// # Errors
    ///
    /// What is there was not mapped by hand.
    ///
    /// # Safety
    ///
    /// - **mapped**: the mapping at `at` stays as it is until this returns.
    pub unsafe fn mapped_at(context: &Context, at: u64, bytes: usize) -> Result<Self> {
        let action = || format!("find the memory that is mapped at {at:#x} of {}", context.device());
        let shareable = context.device().posix_fd_handles_supported()?;
        let _current = context.enter()?;
        let mut handle = 0;
        let address = ptr::with_exposed_provenance_mut(at as usize);
        // SAFETY: `handle` is live; **mapped**; what the address is the driver checks.
        unsafe { context.driver().cuMemRetainAllocationHandle(&mut handle, address) }.or_error(action)?;
        Ok(Self(Arc::new(Physical { context: context.clone(), handle, bytes, shareable })))
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Whether [`export_fd`](Self::export_fd) can work.
    pub fn shareable(&self) -> bool {
        self.0.shareable
    }

    /// A file descriptor to give to another process; it keeps the memory alive by itself.
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
        // SAFETY: for this kind of handle the driver writes one c_int; flags must be 0.
        unsafe { context.driver().cuMemExportToShareableHandle((&raw mut fd).cast(), *handle, POSIX_FD, 0) }
            .or_error(action)?;
        // SAFETY: the driver opened it for the caller, who alone owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // The driver doesn't say whether a child would inherit it; it must not.
        if let Err(errno) = nix::fcntl::fcntl(&fd, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC)) {
            return Err(Error::new(ErrorKind::System, action()).call("fcntl", errno as i64, errno.desc()));
        }
        Ok(fd)
    }

    /// The memory behind a file descriptor of [`export_fd`](Self::export_fd), of this process or
    /// another, of this context's device or another. The descriptor may be closed afterwards.
    ///
    /// `bytes` is the size that the exporter says; the driver checks it when the chunk is mapped.
    pub fn import_fd(context: &Context, fd: BorrowedFd<'_>, bytes: usize) -> Result<Self> {
        let action = || format!("import {bytes} bytes of GPU memory from a file descriptor");
        if bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is no memory of 0 bytes"));
        }
        let _current = context.enter()?;
        let mut handle = 0;
        // The descriptor's number itself is what is passed as the pointer.
        let number = ptr::without_provenance_mut(fd.as_raw_fd() as usize);
        // SAFETY: `handle` is live; the descriptor is open, and what it is the driver checks.
        unsafe { context.driver().cuMemImportFromShareableHandle(&mut handle, number, POSIX_FD) }.or_error(action)?;
        Ok(Self(Arc::new(Physical { context: context.clone(), handle, bytes, shareable: true })))
    }
}

impl fmt::Debug for PhysicalChunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhysicalChunk").field("bytes", &self.0.bytes).field("shareable", &self.0.shareable).finish()
    }
}

/// A range of addresses of one device's kernels, into which chunks are mapped.
///
/// Dropped, it unmaps everything, lets the chunks go and gives the addresses back, in that order.
pub struct Reservation {
    context: Context,
    base: u64,
    bytes: usize,
    step: usize,
    maps: Vec<Mapped>,
}

struct Mapped {
    offset: usize,
    /// Keeps the memory alive as long as it has an address.
    chunk: PhysicalChunk,
}

impl Reservation {
    /// Reserves `bytes` of addresses, without memory. `alignment` in bytes is a power of two, or 0
    /// for the device's own.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if `bytes` is not a positive multiple of [`granularity`] or the alignment
    /// is no power of two; `Exhausted` if there is no such range of addresses.
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
        // SAFETY: `base` is live; no address is wished for; flags must be 0.
        unsafe { context.driver().cuMemAddressReserve(&mut base, bytes, alignment, 0, 0) }.or_error(action)?;
        Ok(Self { context: context.clone(), base, bytes, step, maps: Vec::new() })
    }

    /// Its first address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many bytes of it have memory.
    pub fn mapped_bytes(&self) -> usize {
        self.maps.iter().map(|map| map.chunk.bytes()).sum()
    }

    /// Gives the addresses from `offset` on the memory of `chunk`, which may belong to another
    /// device that this one reaches, for this device to read and write. Returns the first address.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if `offset` is not a multiple of [`granularity`] or the range has memory
    /// already; `OutOfRange` if it leaves the reservation; otherwise what the driver answered, and
    /// nothing is mapped.
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
        // SAFETY: the range is inside this reservation and has no memory; the chunk is alive; offset and flags
        // must be 0.
        unsafe { driver.cuMemMap(at, bytes, 0, chunk.0.handle, 0) }.or_error(action)?;
        let access = CUmemAccessDesc {
            location: location(&device),
            flags: CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: the range was just mapped; `access` is live, and is one.
        let result = unsafe { driver.cuMemSetAccess(at, bytes, &access, 1) };
        if let Err(error) = result.or_error(|| format!("{} for it to read and write", action())) {
            // SAFETY: the range was just mapped, as a whole, and nobody has its address.
            unsafe { driver.cuMemUnmap(at, bytes) }.ignore();
            return Err(error.hint(format!("{device} must reach the memory: see `Device::can_access_peer`")));
        }
        self.maps.push(Mapped { offset, chunk: chunk.clone() });
        Ok(at)
    }

    /// Takes the memory that was mapped at `offset` away again.
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
        unsafe { self.context.driver().cuMemUnmap(self.base + offset as u64, bytes) }.or_error(action)?;
        self.maps.swap_remove(index);
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let _current = self.context.enter();
        let driver = self.context.driver();
        for map in self.maps.drain(..) {
            // SAFETY: the range is one whole mapping of this reservation; its chunk is let go after it.
            unsafe { driver.cuMemUnmap(self.base + map.offset as u64, map.chunk.bytes()) }.ignore();
        }
        // SAFETY: the range is the whole reservation, and nothing is mapped in it.
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

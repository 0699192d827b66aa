//! Plain device memory, and its sharing by IPC handle on devices without virtual memory management.

use core::ffi::c_char;
use core::fmt;

use cudarc::driver::sys::{CUipcMem_flags, CUipcMemHandle};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::context::Context;

/// Length of a handle in bytes.
pub const IPC_HANDLE_BYTES: usize = 64;

const _: () = assert!(size_of::<CUipcMemHandle>() == IPC_HANDLE_BYTES);

/// Device memory, allocated and mapped by the driver.
pub struct DeviceMemory {
    context: Context,
    address: u64,
    bytes: usize,
}

impl DeviceMemory {
    /// Allocates `bytes`, not zeroed.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` for 0 bytes; `Exhausted`, with the number of free bytes, if there are too few.
    pub fn alloc(context: &Context, bytes: usize) -> Result<Self> {
        let action = || format!("allocate {bytes} bytes on {}", context.device());
        if bytes == 0 {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("there is no memory of 0 bytes"));
        }
        let _current = context.enter()?;
        let mut address = 0;
        // SAFETY: `address` is a valid out pointer, and the context is current.
        let result = unsafe { context.driver().cuMemAlloc_v2(&mut address, bytes) };
        match result.or_cannot(action) {
            Ok(()) => Ok(Self { context: context.clone(), address, bytes }),
            Err(error) if error.kind() == ErrorKind::Exhausted => Err(match context.memory() {
                Ok((free, _)) => error.amount(bytes as u64, free as u64, "bytes"),
                Err(_) => error,
            }),
            Err(error) => Err(error),
        }
    }

    /// Returns the first address on the device.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the handle with which another process of this machine can open the memory while it lives.
    pub fn handle(&self) -> Result<[u8; IPC_HANDLE_BYTES]> {
        let _current = self.context.enter()?;
        let mut handle = CUipcMemHandle { reserved: [0; IPC_HANDLE_BYTES] };
        // SAFETY: `handle` is a valid out pointer, and the address is the start of an allocation.
        unsafe { self.context.driver().cuIpcGetMemHandle(&mut handle, self.address) }
            .or_cannot(|| format!("get the IPC handle of {} bytes on {}", self.bytes, self.context.device()))?;
        Ok(handle.reserved.map(|byte| byte as u8))
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let _current = self.context.enter();
        // SAFETY: the address is the start of an allocation that this value alone owns.
        unsafe { self.context.driver().cuMemFree_v2(self.address) }.ignore();
    }
}

impl fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceMemory({} bytes at {:#x})", self.bytes, self.address)
    }
}

/// Another process's [`DeviceMemory`], mapped for this context's device.
///
/// The owner must keep its memory until this is dropped.
pub struct IpcMapping {
    context: Context,
    address: u64,
}

impl IpcMapping {
    /// Opens a handle from another process. A process can't open its own handles.
    pub fn open(context: &Context, handle: [u8; IPC_HANDLE_BYTES]) -> Result<Self> {
        let _current = context.enter()?;
        let handle = CUipcMemHandle { reserved: handle.map(|byte| byte as c_char) };
        let flags = CUipcMem_flags::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        let mut address = 0;
        // SAFETY: `address` is a valid out pointer, the driver validates the handle, and the flag is the only one
        // defined.
        unsafe { context.driver().cuIpcOpenMemHandle_v2(&mut address, handle, flags) }
            .or_cannot(|| format!("open another process's memory for {}", context.device()))?;
        Ok(Self { context: context.clone(), address })
    }

    /// Returns the first address on this context's device.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for IpcMapping {
    fn drop(&mut self) {
        let _current = self.context.enter();
        // SAFETY: the address comes from opening a handle, and this value closes it once.
        unsafe { self.context.driver().cuIpcCloseMemHandle(self.address) }.ignore();
    }
}

impl fmt::Debug for IpcMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IpcMapping({:#x})", self.address)
    }
}

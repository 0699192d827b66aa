//! The primary context of a device.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::{fmt, ptr};
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::CUcontext;
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::code;
use super::device::Device;
use super::driver::Driver;
use super::host_copies::HostCopies;

/// A device's primary context, shared with the CUDA runtime of the same process.
///
/// It stays retained while a clone of it lives.
#[derive(Clone)]
pub struct Context(Arc<Primary>);

struct Primary {
    device: Device,
    raw: CUcontext,
    /// Made by the first copy between the host and the device.
    copies: OnceLock<HostCopies>,
}

// SAFETY: the pointer only names the context, and the driver's functions accept it from any thread.
unsafe impl Send for Primary {}
// SAFETY: as for `Send`; besides, no field changes after construction.
unsafe impl Sync for Primary {}

impl Drop for Primary {
    fn drop(&mut self) {
        if let Some(copies) = self.copies.take() {
            let (driver, mut popped) = (self.device.driver(), ptr::null_mut());
            // SAFETY: the context is still retained, and its copies were made in it; `popped` is a valid out pointer.
            unsafe {
                driver.cuCtxPushCurrent_v2(self.raw).ignore();
                copies.destroy(driver);
                driver.cuCtxPopCurrent_v2(&mut popped).ignore();
            }
        }
        // SAFETY: `primary` retained it once for this value, which releases it once.
        unsafe { self.device.driver().cuDevicePrimaryCtxRelease_v2(self.device.raw()) }.ignore();
    }
}

impl Context {
    /// Retains the primary context of `device`.
    pub fn primary(device: Device) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid out pointer for a CUcontext.
        unsafe { device.driver().cuDevicePrimaryCtxRetain(&mut raw, device.raw()) }
            .or_cannot(|| format!("retain the context of {device}"))?;
        Ok(Self(Arc::new(Primary { device, raw, copies: OnceLock::new() })))
    }

    /// The device of this context.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Makes it the calling thread's current context permanently.
    ///
    /// It is for programs that call CUDA themselves; nothing in this module needs it.
    pub fn bind(&self) -> Result<()> {
        // SAFETY: `self` keeps the context retained.
        unsafe { self.driver().cuCtxSetCurrent(self.0.raw) }.or_cannot(|| format!("make {} current", self.0.device))
    }

    /// Makes it the calling thread's current context until the guard is dropped.
    ///
    /// The context is pushed even if it seems to be current: after a primary context was released and retained again, a
    /// thread's current context may have the same address and yet be destroyed.
    pub fn enter(&self) -> Result<Entered<'_>> {
        // SAFETY: `self` keeps the context retained and outlives the guard that pops it.
        unsafe { self.driver().cuCtxPushCurrent_v2(self.0.raw) }
            .or_cannot(|| format!("make {} current", self.0.device))?;
        Ok(Entered { context: self, thread: PhantomData })
    }

    /// Waits until all work of this context is done.
    ///
    /// The wait has no limit. Use [`Stream::synchronize_within`](super::Stream::synchronize_within) if a kernel may
    /// wait for a peer.
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: the context is current.
        unsafe { self.driver().cuCtxSynchronize() }.or_cannot(|| format!("wait for {}", self.0.device))
    }

    /// Lets kernels of this context access memory that was allocated in `other` and not mapped explicitly. Succeeds if
    /// access was enabled before, and for a context's access to itself.
    pub fn enable_peer_access(&self, other: &Self) -> Result<()> {
        if self.0.raw == other.0.raw {
            return Ok(());
        }
        let _current = self.enter()?;
        // SAFETY: both contexts are retained, this one is current, and flags are 0 as required.
        let result = unsafe { self.driver().cuCtxEnablePeerAccess(other.0.raw, 0) };
        if result.code() == code::PEER_ACCESS_ALREADY_ENABLED {
            return Ok(());
        }
        result.or_cannot(|| format!("let {} reach the memory of {}", self.0.device, other.0.device))
    }

    /// Returns the device's free and total memory in bytes.
    pub fn memory(&self) -> Result<(usize, usize)> {
        let _current = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are valid out pointers, and the context is current.
        unsafe { self.driver().cuMemGetInfo_v2(&mut free, &mut total) }
            .or_cannot(|| format!("ask {} for its free memory", self.0.device))?;
        Ok((free, total))
    }

    /// The driver's `CUcontext`, for programs that call CUDA themselves.
    pub fn raw(&self) -> *mut c_void {
        self.0.raw.cast()
    }

    /// Returns the stream and memory for copies between the host and the device. The context is current.
    pub(super) fn copies(&self, _current: &Entered<'_>) -> Result<&HostCopies> {
        if self.0.copies.get().is_none() {
            // SAFETY: **current**: the guard shows it. Copies go through this context, and `drop` makes it current.
            let copies = unsafe { HostCopies::new(self.driver()) }?;
            if let Err(second) = self.0.copies.set(copies) {
                // SAFETY: as above; another thread was first, and nothing has used these.
                unsafe { second.destroy(self.driver()) };
            }
        }
        self.0.copies.get().ok_or_else(|| Error::new(ErrorKind::System, "prepare copies"))
    }

    pub(super) fn driver(&self) -> &'static Driver {
        self.0.device.driver()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Context").field(&self.0.device).finish()
    }
}

/// A guard that keeps its context current on the calling thread.
#[must_use = "the context is current only while this lives"]
pub struct Entered<'c> {
    context: &'c Context,
    /// The current context is per thread, so the guard must stay on its thread.
    thread: PhantomData<*mut ()>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: `popped` is a valid out pointer; this thread pushed the context and has not popped it yet.
        unsafe { self.context.driver().cuCtxPopCurrent_v2(&mut popped) }.ignore();
    }
}

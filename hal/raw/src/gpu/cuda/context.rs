//! The primary context of a device.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::{fmt, ptr};
use std::sync::Arc;

use cudarc::driver::sys::CUcontext;
use oxshmem_core::host::Result;

use super::call_result::code;
use super::captures;
use super::device::Device;
use super::driver::{Driver, device_count};
use super::host_copies::HostCopies;

/// A device's primary context, shared with the CUDA runtime of the same process.
///
/// It stays retained while a clone of it lives.
#[derive(Clone)]
pub struct Context(Arc<Primary>);

struct Primary {
    /// Made with the context: allocating pinned memory waits for running kernels, and a kernel may be waiting for the
    /// very copy that needs the memory.
    copies: HostCopies,
    retained: Retained,
}

struct Retained {
    device: Device,
    raw: CUcontext,
}

// SAFETY: the pointer only names the context, and the driver's functions accept it from any thread.
unsafe impl Send for Retained {}
// SAFETY: as for `Send`; besides, no field changes after construction.
unsafe impl Sync for Retained {}

impl Retained {
    /// Calls `f` while the context is current.
    fn within<T>(&self, f: impl FnOnce(&'static Driver) -> T) -> Result<T> {
        let (driver, mut popped) = (self.device.driver(), ptr::null_mut());
        // SAFETY: `self` keeps the context retained, and it is popped below.
        unsafe { driver.cuCtxPushCurrent_v2(self.raw) }.or_cannot(|| format!("make {} current", self.device))?;
        let done = f(driver);
        // SAFETY: `popped` is a valid out pointer.
        unsafe { driver.cuCtxPopCurrent_v2(&mut popped) }.ignore();
        Ok(done)
    }
}

impl Drop for Retained {
    fn drop(&mut self) {
        // SAFETY: `primary` retained it once for this value, which releases it once.
        unsafe { self.device.driver().cuDevicePrimaryCtxRelease_v2(self.device.raw()) }.ignore();
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        // SAFETY: **current**: by `within`. **last**: the value is being dropped.
        let _ = self.retained.within(|driver| unsafe { self.copies.destroy(driver) });
    }
}

/// Returns the ordinal of the GPU whose context is current on this thread, as after the program's `cudaSetDevice`;
/// `None` if there is no context or no driver.
pub fn current_gpu() -> Option<u32> {
    let devices: Vec<Device> = (0..device_count().ok()?).filter_map(|ordinal| Device::get(ordinal).ok()).collect();
    let mut raw = -1;
    // SAFETY: `raw` is a valid out pointer for a CUdevice.
    let found = unsafe { devices.first()?.driver().cuCtxGetDevice(&mut raw) }.code() == code::SUCCESS;
    devices.iter().find(|device| found && device.raw() == raw).map(Device::ordinal)
}

impl Context {
    /// Retains the primary context of `device`.
    pub fn primary(device: Device) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid out pointer for a CUcontext.
        unsafe { device.driver().cuDevicePrimaryCtxRetain(&mut raw, device.raw()) }
            .or_cannot(|| format!("retain the context of {device}"))?;
        let retained = Retained { device, raw };
        // SAFETY: **current**: by `within`. Copies enter this context, and `drop` makes it current.
        let copies = retained.within(|driver| unsafe { HostCopies::new(driver) })??;
        Ok(Self(Arc::new(Primary { copies, retained })))
    }

    /// Returns the device of this context.
    pub fn device(&self) -> Device {
        self.0.retained.device
    }

    /// Makes it the calling thread's current context permanently.
    ///
    /// It is for programs that call CUDA themselves; nothing in this module needs it.
    pub fn bind(&self) -> Result<()> {
        // SAFETY: `self` keeps the context retained.
        unsafe { self.driver().cuCtxSetCurrent(self.0.retained.raw) }
            .or_cannot(|| format!("make {} current", self.0.retained.device))
    }

    /// Makes it the calling thread's current context until the guard is dropped.
    ///
    /// The context is pushed even if it seems to be current: after a primary context was released and retained again, a
    /// thread's current context may have the same address and yet be destroyed.
    pub fn enter(&self) -> Result<Entered<'_>> {
        // SAFETY: `self` keeps the context retained and outlives the guard that pops it.
        unsafe { self.driver().cuCtxPushCurrent_v2(self.0.retained.raw) }
            .or_cannot(|| format!("make {} current", self.0.retained.device))?;
        Ok(Entered { context: self, thread: PhantomData })
    }

    /// Waits for captures of other threads, which the wait would invalidate, and then until all work of this context is
    /// done.
    ///
    /// The wait has no limit. Use [`Stream::synchronize_within`](super::Stream::synchronize_within) if a kernel may
    /// wait for a peer.
    pub fn synchronize(&self) -> Result<()> {
        captures::wait_for_others();
        let _current = self.enter()?;
        // SAFETY: the context is current.
        unsafe { self.driver().cuCtxSynchronize() }.or_cannot(|| format!("wait for {}", self.0.retained.device))
    }

    /// Lets kernels of this context access memory that was allocated in `other` and not mapped explicitly. Succeeds if
    /// access was enabled before, and for a context's access to itself.
    pub fn enable_peer_access(&self, other: &Self) -> Result<()> {
        if self.0.retained.raw == other.0.retained.raw {
            return Ok(());
        }
        let _current = self.enter()?;
        // SAFETY: both contexts are retained, this one is current, and flags are 0 as required.
        let result = unsafe { self.driver().cuCtxEnablePeerAccess(other.0.retained.raw, 0) };
        if result.code() == code::PEER_ACCESS_ALREADY_ENABLED {
            return Ok(());
        }
        result.or_cannot(|| format!("let {} reach the memory of {}", self.0.retained.device, other.0.retained.device))
    }

    /// Returns the device's free and total memory in bytes.
    pub fn memory(&self) -> Result<(usize, usize)> {
        let _current = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are valid out pointers, and the context is current.
        unsafe { self.driver().cuMemGetInfo_v2(&mut free, &mut total) }
            .or_cannot(|| format!("ask {} for its free memory", self.0.retained.device))?;
        Ok((free, total))
    }

    /// Returns the driver's `CUcontext`, for programs that call CUDA themselves.
    pub fn raw(&self) -> *mut c_void {
        self.0.retained.raw.cast()
    }

    /// Returns the stream and memory for copies between the host and the device.
    pub(super) fn copies(&self) -> &HostCopies {
        &self.0.copies
    }

    pub(super) fn driver(&self) -> &'static Driver {
        self.0.retained.device.driver()
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Context").field(&self.0.retained.device).finish()
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

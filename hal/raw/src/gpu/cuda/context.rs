//! The primary context of a device.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::{fmt, ptr};
use std::sync::Arc;

use cudarc::driver::sys::CUcontext;
use oxshmem_core::host::Result;

use super::call_result::code;
use super::device::Device;
use super::driver::Driver;

/// A device's primary context, which it shares with the CUDA runtime of the same process.
///
/// It is retained as long as a clone of it lives.
#[derive(Clone)]
pub struct Context(Arc<Primary>);

struct Primary {
    device: Device,
    raw: CUcontext,
}

// SAFETY: a context is named by its pointer, and the driver's functions take it from any thread.
unsafe impl Send for Primary {}
// SAFETY: as above; nothing here changes after it was made.
unsafe impl Sync for Primary {}

impl Drop for Primary {
    fn drop(&mut self) {
        // SAFETY: it was retained once by whoever made this.
        unsafe { self.device.driver().cuDevicePrimaryCtxRelease_v2(self.device.raw()) }.ignore();
    }
}

impl Context {
    /// Retains the primary context of this device.
    pub fn primary(device: Device) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a live CUcontext.
        unsafe { device.driver().cuDevicePrimaryCtxRetain(&mut raw, device.raw()) }
            .or_error(|| format!("retain the context of {device}"))?;
        Ok(Self(Arc::new(Primary { device, raw })))
    }

    /// The device it belongs to.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Makes it the calling thread's current context, and leaves it so.
    ///
    /// For programs that also call CUDA themselves: nothing in this module needs it.
    pub fn bind(&self) -> Result<()> {
        // SAFETY: the context is retained by `self`.
        unsafe { self.driver().cuCtxSetCurrent(self.0.raw) }.or_error(|| format!("make {} current", self.0.device))
    }

    /// Makes it the calling thread's current context until the guard is dropped.
    ///
    /// It is pushed even if it seems to be current already: after a primary context was released
    /// and retained again, a thread's current one may have the same address and yet be dead.
    pub fn enter(&self) -> Result<Entered<'_>> {
        // SAFETY: the context is retained by `self`, which outlives the guard that pops it.
        unsafe { self.driver().cuCtxPushCurrent_v2(self.0.raw) }
            .or_error(|| format!("make {} current", self.0.device))?;
        Ok(Entered { context: self, thread: PhantomData })
    }

    /// Waits until all work given to this context is done.
    ///
    /// It has no limit: use [`Stream::synchronize_within`](super::Stream::synchronize_within) where
    /// a kernel may wait for a peer.
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.enter()?;
        // SAFETY: the context is current.
        unsafe { self.driver().cuCtxSynchronize() }.or_error(|| format!("wait for {}", self.0.device))
    }

    /// Lets kernels of this context reach memory that was allocated in `other` without mapping it
    /// by hand. That it was enabled already is fine, and so is a context's access to itself.
    pub fn enable_peer_access(&self, other: &Self) -> Result<()> {
        if self.0.raw == other.0.raw {
            return Ok(());
        }
        let _current = self.enter()?;
        // SAFETY: both contexts are retained; this one is current; flags must be 0.
        let result = unsafe { self.driver().cuCtxEnablePeerAccess(other.0.raw, 0) };
        if result.code() == code::PEER_ACCESS_ALREADY_ENABLED {
            return Ok(());
        }
        result.or_error(|| format!("let {} reach the memory of {}", self.0.device, other.0.device))
    }

    /// The device's free and total memory in bytes.
    pub fn memory(&self) -> Result<(usize, usize)> {
        let _current = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are live; the context is current.
        unsafe { self.driver().cuMemGetInfo_v2(&mut free, &mut total) }
            .or_error(|| format!("ask {} for its free memory", self.0.device))?;
        Ok((free, total))
    }

    /// The driver's `CUcontext`, for programs that also call CUDA themselves.
    pub fn raw(&self) -> *mut c_void {
        self.0.raw.cast()
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

/// While it lives, its context is the calling thread's current one.
#[must_use = "the context is current only while this lives"]
pub struct Entered<'c> {
    context: &'c Context,
    /// What is current is a thread's own, so this stays on the thread that made it.
    thread: PhantomData<*mut ()>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut popped = ptr::null_mut();
        // SAFETY: `popped` is live, and this thread pushed the context and has not popped it.
        unsafe { self.context.driver().cuCtxPopCurrent_v2(&mut popped) }.ignore();
    }
}

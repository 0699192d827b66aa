//! Events: points in a stream, with their time.

use core::ffi::c_void;
use core::{fmt, ptr};

use cudarc::driver::sys::{CUevent, CUevent_flags};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::Stream;
use crate::gpu::cuda::call_result::code;
use crate::gpu::cuda::context::Context;

/// A point in a stream that other work can wait for, with a time stamp.
pub struct Event {
    context: Context,
    raw: CUevent,
    owned: bool,
}

// SAFETY: the pointer only names the event, and the driver's functions accept it from any thread.
unsafe impl Send for Event {}
// SAFETY: as for `Send`; besides, no field changes after construction.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event. Until it is recorded it counts as reached.
    pub fn new(context: &Context) -> Result<Self> {
        Self::with(context, CUevent_flags::CU_EVENT_DEFAULT)
    }

    /// Creates an event as [`new`](Self::new) does, without a time stamp: it only makes work wait.
    pub fn untimed(context: &Context) -> Result<Self> {
        Self::with(context, CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    fn with(context: &Context, flags: CUevent_flags) -> Result<Self> {
        let _current = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid out pointer, and the context is current.
        unsafe { context.driver().cuEventCreate(&mut raw, flags as u32) }
            .or_cannot(|| format!("create an event on {}", context.device()))?;
        Ok(Self { context: context.clone(), raw, owned: true })
    }

    /// Wraps an event that the program created and destroys itself.
    ///
    /// # Safety
    ///
    /// - **event**: `raw` is a `CUevent` (or `cudaEvent_t`) of this context that outlives the result.
    pub unsafe fn from_raw(context: &Context, raw: *mut c_void) -> Self {
        Self { context: context.clone(), raw: raw.cast(), owned: false }
    }

    /// Records the event after all work enqueued on the stream so far. The stream belongs to the same device.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: `self` and `stream` keep event and stream alive.
        unsafe { self.context.driver().cuEventRecord(self.raw, stream.raw_stream()) }
            .or_cannot(|| format!("record an event of {} in {stream:?}", self.context.device()))
    }

    /// Reports whether the stream has reached it.
    pub fn query(&self) -> Result<bool> {
        let _current = self.context.enter()?;
        // SAFETY: `self` keeps the event alive.
        unsafe { self.context.driver().cuEventQuery(self.raw) }
            .ready(|| format!("see whether an event of {} was reached", self.context.device()))
    }

    /// Waits, without limit, until the stream has reached it.
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: `self` keeps the event alive.
        unsafe { self.context.driver().cuEventSynchronize(self.raw) }
            .or_cannot(|| format!("wait for an event of {}", self.context.device()))
    }

    /// Returns the milliseconds from this event to `later`, by the device's clock (resolution about 0.5 us).
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if one of them was never recorded or is not reached yet.
    pub fn elapsed_ms(&self, later: &Self) -> Result<f32> {
        let action = || format!("take the time between two events of {}", self.context.device());
        let _current = self.context.enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: `milliseconds` is a valid out pointer, and both events are alive.
        let result = unsafe { self.context.driver().cuEventElapsedTime(&mut milliseconds, self.raw, later.raw) };
        if result.code() == code::NOT_READY {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("one of them was not reached yet")
                .hint("synchronize with the later one first"));
        }
        result.or_cannot(action)?;
        Ok(milliseconds)
    }

    /// Returns the driver's `CUevent`.
    pub fn raw(&self) -> *mut c_void {
        self.raw.cast()
    }

    pub(super) fn raw_event(&self) -> CUevent {
        self.raw
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        let _current = self.context.enter();
        // SAFETY: this value alone owns the event.
        unsafe { self.context.driver().cuEventDestroy_v2(self.raw) }.ignore();
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:p} on {})", self.raw, self.context.device())
    }
}

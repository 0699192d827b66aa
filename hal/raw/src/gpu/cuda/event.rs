//! Events: points in a stream, with their time.

use core::{fmt, ptr};

use cudarc::driver::sys::{CUevent, CUevent_flags};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::code;
use super::context::Context;
use super::stream::Stream;

/// A point in a stream that others wait for, and whose time is taken.
pub struct Event {
    context: Context,
    raw: CUevent,
}

// SAFETY: an event is named by its pointer, and the driver's functions take it from any thread.
unsafe impl Send for Event {}
// SAFETY: as above; nothing here changes after it was made.
unsafe impl Sync for Event {}

impl Event {
    /// An event that is not recorded yet; as long as it isn't, it counts as done.
    pub fn new(context: &Context) -> Result<Self> {
        let _current = context.enter()?;
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is live and the context is current.
        unsafe { context.driver().cuEventCreate(&mut raw, CUevent_flags::CU_EVENT_DEFAULT as u32) }
            .or_error(|| format!("create an event on {}", context.device()))?;
        Ok(Self { context: context.clone(), raw })
    }

    /// Puts it behind what the stream, one of the same device, was given so far.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: event and stream are alive.
        unsafe { self.context.driver().cuEventRecord(self.raw, stream.raw_stream()) }
            .or_error(|| format!("record an event of {} in {stream:?}", self.context.device()))
    }

    /// Whether it was reached.
    pub fn query(&self) -> Result<bool> {
        let _current = self.context.enter()?;
        // SAFETY: the event is alive.
        unsafe { self.context.driver().cuEventQuery(self.raw) }
            .ready(|| format!("see whether an event of {} was reached", self.context.device()))
    }

    /// Waits until it was reached, however long that takes.
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: the event is alive.
        unsafe { self.context.driver().cuEventSynchronize(self.raw) }
            .or_error(|| format!("wait for an event of {}", self.context.device()))
    }

    /// The milliseconds from this event to `later`, by the device's clock (about 0.5 us fine).
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if one was never recorded, or was not reached yet.
    pub fn elapsed_ms(&self, later: &Self) -> Result<f32> {
        let action = || format!("take the time between two events of {}", self.context.device());
        let _current = self.context.enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: `milliseconds` is live, and so are both events.
        let result = unsafe { self.context.driver().cuEventElapsedTime(&mut milliseconds, self.raw, later.raw) };
        if result.code() == code::NOT_READY {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("one of them was not reached yet")
                .hint("synchronize with the later one first"));
        }
        result.or_error(action)?;
        Ok(milliseconds)
    }

    pub(super) fn raw(&self) -> CUevent {
        self.raw
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _current = self.context.enter();
        // SAFETY: this alone owns the event.
        unsafe { self.context.driver().cuEventDestroy_v2(self.raw) }.ignore();
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:p} on {})", self.raw, self.context.device())
    }
}

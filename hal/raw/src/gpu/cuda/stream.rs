//! Streams: what is given to one is done in order.

use core::ffi::c_void;
use core::{fmt, ptr};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{CUstream, CUstream_flags};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::context::Context;
use super::event::Event;

/// A queue of work for a device.
///
/// Dropped, what it was given is still done.
pub struct Stream {
    context: Context,
    raw: CUstream,
    owned: bool,
}

// SAFETY: a stream is named by its pointer, and the driver's functions take it from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above; nothing here changes after it was made.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream that doesn't wait for the default stream, nor the default stream for it.
    pub fn new(context: &Context) -> Result<Self> {
        let _current = context.enter()?;
        let mut raw = ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: `raw` is live and the context is current.
        unsafe { context.driver().cuStreamCreate(&mut raw, flags) }
            .or_error(|| format!("create a stream on {}", context.device()))?;
        Ok(Self { context: context.clone(), raw, owned: true })
    }

    /// [`new`](Self::new), and blocks of its kernels are put on an SM before those that wait in other streams.
    pub fn urgent(context: &Context) -> Result<Self> {
        let _current = context.enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are live and the context is current.
        unsafe { context.driver().cuCtxGetStreamPriorityRange(&mut least, &mut greatest) }
            .or_error(|| format!("ask {} for the priorities of its streams", context.device()))?;
        let mut raw = ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: `raw` is live and the context is current.
        unsafe { context.driver().cuStreamCreateWithPriority(&mut raw, flags, greatest) }
            .or_error(|| format!("create an urgent stream on {}", context.device()))?;
        Ok(Self { context: context.clone(), raw, owned: true })
    }

    /// The context's default stream, which waits for all streams that are not like [`Stream::new`]'s.
    pub fn default_of(context: &Context) -> Self {
        Self { context: context.clone(), raw: ptr::null_mut(), owned: false }
    }

    /// A stream that the program made itself, and destroys itself.
    ///
    /// # Safety
    ///
    /// - **stream**: `raw` is a `CUstream` (or `cudaStream_t`) of this context that outlives the result.
    pub unsafe fn from_raw(context: &Context, raw: *mut c_void) -> Self {
        Self { context: context.clone(), raw: raw.cast(), owned: false }
    }

    /// The driver's `CUstream`.
    pub fn raw(&self) -> *mut c_void {
        self.raw.cast()
    }

    pub(super) fn raw_stream(&self) -> CUstream {
        self.raw
    }

    /// The context it belongs to.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Whether all it was given is done.
    ///
    /// # Errors
    ///
    /// Also those of the work itself.
    pub fn query(&self) -> Result<bool> {
        let _current = self.context.enter()?;
        // SAFETY: the stream is alive and its context is current.
        unsafe { self.context.driver().cuStreamQuery(self.raw) }
            .ready(|| format!("see whether a stream of {} is done", self.context.device()))
    }

    /// Waits until all it was given is done, however long that takes.
    ///
    /// # Errors
    ///
    /// Also those of the work itself.
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: the stream is alive and its context is current.
        unsafe { self.context.driver().cuStreamSynchronize(self.raw) }
            .or_error(|| format!("wait for a stream of {}", self.context.device()))
    }

    /// Waits until all it was given is done, but not longer than `limit`.
    ///
    /// # Errors
    ///
    /// `Timeout` if it was not; also those of the work itself.
    pub fn synchronize_within(&self, limit: Duration) -> Result<()> {
        let start = Instant::now();
        while !self.query()? {
            let waited = start.elapsed();
            if waited >= limit {
                return Err(Error::new(ErrorKind::Timeout, format!("wait for a stream of {}", self.context.device()))
                    .because(format!("its work was not done after {limit:?}")));
            }
            pause(waited, limit);
        }
        Ok(())
    }

    /// Lets what is given to it from now on wait for the event as last recorded.
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: stream and event are alive; flags must be 0.
        unsafe { self.context.driver().cuStreamWaitEvent(self.raw, event.raw(), 0) }
            .or_error(|| format!("let a stream of {} wait for an event", self.context.device()))
    }

    /// Lets what is given to it from now on wait until the word at `at` has counted to `count`: until it is `count` or
    /// up to 2^31 - 1 beyond, wrapping. No SM is taken meanwhile.
    ///
    /// The driver does not know who counts. That must be work that some stream was given before this call, or the
    /// stream may wait for what the driver has put behind it.
    ///
    /// # Errors
    ///
    /// `Incompatible` if the driver or the device has no such wait.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is the address of an aligned word in device memory (not managed), mapped until the stream has
    ///   gone on.
    pub unsafe fn wait_count(&self, at: u64, count: u32) -> Result<()> {
        let action = || format!("let a stream of {} wait for a word to count to {count}", self.context.device());
        let _current = self.context.enter()?;
        // SAFETY: the stream is alive, **live** by the caller.
        let result = unsafe { self.context.driver().cuStreamWaitValue32_v2(self.raw, at, count, WAIT_UNTIL_AT_LEAST) };
        match result {
            Some(result) => result.or_error(action),
            None => Err(Error::new(ErrorKind::Incompatible, action())
                .because("libcuda.so.1 has no function cuStreamWaitValue32_v2")
                .hint("update the NVIDIA driver")),
        }
    }
}

/// `CU_STREAM_WAIT_VALUE_GEQ` of `cuda.h`: `(int32_t)(*at - value) >= 0`.
const WAIT_UNTIL_AT_LEAST: u32 = 0;

/// Looks again at once in the first milliseconds, as short work is; then lets the processor go.
fn pause(waited: Duration, limit: Duration) {
    if waited < Duration::from_millis(2) {
        std::thread::yield_now();
    } else {
        std::thread::sleep(Duration::from_micros(50).min(limit - waited));
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.owned {
            let _current = self.context.enter();
            // SAFETY: this alone owns the stream.
            unsafe { self.context.driver().cuStreamDestroy_v2(self.raw) }.ignore();
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:p} on {})", self.raw, self.context.device())
    }
}

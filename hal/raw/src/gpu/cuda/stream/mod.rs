//! Streams: queues whose work is done in order.

mod event;

use core::ffi::c_void;
use core::{fmt, ptr};
use std::time::{Duration, Instant};

use cudarc::driver::sys::{CUstream, CUstream_flags};
use oxshmem_core::host::{Error, ErrorKind, Result};

use super::call_result::CallResult;
use super::context::Context;

pub use event::Event;

/// A queue of work for a device.
///
/// Work in it is still done after it is dropped.
pub struct Stream {
    context: Context,
    raw: CUstream,
    owned: bool,
}

// SAFETY: the pointer only names the stream, and the driver's functions accept it from any thread.
unsafe impl Send for Stream {}
// SAFETY: as for `Send`; besides, no field changes after construction.
unsafe impl Sync for Stream {}

impl Stream {
    /// Creates a stream that is not synchronized with the default stream, in either direction.
    pub fn new(context: &Context) -> Result<Self> {
        let _current = context.enter()?;
        let mut raw = ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: `raw` is a valid out pointer, and the context is current.
        unsafe { context.driver().cuStreamCreate(&mut raw, flags) }
            .or_cannot(|| format!("create a stream on {}", context.device()))?;
        Ok(Self { context: context.clone(), raw, owned: true })
    }

    /// Creates a stream as [`new`](Self::new) does, but blocks of its kernels are placed on an SM before waiting blocks
    /// of other streams.
    pub fn urgent(context: &Context) -> Result<Self> {
        let _current = context.enter()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are valid out pointers, and the context is current.
        unsafe { context.driver().cuCtxGetStreamPriorityRange(&mut least, &mut greatest) }
            .or_cannot(|| format!("ask {} for the priorities of its streams", context.device()))?;
        let mut raw = ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: `raw` is a valid out pointer, and the context is current.
        unsafe { context.driver().cuStreamCreateWithPriority(&mut raw, flags, greatest) }
            .or_cannot(|| format!("create an urgent stream on {}", context.device()))?;
        Ok(Self { context: context.clone(), raw, owned: true })
    }

    /// Returns the context's default stream, which waits for all streams except those of [`Stream::new`].
    pub fn default_of(context: &Context) -> Self {
        Self { context: context.clone(), raw: ptr::null_mut(), owned: false }
    }

    /// Wraps a stream that the program created and destroys itself.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if the stream is of another context.
    ///
    /// # Safety
    ///
    /// - **stream**: `raw` is a `CUstream` (or `cudaStream_t`) that outlives the result.
    pub unsafe fn from_raw(context: &Context, raw: *mut c_void) -> Result<Self> {
        let action = || format!("use stream {raw:p} of the program on {}", context.device());
        let _current = context.enter()?;
        let mut of = ptr::null_mut();
        // SAFETY: **stream** by the caller; `of` is a valid out pointer.
        unsafe { context.driver().cuStreamGetCtx(raw.cast(), &mut of) }.or_cannot(action)?;
        if of.cast() != context.raw() {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("it is a stream of another context or of another GPU")
                .hint("create it on this GPU, in its primary context (the CUDA runtime's context)"));
        }
        Ok(Self { context: context.clone(), raw: raw.cast(), owned: false })
    }

    /// Returns the driver's number of a stream of this context, which no other stream of the process ever has; without
    /// such numbers (before CUDA 12.0) the handle, which the driver reuses. `None` for a stream that is being captured:
    /// the driver does not report its number, and a query would invalidate the capture.
    ///
    /// # Errors
    ///
    /// The driver refuses the handle.
    ///
    /// # Safety
    ///
    /// - **stream**: as for [`from_raw`](Self::from_raw), during the call.
    pub unsafe fn id_of(context: &Context, raw: *mut c_void) -> Result<Option<u64>> {
        let _current = context.enter()?;
        let (mut id, mut status, action) = (0, 0, || format!("identify stream {raw:p} of the program"));
        // SAFETY: **stream** by the caller; `status` is a valid out pointer.
        unsafe { context.driver().cuStreamIsCapturing(raw.cast(), &mut status) }.or_cannot(action)?;
        if status != NOT_CAPTURED {
            return Ok(None);
        }
        // SAFETY: **stream** by the caller; `id` is a valid out pointer.
        match unsafe { context.driver().cuStreamGetId(raw.cast(), &mut id) } {
            Some(result) => result.or_cannot(action).map(|()| Some(id)),
            None => Ok(Some(raw as u64)),
        }
    }

    /// Returns the driver's `CUstream`.
    pub fn raw(&self) -> *mut c_void {
        self.raw.cast()
    }

    pub(super) fn raw_stream(&self) -> CUstream {
        self.raw
    }

    /// Returns the context of this stream.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Reports whether all of its work is done.
    ///
    /// # Errors
    ///
    /// Also the errors of the work itself.
    pub fn query(&self) -> Result<bool> {
        let _current = self.context.enter()?;
        // SAFETY: `self` keeps the stream alive, and its context is current.
        unsafe { self.context.driver().cuStreamQuery(self.raw) }
            .ready(|| format!("see whether a stream of {} is done", self.context.device()))
    }

    /// Waits, without limit, until all of its work is done.
    ///
    /// # Errors
    ///
    /// Also the errors of the work itself.
    pub fn synchronize(&self) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: `self` keeps the stream alive, and its context is current.
        unsafe { self.context.driver().cuStreamSynchronize(self.raw) }
            .or_cannot(|| format!("wait for a stream of {}", self.context.device()))
    }

    /// Waits until all of its work is done, at most `limit`.
    ///
    /// # Errors
    ///
    /// `Timeout` if the work is not done by then; also the errors of the work itself.
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

    /// Makes work enqueued from now on wait for the latest record of the event.
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        let _current = self.context.enter()?;
        // SAFETY: stream and event are alive, and flags are 0 as required.
        unsafe { self.context.driver().cuStreamWaitEvent(self.raw, event.raw_event(), 0) }
            .or_cannot(|| format!("let a stream of {} wait for an event", self.context.device()))
    }

    /// Makes work enqueued from now on wait until the word at `at` has counted to `count`: until it is `count` or up to
    /// 2^31 - 1 beyond, wrapping. The wait occupies no SM.
    ///
    /// The work that counts must have been enqueued on some stream before this call: the driver does not see the
    /// dependency, and may otherwise queue that work behind this wait, which then never ends.
    ///
    /// # Errors
    ///
    /// `Incompatible` if the driver or the device has no such wait.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is the address of an aligned word in device memory (not managed memory), mapped until the wait
    ///   has ended.
    pub unsafe fn wait_count(&self, at: u64, count: u32) -> Result<()> {
        let action = || format!("let a stream of {} wait for a word to count to {count}", self.context.device());
        let _current = self.context.enter()?;
        // SAFETY: `self` keeps the stream alive; **live** by the caller.
        let result = unsafe { self.context.driver().cuStreamWaitValue32_v2(self.raw, at, count, WAIT_UNTIL_AT_LEAST) };
        present(result, "cuStreamWaitValue32_v2", action)
    }

    /// Makes the stream set the word at `at` to `count`, after the work enqueued so far is complete and visible.
    ///
    /// # Errors
    ///
    /// `Incompatible` if the driver or the device can't do it.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is the address of an aligned word in device memory, mapped until the word is set.
    /// - **unshared**: no other code writes the word meanwhile.
    pub unsafe fn set_count(&self, at: u64, count: u32) -> Result<()> {
        let action = || format!("let a stream of {} count a word to {count}", self.context.device());
        let _current = self.context.enter()?;
        // SAFETY: `self` keeps the stream alive; **live** and **unshared** by the caller.
        let result = unsafe { self.context.driver().cuStreamWriteValue32_v2(self.raw, at, count, WRITE_IN_ORDER) };
        present(result, "cuStreamWriteValue32_v2", action)
    }

    /// Returns whether the stream is being captured into a graph. A failed capture that was not ended counts as one.
    pub fn is_capturing(&self) -> Result<bool> {
        let _current = self.context.enter()?;
        let mut status = 0;
        // SAFETY: `self` keeps the stream alive, and `status` is a valid out pointer.
        unsafe { self.context.driver().cuStreamIsCapturing(self.raw, &mut status) }
            .or_cannot(|| format!("see whether a stream of {} is being captured", self.context.device()))?;
        Ok(status != NOT_CAPTURED)
    }
}

/// Returns the result of a function that the driver may lack.
fn present(result: Option<CallResult>, name: &str, action: impl Fn() -> String) -> Result<()> {
    match result {
        Some(result) => result.or_cannot(action),
        None => Err(Error::new(ErrorKind::Incompatible, action())
            .because(format!("libcuda.so.1 has no function {name}"))
            .hint("update the NVIDIA driver")),
    }
}

/// `CU_STREAM_WAIT_VALUE_GEQ` of `cuda.h`: `(int32_t)(*at - value) >= 0`.
const WAIT_UNTIL_AT_LEAST: u32 = 0;
/// `CU_STREAM_WRITE_VALUE_DEFAULT` of `cuda.h`: the write follows a memory barrier of the system.
const WRITE_IN_ORDER: u32 = 0;
/// `CU_STREAM_CAPTURE_STATUS_NONE` of `cuda.h`.
const NOT_CAPTURED: u32 = 0;

/// Polls without a pause in the first milliseconds, for short work; later it sleeps between polls.
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
            // SAFETY: this value alone owns the stream.
            unsafe { self.context.driver().cuStreamDestroy_v2(self.raw) }.ignore();
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:p} on {})", self.raw, self.context.device())
    }
}

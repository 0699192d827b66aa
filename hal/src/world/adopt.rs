//! Events, and objects of the GPU that the program made itself.

use std::ffi::c_void;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context};
use oxshmem_raw::memory::Memory;

use super::World;
use super::stream::Stream;
use crate::event::Event;

impl Stream<'_> {
    /// Enqueues an event after the stream's work so far, to measure the time between two events, or to let another
    /// stream wait for it ([`wait_event`](Stream::wait_event)).
    ///
    /// # Errors
    /// The driver refuses. `InvalidArgument` if the stream is being captured: an event has one time, and a graph's
    /// launches would have many.
    pub fn record(&self) -> Result<Event> {
        self.world.refuse_captured("record", &self.state)?;
        Event::record(&self.state)
    }

    /// Enqueues an event that exists after the stream's work so far. Its earlier place is forgotten.
    ///
    /// In a capture, by [`capture`](Stream::capture) or of the program itself, the event marks a point of the graph, for
    /// [`wait_event`](Stream::wait_event). It then has no time.
    ///
    /// # Errors
    /// The event is of another machine, or the driver refuses.
    pub fn record_event(&self, event: &Event) -> Result<()> {
        event.record_on(&self.state)
    }

    /// Lets the stream's later work wait until the event's last record so far is reached; returns at once. An event
    /// that was never recorded counts as reached.
    ///
    /// If the last record was in a capture, the stream joins that capture: its later calls are recorded too, until the
    /// capture ends.
    ///
    /// # Errors
    /// As [`record_event`](Stream::record_event); or the event was recorded in a capture that has ended, the stream is
    /// in another capture, or it is captured and the event was recorded outside the capture.
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        event.wait_on(&self.state)
    }
}

impl Event {
    /// Returns an event of this world for a GPU's event that the program made (`CUevent`, `cudaEvent_t`). Dropping the
    /// result leaves the GPU's event as it is.
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs.
    ///
    /// # Safety
    ///
    /// - **event**: `raw` names an event of this PE's GPU, in its primary context, that exists as long as the result.
    pub unsafe fn adopt(world: &World, raw: *mut c_void) -> Result<Event> {
        let context = world.gpu_context("event")?;
        // SAFETY: **event** by the caller.
        Ok(Event::of_gpu(unsafe { cuda::Event::from_raw(context, raw) }))
    }
}

impl World {
    /// Returns a stream of this world for a GPU's stream that the program made: by the driver (`CUstream`) or the CUDA
    /// runtime (`cudaStream_t`). Dropping the result leaves the GPU's stream as it is.
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs, and for a stream of another GPU or context.
    ///
    /// # Safety
    ///
    /// - **stream**: `raw` names a stream that exists as long as the result.
    pub unsafe fn adopt_stream(&self, raw: *mut c_void) -> Result<Stream<'_>> {
        let context = self.gpu_context("stream")?;
        // SAFETY: **stream** by the caller.
        let stream = unsafe { cuda::Stream::from_raw(context, raw) }?;
        Ok(Stream { world: self, state: Arc::new(self.streams.adopt(stream)) })
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Returns the driver's unique id of a CUDA stream, never used again in this process: a key for keeping results of
    /// [`adopt_stream`](World::adopt_stream). `None` for a stream that is being captured, whose id the driver does not
    /// report.
    ///
    /// # Errors
    /// `InvalidArgument` on host PEs; or the driver refuses the handle.
    ///
    /// # Safety
    ///
    /// - **stream**: `raw` names a stream that exists during the call.
    pub unsafe fn stream_id(&self, raw: *mut c_void) -> Result<Option<u64>> {
        // SAFETY: **stream** by the caller.
        unsafe { cuda::Stream::id_of(self.gpu_context("stream")?, raw) }
    }

    pub(super) fn gpu_context(&self, what: &str) -> Result<&Context> {
        match &self.machine.memory {
            Memory::Gpu(context) => Ok(context),
            Memory::Host => Err(Error::new(ErrorKind::InvalidArgument, format!("use a GPU's {what} of the program"))
                .because("this world runs on host threads, which have none")
                .hint("make streams by `World::stream`, events by `Stream::record` and modules by `load`")
                .about(self.me)),
        }
    }
}

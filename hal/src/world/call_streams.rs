//! The streams of collectives of the host: each call in flight has one to itself, so that no call of another thread
//! waits for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::Result;

use super::World;
use super::stream::Stream;
use crate::event::Event;
use crate::stream::StreamState;

/// The streams that no call uses now. As many are made as calls were in flight at once, and they are kept, because a
/// GPU's driver takes longer to make one than the call takes.
#[derive(Debug, Default)]
pub(super) struct CallStreams {
    idle: Mutex<Vec<Arc<StreamState>>>,
    in_flight: AtomicUsize,
}

/// A call in flight, until this value is dropped.
struct InFlight<'s>(&'s AtomicUsize);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl CallStreams {
    /// Returns whether any call is in flight.
    pub(super) fn in_use(&self) -> bool {
        self.in_flight.load(Ordering::Acquire) > 0
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Arc<StreamState>>> {
        // The list is consistent between any two calls on it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call with a stream of its own, which `make` makes if none is idle.
    fn with<R>(
        &self,
        make: impl FnOnce() -> Result<StreamState>,
        call: impl FnOnce(Arc<StreamState>) -> Result<R>,
    ) -> Result<R> {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        let _in_flight = InFlight(&self.in_flight);
        let idle = self.idle().pop();
        let stream = idle.map_or_else(|| make().map(Arc::new), Ok)?;
        let outcome = call(stream.clone());
        self.idle().push(stream);
        outcome
    }
}

impl World {
    /// Makes a call on a stream that no other call uses, after the work that the world's own stream has so far, and
    /// waits for its end.
    pub(super) fn at_once(&self, call: &str, enqueue: impl FnOnce(&Stream<'_>) -> Result<()>) -> Result<()> {
        self.refuse_in_capture(call)?;
        self.refuse_captured(call, &self.stream)?;
        self.call_streams.with(
            || self.streams.make_unlisted(&self.machine.memory),
            |stream| {
                self.check_given(self.follow_own_stream(&stream))?;
                let stream = Stream { world: self, state: stream };
                enqueue(&stream)?;
                // No capture has this stream.
                self.check_outcome(stream.state.drain())
            },
        )
    }

    fn follow_own_stream(&self, stream: &StreamState) -> Result<()> {
        // An event takes a GPU longer than the question.
        if self.stream.is_idle()? { Ok(()) } else { Event::record(&self.stream)?.wait_on(stream) }
    }
}

#[cfg(test)]
#[path = "tests/call_streams.rs"]
mod tests;

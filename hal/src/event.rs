//! Events: points in a stream, with a time.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;

use crate::stream::Stream;

/// A point in a stream. Its time is taken when the stream reaches it: by the GPU, or on host PEs by this machine's
/// clock. [`World::record`](crate::World::record) makes one.
#[derive(Debug)]
pub struct Event(EventKind);

#[derive(Debug)]
enum EventKind {
    Host(Arc<OnceLock<Instant>>),
    Gpu(cuda::Event),
}

impl Event {
    /// Enqueues an event after all work that the stream has so far.
    pub(crate) fn record(stream: &Stream) -> Result<Self> {
        if let Some(on) = stream.gpu() {
            let event = cuda::Event::new(on.context())?;
            event.record(on)?;
            return Ok(Self(EventKind::Gpu(event)));
        }
        let time: Arc<OnceLock<Instant>> = Arc::default();
        let taken = time.clone();
        let take = move |_| {
            taken.get_or_init(Instant::now);
            Ok(())
        };
        stream.enqueue("event", Arc::new(take))?;
        Ok(Self(EventKind::Host(time)))
    }

    /// Returns the time from this event to `later`, with a resolution of about 0.5 us on a GPU; 0 if `later` is
    /// earlier. Synchronize with both streams first.
    ///
    /// # Errors
    /// `InvalidArgument` if an event was not reached yet, or one is of a GPU and the other of a host PE.
    pub fn until(&self, later: &Self) -> Result<Duration> {
        let refuse = || Error::new(ErrorKind::InvalidArgument, "take the time between two events");
        match (&self.0, &later.0) {
            (EventKind::Gpu(from), EventKind::Gpu(to)) => {
                let ms = f64::from(from.elapsed_ms(to)?).max(0.0);
                Ok(Duration::from_secs_f64(ms / 1000.0))
            }
            (EventKind::Host(from), EventKind::Host(to)) => match (from.get(), to.get()) {
                (Some(from), Some(to)) => Ok(to.saturating_duration_since(*from)),
                _ => Err(refuse()
                    .because("one of them was not reached yet")
                    .hint("synchronize with the later one's stream first")),
            },
            _ => Err(refuse().because("one is of a GPU, the other of a host PE")),
        }
    }
}

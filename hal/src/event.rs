//! Events: points in a stream, with their time.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;

use crate::stream::Stream;

/// A point in a stream, whose time is taken when the stream gets there: by the GPU, or on host PEs by this
/// machine's clock. [`World::record`](crate::World::record) makes one.
#[derive(Debug)]
pub struct Event(EventKind);

#[derive(Debug)]
enum EventKind {
    Host(Arc<OnceLock<Instant>>),
    Gpu(cuda::Event),
}

impl Event {
    /// Puts an event behind what the stream was given so far.
    pub(crate) fn record(stream: &Stream) -> Result<Self> {
        if let Some(on) = stream.gpu() {
            let event = cuda::Event::new(on.context())?;
            event.record(on)?;
            return Ok(Self(EventKind::Gpu(event)));
        }
        let time: Arc<OnceLock<Instant>> = Arc::default();
        let taken = time.clone();
        stream.enqueue(Box::new(move || {
            taken.get_or_init(Instant::now);
            Ok(())
        }))?;
        Ok(Self(EventKind::Host(time)))
    }

    /// The time from this event to `later`, on a GPU about 0.5 us fine; 0 if the other was earlier. Synchronize
    /// with their streams first.
    ///
    /// # Errors
    /// `InvalidArgument` if one was not reached yet, or they are of different kinds of PEs.
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

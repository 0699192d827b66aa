//! Events: points in a stream, with a time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::gpu::cuda;

use crate::recording::{Mark, lock};
use crate::stream::StreamState;

/// A point in a stream. Its time is taken when the stream reaches it: by the GPU, or on host PEs by this machine's
/// clock. [`Stream::record`](crate::Stream::record) makes one, and [`Event::adopt`]
/// takes one that the program made on the GPU.
#[derive(Debug)]
pub struct Event {
    kind: EventKind,
    /// The point of a capture that it marks, if the last record was in one.
    mark: Mutex<Option<Mark>>,
}

#[derive(Debug)]
enum EventKind {
    Host(Arc<HostEvent>),
    Gpu(cuda::Event),
}

/// An event of host threads' streams.
#[derive(Debug, Default)]
struct HostEvent {
    records: Mutex<Records>,
    reached: Condvar,
}

#[derive(Debug, Default)]
struct Records {
    enqueued: u64,
    /// The number of the last record that was reached, counted from 1.
    reached: u64,
    /// The time at which it was.
    time: Option<Instant>,
}

impl HostEvent {
    fn records(&self) -> MutexGuard<'_, Records> {
        lock(&self.records)
    }

    /// Returns the time of the last record, if it was reached.
    fn time(&self) -> Option<Instant> {
        let records = self.records();
        records.time.filter(|_| records.reached == records.enqueued)
    }
}

impl Event {
    /// Creates an event for streams like this one, and enqueues it there.
    pub(crate) fn record(stream: &StreamState) -> Result<Self> {
        let event = Self::of(match stream.gpu() {
            Some(on) => EventKind::Gpu(cuda::Event::new(on.context())?),
            None => EventKind::Host(Arc::default()),
        });
        event.record_on(stream)?;
        Ok(event)
    }

    /// Wraps an event that the program made.
    pub(crate) fn of_gpu(event: cuda::Event) -> Self {
        Self::of(EventKind::Gpu(event))
    }

    fn of(kind: EventKind) -> Self {
        Self { kind, mark: Mutex::default() }
    }

    /// Enqueues the event after all work that the stream has so far, or marks that point in a capture.
    pub(crate) fn record_on(&self, stream: &StreamState) -> Result<()> {
        let mark = stream.mark();
        let in_capture = mark.is_some();
        *lock(&self.mark) = mark;
        match (&self.kind, stream.gpu()) {
            (EventKind::Gpu(event), Some(on)) => event.record(on),
            (EventKind::Host(_), None) if in_capture => Ok(()),
            (EventKind::Host(event), None) => {
                let number = {
                    let mut records = event.records();
                    records.enqueued += 1;
                    records.enqueued
                };
                let event = event.clone();
                let reach = move |_| {
                    let mut records = event.records();
                    (records.reached, records.time) = (records.reached.max(number), Some(Instant::now()));
                    event.reached.notify_all();
                    Ok(())
                };
                stream.enqueue("event", Arc::new(reach))
            }
            _ => Err(of_another_machine("record an event")),
        }
    }

    /// Lets the later work of a stream wait for the last record so far. If that was in a capture, the stream joins it.
    pub(crate) fn wait_on(&self, stream: &StreamState) -> Result<()> {
        if let Some(mark) = lock(&self.mark).clone() {
            if let (EventKind::Gpu(event), Some(on)) = (&self.kind, stream.gpu()) {
                on.wait_event(event)?;
            }
            return stream.follow(&mark);
        }
        if stream.is_recorded() {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                "let a stream that is being captured wait for an event",
            )
            .because("the event was not recorded in the capture")
            .hint("wait before the capture, or call `record_event` on a stream of the capture"));
        }
        match (&self.kind, stream.gpu()) {
            (EventKind::Gpu(event), Some(on)) => on.wait_event(event),
            (EventKind::Host(event), None) => {
                let (event, number) = (event.clone(), event.records().enqueued);
                // The work that records it was enqueued before, and ends by its own limits.
                let wait = move |_| {
                    let mut records = event.records();
                    while records.reached < number {
                        records = event.reached.wait(records).unwrap_or_else(PoisonError::into_inner);
                    }
                    Ok(())
                };
                stream.enqueue("wait for an event", Arc::new(wait))
            }
            _ => Err(of_another_machine("wait for an event")),
        }
    }

    /// Returns the time from this event to `later`, with a resolution of about 0.5 us on a GPU; 0 if `later` is
    /// earlier. Synchronize with both streams first.
    ///
    /// # Errors
    /// `InvalidArgument` if an event was not reached yet, or one is of a GPU and the other of a host PE.
    pub fn until(&self, later: &Self) -> Result<Duration> {
        let refuse = || Error::new(ErrorKind::InvalidArgument, "take the time between two events");
        if [self, later].iter().any(|event| lock(&event.mark).is_some()) {
            return Err(refuse().because("one of them was recorded in a capture, and marks a point of its graph"));
        }
        match (&self.kind, &later.kind) {
            (EventKind::Gpu(from), EventKind::Gpu(to)) => {
                let ms = f64::from(from.elapsed_ms(to)?).max(0.0);
                Ok(Duration::from_secs_f64(ms / 1000.0))
            }
            (EventKind::Host(from), EventKind::Host(to)) => match (from.time(), to.time()) {
                (Some(from), Some(to)) => Ok(to.saturating_duration_since(from)),
                _ => Err(refuse()
                    .because("one of them was not reached yet")
                    .hint("synchronize with the later one's stream first")),
            },
            _ => Err(refuse().because("one is of a GPU, the other of a host PE")),
        }
    }
}

fn of_another_machine(action: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, action)
        .because("one of event and stream is of a GPU, the other of a host PE")
}

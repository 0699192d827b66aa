//! Progress threads: they are started, given queues to serve, woken and stopped.

pub(in crate::host) mod backoff;
pub(in crate::host) mod proxy;
pub(in crate::host) mod thread;
pub(in crate::host) mod waker;

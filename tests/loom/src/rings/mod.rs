//! Requests to a proxy thread: threads that write to one ring, and the thread that takes requests out of it.
//!
//! The source is that of both halves: the writing end of kernels, and the reading end of the host.
//!
//! # Checked
//!
//! - Every request is taken exactly once, and whole: all of its words belong to one request, and to this lap. Requests
//!   of one thread come in its order.
//! - The memory that a request names is readable when the request is taken. Sources are plain memory, and the checker
//!   reports every race on it, also with a source that is written again after a wait.
//! - A line is not written again before it is free: its request would be lost or torn.
//! - A wait ends when the thread's own request is complete, or later. An answer is the one that was requested.
//!
//! # Not modelled
//!
//! In addition to the list of the [other model](crate): the proxy has one thread, and posts and completes by itself. It
//! frees places after completing their requests or before, one by one or all at once.

mod device;
mod model;

pub use model::{Break, Model, Work};

//! Requests to a proxy thread: threads that write to one ring, and the thread that takes them out.
//!
//! The source is that of both halves: what kernels write with, and the reading end of the host.
//!
//! # What is checked
//!
//! - Every request is taken exactly once, and whole: its words are all of one request, and of this lap. Those of one
//!   thread come in its order.
//! - What a request names is there when it is taken: sources are plain memory of which the checker reports every race,
//!   also with a source that is written again after a wait.
//! - A line is not written again before it is free: its request would be lost or torn.
//! - Who waits, waits for its own request at least. An answer is the one that was asked for.
//!
//! # What is not modelled
//!
//! Beside what is said of the [other model](crate): the proxy has one thread, and posts and completes by itself. It
//! frees places behind what it completes or ahead of it, one by one or all that were there.

mod device;
mod model;

pub use model::{Break, Model, Work};

//! The device half: GPU threads write requests into rings.
//!
//! | file | content |
//! |---|---|
//! | `queue.rs` | a queue and its ring, word by word |
//! | `ring.rs` | slots of a ring for lanes that make the same call at the same time, with one atomic, and requests |
//! | `done.rs` | waits for completed requests, and the reasons of failed waits |
//! | `reply.rs` | replies to requests that return a word |
//! | `transfer.rs` | operations |
//! | `path.rs` | the contracts: primitives of a queue, the table of queues, the path |

pub(crate) mod done;
mod path;
mod queue;
mod reply;
mod ring;
mod transfer;

pub use path::{ProxyPath, ProxyQueues};
pub use queue::QueueRef;

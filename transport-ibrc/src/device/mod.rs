//! The half that kernels run: GPU threads write requests into rings.
//!
//! | file | what it does |
//! |---|---|
//! | `queue.rs` | a queue and its ring, word by word |
//! | `ring.rs` | places of a ring for lanes that make the same call at the same time, with one atomic, and requests |
//! | `done.rs` | what is complete; waits, and why they fail |
//! | `reply.rs` | answers to requests that bring a word |
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

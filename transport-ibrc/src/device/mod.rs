//! The half that kernels run: GPU threads write requests into rings.
//!
//! | file | what it does |
//! |---|---|
//! | `queue.rs` | a queue and its ring, word by word |
//! | `ring.rs` | places of a ring for lanes that make the same call at the same time, with one atomic, and requests |
//! | `done.rs` | what is complete; waits, and why they fail |
//! | `reply.rs` | answers to requests that bring a word |
//! | `transfer.rs`, `calls.rs` | operations, and what kernels call of them |
//! | `resource.rs`, `ordering.rs`, `barrier.rs` | the contracts: operations, fence and quiet, barriers |

mod barrier;
mod calls;
pub(crate) mod done;
mod ordering;
mod queue;
mod reply;
mod resource;
mod ring;
mod transfer;

pub use barrier::{ByProxy, FAR};
pub use ordering::row_exists;
pub use resource::Queues;

//! The device half: GPU threads write requests into rings.
//!
//! | file | content |
//! |---|---|
//! | `queue.rs` | a queue and its ring, word by word; the reason why it stopped |
//! | `ring.rs` | slots of a ring for lanes that call together, requests, and the wait for their completion |
//! | `reply.rs` | replies to requests that return a word |
//! | `primitives.rs` | the primitives of a queue: operations |
//! | `unregistered.rs` | copies between requests or landings and memory that no request may name |
//! | `path.rs` | the table of queues, the path in a module's composition |

mod path;
mod primitives;
pub(crate) mod queue;
mod reply;
mod ring;
mod unregistered;

pub use path::{ProxyPath, ProxyQueues};
pub use queue::QueueRef;

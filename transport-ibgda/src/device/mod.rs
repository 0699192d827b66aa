//! The device half: GPU threads write work queue entries, the doorbell record and the doorbell.
//!
//! | file | content |
//! |---|---|
//! | `sharing.rs` | the threads that post on a queue, as a type: any thread, or those of one block |
//! | `queue.rs` | a queue's state, word by word |
//! | `exclusive.rs` | a block's copy of queues on which it alone posts |
//! | `wqe.rs` | a work queue entry, written into its blocks |
//! | `post.rs` | blocks of the send queue for lanes that call together, the order of entries, the doorbell |
//! | `done.rs` | waits for completions, and the reasons of failed waits |
//! | `keys.rs` | memory keys and their ranges |
//! | `transfer.rs` | puts and gets |
//! | `fetch.rs`, `atomics.rs`, `signal.rs` | the other operations |
//! | `primitives.rs` | the primitives of a queue, each by one of these operations |
//! | `table.rs` | the table of queues |
//! | `path.rs` | the path in a module's composition |

mod atomics;
mod done;
mod exclusive;
mod fetch;
mod keys;
mod path;
mod post;
mod primitives;
mod queue;
mod queue_ref;
mod sharing;
mod signal;
mod table;
mod transfer;
mod wqe;

pub use exclusive::{ExclusiveChoice, ExclusiveQueues};
pub use path::NicPath;
pub use queue_ref::QueueRef;
pub use sharing::{Exclusive, Shared, Sharing};
pub use table::NicQueues;

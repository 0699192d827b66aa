//! The device half: GPU threads write work queue entries, the doorbell record and the doorbell.
//!
//! | file | content |
//! |---|---|
//! | `sharing.rs` | the threads that post on a queue, as a type: any thread, or those of one block |
//! | `queue.rs` | a queue's state, word by word |
//! | `exclusive.rs` | a block's copy of queues on which it alone posts |
//! | `reserve.rs` | blocks of the send queue for lanes that make the same call at the same time, with one atomic |
//! | `wqe.rs` | a work queue entry, written into its blocks |
//! | `publish.rs` | the order of entries, the doorbell record, the doorbell |
//! | `done.rs` | waits for completions, and the reasons of failed waits |
//! | `keys.rs` | memory keys and their ranges |
//! | `transfer.rs`, `fetch.rs`, `atomics.rs`, `signal.rs` | operations |
//! | `table.rs` | the table of queues |
//! | `path.rs` | the contracts: primitives of a queue, the path |

mod atomics;
mod done;
mod exclusive;
mod fetch;
mod keys;
mod path;
mod publish;
mod queue;
mod queue_ref;
mod reserve;
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

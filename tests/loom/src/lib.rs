//! The posting protocol of the NIC path (reserve, mark, publish, tell, ring, poll), under a model checker; in [`rings`]
//! that of requests to proxy threads.
//!
//! The protocol's source is the device half's own: `src/device` includes its files and gives them, under the name
//! `oxshmem_raw`, twins of the instructions on memory that `loom` follows. A [`Model`] is some threads that post to one
//! queue and a NIC that executes it; [`Model::check`] runs them in every order that matters, and in each execution lets
//! every load return every value that the memory model allows there.
//!
//! # What is checked
//!
//! - Every entry is told exactly once, in order: each value of the record and of the doorbell is larger than the last,
//!   also for the NIC, and the last one is the number of entries. Nobody leaves with an entry that nobody tells.
//! - What the NIC was told of (by either) it can read: blocks, and the data that they name, are plain memory of which
//!   the checker reports every race. A block that is written again before its completion is such a race, a result that
//!   is overwritten before it was read another, a source that is written again after a wait a third.
//! - A block holds the entry that the NIC expects there, by its index.
//! - `done` is never more than what the NIC has completed, and that never more than it was told. (It may be more than
//!   `posted`, which follows the doorbell.)
//! - Who holds the baton holds it alone: a second one would tell something twice.
//! - A result is the one that was asked for.
//! - A block that has the queue's words in its shared memory leaves the queue as if it had not.
//!
//! # What is not modelled
//!
//! - Scopes: a fence for the GPU is one for the system. Nor the memory paths beneath them: the NIC is one more thread.
//! - Load buffering: loom's loads return what was stored earlier in its execution. What a GPU could do by storing ahead
//!   of an earlier load is not seen.
//! - Order by a branch: the look for room is relaxed, and the entry's stores are behind a branch on it. The model takes
//!   it for an acquiring load, which orders loads behind it as well.
//! - Fences of total order are stronger than C++'s: each synchronizes with the next. An order that they give besides
//!   what they are for would not be missed.
//! - Warps: each thread is alone in its. Errors: no entry fails, no wait ends early.
//! - Executions that need more preemptions than the bound, where there is one.
//! - What follows a poll that found nothing runs to its end and is tried in one order only: it is tried in all where the
//!   thread, or the NIC, looks later. A poll that found part of what it waits for is taken for one that found nothing.

mod device;
mod model;
mod nic;
#[path = "../../../transport-ibrc/src/request.rs"]
#[allow(dead_code, unreachable_pub, reason = "the model uses what writes and reads lines")]
mod request;
pub mod rings;
mod state;

pub use model::{By, Model, Work};
pub use nic::Reads;
pub use oxshmem_raw::weaken;

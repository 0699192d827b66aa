//! Model check of the posting protocol of the NIC path (reserve, mark, publish, announce, ring, poll), and, in
//! [`rings`], of requests to proxy threads.
//!
//! The source of the protocol is the device half's own. `src/device` includes its files, and under the name
//! `oxshmem_raw` gives them twins of the instructions, on memory that `loom` follows. A [`Model`] has some threads that
//! post to one queue, and a NIC that executes it. [`Model::check`] runs them in every relevant order, and in each
//! execution lets each load return every value that the memory model allows.
//!
//! # Checked
//!
//! - Every entry is announced exactly once, in order. Each value of the record and of the doorbell is larger than the
//!   one before, also as the NIC sees them, and the last one is the number of entries. No thread returns while an entry
//!   of its own is left unannounced.
//! - The NIC can read all that the record or the doorbell announced to it. Blocks, and the data that they name, are
//!   plain memory, and the checker reports every race on it. Three errors are such races: a block that is written again
//!   before its completion, a result that is overwritten before it was read, and a source that is written again before
//!   the wait for it has ended.
//! - A block holds the entry that the NIC expects there, by its index.
//! - `done` is never more than the number of entries that the NIC has completed, and that number is never more than the
//!   number announced to it. (It may be more than `posted`, which is stored after the doorbell.)
//! - One thread alone holds the baton: a second holder would announce an entry twice.
//! - A result is the one that was requested.
//! - A block that has the queue's words in its shared memory leaves the queue in the same state as one that has not.
//!
//! # Not modelled
//!
//! - Scopes: a fence for the GPU is one for the system. Nor the memory paths beneath them: the NIC is one more thread.
//! - Load buffering: a load in loom returns a value that was stored earlier in its execution. A GPU could store ahead
//!   of an earlier load; the model does not show the effect.
//! - Order by a branch: the load that checks for room is relaxed, and the entry's stores depend on a branch on it. The
//!   model treats it as an acquiring load, which also orders later loads.
//! - Fences of total order are stronger than C++'s: each synchronizes with the next. The model would not notice if the
//!   protocol depended on an order that they give beyond their purpose.
//! - Warps: each thread is alone in its warp. Errors: no entry fails, no wait ends early.
//! - Executions that need more preemptions than the bound, where there is one.
//! - Different orders after a poll that found nothing: the execution runs to its end in one order. All orders are tried
//!   in the executions in which the thread, or the NIC, polls later. A poll that found part of the expected state
//!   counts as one that found nothing.

mod device;
mod model;
mod nic;
#[path = "../../../transport-ibrc/src/request.rs"]
#[allow(dead_code, unreachable_pub, reason = "the model uses what writes and reads lines")]
mod request;
pub mod rings;
mod state;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use model::{By, Model, Work};
pub use nic::Reads;
pub use oxshmem_raw::weaken;

/// Runs the executions of a model until the time is over. Returns their number, and whether all were run.
fn explore(
    preemptions: Option<usize>,
    branches: usize,
    limit: Duration,
    run: impl Fn() + Send + Sync + 'static,
) -> (u64, bool) {
    // Each execution maps and unmaps its stacks, which makes models that run at the same time wait for each other: one
    // after another, they are much faster.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut loom = loom::model::Builder::new();
    (loom.preemption_bound, loom.max_branches) = (preemptions, branches);
    loom.max_duration = (limit != Duration::MAX).then_some(limit);
    let (executions, started) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let count = executions.clone();
    loom.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        run();
    });
    (executions.load(Ordering::Relaxed), started.elapsed() < limit)
}

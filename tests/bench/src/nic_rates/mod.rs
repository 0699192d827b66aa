//! How fast GPU threads post to a NIC's queues, measured against an engine on the same GPU that only completes.
//!
//! `oxshmem-nic-rates` speaks the protocol of `tests/peers/PROTOCOL.md`; the tests that it has are
//!
//! | test | one iteration |
//! |---|---|
//! | `nic_p_rate` | every thread of the grid: one `p` of 8 bytes. After the last iteration each block: `quiet`, within the time |
//! | `nic_p_call_latency` | one thread: a lone `p` of 8 bytes, from before the call until it has stored the doorbell and returned; a quiet and a pause of 2 us lie outside of the time |
//! | `nic_p_quiet_latency` | the same, from before the call until the quiet behind it has returned |
//! | `nic_p_own_rate` | as `nic_p_rate`, each block on a queue that it has for itself: as many queues as blocks |
//! | `nic_p_own_doorbell_latency`, `nic_p_own_call_latency`, `nic_p_own_quiet_latency` | as those without `own`, on a queue that the block has for itself |
//! | `nic_engine` | one thread for each queue, with next to no code: one doorbell for `batch` blocks. What the engine can do |
//!
//! | key | default | meaning |
//! |---|---|---|
//! | `ctas`, `threads` | 1, 256 | the grid |
//! | `qps` | 1 | default queues toward the one other PE |
//! | `map` | `cta` | what chooses among them: `cta`, `sm`, `warp` |
//! | `depth` | 1024 | basic blocks of a queue |
//! | `start` | 0 | index of the first block |
//! | `line` | 0 | 0: neighbours in the grid write neighbours in memory. 1: each thread's element is in a line of its own, 128 bytes from the next |
//! | `batch` | half of `depth` | of `nic_engine` |
//! | `iters`, `repeat` | 1000, 5 | |
//!
//! Each row first posts some laps to an engine that decodes every entry and adds up what was written where, and then is
//! timed on one that does nothing but complete; behind both, every queue's counters must agree with what was posted.

mod engine;
mod latency;
mod program;
mod queues;
mod rate;
mod region;
mod request;
mod session;

pub use crate::peer::Options;
pub use program::run;

/// The crate whose kernels run.
const KERNELS: &str = "oxshmem_nic_kernels";

//! The rate at which GPU threads post to a NIC's queues, measured against an engine on the same GPU that only
//! completes.
//!
//! `oxshmem-nic-rates` implements the protocol of `tests/peers/PROTOCOL.md` with these tests:
//!
//! | test | one iteration |
//! |---|---|
//! | `nic_p_rate` | every thread of the grid: one `p` of 8 bytes. After the last iteration each block: `quiet`, timed |
//! | `nic_p_call_latency` | one thread: a lone `p` of 8 bytes, from before the call until it has returned ¹ |
//! | `nic_p_quiet_latency` | the same, from before the call until the following quiet has returned |
//! | `nic_p_own_rate` | as `nic_p_rate` with an exclusive queue for each block: as many queues as blocks |
//! | `nic_p_own_doorbell_latency`, `nic_p_own_call_latency`, `nic_p_own_quiet_latency` | as without `own`, on an exclusive queue |
//! | `nic_engine` | one thread for each queue, with almost no code: one doorbell for `batch` blocks |
//!
//! ¹ Its doorbell is then stored. A quiet and a pause of 2 us are not timed. `nic_engine` measures the engine's
//! own rate.
//!
//! | key | default | meaning |
//! |---|---|---|
//! | `ctas`, `threads` | 1, 256 | the grid |
//! | `qps` | 1 | default queues to the only other PE |
//! | `map` | `cta` | which threads share one: `cta`, `sm`, `warp` |
//! | `depth` | 1024 | basic blocks of a queue |
//! | `start` | 0 | index of the first block |
//! | `line` | 0 | 0: adjacent threads write adjacent memory. 1: each element is in a 128-byte line of its own |
//! | `batch` | half of `depth` | of `nic_engine` |
//! | `iters`, `repeat` | 1000, 5 | |
//!
//! Each row first posts some laps to an engine that decodes every entry and sums up values and addresses; then it is
//! timed with an engine that only completes. After both, every queue's counters must agree with the number of posts.

mod engine;
mod latency;
mod program;
mod queues;
mod rate;
mod request;
mod session;

pub use crate::peer::Options;
pub use program::run;

/// The crate whose kernels run.
const KERNELS: &str = "oxshmem_nic_kernels";

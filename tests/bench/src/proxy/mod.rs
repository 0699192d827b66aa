//! The rate at which proxies take kernels' requests, measured against a sink: a device that completes posted requests
//! at once.
//!
//! `oxshmem-proxy-rates` implements the protocol of `tests/peers/PROTOCOL.md` with these tests:
//!
//! | test | one iteration |
//! |---|---|
//! | `proxy_p_rate` | every thread of the grid: one `p` of 8 bytes. After the last iteration each block: `quiet`, timed |
//! | `proxy_put_rate` | every block: one put of 128 elements, which is one request |
//! | `proxy_put_bw` | one block: one put of `bytes` bytes from pinned host memory, which the sink copies |
//! | `proxy_put_copies` | the part of that in which the sink copies, in ns of a second |
//! | `proxy_call_latency` | one thread: a lone `p`, until the call has returned |
//! | `proxy_round_latency` | the same, until the thread sees the word of the host that the sink writes at a post |
//! | `proxy_echo_latency` | a word to the host and back, by a thread that does nothing else |
//! | `proxy_post_latency` | from the call to the post: `proxy_round_latency` minus half of the fastest `proxy_echo_latency` |
//! | `proxy_quiet_latency` | a lone `p`, until the following quiet has returned |
//! | `proxy_wake_latency` | as `proxy_post_latency`, of the first `p` of a kernel launched after `idle_ms` without any |
//! | `proxy_wake_untold_latency` | the same, of a launch that is not announced to the proxies |
//! | `proxy_core_wake_latency` | from the call that unparks a host thread parked for `idle_ms` until it runs |
//! | `proxy_idle` | processor time of a proxy in a second without kernels; the largest of all proxies |
//! | `proxy_stay` | the same while a kernel runs that requests nothing |
//!
//! | key | default | meaning |
//! |---|---|---|
//! | `ctas`, `threads` | 1, 256 | the grid |
//! | `line` | 0 | of `proxy_p_rate`: 1: each thread's element is in a line of 128 bytes of its own; 0: they are adjacent |
//! | `proxies` | 1 | posting threads |
//! | `qps` | `proxies` | default queues to the only other PE |
//! | `ring` | 4096 | requests that a ring has room for |
//! | `bytes` | 1048576 | of a large put |
//! | `idle_ms` | 1000 | idle time before a kernel that wakes proxies |
//! | `iters`, `repeat` | 1000, 5 | |
//!
//! After each row the sink must have received exactly as many work requests as were requested.

mod latency;
mod program;
mod rate;
mod request;
mod sink;
#[cfg(test)]
mod tests;
mod world;

pub use crate::peer::Options;
pub use program::run;

/// The crate whose kernels run.
const KERNELS: &str = "oxshmem_proxy_kernels";

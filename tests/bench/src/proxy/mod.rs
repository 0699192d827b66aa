//! How fast proxies take what kernels ask, measured against a [`sink`]: a device that completes at once what is posted.
//!
//! `oxshmem-proxy-rates` speaks the protocol of `tests/peers/PROTOCOL.md`; the tests that it has are
//!
//! | test | one iteration |
//! |---|---|
//! | `proxy_p_rate` | every thread of the grid: one `p` of 8 bytes; with `line=1` each thread's element is in a line of 128 bytes of its own, else they lie side by side. After the last iteration each block: `quiet`, within the time |
//! | `proxy_put_rate` | every block: one put of 128 elements, which is one request |
//! | `proxy_put_bw` | one block: one put of `bytes` bytes from pinned memory of the host, which the sink copies |
//! | `proxy_put_copies` | of that, the part in which the sink copies, in ns of a second |
//! | `proxy_call_latency` | one thread: a lone `p`, until the call has returned |
//! | `proxy_round_latency` | the same, until a word of the host that the sink writes when it is posted was seen |
//! | `proxy_echo_latency` | a word to the host and back, by a thread that does nothing else |
//! | `proxy_post_latency` | from the call to the post: `proxy_round_latency` less half of the fastest `proxy_echo_latency`, which is the way back |
//! | `proxy_quiet_latency` | a lone `p`, until the quiet behind it has returned |
//! | `proxy_wake_latency` | as `proxy_post_latency`, of the first `p` of a kernel that is launched after `idle_ms` without any |
//! | `proxy_wake_untold_latency` | the same, of a launch that the proxies are not told of |
//! | `proxy_core_wake_latency` | a thread of the host that was parked for `idle_ms`, from the call that unparks it until it runs |
//! | `proxy_idle` | the time of a processor that a proxy takes in a second without kernels, the proxy that takes most |
//! | `proxy_stay` | the same while a kernel runs that asks for nothing |
//!
//! | key | default | meaning |
//! |---|---|---|
//! | `ctas`, `threads` | 1, 256 | the grid |
//! | `proxies` | 1 | threads that post |
//! | `qps` | `proxies` | default queues toward the one other PE |
//! | `ring` | 4096 | requests that a ring has room for |
//! | `bytes` | 1048576 | of a large put |
//! | `idle_ms` | 1000 | how long nothing runs before a kernel that wakes proxies |
//! | `iters`, `repeat` | 1000, 5 | |
//!
//! Behind each row the sink must have been given just as many work requests as were asked for.

mod latency;
mod program;
mod rate;
mod request;
mod room;
mod sink;
#[cfg(test)]
mod tests;
mod world;

pub use crate::peer::Options;
pub use program::run;

/// The crate whose kernels run.
const KERNELS: &str = "oxshmem_proxy_kernels";

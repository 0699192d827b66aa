//! The kernels that oxshmem's performance is measured with; `tests/peers/PROTOCOL.md` says what each does.
//!
//! Every kernel that is timed takes one [`job::Job`]. Its name is the test's, and the scope's behind it where the
//! test has scopes.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod bandwidth;
pub mod barrier;
pub mod data;
pub mod elements;
pub mod job;
pub mod latency;
pub mod ping_pong;
pub mod start;

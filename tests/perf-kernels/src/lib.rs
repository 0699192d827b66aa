//! The kernels that measure oxshmem's performance; `tests/peers/PROTOCOL.md` defines each.
//!
//! Every timed kernel takes one [`job::Job`]. Its name is the test's, followed by the scope if the test has scopes.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

pub mod bandwidth;
pub mod barrier;
pub mod collectives;
pub mod data;
pub mod elements;
pub mod job;
pub mod latency;
pub mod ping_pong;
pub mod start;
pub mod wire;

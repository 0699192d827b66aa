//! InfiniBand and RoCE: GPU threads write requests into rings in host memory, and host threads post them as verbs.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod device;
#[cfg(feature = "host")]
pub mod host;
pub mod request;
pub mod state;

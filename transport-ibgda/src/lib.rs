//! InfiniBand and RoCE: GPU threads write the NIC's work queue entries and ring its doorbell themselves.
#![cfg_attr(target_arch = "nvptx64", no_std)]

pub mod device;
#[cfg(feature = "host")]
pub mod host;
pub mod state;

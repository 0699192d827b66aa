//! What all transports with queues share in kernels: rows of queues, fence and quiet over them, barriers over all PEs.

#[cfg(feature = "host")]
pub mod amo;
pub mod barrier;
pub mod chosen;
#[cfg(feature = "host")]
pub mod host;
pub mod lanes;
pub mod rows;
pub mod split;
pub mod stopped;

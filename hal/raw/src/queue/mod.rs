//! Code that all transports with queues share: routing to paths, rows of queues, fence and quiet over them, barriers
//! over all PEs, and the host's tables of rows.

#[cfg(feature = "host")]
pub mod amo;
pub mod barrier;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "host")]
pub mod host_path;
pub mod lanes;
pub mod path;
pub mod remote_queue;
pub mod stopped;

pub use remote_queue::rows;

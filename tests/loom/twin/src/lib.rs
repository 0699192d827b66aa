//! Stands in for `oxshmem-raw` below the device half of the NIC path, for a model checker.
//!
//! Formats and layouts are the real ones. Instructions are twins on [`memory`], a table from addresses to objects that
//! `loom` follows; [`weaken`] takes the order away from one of them, to see that the model notices.

pub use real::{mlx5, state};

pub mod fault;
#[path = "../../../../hal/raw/src/lanes.rs"]
pub mod lanes;
pub mod memory;
pub mod order;
pub mod ptx;
pub mod wait;
pub mod weaken;

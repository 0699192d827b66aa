//! Stands in for `oxshmem-raw` below the device half of the NIC path, for a model checker.
//!
//! Formats and layouts are the real ones. Instructions are twins on [`memory`], a table from addresses to objects that
//! `loom` follows. [`weaken`] removes the order of one operation, to check that the model notices.

pub mod memory;
pub mod weaken;

/// Twins of the instructions.
pub mod gpu {
    pub mod order;
    pub mod ptx;
}

/// The real ones, on twins of the instructions.
#[path = "../../../../hal/raw/src/queue"]
pub mod queue {
    pub use real::queue::{remote_queue, rows, stopped};

    pub mod lanes;
}

/// The real layouts; faults and waits are the model's.
pub mod state {
    pub use real::state::*;

    pub mod fault;
    pub mod wait;
}

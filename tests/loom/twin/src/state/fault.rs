//! Faults: none is reported in the model.

use oxshmem_core::{Fault, FaultStep};

use crate::state::WorldState;

/// Returns the first fault of this PE: there is none.
pub fn first(_: &WorldState) -> Option<Fault> {
    None
}

/// Returns the fault that stands for none.
pub fn first_or_aborted(_: &WorldState) -> Fault {
    Fault::new(FaultStep::Aborted)
}

//! Faults: none is reported in the model.

use oxshmem_core::Fault;

use crate::state::WorldState;

/// The first fault of this PE: there is none.
pub fn first(_: &WorldState) -> Option<Fault> {
    None
}

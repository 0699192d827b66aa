//! What tests and programs of worlds of processes share.

pub mod losses;
pub mod wire_faults;
pub mod worlds;

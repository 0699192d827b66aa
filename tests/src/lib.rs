//! Shared code of the tests and programs whose worlds are processes.

pub mod losses;
pub mod wire_faults;
pub mod worlds;

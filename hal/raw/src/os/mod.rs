//! The operating system and the launcher: shared memory, descriptors, registers of devices, PMIx.

pub mod mmio;
pub mod pmix;
pub mod shm;

//! The operating system and the launcher: shared memory, descriptors, PMIx.

pub mod pmix;
pub mod shm;

//! The operating system and the launcher: shared memory, waits for words in it, registers of devices, PMIx.

pub mod futex;
pub mod mmio;
pub mod pmix;
pub mod shm;

//! The operating system and the launcher: shared memory, waits for words in it, registers of devices, private files,
//! PMIx.

pub mod futex;
pub mod mmio;
pub mod pmix;
pub mod private;
pub mod shm;

//! The operating system and the launcher: shared memory, waits for words in it, PMIx.

pub mod futex;
pub mod pmix;
pub mod shm;

//! The first kernel that communicates, and those that only meet.

use oxshmem_device::prelude::*;

use crate::job::{Job, meet};

kernel! {
    /// Writes `value` to `word` on the PE after this one, and completes that.
    pub fn first(shmem: Shmem, word: SymPtr<u64>, value: u64) -> Result<(), Fault> {
        if Block.leads() {
            shmem.p(word, value, shmem.pe_after(1))?;
            shmem.quiet()?;
        }
        Ok(())
    }

    /// Waits until the PEs that start together are there: what is behind it in the streams starts together.
    pub fn line_up(shmem: Shmem, job: Job) -> Result<(), Fault> {
        if Block.leads() { meet(&shmem, &job) } else { Ok(()) }
    }

    /// Waits for all PEs.
    pub fn sync_once(shmem: Shmem) -> Result<(), Fault> {
        shmem.sync_all(Block)
    }
}

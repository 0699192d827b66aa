//! The first kernel that communicates, and one that only meets.

use oxshmem_device::prelude::*;

kernel! {
    /// Writes `value` to `word` on the PE after this one, and completes that.
    pub fn first(shmem: Shmem, word: SymPtr<u64>, value: u64) -> Result<(), Fault> {
        if Block.leads() {
            shmem.p(word, value, shmem.pe_after(1))?;
            shmem.quiet()?;
        }
        Ok(())
    }

    /// Waits for all PEs.
    pub fn sync_once(shmem: Shmem) -> Result<(), Fault> {
        shmem.sync_all(Block)
    }
}

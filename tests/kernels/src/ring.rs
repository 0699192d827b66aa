//! The smallest complete example: a block sent around a ring.

use oxshmem_device::prelude::*;

kernel! {
    /// Sends this PE's block to its right neighbour and waits for the block of its left neighbour.
    pub fn ring(shmem: Shmem, block: SymSlice<f32>, inbox: SymSlice<f32>, flag: SymPtr<u64>) -> Result<(), Fault> {
        let right = shmem.pe_after(1);
        shmem.put_signal(Block, inbox, block, .., Signal::set(flag, 1), right)?;
        shmem.signal_wait_until(flag, Cmp::Eq, 1)?;
        Ok(())
    }
}

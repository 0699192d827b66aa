//! The kernel of `01-put`.

use oxshmem_device::prelude::*;

kernel! {
    /// Copies this PE's `row` of `n` elements to `inbox` on the PE to the right.
    ///
    /// All threads of the block make the call together and share the work.
    pub fn put_row(shmem: Shmem, row: SymPtr<f32>, inbox: SymPtr<f32>, n: usize) -> Result<(), Fault> {
        shmem.put(Block, inbox, row, n, shmem.pe_after(1))
    }
}

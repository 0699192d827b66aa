//! The kernel of `01-put`.

use oxshmem_device::prelude::*;

kernel! {
    /// Copies this PE's `row` to `inbox` on the PE to the right.
    ///
    /// All threads of the block make the call together and share the work. `..` stands for all elements of `inbox`.
    pub fn put_row(shmem: Shmem, row: SymSlice<f32>, inbox: SymSlice<f32>) -> Result<(), Fault> {
        shmem.put(Block, inbox, row, .., shmem.pe_after(1))
    }
}

//! The kernel of `02-put-signal`.

use oxshmem_device::prelude::*;

kernel! {
    /// Sends `row` to `inbox` on the right and signals it there, waits for the row from the left, and
    /// doubles that row into `doubled`.
    pub fn send_and_double(
        shmem: Shmem, row: SymSlice<f32>, inbox: SymSlice<f32>, doubled: SymSlice<f32>, flag: SymPtr<u64>,
    ) -> Result<(), Fault> {
        // A PE that sees the flag at 1 also sees the row: no fence is needed between the two, and no barrier after
        // them.
        shmem.put_signal(Block, inbox, row, .., Signal::set(flag, 1), shmem.pe_after(1))?;

        // The left neighbour's call sets this PE's flag. The wait ends with an error if that PE dies, or at the world's
        // limit; it never hangs.
        shmem.signal_wait_until(flag, Cmp::Eq, 1)?;

        let (inbox, doubled) = (shmem.local(inbox, ..), shmem.local(doubled, ..));
        for i in grid_stride(inbox.len()) {
            doubled.write(i, 2.0 * inbox.read(i));
        }
        Ok(())
    }
}

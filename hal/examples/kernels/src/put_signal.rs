//! The kernel of `02-put-signal`.

use oxshmem_device::prelude::*;

kernel! {
    /// Sends `row` (`n` elements) to `inbox` on the right and signals it there, waits for the row from the left, and
    /// doubles that row into `doubled`.
    pub fn send_and_double(
        shmem: Shmem, row: SymPtr<f32>, inbox: SymPtr<f32>, doubled: SymPtr<f32>, n: usize, flag: SymPtr<u64>,
    ) -> Result<(), Fault> {
        // A PE that sees the flag at 1 also sees the row: no fence is needed between the two, and no barrier after
        // them.
        shmem.put_signal(Block, inbox, row, n, Signal::set(flag, 1), shmem.pe_after(1))?;

        // The left neighbour's call sets this PE's flag. The wait ends with an error if that PE dies, or at the world's
        // limit; it never hangs.
        shmem.signal_wait_until(flag, Cmp::Eq, 1)?;

        let (inbox, doubled) = (shmem.local(inbox, n), shmem.local(doubled, n));
        for i in grid_stride(n) {
            doubled.write(i, 2.0 * inbox.read(i));
        }
        Ok(())
    }
}

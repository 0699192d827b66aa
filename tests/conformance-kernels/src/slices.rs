//! Slices of symmetric memory, whole and in part, as ends of calls.

use crate::kernel;
use oxshmem_device::prelude::*;

/// Calls of [`slice_beyond`](fn@slice_beyond), by number.
pub const BEYOND: [&str; 10] = [
    "put of a count",
    "put_nbi from a shorter slice",
    "get of a count",
    "get_nbi to a shorter slice",
    "put_signal of a count",
    "put_signal_nbi from a shorter slice",
    "iput to elements apart",
    "iget from elements apart",
    "local of a count",
    "range",
];

kernel! {
    /// Sends share `i` of `outbox` to PE `i`, to its part of `inbox` for this PE. Then waits for the shares of all.
    pub fn slice_shares(
        shmem: Shmem, inbox: SymSlice<u32>, outbox: SymSlice<u32>, flags: SymSlice<u64>,
    ) -> Result<(), Fault> {
        let (n, me) = (shmem.n_pes() as usize, shmem.my_pe().index());
        let here = shmem.element(flags, me)?;
        let Some(part) = inbox.split(n).nth(me) else { return Ok(()) };
        for (to, share) in outbox.split(n).enumerate() {
            let room = shmem.range(part, ..share.len())?;
            shmem.put_signal(Block, room, share, .., Signal::set(here, 1), Pe::new(to as u32))?;
        }
        for flag in flags.iter() {
            shmem.signal_wait_until(flag, Cmp::Eq, 1)?;
        }
        Ok(())
    }

    /// Fetches the second half of the right neighbour's `source` chunk by chunk into `dest`, and doubles it there.
    pub fn slice_fetch(
        shmem: Shmem, dest: SymSlice<u32>, source: SymSlice<u32>, chunk: usize,
    ) -> Result<(), Fault> {
        let Some((_, half)) = source.split_at(source.len() / 2) else { return Ok(()) };
        for (to, from) in dest.chunks(chunk).zip(half.chunks(chunk)) {
            shmem.get(Block, to, from, .., shmem.pe_after(1))?;
        }
        Block.sync();
        let fetched = shmem.local(shmem.range(dest, ..half.len())?, ..);
        for i in group_stride(Block, fetched.len()) {
            fetched.write(i, 2 * fetched.read(i));
        }
        Ok(())
    }

    /// Makes call `what`, which would leave a slice, between the first half of `words` and its second half. Then writes
    /// the first word, unless the call was refused.
    pub fn slice_beyond(shmem: Shmem, words: SymSlice<u64>, what: u32) -> Result<(), Fault> {
        let Some((near, far)) = words.split_at(words.len() / 2) else { return Ok(()) };
        let (n, right) = (near.len(), shmem.pe_after(1));
        let (short, word) = (shmem.range(near, 1..)?, Signal::set(shmem.element(near, 0)?, 1));
        let far = shmem.range(far, ..n)?;
        match what {
            0 => shmem.put(Block, far, near.as_ptr(), n + 1, right)?,
            1 => shmem.put_nbi(Block, far, short, .., right)?,
            2 => shmem.get(Block, near.as_ptr(), far, n + 1, right)?,
            3 => shmem.get_nbi(Block, short, far, .., right)?,
            4 => shmem.put_signal(Block, far, near.as_ptr(), n + 1, word, right)?,
            5 => shmem.put_signal_nbi(Block, far, short, .., word, right)?,
            6 => shmem.iput(Block, far, near.as_ptr(), 2, 1, n / 2 + 1, right)?,
            7 => shmem.iget(Block, near.as_ptr(), far, 1, 2, n / 2 + 1, right)?,
            8 => {
                let all = shmem.local(far, n + 1);
                if all.is_empty() {
                    return Ok(());
                }
            }
            _ => {
                shmem.range(near, 1..n + 1)?;
            }
        }
        shmem.local(words, ..).write(0, 99);
        Ok(())
    }
}

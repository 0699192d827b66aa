//! A message announced through a third PE: a completed put is visible to every PE that learns of it.

use oxshmem_device::prelude::*;

use crate::draw::Draw;
use crate::place::{At, PAD, block, check, fill, key, together};

kernel! {
    /// Each block puts a payload to the second PE after this one, completes it, and notifies the PE between them, which
    /// notifies the receiver.
    ///
    /// `words`: four for each block: the previous PE has put; this PE's payload may be read; the second PE after this
    /// one has read; unused.
    pub fn relay_block(
        shmem: Shmem, most: usize, inbox: SymPtr<u8>, outbox: SymPtr<u8>, words: SymPtr<u64>,
        first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (who, me) = (block(), shmem.my_pe());
        let (one_on, two_on, two_back) = (shmem.pe_after(1), shmem.pe_after(2), shmem.pe_before(2));
        let (news, may_read, read) = (words.add(4 * who), words.add(4 * who + 1), words.add(4 * who + 2));
        let slot = who * (most + PAD);
        let mut round = first;
        while round < first + rounds {
            let mine = Draw::of(seed, who, me, round, most);
            let at = At { round, group: who, size: mine.size };
            shmem.signal_wait_until(read, Cmp::Ge, round - 1)?;
            Block.sync();
            let source = outbox.add(slot + mine.from);
            fill(&shmem, Block, source, at, mine.to, key(seed, who, me));
            Block.sync();
            shmem.put(Block, inbox.add(slot + mine.to), source, at.size, two_on)?;
            shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
            if Block.leads() {
                shmem.p(news, round, one_on)?;
            }
            // Another thread forwards the notification than the one that sends this PE's own.
            let relayed = if Block.rank() + 1 == Block.size() {
                shmem
                    .wait_until(news, Cmp::Ge, round)
                    .and_then(|()| shmem.fence())
                    .and_then(|()| shmem.p(may_read, round, one_on))
            } else {
                Ok(())
            };
            together(&shmem, Block, relayed)?;

            let theirs = Draw::of(seed, who, two_back, round, most);
            let at = At { round, group: who, size: theirs.size };
            shmem.signal_wait_until(may_read, Cmp::Ge, round)?;
            check(&shmem, Block, inbox.add(slot + theirs.to), at, theirs.to, key(seed, who, two_back), record)?;
            Block.sync();
            if Block.leads() {
                shmem.fence()?;
                shmem.p(read, round, two_back)?;
            }
            round += 1;
        }
        Ok(())
    }
}
oxshmem_device::launch_bounds!(relay_block, threads = 512);

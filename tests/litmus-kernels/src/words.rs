//! Single words: no addition is lost, and no reader sees a word decrease.

use oxshmem_device::prelude::*;

use crate::place::{At, block, wrong};

kernel! {
    /// Every thread of every PE adds to one word of each PE, once a round. The word never decreases, and finally it is
    /// the sum. `words`: the word, and the number of finished rounds of all threads.
    pub fn words_add(
        shmem: Shmem, words: SymPtr<u64>, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (n, me) = (shmem.n_pes(), shmem.my_pe());
        // Also above 32 bits, so that a narrower addition shows.
        let value = (1 << 32) + 1;
        let (mut round, mut before) = (first, 0);
        while round < first + rounds {
            let mut k = 0;
            while k < n {
                let pe = shmem.pe_after(k);
                if (seed ^ round) & 1 == 0 {
                    shmem.signal(Signal::add(words, value), pe)?;
                } else {
                    shmem.atomic_add(words, value, pe)?;
                }
                k += 1;
            }
            let now = shmem.signal_fetch(words)?;
            if now < before {
                wrong(&shmem, record, At { round, group: thread_in_grid(), size: 8 }, 0, before, now)?;
            }
            before = now;
            round += 1;
        }
        shmem.quiet()?;
        let mut k = 0;
        while k < n {
            shmem.atomic_add(words.add(1), rounds, shmem.pe_after(k))?;
            k += 1;
        }
        // All are done when the count covers the rounds of all threads and of earlier launches.
        let all = threads_in_grid() as u64 * n as u64 * (first + rounds - 1);
        shmem.signal_wait_until(words.add(1), Cmp::Ge, all)?;
        let (expected, now) = (value * all, shmem.g(words, me)?);
        if now != expected {
            wrong(&shmem, record, At { round, group: thread_in_grid(), size: 8 }, 0, expected, now)?;
        }
        Ok(())
    }

    /// The first thread of each even block writes rising numbers to a word of every PE, without a fence. The threads of
    /// the other blocks see them only rise, at home and at other PEs.
    pub fn words_rise(
        shmem: Shmem, words: SymPtr<u64>, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (n, me, pair) = (shmem.n_pes(), shmem.my_pe(), block() / 2);
        // A word for each writer: each PE, each pair of blocks.
        let word = |writer: Pe| words.add(pair * n as usize + writer.index());
        if block() & 1 == 0 {
            if thread_in_block() == 0 {
                let mut round = first;
                while round < first + rounds {
                    let mut k = 0;
                    while k < n {
                        shmem.p(word(me), round, shmem.pe_after(k))?;
                        k += 1;
                    }
                    round += 1;
                }
            }
            return Ok(());
        }
        // Each thread watches one word at one PE, until it has its last value.
        let watcher = thread_in_block() as u32;
        let (writer, at) = (shmem.pe_after(watcher), shmem.pe_after(if watcher & 1 == 0 { 0 } else { 1 + (seed as u32 & 1) }));
        let (mut before, mut reached, end) = (0, 0, first + rounds - 1);
        while reached < end {
            // Waits for the local word, which bounds the loop; then reads the watched one.
            reached = shmem.signal_wait_until(word(writer), Cmp::Gt, reached)?;
            let mut looks = 0;
            while looks < 16 {
                let now = if at == me { shmem.signal_fetch(word(writer))? } else { shmem.g(word(writer), at)? };
                if now < before {
                    wrong(&shmem, record, At { round: before, group: thread_in_grid(), size: 8 }, 0, before, now)?;
                }
                before = now;
                looks += 1;
            }
        }
        Ok(())
    }
}

//! A busy wire, whose data is checked.

use oxshmem_device::prelude::*;

/// Words of a row.
pub const ROW: usize = 512;

/// Returns word `i` of a round's row.
#[inline(always)]
fn word(round: u64, i: usize) -> u64 {
    (round << 16) ^ i as u64
}

kernel! {
    /// Runs rounds `from..to` between two PEs. Each thread puts a row that depends on the round into the other's inbox,
    /// with a signal, waits for the other's row, and counts its words that are not of that round.
    ///
    /// Each thread has three rows of [`ROW`] words in `rows` (its source, and two inboxes for even and odd rounds,
    /// since the other PE is at most one ahead), and a word each in `flags` and `wrong`.
    pub fn rows_to_and_fro(shmem: Shmem, rows: SymPtr<u64>, flags: SymPtr<u64>, wrong: SymPtr<u64>, from: u64, to: u64) -> Result<(), Fault> {
        let (me, threads, other) = (thread_in_grid(), threads_in_grid(), shmem.pe_after(1));
        let sent = 3 * ROW * me;
        for round in span(from, to) {
            for i in span(0, ROW) {
                shmem.local(rows, 3 * ROW * threads).write(sent + i, word(round, i));
            }
            let inbox = sent + ROW * (1 + (round % 2) as usize);
            shmem.put_signal(Thread, rows.add(inbox), rows.add(sent), ROW, Signal::add(flags.add(me), 1), other)?;
            shmem.signal_wait_until(flags.add(me), Cmp::Ge, round + 1)?;
            let mut others = 0;
            for i in span(0, ROW) {
                others += u64::from(shmem.local(rows, 3 * ROW * threads).read(inbox + i) != word(round, i));
            }
            let before = shmem.local(wrong, threads).read(me);
            shmem.local(wrong, threads).write(me, before + others);
        }
        Ok(())
    }
}

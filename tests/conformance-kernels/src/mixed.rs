//! Threads of a warp with different operations at one call site, and a block with an exclusive queue.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{queue, wrong};
use crate::rma::{GET, GET_NBI, PUT};

/// Words of a thread's row: number of bytes, distance to the target PE, 1 if the local side is an array of the thread,
/// and the first byte of its slot.
pub const ROW: usize = 4;
/// Bytes of a thread's own array.
pub const HELD: usize = 96;

kernel! {
    /// Each thread copies, by its row of the table, between its slot of `source` here and its slot of `dest` at its
    /// target PE. The source of a put and the destination of a get are the thread's own array or its slot.
    pub fn mixed_lanes(
        shmem: Shmem, op: u32, view: u32, handle: QpHandle, table: SymPtr<u64>, dest: SymPtr<u8>, source: SymPtr<u8>,
        slot: usize,
    ) -> Result<(), Fault> {
        let thread = thread_in_grid();
        let table = shmem.local(table, threads_in_grid() * ROW);
        let word = |i| table.read(thread * ROW + i) as usize;
        let (bytes, pe, held, first) = (word(0), shmem.pe_after(word(1) as u32), word(2) != 0, word(3));
        let (dest, source) = (dest.add(thread * slot + first), source.add(thread * slot + first));
        let mut array = [0u8; HELD];
        let on = shmem.qp(queue(view, handle));
        if op == GET || op == GET_NBI {
            let to = if held { Local::of(&shmem, &mut array) } else { shmem.local(dest, bytes) };
            if op == GET {
                on.get(Thread, to, source, bytes, pe)?;
            } else {
                on.get_nbi(Thread, to, source, bytes, pe)?;
                shmem.quiet()?;
            }
            if held {
                let kept = shmem.local(dest, bytes);
                for i in span(0, bytes) {
                    kept.write(i, to.read(i));
                }
            }
            return Ok(());
        }
        let from = if held { Local::of(&shmem, &mut array) } else { shmem.local(source, bytes) };
        if held {
            let mine = shmem.local(source, bytes);
            for i in span(0, bytes) {
                from.write(i, mine.read(i));
            }
        }
        if op == PUT { on.put(Thread, dest, from, bytes, pe)? } else { on.put_nbi(Thread, dest, from, bytes, pe)? }
        shmem.quiet()
    }

    /// A block uses the queues of `handle` exclusively: every thread writes, adds and fetches at the next PE for
    /// several rounds, and the block puts with a signal. Then any thread uses the queue again. `words`: 4 for each
    /// thread and 4 more; `data`: twice `count`.
    pub fn mixed_exclusive(
        shmem: Shmem, handle: QpHandle, words: SymPtr<u64>, data: SymPtr<u32>, count: usize, rounds: u64,
        record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (pe, thread, threads) = (shmem.pe_after(1), thread_in_block(), threads_in_grid());
        let (mine, all) = (words.add(4 * thread), words.add(4 * threads));
        let lead = words.add(4 * (thread - Warp.rank() as usize));
        {
            // SAFETY: **exclusive**: the grid is this block, and no other kernel runs on the PE. **lent**: the launch
            // provides this memory, and nothing else uses it.
            let own = unsafe { shmem.exclusive(handle, PeSet::One(pe), 0)? };
            for round in span(1, rounds + 1) {
                own.p(mine, (thread as u64) << 32 | round, pe)?;
                own.atomic_add(all, 1, pe)?;
                let before = own.atomic_fetch_inc(mine.add(1), pe)?;
                if before + 1 != round {
                    wrong(&shmem, record, thread as u64, round, before + 1)?;
                }
                own.put_signal(Block, data, data.add(count), count, Signal::add(all.add(1), 1), pe)?;
                own.put_nbi(Warp, lead.add(2), lead.add(3), 1, pe)?;
                let seen = own.g(mine, pe)?;
                if seen != (thread as u64) << 32 | round {
                    wrong(&shmem, record, thread as u64, (thread as u64) << 32 | round, seen)?;
                }
            }
            own.quiet(Block)?;
        }
        shmem.qp(Qp::Custom(handle)).atomic_add(all.add(2), 1, pe)?;
        shmem.quiet()
    }
}

//! Pointers to peers, indices of grids, and exchanges of all with all.

use crate::kernel;
use oxshmem_device::prelude::*;
use oxshmem_device::{NoRemote, ShmemOf};

use crate::place::{bits, expect, wrong};

kernel! {
    /// Loads the right neighbour's words by its pointer, and stores to the following words by the same pointer.
    pub fn reach_ptr(shmem: Shmem, words: SymPtr<u64>, count: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        let (right, me) = (shmem.pe_after(1), shmem.my_pe().number() as u64);
        for i in grid_stride(count) {
            if let (Some(theirs), Some(behind)) = (shmem.ptr(words.add(i), right)?, shmem.ptr(words.add(count + i), right)?) {
                // SAFETY: both are words of the right neighbour's heap, which is mapped here, and no thread writes the
                // first.
                let seen = unsafe {
                    behind.write_volatile(bits((me << 32) ^ i as u64));
                    theirs.read_volatile()
                };
                expect(&shmem, record, i as u64, bits(((right.number() as u64) << 40) ^ i as u64), seen)?;
            } else {
                wrong(&shmem, record, i as u64, 1, 0)?;
            }
        }
        shmem.quiet()
    }

    /// Each thread stores its number in the grid, its position, and its grid's shape.
    pub fn reach_indices(shmem: Shmem, notes: SymPtr<u32>, visits: SymPtr<u32>) -> Result<(), Fault> {
        let number = thread_in_grid();
        let notes = shmem.local(notes.add(number * 14), 14);
        let all = [thread_idx(), block_idx(), block_dim(), grid_dim()];
        for i in span(0, 4) {
            let [x, y, z] = all[i];
            notes.write(3 * i, x);
            notes.write(3 * i + 1, y);
            notes.write(3 * i + 2, z);
        }
        notes.write(12, thread_in_block() as u32);
        notes.write(13, threads_in_grid() as u32);
        shmem.atomic_inc(visits.add(number), shmem.my_pe())
    }

    /// Every PE sends a block of each thread to every PE, by puts of the block's threads together; then a barrier.
    pub fn reach_all_to_all(shmem: Shmem, inbox: SymPtr<u32>, outbox: SymPtr<u32>, len: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        let (n, me) = (shmem.n_pes(), shmem.my_pe());
        let element = |from: u32, to: u32, i: usize| bits(((from as u64) << 48) ^ ((to as u64) << 32) ^ i as u64) as u32;
        let mine = shmem.local(outbox, n as usize * len);
        for i in grid_stride(len) {
            for to in span(0, n) {
                mine.write(to as usize * len + i, element(me.number(), to, i));
            }
        }
        Block.sync();
        for k in span(1, n + 1) {
            let to = shmem.pe_after(k);
            shmem.put_nbi(Block, inbox.add(me.index() * len), outbox.add(to.index() * len), len, to)?;
        }
        shmem.barrier_all(Block)?;
        let theirs = shmem.local(inbox, n as usize * len);
        for i in grid_stride(len) {
            for from in span(0, n) {
                let seen = theirs.read(from as usize * len + i);
                expect(&shmem, record, from as u64, element(from, me.number(), i) as u64, seen as u64)?;
            }
        }
        Ok(())
    }

    /// A token travels around the ring, one word longer at each PE, for the requested number of turns: puts with
    /// signals.
    pub fn reach_ring(shmem: Shmem, token: SymPtr<u64>, flag: SymPtr<u64>, turns: usize, record: SymPtr<u64>) -> Result<(), Fault> {
        let (n, me) = (shmem.n_pes() as u64, shmem.my_pe().number() as u64);
        let right = shmem.pe_after(1);
        for turn in span(0, turns as u64) {
            let value = turn * n + me;
            // PE 0 starts each turn with the token that returned from the last PE.
            if value > 0 {
                shmem.signal_wait_until(flag, Cmp::Ge, value)?;
                expect(&shmem, record, turn, bits(value), shmem.local(token, 1).read(0))?;
            }
            shmem.local(token.add(1), 1).write(0, bits(value + 1));
            shmem.put_signal(Thread, token, token.add(1), 1, Signal::set(flag, value + 1), right)?;
        }
        Ok(())
    }

    /// Stores this PE's number, the number of PEs, and the PEs before and after it at several distances.
    pub fn reach_numbers(shmem: Shmem, notes: SymPtr<u32>) {
        let notes = shmem.local(notes, 8);
        notes.write(0, shmem.my_pe().number());
        notes.write(1, shmem.n_pes());
        let distances = [0, 1, 5];
        for i in span(0, 3) {
            notes.write(2 + i, shmem.pe_after(distances[i]).number());
            notes.write(5 + i, shmem.pe_before(distances[i]).number());
        }
    }

    /// A block waits for the word, and all its threads copy the data that preceded it.
    pub fn host_wait_and_copy(shmem: Shmem, word: SymPtr<u64>, value: u64, inbox: SymPtr<u64>, copy: SymPtr<u64>, len: usize, seen: SymPtr<u64>) -> Result<(), Fault> {
        let last = shmem.signal_wait_until(word, Cmp::Ge, value)?;
        let (from, to) = (shmem.local(inbox, len), shmem.local(copy, len));
        for i in grid_stride(len) {
            to.write(i, from.read(i));
        }
        if Block.leads() {
            shmem.local(seen, 1).write(0, last);
        }
        Ok(())
    }

    /// Waits for a word that no PE writes, up to the world's limit.
    pub fn reach_wait_in_vain(shmem: Shmem, word: SymPtr<u64>) -> Result<(), Fault> {
        shmem.wait_until(word, Cmp::Eq, 7)
    }

    /// Waits until each word is 7, for all of them no longer than the world's limit.
    pub fn reach_wait_for_each(shmem: Shmem, words: SymPtr<u64>, count: usize) -> Result<(), Fault> {
        shmem.wait_until_all(words, count, None, Cmp::Eq, 7)
    }

    /// PE 0 stays away from the barrier that the others come to.
    pub fn reach_barrier_without_pe_0(shmem: Shmem) -> Result<(), Fault> {
        if shmem.my_pe().number() == 0 { Ok(()) } else { shmem.barrier_all(Block) }
    }

    /// Puts by a block, with any arguments: for wrong ones.
    pub fn reach_put(shmem: Shmem, dest: SymPtr<u32>, source: SymPtr<u32>, count: usize, pe: u32) -> Result<(), Fault> {
        shmem.put(Block, dest, source, count, Pe::new(pe))
    }

    /// Writes the first of `count` elements of this PE's memory.
    pub fn reach_local(shmem: Shmem, at: SymPtr<u32>, count: usize) {
        shmem.local(at, count).write(0, 7);
    }

    /// Makes a call to a PE as a kernel of a module without remote paths. `what`: 0 puts, 1 reads an element, 2 adds, 3
    /// meets all PEs, 4 meets a team.
    pub fn reach_without_paths(shmem: Shmem, what: u32, words: SymPtr<u64>, team: TeamHandle, pe: u32) -> Result<(), Fault> {
        // SAFETY: **live**, **peopled**: it is this world's state.
        let alone = unsafe { ShmemOf::<NoRemote>::from_state(shmem.state()) };
        match what {
            0 => alone.put(Block, words, words.add(8), 4, Pe::new(pe)),
            1 => alone.g(words, Pe::new(pe)).map(|_| ()),
            2 => alone.atomic_add(words, 1, Pe::new(pe)),
            3 => alone.barrier_all(Block),
            _ => alone.team(team).barrier(Block),
        }
    }

    /// Asks for the PE of any member.
    pub fn reach_member(shmem: Shmem, team: TeamHandle, member: u32, pe: SymPtr<u64>) -> Result<(), Fault> {
        shmem.atomic_set(pe, u64::from(shmem.team(team).pe(member).number()), shmem.my_pe())
    }

    /// Adds to any word: for wrong arguments.
    pub fn reach_add(shmem: Shmem, at: SymPtr<u64>, handle: QpHandle) -> Result<(), Fault> {
        shmem.qp(Qp::Custom(handle)).atomic_add(at, 1, shmem.my_pe())
    }

    /// Puts with a signal whose word is at the requested place.
    pub fn reach_put_signal(shmem: Shmem, dest: SymPtr<u64>, source: SymPtr<u64>, count: usize, word: SymPtr<u64>) -> Result<(), Fault> {
        shmem.put_signal(Block, dest, source, count, Signal::set(word, 1), shmem.my_pe())
    }

    /// PE 0 arrives at the barrier after the others have failed in it; then they arrive again. Word 0 of PE 0 counts
    /// the PEs that failed, word 1 records that PE 0 arrived, and word 2 that a barrier after the failed one succeeded.
    pub fn reach_barrier_after_a_fault(shmem: Shmem, words: SymPtr<u64>) -> Result<(), Fault> {
        let me = shmem.my_pe();
        let first = shmem.barrier_all(Block);
        if me.number() == 0 {
            for pe in span(1, shmem.n_pes()) {
                shmem.p(words.add(1), 1, Pe::new(pe))?;
            }
            return first;
        }
        if Block.leads() {
            // It may fail, because a fault is reported; PE 0 then waits a while in vain. The leader must not leave,
            // because a barrier without it would wait for no PE.
            let _ = shmem.atomic_add(words, 1, Pe::new(0));
        }
        // A wait would end at once, because of the fault; and PE 0 may never arrive.
        let mut looks = 0;
        while looks < 1 << 24 && shmem.g(words.add(1), me)? == 0 {
            looks += 1;
        }
        if shmem.barrier_all(Block).is_ok() {
            shmem.p(words.add(2), 1, me)?;
        }
        first
    }

    /// Tests 4 words, for which the requested array has 3 entries only; word 8 records that the call was accepted.
    pub fn reach_short_array(shmem: Shmem, words: SymPtr<u64>, which: u32) -> Result<(), Fault> {
        let beside = words.add(16);
        let taken = match which {
            0 => shmem.test_all(words, 4, Some(shmem.local(beside.cast::<i32>(), 3)), Cmp::Eq, 0).is_ok(),
            1 => shmem.test_all_vector(words, 4, None, Cmp::Eq, shmem.local(beside, 3)).is_ok(),
            _ => shmem.test_some(words, 4, shmem.local(beside.cast::<usize>(), 3), None, Cmp::Eq, 0).is_ok(),
        };
        if taken { shmem.p(words.add(8), 1, shmem.my_pe()) } else { Ok(()) }
    }
}

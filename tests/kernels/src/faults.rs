//! Kernels that provoke faults: wrong requests, and requests that never end or end badly.

use oxshmem_device::prelude::*;

kernel! {
    /// Waits until the word equals `value`.
    pub fn wait_equal(shmem: Shmem, word: SymPtr<u64>, value: u64) -> Result<(), Fault> {
        shmem.wait_until(word, Cmp::Eq, value)
    }

    /// Makes one barrier over all PEs, by the whole block.
    pub fn one_barrier(shmem: Shmem) -> Result<(), Fault> {
        shmem.barrier_all(Block)
    }

    /// Counts this PE in the word, then waits for `value` in the following word.
    pub fn arrive_and_wait(shmem: Shmem, words: SymPtr<u64>, value: u64) -> Result<(), Fault> {
        if thread_in_grid() == 0 {
            shmem.atomic_inc(words, shmem.my_pe())?;
        }
        shmem.wait_until(words.add(1), Cmp::Ge, value)
    }

    /// Each thread waits for a word that never arrives, and stores the offset from its fault. `said` has an element for
    /// each thread of the grid.
    pub fn all_wait(shmem: Shmem, words: SymPtr<u64>, said: SymPtr<u64>) {
        let me = thread_in_grid();
        let threads = threads_in_grid();
        if let Err(fault) = shmem.wait_until(words.add(me), Cmp::Eq, 1) {
            shmem.local(said, threads).write(me, fault.at);
        }
    }

    /// Puts `count` elements from `source` to `dest` on PE `pe`.
    pub fn put_f64(shmem: Shmem, dest: SymPtr<f64>, source: SymPtr<f64>, count: usize, pe: Pe) -> Result<(), Fault> {
        shmem.put(Block, dest, source, count, pe)
    }

    /// Puts an element to a PE that does not exist, by thread `at` of the grid alone.
    pub fn put_of_one(shmem: Shmem, word: SymPtr<u64>, at: usize) -> Result<(), Fault> {
        if thread_in_grid() == at { shmem.p(word, 1, Pe::new(u32::MAX)) } else { Ok(()) }
    }

    /// Puts an element as [`put_f64`] does, by a warp or a block of which thread `left` has ended.
    pub fn put_but_one(shmem: Shmem, words: SymPtr<u64>, left: usize, by_warp: u32) -> Result<(), Fault> {
        if thread_in_grid() == left {
            return Ok(());
        }
        match by_warp {
            0 => shmem.put(Block, words, words.add(1), 1, shmem.my_pe()),
            _ => shmem.put(Warp, words, words.add(1), 1, shmem.my_pe()),
        }
    }

    /// Gets `count` elements from `source` on PE `pe` to `dest`.
    pub fn get_f64(shmem: Shmem, dest: SymPtr<f64>, source: SymPtr<f64>, count: usize, pe: Pe) -> Result<(), Fault> {
        shmem.get(Block, dest, source, count, pe)
    }

    /// Puts every `stride`-th element.
    pub fn iput_f64(shmem: Shmem, dest: SymPtr<f64>, source: SymPtr<f64>, stride: usize, count: usize, pe: Pe) -> Result<(), Fault> {
        shmem.iput(Block, dest, source, stride, 1, count, pe)
    }

    /// Performs one operation on the word on PE `pe`: 0 `p`, 1 `g`, 2 an atomic, 3 a fetching atomic, 4 a signal, 5 a
    /// fence, 6 a quiet, 7 a pointer, 8 a test of this PE's own word, 9 a fetch of its own signal.
    pub fn one_word(shmem: Shmem, word: SymPtr<u64>, pe: Pe, which: u32) -> Result<(), Fault> {
        let one = PeSet::One(pe);
        match which {
            0 => shmem.p(word, 1, pe),
            1 => shmem.g(word, pe).map(|_| ()),
            2 => shmem.atomic_inc(word, pe),
            3 => shmem.atomic_fetch_add(word, 1, pe).map(|_| ()),
            4 => shmem.signal(Signal::add(word, 1), pe),
            5 => shmem.fence_on(Thread, one, QpSet::All),
            6 => shmem.quiet_on(Thread, one, QpSet::All),
            7 => shmem.ptr(word, pe).map(|_| ()),
            8 => shmem.test(word, Cmp::Eq, 1).map(|_| ()),
            _ => shmem.signal_fetch(word).map(|_| ()),
        }
    }

    /// Puts `count` bytes with a signal.
    pub fn put_with_signal(shmem: Shmem, dest: SymPtr<u8>, source: SymPtr<u8>, count: usize, word: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.put_signal(Block, dest, source, count, Signal::set(word, 1), pe)
    }

    /// Performs one operation on a queue that the program chose: 0 `p`, 1 a quiet on that queue, 2 an atomic.
    pub fn on_queue(shmem: Shmem, word: SymPtr<u64>, pe: Pe, handle: QpHandle, which: u32) -> Result<(), Fault> {
        let queue = Qp::Custom(handle);
        match which {
            0 => shmem.qp(queue).p(word, 1, pe),
            1 => shmem.quiet_on(Thread, PeSet::All, QpSet::Of(&[handle])),
            _ => shmem.qp(queue).atomic_inc(word, pe),
        }
    }

    /// Writes element `index` of this PE's `count` elements.
    pub fn write_local(shmem: Shmem, at: SymPtr<u64>, count: usize, index: usize) {
        shmem.local(at, count).write(index, 1);
    }

    /// Takes `count` words of shared memory from byte `from` on, and writes word `index`.
    pub fn write_shared(shmem: Shmem, from: u32, count: usize, index: usize) {
        shmem.shared::<u64>(from, count).write(index, 1);
    }

    /// Runs `times` rounds with its neighbours: each PE adds to the word of its right neighbour and waits for its own.
    pub fn rounds(shmem: Shmem, word: SymPtr<u64>, times: u64) -> Result<(), Fault> {
        let mut round = 0;
        while round < times {
            round += 1;
            shmem.signal(Signal::add(word, 1), shmem.pe_after(1))?;
            shmem.signal_wait_until(word, Cmp::Ge, round)?;
        }
        Ok(())
    }
}

// A panic needs text, which a GPU's kernels can't have.
#[cfg(not(target_arch = "nvptx64"))]
kernel! {
    /// Panics in thread `which` of the grid.
    pub fn panics(_shmem: Shmem, which: usize) {
        assert!(thread_in_grid() != which, "thread {which} was told to panic");
    }
}

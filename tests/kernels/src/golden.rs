//! Kernels whose PTX is checked instruction by instruction (`xtask/golden.toml`): each shows one promise of ordering.

use oxshmem_device::prelude::*;

kernel! {
    /// Puts data by a block, which meets before and after.
    pub fn golden_put_block(shmem: Shmem, to: SymPtr<u8>, from: SymPtr<u8>, bytes: usize, pe: Pe) -> Result<(), Fault> {
        shmem.put(Block, to, from, bytes, pe)
    }

    /// Puts data by the whole block, then signals by one releasing store.
    pub fn golden_put_signal_block(shmem: Shmem, to: SymPtr<u8>, from: SymPtr<u8>, bytes: usize, flag: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.put_signal(Block, to, from, bytes, Signal::set(flag, 1), pe)
    }

    /// Does the same by a block that has met.
    pub fn golden_put_signal_met(shmem: Shmem, to: SymPtr<u8>, from: SymPtr<u8>, bytes: usize, flag: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.put_signal(Met(Block), to, from, bytes, Signal::set(flag, 1), pe)
    }

    /// Does the same by one thread, with an addition.
    pub fn golden_put_signal_add(shmem: Shmem, to: SymPtr<u8>, from: SymPtr<u8>, bytes: usize, flag: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.put_signal(Thread, to, from, bytes, Signal::add(flag, 1), pe)
    }

    /// Stores twice, with a fence between.
    pub fn golden_fence(shmem: Shmem, at: SymPtr<u32>, flag: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.p(at, 7, pe)?;
        shmem.fence()?;
        shmem.p(flag, 1, pe)
    }

    /// Stores, quiets, and loads.
    pub fn golden_quiet(shmem: Shmem, at: SymPtr<u32>, other: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.p(at, 7, pe)?;
        shmem.quiet()?;
        let seen = shmem.g(other, pe)?;
        shmem.p(other, seen + 1, pe)
    }

    /// Fences by a warp.
    pub fn golden_fence_warp(shmem: Shmem, at: SymPtr<u32>, flag: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.p(at.add(Warp.rank() as usize), 7, pe)?;
        shmem.fence_on(Warp, PeSet::All, QpSet::All)?;
        if Warp.leads() {
            shmem.p(flag, 1, pe)?;
        }
        Ok(())
    }

    /// Quiets by a block.
    pub fn golden_quiet_block(shmem: Shmem, at: SymPtr<u32>, other: SymPtr<u64>, pe: Pe) -> Result<(), Fault> {
        shmem.p(at.add(thread_in_block()), 7, pe)?;
        shmem.quiet_on(Block, PeSet::All, QpSet::All)?;
        if Block.leads() {
            let seen = shmem.g(other, pe)?;
            shmem.p(other, seen + 1, pe)?;
        }
        Ok(())
    }

    /// Makes a barrier of all PEs by a block.
    pub fn golden_barrier_block(shmem: Shmem) -> Result<(), Fault> {
        shmem.barrier_all(Block)
    }

    /// Gets large data by a block, in units of 16 bytes.
    pub fn golden_get_block(shmem: Shmem, to: SymPtr<u64>, from: SymPtr<u64>, count: usize, pe: Pe) -> Result<(), Fault> {
        shmem.get(Block, to, from, count, pe)
    }

    /// Waits, then loads the data that the flag announced.
    pub fn golden_wait(shmem: Shmem, flag: SymPtr<u64>, at: SymPtr<u32>, pe: Pe) -> Result<(), Fault> {
        shmem.signal_wait_until(flag, Cmp::Ge, 1)?;
        shmem.p(at, shmem.local(at, 2).read(1), pe)
    }

    /// Works by one thread before and after a barrier of the block, which must stay one barrier.
    pub fn golden_one_barrier(shmem: Shmem, at: SymPtr<u32>, pe: Pe) -> Result<(), Fault> {
        let first = thread_in_block() == 0;
        if first {
            shmem.p(at, 1, pe)?;
        }
        Block.sync();
        if first {
            shmem.p(at.add(1), 2, pe)?;
        }
        Ok(())
    }

    /// Performs atomics, which are as wide as their type and have system scope.
    pub fn golden_atomics(shmem: Shmem, narrow: SymPtr<u32>, wide: SymPtr<u64>, real: SymPtr<f64>, pe: Pe) -> Result<(), Fault> {
        let a = shmem.atomic_fetch_add(narrow, 1, pe)?;
        let b = shmem.atomic_fetch_add(wide, a as u64, pe)?;
        shmem.atomic_add(real, b as f64, pe)
    }
}

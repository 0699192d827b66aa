//! The kernel of `heat`: compiled to PTX for GPUs, and linked into the program for PEs on host threads.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

use oxshmem_device::prelude::*;

kernel! {
    /// Takes `steps` steps of the heat equation on this PE's part of a rod.
    ///
    /// `even` and `odd` have this PE's cells, and at both ends one that belongs to the neighbour (the halo). Steps go
    /// from `even` to `odd`, back, and so on. `from_left` and `from_right` count the steps that those neighbours have
    /// taken. One block runs it.
    pub fn heat(
        shmem: Shmem, even: SymSlice<f64>, odd: SymSlice<f64>, steps: u64, rate: f64,
        from_left: SymPtr<u64>, from_right: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let (me, last) = (shmem.my_pe().number(), shmem.n_pes() - 1);
        let end = even.len() - 1;
        for step in span(0, steps) {
            let (from, to) = if step % 2 == 0 { (even, odd) } else { (odd, even) };

            // The ends of the halo belong to this step once the neighbours have taken as many steps as this PE.
            let heard = wait_for_neighbours(&shmem, from_left, from_right, step);
            // If a neighbour died, all threads of the block return, and none waits for another at a barrier.
            if Block.any(heard.is_err()) {
                return heard;
            }

            let (now, next) = (shmem.local(from, ..), shmem.local(to, ..));
            for i in stride(1 + thread_in_block(), end, Block.size() as usize) {
                let here = now.read(i);
                next.write(i, here + rate * (now.read(i - 1) - 2.0 * here + now.read(i + 1)));
            }
            Block.sync();

            // Each end goes into the neighbour's halo; the signal that follows it gives the number of the step.
            if me > 0 {
                let left = Pe::new(me - 1);
                let (halo, cell) = (shmem.range(to, end..)?, shmem.range(to, 1..2)?);
                shmem.put_signal(Block, halo, cell, .., Signal::set(from_right, step + 1), left)?;
            }
            if me < last {
                let right = Pe::new(me + 1);
                let (halo, cell) = (shmem.range(to, ..1)?, shmem.range(to, end - 1..end)?);
                shmem.put_signal(Block, halo, cell, .., Signal::set(from_left, step + 1), right)?;
            }
        }
        Ok(())
    }
}

/// Waits until both neighbours, where they exist, have taken `steps` steps.
#[inline(always)]
fn wait_for_neighbours(
    shmem: &Shmem,
    from_left: SymPtr<u64>,
    from_right: SymPtr<u64>,
    steps: u64,
) -> Result<(), Fault> {
    let me = shmem.my_pe().number();
    if me > 0 {
        shmem.signal_wait_until(from_left, Cmp::Ge, steps)?;
    }
    if me + 1 < shmem.n_pes() {
        shmem.signal_wait_until(from_right, Cmp::Ge, steps)?;
    }
    Ok(())
}

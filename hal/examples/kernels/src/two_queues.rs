//! The kernel of `03-quiet-on-two-qps`.

use oxshmem_device::prelude::*;

kernel! {
    /// Sends `bulk` on one queue and `words` on another to the right, and completes the words first. Then copies the
    /// words that have arrived from the left by that time from `words_in` to `early`.
    pub fn words_before_bulk(
        shmem: Shmem, bulk: SymSlice<f32>, bulk_in: SymSlice<f32>, bulk_qp: QpHandle,
        words: SymSlice<u64>, words_in: SymSlice<u64>, early: SymSlice<u64>, words_qp: QpHandle, flag: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let right = shmem.pe_after(1);
        // Both transfers are in progress when the calls return: "nbi" means nonblocking.
        shmem.qp(Qp::Custom(bulk_qp)).put_nbi(Block, bulk_in, bulk, .., right)?;
        shmem.qp(Qp::Custom(words_qp)).put_nbi(Block, words_in, words, .., right)?;

        // Completes the block's puts to the right on this one queue. The bulk may still be in flight.
        shmem.quiet_on(Block, PeSet::One(right), QpSet::Of(&[words_qp]))?;
        if Block.leads() {
            shmem.signal(Signal::set(flag, 1), right)?;
        }
        shmem.signal_wait_until(flag, Cmp::Ge, 1)?;
        let (words_in, early) = (shmem.local(words_in, ..), shmem.local(early, ..));
        for i in group_stride(Block, words_in.len()) {
            early.write(i, words_in.read(i));
        }

        // Completes the other queue.
        shmem.quiet_on(Block, PeSet::One(right), QpSet::Of(&[bulk_qp]))?;
        if Block.leads() {
            shmem.signal(Signal::set(flag, 2), right)?;
        }
        shmem.signal_wait_until(flag, Cmp::Ge, 2)?;
        Ok(())
    }
}

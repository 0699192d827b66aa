//! Of `03-quiet-on-two-qps`.

use oxshmem_device::prelude::*;

kernel! {
    /// Sends `bulk` (`n` elements) on one queue and `words` (`m` elements) on another to the right, and
    /// completes the words first. What has come from the left by then is copied from `words_in` to `early`.
    pub fn words_before_bulk(
        shmem: Shmem, bulk: SymPtr<f32>, bulk_in: SymPtr<f32>, n: usize, bulk_qp: QpHandle,
        words: SymPtr<u64>, words_in: SymPtr<u64>, early: SymPtr<u64>, m: usize, words_qp: QpHandle, flag: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let right = shmem.pe_after(1);
        // Both are on their way when the calls return: "nbi" is nonblocking.
        shmem.qp(Qp::Custom(bulk_qp)).put_nbi(Block, bulk_in, bulk, n, right)?;
        shmem.qp(Qp::Custom(words_qp)).put_nbi(Block, words_in, words, m, right)?;

        // Completes what the block put to the right on this one queue. The bulk need not have arrived.
        shmem.quiet_on(Block, PeSet::One(right), QpSet::Of(&[words_qp]))?;
        if Block.leads() {
            shmem.signal_op(flag, 1, SignalOp::Set, right)?;
        }
        shmem.signal_wait_until(flag, Cmp::Ge, 1)?;
        let (words_in, early) = (shmem.local(words_in, m), shmem.local(early, m));
        let mut i = thread_in_block();
        while i < m {
            early.write(i, words_in.read(i));
            i += Block.size() as usize;
        }

        // And now the other queue.
        shmem.quiet_on(Block, PeSet::One(right), QpSet::Of(&[bulk_qp]))?;
        if Block.leads() {
            shmem.signal_op(flag, 2, SignalOp::Set, right)?;
        }
        shmem.signal_wait_until(flag, Cmp::Ge, 2)?;
        Ok(())
    }
}

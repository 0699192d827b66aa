//! The kernel of `05-sample-sort`.

use oxshmem_device::prelude::*;

kernel! {
    /// Sends each PE its bucket of `keys`, on the three queues in turn, and waits for the buckets of all PEs.
    ///
    /// Bucket `i` is elements `cuts[i]..cuts[i + 1]` and goes to PE `i`, from element `places[i]` of its `inbox` on.
    /// That PE's `arrived[j]` is 1 when the bucket of PE `j` is there. One block runs it.
    pub fn send_buckets(
        shmem: Shmem, keys: SymSlice<u64>, inbox: SymSlice<u64>, cuts: SymSlice<u64>, places: SymSlice<u64>,
        arrived: SymSlice<u64>, qp_a: QpHandle, qp_b: QpHandle, qp_c: QpHandle,
    ) -> Result<(), Fault> {
        let (cuts, places) = (shmem.local(cuts, ..), shmem.local(places, ..));
        let here = shmem.element(arrived, shmem.my_pe().number() as usize)?;
        for turn in span(0, shmem.n_pes()) {
            // Each PE begins with another one, so that no PE gets all buckets at once.
            let pe = shmem.pe_after(turn);
            let to = pe.number() as usize;
            let bucket = shmem.range(keys, cuts.read(to) as usize..cuts.read(to + 1) as usize)?;
            let place = places.read(to) as usize;
            let room = shmem.range(inbox, place..place + bucket.len())?;
            let qp = match turn % 3 {
                0 => qp_a,
                1 => qp_b,
                _ => qp_c,
            };
            shmem.qp(Qp::Custom(qp)).put_signal_nbi(Block, room, bucket, .., Signal::set(here, 1), pe)?;
        }
        for flag in arrived.iter() {
            shmem.signal_wait_until(flag, Cmp::Eq, 1)?;
        }
        // Completes this PE's own puts.
        shmem.quiet_on(Block, PeSet::All, QpSet::Of(&[qp_a, qp_b, qp_c]))
    }
}

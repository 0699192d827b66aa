//! Reductions to the largest value and its index.

use oxshmem_device_api::Block;

use crate::teams::{either, meets_by_load_store, status};

export! {
    /// Finds, for each of `count` elements, the largest value of all members and its index, by a block. An element is a
    /// value and an index, both `double`. Of equal values the smaller index wins.
    oxshmem_maxloc_f64_block(team: i32, dest: *mut f64, source: *const f64, count: usize) -> i32, if meets_by_load_store(team) =>
    shmem, on => {
        let (dest, source) = (shmem.symmetric(dest).cast::<u64>(), shmem.symmetric(source).cast::<u64>());
        let reduced = |team| shmem.team(team).reduce_maxloc::<f64, f64, Block>(Block, dest, source, count);
        status(either(team).map(reduced))
    };
}

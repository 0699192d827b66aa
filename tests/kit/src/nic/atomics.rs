//! Masked atomics.

use oxshmem_rdma::mlx5::{
    OPMOD_EXT_32, OPMOD_EXT_64, masked_compare_swap_32, masked_compare_swap_64, masked_compare_swap_64_masks,
    masked_fetch_add_32, masked_fetch_add_64, opcode,
};
use oxshmem_transport_ibgda::state::flags;

use super::queue::{NicBench, NicQueue};
use crate::moves::{Atomic, WORDS, apply};
use crate::report::{Outcome, noted, skipped};

/// Checks masked atomics on words of 4 or 8 bytes.
pub(super) fn masked(bench: &mut NicBench, bytes: usize) -> Outcome {
    let is_short = bytes == 4;
    let (flag, opmod, all, order) = match is_short {
        true => (flags::MASKED_32, OPMOD_EXT_32, u32::MAX.into(), "; results are big-endian"),
        false => (flags::MASKED_64, OPMOD_EXT_64, u64::MAX, ""),
    };
    if bench.queue.nic.flags() & flag == 0 {
        let instead = if is_short { "compare-swap of 8 bytes" } else { "compare-swap" };
        return skipped(format!("the NIC has none of {bytes} bytes; the transport uses {instead} in their place"));
    }
    let add_within = |add: u64, boundaries: u64| match is_short {
        true => masked_fetch_add_32(add as u32, boundaries as u32),
        false => masked_fetch_add_64(add, boundaries),
    };
    for i in 0..WORDS {
        let mut word = || bench.numbers.next() & all;
        let (old, add, swap, swap_mask, compare_mask) = (word(), word(), word(), word(), word());
        // It matches only if the masked bits are those of the word.
        let compare = all & if i % 2 == 0 { old & compare_mask | !compare_mask & swap } else { !old };
        let matches = (old ^ compare) & compare_mask == 0;
        let swapped = if matches { old & !swap_mask | swap & swap_mask } else { old };
        let swap = match is_short {
            true => {
                let [swap, compare, swap_mask, compare_mask] =
                    [swap, compare, swap_mask, compare_mask].map(|word| word as u32);
                vec![masked_compare_swap_32(swap, compare, swap_mask, compare_mask)]
            }
            false => {
                vec![masked_compare_swap_64(swap, compare), masked_compare_swap_64_masks(swap_mask, compare_mask)]
            }
        };
        for (what, code, segments, after) in [
            ("masked fetch-add", opcode::MASKED_FA, vec![add_within(add, 0)], old.wrapping_add(add) & all),
            ("exclusive or", opcode::MASKED_FA, vec![add_within(add, all)], old ^ add),
            ("masked compare-swap", opcode::MASKED_CS, swap, swapped),
        ] {
            let what = &format!("{what} of {bytes} bytes");
            apply(bench, Atomic { what, bytes, old, after }, |bench, at, to| {
                let NicQueue { pair, own, target, .. } = &mut bench.queue;
                let ends = [vec![target.remote(at)], segments, vec![own.local(to, bytes)]];
                pair.poster.execute(opmod, code, &ends.concat())
            })?;
        }
    }
    bench.check_all(&format!("masked atomics of {bytes} bytes"))?;
    noted(format!("add, exclusive or and compare-swap of {WORDS} words{order}"))
}

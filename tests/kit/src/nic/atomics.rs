//! Atomics: the new value in the target, and the old value that returns.

use oxshmem_rdma::mlx5::{
    OPMOD_EXT_32, OPMOD_EXT_64, Segment, compare_swap, fetch_add, masked_compare_swap_32, masked_compare_swap_64,
    masked_compare_swap_64_masks, masked_fetch_add_32, masked_fetch_add_64, opcode,
};
use oxshmem_transport_ibgda::state::flags;

use super::bench::Bench;
use super::checked_memory::hex;
use super::wrong;
use crate::report::{Fine, Outcome, noted, skipped};

/// The number of words on which each operation is tried.
const WORDS: usize = 64;

const OTHER_ORDER: &str = "its bytes come in the other order, so that users would get wrong values: report the NIC's model \
                           and firmware";
const OTHER_FORM: &str = "this operation is another one on this NIC than on those known: compare with the line of the verbs \
                          queue pair, and report the NIC's model and firmware";

/// An atomic operation on a word of `bytes` bytes, and its effect.
struct Atomic<'a> {
    what: &'a str,
    bytes: usize,
    opmod: u8,
    code: u8,
    segments: Vec<Segment>,
    old: u64,
    after: u64,
}

pub(super) fn add(bench: &mut Bench) -> Outcome {
    for _ in 0..WORDS {
        let (old, add) = (bench.numbers.next(), bench.numbers.next());
        let (code, segments, after) = (opcode::ATOMIC_FA, vec![fetch_add(add)], old.wrapping_add(add));
        apply(bench, Atomic { what: "fetch-add of 8 bytes", bytes: 8, opmod: 0, code, segments, old, after })?;
    }
    bench.check_all("fetch-add")?;
    noted(format!("{WORDS} words"))
}

pub(super) fn swap(bench: &mut Bench) -> Outcome {
    for i in 0..WORDS {
        let (old, new) = (bench.numbers.next(), bench.numbers.next());
        // Every other operation compares with a value that differs in one bit.
        let compare = if i % 2 == 0 { old } else { old ^ 1 << (i % 64) };
        let after = if compare == old { new } else { old };
        let (code, segments) = (opcode::ATOMIC_CS, vec![compare_swap(compare, new)]);
        apply(bench, Atomic { what: "compare-swap of 8 bytes", bytes: 8, opmod: 0, code, segments, old, after })?;
    }
    bench.check_all("compare-swap")?;
    noted(format!("{WORDS} words, half of them with a match"))
}

/// Checks masked atomics on words of 4 or 8 bytes.
pub(super) fn masked(bench: &mut Bench, bytes: usize) -> Outcome {
    let is_short = bytes == 4;
    let (flag, opmod, all, order) = match is_short {
        true => (flags::MASKED_32, OPMOD_EXT_32, u32::MAX.into(), "; results are big-endian"),
        false => (flags::MASKED_64, OPMOD_EXT_64, u64::MAX, ""),
    };
    if bench.nic.caps.flags() & flag == 0 {
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
            apply(bench, Atomic { what, bytes, opmod, code, segments, old, after })?;
        }
    }
    bench.check_all(&format!("masked atomics of {bytes} bytes"))?;
    noted(format!("add, exclusive or and compare-swap of {WORDS} words{order}"))
}

/// Applies the operation to a word with the value `old`, and checks both ends.
fn apply(bench: &mut Bench, atomic: Atomic<'_>) -> Fine<()> {
    let Atomic { what, bytes, opmod, code, segments, old, after } = atomic;
    let (at, to) = (bench.place(bytes, bytes), bench.place(bytes, bytes));
    bench.target.set(at, &old.to_le_bytes()[..bytes])?;
    let mut all = vec![bench.target.remote(at)];
    all.extend(segments);
    all.push(bench.own.local(to, bytes));
    bench.pair.poster.execute(opmod, code, &all)?;
    // The old value arrives as it is in memory; that of extended operations on 4 bytes arrives big-endian.
    let back = match bytes {
        4 => (old as u32).to_be_bytes().to_vec(),
        _ => old.to_le_bytes().to_vec(),
    };
    let mut swapped = bench.own.read(to, bytes)?;
    swapped.reverse();
    if swapped == back {
        swapped.reverse();
        return Err(wrong(format!("{what}, the old value"), hex(&back), hex(&swapped), OTHER_ORDER));
    }
    bench.target.expect(at, &after.to_le_bytes()[..bytes]);
    bench.own.expect(to, &back);
    bench.target.check_or(&format!("{what}, the new value"), at, bytes, OTHER_FORM)?;
    bench.own.check_or(&format!("{what}, the old value"), to, bytes, OTHER_FORM)
}

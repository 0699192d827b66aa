//! Atomics: the new value in the target, and the old value that returns.

use oxshmem_core::host::Result;
use oxshmem_rdma::mlx5::{
    OPMOD_EXT_32, OPMOD_EXT_64, Segment, compare_swap, fetch_add, masked_compare_swap_32, masked_compare_swap_64,
    masked_compare_swap_64_masks, masked_fetch_add_32, masked_fetch_add_64, opcode,
};
use oxshmem_transport_ibgda::state::flags;

use super::bench::Bench;
use super::checked_memory::hex;
use super::report::{CheckFailure, Outcome, passed, skipped};

/// The number of words on which each operation is tried.
const WORDS: usize = 64;

const OTHER_ORDER: &str = "its bytes come in the other order, so that users would get wrong values: report the NIC's model \
                           and firmware";
const OTHER_FORM: &str = "this operation is another one on this NIC than on those known: compare with the line of the verbs \
                          queue pair, and report the NIC's model and firmware";

/// An atomic operation, and its expected result.
struct AtomicCase {
    what: &'static str,
    opmod: u8,
    code: u8,
    segments: Vec<Segment>,
    after: u64,
}

pub(super) fn add(bench: &mut Bench) -> Outcome {
    for _ in 0..WORDS {
        let (old, add) = (bench.numbers.next(), bench.numbers.next());
        let after = old.wrapping_add(add);
        let segments = vec![fetch_add(add)];
        apply(
            bench,
            8,
            old,
            AtomicCase { what: "fetch-add of 8 bytes", opmod: 0, code: opcode::ATOMIC_FA, segments, after },
        )?;
    }
    bench.check_all("fetch-add")?;
    passed(format!("{WORDS} words"))
}

pub(super) fn swap(bench: &mut Bench) -> Outcome {
    for i in 0..WORDS {
        let (old, new) = (bench.numbers.next(), bench.numbers.next());
        // Every other operation compares with a value that differs in one bit.
        let compare = if i % 2 == 0 { old } else { old ^ 1 << (i % 64) };
        let after = if compare == old { new } else { old };
        let what = "compare-swap of 8 bytes";
        let segments = vec![compare_swap(compare, new)];
        apply(bench, 8, old, AtomicCase { what, opmod: 0, code: opcode::ATOMIC_CS, segments, after })?;
    }
    bench.check_all("compare-swap")?;
    passed(format!("{WORDS} words, half of them with a match"))
}

pub(super) fn masked_4(bench: &mut Bench) -> Outcome {
    if bench.nic.caps.flags() & flags::MASKED_32 == 0 {
        return skipped("the NIC has none of 4 bytes; the transport uses compare-swap of 8 bytes in their place");
    }
    let opmod = OPMOD_EXT_32;
    for i in 0..WORDS {
        let mut word = || bench.numbers.next() as u32;
        let (old, add, swap, swap_mask, compare_mask) = (word(), word(), word(), word(), word());
        // It matches only if the masked bits are those of the word.
        let compare = if i % 2 == 0 { old & compare_mask | !compare_mask & swap } else { !old };
        let matches = (old ^ compare) & compare_mask == 0;
        let swapped = if matches { old & !swap_mask | swap & swap_mask } else { old };
        let cases = [
            ("masked fetch-add of 4 bytes", opcode::MASKED_FA, masked_fetch_add_32(add, 0), old.wrapping_add(add)),
            ("exclusive or of 4 bytes", opcode::MASKED_FA, masked_fetch_add_32(add, u32::MAX), old ^ add),
            (
                "masked compare-swap of 4 bytes",
                opcode::MASKED_CS,
                masked_compare_swap_32(swap, compare, swap_mask, compare_mask),
                swapped,
            ),
        ];
        for (what, code, segment, after) in cases {
            let after = after.into();
            apply(bench, 4, old.into(), AtomicCase { what, opmod, code, segments: vec![segment], after })?;
        }
    }
    bench.check_all("masked atomics of 4 bytes")?;
    passed(format!("add, exclusive or and compare-swap of {WORDS} words; results are big-endian"))
}

pub(super) fn masked_8(bench: &mut Bench) -> Outcome {
    if bench.nic.caps.flags() & flags::MASKED_64 == 0 {
        return skipped("the NIC has none of 8 bytes; the transport uses compare-swap in their place");
    }
    let opmod = OPMOD_EXT_64;
    for i in 0..WORDS {
        let mut word = || bench.numbers.next();
        let (old, add, swap, swap_mask, compare_mask) = (word(), word(), word(), word(), word());
        let compare = if i % 2 == 0 { old & compare_mask | !compare_mask & swap } else { !old };
        let matches = (old ^ compare) & compare_mask == 0;
        let swapped = if matches { old & !swap_mask | swap & swap_mask } else { old };
        let masks = masked_compare_swap_64_masks(swap_mask, compare_mask);
        let cases = [
            (
                "masked fetch-add of 8 bytes",
                opcode::MASKED_FA,
                vec![masked_fetch_add_64(add, 0)],
                old.wrapping_add(add),
            ),
            ("exclusive or of 8 bytes", opcode::MASKED_FA, vec![masked_fetch_add_64(add, u64::MAX)], old ^ add),
            (
                "masked compare-swap of 8 bytes",
                opcode::MASKED_CS,
                vec![masked_compare_swap_64(swap, compare), masks],
                swapped,
            ),
        ];
        for (what, code, segments, after) in cases {
            apply(bench, 8, old, AtomicCase { what, opmod, code, segments, after })?;
        }
    }
    bench.check_all("masked atomics of 8 bytes")?;
    passed(format!("add, exclusive or and compare-swap of {WORDS} words"))
}

/// Applies the operation to a word of `bytes` bytes with the value `old`, and checks both ends.
fn apply(bench: &mut Bench, bytes: usize, old: u64, atomic: AtomicCase) -> Result<(), CheckFailure> {
    let AtomicCase { what, opmod, code, segments, after } = atomic;
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
        return Err(CheckFailure::new(format!("{what}, the old value"), hex(&back), hex(&swapped), OTHER_ORDER));
    }
    bench.target.expect(at, &after.to_le_bytes()[..bytes]);
    bench.own.expect(to, &back);
    let checked = bench.target.check(&format!("{what}, the new value"), at, bytes);
    let checked = checked.and_then(|()| bench.own.check(&format!("{what}, the old value"), to, bytes));
    checked.map_err(|failure| failure.advise(OTHER_FORM))
}

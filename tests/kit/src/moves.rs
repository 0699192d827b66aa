//! Writes, reads and atomics of 8 bytes, on a verbs device and on a NIC: the data that they move, and no other.

use crate::bench::{Bench, Op, Queue, hex};
use crate::report::{Fine, Outcome, noted, wrong};

/// Lengths in bytes: around the sizes of blocks, cache lines, packets and pieces.
const LENGTHS: [usize; 26] = [
    1, 2, 3, 4, 5, 7, 8, 12, 13, 28, 29, 63, 64, 65, 127, 255, 256, 257, 1023, 1024, 1025, 2049, 4095, 4097, 65_537,
    1_048_576,
];
/// The lengths of the messages of a divided put.
const PARTS: [usize; 5] = [4096, 4097, 1, 70_001, 333];

pub(crate) fn write<Q: Queue>(bench: &mut Bench<Q>) -> Outcome {
    for bytes in LENGTHS {
        for _ in 0..3 {
            let (from, to) = (bench.place(bytes, 1), bench.place(bytes, 1));
            let sent = bench.fill_own(from, bytes)?;
            bench.execute(Op::Write { from, bytes }, to)?;
            arrived(bench, to, &sent, "write")?;
        }
    }
    bench.check_all("writes by pointer")?;
    noted(format!("{} lengths from 1 byte to 1 MiB", LENGTHS.len()))
}

pub(crate) fn inline<Q: Queue>(bench: &mut Bench<Q>) -> Outcome {
    let (lengths, words) = bench.queue.inline_lengths();
    for bytes in lengths {
        let to = bench.place(bytes, 1);
        let sent = bench.numbers.bytes(bytes);
        bench.execute(Op::Inline(&sent), to)?;
        arrived(bench, to, &sent, "write from within the entry")?;
    }
    bench.check_all("writes from within the entry")?;
    noted(words)
}

/// Checks several messages, of which only the last requests a completion.
pub(crate) fn split<Q: Queue>(bench: &mut Bench<Q>) -> Outcome {
    let bytes = PARTS.iter().sum();
    for _ in 0..8 {
        let (from, to) = (bench.place(bytes, 1), bench.place(bytes, 1));
        let sent = bench.fill_own(from, bytes)?;
        let mut done = 0;
        for part in PARTS {
            let op = Op::Write { from: from + done, bytes: part };
            bench.queue.post(op, to + done, done + part == bytes)?;
            done += part;
        }
        bench.queue.finish()?;
        arrived(bench, to, &sent, "write in several messages")?;
    }
    bench.check_all("writes in several messages")?;
    noted(format!("{bytes} bytes in {} messages, one completion", PARTS.len()))
}

pub(crate) fn read<Q: Queue>(bench: &mut Bench<Q>) -> Outcome {
    for bytes in LENGTHS {
        for _ in 0..3 {
            let (from, to) = (bench.place(bytes, 1), bench.place(bytes, 1));
            let there = bench.numbers.bytes(bytes);
            bench.target.set(from, &there)?;
            bench.execute(Op::Read { to, bytes }, from)?;
            bench.own.expect(to, &there);
            bench.own.check(&format!("read of {bytes} bytes"), to, bytes)?;
        }
    }
    bench.check_all("reads")?;
    noted(format!("{} lengths from 1 byte to 1 MiB", LENGTHS.len()))
}

/// Checks more reads in flight than a device may have outstanding.
pub(crate) fn reads_at_once<Q: Queue>(bench: &mut Bench<Q>) -> Outcome {
    const READS: usize = 48;
    const BYTES: usize = 3000;
    for _ in 0..4 {
        let mut all = Vec::new();
        for i in 0..READS {
            let (from, to) = (i * 2 * BYTES + bench.numbers.below(BYTES), i * 2 * BYTES + bench.numbers.below(BYTES));
            let there = bench.numbers.bytes(BYTES);
            bench.target.set(from, &there)?;
            bench.queue.post(Op::Read { to, bytes: BYTES }, from, i + 1 == READS)?;
            all.push((to, there));
        }
        bench.queue.finish()?;
        for (to, there) in all {
            bench.own.expect(to, &there);
        }
        bench.check_all("reads at once")?;
    }
    noted(format!("{READS} of {BYTES} bytes behind one doorbell"))
}

fn arrived<Q>(bench: &mut Bench<Q>, to: usize, sent: &[u8], what: &str) -> Fine<()> {
    bench.target.expect(to, sent);
    bench.target.check(&format!("{what} of {} bytes", sent.len()), to, sent.len())
}

const OTHER_ORDER: &str = "its bytes come in the other order, so that users would get wrong values: report the NIC's model \
                           and firmware";
const OTHER_FORM: &str = "this operation is another one on this NIC than on those known: compare with the line of the verbs \
                          queue pair, and report the NIC's model and firmware";

/// The number of words on which each atomic is tried.
pub(crate) const WORDS: usize = 64;

/// An atomic on a word of `bytes` bytes, and its effect.
pub(crate) struct Atomic<'a> {
    pub(crate) what: &'a str,
    pub(crate) bytes: usize,
    pub(crate) old: u64,
    pub(crate) after: u64,
}

pub(crate) fn add<Q: Queue>(bench: &mut Bench<Q>) -> Outcome {
    for _ in 0..WORDS {
        let (old, add) = (bench.numbers.next(), bench.numbers.next());
        let atomic = Atomic { what: "fetch-add of 8 bytes", bytes: 8, old, after: old.wrapping_add(add) };
        apply(bench, atomic, |bench, at, to| bench.execute(Op::FetchAdd { to, add }, at))?;
    }
    bench.check_all("fetch-add")?;
    noted(format!("{WORDS} words"))
}

pub(crate) fn swap<Q: Queue>(bench: &mut Bench<Q>) -> Outcome {
    for i in 0..WORDS {
        let (old, swap) = (bench.numbers.next(), bench.numbers.next());
        // Every other operation compares with a value that differs in one bit.
        let compare = if i % 2 == 0 { old } else { old ^ 1 << (i % 64) };
        let after = if compare == old { swap } else { old };
        let atomic = Atomic { what: "compare-swap of 8 bytes", bytes: 8, old, after };
        apply(bench, atomic, |bench, at, to| bench.execute(Op::CompareSwap { to, compare, swap }, at))?;
    }
    bench.check_all("compare-swap")?;
    noted(format!("{WORDS} words, half of them with a match"))
}

/// Lets `execute` apply the atomic to a word of the target, and checks both ends. `execute` gets the offsets of the
/// word and of the place for the old value.
pub(crate) fn apply<Q>(
    bench: &mut Bench<Q>,
    atomic: Atomic<'_>,
    execute: impl FnOnce(&mut Bench<Q>, usize, usize) -> Fine<()>,
) -> Fine<()> {
    let Atomic { what, bytes, old, after } = atomic;
    let (at, to) = (bench.place(bytes, bytes), bench.place(bytes, bytes));
    bench.target.set(at, &old.to_le_bytes()[..bytes])?;
    execute(bench, at, to)?;
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

/// The name of a check on a queue, and the check.
pub(crate) type Check<Q> = (&'static str, fn(&mut Bench<Q>) -> Outcome);

/// Returns the checks of writes and reads, and those of atomics.
pub(crate) fn checks<Q: Queue>() -> ([Check<Q>; 5], [Check<Q>; 2]) {
    (
        [
            ("write by pointer", write),
            ("write from within the entry", inline),
            ("write in several messages", split),
            ("read", read),
            ("reads at once", reads_at_once),
        ],
        [("fetch-add of 8 bytes", add), ("compare-swap of 8 bytes", swap)],
    )
}

//! Writes and reads: with a data segment, with inline data, in several messages.

use oxshmem_rdma::mlx5::{Segment, inline_head, opcode};

use super::bench::Bench;
use crate::report::{Fine, Outcome, noted};

/// Lengths in bytes: around the sizes of blocks, cache lines, packets and pieces.
const LENGTHS: [usize; 26] = [
    1, 2, 3, 4, 5, 7, 8, 12, 13, 28, 29, 63, 64, 65, 127, 255, 256, 257, 1023, 1024, 1025, 2049, 4095, 4097, 65_537,
    1_048_576,
];
/// The most bytes that kernels put into an entry: the words of a warp's threads.
const INLINE: usize = 32 * 8;
/// The lengths of the messages of a divided put.
const PARTS: [usize; 5] = [4096, 4097, 1, 70_001, 333];

pub(super) fn write(bench: &mut Bench) -> Outcome {
    for bytes in LENGTHS {
        for _ in 0..3 {
            let (from, to) = (bench.place(bytes, 1), bench.place(bytes, 1));
            let sent = bench.fill_own(from, bytes)?;
            let segments = [bench.target.remote(to), bench.own.local(from, bytes)];
            bench.pair.poster.execute(0, opcode::RDMA_WRITE, &segments)?;
            arrived(bench, to, &sent, "write")?;
        }
    }
    bench.check_all("writes by pointer")?;
    noted(format!("{} lengths from 1 byte to 1 MiB", LENGTHS.len()))
}

pub(super) fn inline(bench: &mut Bench) -> Outcome {
    for bytes in (1..=64).chain((72..=INLINE).step_by(8)) {
        let to = bench.place(bytes, 1);
        let sent = bench.numbers.bytes(bytes);
        let mut segments = vec![bench.target.remote(to)];
        segments.extend(payload(&sent));
        bench.pair.poster.execute(0, opcode::RDMA_WRITE, &segments)?;
        arrived(bench, to, &sent, "write from within the entry")?;
    }
    bench.check_all("writes from within the entry")?;
    noted(format!("every length from 1 to 64 bytes, then to {INLINE}"))
}

/// Checks several messages, of which only the last requests a completion.
pub(super) fn split(bench: &mut Bench) -> Outcome {
    let bytes = PARTS.iter().sum();
    for _ in 0..8 {
        let (from, to) = (bench.place(bytes, 1), bench.place(bytes, 1));
        let sent = bench.fill_own(from, bytes)?;
        let mut done = 0;
        for part in PARTS {
            let segments = [bench.target.remote(to + done), bench.own.local(from + done, part)];
            done += part;
            bench.pair.poster.entry(0, opcode::RDMA_WRITE, &segments, done == bytes)?;
        }
        bench.pair.poster.ring()?;
        bench.pair.poster.finish()?;
        arrived(bench, to, &sent, "write in several messages")?;
    }
    bench.check_all("writes in several messages")?;
    noted(format!("{bytes} bytes in {} messages, one completion", PARTS.len()))
}

pub(super) fn read(bench: &mut Bench) -> Outcome {
    for bytes in LENGTHS {
        for _ in 0..3 {
            let (from, to) = (bench.place(bytes, 1), bench.place(bytes, 1));
            let there = bench.numbers.bytes(bytes);
            bench.target.set(from, &there)?;
            let segments = [bench.target.remote(from), bench.own.local(to, bytes)];
            bench.pair.poster.execute(0, opcode::RDMA_READ, &segments)?;
            bench.own.expect(to, &there);
            bench.own.check(&format!("read of {bytes} bytes"), to, bytes)?;
        }
    }
    bench.check_all("reads")?;
    noted(format!("{} lengths from 1 byte to 1 MiB", LENGTHS.len()))
}

/// Checks more reads in flight than the NIC may have outstanding.
pub(super) fn reads_at_once(bench: &mut Bench) -> Outcome {
    const READS: usize = 48;
    const BYTES: usize = 3000;
    for _ in 0..4 {
        let mut all = Vec::new();
        for i in 0..READS {
            let (from, to) = (i * 2 * BYTES + bench.numbers.below(BYTES), i * 2 * BYTES + bench.numbers.below(BYTES));
            let there = bench.numbers.bytes(BYTES);
            bench.target.set(from, &there)?;
            let segments = [bench.target.remote(from), bench.own.local(to, BYTES)];
            bench.pair.poster.entry(0, opcode::RDMA_READ, &segments, i + 1 == READS)?;
            all.push((to, there));
        }
        bench.pair.poster.ring()?;
        bench.pair.poster.finish()?;
        for (to, there) in all {
            bench.own.expect(to, &there);
        }
        bench.check_all("reads at once")?;
    }
    noted(format!("{READS} of {BYTES} bytes behind one doorbell"))
}

fn arrived(bench: &mut Bench, to: usize, sent: &[u8], what: &str) -> Fine<()> {
    bench.target.expect(to, sent);
    bench.target.check(&format!("{what} of {} bytes", sent.len()), to, sent.len())
}

/// Returns the segments of inline data.
pub(super) fn payload(bytes: &[u8]) -> Vec<Segment> {
    let mut padded = bytes.to_vec();
    // The length comes before the data.
    padded.resize((4 + bytes.len()).next_multiple_of(size_of::<Segment>()) - 4, 0);
    let word = |at: usize| u32::from_ne_bytes([padded[at], padded[at + 1], padded[at + 2], padded[at + 3]]);
    let double = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let head = inline_head(bytes.len() as u32, [word(0), word(4), word(8)]);
    let rest = (12..padded.len()).step_by(size_of::<Segment>()).map(|at| Segment(double(at), double(at + 8)));
    std::iter::once(head).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_stands_behind_its_length_as_it_is_in_memory() {
        for bytes in [1_usize, 12, 13, 28, 29, 256] {
            let sent: Vec<u8> = (1..=bytes).map(|i| i as u8).collect();
            let words = payload(&sent).into_iter().flat_map(|Segment(first, second)| [first, second]);
            let stored: Vec<u8> = words.flat_map(u64::to_ne_bytes).collect();
            assert_eq!(stored.len(), (4 + bytes).next_multiple_of(16));
            assert_eq!(stored[..4], (1 << 31 | bytes as u32).to_be_bytes());
            assert_eq!(stored[4..4 + bytes], sent[..]);
            assert!(stored[4 + bytes..].iter().all(|&byte| byte == 0));
        }
    }
}

//! More entries than 16 bits count, so that the index on the wire wraps several times.

use oxshmem_rdma::mlx5::opcode;

use super::payload::payload;
use super::queue::NicBench;
use crate::report::{Outcome, noted};

/// Entries between two wraps of the index.
const LAP: u64 = 1 << 16;
/// The number of words that are written in turn.
const WORDS: u64 = 4096;

/// Posts batches of random sizes with one completion each, and takes the completions' indices as kernels do:
/// [`TestPoster`](super::poster::TestPoster) refuses an index that belongs to no entry in flight.
pub(super) fn indices(bench: &mut NicBench, laps: u64) -> Outcome {
    let poster = &mut bench.queue.pair.poster;
    let (begin, most) = (poster.posted(), poster.depth().min(LAP / 2 - 1) / 2);
    let (mut batches, mut multiple, mut last) = (0u64, 0u64, vec![None; WORDS as usize]);
    let mut previous = begin;
    while poster.posted() - begin < laps * LAP {
        let batch = 1 + bench.numbers.below(most as usize - 4) as u64;
        let start = poster.posted();
        while poster.posted() - start < batch {
            let left = batch - (poster.posted() - start);
            let is_last = left <= 2;
            match bench.numbers.below(64) {
                // An entry of several blocks, which may wrap at the queue's end.
                0 => {
                    let at = (bench.numbers.below(WORDS as usize / 8) * 64) as u64;
                    let bytes = bench.numbers.bytes(64);
                    let mut segments = vec![bench.queue.target.remote(at as usize)];
                    segments.extend(payload(&bytes));
                    poster.entry(0, opcode::RDMA_WRITE, &segments, is_last)?;
                    bytes
                        .chunks_exact(8)
                        .enumerate()
                        .for_each(|(i, word)| last[at as usize / 8 + i] = Some(word.to_vec()));
                    multiple += 1;
                }
                1..8 => {
                    let word = (poster.posted() % WORDS) as usize;
                    let mut segments = vec![bench.queue.target.remote(word * 8)];
                    let value = poster.posted().to_ne_bytes();
                    segments.extend(payload(&value));
                    poster.entry(0, opcode::RDMA_WRITE, &segments, is_last)?;
                    last[word] = Some(value.to_vec());
                }
                _ => poster.entry(0, opcode::NOP, &[], is_last)?,
            }
            if is_last {
                break;
            }
        }
        poster.ring()?;
        // One batch stays in flight after this one, so that the completions of both must be distinguished.
        poster.finish_to(previous)?;
        previous = poster.posted();
        batches += 1;
    }
    poster.finish()?;
    let counted = poster.posted() - begin;
    for (word, value) in last.iter().enumerate() {
        if let Some(value) = value {
            bench.target.expect(word * 8, value);
        }
    }
    bench.check_all("after all entries")?;
    noted(format!(
        "{counted} blocks in {batches} batches, {multiple} entries of several blocks, {laps} laps of 16 bits"
    ))
}

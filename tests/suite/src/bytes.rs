//! A model of copies: memory as bytes, and tables of copies.

use oxshmem_conformance_kernels::rma::ROW;

use super::Ctx;
use super::rng::Rng;

/// A copy of `count` elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    /// First element of the destination.
    pub dest: usize,
    /// First element of the source.
    pub source: usize,
    pub count: usize,
    /// Stride in elements; 1 if not strided.
    pub dest_stride: usize,
    pub source_stride: usize,
}

/// Copies whose destinations don't overlap, and whose sources don't overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub copies: Vec<Copy>,
    /// Elements that the destinations and the sources take up, including the room after them.
    pub dest_len: usize,
    pub source_len: usize,
}

impl Plan {
    /// Appends a copy, at the next offsets that are `dest_skew` and `source_skew` modulo 16.
    pub(super) fn push(&mut self, count: usize, skews: (usize, usize), strides: (usize, usize), gap: usize) {
        let place = |at: usize, skew: usize| (at + gap).next_multiple_of(16) + skew;
        let copy = Copy {
            dest: place(self.dest_len, skews.0),
            source: place(self.source_len, skews.1),
            count,
            dest_stride: strides.0,
            source_stride: strides.1,
        };
        // After each copy there are elements that nothing may touch.
        self.dest_len = copy.dest + count * copy.dest_stride + 1 + gap;
        self.source_len = copy.source + count * copy.source_stride + 1 + gap;
        self.copies.push(copy);
    }

    /// Returns the copies in the form that kernels read.
    pub(super) fn table(&self) -> Vec<u64> {
        let row = |c: &Copy| [c.dest, c.source, c.count, c.dest_stride, c.source_stride].map(|word| word as u64);
        let table: Vec<u64> = self.copies.iter().flat_map(row).collect();
        debug_assert_eq!(table.len(), self.copies.len() * ROW);
        table
    }

    /// Applies the copies to memory of elements of `width` bytes.
    pub(super) fn apply(&self, dest: &mut [u8], source: &[u8], width: usize) {
        for copy in &self.copies {
            for i in 0..copy.count {
                let to = (copy.dest + i * copy.dest_stride) * width;
                let from = (copy.source + i * copy.source_stride) * width;
                dest[to..to + width].copy_from_slice(&source[from..from + width]);
            }
        }
    }

    /// Compares memory with the model, and describes the first copy, or the first byte beside the copies, that is
    /// wrong.
    pub(super) fn check(&self, ctx: &Ctx, what: impl FnOnce() -> String, seen: &[u8], expected: &[u8], width: usize) {
        let Some(at) = seen.iter().zip(expected).position(|(seen, expected)| seen != expected) else { return };
        let differ = seen.iter().zip(expected).filter(|(seen, expected)| seen != expected).count();
        let near = self.copies.iter().take_while(|copy| copy.dest * width <= at).last();
        let near = near.map(|copy| {
            let within = at - copy.dest * width;
            format!("byte {within} from the start of {} elements from {} to {} on", copy.count, copy.source, copy.dest)
        });
        ctx.wrong(format!(
            "{}: byte {at} is {:#04x}, where {:#04x} is expected: {} ({differ} of {} bytes differ)",
            what(),
            seen[at],
            expected[at],
            near.unwrap_or_else(|| "ahead of the first copy".into()),
            seen.len()
        ));
    }
}

/// Draws a size that is likely to be near a limit at which copies change their method.
pub(super) fn size(rng: &mut Rng, most: usize) -> usize {
    let size = match rng.below(4) {
        0 => rng.below(17),
        1 => rng.below(65),
        2 => [16, 32, 64, 128, 256, 512, 1024, 2048, 4096][rng.below(9)] + rng.below(33) - 16,
        _ => rng.below(most + 1),
    };
    size.min(most)
}

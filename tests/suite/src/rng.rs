//! Random numbers from a seed.

use oxshmem_conformance_kernels::place::bits;

/// A generator of well-mixed numbers: the same seed gives the same numbers everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self(bits(seed))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits(self.0)
    }

    /// Returns a number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns a number from `first` to `last`.
    pub(super) fn within(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Hashes a text.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns `n` random bytes.
pub(super) fn bytes(seed: u64, n: usize) -> Vec<u8> {
    (0..n.div_ceil(8) as u64).flat_map(|i| bits(seed ^ bits(i)).to_le_bytes()).take(n).collect()
}

/// Returns `n` random words.
pub(super) fn words(seed: u64, n: usize) -> Vec<u64> {
    (0..n as u64).map(|i| bits(seed ^ bits(i))).collect()
}

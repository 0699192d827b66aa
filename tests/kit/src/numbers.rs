//! Random numbers, the same ones for a seed.

/// Random numbers from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// Returns the next number (SplitMix64).
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns `count` random bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = std::iter::repeat_with(|| self.next().to_ne_bytes()).take(count.div_ceil(8));
        let mut bytes: Vec<u8> = words.flatten().collect();
        bytes.truncate(count);
        bytes
    }
}

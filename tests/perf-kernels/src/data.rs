//! Data to move, and its comparison on arrival: a stream of bytes for each seed, of which any byte can be computed
//! alone.

use oxshmem_device::prelude::*;

/// Returns word `k` of the stream that this seed makes: splitmix64.
#[inline(always)]
pub fn word(seed: u64, k: u64) -> u64 {
    let mut z = seed.wrapping_add((k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns byte `k` of the stream.
#[inline(always)]
pub fn byte(seed: u64, k: u64) -> u8 {
    (word(seed, k / 8) >> (8 * (k % 8))) as u8
}

/// The distance of a link of a chain, in elements.
pub const CHAIN_HOP: u64 = 5;

/// Words that each thread of a comparison writes: the number of different elements, and the first of them.
pub const FOUND: usize = 2;

/// Calls `same` with the numbers of this thread's elements, and stores the number of different ones and the first of
/// them.
#[inline(always)]
fn compare(shmem: &Shmem, found: SymPtr<u64>, count: u64, same: impl Fn(u64) -> bool) {
    let (mut k, step) = (thread_in_grid() as u64, threads_in_grid() as u64);
    let (mut wrong, mut first) = (0, u64::MAX);
    while k < count {
        if !same(k) {
            wrong += 1;
            first = if k < first { k } else { first };
        }
        k += step;
    }
    let found = shmem.local(found.add(FOUND * thread_in_grid()), FOUND);
    found.write(0, wrong);
    found.write(1, first);
}

kernel! {
    /// Writes the stream's words from the first on.
    pub fn fill(shmem: Shmem, at: SymPtr<u64>, words: u64, seed: u64) {
        let to = shmem.local(at, words as usize);
        let (mut k, step) = (thread_in_grid() as u64, threads_in_grid() as u64);
        while k < words {
            to.write(k as usize, word(seed, k));
            k += step;
        }
    }

    /// Writes the same word everywhere.
    pub fn paint(shmem: Shmem, at: SymPtr<u64>, words: u64, value: u64) {
        let to = shmem.local(at, words as usize);
        let (mut k, step) = (thread_in_grid() as u64, threads_in_grid() as u64);
        while k < words {
            to.write(k as usize, value);
            k += step;
        }
    }

    /// Makes a chain of words, `stride` bytes apart: each is `start` and the offset of the next, [`CHAIN_HOP`] further
    /// on.
    pub fn chain(shmem: Shmem, at: SymPtr<u64>, count: u64, stride: u64, start: u64) {
        let apart = (stride / 8) as usize;
        let to = shmem.local(at, count as usize * apart);
        let (mut k, step) = (thread_in_grid() as u64, threads_in_grid() as u64);
        while k < count {
            // The hop is shorter than the chain.
            let next = k + CHAIN_HOP;
            let next = if next < count { next } else { next - count };
            to.write(k as usize * apart, start + next * stride);
            k += step;
        }
    }

    /// Compares bytes with the stream from its byte `from` on.
    pub fn compare_bytes(shmem: Shmem, at: SymPtr<u8>, bytes: u64, seed: u64, from: u64, found: SymPtr<u64>) {
        let data = shmem.local(at, bytes as usize);
        compare(&shmem, found, bytes, |k| data.read(k as usize) == byte(seed, from + k));
    }

    /// Compares words of 4 bytes, `stride` bytes apart: word k should be `first + k * step`.
    pub fn compare_words_u32(
        shmem: Shmem, at: SymPtr<u32>, count: u64, stride: u64, first: u32, step: u32, found: SymPtr<u64>
    ) {
        let apart = (stride / 4) as usize;
        let data = shmem.local(at, count as usize * apart);
        let should = |k: u64| first.wrapping_add((k as u32).wrapping_mul(step));
        compare(&shmem, found, count, |k| data.read(k as usize * apart) == should(k));
    }

    /// Compares words of 8 bytes, `stride` bytes apart, with one value.
    pub fn compare_words_u64(
        shmem: Shmem, at: SymPtr<u64>, count: u64, stride: u64, value: u64, found: SymPtr<u64>
    ) {
        let apart = (stride / 8) as usize;
        let data = shmem.local(at, count as usize * apart);
        compare(&shmem, found, count, |k| data.read(k as usize * apart) == value);
    }
}

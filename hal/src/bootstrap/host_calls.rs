//! Collective calls of the PEs of one host, in memory that they share.
//!
//! A call takes this way if all PEs arrive at it soon after one another, with the same kind and step and with short
//! blobs. Every other call is the root's, which knows whom to blame: calls that differ, PEs that are late or dead, long
//! blobs, refusals, file descriptors. For each call the PEs decide once which of the two ways it takes:
//!
//! 1. A PE writes its call to its slot and counts itself. Each PE has two slots, used in turn: it can be one call ahead
//!    of a PE that still reads.
//! 2. The last PE compares all slots. If they are alike, it decides for this way.
//! 3. The others wait for the decision. A PE that has waited for [`PATIENCE`], and a PE with a call that only the root
//!    can make, decides for the root. The decision is one compare-and-swap, so that all PEs take the same way.
//! 4. A PE that finds a decision about a later call is so late that the others gave up: its call is the root's too.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use oxshmem_core::Result;
use oxshmem_raw::os::futex;
use oxshmem_raw::os::shm::{SharedWords, ShmChunk, granularity};

use super::frame::Op;

/// The time after which a call that is not complete becomes the root's.
const PATIENCE: Duration = Duration::from_millis(20);
/// The time for which a PE that has a core looks for the decision before it sleeps.
const SPIN: Duration = Duration::from_micros(100);
/// Looks between two looks at the clock.
const LOOKS: u32 = 64;

/// Number of calls whose decisions are kept.
const DECISIONS: usize = 16;
/// Words of a decision, in cache lines of its own: the decision and the number of sleepers, then the number of PEs that
/// have arrived.
const DECISION_WORDS: usize = 64;
const SLEEPERS: usize = 1;
const ARRIVED: usize = 32;

/// Words of a slot: stamp, kind and length of the step, length of the blob, then step and blob.
const SLOT_WORDS: usize = 128;
const SLOT_HEAD: usize = 3;
/// The longest step and blob together, in bytes.
const SLOT_BYTES: usize = 4 * (SLOT_WORDS - SLOT_HEAD);

/// The decision about a call, in the low bits of its word. The bits above have the call's number.
const ALIKE: u32 = 1;
const ROOT: u32 = 2;
const NUMBER_SHIFT: u32 = 2;

/// One PE's end.
#[derive(Debug)]
pub(super) struct HostCalls {
    memory: Arc<SharedWords>,
    pe: usize,
    n_pes: usize,
    /// Whether each PE has a core to itself, so that it may look for the decision without sleeping.
    spins: bool,
    /// Number of the next call. The caller makes one call at a time.
    next: AtomicU64,
}

impl HostCalls {
    /// Creates the memory for `n_pes` PEs.
    pub(super) fn create(n_pes: u32) -> Result<ShmChunk> {
        ShmChunk::create(Self::bytes(n_pes))
    }

    /// Returns the size in bytes of the memory for `n_pes` PEs.
    pub(super) fn bytes(n_pes: u32) -> usize {
        let words = DECISIONS * DECISION_WORDS + 2 * SLOT_WORDS * n_pes as usize;
        (words * size_of::<AtomicU32>()).next_multiple_of(granularity())
    }

    /// Returns the end of a PE. `spins`: see the field.
    pub(super) fn new(memory: Arc<SharedWords>, pe: u32, n_pes: u32, spins: bool) -> Self {
        Self { memory, pe: pe as usize, n_pes: n_pes as usize, spins, next: AtomicU64::new(0) }
    }

    /// Makes this PE's next call: returns every PE's blob, indexed by PE, or none if the call carries none. `None`: all
    /// PEs make the call at the root.
    pub(super) fn make(&self, op: Op, step: &str, blob: &[u8]) -> Option<Vec<Vec<u8>>> {
        let is_short = matches!(op, Op::Gather | Op::Barrier | Op::Agree) && step.len() + blob.len() <= SLOT_BYTES;
        if !is_short {
            self.leave_to_root();
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.write(number, op, step, blob);
        if self.arrive(number)? {
            let alike = (0..self.n_pes).all(|pe| self.is_alike(number, pe, op, step));
            self.decide(number, if alike { ALIKE } else { ROOT });
        }
        if self.wait(number) == ROOT {
            return None;
        }
        match op {
            Op::Barrier => Some(Vec::new()),
            _ => (0..self.n_pes).map(|pe| self.read(number, pe, step.len())).collect(),
        }
    }

    /// Leaves this PE's next call, and with it every PE's, to the root.
    pub(super) fn leave_to_root(&self) {
        self.decide(self.next.fetch_add(1, Ordering::Relaxed), ROOT);
    }

    fn words(&self, number: u64) -> &[AtomicU32] {
        &self.memory.words()[number as usize % DECISIONS * DECISION_WORDS..][..DECISION_WORDS]
    }

    fn slot(&self, number: u64, pe: usize) -> &[AtomicU32] {
        let slot = 2 * pe + (number & 1) as usize;
        &self.memory.words()[DECISIONS * DECISION_WORDS + slot * SLOT_WORDS..][..SLOT_WORDS]
    }

    /// Writes this PE's call to its slot. A reader that is a whole call late sees by the stamp that the slot has
    /// another call.
    fn write(&self, number: u64, op: Op, step: &str, blob: &[u8]) {
        let slot = self.slot(number, self.pe);
        slot[0].store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        slot[1].store(head(op, step), Ordering::Relaxed);
        slot[2].store(blob.len() as u32, Ordering::Relaxed);
        let mut bytes = step.bytes().chain(blob.iter().copied());
        for word in &slot[SLOT_HEAD..][..(step.len() + blob.len()).div_ceil(4)] {
            let four = std::array::from_fn(|_| bytes.next().unwrap_or(0));
            word.store(u32::from_le_bytes(four), Ordering::Relaxed);
        }
        slot[0].store(stamp(number), Ordering::Release);
    }

    /// Counts this PE. Returns whether it is the last; `None` if the others have given the call up.
    fn arrive(&self, number: u64) -> Option<bool> {
        let arrived = &self.words(number)[ARRIVED];
        // The upper half of the word says of which lap of the decisions the count is.
        let lap = (number / DECISIONS as u64) as u16;
        let count_of = |word: u32| match (lap.wrapping_sub((word >> 16) as u16) as i16).signum() {
            0 => Some((word & 0xffff) + 1),
            1 => Some(1),
            _ => None,
        };
        let counted = arrived.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |word| {
            count_of(word).map(|count| u32::from(lap) << 16 | count)
        });
        counted.ok().and_then(count_of).map(|count| count as usize == self.n_pes)
    }

    fn is_alike(&self, number: u64, pe: usize, op: Op, step: &str) -> bool {
        let slot = self.slot(number, pe);
        if slot[0].load(Ordering::Acquire) != stamp(number) || slot[1].load(Ordering::Relaxed) != head(op, step) {
            return false;
        }
        bytes_of(slot, 0..step.len()).eq(step.bytes())
    }

    /// Reads the blob of `pe` in a call whose slots are alike. `None`: the slot has a later call by now, because the
    /// others gave the next call up without this PE.
    fn read(&self, number: u64, pe: usize, step_bytes: usize) -> Option<Vec<u8>> {
        let slot = self.slot(number, pe);
        let blob_bytes = (slot[2].load(Ordering::Relaxed) as usize).min(SLOT_BYTES - step_bytes);
        let blob = bytes_of(slot, step_bytes..step_bytes + blob_bytes).collect();
        fence(Ordering::Acquire);
        (slot[0].load(Ordering::Relaxed) == stamp(number)).then_some(blob)
    }

    /// Returns the decision about a call, if there is one.
    fn decision(&self, number: u64) -> Option<u32> {
        let ahead = self.words(number)[0].load(Ordering::SeqCst).wrapping_sub(tag(number)) as i32;
        match ahead {
            ..=0 => None,
            1 => Some(ALIKE),
            // Or a decision about a later call: the others gave this one up.
            _ => Some(ROOT),
        }
    }

    /// Decides about a call, unless it is decided, and wakes the sleepers.
    fn decide(&self, number: u64, decision: u32) {
        let words = self.words(number);
        let decided = words[0].fetch_update(Ordering::SeqCst, Ordering::SeqCst, |word| {
            (word.wrapping_sub(tag(number)) as i32 <= 0).then_some(tag(number) | decision)
        });
        // A thread counts itself as a sleeper, and then looks at the decision; here it is the other way around.
        if decided.is_ok() && words[SLEEPERS].load(Ordering::SeqCst) != 0 {
            futex::wake_all(&words[0]);
        }
    }

    /// Waits for the decision.
    fn wait(&self, number: u64) -> u32 {
        let start = Instant::now();
        let spin = if self.spins { SPIN } else { Duration::ZERO };
        loop {
            for _ in 0..LOOKS {
                if let Some(decision) = self.decision(number) {
                    return decision;
                }
                spin_loop();
            }
            if start.elapsed() >= spin {
                break;
            }
        }
        let words = self.words(number);
        words[SLEEPERS].fetch_add(1, Ordering::SeqCst);
        let decision = loop {
            let seen = words[0].load(Ordering::SeqCst);
            if let Some(decision) = self.decision(number) {
                break decision;
            }
            match PATIENCE.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
                Some(left) => futex::wait(&words[0], seen, left),
                None => self.decide(number, ROOT),
            }
        };
        words[SLEEPERS].fetch_sub(1, Ordering::SeqCst);
        decision
    }
}

/// The word of an undecided call. A word that is not above it, as numbers wrap, is of this or an earlier call.
fn tag(number: u64) -> u32 {
    (number as u32) << NUMBER_SHIFT
}

/// The stamp of a slot with this call. It is never 0, which marks a slot that is being written.
fn stamp(number: u64) -> u32 {
    (number as u32) << 1 | 1
}

fn head(op: Op, step: &str) -> u32 {
    op as u32 | (step.len() as u32) << 8
}

/// Returns bytes of step and blob.
fn bytes_of(slot: &[AtomicU32], range: std::ops::Range<usize>) -> impl Iterator<Item = u8> {
    range.map(move |at| slot[SLOT_HEAD + at / 4].load(Ordering::Relaxed).to_le_bytes()[at % 4])
}

#[cfg(test)]
#[path = "tests/host_calls.rs"]
mod tests;

//! Collective calls of the PEs of one host, in memory that they share.
//!
//! A call is made in shared memory if all PEs arrive at it soon after one another, with the same kind and step and with
//! short blobs. The root makes every other call, because it can name the PE at fault: calls that differ, PEs that are
//! late or dead, long blobs, refusals, file descriptors. For each call the PEs decide once between shared memory and
//! the root:
//!
//! 1. A PE announces that it has begun the call, writes the call to its slot, and counts itself.
//! 2. The last PE compares all slots. If they are alike, it decides for shared memory, and each PE reads all slots.
//! 3. The other PEs wait for the decision. A PE that has waited long enough, and a PE with a call that only the root
//!    can make, decides for the root. The decision is one compare-and-swap, so that it is the same for all PEs.
//!
//! Each PE has two slots, used in turn. A PE may write to a slot when no PE still reads the call before the last in it.
//! After a call in shared memory no PE does: all had arrived at it. After a call at the root a PE may, because the root
//! ends a failed call before all have come. A PE then checks whether every other PE has begun the last call; if not,
//! its own call is made at the root too.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;
use oxshmem_core::Result;
use oxshmem_raw::os::futex;
use oxshmem_raw::os::shm::{SharedWords, ShmChunk, granularity};

use crate::bootstrap::frame::Op;

/// The time after which a call that is not complete is made at the root, or half of the limit if that is less.
const DECISION_LIMIT: Duration = Duration::from_millis(20);
/// The time for which a PE that has a core looks for the decision before it sleeps.
const SPIN: Duration = Duration::from_micros(100);
/// Polls between two readings of the clock.
const LOOKS: u32 = 64;

/// Number of calls whose decisions are kept: a power of two.
const DECISIONS: u32 = 16;
/// Words of a decision, in cache lines of its own: the decision and the number of sleepers, then the number of PEs that
/// have arrived.
const DECISION_WORDS: usize = 64;
const SLEEPERS: usize = 1;
const ARRIVED: usize = 32;

/// Words of a PE's announcement: the number of calls that it has begun, in a cache line of its own.
const BEGUN_WORDS: usize = 16;

/// Words of a slot: kind and length of the step, length of the blob, then step and blob.
const SLOT_WORDS: usize = 128;
const SLOT_HEAD: usize = 2;
/// The longest step and blob together, in bytes.
const SLOT_BYTES: usize = 4 * (SLOT_WORDS - SLOT_HEAD);

/// The decision about a call, in the low bits of its word. The bits above have the call's number.
const ALIKE: u32 = 1;
const ROOT: u32 = 2;
const NUMBER_SHIFT: u32 = 2;

/// One PE's end. Numbers of calls wrap.
#[derive(Debug)]
pub(crate) struct HostCalls {
    memory: Arc<SharedWords>,
    pe: usize,
    n_pes: usize,
    /// Whether each PE has a core to itself, so that it may look for the decision without sleeping.
    spins: bool,
    decision_limit: Duration,
    /// Number of the next call. The caller makes one call at a time.
    next: AtomicU32,
    /// Whether the last call was made in shared memory, or there was none.
    was_alike: AtomicBool,
}

impl HostCalls {
    /// Creates the memory for `n_pes` PEs.
    pub(crate) fn create(n_pes: u32) -> Result<ShmChunk> {
        ShmChunk::create(Self::bytes(n_pes))
    }

    /// Returns the size in bytes of the memory for `n_pes` PEs.
    pub(crate) fn bytes(n_pes: u32) -> usize {
        let of_pes = n_pes as usize * (BEGUN_WORDS + 2 * SLOT_WORDS);
        ((DECISIONS as usize * DECISION_WORDS + of_pes) * size_of::<AtomicU32>()).next_multiple_of(granularity())
    }

    /// Returns the end of a PE whose calls have this limit. `spins`: see the field.
    pub(crate) fn new(memory: Arc<SharedWords>, pe: u32, n_pes: u32, spins: bool, limit: Option<Duration>) -> Self {
        let decision_limit = limit.map_or(DECISION_LIMIT, |limit| DECISION_LIMIT.min(limit / 2));
        let (next, was_alike) = (AtomicU32::new(0), AtomicBool::new(true));
        Self { memory, pe: pe as usize, n_pes: n_pes as usize, spins, decision_limit, next, was_alike }
    }

    /// Makes this PE's next call: returns every PE's blob, indexed by PE, or none if the call carries none. `None`:
    /// this PE makes the call at the root, and so does every other PE that makes it.
    pub(crate) fn make(&self, op: Op, step: &str, blob: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (number, was_alike) = self.begin();
        let is_short = matches!(op, Op::Gather | Op::Barrier | Op::Agree) && step.len() + blob.len() <= SLOT_BYTES;
        if !is_short || !(was_alike || self.all_have_begun(number.wrapping_sub(1))) {
            self.leave(number, was_alike);
            return None;
        }
        self.write(number, op, step, blob);
        if self.arrive(number) {
            let alike = (0..self.n_pes).all(|pe| self.is_alike(number, pe, op, step));
            self.decide(number, if alike { ALIKE } else { ROOT });
        }
        if self.wait(number) == ROOT {
            return None;
        }
        self.was_alike.store(true, Ordering::Relaxed);
        Some(match op {
            Op::Barrier => Vec::new(),
            _ => (0..self.n_pes).map(|pe| self.read(number, pe, step.len())).collect(),
        })
    }

    /// Leaves this PE's next call, and with it every PE's, to the root.
    pub(crate) fn leave_to_root(&self) {
        let (number, was_alike) = self.begin();
        self.leave(number, was_alike);
    }

    /// Announces the next call. Returns its number, and whether the call before was made in shared memory.
    fn begin(&self) -> (u32, bool) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        // After this PE's reads of the slots of earlier calls.
        self.begun(self.pe).store(number.wrapping_add(1), Ordering::Release);
        (number, self.was_alike.swap(false, Ordering::Relaxed))
    }

    /// Returns whether every PE has begun the call `number`, and so ended all calls before.
    fn all_have_begun(&self, number: u32) -> bool {
        let has = |pe| self.begun(pe).load(Ordering::Acquire).wrapping_sub(number.wrapping_add(1)) as i32 >= 0;
        (0..self.n_pes).all(has)
    }

    /// Decides for the root, unless another PE may still poll the word of the decision for an earlier call. The PEs
    /// that wait for this call then decide by themselves later.
    fn leave(&self, number: u32, was_alike: bool) {
        if was_alike || self.all_have_begun(number.wrapping_sub(DECISIONS - 1)) {
            self.decide(number, ROOT);
        }
    }

    fn begun(&self, pe: usize) -> &AtomicU32 {
        &self.memory.words()[DECISIONS as usize * DECISION_WORDS + pe * BEGUN_WORDS]
    }

    fn words(&self, number: u32) -> &[AtomicU32] {
        &self.memory.words()[(number % DECISIONS) as usize * DECISION_WORDS..][..DECISION_WORDS]
    }

    fn slot(&self, number: u32, pe: usize) -> &[AtomicU32] {
        let slot = 2 * pe + (number & 1) as usize;
        let slots = DECISIONS as usize * DECISION_WORDS + self.n_pes * BEGUN_WORDS;
        &self.memory.words()[slots + slot * SLOT_WORDS..][..SLOT_WORDS]
    }

    /// Writes this PE's call to its slot.
    fn write(&self, number: u32, op: Op, step: &str, blob: &[u8]) {
        let slot = self.slot(number, self.pe);
        slot[0].store(head(op, step), Ordering::Relaxed);
        slot[1].store(blob.len() as u32, Ordering::Relaxed);
        let mut bytes = step.bytes().chain(blob.iter().copied());
        for word in &slot[SLOT_HEAD..][..(step.len() + blob.len()).div_ceil(4)] {
            let four = std::array::from_fn(|_| bytes.next().unwrap_or(0));
            word.store(u32::from_le_bytes(four), Ordering::Relaxed);
        }
    }

    /// Counts this PE, after its writes. Returns whether it is the last, which then sees the writes of all.
    fn arrive(&self, number: u32) -> bool {
        // The upper half of the word is the lap of the decisions to which the count belongs.
        let lap = (number / DECISIONS) << 16;
        let count_of = |word: u32| if word & !0xffff == lap { (word & 0xffff) + 1 } else { 1 };
        let arrived = &self.words(number)[ARRIVED];
        let before = arrived.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |word| Some(lap | count_of(word)));
        before.is_ok_and(|word| count_of(word) as usize == self.n_pes)
    }

    fn is_alike(&self, number: u32, pe: usize, op: Op, step: &str) -> bool {
        let slot = self.slot(number, pe);
        slot[0].load(Ordering::Relaxed) == head(op, step) && bytes_of(slot, 0..step.len()).eq(step.bytes())
    }

    /// Reads the blob of `pe` in a call whose slots are alike.
    fn read(&self, number: u32, pe: usize, step_bytes: usize) -> Vec<u8> {
        let slot = self.slot(number, pe);
        let blob_bytes = (slot[1].load(Ordering::Relaxed) as usize).min(SLOT_BYTES - step_bytes);
        bytes_of(slot, step_bytes..step_bytes + blob_bytes).collect()
    }

    /// Returns the decision about a call, if there is one.
    fn decision(&self, number: u32) -> Option<u32> {
        decided(self.words(number)[0].load(Ordering::SeqCst), number)
    }

    /// Decides about a call, unless it is decided, and wakes the sleepers.
    fn decide(&self, number: u32, decision: u32) {
        let words = self.words(number);
        let stored = words[0].fetch_update(Ordering::SeqCst, Ordering::SeqCst, |word| {
            decided(word, number).is_none().then_some(tag(number) | decision)
        });
        // A waiting thread counts itself as a sleeper and then reads the decision; this one writes it, then reads the
        // count.
        if stored.is_ok() && words[SLEEPERS].load(Ordering::SeqCst) != 0 {
            futex::wake_all(&words[0]);
        }
    }

    /// Waits for the decision.
    fn wait(&self, number: u32) -> u32 {
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
            match self.decision_limit.checked_sub(start.elapsed()).filter(|left| !left.is_zero()) {
                Some(left) => futex::wait(&words[0], seen, left),
                None => self.decide(number, ROOT),
            }
        };
        words[SLEEPERS].fetch_sub(1, Ordering::SeqCst);
        decision
    }
}

/// Returns the word of a decided call without its decision.
fn tag(number: u32) -> u32 {
    number << NUMBER_SHIFT
}

/// Returns the decision in a word if it is about this call.
fn decided(word: u32, number: u32) -> Option<u32> {
    Some(word.wrapping_sub(tag(number))).filter(|decision| [ALIKE, ROOT].contains(decision))
}

fn head(op: Op, step: &str) -> u32 {
    op as u32 | (step.len() as u32) << 8
}

/// Returns bytes of step and blob.
fn bytes_of(slot: &[AtomicU32], range: std::ops::Range<usize>) -> impl Iterator<Item = u8> {
    range.map(move |at| slot[SLOT_HEAD + at / 4].load(Ordering::Relaxed).to_le_bytes()[at % 4])
}

/// Returns the cores on which this thread may run, as a bit each.
pub(crate) fn own_cores() -> Vec<u8> {
    let mut bits = vec![0; CpuSet::count() / 8];
    if let Ok(cores) = sched_getaffinity(Pid::from_raw(0)) {
        (0..CpuSet::count())
            .filter(|core| cores.is_set(*core).unwrap_or(false))
            .for_each(|core| bits[core / 8] |= 1 << (core % 8));
    }
    bits
}

/// Returns the number of cores on which one of the PEs may run.
pub(crate) fn count_cores(all: &[Vec<u8>]) -> usize {
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let by_any = |at: usize| all.iter().filter_map(|cores| cores.get(at)).fold(0, |any, cores| any | cores);
    (0..longest).map(|at| by_any(at).count_ones() as usize).sum()
}

#[cfg(test)]
#[path = "tests/host_calls.rs"]
mod tests;

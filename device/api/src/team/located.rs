//! Reductions to the largest value and its index: elements of two units, which one thread moves together.

use oxshmem_core::{Call, Collective, Element, Fault, Group, Located, SymAddr, SymPtr};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::Rounds;
use oxshmem_raw::state::wait::WaitBudget;

use super::Team;
use super::direct::PAIR;
use super::packets::Packets;
use super::units::{Strided, UNIT};
use crate::check;

/// The ends of a reduction. Offsets are in bytes.
#[derive(Clone, Copy)]
struct Pairs {
    dest: SymAddr,
    source: SymAddr,
    bytes: usize,
}

impl<P: PathList> Team<'_, P> {
    /// Finds, for each of `count` elements, the largest value of all members with its index; every member gets both in
    /// `dest`. An element is a [`Located`]: two words, the value's bits and its index. Of equal values the smaller
    /// index wins; a NaN loses to every number. `dest` may be `source`; otherwise the ranges are disjoint.
    ///
    /// Every member, way and run gives the same bits.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn reduce_maxloc<T: Element + PartialOrd, I: Element + PartialOrd, G: Group>(
        &self,
        group: G,
        dest: SymPtr<u64>,
        source: SymPtr<u64>,
        count: usize,
    ) -> Result<(), Fault> {
        let words = check::bytes_of(count, Located::<T, I>::WORDS);
        let bytes = self.check_ends(dest, words, source, words)?;
        self.check_apart((dest, bytes), (source, bytes), dest == source)?;
        let pairs = Pairs { dest: dest.addr(), source: source.addr(), bytes };
        let next_outbox = self.next_outbox();
        let mut rounds = self.begin(group)?;
        let call = || Call::new(Collective::ReduceMaxloc, PAIR, self.whole.unwrap_or(bytes), bytes);
        self.compare(group, &rounds, || call().by(true, group.size()))?;
        let ended = self.exchange_pairs::<T, I, G>(group, &mut rounds, pairs, next_outbox);
        self.end(group, rounds, ended)
    }

    /// Exchanges and reduces in rounds, over load/store by packets, otherwise through the areas.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn exchange_pairs<T: Element + PartialOrd, I: Element + PartialOrd, G: Group>(
        &self,
        group: G,
        rounds: &mut Rounds,
        pairs: Pairs,
        next_outbox: *mut u8,
    ) -> Result<(), Fault> {
        let most = if self.all_load_store() { self.round_bytes() } else { 2 * self.round_bytes() } as usize;
        let mut done = 0;
        while done < pairs.bytes {
            let left = pairs.bytes - done;
            let bytes = if left < most { left } else { most };
            let now = Pairs { dest: pairs.dest.add(done as u64), source: pairs.source.add(done as u64), bytes };
            self.open(group, rounds)?;
            let round = rounds.last;
            rounds.set_met();
            let ended = if self.all_load_store() {
                // SAFETY: **opened**: the round is open, and has at most its payload.
                unsafe { self.exchange_pair_packets::<T, I, G>(group, self.packets(round, false, next_outbox), now) }
            } else {
                let staged = self.stage(group, round, now.source, 0, bytes);
                let arrived = self.await_staged(group, round, true);
                if arrived.is_ok() {
                    self.reduce_staged_pairs::<T, I, G>(group, round, now);
                }
                staged.and(arrived)
            };
            done += bytes;
            // Every thread has read this round's half before any of them takes part in the next one.
            self.agree(group, ended)?;
        }
        Ok(())
    }

    /// Sends this member's pairs, and replaces each by the largest one.
    ///
    /// # Safety
    ///
    /// - **opened**: `open` has prepared the round, whose payload the pairs do not exceed; every member is a load/store
    ///   PE.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn exchange_pair_packets<T: Element + PartialOrd, I: Element + PartialOrd, G: Group>(
        &self,
        group: G,
        packets: Packets,
        pairs: Pairs,
    ) -> Result<(), Fault> {
        let (count, size, mut budget) = ((pairs.bytes / PAIR) as u32, group.size(), WaitBudget::new());
        let mut pair = group.rank();
        while pair < count {
            // SAFETY: **opened** by the caller. The thread that sends a pair is the one that replaces it.
            unsafe { self.send_held(packets, self.load_pair(pairs.source, pair), places(pair)) }
            pair += size;
        }
        pair = group.rank();
        while pair < count {
            let (mut largest, mut from) = (Located::<T, I>::default(), 0);
            while from < self.team.n_pes {
                let mut words = [0; 2];
                if from == self.team.me {
                    words = self.load_pair(pairs.source, pair);
                } else {
                    self.receive(&mut budget, (packets, from), places(pair), [[0; 2]; 2], &mut words)?;
                }
                largest = first_or_largest(from, largest, words);
                from += 1;
            }
            self.store_pair(pairs.dest, pair, largest.to_words());
            pair += size;
        }
        Ok(())
    }

    /// Replaces each pair by the largest one of those that the other members have staged and this member's own.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn reduce_staged_pairs<T: Element + PartialOrd, I: Element + PartialOrd, G: Group>(
        &self,
        group: G,
        round: u64,
        pairs: Pairs,
    ) {
        let (count, mut pair) = ((pairs.bytes / PAIR) as u32, group.rank());
        while pair < count {
            let (mut largest, mut from) = (Located::<T, I>::default(), 0);
            while from < self.team.n_pes {
                let words = if from == self.team.me {
                    self.load_pair(pairs.source, pair)
                } else {
                    let at = self.own(self.team.packets(round, from) + (PAIR as u32 * pair) as u64).cast::<u64>();
                    // SAFETY: **live** of `from_state`: the data is in this PE's area.
                    unsafe { [ptx::ld_relaxed_sys_u64(at), ptx::ld_relaxed_sys_u64(at.add(1))] }
                };
                largest = first_or_largest(from, largest, words);
                from += 1;
            }
            self.store_pair(pairs.dest, pair, largest.to_words());
            pair += group.size();
        }
    }

    /// Loads a pair of this PE.
    #[inline(always)]
    fn load_pair(&self, from: SymAddr, pair: u32) -> [u64; 2] {
        let at = self.shmem.state.own_address(from.add(PAIR as u64 * pair as u64)).cast::<u64>();
        // SAFETY: **live** of `from_state`: the caller of the collective passes a range of the heap, aligned to 8
        // bytes.
        unsafe { [ptx::ld_weak_u64(at), ptx::ld_weak_u64(at.wrapping_add(1))] }
    }

    /// Stores a pair of this PE.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn store_pair(&self, to: SymAddr, pair: u32, words: [u64; 2]) {
        let at = self.shmem.state.own_address(to.add(PAIR as u64 * pair as u64)).cast::<u64>();
        // SAFETY: **live** of `from_state`: as in `load_pair`.
        unsafe {
            ptx::st_weak_u64(at, words[0]);
            ptx::st_weak_u64(at.wrapping_add(1), words[1])
        }
    }
}

/// Returns the places of the two units of a pair.
#[inline(always)]
fn places(pair: u32) -> Strided {
    Strided::new(PAIR as u32 / UNIT as u32 * pair, 1, 2)
}

/// Returns the pair of member 0, or the larger one of the pair so far and this one.
#[inline(always)]
fn first_or_largest<T: Element + PartialOrd, I: Element + PartialOrd>(
    member: u32,
    so_far: Located<T, I>,
    words: [u64; 2],
) -> Located<T, I> {
    let pair = Located::from_words(words);
    if member == 0 { pair } else { so_far.max(pair) }
}

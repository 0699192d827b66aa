//! Data for all members of a team on several nodes: it crosses to each node once, to one member, which passes it on to
//! the others by loads and stores.
//!
//! A sender's receiver on another node is fixed for the life of the team, and the senders of a node have different
//! ones, as far as there are. A relay first makes its own transfers, and then waits for those that it passes on, so
//! that no two members wait for each other. A round's data has left the relay before the relay ends the round.

use oxshmem_core::{Completion, Fault, Group, Met, Pe, QpResource, Remote, SignalOp, SymAddr};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::{order, ptx};
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::TeamParts;
use oxshmem_raw::state::wait::WaitBudget;

use super::Team;

impl<P: PathList> Team<'_, P> {
    /// Reports whether data for all members goes through relays.
    #[inline(always)]
    pub(super) fn is_relayed(&self) -> bool {
        P::SOME && self.team.flags & TeamParts::RELAYED != 0
    }

    /// Reports whether this member itself sends data for all to a member, and not to a relay on its node.
    #[inline(always)]
    pub(super) fn sends_to(&self, to: u32) -> bool {
        !self.is_relayed() || !self.team.is_via_relay(to)
    }

    /// Reports whether a relay passes a member's data for all on to this one.
    #[inline(always)]
    pub(super) fn gets_passed(&self, from: u32) -> bool {
        self.is_relayed() && !self.is_load_store(self.team.member(from)) && !self.team.receives(from)
    }

    /// Returns a member of this node that is late in a round in which a relay of this node passes on the words of
    /// `from`, and the last round that the member has announced. A relay sends its own words before it waits for others
    /// to pass on.
    ///
    /// It is a separate function that takes a copy, so that a kernel's many waits hold neither its code nor the team in
    /// memory.
    #[cold]
    #[inline(never)]
    pub(super) fn late_relay(self, from: u32, round: u64) -> Option<(u32, u64)> {
        let mut k = 0;
        while self.gets_passed(from) && k + 1 < self.team.n_pes {
            let other = self.nth_after(k);
            // SAFETY: **live** of `from_state`: the words are in this PE's area.
            let word = |at| unsafe { ptx::ld_relaxed_sys_u64(self.own(at).cast()) };
            let seen = word(self.team.started(other)).max(word(self.team.done(other)));
            if seen < round && self.is_load_store(self.team.member(other)) {
                return Some((other, seen));
            }
            k += 1;
        }
        None
    }

    /// Passes on the announcements of a round that this member receives for its node. The threads of the group share
    /// them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn pass_announcements<G: Group>(
        &self,
        group: G,
        budget: &mut WaitBudget,
        round: u64,
    ) -> Result<(), Fault> {
        if !self.is_relayed() {
            return Ok(());
        }
        let mut k = group.rank();
        while k + 1 < self.team.n_pes {
            let from = self.nth_after(k);
            if self.team.receives(from) {
                let at = self.team.started(from);
                self.await_word(budget, at, from, round)?;
                // The stores that the announcement has made visible here are visible there, too.
                order::delivered_before_later();
                let mut j = 0;
                while j + 1 < self.team.n_pes {
                    let to = self.team.member(self.nth_after(j));
                    if self.is_load_store(to) {
                        // SAFETY: **live** of `from_state`: the word is in the area of a load/store member, which
                        // exists while members use the team.
                        unsafe { ptx::st_relaxed_sys_u64(self.theirs(to, at).cast(), round) }
                    }
                    j += 1;
                }
            }
            k += group.size();
        }
        Ok(())
    }

    /// Passes on the data of a round that this member receives for its node, `bytes` bytes of each sender: staged data,
    /// or in the destination those of `copies`. Each arrival is awaited first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn pass_data<G: Group>(
        &self,
        group: G,
        round: u64,
        bytes: usize,
        copies: Option<Copies>,
    ) -> Result<(), Fault> {
        let (mut k, mut budget, mut ended) = (0, WaitBudget::new(), Ok(()));
        while k + 1 < self.team.n_pes {
            let from = self.nth_after(k);
            k += 1;
            let sends = match copies {
                Some(Copies { root: Some(root), .. }) => root == from,
                _ => true,
            };
            if !sends || !self.team.receives(from) {
                continue;
            }
            let arrived = self.await_word(&mut budget, self.team.done(from), from, round);
            self.agree(group, arrived)?;
            let staged = self.team.packets(round, from);
            let at = match copies {
                Some(Copies { dest, apart, .. }) => {
                    self.shmem.state.own_address(dest.add((apart * from as usize) as u64))
                }
                None => self.own(staged),
            };
            // SAFETY: **owned**: the data is in this PE's heap, which stays mapped.
            let (here, paths, mut j) = (unsafe { LocalAddr::new(at) }, self.shmem.load_store(), 0);
            while j + 1 < self.team.n_pes {
                let to = self.team.member(self.nth_after(j));
                j += 1;
                if !self.is_load_store(to) {
                    continue;
                }
                let passed = match copies {
                    Some(Copies { dest, apart, .. }) => {
                        let at = dest.add((apart * from as usize) as u64);
                        let there = Remote { pe: Pe::new(to.pe as u32), at };
                        paths.put(Met(group), there, here, bytes, Completion::Nonblocking)
                    }
                    None => {
                        let (there, word) = (self.remote(to, staged), self.remote(to, self.team.passed(from)).at);
                        paths.put_signal(
                            Met(group),
                            there,
                            here,
                            bytes,
                            word,
                            SignalOp::Set,
                            round,
                            Completion::Blocking,
                        )
                    }
                };
                // Every thread makes every call, even after a fault, so that the group stays together.
                ended = ended.and(passed);
            }
        }
        ended
    }
}

/// Copies to the same places on every member.
#[derive(Clone, Copy)]
pub(super) struct Copies {
    /// The destination of member 0's data.
    pub(super) dest: SymAddr,
    /// The distance in bytes to the next member's.
    pub(super) apart: usize,
    /// The only member that sends; `None`: all send.
    pub(super) root: Option<u32>,
}

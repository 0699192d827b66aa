//! Teams in a kernel: members, barriers, and the collectives over them.
//!
//! | file | content |
//! |---|---|
//! | `call.rs` | the comparison of the members' calls, in builds that check |
//! | `ranges.rs` | the checks of a call's source and destination |
//! | `meet.rs` | announcements and waits; barriers |
//! | `units.rs` | elements as units of 8 bytes |
//! | `packet.rs` | data with the round's flag in one store |
//! | `packets.rs` | the small exchange over load/store, by rounds of packets |
//! | `single.rs` | such an exchange of at most one unit of each thread, as on streams |
//! | `staged.rs` | the exchange by puts into the peers' areas, over any path |
//! | `relays.rs` | data for all members of a team on several nodes |
//! | `puts.rs` | large copies by puts, over any path |
//! | `direct.rs`, `direct_copies.rs` | large data over load/store: the peers' memory itself |
//! | `grid.rs` | the collectives by all blocks of a grid |
//! | `copies.rs`, `varied.rs`, `reductions.rs`, `held.rs`, `located.rs` | the collectives, which choose one of these |
//!
//! The larger functions are inlined into PTX alone, where registers depend on it. On the host they would be copied into
//! each kernel of each type, and the library for C programs has a limit of size.

mod call;
mod copies;
mod direct;
mod direct_copies;
mod grid;
mod held;
mod located;
mod meet;
mod packet;
mod packets;
mod parts;
mod puts;
mod ranges;
mod reductions;
mod relays;
mod single;
mod staged;
pub(crate) mod units;
mod varied;

use oxshmem_core::{Fault, FaultStep, Group, Pe, Remote, Scope, SymAddr};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::path::PathList;
use oxshmem_raw::state::team::{Member, Rounds, TeamHandle, TeamParts};

pub use grid::GridTeam;
pub use oxshmem_core::Lists;

use crate::{Shmem, check};

/// A team, as the calls of one group of each member use it.
///
/// Every member makes the same calls on a slot in the same order, each by one group, and all groups are of the same
/// kind and size. Many groups of a PE may use one team at once, each on a slot of its own ([`slot`](Self::slot)). The
/// kernels must run at the same time, so they are launched collectively. Operations on other memory may be under way.
///
/// # Errors
/// Each call returns the fault: a member (named) did not make the call within the world's limit, or died; the slot does
/// not exist; or, in builds that check, an argument is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Team<'a, P> {
    shmem: &'a Shmem<'a, P>,
    team: TeamHandle,
    slot: u32,
    /// The offset of the slot in each member's area.
    slot_at: u64,
    /// The address of the slot on this PE.
    own: *mut u8,
    dependent: bool,
    /// The size in bytes of the whole call, if the group's call is a share of it.
    whole: Option<usize>,
}

/// The way of a collective's data, where there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As the amount of data suggests.
    Auto,
    /// Data and flags in one store: the shortest time for small data.
    Packets,
    /// The peers' own memory between two barriers: the highest rate.
    Direct,
}

/// The largest data, in bytes for each pair of members, for which packets are the faster way.
const MOST_BY_PACKETS: usize = 16 << 10;
/// The same for each thread of the group: of reductions, whose direct way loads from other members.
const REDUCED_BY_PACKETS: usize = 256;
/// The most rounds of packets of a call, which are as fast as the two meetings of the direct way. A slot with less payload
/// carries less data by packets.
const MOST_ROUNDS: usize = 4;

impl<P: PathList> Shmem<'_, P> {
    /// Returns the team with this handle, for calls on its slot 0.
    #[inline(always)]
    pub fn team(&self, team: TeamHandle) -> Team<'_, P> {
        Team { shmem: self, team, slot: 0, slot_at: 0, own: core::ptr::null_mut(), dependent: false, whole: None }
            .slot(0)
    }
}

impl<'a, P: PathList> Team<'a, P> {
    /// Returns the team for calls on another slot.
    #[inline(always)]
    pub fn slot(self, slot: u32) -> Self {
        let slot_at = self.team.slot(slot);
        let own = self.shmem.state.own_address(SymAddr::new(self.team.area + slot_at));
        Self { slot, slot_at, own, ..self }
    }

    /// Returns the team for the one call of a kernel that is launched before the preceding work of its stream has
    /// ended. The call computes addresses, for which it reads the tables of members and heaps, waits for that work,
    /// permits the next kernel to be placed, and accesses other memory only then. Every thread of the kernel makes the
    /// call, and accesses no memory before it.
    #[inline(always)]
    pub fn dependent(self) -> Self {
        Self { dependent: true, ..self }
    }

    /// Returns the team for a share of a broadcast or a reduction of `bytes` bytes, in which each of several groups
    /// moves a share. Builds that check compare the sizes of the members' whole calls.
    #[inline(always)]
    pub fn share_of(self, bytes: usize) -> Self {
        Self { whole: Some(bytes), ..self }
    }

    /// Returns the number of slots.
    #[inline(always)]
    pub fn slots(&self) -> u32 {
        self.team.slots
    }

    /// Returns this PE's number in the team.
    #[inline(always)]
    pub fn my_pe(&self) -> u32 {
        self.team.me
    }

    /// Returns the number of members.
    #[inline(always)]
    pub fn n_pes(&self) -> u32 {
        // SAFETY: the host gives out no handle of a team without members. With this assumption a division by the number
        // compiles without a panic.
        unsafe { core::hint::assert_unchecked(self.team.n_pes != 0) }
        self.team.n_pes
    }

    /// Returns the PE of a member; the number is less than [`n_pes`](Self::n_pes). In builds that check
    /// ranges the result is this PE for another number, in those that check all for a team that is gone too.
    #[inline(always)]
    pub fn pe(&self, member: u32) -> Pe {
        let gone = check::CHECKED && self.check_handle().is_err();
        if gone || self.check_member(member).is_err() {
            return self.shmem.my_pe();
        }
        self.pe_of(member)
    }

    #[inline(always)]
    fn pe_of(&self, member: u32) -> Pe {
        Pe::new(self.team.member(member).pe as u32)
    }

    /// Reports whether a PE is a member. A wait for members goes on if another PE dies.
    #[cold]
    fn has(&self, pe: Pe) -> bool {
        let mut member = 0;
        while member < self.team.n_pes && self.pe_of(member) != pe {
            member += 1;
        }
        member < self.team.n_pes
    }

    /// Returns the member that is `k` + 1 after this one. Each member begins with its successor, so that not all write
    /// to the same one at once. `k` is less than the number of members.
    #[inline(always)]
    fn nth_after(&self, k: u32) -> u32 {
        let member = self.team.me + 1 + k;
        if member < self.team.n_pes { member } else { member - self.team.n_pes }
    }

    /// Reports whether every member is reached by loads and stores.
    #[inline(always)]
    fn all_load_store(&self) -> bool {
        !P::SOME || self.team.flags & TeamParts::LOAD_STORE != 0
    }

    #[inline(always)]
    fn is_load_store(&self, member: Member) -> bool {
        self.all_load_store() || self.shmem.state.is_load_store(Pe::new(member.pe as u32))
    }

    /// Returns the address of byte `at` of this slot, on this PE.
    #[inline(always)]
    fn own(&self, at: u64) -> *mut u8 {
        self.own.wrapping_add(at as usize)
    }

    /// Returns the address of byte `at` of this slot on a load/store member.
    #[inline(always)]
    fn theirs(&self, member: Member, at: u64) -> *mut u8 {
        self.shmem.state.in_area(member, self.slot_at + at)
    }

    /// Returns byte `at` of this slot on a member, for operations of a queue.
    #[inline(always)]
    fn remote(&self, member: Member, at: u64) -> Remote {
        Remote { pe: Pe::new(member.pe as u32), at: SymAddr::new(member.area + self.slot_at + at) }
    }

    /// Checks that the handle is this PE's own and that the team exists: its memory has a copy of the whole handle, which
    /// differs after this PE has dropped the team.
    #[inline(always)]
    fn check_handle(&self) -> Result<(), Fault> {
        let (state, mut fault) = (&self.shmem.state, Fault::new(FaultStep::NoSuchTeam));
        fault.at = self.team.number as u64;
        if self.team.members != state.own_address(SymAddr::new(self.team.area)) as u64 {
            // The table's address is in another PE's memory.
            fault.detail = Fault::OTHERS_HANDLE;
            return check::fail(state, fault);
        }
        // A handle of another world can name memory that this one does not have.
        let end = self.team.area.saturating_add(self.team.first_slot as u64);
        if end > state.heap_bytes || self.team.kept() + size_of::<TeamHandle>() as u64 > self.team.first_slot as u64 {
            return check::fail(state, fault);
        }
        let words = self.team.words();
        // C's calls over queues clear this flag.
        let by_queues = TeamParts { flags: self.team.flags | TeamParts::LOAD_STORE, ..*self.team }.words();
        // Arrays would be compared by a function that kernels do not have.
        let (mut at, mut same, mut same_but_me) = (0, true, true);
        while at < words.len() {
            let from = self.team.members + self.team.kept() + 8 * at as u64;
            // SAFETY: **live** of `from_state`: the copy is in this PE's heap, if only as another team's memory.
            let kept = unsafe { ptx::ld_weak_v2(from as *const ptx::V2) };
            let first = (kept[0] == words[at]) | (kept[0] == by_queues[at]);
            let second = (kept[1] == words[at + 1]) | (kept[1] == by_queues[at + 1]);
            same &= first & second;
            // The upper half of this word is the member's number.
            same_but_me &= (first | (at == TeamParts::ME / 8 && kept[0] as u32 == words[at] as u32)) & second;
            at += 2;
        }
        if same {
            return Ok(());
        }
        if same_but_me {
            // Processes can have their heaps at one address, so that the table's address does not tell them apart.
            fault.detail = Fault::OTHERS_HANDLE;
        }
        check::fail(state, fault)
    }

    /// Checks that the team has this member.
    #[inline(always)]
    fn check_member(&self, member: u32) -> Result<(), Fault> {
        if !check::SAFE || member < self.team.n_pes {
            return Ok(());
        }
        let mut fault = Fault::new(FaultStep::NoSuchMember);
        (fault.at, fault.asked, fault.seen) = (self.team.number as u64, member as u64, self.team.n_pes as u64);
        check::refuse(&self.shmem.state, fault)
    }

    /// Begins a call: the group meets, and reads the slot's rounds.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn begin<G: Group>(&self, group: G) -> Result<Rounds, Fault> {
        self.enter(group)?;
        Ok(self.rounds())
    }

    /// Begins a call without reading the rounds: checks it, and meets.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn enter<G: Group>(&self, group: G) -> Result<(), Fault> {
        if self.slot >= self.team.slots {
            let mut fault = Fault::new(FaultStep::NoSuchSlot);
            (fault.at, fault.asked, fault.seen) = (self.team.number as u64, self.slot as u64, self.team.slots as u64);
            return check::fail(&self.shmem.state, fault);
        }
        if check::CHECKED {
            self.check_handle()?;
            check::all_reached::<P>(&self.shmem.state, self.team.n_pes, |member| self.pe_of(member))?;
            check::collective(&self.shmem.state, self.team.n_pes.saturating_sub(1))?;
        }
        if self.dependent {
            // A computation stays before the wait only where its result is used by something that does.
            ptx::opaque_u64(self.own as u64);
            ptx::griddepcontrol_wait();
            ptx::griddepcontrol_launch_dependents();
        } else {
            group.sync();
        }
        Ok(())
    }

    /// Reads the slot's rounds, after [`enter`](Self::enter).
    #[inline(always)]
    fn rounds(&self) -> Rounds {
        // SAFETY: **live** of `from_state`: the slot is in this PE's heap; the team exists while kernels use it. The
        // group alone writes the rounds, and its last write precedes the meeting, or the end of an earlier kernel.
        Rounds::from_words(unsafe { ptx::ld_weak_v2(self.own(0).cast()) })
    }

    /// Meets, so that the fault of any thread is every thread's.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn agree<G: Group>(&self, group: G, ended: Result<(), Fault>) -> Result<(), Fault> {
        match (group.any(ended.is_err()), ended) {
            (true, Ok(())) => check::fail(&self.shmem.state, Fault::new(FaultStep::Aborted)),
            (_, ended) => ended,
        }
    }

    /// Ends a call: the group meets, and its leader writes the slot's rounds. The fault of any thread is every
    /// thread's.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn end<G: Group>(&self, group: G, rounds: Rounds, ended: Result<(), Fault>) -> Result<(), Fault> {
        self.agree(group, ended)?;
        if group.leads() {
            // SAFETY: as in `begin`; every thread of the group has read the rounds.
            unsafe { ptx::st_weak_v2(self.own(0).cast(), rounds.words()) }
        }
        Ok(())
    }

    /// Returns the most bytes for each thread that a copy of `bytes` bytes between each pair sends by packets. The threads
    /// of a warp have more packets in flight, which pays within one round, and for as much data from all `senders`. (So
    /// a warp does not fit together with a block of 32 threads: members call by groups of one kind.)
    #[inline(always)]
    fn copied_by_packets<G: Group>(&self, group: G, bytes: usize, senders: u32) -> usize {
        let fits = bytes <= self.round_bytes() as usize && bytes * senders as usize <= 256 * group.size() as usize;
        if matches!(G::SCOPE, Scope::Warp) && fits { 256 } else { 64 }
    }

    /// Reports whether [`Way::Auto`] sends a copy of `bytes` bytes between each pair by packets; `senders` is 1 for a
    /// broadcast, otherwise the number of other members.
    #[inline(always)]
    pub fn copies_by_packets<G: Group>(&self, group: G, bytes: usize, senders: u32) -> bool {
        let most = self.copied_by_packets(group, bytes, senders);
        self.all_load_store() && self.by_packets(group, Way::Auto, bytes, most)
    }

    /// Chooses the way for `bytes` bytes between each pair; by packets up to `most` bytes for each thread, and in a few
    /// rounds.
    #[inline(always)]
    fn by_packets<G: Group>(&self, group: G, way: Way, bytes: usize, most: usize) -> bool {
        match way {
            Way::Auto => {
                let in_rounds = MOST_ROUNDS * self.round_bytes() as usize;
                bytes <= MOST_BY_PACKETS.min(most * group.size() as usize).min(in_rounds)
            }
            way => matches!(way, Way::Packets),
        }
    }
}

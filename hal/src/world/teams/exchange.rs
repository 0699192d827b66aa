//! The meeting of a new team's members: each writes a message into the mailbox of each other one.
//!
//! A mailbox has two places for each sender. A sender uses them in turn: it sends its next message when it has received
//! the receiver's last one, which the receiver sent after it had read the message before that.

use std::time::{Duration, Instant};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Reach, Result};
use oxshmem_raw::state::abi::{FNV_START, fnv};
use oxshmem_raw::state::mail::{self, Mail};
use oxshmem_raw::state::team::{Member, TeamParts};

use super::area::Area;
use super::relays::Node;
use super::{TeamOptions, World, member};
use crate::world::agreement::{code_of, kind_of};

/// The bits of a word that hold the message; those above are its number.
const BITS: u32 = 48;
const MASK: u64 = (1 << BITS) - 1;

/// The flags of a message.
const LOAD_STORE: u64 = 1;
const FAILED: u64 = 2;
/// The member's slots, and its payload, are as many as it had room for.
const FITS_SLOTS: u64 = 4;
const FITS_PAYLOAD: u64 = 8;
/// Builds that check do not compare the members' calls.
const UNCOMPARED: u64 = 16;
/// The bits of the same word from which on the member's node is: its first member and its size, 16 bits each.
const FIRST_OF_NODE: u32 = 8;
const SIZE_OF_NODE: u32 = 24;
/// The bits of the same word from which on, after [`FAILED`], the kind of the member's error is: 8 bits.
const KIND_OF_ERROR: u32 = 40;

/// The members of a new team, in its order.
pub(super) struct Met {
    pub(super) members: Vec<Member>,
    pub(super) nodes: Vec<Node>,
    /// Whether each reaches all others by loads and stores.
    pub(super) all_load_store: bool,
    /// The number of slots and the payload for which each has room.
    pub(super) slots: u32,
    pub(super) payload: u32,
}

/// The shape of a member's area, as a word of its message has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    relayed: bool,
    slots: u32,
    payload: u32,
}

impl Shape {
    fn of(handle: &TeamParts) -> Self {
        Self { relayed: handle.flags & TeamParts::RELAYED != 0, slots: handle.slots, payload: handle.payload }
    }

    fn word(self) -> u64 {
        u64::from(self.relayed) << 47
            | (u64::from(self.slots) & 0x7f_ffff) << 24
            | u64::from(self.payload / 16) & 0xff_ffff
    }

    fn read(word: u64) -> Self {
        Self {
            relayed: word >> 47 & 1 != 0,
            slots: (word >> 24) as u32 & 0x7f_ffff,
            payload: (word as u32 & 0xff_ffff) * 16,
        }
    }
}

/// The time for which a member looks without a pause.
const LOOK_FOR: Duration = Duration::from_micros(200);

/// Returns the first difference in the options of the members that sent these messages, theirs and ours: `None` if
/// their areas belong to a team with the same options.
fn difference(theirs: Mail, ours: Mail) -> Option<[String; 2]> {
    let slots = |mail: Mail| match mail[2] & FITS_SLOTS {
        0 => format!("{} slots", Shape::read(mail[3]).slots),
        _ => "as many slots as fit".into(),
    };
    let payload = |mail: Mail| match mail[2] & FITS_PAYLOAD {
        0 => format!("a payload of {} bytes", Shape::read(mail[3]).payload),
        _ => "as much payload as fits".into(),
    };
    let relays = |mail: Mail| if Shape::read(mail[3]).relayed { "relays" } else { "no relays" }.into();
    let compares =
        |mail: Mail| if mail[2] & UNCOMPARED == 0 { "compared calls" } else { "calls without comparison" }.into();
    let options: [&dyn Fn(Mail) -> String; 4] = [&slots, &payload, &relays, &compares];
    options.iter().map(|of| [of(theirs), of(ours)]).find(|[theirs, ours]| theirs != ours)
}

impl World {
    /// Sends every other member the offset of this PE's area, or that it has none, and its node, and returns those of all.
    /// After an inner error no member makes the team: each of them gets one, from the same messages.
    ///
    /// # Errors
    /// A member did not send its message within the limit, or died; a transport failed, or a kernel has.
    pub(super) fn meet_members(
        &self,
        pes: &[Pe],
        options: TeamOptions,
        handle: &TeamParts,
        area: &Result<Area>,
    ) -> Result<Result<Met>> {
        let load_store = pes.iter().all(|pe| self.toward(*pe).reach(*pe) == Reach::LoadStore);
        let node = Node::of(pes.iter().map(|pe| self.toward(*pe).reach(*pe) == Reach::LoadStore));
        let flags = if load_store { LOAD_STORE } else { 0 }
            | area.as_ref().map_or_else(|error| FAILED | u64::from(code_of(error.kind())) << KIND_OF_ERROR, |_| 0)
            | if options.fits_slots() { FITS_SLOTS } else { 0 }
            | if options.fits_payload() { FITS_PAYLOAD } else { 0 }
            | if options.without_comparison { UNCOMPARED } else { 0 }
            | u64::from(node.first) << FIRST_OF_NODE
            | u64::from(node.size) << SIZE_OF_NODE;
        let bytes: Vec<u8> = pes.iter().flat_map(|pe| pe.number().to_le_bytes()).collect();
        let mut shape = Shape::of(handle);
        let words = [handle.area, fnv(FNV_START, &bytes), flags, shape.word()];
        let others = || pes.iter().copied().filter(|pe| *pe != self.me);
        let mut awaited = Vec::new();
        for pe in others() {
            let number = self.teams.next_message(pe);
            let message = words.map(|word| u64::from(number) << BITS | word & MASK);
            self.put_in_area(pe, mail::place(self.n_pes, self.me, number).offset(), &message)?;
            awaited.push((pe, number));
        }
        self.quiet()?;
        let (mut members, mut all_load_store, mut failed) =
            (vec![(member(self.me, handle.area), node)], load_store, None);
        for (pe, number) in awaited {
            let theirs = self.await_mail(pe, number)?;
            let error = |kind| Error::new(kind, format!("make a team of {} PEs", pes.len())).about(pe);
            if theirs[1] != words[1] & MASK {
                let reason = format!("{pe} makes a team of other PEs, or in another order, than {}", self.me);
                failed.get_or_insert(error(ErrorKind::Mismatch).because(reason));
            } else if let Some([theirs, ours]) = difference(theirs, words) {
                let reason = format!("{pe} makes a team with {theirs}, and {} one with {ours}", self.me);
                failed.get_or_insert(error(ErrorKind::Mismatch).because(reason));
            } else if theirs[2] & FAILED != 0 {
                failed.get_or_insert(match kind_of((theirs[2] >> KIND_OF_ERROR) as u8) {
                    ErrorKind::Exhausted => error(ErrorKind::Exhausted)
                        .because(format!("{pe} could not: its memory of teams is in use"))
                        .hint("raise OXSHMEM_TEAM_MEMORY, ask for fewer slots, or drop teams that are not needed"),
                    kind => error(kind)
                        .because(format!("{pe} could not prepare its memory of teams"))
                        .hint("the error of that PE says why"),
                });
            }
            all_load_store &= theirs[2] & LOAD_STORE != 0;
            let their_shape = Shape::read(theirs[3]);
            if options.fits_slots() {
                shape.slots = shape.slots.min(their_shape.slots);
            }
            if options.fits_payload() {
                shape.payload = shape.payload.min(their_shape.payload);
            }
            let node = Node {
                first: (theirs[2] >> FIRST_OF_NODE) as u32 & 0xffff,
                size: (theirs[2] >> SIZE_OF_NODE) as u32 & 0xffff,
            };
            members.push((member(pe, theirs[0]), node));
        }
        if let Some(failed) = failed {
            return Ok(Err(failed));
        }
        // In the order of the team.
        members.sort_by_key(|(member, _)| pes.iter().position(|pe| u64::from(pe.number()) == member.pe));
        let (members, nodes) = members.into_iter().unzip();
        Ok(Ok(Met { members, nodes, all_load_store, slots: shape.slots, payload: shape.payload }))
    }

    /// Waits for the message with this number from a PE, and returns its words.
    fn await_mail(&self, from: Pe, number: u16) -> Result<Mail> {
        let (start, mut words) = (Instant::now(), [0; 4]);
        loop {
            // Before the look: a member that sent its message and then died has made the team.
            let dead = self.control.death_of(from);
            self.get_own(mail::place(self.n_pes, from, number).offset(), &mut words)?;
            if words.iter().all(|word| (word >> BITS) as u16 == number) {
                return Ok(words.map(|word| word & MASK));
            }
            let late = Error::new(ErrorKind::Timeout, "make a team").about(from);
            if let Some(reason) = dead {
                return Err(Error::new(ErrorKind::PeerDied, "make a team")
                    .because(format!("{from} died: {reason}"))
                    .about(from));
            }
            self.check_fault("make a team")?;
            if self.config.wait_limit.is_some_and(|limit| start.elapsed() > limit) {
                return Err(late.because(format!("{from} did not make it within the limit")));
            }
            if start.elapsed() > LOOK_FOR {
                std::thread::yield_now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use oxshmem_core::host::Amount;

    use super::*;
    use crate::{Config, DeviceChoice};

    fn config() -> Config {
        Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20)
    }

    fn shape(slots: u32, payload: u32) -> TeamOptions {
        TeamOptions::default().with_slots(slots).with_payload(payload)
    }

    #[test]
    fn members_with_different_options_are_told_both() {
        let usual = shape(2, 64);
        let others = [
            (shape(3, 64), "3 slots", "2 slots"),
            (shape(2, 48), "a payload of 48 bytes", "a payload of 64 bytes"),
            (usual.without_relays(), "no relays", "relays"),
            (usual.without_comparison(), "calls without comparison", "compared calls"),
            (TeamOptions::default().with_payload(64), "as many slots as fit", "2 slots"),
        ];
        World::threads(2, &config(), |world| {
            let (me, pes) = (world.my_pe().number(), world.pes().collect::<Vec<_>>());
            for (other, a, b) in others {
                let error = world.team(&pes, if me == 0 { usual } else { other }).unwrap_err();
                let (theirs, ours) = if me == 0 { (a, b) } else { (b, a) };
                let text = format!("PE {} makes a team with {theirs}, and PE {me} one with {ours}", 1 - me);
                assert!(error.to_string().ends_with(&text), "{error}");
                assert_eq!((error.kind(), error.pe()), (ErrorKind::Mismatch, Some(Pe::new(1 - me))));
            }
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn a_member_whose_peer_failed_gets_the_kind_of_its_error_and_frees_its_own_area() {
        World::threads(2, &config(), |world| {
            let (me, pes, options) = (world.my_pe().number(), world.pes().collect::<Vec<_>>(), shape(1, 64));
            let (memory, resident) = (world.teams.memory(), world.teams.resident());
            // An area that takes more than a half of the memory, so that it fits only if the last one was freed.
            let whole = memory.end - memory.start;
            let one = TeamParts::of_shape(2, 1, 64).unwrap();
            let large = shape((whole / 2 / u64::from(one.slot_bytes)) as u32 + 1, 64);
            for kind in [ErrorKind::System, ErrorKind::InvalidArgument, ErrorKind::Exhausted] {
                if me == 1 {
                    let error = world.team(&pes, large).unwrap_err();
                    assert_eq!((error.kind(), error.pe()), (kind, Some(Pe::new(0))));
                    let said =
                        if kind == ErrorKind::Exhausted { "not: its memory of teams is in use" } else { "not prepare" };
                    assert!(error.to_string().contains(&format!("PE 0 could {said}")), "{error}");
                    continue;
                }
                // A copy to the own memory that fails.
                let handle = large.shape(2, whole, whole, resident)?;
                let failed = Err(Error::new(kind, "clear the memory of a team"));
                world.meet_members(&pes, options, &handle, &failed)?.map(drop).unwrap_or_default();
            }
            world.drop_team(world.team(&pes, large)?)
        })
        .unwrap();
    }

    #[test]
    fn a_member_that_waits_for_memory_in_vain_answers_before_the_others_reach_their_limit() {
        let limit = Duration::from_secs(4);
        World::threads(2, &config().with_wait_limit(limit), |world| {
            let (me, pes, memory) = (world.my_pe().number(), world.pes().collect::<Vec<_>>(), world.teams.memory());
            // Two fifths of the memory.
            let of = |n_pes| {
                let one = TeamParts::of_shape(n_pes, 1, 64).unwrap();
                shape(((memory.end - memory.start) * 2 / 5 / u64::from(one.slot_bytes)) as u32, 64)
            };
            let (both, alone) = (world.team(&pes, of(2))?, world.team(&pes[me as usize..][..1], of(1))?);
            // PE 1 has room, and keeps the team for which PE 0 waits.
            let (left, kept) = if me == 0 { (both, alone) } else { (alone, both) };
            world.drop_team(left)?;
            world.barrier_all()?;
            let start = Instant::now();
            let error = world.team(&pes, of(2)).unwrap_err();
            assert!(start.elapsed() < limit, "it took {:?}", start.elapsed());
            assert_eq!((error.kind(), error.pe()), (ErrorKind::Exhausted, Some(Pe::new(0))), "{error}");
            let said = ["1 dropped teams wait for other members", "PE 0 could not: its memory of teams is in use"];
            assert!(error.to_string().contains(said[me as usize]), "{error}");
            let is_own = matches!(error.how_much(), Some(Amount { asked, limit, .. }) if asked > limit);
            assert_eq!(is_own, me == 0, "the PE whose memory is in use says how much: {error}");
            world.barrier_all()?;
            world.drop_team(kept)?;
            world.barrier_all()?;
            world.drop_team(world.team(&pes, of(2))?)
        })
        .unwrap();
    }
}

//! The meeting of a new team's members: each writes a message into the mailbox of each other one.
//!
//! A mailbox has two places for each sender. A sender uses them in turn: it sends its next message when it has received
//! the receiver's last one, which the receiver sent after it had read the message before that.

use std::time::{Duration, Instant};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Reach, Result};
use oxshmem_raw::state::abi::{FNV_START, fnv};
use oxshmem_raw::state::mail::{self, Mail};
use oxshmem_raw::state::team::{Member, TeamHandle};

use super::area::Area;
use super::relays::Node;
use super::{TeamOptions, World, member};

/// The bits of a word that hold the message; those above are its number.
const BITS: u32 = 48;
const MASK: u64 = (1 << BITS) - 1;

/// The flags of a message.
const LOAD_STORE: u64 = 1;
const FAILED: u64 = 2;
/// The member's slots, and its payload, are as many as it had room for.
const FITS_SLOTS: u64 = 4;
const FITS_PAYLOAD: u64 = 8;
/// The bits of the same word from which on the member's node is: its first member and its size, 16 bits each.
const FIRST_OF_NODE: u32 = 8;
const SIZE_OF_NODE: u32 = 24;

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
    fn of(handle: &TeamHandle) -> Self {
        Self { relayed: handle.flags & TeamHandle::RELAYED != 0, slots: handle.slots, payload: handle.payload }
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

/// Returns whether the areas of two members, whose messages these are, belong to a team with the same options.
fn alike(theirs: Mail, ours: Mail) -> bool {
    let fits = |flag| theirs[2] & ours[2] & flag != 0;
    let (a, b) = (Shape::read(theirs[3]), Shape::read(ours[3]));
    (theirs[2] ^ ours[2]) & (FITS_SLOTS | FITS_PAYLOAD) == 0
        && a.relayed == b.relayed
        && (fits(FITS_SLOTS) || a.slots == b.slots)
        && (fits(FITS_PAYLOAD) || a.payload == b.payload)
}

impl World {
    /// Sends every other member the offset of this PE's area, or that it has none, and its node, and returns those of all.
    pub(super) fn meet_members(
        &self,
        pes: &[Pe],
        options: TeamOptions,
        handle: &TeamHandle,
        area: &Result<Area>,
    ) -> Result<Met> {
        let load_store = pes.iter().all(|pe| self.toward(*pe).reach(*pe) == Reach::LoadStore);
        let node = Node::of(pes.iter().map(|pe| self.toward(*pe).reach(*pe) == Reach::LoadStore));
        let flags = if load_store { LOAD_STORE } else { 0 }
            | if area.is_err() { FAILED } else { 0 }
            | if options.fits_slots() { FITS_SLOTS } else { 0 }
            | if options.fits_payload() { FITS_PAYLOAD } else { 0 }
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
            let refuse = |what: &str| {
                Error::new(ErrorKind::Mismatch, format!("make a team of {} PEs", pes.len()))
                    .because(format!("{pe} makes a team {what} than {}", self.me))
                    .about(pe)
            };
            if theirs[1] != words[1] & MASK {
                failed.get_or_insert(refuse("of other PEs, or in another order,"));
            } else if !alike(theirs, words) {
                failed.get_or_insert(refuse("with other slots or relays"));
            } else if theirs[2] & FAILED != 0 {
                failed.get_or_insert(
                    Error::new(ErrorKind::Exhausted, format!("make a team of {} PEs", pes.len()))
                        .because(format!("{pe} could not: its memory of teams is in use"))
                        .hint("raise OXSHMEM_TEAM_MEMORY, ask for fewer slots, or drop teams that are not needed")
                        .about(pe),
                );
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
            return Err(failed);
        }
        // In the order of the team.
        members.sort_by_key(|(member, _)| pes.iter().position(|pe| u64::from(pe.number()) == member.pe));
        let (members, nodes) = members.into_iter().unzip();
        Ok(Met { members, nodes, all_load_store, slots: shape.slots, payload: shape.payload })
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

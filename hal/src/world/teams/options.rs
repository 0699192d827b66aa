//! The options of a new team, and the shape of its memory.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::state::team::TeamParts;

use super::Resident;

/// Options of a new team. Every member passes the same values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeamOptions {
    /// Number of slots: as many blocks of a PE may use the team at once. `None`: 128, or fewer if a GPU has fewer
    /// multiprocessors for a PE, or if they would take more than an eighth of the memory of teams. The more teams there
    /// are, the less of the memory that is left a new one takes, so that hundreds of teams fit.
    pub slots: Option<u32>,
    /// Bytes of data that a slot has for each member, twice; a multiple of 16. Small exchanges move so much at once.
    /// `None`: 8192, or less with many members, or, without a number of slots, with many teams.
    pub payload: Option<u32>,
    /// Whether data for all members crosses to a node once for each of its members, rather than once, to a member that
    /// passes it on. It matters only for a team on several nodes, if one node has several members.
    pub without_relays: bool,
    /// Whether builds that check leave out the comparison of the members' calls. By it each call is a meeting, in which
    /// mistakes of timing do not show that show without it.
    pub without_comparison: bool,
}

/// The usual number of slots.
const SLOTS: u32 = 128;
/// The usual payload of a slot for each member, in bytes.
const PAYLOAD: u64 = 8192;
/// The memory of a slot, in bytes, above which the payload gets smaller.
const MOST_SLOT_BYTES: u64 = 128 << 10;
/// The smallest payload, in bytes.
const LEAST_PAYLOAD: u32 = 16;
/// The number of slots below which the payload gets smaller.
const FEW_SLOTS: u32 = 8;
/// The part of the memory of teams that a team takes at most, unless its options say more.
pub(super) const LARGEST_SHARE: u64 = 8;

impl TeamOptions {
    /// Sets the number of slots.
    pub const fn with_slots(mut self, slots: u32) -> Self {
        self.slots = Some(slots);
        self
    }

    /// Sets the payload in bytes.
    pub const fn with_payload(mut self, bytes: u32) -> Self {
        self.payload = Some(bytes);
        self
    }

    /// Sends data for all members to each of them, also to several on one node.
    pub const fn without_relays(mut self) -> Self {
        self.without_relays = true;
        self
    }

    /// Leaves out the comparison of the members' calls in builds that check.
    pub const fn without_comparison(mut self) -> Self {
        self.without_comparison = true;
        self
    }

    /// Returns whether the number of slots depends on the memory that is left, which may differ between members.
    pub(super) fn fits_slots(self) -> bool {
        self.slots.is_none()
    }

    /// Returns whether the payload depends on the memory that is left too.
    pub(super) fn fits_payload(self) -> bool {
        self.slots.is_none() && self.payload.is_none()
    }

    /// Returns the shape of an area for so many members, where teams have `memory` bytes. Without a number of slots the
    /// area takes about `share` bytes, or more if one slot does.
    pub(super) fn shape(self, n_pes: u32, memory: u64, share: u64, resident: Resident) -> Result<TeamParts> {
        let refuse = |what: String| Error::new(ErrorKind::InvalidArgument, "make a team").because(what);
        let most = (MOST_SLOT_BYTES / (4 * u64::from(n_pes))).min(memory / 64 / (4 * u64::from(n_pes)));
        let usual = most.clamp(LEAST_PAYLOAD.into(), PAYLOAD) / 16 * 16;
        let payload = self.payload.unwrap_or(usual as u32);
        if payload == 0 || !payload.is_multiple_of(16) {
            return Err(refuse(format!("a payload of {payload} bytes is no positive multiple of 16")));
        }
        let of_payload = |payload| {
            TeamParts::of_shape(n_pes, 1, payload).ok_or_else(|| {
                refuse(format!("with a payload of {payload} bytes for each of {n_pes} members, a slot is too large"))
            })
        };
        let mut one = of_payload(payload)?;
        let most = SLOTS.min(resident.blocks(1)).into();
        let fit = |one: &TeamParts, bytes: u64| (bytes / u64::from(one.slot_bytes)).clamp(1, most) as u32;
        if self.fits_payload() {
            let few = fit(&one, memory / LARGEST_SHARE).min(FEW_SLOTS);
            while one.payload > LEAST_PAYLOAD && fit(&one, share) < few {
                one = of_payload((one.payload / 32 * 16).max(LEAST_PAYLOAD))?;
            }
        }
        match self.slots.unwrap_or(fit(&one, share)) {
            0 => Err(refuse("a team has at least one slot".into())),
            slots => Ok(TeamParts { slots, flags: if self.without_relays { 0 } else { TeamParts::RELAYED }, ..one }),
        }
    }
}

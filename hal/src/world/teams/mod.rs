//! Teams: ordered sets of PEs, made by their members alone.

mod area;
#[cfg(feature = "capi")]
mod by_id;
mod exchange;
mod options;
mod relays;
mod splits;

use std::sync::{Arc, Weak};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Reach, Result};
use oxshmem_raw::gpu::simt;
use oxshmem_raw::state::team::{Member, TeamHandle, TeamParts};

use super::World;
use crate::control::Control;
pub(super) use area::Teams;
use area::{Area, Dropped};
#[cfg(feature = "capi")]
pub use by_id::TeamIdTable;
use exchange::Met;
use options::LARGEST_SHARE;
pub use options::TeamOptions;

/// An ordered set of PEs, which barriers and collectives address by the members' numbers in it.
///
/// Only members make a team; other PEs take no part. A team uses memory of each member's heap (`OXSHMEM_TEAM_MEMORY`)
/// until it is dropped, which each member does by itself, after its last call on the team has ended; the memory is used
/// again when all members have done so. A member that drops the value announces it to the others at its next barrier of
/// the host, or when it makes a team; [`drop_team`](World::drop_team) announces it at once.
#[derive(Debug)]
pub struct Team<'w> {
    pub(super) world: &'w World,
    state: Arc<TeamState>,
}

#[cfg(feature = "capi")]
/// A team without the borrow of its world, for interfaces that keep both in one place. It keeps the team as a [`Team`]
/// does.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct DetachedTeam(Arc<TeamState>);

#[cfg(feature = "capi")]
impl DetachedTeam {
    /// Returns this PE's number in the team.
    pub fn my_pe(&self) -> u32 {
        self.0.handle.me
    }
}

#[derive(Debug)]
struct TeamState {
    handle: TeamParts,
    members: Vec<Pe>,
    area: Option<Area>,
    dropped: Weak<Dropped>,
    resident: Resident,
}

/// The work of a kernel that the device of a PE can hold at once. Blocks that wait for each other must all be held.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resident {
    /// Blocks of a kernel of this library: one on each multiprocessor of a GPU, which `sharers` PEs share.
    Blocks { count: u32, sharers: u32 },
    /// GPU threads on the host.
    Threads(u32),
}

/// GPU threads that every host has room for.
const HOST_THREADS: usize = 16 << 10;

impl Resident {
    /// Returns the share of a host PE in the threads of its process, where two kernels of each PE may run at once.
    pub(super) fn of_host_threads(n_pes: usize) -> Self {
        Self::Threads((simt::most_resident_threads().min(HOST_THREADS) / (2 * n_pes)) as u32)
    }

    /// Returns the smallest of all PEs, whose GPUs may differ: a block of a collective waits for the others' blocks of its
    /// number, so every member has as many. Collective.
    pub(super) fn smallest(self, control: &Control) -> Result<Self> {
        let (Self::Blocks { count: mine, .. } | Self::Threads(mine)) = self;
        let all = control.all_gather("size the grids of collectives", &mine.to_le_bytes())?;
        let least = all.iter().filter_map(|one| one[..].try_into().ok().map(u32::from_le_bytes)).fold(mine, u32::min);
        Ok(match self {
            Self::Blocks { sharers, .. } => Self::Blocks { count: least, sharers },
            Self::Threads(_) => Self::Threads(least),
        })
    }

    /// Returns the number of PEs that share the busiest GPU.
    pub(super) fn sharers(self) -> u32 {
        match self {
            Self::Blocks { sharers, .. } => sharers,
            Self::Threads(_) => 1,
        }
    }

    /// Returns the number of blocks of `threads` threads.
    pub(super) fn blocks(self, threads: u32) -> u32 {
        match self {
            Self::Blocks { count, .. } => count,
            Self::Threads(all) => all / threads.max(1),
        }
    }
}

impl<'w> Team<'w> {
    /// Returns the team's world.
    pub fn world(&self) -> &'w World {
        self.world
    }

    #[cfg(feature = "capi")]
    /// Returns a value for the team that does not borrow the world, for [`World::attach_team`].
    #[doc(hidden)]
    pub fn detached(&self) -> DetachedTeam {
        DetachedTeam(self.state.clone())
    }

    /// Returns the handle, which kernels take as an argument.
    pub fn handle(&self) -> TeamHandle {
        // SAFETY: **whole**: `World::team` set them together, and nothing has changed them since.
        unsafe { TeamHandle::new(self.state.handle) }
    }

    /// Returns this PE's number in the team.
    pub fn my_pe(&self) -> u32 {
        self.state.handle.me
    }

    /// Returns the number of members.
    pub fn n_pes(&self) -> u32 {
        self.state.handle.n_pes
    }

    /// Returns the members, in order.
    pub fn members(&self) -> &[Pe] {
        &self.state.members
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> u32 {
        self.state.handle.slots
    }

    /// Returns the number of blocks of `threads` threads that can run on this PE at once.
    pub(super) fn resident_blocks(&self, threads: u32) -> u32 {
        self.state.resident.blocks(threads)
    }

    /// Returns whether every member reaches every other one by loads and stores.
    pub fn is_load_store(&self) -> bool {
        self.state.handle.flags & TeamParts::LOAD_STORE != 0
    }

    /// Returns the number in `other` of this team's member `member`; `None` if there is no such member, or it is not in
    /// `other`. PEs of different worlds are different ones, also if they have the same number.
    pub fn translate(&self, member: u32, other: &Team<'_>) -> Option<u32> {
        if !std::ptr::eq(self.world, other.world) {
            return None;
        }
        let pe = self.state.members.get(member as usize)?;
        other.state.members.iter().position(|other| other == pe).map(|number| number as u32)
    }
}

impl Drop for TeamState {
    fn drop(&mut self) {
        if let (Some(area), Some(dropped)) = (self.area.take(), self.dropped.upgrade()) {
            dropped.add(area);
        }
    }
}

impl World {
    /// Makes a team of these PEs, in this order. Each of them calls, with the same arguments; no other PE is needed.
    /// Two PEs make the teams that both belong to in the same order. After a member has missed the limit, it and this
    /// PE can't make another team together.
    ///
    /// # Errors
    /// This PE is not among them, or one is listed twice or does not exist; members pass different arguments (named);
    /// the memory of teams is used up on one (named), and teams that it has dropped are not dropped by their other
    /// members within half of the limit; one does not call within the limit, or died; or this thread records a graph.
    pub fn team(&self, pes: &[Pe], options: TeamOptions) -> Result<Team<'_>> {
        // Before any message: other members would make a team that this PE does not have.
        self.refuse_in_capture("team")?;
        let action = || format!("make a team of {} PEs", pes.len());
        let refuse = |reason: String| Error::new(ErrorKind::InvalidArgument, action()).because(reason);
        let mut seen = std::collections::BTreeSet::new();
        for &pe in pes {
            self.check_pe(action, pe)?;
            if !seen.insert(pe) {
                return Err(refuse(format!("{pe} is in it twice")));
            }
        }
        let Some(me) = pes.iter().position(|pe| *pe == self.me) else {
            return Err(refuse(format!("{}, which makes it, is not in it", self.me)).hint("only members make a team"));
        };
        self.say_good_byes()?;
        let memory = self.teams.memory();
        let bytes = memory.end - memory.start;
        let shape = |share| options.shape(pes.len() as u32, bytes, share, self.teams.resident());
        let mut handle = TeamParts { me: me as u32, ..shape(bytes / LARGEST_SHARE)? };
        let area = self.take_area(options, &shape, &mut handle);
        let met = self.meet_members(pes, options, &handle, &area);
        let mut area = area?;
        // A member that was late may still make the team, and use this area.
        let Met { members, nodes, all_load_store, slots, payload } = match met? {
            Ok(met) => met,
            Err(error) => {
                self.teams.give_back(area);
                return Err(error);
            }
        };
        // The area has room for this shape: no member's is smaller.
        if let Some(shape) = TeamParts::of_shape(handle.n_pes, slots, payload) {
            handle = TeamParts { me: handle.me, area: handle.area, number: handle.number, ..shape };
        }
        let stride = if pes.len() > 1 { pes[1].number().wrapping_sub(pes[0].number()) } else { 0 };
        let strided =
            (0..).zip(pes).all(|(k, pe): (u32, _)| pe.number() == pes[0].number().wrapping_add(stride.wrapping_mul(k)));
        let uniform = strided && members.iter().all(|member| member.area == handle.area);
        let marks = if options.without_relays { None } else { relays::marks(&nodes, me) };
        // The marks are in the table of members.
        handle.flags = match &marks {
            Some(_) => TeamParts::RELAYED,
            None => {
                let load_store = if all_load_store { TeamParts::LOAD_STORE } else { 0 };
                load_store | if uniform { TeamParts::UNIFORM } else { 0 }
            }
        };
        if options.without_comparison {
            handle.flags |= TeamParts::UNCOMPARED;
        }
        (handle.first, handle.stride) = (pes[0].number(), stride);
        handle.members = self.state().own + handle.area;
        let marks = marks.unwrap_or(vec![0; members.len()]);
        let words: Vec<u64> =
            members.iter().zip(marks).flat_map(|(member, marks)| [member.pe | marks, member.area]).collect();
        self.put_in_area(self.me, handle.area, &words)?;
        self.put_in_area(self.me, handle.area + handle.kept(), &handle.words())?;
        area.is_used_by(handle, members);
        let (dropped, resident) = (Arc::downgrade(self.teams.dropped()), self.teams.resident());
        let state = TeamState { handle, members: pes.to_vec(), area: Some(area), dropped, resident };
        Ok(Team { world: self, state: Arc::new(state) })
    }

    /// Drops a team after its last call has ended, and announces it to the other members: its memory may be used again
    /// once all of them have dropped it. Returns at once.
    ///
    /// # Errors
    /// A transport failed, or a kernel has; the team is of another world; or this thread records a graph. The team is
    /// dropped all the same. If it was not announced, the next barrier of the host of its world announces it.
    pub fn drop_team(&self, team: Team<'_>) -> Result<()> {
        self.check_team("drop_team", &team)?;
        drop(team);
        self.refuse_in_capture("drop_team")?;
        self.say_good_byes()
    }

    #[cfg(feature = "capi")]
    #[doc(hidden)]
    /// Returns the team of a detached value. Allocates nothing.
    ///
    /// # Errors
    /// `InvalidArgument` if the team is of another world.
    #[doc(hidden)]
    pub fn attach_team(&self, team: DetachedTeam) -> Result<Team<'_>> {
        match std::ptr::eq(team.0.dropped.as_ptr(), Arc::as_ptr(self.teams.dropped())) {
            true => Ok(Team { world: self, state: team.0 }),
            false => Err(Error::new(ErrorKind::InvalidArgument, "use a team").because("it is of another world")),
        }
    }

    /// Checks that a team was made by this PE in this world: its handle is about this PE, and its memory in this heap.
    pub(super) fn check_team(&self, call: &str, team: &Team<'_>) -> Result<()> {
        match std::ptr::eq(self, team.world) {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::InvalidArgument, format!("call `{call}`"))
                .because("the team belongs to another world, or to another PE")
                .hint("make one with this world's `team`")),
        }
    }

    /// Makes a team of all PEs. Collective.
    ///
    /// # Errors
    /// As [`team`](World::team).
    pub fn team_world(&self) -> Result<Team<'_>> {
        self.refuse_in_capture("team_world")?;
        self.team(&self.pes().collect::<Vec<_>>(), TeamOptions::default())
    }

    /// Makes a team of the PEs that this one reaches by loads and stores, itself included. Each of them calls.
    ///
    /// # Errors
    /// As [`team`](World::team).
    pub fn team_shared(&self) -> Result<Team<'_>> {
        self.refuse_in_capture("team_shared")?;
        let reached = |pe: &Pe| self.toward(*pe).reach(*pe) == Reach::LoadStore;
        self.team(&self.pes().filter(reached).collect::<Vec<_>>(), TeamOptions::default())
    }

    /// Makes a team of the PEs of this host. Each of them calls.
    ///
    /// # Errors
    /// As [`team`](World::team).
    pub fn team_node(&self) -> Result<Team<'_>> {
        self.refuse_in_capture("team_node")?;
        let here = |pe: &Pe| self.control.same_host(*pe);
        self.team(&self.pes().filter(here).collect::<Vec<_>>(), TeamOptions::default())
    }
}

/// Returns the description of a member for the others.
fn member(pe: Pe, area: u64) -> Member {
    Member { pe: pe.number().into(), area }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pes_of_different_gpus_have_grids_of_the_smallest() {
        let controls = Control::in_process(3, Some(std::time::Duration::from_secs(20))).unwrap();
        let blocks = std::thread::scope(|scope| {
            let each = controls.into_iter().zip([132, 114, 128]);
            let threads: Vec<_> = each
                .map(|(control, count)| {
                    scope.spawn(move || {
                        let resident = Resident::Blocks { count, sharers: 2 }.smallest(&control).unwrap();
                        let found = (resident.blocks(512), resident.sharers());
                        control.leave().unwrap();
                        found
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(blocks, [(114, 2); 3]);
    }
}

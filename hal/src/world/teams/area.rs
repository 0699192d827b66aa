//! The areas of teams: a part of the first extent, which each PE shares out by itself.
//!
//! The areas of a team's members may lie at different offsets. A member that has dropped a team says good-bye in the
//! area of each other member, after all that it has written there. An area is free when all have said so.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use offset_allocator::{Allocation, Allocator};
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, Remote, SymAddr};
use oxshmem_raw::state::team::{Member, TeamParts};

use super::{LARGEST_SHARE, Resident, TeamOptions, World};
use crate::heap::UNIT;

/// The memory of teams of one PE.
pub(in crate::world) struct Teams {
    memory: Range<u64>,
    resident: Resident,
    free: Mutex<Free>,
    dropped: Arc<Dropped>,
}

struct Free {
    allocator: Allocator,
    /// Areas whose members have not all said good-bye.
    leaving: Vec<Area>,
    /// The number of the last team.
    made: u32,
    /// Number of areas in use.
    areas: u64,
    /// By PE, the number of the last message to it.
    pub(super) messages: Vec<u16>,
}

/// Areas of teams that were dropped, until this PE says good-bye.
#[derive(Debug, Default)]
pub(super) struct Dropped(Mutex<Vec<Area>>);

/// The area of a team on this PE.
pub(super) struct Area {
    allocation: Allocation,
    handle: TeamParts,
    members: Vec<Member>,
}

impl std::fmt::Debug for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Area({:#x})", self.handle.area)
    }
}

impl Area {
    /// Notes the team that uses the area.
    pub(super) fn is_used_by(&mut self, handle: TeamParts, members: Vec<Member>) {
        (self.handle, self.members) = (handle, members);
    }
}

impl Free {
    /// Allocates the area of a new team, and sets its shape and the team's number. `shape` returns the shape that takes
    /// about so many bytes; `memory` is the size of the memory of teams.
    ///
    /// A team takes an eighth of the memory at most. With `n` areas in use it takes one part of `n + 3` of the bytes
    /// that are left, so that the sizes fall with the square of the number of teams; the last eighth is for teams of the
    /// least size.
    fn allocate(
        &mut self,
        memory: u64,
        shape: &dyn Fn(u64) -> Result<TeamParts>,
        handle: &mut TeamParts,
    ) -> Result<Option<Allocation>> {
        let (largest, free) =
            (memory / LARGEST_SHARE, u64::from(self.allocator.storage_report().total_free_space) * UNIT);
        let mut share = largest.min(free.saturating_sub(largest) / (self.areas + 3));
        loop {
            *handle = TeamParts { me: handle.me, ..shape(share)? };
            let units = u32::try_from(handle.area_bytes().div_ceil(UNIT)).unwrap_or(u32::MAX);
            if let Some(allocation) = self.allocator.allocate(units) {
                self.areas += 1;
                self.made += 1;
                handle.number = self.made;
                return Ok(Some(allocation));
            }
            if share == 0 {
                return Ok(None);
            }
            // No free piece is so large.
            share /= 2;
        }
    }

    fn free(&mut self, allocation: Allocation) {
        self.allocator.free(allocation);
        self.areas -= 1;
    }

    /// Frees the areas with a good-bye of each other member, which `byes` returns by member. Returns their number, and
    /// the number of the others that no dead member keeps.
    fn free_left(
        &mut self,
        byes: impl Fn(&Area) -> Result<Vec<u64>>,
        is_dead: impl Fn(Pe) -> bool,
    ) -> Result<(usize, usize)> {
        let (mut at, mut freed, mut awaited) = (0, 0, 0);
        // An area leaves the list when it is freed, and not earlier: reading its good-byes may fail.
        while let Some(area) = self.leaving.get(at) {
            let byes = byes(area)?;
            let is_missing = |from: &u32| *from != area.handle.me && byes[*from as usize] == 0;
            let missing: Vec<u32> = (0..area.handle.n_pes).filter(is_missing).collect();
            if missing.is_empty() {
                let area = self.leaving.swap_remove(at);
                self.free(area.allocation);
                freed += 1;
                continue;
            }
            let is_dead = |from: &u32| is_dead(Pe::new(area.members[*from as usize].pe as u32));
            awaited += usize::from(!missing.iter().any(is_dead));
            at += 1;
        }
        Ok((freed, awaited))
    }
}

impl Dropped {
    pub(super) fn add(&self, area: Area) {
        lock(&self.0).push(area);
    }
}

impl std::fmt::Debug for Teams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Teams({:?})", self.memory)
    }
}

impl Teams {
    /// Shares out this range of the heap.
    pub(in crate::world) fn new(memory: Range<u64>, resident: Resident) -> Self {
        let units = u32::try_from((memory.end - memory.start) / UNIT).unwrap_or(u32::MAX);
        let allocator = Allocator::with_max_allocs(units, units.clamp(2, 1 << 16));
        let free = Mutex::new(Free { allocator, leaving: Vec::new(), made: 0, areas: 0, messages: Vec::new() });
        Self { memory, resident, free, dropped: Arc::default() }
    }

    /// Returns the heap offsets of the memory.
    pub(in crate::world) fn memory(&self) -> Range<u64> {
        self.memory.clone()
    }

    /// Returns the work of a kernel that this PE's device can hold.
    pub(in crate::world) fn resident(&self) -> Resident {
        self.resident
    }

    /// Takes back an area that no member has used.
    pub(super) fn give_back(&self, area: Area) {
        lock(&self.free).free(area.allocation);
    }

    pub(super) fn dropped(&self) -> &Arc<Dropped> {
        &self.dropped
    }

    /// Returns the number of the next message to a PE.
    pub(super) fn next_message(&self, to: Pe) -> u16 {
        let messages = &mut lock(&self.free).messages;
        if messages.len() <= to.index() {
            messages.resize(to.index() + 1, 0);
        }
        messages[to.index()] = messages[to.index()].wrapping_add(1);
        messages[to.index()]
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The locked data is consistent between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// Takes an area, cleared, and sets its shape and offset and the team's number. `shape` returns the shape that
    /// takes about so many bytes.
    ///
    /// # Errors
    /// There is no room, and none becomes free within half of the limit: the other members wait for this PE's answer,
    /// and would otherwise reach the limit before it comes.
    pub(super) fn take_area(
        &self,
        options: TeamOptions,
        shape: &dyn Fn(u64) -> Result<TeamParts>,
        handle: &mut TeamParts,
    ) -> Result<Area> {
        let (memory, start) = (self.teams.memory(), Instant::now());
        if options.fits_slots() {
            // Memory that all members have left counts as free.
            self.free_what_all_left()?;
        }
        let allocation = loop {
            if let Some(allocation) = lock(&self.teams.free).allocate(memory.end - memory.start, shape, handle)? {
                break allocation;
            }
            let (freed, awaited) = self.free_what_all_left()?;
            if freed > 0 {
                continue;
            }
            if awaited == 0 || self.config.wait_limit.is_some_and(|limit| start.elapsed() > limit / 2) {
                let report = lock(&self.teams.free).allocator.storage_report();
                let reason = match awaited {
                    0 => "the memory of teams is in use".into(),
                    awaited => format!(
                        "the memory of teams is in use; {awaited} dropped teams wait for other members to drop them"
                    ),
                };
                let action = format!("make a team of {} PEs with {} slots", handle.n_pes, handle.slots);
                return Err(Error::new(ErrorKind::Exhausted, action)
                    .because(reason)
                    .amount(handle.area_bytes(), u64::from(report.largest_free_region) * UNIT, "bytes in one piece")
                    .hint("raise OXSHMEM_TEAM_MEMORY, ask for fewer slots, or drop teams that are not needed")
                    .about(self.me));
            }
            std::thread::yield_now();
        };
        handle.area = memory.start + u64::from(allocation.offset) * UNIT;
        // SAFETY: **mapped**: the memory of teams is in the first extent, and the allocator has just given this part.
        let cleared =
            unsafe { self.machine.memory.fill(self.state().own + handle.area, 0, handle.area_bytes() as usize) };
        let area = Area { allocation, handle: *handle, members: Vec::new() };
        match cleared {
            Ok(()) => Ok(area),
            Err(error) => {
                self.teams.give_back(area);
                Err(error)
            }
        }
    }

    /// Says good-bye for the teams that were dropped since the last call.
    ///
    /// # Errors
    /// A transport failed, or a kernel has. No area is lost: its good-byes are said by the next call, or were said as
    /// far as they could be.
    pub(in crate::world) fn say_good_byes(&self) -> Result<()> {
        let dropped = std::mem::take(&mut *lock(&self.teams.dropped.0));
        if dropped.is_empty() {
            return Ok(());
        }
        if dropped.iter().any(|area| area.handle.flags & TeamParts::LOAD_STORE == 0) {
            // Operations that kernels have left on queues must not arrive after the good-bye.
            if let Err(error) = self.complete_queues() {
                lock(&self.teams.dropped.0).extend(dropped);
                return Err(error);
            }
        }
        // One failure keeps no other member from its good-bye. None is said twice: the first one may have arrived, and
        // the member may use its area for another team.
        let mut said = Ok(());
        for area in &dropped {
            said = said.and(self.say_good_bye(area));
        }
        lock(&self.teams.free).leaving.extend(dropped);
        said.and(self.quiet())
    }

    /// Writes a good-bye into the area of each other member that lives, and returns the first failure.
    fn say_good_bye(&self, area: &Area) -> Result<()> {
        // Kernels that check find another handle there.
        let mut said = self.put_in_area(self.me, area.handle.area + area.handle.kept(), &[u64::MAX]);
        for member in area.members.iter().filter(|member| member.pe != u64::from(self.me.number())) {
            let pe = Pe::new(member.pe as u32);
            let is_dead = || self.control.death_of(pe).is_some();
            // A queue to a dead PE would fail, and with it each later call that completes queues.
            if is_dead() {
                continue;
            }
            let bye = self.put_in_area(pe, member.area + area.handle.bye(area.handle.me), &[1]);
            // The death may be the reason of the failure, and is known later.
            said = said.and(bye.or_else(|error| if is_dead() { Ok(()) } else { Err(error) }));
        }
        said
    }

    /// Frees the areas whose members have all said good-bye. Returns their number, and the number of the others that no
    /// dead member keeps.
    fn free_what_all_left(&self) -> Result<(usize, usize)> {
        let read = |area: &Area| {
            let mut byes = vec![0_u64; area.members.len()];
            self.get_own(area.handle.area + area.handle.bye(0), &mut byes).map(|()| byes)
        };
        lock(&self.teams.free).free_left(read, |pe| self.control.death_of(pe).is_some())
    }

    /// Writes words at an offset of a PE's heap, which may be the library's part.
    pub(super) fn put_in_area(&self, pe: Pe, at: u64, words: &[u64]) -> Result<()> {
        let put = self.toward(pe).put(Remote { pe, at: SymAddr::new(at) }, crate::plain::bytes_of(words));
        put.map_err(|error| self.failed_call_to(pe, error))
    }

    /// Reads words at an offset of this PE's heap, which may be the library's part.
    pub(super) fn get_own(&self, at: u64, words: &mut [u64]) -> Result<()> {
        let from = Remote { pe: self.me, at: SymAddr::new(at) };
        self.toward(self.me).get(crate::plain::bytes_of_mut(words), from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, DeviceChoice};

    fn config() -> Config {
        Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20)
    }

    /// Returns the numbers of areas in use, of dropped teams, and of those among them that wait for other members.
    fn areas(world: &World) -> (u64, usize, usize) {
        let free = lock(&world.teams.free);
        (free.areas, lock(&world.teams.dropped.0).len(), free.leaving.len())
    }

    #[test]
    fn teams_are_neither_made_nor_split_nor_dropped_in_a_capture_and_each_call_names_itself() {
        World::threads(2, &config(), |world| {
            let (stream, team, table) = (world.stream()?, world.team_world()?, world.team_id_table()?);
            let parent = world.team_world()?;
            stream.capture(|_| {
                let pes: Vec<Pe> = world.pes().collect();
                let refused = [
                    ("team", world.team(&pes, TeamOptions::default()).map(drop)),
                    ("team_world", world.team_world().map(drop)),
                    ("team_shared", world.team_shared().map(drop)),
                    ("team_node", world.team_node().map(drop)),
                    ("team_by_id", world.team_by_id(&table, world.team_id(&table), 2, 0).map(drop)),
                    // Also where this PE is in none of the new teams.
                    ("split_strided", parent.split_strided(1 - parent.my_pe(), 1, 1).map(drop)),
                    ("split_2d", parent.split_2d(1).map(drop)),
                    ("drop_team", world.drop_team(team)),
                ];
                for (call, outcome) in refused {
                    let error = outcome.unwrap_err().to_string();
                    assert!(error.starts_with(&format!("cannot call `{call}` while")), "{error}");
                }
                Ok(())
            })?;
            assert_eq!(areas(world), (2, 1, 0), "the dropped team is still to be announced");
            world.barrier_all()?;
            assert_eq!(areas(world), (2, 0, 1));
            world.barrier_all()?;
            assert_eq!(world.free_what_all_left()?, (1, 0));
            // The members still agree on the number of their next message.
            world.drop_team(world.team_world()?)
        })
        .unwrap();
    }

    #[test]
    fn a_failure_after_the_good_byes_loses_no_area() {
        World::threads(2, &config(), |world| {
            let stream = world.stream()?;
            drop(world.team_world()?);
            // The last step is refused in a capture.
            stream.capture(|_| {
                world.say_good_byes().unwrap_err();
                Ok(())
            })?;
            assert_eq!(areas(world), (1, 0, 1));
            world.barrier_all()?;
            assert_eq!(world.free_what_all_left()?, (1, 0));
            Ok(())
        })
        .unwrap();
    }

    #[test]
    fn an_area_whose_good_byes_cannot_be_read_stays_in_the_list() {
        World::threads(1, &config(), |world| {
            // A team of one PE waits for no other one.
            (0..3).try_for_each(|_| world.drop_team(world.team_world()?))?;
            let (_, _, leaving) = areas(world);
            assert!(leaving > 0);
            let fail = |_: &Area| Err(Error::new(ErrorKind::System, "read the good-byes"));
            lock(&world.teams.free).free_left(fail, |_| false).unwrap_err();
            assert_eq!(areas(world), (leaving as u64, 0, leaving));
            assert_eq!(world.free_what_all_left()?, (leaving, 0));
            assert_eq!(areas(world), (0, 0, 0));
            Ok(())
        })
        .unwrap();
    }
}

//! Teams as C names them: by number.

use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxshmem_hal::{DetachedTeam, Error, ErrorKind, Pe, Result, Team, TeamIdTable, TeamOptions, World};

use super::Face;

/// `NVSHMEM_TEAM_INVALID`.
pub(crate) const INVALID: c_int = -1;

/// The teams by number, and the table of those with an id.
#[derive(Debug)]
pub(crate) struct Teams {
    list: Mutex<Vec<Option<TeamEntry>>>,
    pub(crate) ids: TeamIdTable,
}

#[derive(Clone, Debug)]
pub(crate) struct TeamEntry {
    pub(crate) team: DetachedTeam,
    pub(crate) num_contexts: c_int,
}

impl Teams {
    /// Makes the predefined teams. Collective.
    pub(crate) fn new(world: &World) -> Result<Self> {
        let (all, shared, node) = (world.team_world()?, world.team_shared()?, world.team_node()?);
        let numbers = world.all_gather("make the predefined teams", &node.my_pe().to_le_bytes())?;
        let same = |(_, number): &(u32, &Vec<u8>)| number[..] == node.my_pe().to_le_bytes();
        let same: Vec<Pe> = (0..).zip(&numbers).filter(same).map(|(pe, _)| Pe::new(pe)).collect();
        let same = world.team(&same, TeamOptions::default())?;
        let teams = [all, shared, node, same];
        for (number, team) in teams.iter().enumerate() {
            world.number_team(number, Some(team))?;
        }
        let list = teams.iter().map(|team| Some(TeamEntry { team: team.detached(), num_contexts: 0 })).collect();
        Ok(Self { list: Mutex::new(list), ids: world.team_id_table()? })
    }

    pub(crate) fn list(&self) -> MutexGuard<'_, Vec<Option<TeamEntry>>> {
        // The list is consistent between any two calls on it.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, number: c_int) -> Result<TeamEntry> {
        let found = usize::try_from(number).ok().and_then(|number| self.list().get(number).cloned().flatten());
        found.ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("use team {number}")).because(match number {
                INVALID => "it is NVSHMEM_TEAM_INVALID: this PE is not in it",
                _ => "there is no such team",
            })
        })
    }

    /// Gives a team the lowest free number.
    fn add(&self, world: &World, team: &Team<'_>, num_contexts: c_int) -> Result<c_int> {
        let mut list = self.list();
        let at = list.iter().position(Option::is_none).unwrap_or(list.len());
        world.number_team(at, Some(team))?;
        if at == list.len() {
            list.push(None);
        }
        list[at] = Some(TeamEntry { team: team.detached(), num_contexts });
        Ok(at as c_int)
    }
}

impl Face {
    /// Returns the team of this number.
    pub(crate) fn team(&self, number: c_int) -> Result<Team<'_>> {
        self.world.attach_team(self.teams.get(number)?.team)
    }

    /// Adds a team that this PE made, or returns the number of none.
    pub(crate) fn new_team(&self, team: Option<&Team<'_>>, num_contexts: c_int) -> Result<c_int> {
        team.map_or(Ok(INVALID), |team| self.teams.add(&self.world, team, num_contexts))
    }
}

//! Teams whose members know an id, and not each other's PE numbers.
//!
//! The members meet at a *table*, in the heap of the PE that made the id:
//!
//! 1. Each member writes its PE number, with the id's number, into the table's entry for its place in the team.
//! 2. It reads the entries of all places until each has the id's number.
//! 3. It makes the team of those PEs.

use std::sync::atomic::{AtomicU32, Ordering};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, SymPtr};

use super::{Team, TeamOptions};
use crate::world::World;

/// The number of ids of one PE that may be in use at a time.
const IDS: u32 = 64;

/// The places where members of teams meet that have an id.
#[derive(Debug)]
pub struct TeamIdTable {
    /// On each PE, an entry for each id and each place in a team.
    entries: SymPtr<u64>,
    made: AtomicU32,
}

impl World {
    /// Makes a table. Collective.
    ///
    /// # Errors
    /// As [`calloc`](World::calloc).
    pub fn team_id_table(&self) -> Result<TeamIdTable> {
        let entries = self.calloc((IDS * self.n_pes()) as usize)?;
        Ok(TeamIdTable { entries, made: AtomicU32::new(0) })
    }

    /// Makes an id, by which PEs that pass it to each other make a team ([`team_by_id`](World::team_by_id)). At most 64 ids
    /// of a PE may be in use at a time.
    pub fn team_id(&self, table: &TeamIdTable) -> u64 {
        let number = table.made.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        u64::from(number) << 32 | u64::from(self.my_pe().number())
    }

    /// Makes a team of `n_pes` PEs that have the same id, with this PE at place `me`. Each of them calls.
    ///
    /// # Errors
    /// As [`team`](World::team); `InvalidArgument` if it is no id, or two PEs have one place. While the members meet,
    /// also the death of a PE that is not among them is an error.
    pub fn team_by_id(&self, table: &TeamIdTable, id: u64, n_pes: u32, me: u32) -> Result<Team<'_>> {
        self.refuse_in_capture("team_by_id")?;
        let action = || format!("make a team of {n_pes} PEs by the id {id:#x}, with this one at place {me}");
        let (number, at) = ((id >> 32) as u32, id as u32);
        if number == 0 || at >= self.n_pes() || n_pes > self.n_pes() || me >= n_pes {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because(format!(
                "it is no id of this world, or there is no such place: the world has {} PEs",
                self.n_pes()
            )));
        }
        let (at, first) = (Pe::new(at), table.entries.add((number % IDS * self.n_pes()) as usize));
        let entry = |pe: u32| u64::from(number) << 32 | u64::from(pe);
        self.p(first.add(me as usize), entry(self.my_pe().number()), at)?;
        self.quiet()?;
        let mut entries = vec![0; n_pes as usize];
        // Ends at the death of any PE: a place without an entry may be that of the dead one. The members are known only
        // when all entries are there, and until then this PE also needs the one that made the id.
        let all = self.poll_until(&action, || {
            self.get(&mut entries, first, at)?;
            let is_there = |found: &u64| found >> 32 == u64::from(number);
            Ok(entries.iter().all(is_there).then(|| entries.iter().map(|found| Pe::new(*found as u32)).collect()))
        });
        let pes: Vec<Pe> = all?;
        if pes[me as usize] != self.my_pe() {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("{} has taken that place", pes[me as usize])));
        }
        self.team(&pes, TeamOptions::default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{Config, DeviceChoice};

    #[test]
    fn pes_that_know_an_id_and_their_places_are_a_team_and_need_no_other_pe() {
        let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
        let passed = Mutex::new(0);
        World::threads(4, &config, |world| {
            let table = world.team_id_table()?;
            let me = world.my_pe().number();
            for round in 0..3 {
                if me == 2 {
                    *passed.lock().unwrap() = world.team_id(&table);
                }
                world.barrier_all()?;
                let id = *passed.lock().unwrap();
                // PEs 3, 1 and 2, without PE 0.
                if let Some(place) = [3, 1, 2].iter().position(|pe| *pe == me) {
                    let team = world.team_by_id(&table, id, 3, place as u32)?;
                    assert_eq!(team.members(), [3, 1, 2].map(Pe::new), "round {round}");
                }
                world.barrier_all()?;
            }
            let refused = world.team_by_id(&table, 0, 2, 0).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
            Ok(())
        })
        .unwrap();
    }
}

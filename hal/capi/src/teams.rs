//! Functions that make, ask and destroy teams.

use std::ffi::c_int;

use oxshmem_hal::{Bootstrapped, Error, ErrorKind, Result};

use crate::call::{self, Status};
use crate::face::teams::INVALID;
use crate::pointers::give;
use crate::types::{TeamConfig, version_in, version_of};

/// The teams that always exist: `NVSHMEM_TEAM_WORLD`, `_SHARED`, `NVSHMEMX_TEAM_NODE`, `_SAME_MYPE_NODE`.
const PREDEFINED: usize = 4;
const WORLD: c_int = 0;
const NODE: c_int = 2;
/// The bit of the mask by which a configuration sets the number of contexts.
const NUM_CONTEXTS: i64 = 1;

/// The bit of the mask by which a configuration has an id.
const UNIQUE_ID: i64 = 2;

/// Returns the number of contexts that a configuration sets.
///
/// # Safety
///
/// **pointers**, as the crate defines them.
unsafe fn num_contexts(config: *const TeamConfig, mask: i64) -> Result<c_int> {
    // SAFETY: **pointers** by the caller.
    let config = unsafe { read(config, mask) }?;
    Ok(config.filter(|_| mask & NUM_CONTEXTS != 0).map_or(0, |(config, _)| config.num_contexts))
}

/// Returns a configuration, and its version if the program set it, if the mask says that there is one.
///
/// # Safety
///
/// **pointers**, as the crate defines them.
unsafe fn read(config: *const TeamConfig, mask: i64) -> Result<Option<(TeamConfig, Option<c_int>)>> {
    if config.is_null() || mask == 0 {
        return Ok(None);
    }
    // SAFETY: **pointers** by the caller; it is not null.
    let config = unsafe { config.read() };
    Ok(Some((config, version_in::<TeamConfig>(config.version, 2, "nvshmem_team_config_t")?)))
}

/// Returns this PE's number in a team and the team's size, if they are known before there is a world.
fn early(met: &Bootstrapped, team: c_int) -> Option<(u32, u32)> {
    match team {
        WORLD => Some((met.my_pe().number(), met.n_pes())),
        NODE => Some(met.place_on_host()),
        _ => None,
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvshmem_team_my_pe(team: c_int) -> c_int {
    match team {
        INVALID => -1,
        _ => call::query("nvshmem_team_my_pe", |met| Some(early(met, team)?.0), |face| Ok(face.team(team)?.my_pe())),
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvshmem_team_n_pes(team: c_int) -> c_int {
    match team {
        INVALID => -1,
        _ => call::query("nvshmem_team_n_pes", |met| Some(early(met, team)?.1), |face| Ok(face.team(team)?.n_pes())),
    }
}

export! {
    fn nvshmem_team_translate_pe(source: c_int, pe: c_int, dest: c_int) -> c_int = or(-1) |face| {
        if source == INVALID || dest == INVALID {
            return Ok(-1);
        }
        let (source, dest) = (face.team(source)?, face.team(dest)?);
        let found = u32::try_from(pe).ok().and_then(|pe| source.translate(pe, &dest));
        Ok(found.map_or(-1, |pe| pe as c_int))
    };
    /// Does nothing for `NVSHMEM_TEAM_INVALID`.
    fn nvshmem_team_get_config(team: c_int, config: *mut TeamConfig) = or_exit |face| {
        if team == INVALID {
            return Ok(());
        }
        let entry = face.teams.get(team)?;
        let version = version_of::<TeamConfig>(2);
        let filled = TeamConfig { version, num_contexts: entry.num_contexts, uniqueid: u64::MAX, padding: [0; 48] };
        // SAFETY: **pointers** by the caller.
        unsafe { give(config, filled) };
        Ok(())
    };
    /// A PE outside the parent has its team invalid, and gets an invalid team and a status, which is no error: programs
    /// split teams of several PEs alike on all PEs.
    fn nvshmem_team_split_strided(
        parent: c_int, start: c_int, stride: c_int, size: c_int, config: *const TeamConfig, mask: i64, made: *mut c_int,
    ) -> c_int = answer |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { give(made, INVALID) };
        if parent == INVALID {
            return Ok(Status::InvalidValue);
        }
        let parent = face.team(parent)?;
        // SAFETY: **pointers** by the caller.
        let num_contexts = unsafe { num_contexts(config, mask) }?;
        let (start, size) = (unsigned(start, "the first member")?, unsigned(size, "the number of members")?);
        let team = parent.split_strided(start, stride, size)?;
        // SAFETY: **pointers** by the caller.
        unsafe { give(made, face.new_team(team.as_ref(), num_contexts)?) };
        Ok(Status::Success)
    };
    /// For `NVSHMEM_TEAM_INVALID` as [`nvshmem_team_split_strided`].
    fn nvshmem_team_split_2d(
        parent: c_int, x_range: c_int, x_config: *const TeamConfig, x_mask: i64, x_made: *mut c_int,
        y_config: *const TeamConfig, y_mask: i64, y_made: *mut c_int,
    ) -> c_int = answer |face| {
        // SAFETY: **pointers** by the caller.
        unsafe {
            give(x_made, INVALID);
            give(y_made, INVALID);
        }
        if parent == INVALID {
            return Ok(Status::InvalidValue);
        }
        let parent = face.team(parent)?;
        // SAFETY: **pointers** by the caller.
        let contexts = unsafe { (num_contexts(x_config, x_mask)?, num_contexts(y_config, y_mask)?) };
        let (row, column) = parent.split_2d(unsigned(x_range, "the number of columns")?)?;
        // SAFETY: **pointers** by the caller.
        unsafe {
            give(x_made, face.new_team(Some(&row), contexts.0)?);
            give(y_made, face.new_team(Some(&column), contexts.1)?);
        }
        Ok(Status::Success)
    };
    /// Makes an id for a team, which its members pass to each other.
    fn nvshmemx_team_get_uniqueid(id: *mut u64) -> c_int = status |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { give(id, face.world.team_id(&face.teams.ids)) };
        Ok(())
    };
    /// Makes a team of the PEs that have the same id.
    fn nvshmemx_team_init(
        made: *mut c_int, config: *const TeamConfig, mask: i64, n_pes: c_int, place: c_int,
    ) -> c_int = status |face| {
        // SAFETY: **pointers** by the caller.
        unsafe { give(made, INVALID) };
        // SAFETY: **pointers** by the caller.
        let config = unsafe { read(config, mask) }?;
        // Version 1 has no id. Of a version that the program did not set, the mask says so.
        let Some((config, _)) = config.filter(|(_, version)| mask & UNIQUE_ID != 0 && *version != Some(1)) else {
            return Err(Error::new(ErrorKind::InvalidArgument, "make a team by an id").because(
                "the configuration has none: it is of version 2, and the mask has NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID",
            ));
        };
        let (n_pes, place) = (unsigned(n_pes, "the number of members")?, unsigned(place, "the place")?);
        let team = face.world.team_by_id(&face.teams.ids, config.uniqueid, n_pes, place)?;
        let num_contexts = if mask & NUM_CONTEXTS != 0 { config.num_contexts } else { 0 };
        // SAFETY: **pointers** by the caller.
        unsafe { give(made, face.new_team(Some(&team), num_contexts)?) };
        Ok(())
    };
    /// Does nothing for `NVSHMEM_TEAM_INVALID`.
    fn nvshmem_team_destroy(team: c_int) = or_exit |face| {
        if team == INVALID {
            return Ok(());
        }
        face.team(team)?;
        if (team as usize) < PREDEFINED {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("destroy team {team}"))
                .because("it is a predefined team"));
        }
        // No other thread's new team gets the number before kernels have lost this one.
        let mut list = face.teams.list();
        face.world.number_team(team as usize, None)?;
        let entry = list[team as usize].take();
        drop(list);
        // A call of another thread may have it still, and then drops it.
        entry.map_or(Ok(()), |entry| face.world.drop_team(face.world.attach_team(entry.team)?))
    };
}

fn unsigned(value: c_int, what: &str) -> Result<u32> {
    u32::try_from(value)
        .map_err(|_| Error::new(ErrorKind::OutOfRange, "split a team").because(format!("{what} is {value}")))
}

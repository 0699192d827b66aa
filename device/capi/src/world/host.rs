//! The variables of host PEs, one set for each OS thread, since a PE's kernel runs on one.

use std::cell::Cell;

use oxshmem_raw::state::WorldState;

thread_local! {
    static WORLD: Cell<WorldState> = Cell::default();
    static TEAMS: Cell<(u64, u64)> = Cell::default();
}

/// Sets the state for the calls of this OS thread: the world's, and the address and number of its handles of teams.
pub fn enter(state: WorldState, teams: (u64, u64)) {
    WORLD.set(state);
    TEAMS.set(teams);
}

pub(crate) fn world() -> WorldState {
    WORLD.get()
}

pub(crate) fn teams() -> (u64, u64) {
    TEAMS.get()
}

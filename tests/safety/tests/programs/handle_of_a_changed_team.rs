//! A team's calls would use memory that is not the team's.
use oxshmem_hal::TeamHandle;

fn longer(mut team: TeamHandle) -> TeamHandle {
    team.slots = 1 << 20;
    team
}

fn made() -> TeamHandle {
    TeamHandle(Default::default())
}

fn main() {}

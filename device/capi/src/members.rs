//! Numbers of PEs in teams.

use crate::teams::handle;

export! {
    /// Returns this PE's number in a team, or -1 if it is not a member.
    oxshmem_team_my_pe(team: i32) -> i32, if true => _shmem, _on => handle(team).map_or(-1, |team| team.me as i32);
    /// Returns the number of a team's members, or -1.
    oxshmem_team_n_pes(team: i32) -> i32, if true => _shmem, _on => handle(team).map_or(-1, |team| team.n_pes as i32);
    /// Returns the number in `to` of member `member` of a team, or -1.
    oxshmem_team_translate_pe(team: i32, member: i32, to: i32) -> i32, if true => _shmem, _on => {
        let (Some(team), Some(to)) = (handle(team), handle(to)) else { return -1 };
        if member < 0 || member as u32 >= team.n_pes {
            return -1;
        }
        let pe = team.member(member as u32).pe;
        let mut number = 0;
        while number < to.n_pes && to.member(number).pe != pe {
            number += 1;
        }
        if number < to.n_pes { number as i32 } else { -1 }
    };
}

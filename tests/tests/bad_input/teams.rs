//! Collectives and teams, with a stream or a team of another world.

use oxshmem_collectives as _;
use oxshmem_hal::{ErrorKind, Lists, Result, Stream, Sum, SymPtr, Team, World};
use oxshmem_tests::worlds::config;

use super::{far, says};

/// Makes each collective on a stream, and returns the outcomes with the calls' names.
fn collectives(stream: &Stream<'_>, team: &Team<'_>, at: SymPtr<u64>, count: usize) -> [(&'static str, Result<()>); 9] {
    let to = at.add(64);
    let lists = Lists { counts: at, source_starts: at, dest_starts: at };
    [
        ("team_barrier", team.on(stream).barrier()),
        ("team_sync", team.on(stream).sync()),
        ("broadcast", team.on(stream).broadcast(to, at, count, 0)),
        ("fcollect", team.on(stream).fcollect(to, at, count)),
        ("alltoall", team.on(stream).alltoall(to, at, count)),
        ("alltoallv", team.on(stream).alltoallv(to, at, lists)),
        ("reduce", team.on(stream).reduce(Sum, to, at, count)),
        ("reduce_maxloc", team.on(stream).reduce_maxloc::<i64>(to, at, count)),
        ("reducescatter", team.on(stream).reducescatter(Sum, to, at, count)),
    ]
}

/// Runs `body` with two worlds of one PE each.
fn in_two_worlds(body: impl Fn(&World, &World) -> Result<()> + Sync) {
    World::threads(1, &config(), |one| World::threads(1, &config(), |other| body(one, other)).map(drop)).unwrap();
}

#[test]
fn each_collective_refuses_a_stream_of_another_world_before_it_looks_at_the_ranges() {
    in_two_worlds(|one, other| {
        let (stream, team, at) = (other.stream()?, one.team_world()?, one.calloc::<u64>(128)?);
        for (at, count) in [(far(1 << 40), 4), (at, 0), (at, 4)] {
            for (call, outcome) in collectives(&stream, &team, at, count) {
                says(&outcome.unwrap_err(), ErrorKind::InvalidArgument, &[call, "the stream is of another world"]);
            }
        }
        Ok(())
    });
}

#[test]
fn a_call_of_a_world_on_a_team_refuses_one_of_another_world() {
    in_two_worlds(|one, other| {
        let (team, own) = (other.team_world()?, one.team_world()?);
        assert_eq!((own.translate(0, &team), own.translate(0, &own)), (None, Some(0)));
        // Each world's own teams work as before.
        [&own, &team].into_iter().try_for_each(Team::barrier)?;
        says(&one.drop_team(team).unwrap_err(), ErrorKind::InvalidArgument, &["drop_team", "another world"]);
        one.drop_team(own)
    });
}

//! Collectives and teams, with a stream or a team of another world.

use oxshmem_collectives as _;
use oxshmem_hal::{Collective, CollectiveOptions, ErrorKind, Result, Stream, Sum, SymPtr, Team, World};
use oxshmem_tests::worlds::config;

use super::{far, says};

/// Makes each collective on a stream, and returns the outcomes with the calls' names.
fn collectives(
    world: &World,
    stream: &Stream<'_>,
    team: &Team,
    at: SymPtr<u64>,
    count: usize,
) -> [(&'static str, Result<()>); 9] {
    let (way, to) = (CollectiveOptions::new(), at.add(64));
    [
        ("team_barrier", world.team_barrier_on(stream, team)),
        ("team_sync", world.team_sync_on(stream, team)),
        ("broadcast", world.broadcast_on(stream, team, way, to, at, count, 0)),
        ("fcollect", world.fcollect_on(stream, team, way, to, at, count)),
        ("alltoall", world.alltoall_on(stream, team, way, to, at, count)),
        ("alltoallv", world.alltoallv_on(stream, team, way, to, at, at, at, at)),
        ("reduce", world.reduce_on(stream, team, way, Sum, to, at, count)),
        ("reduce_maxloc", world.reduce_maxloc_on::<i64>(stream, team, way, to, at, count)),
        ("reducescatter", world.reducescatter_on(stream, team, way, Sum, to, at, count)),
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
            for (call, outcome) in collectives(one, &stream, &team, at, count) {
                says(&outcome.unwrap_err(), ErrorKind::InvalidArgument, &[call, "the stream is of another world"]);
            }
        }
        Ok(())
    });
}

#[test]
fn each_call_on_a_team_refuses_one_of_another_world() {
    in_two_worlds(|one, other| {
        let (team, own, at) = (other.team_world()?, one.team_world()?, one.calloc::<u64>(128)?);
        let refuses = |call: &str, outcome: Result<()>| {
            says(&outcome.unwrap_err(), ErrorKind::InvalidArgument, &[call, "the team belongs to another world"]);
        };
        for count in [0, 4] {
            for (call, outcome) in collectives(one, &one.own_stream(), &team, at, count) {
                refuses(call, outcome);
            }
        }
        refuses("reduce", one.reduce(&team, Sum, at, at, 4));
        refuses(
            "collective_grid",
            one.collective_grid(&team, CollectiveOptions::new(), Collective::Reduce, 8).map(drop),
        );
        refuses("split_strided", one.split_strided(&team, 0, 1, 1).map(drop));
        refuses("split_2d", one.split_2d(&team, 1).map(drop));
        refuses("number_team", one.number_team(5, Some(&team)));
        assert_eq!((own.translate(0, &team), own.translate(0, &own)), (None, Some(0)));
        // Each world's own teams work as before.
        for (world, team) in [(one, &own), (other, &team)] {
            world.team_barrier(team)?;
        }
        refuses("drop_team", one.drop_team(team));
        one.drop_team(own)
    });
}

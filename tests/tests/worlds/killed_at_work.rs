//! A PE that is killed while all make collectives, and not before one: the others may be in any wait of the call, where
//! a PE that stays away leaves them in the first one.

use std::time::{Duration, Instant};

use oxshmem_hal::{Algorithm, World};
use oxshmem_tests::worlds::{Body, Processes, say};

use crate::killed::{SOON, collective, in_a_kernel, options, tell, variable, wait_to_be_killed};

pub(crate) const BODIES: &[Body] = &[("repeated", in_repeated_calls)];

/// Words of a broadcast that goes in parts.
const IN_PARTS: usize = 1 << 17;

/// Makes a collective again and again until a PE is gone.
pub(crate) fn in_repeated_calls() {
    let call = variable("TEST_CALL");
    let world = World::init().unwrap();
    let (team, stream) = (world.team_world().unwrap(), world.stream().unwrap());
    let data = world.calloc::<u64>(IN_PARTS).unwrap();
    world.barrier_all().unwrap();
    let on_stream = |name: &str| match name {
        "broadcast in parts" => {
            team.on(&stream).with_options(options(Algorithm::Direct)).broadcast(data, data, IN_PARTS, 3)
        }
        name => collective(&stream, &team, name, data),
    };
    let recorded = call.strip_prefix("replay ");
    // The first collective of a world loads its kernels: before the capture, as programs do.
    team.barrier().unwrap();
    let replayed = recorded.map(|name| stream.capture(|_| on_stream(name)).unwrap());
    let once = || {
        match (&replayed, call.split_once(' ')) {
            (Some(graph), _) => graph.launch(&stream)?,
            (_, Some(("kernel", name))) => in_a_kernel(&world, &team, name, data)?,
            (_, Some((_, name))) => on_stream(name)?,
            _ => panic!("no call {call}"),
        }
        stream.synchronize()?;
        world.own_stream().synchronize()
    };
    once().unwrap();
    say("ready");
    let ended = loop {
        if let Err(error) = once() {
            break error;
        }
    };
    tell(&call, &ended);
    // A PE that left would be one more that is gone, which others may notice before the first.
    wait_to_be_killed();
}

/// Lets `world` work for a moment, kills PE `victim`, and checks that the others report an error of one of these kinds
/// that names it.
pub(crate) fn kill_at_work(mut world: Processes, call: &str, (victim, after): (u32, u64), kinds: &[&str]) {
    (0..4).for_each(|pe| world.until_said(pe, "ready"));
    // This does not wait for a condition: the moment itself is under test.
    std::thread::sleep(Duration::from_millis(after));
    let (killed, others) = (Instant::now(), || (0..4).filter(|pe| *pe != victim));
    world.kill(victim);
    others().for_each(|pe| world.until_said(pe, call));
    assert!(killed.elapsed() < SOON, "{call}: the others took {:?}", killed.elapsed());
    others().for_each(|pe| world.kill(pe));
    let ends = world.ends();
    for pe in others() {
        let error = &ends[pe as usize].said[1];
        let named = kinds.iter().any(|kind| error.contains(&format!("| {kind} | PE {victim} |")));
        assert!(named, "{call}: PE {pe} said {error}");
    }
}

#[test]
fn a_pe_killed_while_all_make_collectives_is_named_to_each() {
    let calls = [
        ("collective broadcast in parts", 5),
        ("collective reduce", 3),
        ("collective broadcast in parts", 0),
        ("collective large reduce", 8),
        ("collective broadcast in parts", 9),
        ("collective alltoallv", 2),
        ("collective maxloc", 4),
        ("replay fcollect", 7),
        ("kernel team_reduce_held", 1),
        ("kernel team_alltoall by warp", 6),
        ("kernel grid_fcollect", 3),
        ("kernel grid_barrier", 5),
    ];
    for (victim, (call, after)) in (0..).zip(calls) {
        let world = Processes::start("repeated", 4, &[("TEST_CALL", call)]);
        kill_at_work(world, call, (victim % 4, after), &["PeerDied"]);
    }
}

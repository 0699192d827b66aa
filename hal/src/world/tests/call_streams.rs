use std::thread;
use std::time::{Duration, Instant};

use oxshmem_collectives as _;
use oxshmem_core::{Cmp, Pe, Signal, Sum, SymPtr};

use super::*;
use crate::world::teams::{Team, TeamOptions};
use crate::{Config, DeviceChoice};

/// The objects of a call: those of the thread that waits differ from those of the other one.
struct Objects<'w> {
    team: Team<'w>,
    words: SymPtr<u64>,
}

/// The PEs that make a call, and so the other calls that meet it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    One,
    Team,
    /// The exchange of a new team's members, which one thread of a PE makes at a time.
    NewTeam,
    World,
}

type Call = (&'static str, Of, fn(&World, &Objects<'_>) -> Result<()>);

/// The peer of either PE.
fn other(world: &World) -> Pe {
    world.pe_after(1)
}

/// A call of PE 0 that waits until PE 1 makes it too, or puts the word.
const WAITING: [Call; 13] = [
    ("wait_until", Of::One, |world, with| match world.my_pe().number() {
        0 => world.wait_until(with.words, Cmp::Eq, 7).and_then(|_| world.p(with.words, 0, world.my_pe())),
        _ => world.p(with.words, 7, other(world)),
    }),
    ("team_barrier", Of::Team, |_, with| with.team.barrier()),
    ("team_sync", Of::Team, |_, with| with.team.sync()),
    ("broadcast", Of::Team, |_, with| with.team.broadcast(with.words.add(8), with.words.add(4), 4, 1)),
    ("fcollect", Of::Team, |_, with| with.team.fcollect(with.words.add(8), with.words.add(4), 4)),
    ("alltoall", Of::Team, |_, with| with.team.alltoall(with.words.add(8), with.words.add(4), 2)),
    ("reduce", Of::Team, |_, with| with.team.reduce(Sum, with.words.add(8), with.words.add(4), 4)),
    ("reduce_maxloc", Of::Team, |_, with| with.team.reduce_maxloc::<i64>(with.words.add(8), with.words.add(4), 2)),
    ("reducescatter", Of::Team, |_, with| with.team.reducescatter(Sum, with.words.add(8), with.words.add(4), 2)),
    ("team", Of::NewTeam, |world, _| {
        let pes: Vec<Pe> = world.pes().collect();
        world.drop_team(world.team(&pes, TeamOptions::default().with_slots(1).with_payload(16))?)
    }),
    ("barrier_all", Of::World, |world, _| world.barrier_all()),
    ("sync_all", Of::World, |world, _| world.sync_all()),
    ("malloc", Of::World, |world, _| world.free(world.malloc::<u64>(1)?)),
];

/// A call that ends without the waiting thread's.
const OTHERS: [Call; 16] = [
    ("put", Of::One, |world, with| world.put(with.words.add(16), &[1; 4], other(world))),
    ("get", Of::One, |world, with| world.get(&mut [0; 4], with.words.add(16), other(world))),
    ("p and g", Of::One, |world, with| {
        world.p(with.words, 3, other(world))?;
        world.g(with.words, other(world)).map(drop)
    }),
    ("fence", Of::One, |world, _| world.fence()),
    ("quiet", Of::One, |world, _| world.quiet()),
    ("synchronize", Of::One, |world, _| world.own_stream().synchronize()),
    ("atomic_fetch_add", Of::One, |world, with| world.at(with.words, other(world)).fetch_add(1).map(drop)),
    ("iput on a stream", Of::One, |world, with| {
        world.own_stream().iput(with.words.add(16), with.words.add(24), 2, 1, 4, other(world))?;
        world.own_stream().synchronize()
    }),
    ("iget on a stream", Of::One, |world, with| {
        world.own_stream().iget(with.words.add(24), with.words.add(16), 1, 2, 4, other(world))?;
        world.own_stream().synchronize()
    }),
    ("signal on a stream", Of::One, |world, with| {
        world.own_stream().signal(Signal::add(with.words, 1), other(world))?;
        world.own_stream().synchronize()
    }),
    ("words", Of::One, |world, with| world.words(with.words, 4).map(drop)),
    ("wait_until", Of::One, |world, with| world.wait_until(with.words, Cmp::Ge, 0).map(drop)),
    ("barrier_all on a stream", Of::Team, |world, _| {
        let stream = world.stream()?;
        stream.barrier_all()?;
        stream.synchronize()
    }),
    ("graph", Of::One, |world, with| {
        let stream = world.stream()?;
        let signal = |on: &Stream<'_>| on.signal(Signal::add(with.words, 1), other(world));
        stream.capture(signal)?.launch(&stream)?;
        stream.synchronize()
    }),
    ("two collectives", Of::Team, |_, with| {
        with.team.barrier()?;
        with.team.reduce(Sum, with.words.add(8), with.words.add(4), 4)
    }),
    ("launches and a collective", Of::Team, |world, with| {
        world.own_stream().signal(Signal::add(with.words.add(1), 1), other(world))?;
        with.team.fcollect(with.words.add(8), with.words.add(1), 1)
    }),
];

/// Waits until both PEs have come as often, without any call of the world; fails if the other one does not come.
fn meet(came: &[AtomicUsize; 2], me: usize) {
    let (mine, start) = (came[me].fetch_add(1, Ordering::AcqRel) + 1, Instant::now());
    while came[1 - me].load(Ordering::Acquire) < mine {
        assert!(start.elapsed() < 3 * LIMIT, "the other PE has failed");
        thread::yield_now();
    }
}

const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn no_call_of_a_thread_waits_for_a_wait_or_a_collective_of_another_thread() {
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(4 << 20);
    let came = [const { AtomicUsize::new(0) }; 2];
    World::threads(2, &config.with_wait_limit(LIMIT), |world| {
        let me = world.my_pe().index();
        let make = || Ok(Objects { team: world.team_world()?, words: world.calloc::<u64>(32)? });
        let (of_waiting, of_other): (Objects<'_>, Objects<'_>) = (make()?, make()?);
        let world_calls = WAITING.iter().filter(|(_, of, _)| matches!(of, Of::World | Of::NewTeam));
        let others: Vec<&Call> = OTHERS.iter().chain(world_calls).collect();
        for (waiting_name, waiting_of, waiting) in &WAITING {
            for (name, of, call) in others.iter().copied() {
                // Calls of the same PEs by the same means, which threads of a PE make one after another.
                if waiting_of == of && matches!(of, Of::World | Of::NewTeam) {
                    continue;
                }
                let said = |error| format!("{name} beside {waiting_name}: {error}");
                thread::scope(|scope| {
                    let waits = (me == 0).then(|| {
                        let waits = scope.spawn(|| waiting(world, &of_waiting));
                        while *waiting_of == Of::Team && !world.call_streams.in_use() {
                            thread::yield_now();
                        }
                        waits
                    });
                    if waits.is_some() || *of != Of::One {
                        call(world, &of_other).map_err(said).unwrap();
                    }
                    meet(&came, me);
                    match waits {
                        Some(waits) => waits.join().unwrap(),
                        None => waiting(world, &of_waiting),
                    }
                    .map_err(said)
                    .unwrap();
                    meet(&came, me);
                });
            }
        }
        assert!(world.call_streams.idle().len() <= 2, "streams are used again");
        world.barrier_all()
    })
    .unwrap();
}

#[test]
fn a_collective_of_the_host_follows_the_work_of_the_worlds_own_stream() {
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    World::threads(2, &config, |world| {
        let (team, words) = (world.team_world()?, world.calloc::<u64>(2)?);
        let is_first = world.my_pe().number() == 0;
        // PE 0's own stream waits for PE 1, which puts the word before its own part of the collective.
        if is_first {
            world.own_stream().wait_until(words, Cmp::Eq, 1)?;
            world.own_stream().signal(Signal::set(words.add(1), 1), other(world))?;
        } else {
            world.p(words, 1, other(world))?;
        }
        team.barrier()?;
        assert_eq!(world.g(words.add(1), world.my_pe())?, u64::from(!is_first));
        world.barrier_all()
    })
    .unwrap();
}

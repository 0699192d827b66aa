//! Worlds whose PEs are reached by several paths, as PEs report them.

use oxshmem_fakes::{soft_nic, soft_verbs};
use oxshmem_hal::config::RemoteChoice;
use oxshmem_hal::launcher::Launcher;
use oxshmem_hal::{Pe, QpHandle, World};
use oxshmem_raw::os::private::Scratch;
use oxshmem_tests::worlds::{self, Body, Processes, say};

pub(crate) const BODIES: &[Body] = &[("who reaches whom", who_reaches_whom)];

/// Returns the PEs' reports about their paths in a world of threads, after each PE has put to each and got from each.
/// Each pair of consecutive PEs is connected by load/store, and the PEs of `proxied` use proxies.
fn paths(n_pes: u32, proxied: &[u32]) -> Vec<String> {
    soft_nic::install().unwrap();
    soft_verbs::install(3);
    let config = |pe: Pe| {
        let mut config = worlds::config().with_max_p2p_gpus(2);
        config.remote = RemoteChoice::Named(if proxied.contains(&pe.number()) { "ibrc" } else { "ibgda" }.into());
        config
    };
    let said = World::threads_with(n_pes, Some(worlds::DEADLINE / 2), config, |world| Ok(told(world))).unwrap();
    said.into_iter().map(Result::unwrap).collect()
}

/// Returns the transports to the PEs, in order, each of which has carried a word there and back.
fn told(world: &World) -> String {
    let n = world.n_pes() as usize;
    let words = world.calloc::<u64>(n).unwrap();
    let me = world.my_pe();
    let word = |from: Pe, to: Pe| u64::from(from.number() << 8 | to.number() | 1 << 16);
    world.barrier_all().unwrap();
    for pe in world.pes() {
        world.p(words.add(me.index()), word(me, pe), pe).unwrap();
    }
    world.quiet().unwrap();
    world.barrier_all().unwrap();
    for pe in world.pes() {
        let mut seen = vec![0; n];
        world.get(&mut seen, words, pe).unwrap();
        assert_eq!(seen, world.pes().map(|from| word(from, pe)).collect::<Vec<_>>(), "words of {pe}");
    }
    let far = |pe: &Pe| world.transport_to(*pe).unwrap() != "nvlink";
    let far: Vec<u32> = world.pes().filter(far).map(Pe::number).collect();
    if !far.is_empty() {
        check_queues(world, &far);
    }
    world.barrier_all().unwrap();
    world.pes().map(|pe| world.transport_to(pe).unwrap()).collect::<Vec<_>>().join(" ")
}

/// Checks that the calls about a PE's queues cover the queues of every path to a PE of `far`.
fn check_queues(world: &World, far: &[u32]) {
    let n = world.n_pes() as usize;
    // Handles are one stride apart, and each has the same row on every path, also where another row was destroyed.
    let check_rows = |handles: &[QpHandle], first: u32| {
        let counters = world.qps().counters().unwrap();
        for (&handle, row) in handles.iter().zip(first..) {
            assert_eq!(handle.raw(), handles[0].raw() + (row - first) as i32 * n as i32, "{handles:?}");
            let of_handle = counters.iter().filter(|of| of.handle == handle);
            let mut leads: Vec<(u32, u32)> = of_handle.map(|of| (of.pe.number(), of.row)).collect();
            leads.sort();
            assert_eq!(leads, far.iter().map(|pe| (*pe, row)).collect::<Vec<_>>(), "where a handle's queues lead");
        }
    };
    let default = world.config().nic.rows;
    let handles = world.qps().create(3).unwrap();
    check_rows(&handles, default);
    world.qps().destroy(&handles[1..2]).unwrap();
    let more = [world.qps().create(2).unwrap(), world.qps().create(1).unwrap()];
    assert_eq!(more[1][0], handles[1], "the free row is taken");
    check_rows(&handles, default);
    check_rows(&more[0], default + 3);
    world.qps().destroy(&[&handles[..], &more[0]].concat()).unwrap();
    let buffer = vec![0_u64; 1000];
    // SAFETY: **mapped**, **unshared**: `buffer` lives until it is unregistered, and no operation uses it.
    let register = |bytes| unsafe { world.user_memory().register_buffer(buffer.as_ptr() as u64, bytes) };
    register(8000).unwrap();
    assert!(register(8).is_err(), "it is registered");
    world.user_memory().unregister_buffer(buffer.as_ptr() as u64).unwrap();
    assert!(world.user_memory().unregister_buffer(buffer.as_ptr() as u64).is_err(), "it is not registered any more");
}

#[test]
fn pes_of_one_world_are_reached_by_three_paths_each_pair_by_the_best_that_both_ends_have() {
    let expected = [
        "nvlink nvlink ibgda ibrc",
        "nvlink nvlink ibgda ibrc",
        "ibgda ibgda nvlink nvlink",
        "ibrc ibrc nvlink nvlink",
    ];
    assert_eq!(paths(4, &[3]), expected);
    // PE 4 has no neighbour; PE 0 reaches no PE by a NIC's queues.
    let expected = [
        "nvlink nvlink ibrc ibrc ibrc",
        "nvlink nvlink ibgda ibgda ibgda",
        "ibrc ibgda nvlink nvlink ibgda",
        "ibrc ibgda nvlink nvlink ibgda",
        "ibrc ibgda ibgda ibgda nvlink",
    ];
    assert_eq!(paths(5, &[0]), expected);
    assert_eq!(paths(3, &[0, 1, 2])[2], "ibrc ibrc nvlink");
    assert_eq!(paths(3, &[])[2], "ibgda ibgda nvlink");
    assert_eq!(paths(2, &[1]), ["nvlink nvlink"; 2]);
}

fn who_reaches_whom() {
    soft_nic::install().unwrap();
    let world = World::init().unwrap();
    say(told(&world));
    world.finalize().unwrap();
}

#[test]
fn processes_that_give_their_machine_different_names_are_on_different_nodes() {
    let wire = Scratch::new("paths").unwrap();
    let variables = [("OXSHMEM_SOFTNIC_WIRE", wire.to_str().unwrap()), ("OXSHMEM_REMOTE_TRANSPORT", "ibgda")];
    let launcher = Launcher::new(4).unwrap();
    let world = Processes::start_with("who reaches whom", 0..4, &variables, |pe, command| {
        launcher.prepare(Pe::new(pe), command);
        command.env("OXSHMEM_HOST", format!("node {}", pe % 2));
    });
    let said: Vec<String> = world.all_succeed().concat();
    let (even, odd) = ("nvlink ibgda nvlink ibgda", "ibgda nvlink ibgda nvlink");
    assert_eq!(said, [even, odd, even, odd]);
    assert_eq!(std::fs::read_to_string(wire.join("violations")).unwrap_or_default(), "");
}

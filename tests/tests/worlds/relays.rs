//! Data for all members of a team on several nodes crosses to each node once.

use std::collections::BTreeMap;

use oxshmem_collectives as _;
use oxshmem_fakes::soft_nic;
use oxshmem_hal::config::RemoteChoice;
use oxshmem_hal::{CollectiveOptions, Located, Pe, Result, Sum, SymPtr, Team, TeamOptions, World};
use oxshmem_tests::worlds;

/// Elements of a collective, whose data is much more than that of announcements and comparisons.
const COUNT: usize = 3000;

/// Runs `body` on PEs in nodes of `on_node` consecutive ones, the last node perhaps smaller.
fn on_nodes(n_pes: u32, on_node: u32, body: impl Fn(&World) -> Result<()> + Send + Sync) {
    soft_nic::install().unwrap();
    let config = |_: Pe| {
        let mut config = worlds::config().with_heap_bytes(16 << 20).with_max_p2p_gpus(on_node);
        config.remote = RemoteChoice::Named("ibgda".into());
        config
    };
    let ended = World::threads_with(n_pes, Some(worlds::DEADLINE / 2), config, body).unwrap();
    ended.into_iter().for_each(|ended| ended.unwrap());
}

/// Returns the PEs to which this one has posted more than `bytes` bytes and at least one entry during `call`.
fn receivers(world: &World, bytes: u64, call: impl FnOnce() -> Result<()>) -> Result<Vec<u32>> {
    let posted = || -> Result<BTreeMap<u32, (u64, u64)>> {
        let mut all = BTreeMap::new();
        for queue in world.qps().counters()? {
            let (blocks, bytes) = all.entry(queue.pe.number()).or_default();
            (*blocks, *bytes) = (*blocks + queue.posted, *bytes + queue.bytes);
        }
        Ok(all)
    };
    world.barrier_all()?;
    let before = posted()?;
    call()?;
    world.own_stream().synchronize()?;
    let after = posted()?;
    let grew = |pe: &u32| {
        let (old, new) = (before.get(pe).copied().unwrap_or_default(), after[pe]);
        new.0 > old.0 && new.1 - old.1 >= bytes
    };
    let receivers = after.keys().copied().filter(grew).collect();
    // Barriers of the world use the same queues.
    world.barrier_all()?;
    Ok(receivers)
}

fn value(pe: usize, i: usize) -> f32 {
    // The order of the operands changes the sum.
    [1.0e8, 1.5, -1.0e8, 0.25][(pe + i) % 4] * (1 + i % 7) as f32
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Makes each collective, checks the results, and returns the receivers of this PE's data in each.
fn each(world: &World, team: &Team<'_>, dest: SymPtr<f32>, source: SymPtr<f32>) -> Result<Vec<Vec<u32>>> {
    let (n, me, stream, options) =
        (world.n_pes() as usize, world.my_pe().index(), &world.own_stream(), CollectiveOptions::new());
    let of = |pe: usize| (0..COUNT).map(|i| value(pe, i)).collect::<Vec<_>>();
    let bytes = 4 * COUNT as u64;
    let mut got = vec![0.0; n * COUNT];
    world.write(source, &of(me))?;
    let mut all = Vec::new();

    all.push(receivers(world, bytes, || team.on(stream).with_options(options).reduce(Sum, dest, source, COUNT))?);
    world.read(dest, &mut got[..COUNT])?;
    let sum = |i: usize| (1..n).fold(value(0, i), |sum, pe| sum + value(pe, i));
    assert_eq!(bits(&got[..COUNT]), bits(&(0..COUNT).map(sum).collect::<Vec<_>>()), "sums in the order of the members");

    all.push(receivers(world, bytes, || team.on(stream).with_options(options).fcollect(dest, source, COUNT))?);
    world.read(dest, &mut got)?;
    assert_eq!(bits(&got), bits(&(0..n).flat_map(of).collect::<Vec<_>>()), "gathered");

    for root in 0..n {
        let broadcast = || team.on(stream).with_options(options).broadcast(dest, source, COUNT, root as u32);
        let receivers = receivers(world, bytes, broadcast)?;
        assert!(root == me || receivers.is_empty(), "PE {me} sends data of PE {root} to {receivers:?}");
        if root == me {
            all.push(receivers);
        }
        world.read(dest, &mut got[..COUNT])?;
        assert_eq!(bits(&got[..COUNT]), bits(&of(root)), "from {root}");
    }

    let pairs = COUNT / 4;
    let located = |pe: usize, i: usize| Located::new(value(pe, i), pe as u64);
    let words = |pe| (0..pairs).flat_map(|i| located(pe, i).to_words()).collect::<Vec<u64>>();
    world.write(source.cast(), &words(me))?;
    let largest = || team.on(stream).with_options(options).reduce_maxloc::<f32>(dest.cast(), source.cast(), pairs);
    all.push(receivers(world, 16 * pairs as u64, largest)?);
    let mut seen = vec![0_u64; 2 * pairs];
    world.read(dest.cast(), &mut seen)?;
    let largest = |i| (1..n).fold(located(0, i), |most, pe| most.max(located(pe, i)));
    assert_eq!(seen, (0..pairs).flat_map(|i| largest(i).to_words()).collect::<Vec<_>>());

    all.push(receivers(world, 0, || team.on(stream).barrier())?);
    Ok(all)
}

#[test]
fn data_for_all_members_crosses_to_each_node_once_and_gives_the_same_bits() {
    for (n_pes, on_node) in [(4, 2), (6, 3), (5, 2)] {
        on_nodes(n_pes, on_node, |world| {
            let (n, me) = (world.n_pes() as usize, world.my_pe().number());
            let (dest, source) = (world.malloc::<f32>(n * COUNT)?, world.malloc::<f32>(COUNT)?);
            let pes: Vec<Pe> = world.pes().collect();
            let remote: Vec<u32> = (0..n_pes).filter(|pe| pe / on_node != me / on_node).collect();
            let direct = world.team(&pes, TeamOptions::default().without_relays())?;
            for receivers in each(world, &direct, dest, source)? {
                assert_eq!(receivers, remote, "PE {me} of {n_pes} without relays");
            }
            let relayed = world.team(&pes, TeamOptions::default())?;
            let nodes = |pes: &[u32]| pes.iter().map(|pe| pe / on_node).collect::<Vec<_>>();
            let mut others = nodes(&remote);
            others.dedup();
            for receivers in each(world, &relayed, dest, source)? {
                assert_eq!(nodes(&receivers), others, "PE {me} of {n_pes} sends to {receivers:?}");
            }
            Ok(())
        });
    }
}

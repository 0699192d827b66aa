//! Several NICs of a PE: rows take turns among them.

use super::*;
use oxshmem_rdma::wire::{Neighbours, NicCount, NicParams};

/// Creates a world in which each PE has the given number of NICs. The NICs of PE `i` have LIDs from `16 * i + 1` on.
fn world(counts: &[u16]) -> (World, Vec<Vec<Arc<Fake>>>) {
    let fakes: Vec<Vec<Arc<Fake>>> = (0..)
        .zip(counts)
        .map(|(pe, count)| (0..*count).map(|nic| Fake::new(&format!("mlx5_{nic}"), 16 * pe + nic + 1)).collect())
        .collect();
    let pes: Vec<_> = fakes.iter().map(|nics| (using(nics.len()), nics.clone())).collect();
    let mut world = World::of(&pes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    (world, fakes)
}

fn using(nics: usize) -> IbrcConfig {
    // Each PE has a host of its own, so that each begins with its first NIC.
    let neighbours = Some(Neighbours { place: 0, count: 1 });
    let nics = NicParams { count: NicCount::Count(nics as u32), neighbours, ..NicParams::default() };
    IbrcConfig { rows: 4, nics, ..config() }
}

/// The LID of the fake that returned this number.
fn lid_of(number: u64) -> u32 {
    (number as u32 & 0xf_ffff) >> 12
}

fn lid(pe: usize, nic: usize) -> u32 {
    (16 * pe + nic + 1) as u32
}

/// Checks that each queue of each row is on the NIC whose turn it is, at both ends, and has the keys of those NICs.
fn check_rows(world: &World, fakes: &[Vec<Arc<Fake>>], rows: u32, extents: u64) {
    let n_pes = world.pes.len();
    for me in 0..n_pes {
        for row in 0..rows {
            for pe in (0..n_pes).filter(|pe| *pe != me) {
                let what = format!("row {row} from PE {me} to PE {pe}");
                let (local, side) = (row as usize % fakes[me].len(), row as usize % fakes[pe].len());
                let qp_of = |me: usize, pe: usize| {
                    let mut queues = world.pes[me].rows.queues();
                    queues
                        .find(|(number, to, _)| (*number, to.index()) == (row, pe))
                        .unwrap()
                        .2
                        .connection()
                        .as_ref()
                        .unwrap()
                        .endpoint
                };
                let (mine, theirs) = (qp_of(me, pe), qp_of(pe, me));
                assert_eq!(lid_of(mine.handle.0), lid(me, local), "{what}");
                let connected = fakes[me][local].connected();
                let (_, to) = connected
                    .iter()
                    .find(|(qpn, _)| u64::from(*qpn) == mine.handle.0)
                    .unwrap_or_else(|| panic!("{what}"));
                assert_eq!((to.remote_qpn.into(), to.ah.dlid as u32), (theirs.handle.0, lid(pe, side)), "{what}");
                let (keys, peer) =
                    (world.pes[me].registrations[local].keys(), world.pes[me].peer_nic(side, Pe::new(pe as u32)));
                for extent in 0..extents {
                    let remote = keys.remote(peer, extent * EXTENT).unwrap_or_else(|| panic!("{what} has a key"));
                    assert_eq!(lid_of(remote.key - 0x10_0000), lid(pe, side), "{what}");
                    assert_eq!(lid_of(keys.local(keys.own + extent * EXTENT).unwrap().key), lid(me, local), "{what}");
                }
            }
        }
    }
}

#[test]
fn rows_take_turns_among_the_nics_of_both_ends_also_where_pes_have_different_numbers() {
    for counts in [&[2, 2][..], &[2, 1], &[3, 2, 1]] {
        let (mut world, fakes) = world(counts);
        check_rows(&world, &fakes, 4, 1);
        world.grow(Extent { offset: EXTENT, bytes: EXTENT });
        check_rows(&world, &fakes, 4, 2);
        world.create(4..7);
        check_rows(&world, &fakes, 7, 2);
        world.pes.iter_mut().for_each(|pe| pe.destroy_qps(&[5]).unwrap());
        world.create(5..6);
        check_rows(&world, &fakes, 7, 2);
        drop(world);
        assert_eq!(fakes.iter().flatten().map(|fake| fake.open_objects()).sum::<usize>(), 0);
    }
}

#[test]
fn each_nic_is_served_by_proxies_of_its_own_and_the_hosts_own_queues_are_on_the_first() {
    let (world, fakes) = world(&[2, 2]);
    assert_eq!(world.pes[0].proxies.len(), 2, "one each, where nobody says how many");
    let own = world.pes[0].host_row.as_ref().unwrap()[1].as_ref().unwrap();
    assert_eq!(lid_of(own.connection().as_ref().unwrap().endpoint.handle.0), lid(0, 0));
    assert_eq!([fakes[0][0].count("qp"), fakes[0][1].count("qp")], [3, 2]);
    let text = world.pes[0].describe();
    assert!(
        text.contains("mlx5_0 port 1 serves rows 0, 2") && text.contains("mlx5_1 port 1 serves rows 1, 3"),
        "{text}"
    );
    let mut few = using(2);
    few.proxies = Some(1);
    let error = refused(&few, &[Fake::new("a", 1), Fake::new("b", 2)]);
    says(&error, ErrorKind::InvalidArgument, &["2 proxies asked, 1 available", "OXSHMEM_PROXY_THREADS"]);
    few.nics.count = NicCount::Nearest;
    let (pe, _windows) = open(&few, &[Fake::new("a", 1), Fake::new("b", 2)], 0, 2).unwrap();
    assert!(pe.registrations.len() == 1 && pe.warnings().join(" ").contains("b is not used"), "{:?}", pe.warnings());
}

#[test]
fn a_buffer_is_registered_with_every_nic_or_with_none() {
    let (mut world, fakes) = world(&[2, 1]);
    let mrs = |fakes: &[Vec<Arc<Fake>>]| fakes.iter().flatten().map(|fake| fake.count("mr")).collect::<Vec<_>>();
    let before = mrs(&fakes);
    world.pes[0].register(0x10000, 100).unwrap();
    assert_eq!(mrs(&fakes), [before[0] + 1, before[1] + 1, before[2]]);
    for (nic, registered) in world.pes[0].registrations.iter().enumerate() {
        assert_eq!(lid_of(registered.keys().local(0x10063).unwrap().key), lid(0, nic));
    }
    fakes[0][1].refuse_with("ibv_reg_mr_iova2", 0, 12, "Cannot allocate memory");
    says(&world.pes[0].register(0x20000, 4).unwrap_err(), ErrorKind::Exhausted, &["ibv_reg_mr_iova2 returned 12"]);
    assert!(world.pes[0].registrations.iter().all(|registered| registered.keys().local(0x20000).is_none()));
    world.pes[0].unregister(0x10000).unwrap();
    assert_eq!(mrs(&fakes), before);
    let error = world.pes[0].unregister(0x10000).unwrap_err();
    says(&error, ErrorKind::InvalidArgument, &["address 0x10000", "no registered buffer begins there"]);
}

#[test]
fn growth_that_failed_on_one_nic_leaves_nothing_on_any() {
    let (mut world, fakes) = world(&[2, 2]);
    let open = |fakes: &[Vec<Arc<Fake>>]| fakes.iter().flatten().map(|fake| fake.open_objects()).collect::<Vec<_>>();
    let before = open(&fakes);
    let second = Extent { offset: EXTENT, bytes: EXTENT };
    world.make(second);
    fakes[1][1].refuse_with("ibv_reg_mr_iova2", 0, 12, "Cannot allocate memory");
    let first = world.pes[0].offer(second).unwrap();
    world.pes[1].offer(second).unwrap_err();
    assert_eq!(open(&fakes)[2..], before[2..], "a failed call leaves the transport as it was");
    let late = world.pes[0].accept(Pe::new(1), second, Offer { bytes: first.bytes[1..].to_vec(), fds: Vec::new() });
    assert_eq!(late.unwrap_err().kind(), ErrorKind::Malformed);
    // Magic and flag, the number of NICs, and one address and key of 4 bytes with its length.
    let bytes = [&first.bytes[..5], &[1], &first.bytes[6..20]].concat();
    let one = Offer { bytes, fds: Vec::new() };
    let other = world.pes[0].accept(Pe::new(1), second, one).unwrap_err();
    says(&other, ErrorKind::Malformed, &["the keys of 2 NICs, and this one has 1"]);
    world.pes.iter_mut().for_each(|pe| pe.withdraw(second));
    assert_eq!(open(&fakes), before);
    check_rows(&world, &fakes, 4, 1);
}

#[test]
fn memory_in_a_gap_has_no_key_on_any_nic_until_another_extent_is_there() {
    let (mut world, fakes) = world(&[2, 1]);
    let open = |fakes: &[Vec<Arc<Fake>>]| fakes.iter().flatten().map(|fake| fake.open_objects()).collect::<Vec<_>>();
    let before = open(&fakes);
    let [second, third] = [(1, 2), (3, 1)].map(|(at, count)| Extent { offset: at * EXTENT, bytes: count * EXTENT });
    world.grow(second);
    world.grow(third);
    let with_both = open(&fakes);
    let key = |world: &World, nic: usize, at: u64| {
        let keys = world.pes[0].registrations[nic].keys();
        (keys.local(keys.own + at).map(|range| range.bytes), keys.remote(1, at).map(|range| range.bytes))
    };
    let remove = |world: &mut World, extent: Extent| {
        world.pes.iter_mut().for_each(|pe| pe.withdraw(extent));
        // SAFETY: **unused**: nothing uses the extent.
        world.windows.iter().for_each(|windows| unsafe { windows.lock().unwrap().discard(extent, 2) });
    };
    remove(&mut world, second);
    for nic in 0..2 {
        assert_eq!(key(&world, nic, EXTENT), (None, None));
        assert_eq!(key(&world, nic, 3 * EXTENT), (Some(EXTENT), Some(EXTENT)), "the others stay");
        assert_eq!(key(&world, nic, 8), (Some(EXTENT - 8), Some(EXTENT - 8)), "also before the gap");
    }
    world.grow(second);
    assert_eq!((open(&fakes), key(&world, 1, 3 * EXTENT - 8)), (with_both, (Some(8), Some(8))));
    remove(&mut world, second);
    remove(&mut world, third);
    assert_eq!((open(&fakes), key(&world, 0, 3 * EXTENT)), (before, (None, None)));
}

//! Several NICs of a PE: rows take turns among them.

use super::*;
use crate::host::keys::MAGIC;
use crate::state::{ExtentKeys, LocalKeys};
use oxshmem_core::host::{ErrorKind, Offer};
use oxshmem_raw::queue::host::{ExtentOffer, RemoteKey};
use oxshmem_rdma::hca::{Gid, GidKind};
use oxshmem_rdma::mlx5::Key;
use oxshmem_rdma::mlx5::devx::{Field, Init2Rtr, get};
use oxshmem_rdma::wire::{HcaList, HcaMapping, Neighbours, NicCount, NicParams};

/// Creates a world in which each PE has the given number of NICs. The NICs of PE `i` have LIDs from `16 * i + 1` on.
fn world(counts: &[u16]) -> (World, Vec<Vec<Arc<FakeHca>>>) {
    let fakes: Vec<Vec<Arc<FakeHca>>> = (0..)
        .zip(counts)
        .map(|(pe, count)| (0..*count).map(|nic| FakeHca::new(&format!("mlx5_{nic}"), 16 * pe + nic + 1)).collect())
        .collect();
    let pes: Vec<_> = fakes.iter().map(|nics| (using(nics.len()), nics.clone())).collect();
    let mut world = World::of(&pes);
    world.make_default_rows().into_iter().for_each(Result::unwrap);
    (world, fakes)
}

fn using(nics: usize) -> IbgdaConfig {
    // Each PE has a host of its own, so that each begins with its first NIC.
    let neighbours = Some(Neighbours { place: 0, count: 1 });
    let nics = NicParams { count: NicCount::Count(nics as u32), neighbours, ..NicParams::default() };
    IbgdaConfig { rows: 4, nics, ..config() }
}

/// Settings with this number of NICs.
fn counting(count: NicCount) -> IbgdaConfig {
    IbgdaConfig { nics: NicParams { count, ..NicParams::default() }, ..config() }
}

/// The same settings with a list of NICs.
fn listing(list: &str, config: &IbgdaConfig) -> IbgdaConfig {
    let nics = NicParams { hcas: HcaList::parse(list).unwrap(), ..config.nics.clone() };
    IbgdaConfig { nics, ..config.clone() }
}

/// The LID of the fake that returned this number.
fn lid_of(number: u32) -> u32 {
    number >> 12
}

fn lid(pe: usize, nic: usize) -> u32 {
    (16 * pe + nic + 1) as u32
}

/// The keys that a queue uses.
fn keys(state: &QueueState) -> &NicState {
    // SAFETY: the tables live as long as the PE, and no other thread runs meanwhile.
    unsafe { &*(state.nic as *const NicState) }
}

/// The local and the remote key that a queue's operations have in an extent.
fn keys_of_extent(state: &QueueState, n_pes: u32, extent: u32) -> (u32, u32) {
    let nic = keys(state);
    // SAFETY: the tables have an entry for each published extent, and nothing runs meanwhile.
    let (own, rkey) = unsafe {
        let own = *(nic.extents as *const ExtentKeys).add(extent as usize);
        (own, *(nic.rkeys as *const u32).add((extent * n_pes + state.pe) as usize))
    };
    (Key::from_wire(own.lkey).host(), Key::from_wire(rkey).host())
}

fn open_objects(fakes: &[Vec<Arc<FakeHca>>]) -> Vec<usize> {
    fakes.iter().flatten().map(|fake| fake.open_objects()).collect()
}

/// Checks that each queue of each row is on the NIC whose turn it is, at both ends, and has the keys of those NICs.
fn check_rows(world: &World, fakes: &[Vec<Arc<FakeHca>>], rows: u32, extents: u32) {
    let n_pes = world.pes.len();
    for me in 0..n_pes {
        for row in 0..rows {
            for pe in (0..n_pes).filter(|pe| *pe != me) {
                let state = queue(&world.pes[me], row * n_pes as u32 + pe as u32);
                let (local, side) = (row as usize % fakes[me].len(), row as usize % fakes[pe].len());
                let what = format!("row {row} from PE {me} to PE {pe}");
                assert_eq!(lid_of(state.qpn), lid(me, local), "{what}");
                let connects = fakes[me][local].commands(Init2Rtr::OPCODE);
                let field = |command: &[u8], at| get(command, Field::new("", at, 24)) as u32;
                let mine = connects.iter().rfind(|command| field(command, 0x48) == state.qpn);
                let remote = field(mine.unwrap_or_else(|| panic!("{what} is connected")), 0xc0 + 0xa8);
                let verbs = queue(&world.pes[pe], row * n_pes as u32 + me as u32);
                assert_eq!((remote, lid_of(remote)), (verbs.qpn, lid(pe, side)), "{what}");
                let (lkey, rkey) = (Key::from_wire(state.lkey).host(), Key::from_wire(state.rkey).host());
                assert_eq!((lid_of(lkey), lid_of(rkey - 0x1000)), (lid(me, local), lid(pe, side)), "{what}");
                assert_eq!(lid_of(Key::from_wire(state.fetch_lkey).host()), lid(me, local), "{what}");
                assert_eq!((keys(state).n_extents, keys_of_extent(state, n_pes as u32, 0)), (extents, (lkey, rkey)));
                for extent in 1..extents {
                    let (lkey, rkey) = keys_of_extent(state, n_pes as u32, extent);
                    assert_eq!((lid_of(lkey), lid_of(rkey - 0x1000)), (lid(me, local), lid(pe, side)), "{what}");
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
        world.grow(Extent { offset: 2 * EXTENT, bytes: EXTENT });
        check_rows(&world, &fakes, 4, 3);
        world.create(4..7);
        check_rows(&world, &fakes, 7, 3);
        world.destroy(&[5]);
        world.create(5..6);
        check_rows(&world, &fakes, 7, 3);
        for pe in &world.pes {
            assert_eq!(shared(pe).rows, 7);
        }
    }
}

#[test]
fn a_buffer_is_registered_with_every_nic_and_given_back_by_every_nic() {
    let (mut world, fakes) = world(&[2, 1]);
    let before = open_objects(&fakes);
    world.pes[0].register(0x10000, 100).unwrap();
    assert_eq!(open_objects(&fakes), [before[0] + 1, before[1] + 1, before[2]]);
    for row in 0..4 {
        let nic = keys(queue(&world.pes[0], 2 * row + 1));
        // SAFETY: one buffer is registered, and nothing runs meanwhile.
        let local = unsafe { *(nic.locals as *const LocalKeys) };
        assert_eq!((nic.n_locals, local.start, local.end), (1, 0x10000, 0x10064));
        assert_eq!(lid_of(Key::from_wire(local.lkey).host()), lid(0, row as usize % 2));
    }
    // One NIC can't take it: then neither has it.
    fakes[0][1].refuse("reg_mr", 0);
    assert!(world.pes[0].register(0x20000, 4).is_err());
    world.pes[0].unregister(0x10000).unwrap();
    assert_eq!(open_objects(&fakes), before);
    for row in 0..2 {
        let nic = keys(queue(&world.pes[0], 2 * row + 1));
        // SAFETY: the buffer's slot is in the table, and nothing runs meanwhile.
        assert_eq!(unsafe { *(nic.locals as *const LocalKeys) }.end, 0);
    }
}

#[test]
fn rounds_of_everything_and_the_end_leave_nothing_on_any_nic() {
    let (mut world, fakes) = world(&[2, 3]);
    let before = open_objects(&fakes);
    for round in 0..20 {
        let rows = 4..5 + round % 4;
        world.create(rows.clone());
        world.pes[0].register(0x10000, 8).unwrap();
        world.destroy(&rows.collect::<Vec<_>>());
        world.pes[0].unregister(0x10000).unwrap();
        assert_eq!(open_objects(&fakes), before, "round {round}");
    }
    // A failure on the second NIC leaves nothing on the first.
    for call in ["create_qp", "umem_reg", "reg_mr"] {
        fakes[0][1].refuse(call, 0);
        world.pes[0].prepare_qps(4..6).unwrap_err();
        fakes[0][1].allow(call);
        assert_eq!(open_objects(&fakes), before, "{call}");
    }
    drop(world);
    assert_eq!(open_objects(&fakes), [0; 5]);
}

#[test]
fn growth_that_failed_on_one_nic_of_one_pe_leaves_nothing_on_any_pe() {
    let (mut world, fakes) = world(&[2, 2]);
    let before = open_objects(&fakes);
    let second = Extent { offset: EXTENT, bytes: EXTENT };
    world.make(second);
    fakes[1][1].refuse("reg_mr", 0);
    let first = world.pes[0].offer(second).unwrap();
    world.pes[1].offer(second).unwrap_err();
    assert_eq!(open_objects(&fakes)[2..], before[2..], "a failed call leaves the transport as it was");
    world.pes.iter_mut().for_each(|pe| pe.withdraw(second));
    assert_eq!(open_objects(&fakes), before);
    // Also after the others have accepted the offer.
    fakes[1][1].allow("reg_mr");
    world.pes[0].offer(second).unwrap();
    let theirs = world.pes[1].offer(second).unwrap();
    world.pes[0].accept(Pe::new(1), second, theirs).unwrap();
    let late = world.pes[1].accept(Pe::new(0), second, Offer { bytes: first.bytes[1..].to_vec(), fds: Vec::new() });
    assert_eq!(late.unwrap_err().kind(), ErrorKind::Malformed);
    assert_eq!(shared(&world.pes[0]).n_extents, 2);
    world.pes.iter_mut().for_each(|pe| pe.withdraw(second));
    assert_eq!(open_objects(&fakes), before);
    // SAFETY: **unused**: nothing uses the extent.
    world.windows.iter().for_each(|windows| unsafe { windows.lock().unwrap().discard(second, 2) });
    check_rows(&world, &fakes, 4, 1);
    world.grow(Extent { offset: EXTENT, bytes: 2 * EXTENT });
    check_rows(&world, &fakes, 4, 2);
}

#[test]
fn a_peer_that_says_another_number_of_nics_than_before_is_refused() {
    let (mut world, _fakes) = world(&[1, 2]);
    let second = Extent { offset: EXTENT, bytes: EXTENT };
    world.make(second);
    world.pes[0].offer(second).unwrap();
    let one = ExtentOffer { relaxed: false, keys: vec![RemoteKey::of_rkey(1, EXTENT)] };
    let error =
        world.pes[0].accept(Pe::new(1), second, Offer { bytes: one.encode(MAGIC), fds: Vec::new() }).unwrap_err();
    assert!(error.to_string().contains("2 NICs, and this one has 1") && error.pe() == Some(Pe::new(1)), "{error}");
}

#[test]
fn a_sender_is_relaxed_where_a_target_is() {
    // Only the heap of PE 1 takes writes in any order.
    let fakes = [FakeHca::new("mlx5_0", 1), FakeHca::new("mlx5_0", 2), FakeHca::new("mlx5_0", 3)];
    fakes.iter().for_each(|fake| fake.set_cap("relaxed_ordering_write", 1));
    let of = |fake: &Arc<FakeHca>, relaxed| (IbgdaConfig { relaxed_ordering: relaxed, ..config() }, vec![fake.clone()]);
    let world = World::of(&[of(&fakes[0], false), of(&fakes[1], true), of(&fakes[2], false)]);
    let said: Vec<u32> = world.pes.iter().map(|pe| shared(pe).relaxed_ordering).collect();
    assert_eq!(said, [1; 3], "those that write to PE 1, and PE 1 itself as before");
    let world = World::of(&[of(&fakes[0], false), of(&fakes[2], false)]);
    assert_eq!(shared(&world.pes[0]).relaxed_ordering, 0);
}

fn refused(config: &IbgdaConfig, fakes: &[Arc<FakeHca>]) -> (ErrorKind, String) {
    let error = open(config, fakes, 0, 2).unwrap_err();
    assert_eq!(fakes.iter().map(|fake| fake.open_objects()).sum::<usize>(), 0, "what was opened is given back");
    (error.kind(), error.to_string())
}

fn described(config: &IbgdaConfig, fakes: &[Arc<FakeHca>], me: u32) -> String {
    let (pe, _windows) = open(config, fakes, me, 4).unwrap();
    pe.describe()
}

fn names(config: &IbgdaConfig, fakes: &[Arc<FakeHca>], me: u32) -> Vec<String> {
    let text = described(config, fakes, me);
    let named = text.lines().filter(|line| line.contains("firmware"));
    named.map(|line| line.split(' ').next().unwrap().to_string()).collect()
}

fn three() -> [Arc<FakeHca>; 3] {
    [FakeHca::new("mlx5_0", 1), FakeHca::new("mlx5_1", 2), FakeHca::new("mlx5_2", 3)]
}

#[test]
fn as_many_nics_are_used_as_asked_for_in_turn_and_in_the_order_of_a_list() {
    let fakes = three();
    let two = counting(NicCount::Count(2));
    assert_eq!(names(&two, &fakes, 0), ["mlx5_0", "mlx5_1"]);
    assert_eq!(names(&two, &fakes, 1), ["mlx5_2", "mlx5_0"]);
    let mut turn = two.clone();
    turn.nics.neighbours = Some(Neighbours { place: 1, count: 2 });
    assert_eq!(names(&turn, &fakes, 2), ["mlx5_2", "mlx5_0"]);
    let listed = listing("mlx5_2,mlx5_0:1,mlx5_9", &two);
    assert_eq!(names(&listed, &fakes, 0), ["mlx5_2", "mlx5_0"]);
    assert!(described(&listed, &fakes, 0).contains("mlx5_9 of OXSHMEM_HCA_LIST"), "{}", described(&listed, &fakes, 0));
    let nearest = counting(NicCount::Nearest);
    assert_eq!(names(&nearest, &fakes, 0).len(), 3);
    assert_eq!(names(&config(), &fakes, 0).len(), 1);
}

#[test]
fn fewer_nics_than_asked_for_are_an_error_with_both_numbers_and_the_reasons() {
    let fakes = three();
    let four = counting(NicCount::Count(4));
    let (kind, text) = refused(&four, &fakes);
    assert!(kind == ErrorKind::Exhausted && text.contains("4 NICs asked, 3 available"), "{text}");
    fakes[1].set_port(|port| port.state = 1);
    let (_, text) = refused(&counting(NicCount::Count(3)), &fakes);
    assert!(text.contains("3 NICs asked, 2 available") && text.contains("mlx5_1: port 1 is down"), "{text}");
    assert!(text.contains("OXSHMEM_NICS_PER_PE"), "{text}");
}

#[test]
fn a_nic_that_cant_be_used_is_left_out_with_a_warning_or_an_error_where_it_was_named() {
    let fakes = three();
    fakes[1].refuse("open", 0);
    let nearest = counting(NicCount::Nearest);
    let (pe, _windows) = open(&nearest, &fakes, 0, 2).unwrap();
    assert_eq!(pe.setup.nics.len(), 2);
    let warnings = pe.warnings().join("\n");
    assert!(warnings.contains("mlx5_1: cannot") && warnings.contains("12: no memory"), "{warnings}");
    drop(pe);
    let (pe, _windows) = open(&config(), &fakes, 0, 2).unwrap();
    assert!(pe.warnings().is_empty() && pe.describe().contains("mlx5_1: cannot"), "one is all that it would have had");
    drop(pe);
    let named = listing("mlx5_0,mlx5_1", &nearest);
    let (kind, text) = refused(&named, &fakes);
    assert!(kind == ErrorKind::NotFound && text.contains("cannot use mlx5_1 for PE 0"), "{text}");
    assert!(text.contains("OXSHMEM_HCA_LIST") && text.contains("take it off the list"), "{text}");
    let no_port = listing("mlx5_0:2", &config());
    let (_, text) = refused(&no_port, &fakes);
    assert!(text.contains("it has no port 2: it has 1"), "{text}");
}

#[test]
fn nics_of_two_kinds_of_wire_are_not_used_together() {
    let gid = Gid { index: 0, raw: [9; 16], kind: GidKind::RoceV2 };
    let fakes = [FakeHca::ethernet("mlx5_0", &[gid]), FakeHca::new("mlx5_1", 2), FakeHca::new("mlx5_2", 3)];
    let nearest = counting(NicCount::Nearest);
    assert_eq!(names(&nearest, &fakes, 0), ["mlx5_1", "mlx5_2"]);
    assert!(described(&nearest, &fakes, 0).contains("mlx5_0 port 1 is on another kind of wire"));
    let named = listing("mlx5_1,mlx5_0", &nearest);
    let (kind, text) = refused(&named, &fakes);
    assert!(kind == ErrorKind::Mismatch && text.contains("cannot use mlx5_0"), "{text}");
    assert!(text.contains("it is on Ethernet") && text.contains("on InfiniBand"), "{text}");
}

#[test]
fn a_mapping_says_which_pe_of_a_host_uses_which_nic() {
    let fakes = three();
    let at = |place, me| {
        let mapping = HcaMapping::parse("mlx5_2:1:2,mlx5_0:1:1").unwrap();
        let neighbours = Some(Neighbours { place, count: 4 });
        (IbgdaConfig { nics: NicParams { mapping, neighbours, ..NicParams::default() }, ..config() }, me)
    };
    let used: Vec<_> = (0..3).map(|place| names(&at(place, 0).0, &fakes, at(place, 2).1)).collect();
    assert_eq!(used, [["mlx5_2"], ["mlx5_2"], ["mlx5_0"]]);
    let (kind, text) = refused(&at(3, 0).0, &fakes);
    assert!(kind == ErrorKind::OutOfRange && text.contains("4 PEs of a host asked, 3 available"), "{text}");
    let mut both = at(0, 0).0;
    both.nics.count = NicCount::Count(2);
    let (_, text) = refused(&both, &fakes);
    assert!(text.contains("OXSHMEM_NICS_PER_PE asks for 2"), "{text}");
    let (_, text) = refused(&at(2, 0).0, &fakes[1..]);
    assert!(text.contains("no mlx5_0, but mlx5_1, mlx5_2"), "{text}");
}

#[test]
fn the_description_says_which_nic_serves_which_rows() {
    let (mut world, _fakes) = world(&[2, 1]);
    let text = world.pes[0].describe();
    assert!(
        text.contains("mlx5_0 port 1 serves rows 0, 2") && text.contains("mlx5_1 port 1 serves rows 1, 3"),
        "{text}"
    );
    world.create(4..5);
    assert!(world.pes[0].describe().contains("mlx5_0 port 1 serves rows 0, 2, 4"), "{}", world.pes[0].describe());
    assert!(!world.pes[1].describe().contains("serves"), "with one there is nothing to tell");
    let idle = IbgdaConfig { rows: 1, ..counting(NicCount::Count(3)) };
    let (pe, _windows) = open(&idle, &three(), 0, 2).unwrap();
    assert!(pe.warnings().join(" ").contains("use 1 of 3 NICs"), "{:?}", pe.warnings());
}

//! Keys of the heap and of buffers.

use super::*;
use crate::host::keys::MAGIC;
use crate::state::{ExtentKeys, LocalKeys, MAX_EXTENTS, MAX_LOCALS};
use oxshmem_core::host::{ErrorKind, Offer};
use oxshmem_raw::queue::host::ExtentOffer;
use oxshmem_rdma::mlx5::Key;

const PAGE: u64 = 4096;

fn decoded(offer: &Offer) -> ExtentOffer {
    ExtentOffer::decode(MAGIC, Pe::new(0), &offer.bytes, None).unwrap()
}

fn extent(pe: &Ibgda, number: usize) -> ExtentKeys {
    // SAFETY: the table has an entry of this number, and no kernel runs meanwhile.
    unsafe { *(shared(pe).extents as *const ExtentKeys).add(number) }
}

fn rkey(pe: &Ibgda, number: usize) -> u32 {
    // SAFETY: the table has an entry for each PE and extent, and nothing runs meanwhile.
    Key::from_wire(unsafe { *(shared(pe).rkeys as *const u32).add(number) }).host()
}

fn locals(pe: &Ibgda) -> &[LocalKeys] {
    // SAFETY: the table has `n_locals` entries, and nothing runs meanwhile.
    unsafe { std::slice::from_raw_parts(shared(pe).locals as *const LocalKeys, shared(pe).n_locals as usize) }
}

#[test]
fn an_extent_counts_when_every_peer_has_offered_its_key() {
    let fakes = nics(3);
    let mut world = World::new(&config(), &fakes);
    let second = Extent { offset: EXTENT, bytes: 2 * EXTENT };
    world.make(second);
    let offers: Vec<ExtentOffer> = (0..3).map(|pe| decoded(&world.pes[pe].offer(second).unwrap())).collect();
    let pe = &mut world.pes[0];
    let offer = |offer: &ExtentOffer| Offer { bytes: offer.encode(MAGIC), fds: Vec::new() };
    let rkey_of = |offer: &ExtentOffer| offer.keys[0].rkey().unwrap();
    pe.accept(Pe::new(1), second, offer(&offers[1])).unwrap();
    assert_eq!(shared(pe).n_extents, 1);
    pe.accept(Pe::new(2), second, offer(&offers[2])).unwrap();
    assert_eq!(shared(pe).n_extents, 2);
    assert_eq!((extent(pe, 0).end, extent(pe, 1).end), (EXTENT, 3 * EXTENT));
    assert_eq!((rkey(pe, 3 + 1), rkey(pe, 3 + 2)), (rkey_of(&offers[1]), rkey_of(&offers[2])));
    assert_eq!(Key::from_wire(extent(pe, 1).lkey).host() + 0x1000, rkey_of(&offers[0]));
}

#[test]
fn an_extent_that_was_withdrawn_leaves_nothing_and_can_be_offered_again_also_where_it_counted() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    let (before, second) = (fakes[0].open_objects(), Extent { offset: EXTENT, bytes: EXTENT });
    world.grow(second);
    assert_eq!((shared(&world.pes[0]).n_extents, fakes[0].open_objects()), (2, before + 1));
    world.pes.iter_mut().for_each(|pe| pe.withdraw(second));
    assert_eq!((shared(&world.pes[0]).n_extents, fakes[0].open_objects()), (1, before));
    let larger = Extent { offset: EXTENT, bytes: 2 * EXTENT };
    // SAFETY: **unused**: nothing uses the extent.
    world.windows.iter().for_each(|windows| unsafe { windows.lock().unwrap().discard(second, 2) });
    world.grow(larger);
    assert_eq!((shared(&world.pes[0]).n_extents, fakes[0].open_objects()), (2, before + 1));
    assert_eq!(extent(&world.pes[0], 1).end, 3 * EXTENT);
    let gap = world.pes[0].offer(Extent { offset: 9 * EXTENT, bytes: EXTENT }).unwrap_err();
    assert!(gap.to_string().contains("ends at offset 0x30000"), "{gap}");
}

/// Removes an extent as the world does.
fn remove(world: &mut World, extent: Extent) {
    world.pes.iter_mut().for_each(|pe| pe.withdraw(extent));
    // SAFETY: **unused**: nothing uses the extent.
    world.windows.iter().for_each(|windows| unsafe { windows.lock().unwrap().discard(extent, 2) });
}

#[test]
fn an_extent_that_is_removed_leaves_a_gap_without_keys_and_its_slot_to_the_next() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    let [second, third, last] =
        [(1, 2), (3, 1), (4, 1)].map(|(at, count)| Extent { offset: at * EXTENT, bytes: count * EXTENT });
    for extent in [second, third, last] {
        world.grow(extent);
    }
    let keys_of_last = (extent(&world.pes[0], 3).lkey, rkey(&world.pes[0], 2 * 3 + 1));
    let objects = fakes[0].open_objects();
    remove(&mut world, second);
    assert_eq!(fakes[0].open_objects(), objects - 1);
    let pe = &world.pes[0];
    assert_eq!((shared(pe).n_extents, extent(pe, 1).end, extent(pe, 1).lkey, rkey(pe, 2 + 1)), (4, 3 * EXTENT, 0, 0));
    remove(&mut world, third);
    let ends = |pe: &Ibgda| [0, 1, 2, 3].map(|slot| extent(pe, slot).end / EXTENT);
    assert_eq!(ends(&world.pes[0]), [1, 4, 4, 5], "the gap is one");
    // A NIC that refuses the memory leaves the gap as it was.
    let half = Extent { offset: EXTENT, bytes: EXTENT };
    world.make(half);
    fakes[0].refuse("reg_mr", 0);
    world.pes[0].offer(half).unwrap_err();
    fakes[0].allow("reg_mr");
    assert_eq!(ends(&world.pes[0]), [1, 4, 4, 5]);
    remove(&mut world, half);
    world.grow(half);
    let pe = &world.pes[0];
    assert_eq!((ends(pe), shared(pe).n_extents), ([1, 2, 4, 5], 4));
    assert!(extent(pe, 1).lkey != 0 && rkey(pe, 2 + 1) != 0 && extent(pe, 2).lkey == 0);
    assert_eq!((extent(pe, 3).lkey, rkey(pe, 2 * 3 + 1)), keys_of_last, "no other extent has changed");
    // The last extent takes the gap before it with it.
    remove(&mut world, last);
    assert_eq!(shared(&world.pes[0]).n_extents, 2);
    remove(&mut world, half);
    world.grow(second);
    assert_eq!((shared(&world.pes[0]).n_extents, extent(&world.pes[0], 1).end), (2, 3 * EXTENT));
}

#[test]
fn more_extents_than_the_tables_hold_are_refused() {
    let mut world = World::new(&config(), &nics(2));
    for number in 0..u64::from(MAX_EXTENTS) - 1 {
        world.grow(Extent { offset: EXTENT + number * PAGE, bytes: PAGE });
    }
    assert_eq!(shared(&world.pes[0]).n_extents, MAX_EXTENTS);
    let one_more = Extent { offset: EXTENT + u64::from(MAX_EXTENTS - 1) * PAGE, bytes: PAGE };
    let error = world.pes[0].offer(one_more).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exhausted);
    assert!(error.to_string().contains("257 extents asked, 256 available"), "{error}");
}

#[test]
fn memory_that_the_nic_refuses_is_an_error_with_its_answer() {
    let fakes = nics(1);
    let (mut pe, windows) = open(&config(), &fakes, 0, 2).unwrap();
    let first = Extent { offset: 0, bytes: EXTENT };
    windows.lock().unwrap().create(first).unwrap();
    fakes[0].refuse("reg_mr", 0);
    let error = pe.offer(first).unwrap_err();
    assert!(error.to_string().contains("12: no memory"), "{error}");
    fakes[0].allow("reg_mr");
    let offered = pe.offer(first).unwrap();
    let malformed = pe.accept(Pe::new(1), first, Offer { bytes: vec![1, 2], fds: Vec::new() }).unwrap_err();
    assert_eq!((malformed.kind(), malformed.pe()), (ErrorKind::Malformed, Some(Pe::new(1))));
    let other = Extent { offset: 0, bytes: 1 };
    let error = pe.accept(Pe::new(1), other, offered).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
}

#[test]
fn buffers_are_registered_found_and_given_back() {
    let fakes = nics(2);
    let mut world = World::new(&config(), &fakes);
    let (pe, before) = (&mut world.pes[0], fakes[0].open_objects());
    pe.register(0x10000, 100).unwrap();
    pe.register(0x20000, 1).unwrap();
    let at: Vec<(u64, u64, u64)> = locals(pe).iter().map(|keys| (keys.start, keys.end, keys.iova)).collect();
    assert_eq!(at, [(0x10000, 0x10064, 0x10000), (0x20000, 0x20001, 0x20000)]);
    for (start, bytes, reason) in [
        (0x10063, 1, "registered already"),
        (0xffff, 2, "registered already"),
        (0x30000, 0, "at least one byte"),
        (u64::MAX, 2, "address space"),
    ] {
        let error = pe.register(start, bytes).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    pe.register(0x10064, 4).unwrap();
    pe.unregister(0x10000).unwrap();
    assert_eq!((locals(pe)[0].end, locals(pe).len()), (0, 3), "an empty place ends at 0");
    assert_eq!(pe.unregister(0x10000).unwrap_err().kind(), ErrorKind::InvalidArgument);
    pe.register(0x50000, 8).unwrap();
    assert_eq!((locals(pe)[0].start, locals(pe).len()), (0x50000, 3), "its place is used again");
    for number in 3..u64::from(MAX_LOCALS) {
        pe.register(0x100000 + 16 * number, 16).unwrap();
    }
    let error = pe.register(0x900000, 1).unwrap_err();
    assert!(error.kind() == ErrorKind::Exhausted && error.to_string().contains("256 available"), "{error}");
    assert_eq!(fakes[0].open_objects(), before + MAX_LOCALS as usize);
}

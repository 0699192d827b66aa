use super::*;
use oxshmem_raw::state::RESERVED_BYTES;

const MIB: u64 = 1 << 20;

/// Returns a heap that ends at 1 MiB and may end at 4 MiB, the library's own part included.
fn heap() -> Heap {
    let mut heap = Heap::new(4096, 4 * MIB - RESERVED_BYTES, MIB - RESERVED_BYTES, RESERVED_BYTES);
    let first = heap.next_extent(0).unwrap();
    assert_eq!(first, Extent { offset: 0, bytes: MIB });
    heap.add(first).unwrap();
    heap
}

#[test]
fn the_first_extent_has_room_beside_the_librarys_own_part_of_a_large_world() {
    let reserved = 3 * RESERVED_BYTES;
    let mut heap = Heap::new(4096, MIB, 4096, reserved);
    let first = heap.next_extent(0).unwrap();
    assert_eq!(first, Extent { offset: 0, bytes: reserved + 4096 });
    heap.add(first).unwrap();
    assert!(heap.allocate(4096, 1).is_some_and(|at| at >= reserved));
    assert!(heap.check(String::new, reserved - 1, 1).is_err() && heap.check(String::new, reserved, 1).is_ok());
}

#[test]
fn the_whole_configured_size_is_one_allocation_also_in_a_heap_that_cannot_grow() {
    let sizes = (0..33).flat_map(|shift| [(1 << shift) - 1, 1 << shift, (1 << shift) + 1, 13 << shift, 27 << shift]);
    for (size, granularity) in sizes.flat_map(|size| [(size, 4096), (size, 2 * MIB)]) {
        for reserved in [RESERVED_BYTES, RESERVED_BYTES + 128 * MIB] {
            let mut heap = Heap::new(granularity, size, size, reserved);
            let first = heap.next_extent(0).unwrap();
            assert_eq!(first.bytes, heap.limit(), "{size}");
            assert!(first.bytes <= reserved + size + size / 8 + UNIT + granularity, "{size}: {first:?}");
            heap.add(first).unwrap();
            assert!(heap.allocate(size, 1).is_some_and(|at| at >= reserved), "{size} bytes");
        }
    }
}

#[test]
fn allocations_are_apart_aligned_and_behind_what_is_the_librarys_own() {
    let mut heap = heap();
    let mut taken: Vec<(u64, u64)> = Vec::new();
    for (i, align) in [1u64, 256, 4096, 65536, 8].into_iter().cycle().take(20).enumerate() {
        let bytes = 1000 + 777 * i as u64;
        let at = heap.allocate(bytes, align).unwrap();
        assert!(at >= RESERVED_BYTES && at.is_multiple_of(align.max(UNIT)) && at + bytes <= MIB);
        assert!(taken.iter().all(|&(a, b)| at + bytes <= a || a + b <= at), "{at:#x} overlaps");
        taken.push((at, bytes));
    }
    for (at, _) in taken {
        heap.free(at).unwrap();
    }
    assert_eq!(heap.used(), 0);
    assert!(heap.allocate(MIB - RESERVED_BYTES - MIB / 8, 1).is_some(), "what was freed is whole again");
}

#[test]
fn the_heap_grows_to_its_limit_and_says_how_much_of_how_much() {
    let mut heap = heap();
    assert_eq!(heap.allocate(2 * MIB, 1), None);
    let extent = heap.next_extent(2 * MIB).unwrap();
    assert!(extent == Extent { offset: MIB, bytes: 2 * MIB });
    heap.add(extent).unwrap();
    assert!(heap.allocate(2 * MIB, 1).is_some());
    let error = heap.next_extent(3 * MIB).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exhausted);
    let how_much = error.how_much().unwrap();
    assert_eq!(how_much.asked, 3 * MIB);
    // The size that the error reports as available can be allocated.
    let left = how_much.limit;
    assert!(left >= MIB / 2, "{error}");
    if heap.allocate(left, 1).is_none() {
        let extent = heap.next_extent(left).unwrap();
        heap.add(extent).unwrap();
        assert!(heap.allocate(left, 1).is_some());
    }
}

#[test]
fn whatever_size_the_last_extent_has_what_it_is_made_for_fits_in_it() {
    for limit in (1..=96).map(|pages| MIB + pages * 4096) {
        for bytes in [4096, 5000, 8 * 4096 - 256, limit - MIB, limit - MIB - 255] {
            let mut heap = Heap::new(4096, limit - RESERVED_BYTES, MIB - RESERVED_BYTES, RESERVED_BYTES);
            heap.add(heap.next_extent(0).unwrap()).unwrap();
            while heap.allocate(2048, 1).is_some() {}
            match heap.next_extent(bytes) {
                Ok(extent) => heap.add(extent).unwrap(),
                Err(error) => {
                    let left = error.how_much().unwrap().limit;
                    assert!(left < bytes && left >= (limit - MIB) / 8 * 7, "{limit}: {error}");
                    heap.add(heap.next_extent(left).unwrap()).unwrap();
                    assert!(heap.allocate(left, 1).is_some(), "{limit}: {left} bytes");
                    continue;
                }
            }
            assert!(heap.allocate(bytes, 1).is_some(), "{limit}: {bytes} bytes");
        }
    }
}

#[test]
fn freeing_what_is_not_allocated_says_what_is_there() {
    let mut heap = heap();
    let at = heap.allocate(4096, 1).unwrap();
    let inside = heap.free(at + 8).unwrap_err().to_string();
    assert!(inside.contains("inside the 4096 bytes"), "{inside}");
    heap.free(at).unwrap();
    let twice = heap.free(at).unwrap_err().to_string();
    assert!(twice.contains("freed already"), "{twice}");
}

#[test]
fn a_range_is_checked_against_both_ends_of_the_heap() {
    let heap = heap();
    assert!(heap.check(String::new, RESERVED_BYTES, (MIB - RESERVED_BYTES) as usize).is_ok());
    assert!(heap.check(String::new, RESERVED_BYTES + 1, (MIB - RESERVED_BYTES) as usize).is_err());
    assert!(heap.check(String::new, 0, 8).is_err());
    assert!(heap.check(String::new, u64::MAX, 8).is_err());
}

#[test]
fn memory_of_the_program_takes_gaps_first_and_what_it_leaves_is_not_in_the_heap() {
    let mut heap = heap();
    let page = heap.granularity;
    let register = |heap: &mut Heap, pages: u64, preferred| {
        let extent = heap.place_for(pages * page, preferred)?;
        heap.register(extent)?;
        Ok::<_, Error>(extent)
    };
    let made: Vec<Extent> = [4, 2, 8].map(|pages| register(&mut heap, pages, None).unwrap()).into();
    assert_eq!(made.iter().map(|extent| extent.offset).collect::<Vec<_>>(), [MIB, MIB + 4 * page, MIB + 6 * page]);
    assert!(heap.check(String::new, MIB - 8, 16).is_ok(), "extents are adjacent");
    heap.unregister(made[1].offset, made[1].bytes).unwrap();
    assert!(heap.check(String::new, made[1].offset, 1).is_err() && heap.check(String::new, made[2].offset, 1).is_ok());
    let error = heap.check(String::new, made[1].offset - 8, 16).unwrap_err();
    assert_eq!((error.kind(), error.how_much().unwrap().limit), (ErrorKind::OutOfRange, 8), "{error}");
    // Growth adds at the end, and no allocation is in memory of the program or in a gap.
    while heap.allocate(2048, 1).is_some_and(|at| at < MIB) {}
    let grown = heap.next_extent(page).unwrap();
    assert_eq!(grown.offset, MIB + 14 * page);
    assert_eq!(register(&mut heap, 2, None).unwrap(), made[1]);
    assert_eq!(register(&mut heap, 1, Some(7)).unwrap().offset, MIB + 14 * page);
    heap.unregister(made[0].offset, made[0].bytes).unwrap();
    heap.unregister(made[1].offset, made[1].bytes).unwrap();
    assert_eq!(register(&mut heap, 3, Some(MIB + 2 * page)).unwrap().offset, MIB, "two slots hold two parts");
    assert_eq!(register(&mut heap, 3, Some(MIB + 3 * page)).unwrap().offset, MIB + 3 * page);
}

#[test]
fn memory_that_is_not_the_programs_is_not_unregistered_and_the_error_says_what_is_there() {
    let mut heap = heap();
    let extent = heap.place_for(8192, None).unwrap();
    heap.register(extent).unwrap();
    for (at, bytes, reason) in [
        (extent.offset, 4096, "8192 bytes are registered there"),
        (extent.offset + 4096, 4096, "inside the 8192 bytes that are registered at 0x100000"),
        (0, MIB, "no memory of the program is registered there"),
        (extent.offset + 8192, 4096, "unregistered already"),
    ] {
        let error = heap.unregister(at, bytes).unwrap_err();
        assert!(error.kind() == ErrorKind::InvalidArgument && error.to_string().contains(reason), "{error}");
    }
    heap.unregister(extent.offset, 8192).unwrap();
    assert!(heap.unregister(extent.offset, 8192).is_err() && heap.mapped() == MIB);
    for (bytes, reason) in
        [(0, "positive multiple of 4096"), (4097, "positive multiple of 4096"), (4 * MIB, "OXSHMEM_HEAP_LIMIT")]
    {
        let error = heap.place_for(bytes, None).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_heap_at_its_limit_grows_into_a_gap_that_has_room() {
    let mut heap = heap();
    let register = |heap: &mut Heap, bytes| {
        let extent = heap.place_for(bytes, None).unwrap();
        heap.register(extent).unwrap();
        extent
    };
    let (gone, rest) = (register(&mut heap, MIB), register(&mut heap, MIB / 2));
    let last = register(&mut heap, 3 * MIB / 2);
    while heap.allocate(2048, 1).is_some() {}
    assert_eq!((heap.mapped(), heap.next_extent(2048).unwrap_err().kind()), (4 * MIB, ErrorKind::Exhausted));
    heap.unregister(gone.offset, gone.bytes).unwrap();
    heap.unregister(rest.offset, rest.bytes).unwrap();
    let extent = heap.next_extent(MIB).unwrap();
    assert_eq!(extent, gone);
    heap.add(extent).unwrap();
    assert!(heap.allocate(MIB, 1).is_some_and(|at| (MIB..last.offset).contains(&at)));
    // A wish at the heap's end, where there is no room, is no reason to refuse.
    let left = last.offset - (extent.offset + extent.bytes);
    assert_eq!(heap.place_for(left, Some(4 * MIB)).unwrap().offset, extent.offset + extent.bytes);
    assert_eq!(heap.mapped(), 4 * MIB);
}

#[test]
fn a_heap_at_its_limit_grows_into_the_whole_of_a_gap_that_has_no_slot_for_a_remainder() {
    let mut heap = heap();
    let register = |heap: &mut Heap, bytes| {
        let extent = heap.place_for(bytes, None).unwrap();
        heap.register(extent).unwrap();
        extent
    };
    let (small, gone) = (register(&mut heap, MIB / 2), register(&mut heap, MIB));
    let last = register(&mut heap, 3 * MIB / 2);
    while heap.allocate(2048, 1).is_some() {}
    heap.unregister(gone.offset, gone.bytes).unwrap();
    assert_eq!(heap.next_extent(2048).unwrap(), gone);
    let error = heap.next_extent(MIB + 1).unwrap_err();
    let most = error.how_much().unwrap().limit;
    assert!(error.kind() == ErrorKind::Exhausted && most > MIB / 2, "{error}");
    let extent = heap.next_extent(most).unwrap();
    assert_eq!(extent, gone, "the amount that the error reports can be allocated");
    heap.add(extent).unwrap();
    assert!(heap.allocate(most, 1).is_some_and(|at| (gone.offset..last.offset).contains(&at)));
    assert_eq!((heap.registered_at(small.offset), heap.mapped()), (Some(small), 4 * MIB));
}

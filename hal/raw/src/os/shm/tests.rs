use core::sync::atomic::{AtomicU64, Ordering};
use std::fs;
use std::os::fd::AsRawFd;

use super::*;

fn word(at: NonNull<u8>, offset: usize) -> &'static AtomicU64 {
    // SAFETY: the tests access only aligned words of mappings that they keep.
    unsafe { at.byte_add(offset).cast().as_ref() }
}

/// Returns the lines of this process's memory map in a range of addresses.
fn mapped_lines(base: usize, bytes: usize) -> Vec<String> {
    let text = fs::read_to_string("/proc/self/maps").unwrap();
    let inside = |line: &&str| {
        let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let (start, end) = (usize::from_str_radix(start, 16).unwrap(), usize::from_str_radix(end, 16).unwrap());
        start < base + bytes && base < end
    };
    text.lines().filter(inside).map(String::from).collect()
}

#[test]
fn a_chunk_above_the_limit_of_files_is_an_error_that_names_the_limit() {
    use nix::sys::resource::setrlimit;
    let (page, (before, most)) = (granularity(), getrlimit(Resource::RLIMIT_FSIZE).unwrap());
    // Other tests make smaller chunks meanwhile.
    let limit = 1 << 40;
    if most < limit {
        println!("not tested: files of this process are limited to {most} bytes");
        return;
    }
    setrlimit(Resource::RLIMIT_FSIZE, limit, most).unwrap();
    let refused = ShmChunk::create(limit as usize + page).unwrap_err();
    setrlimit(Resource::RLIMIT_FSIZE, before, most).unwrap();
    assert_eq!(refused.kind(), ErrorKind::Exhausted);
    let text = refused.to_string();
    assert!(text.contains("1099511627776 available") && text.ends_with("raise `ulimit -f`"), "{text}");
}

#[test]
fn two_reservations_that_share_a_chunk_see_each_others_stores() {
    let page = granularity();
    let chunk = ShmChunk::create(4 * page).unwrap();
    let given = ShmChunk::from_fd(chunk.fd().try_clone_to_owned().unwrap(), 4 * page).unwrap();
    let mut one = HostReservation::reserve(16 * page).unwrap();
    let mut other = HostReservation::reserve(16 * page).unwrap();
    let here = one.map(0, &chunk).unwrap();
    let there = other.map(8 * page, &given).unwrap();
    assert_eq!(here, one.base());
    assert_eq!(there.addr().get(), other.base().addr().get() + 8 * page);
    drop((chunk, given)); // The mappings keep the memory alive.

    for offset in (0..4 * page).step_by(8) {
        assert_eq!(word(there, offset).load(Ordering::Relaxed), 0, "fresh memory is zero at {offset}");
    }
    word(here, 4 * page - 8).store(7, Ordering::Release);
    assert_eq!(word(there, 4 * page - 8).load(Ordering::Acquire), 7);
    word(there, 0).fetch_add(3, Ordering::AcqRel);
    assert_eq!(word(here, 0).load(Ordering::Acquire), 3);
}

#[test]
fn growth_by_a_second_chunk_moves_nothing() {
    let page = granularity();
    let mut heap = HostReservation::reserve(8 * page).unwrap();
    let first = heap.map(0, &ShmChunk::create(2 * page).unwrap()).unwrap();
    word(first, 8).store(42, Ordering::Relaxed);
    let second = heap.map(2 * page, &ShmChunk::create(page).unwrap()).unwrap();
    assert_eq!(second.addr().get(), first.addr().get() + 2 * page);
    assert_eq!(word(first, 8).load(Ordering::Relaxed), 42);
    assert_eq!(word(second, 0).load(Ordering::Relaxed), 0);
    assert_eq!(heap.mapped_bytes(), 3 * page);
}

#[test]
fn a_mapping_outside_across_the_end_or_over_another_is_refused_and_changes_nothing() {
    let page = granularity();
    let mut heap = HostReservation::reserve(4 * page).unwrap();
    let chunk = ShmChunk::create(2 * page).unwrap();
    for offset in [3 * page, 4 * page, 100 * page, usize::MAX / page * page] {
        let error = heap.map(offset, &chunk).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange, "{error}");
        let amount = error.how_much().unwrap();
        assert_eq!(amount.asked, 2 * page as u64);
        assert_eq!(amount.limit, (4 * page).saturating_sub(offset) as u64);
    }
    assert_eq!(heap.map(1, &chunk).unwrap_err().kind(), ErrorKind::InvalidArgument);
    heap.map(page, &chunk).unwrap();
    for offset in [0, page, 2 * page] {
        let error = heap.map(offset, &chunk).unwrap_err();
        assert!(error.to_string().contains("have memory already"), "{error}");
    }
    assert_eq!(heap.mapped_bytes(), 2 * page);
}

#[test]
fn an_unmapped_range_stays_reserved_and_can_be_mapped_again() {
    let page = granularity();
    let mut heap = HostReservation::reserve(2 * page).unwrap();
    let at = heap.map(page, &ShmChunk::create(page).unwrap()).unwrap();
    word(at, 0).store(9, Ordering::Relaxed);
    // SAFETY: **unused**: `at` is not used until it is mapped again.
    unsafe { heap.unmap(page) }.unwrap();
    // SAFETY: **unused**: nothing is mapped there.
    assert_eq!(unsafe { heap.unmap(page) }.unwrap_err().kind(), ErrorKind::InvalidArgument);
    let lines = mapped_lines(at.addr().get(), page);
    assert!(lines.iter().all(|line| line.contains("---p")) && !lines.is_empty(), "{lines:?}");
    let again = heap.map(page, &ShmChunk::create(page).unwrap()).unwrap();
    assert_eq!((again, word(again, 0).load(Ordering::Relaxed)), (at, 0));
}

#[test]
fn a_dropped_reservation_leaves_no_mapping_of_its_chunks() {
    let page = granularity();
    let chunk = ShmChunk::create(page).unwrap();
    let inode = format!(" {} ", fstat(chunk.fd()).unwrap().st_ino);
    let mine = |lines: Vec<String>| lines.into_iter().filter(|l| l.contains("memfd:oxshmem") && l.contains(&inode));
    let mut heap = HostReservation::reserve(64 * page).unwrap();
    heap.map(0, &chunk).unwrap();
    heap.map(7 * page, &chunk).unwrap();
    assert_eq!(mine(mapped_lines(0, usize::MAX)).count(), 2);
    drop(heap);
    assert_eq!(mine(mapped_lines(0, usize::MAX)).count(), 0);
}

#[test]
fn more_addresses_than_there_are_is_an_error_with_amounts() {
    let asked = (1usize << 62).next_multiple_of(granularity());
    let error = HostReservation::reserve(asked).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exhausted);
    let amount = error.how_much().unwrap();
    assert_eq!((amount.asked, amount.unit), (asked as u64, "bytes"));
    assert!((1..=1 << 47).contains(&amount.limit), "{error}");
    assert!(error.to_string().contains("mmap returned 12"), "{error}");
}

#[test]
fn a_size_that_is_no_whole_number_of_pages_is_refused() {
    for bytes in [0, 1, granularity() + 1, usize::MAX, 1 << 63] {
        assert_eq!(ShmChunk::create(bytes).unwrap_err().kind(), ErrorKind::InvalidArgument, "{bytes}");
        assert_eq!(HostReservation::reserve(bytes).unwrap_err().kind(), ErrorKind::InvalidArgument, "{bytes}");
    }
}

#[test]
fn a_chunk_can_be_neither_shrunk_nor_grown_and_isnt_inherited() {
    let page = granularity();
    let chunk = ShmChunk::create(2 * page).unwrap();
    for bytes in [0, page, 4 * page] {
        assert_eq!(ftruncate(chunk.fd(), bytes as i64), Err(Errno::EPERM));
    }
    let flags = fcntl(chunk.fd(), FcntlArg::F_GETFD).unwrap();
    assert_ne!(flags & libc::FD_CLOEXEC, 0, "descriptor {}", chunk.fd().as_raw_fd());
}

#[test]
fn a_descriptor_of_another_size_or_without_a_seal_is_refused() {
    let page = granularity();
    let chunk = ShmChunk::create(2 * page).unwrap();
    for bytes in [page, 3 * page] {
        let error = ShmChunk::from_fd(chunk.fd().try_clone_to_owned().unwrap(), bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.to_string().contains(&format!("has {} bytes", 2 * page)), "{error}");
    }
    let loose = memfd_create(c"loose", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING).unwrap();
    ftruncate(&loose, page as i64).unwrap();
    assert_eq!(ShmChunk::from_fd(loose, page).unwrap_err().kind(), ErrorKind::Refused);
    let file = fs::File::open("/proc/self/exe").unwrap();
    assert!(ShmChunk::from_fd(file.into(), page).is_err());
}

use std::vec::Vec;

use super::*;
use crate::{Bf16, SymAddr};

fn slice<T: Element>(offset: u64, len: usize) -> SymSlice<T> {
    SymSlice::new(SymPtr::new(SymAddr::new(offset)), len)
}

/// Returns where a slice begins, in bytes, and its length.
fn place<T: Element>(slice: SymSlice<T>) -> (u64, usize) {
    (slice.as_ptr().addr().offset(), slice.len())
}

fn places<T: Element>(parts: Parts<T>) -> Vec<(u64, usize)> {
    parts.map(place).collect()
}

#[test]
fn a_slice_is_where_and_as_long_as_its_maker_says() {
    let of = slice::<u32>(64, 5);
    assert_eq!(place(of), (64, 5));
    assert!(!of.is_empty() && slice::<u32>(64, 0).is_empty());
    assert_eq!(std::format!("{of:?}"), "SymSlice<u32>(0x40, 5 elements)");
    assert_ne!(of, slice(64, 4));
    assert_ne!(of, slice(68, 5));
}

#[test]
fn an_element_outside_is_none() {
    let (of, none) = (slice::<u32>(64, 5), slice::<u32>(64, 0));
    assert_eq!(of.at(0), of.first());
    assert_eq!(of.at(4), of.last());
    assert_eq!(of.last().map(|at| at.addr().offset()), Some(64 + 16));
    assert_eq!((of.at(5), of.at(usize::MAX)), (None, None));
    assert_eq!((none.first(), none.last(), none.at(0)), (None, None, None));
}

#[test]
fn a_range_has_the_elements_of_its_bounds_and_none_outside() {
    let of = slice::<u32>(64, 5);
    assert_eq!(of.range(1..4).map(place), Some((68, 3)));
    assert_eq!(of.range(1..=4).map(place), Some((68, 4)));
    assert_eq!(of.range(..2).map(place), Some((64, 2)));
    assert_eq!(of.range(3..).map(place), Some((76, 2)));
    assert_eq!(of.range(..), Some(of));
    assert_eq!(of.range((Bound::Excluded(1), Bound::Unbounded)).map(place), Some((72, 3)));
    assert_eq!(of.range(5..).map(place), Some((84, 0)), "the end is an empty range");
    let (four, two) = (4, 2);
    assert_eq!((of.range(6..), of.range(0..6), of.range(0..=5), of.range(four..two)), (None, None, None, None));
    assert_eq!((of.range(0..=usize::MAX), of.range((Bound::Excluded(usize::MAX), Bound::Unbounded))), (None, None));
}

#[test]
fn a_split_leaves_no_element_out() {
    let of = slice::<u16>(64, 5);
    assert_eq!(of.split_at(0).map(|(a, b)| (place(a), place(b))), Some(((64, 0), (64, 5))));
    assert_eq!(of.split_at(2).map(|(a, b)| (place(a), place(b))), Some(((64, 2), (68, 3))));
    assert_eq!(of.split_at(5).map(|(a, b)| (place(a), place(b))), Some(((64, 5), (74, 0))));
    assert_eq!(of.split_at(6), None);
}

#[test]
fn chunks_have_their_size_but_for_the_last() {
    let of = slice::<u8>(100, 7);
    assert_eq!(places(of.chunks(3)), [(100, 3), (103, 3), (106, 1)]);
    assert_eq!(places(of.chunks(7)), [(100, 7)]);
    assert_eq!(places(of.chunks(usize::MAX)), [(100, 7)]);
    assert_eq!(places(of.chunks(0)), []);
    assert_eq!(places(slice::<u8>(100, 0).chunks(3)), []);
    assert_eq!((of.chunks(3).len(), of.chunks(3).nth(2).map(place)), (3, Some((106, 1))));
}

#[test]
fn parts_differ_by_one_element_at_most_and_cover_the_slice() {
    let of = slice::<u8>(100, 7);
    assert_eq!(places(of.split(3)), [(100, 3), (103, 2), (105, 2)]);
    assert_eq!(places(of.split(1)), [(100, 7)]);
    assert_eq!(places(of.split(0)), []);
    let more = of.split(9);
    assert_eq!(more.clone().map(|part| part.len()).collect::<Vec<_>>(), [1, 1, 1, 1, 1, 1, 1, 0, 0]);
    assert_eq!(more.len(), 9);
    for parts in 1..12 {
        let mut end = 100;
        for (i, part) in of.split(parts).enumerate() {
            assert_eq!(of.split(parts).nth(i), Some(part), "{i} of {parts}");
            assert_eq!(place(part).0, end, "{i} of {parts}");
            end += part.len() as u64;
        }
        assert_eq!((end, of.split(parts).nth(parts)), (107, None));
    }
}

#[test]
fn a_step_beyond_the_end_leaves_an_iterator_at_its_end() {
    let (mut parts, mut elements) = (slice::<u8>(100, 7).split(3), slice::<u64>(64, 4).iter());
    assert_eq!((parts.nth(usize::MAX), parts.next(), parts.len()), (None, None, 0));
    assert_eq!(elements.nth(2).map(|at| at.addr().offset()), Some(80));
    assert_eq!((elements.len(), elements.nth(usize::MAX), elements.next(), elements.len()), (1, None, None, 0));
}

#[test]
fn elements_come_in_their_order() {
    let offsets: Vec<u64> = slice::<u64>(64, 3).iter().map(|at| at.addr().offset()).collect();
    assert_eq!(offsets, [64, 72, 80]);
    assert_eq!(slice::<u64>(64, 0).iter().next(), None);
}

#[test]
fn a_cast_keeps_the_bytes_or_is_none() {
    let of = slice::<u32>(64, 6);
    assert_eq!(of.cast::<f32>().map(place), Some((64, 6)));
    assert_eq!(of.cast::<u64>().map(place), Some((64, 3)));
    assert_eq!(of.cast::<u8>().map(place), Some((64, 24)));
    assert_eq!(of.cast::<Bf16>().map(place), Some((64, 12)));
    assert_eq!(slice::<u32>(64, 5).cast::<u64>(), None, "half an element is left");
    assert_eq!(slice::<u32>(68, 6).cast::<u64>(), None, "its start is misaligned");
    assert_eq!(slice::<u64>(64, usize::MAX).cast::<u8>(), None, "the bytes overflow");
}

#[cfg(feature = "host")]
#[test]
fn an_error_says_how_much_of_how_much() {
    use std::string::ToString;

    use crate::ErrorKind;

    let of = slice::<u32>(64, 5);
    assert_eq!(of.try_range(1..3).ok(), of.range(1..3));
    assert_eq!(of.try_at(4).ok(), of.last());
    let error = of.try_range(2..8).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange);
    let text = error.to_string();
    assert!(text.contains("elements 2..8 of SymSlice<u32>(0x40, 5 elements)"), "{text}");
    assert!(text.contains("8 elements asked, 5"), "{text}");
    let error = of.try_at(5).unwrap_err();
    assert!(error.to_string().contains("6 elements asked, 5"), "{error}");
    let (from, to) = (3, 2);
    assert_eq!(of.try_range(from..to).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(of.try_range(..=usize::MAX).unwrap_err().kind(), ErrorKind::OutOfRange);
}

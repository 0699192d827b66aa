use super::*;
use crate::bootstrap::frame::{PIECE, parse};

fn arrive(state: &mut CollectiveState, pe: u32, seq: u64, step: &str, blob: &[u8], now: Instant) -> Vec<Message> {
    let mut out = Vec::new();
    let frame = Frame { kind: FrameKind::Arrive, op: Op::Gather as u8, pe, count: 1, seq, step, blob };
    state.receive(&(pe..pe + 1), &frame, now, &mut out).unwrap();
    out
}

/// Returns kind, PEs and blob of each frame.
fn read(messages: &[Message]) -> Vec<(FrameKind, Range<u32>, Vec<u8>)> {
    let mut all = Vec::new();
    for message in messages {
        let bytes = message.pieces.concat();
        let mut rest = &bytes[..];
        while let Some((frame, taken)) = parse(rest).unwrap() {
            all.push((frame.kind, frame.pe..frame.pe + frame.count, frame.blob.to_vec()));
            rest = &rest[taken..];
        }
        assert!(rest.is_empty(), "whole frames only");
    }
    all
}

fn kinds(messages: &[Message]) -> Vec<(Option<u32>, FrameKind)> {
    messages.iter().map(|message| (message.except, read(std::slice::from_ref(message))[0].0)).collect()
}

#[test]
fn the_last_to_arrive_releases_all_with_every_blob_in_order() {
    let (mut state, now) = (CollectiveState::new(2, None), Instant::now());
    assert!(arrive(&mut state, 1, 0, "x", b"one", now).is_empty());
    let messages = arrive(&mut state, 0, 0, "x", b"zero", now);
    let part = |pe, blob: &[u8]| (FrameKind::Part, pe..pe + 1, blob.to_vec());
    assert_eq!(read(&messages), [part(0, b"zero"), part(1, b"one")]);
    assert_eq!(kinds(&messages), [(None, FrameKind::Part)], "one message for all");
    assert!(state.calls.is_empty(), "nothing of the call is kept");
}

#[test]
fn an_answer_of_many_pes_is_few_pieces_shared_by_all() {
    let n = 1000;
    let (mut state, now) = (CollectiveState::new(n, None), Instant::now());
    let large = vec![7; PIECE];
    let mut messages = Vec::new();
    for pe in 0..n {
        let small = pe.to_le_bytes();
        messages = arrive(&mut state, pe, 0, "x", if pe == 500 { &large } else { &small }, now);
    }
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].pieces.len(), 3, "before the large blob, the blob, after it");
    let blobs: Vec<_> = read(&messages).into_iter().map(|(_, _, blob)| blob.len()).collect();
    assert!(blobs.iter().enumerate().all(|(pe, &bytes)| bytes == if pe == 500 { PIECE } else { 4 }));
    assert_eq!(blobs.len(), n as usize);
}

#[test]
fn equal_blobs_of_neighbours_are_one_frame() {
    let (mut state, now) = (CollectiveState::new(1000, None), Instant::now());
    let mut messages = Vec::new();
    for pe in 0..1000 {
        messages = arrive(&mut state, pe, 0, "x", if pe == 7 { b"other" } else { b"same" }, now);
    }
    let part = |pes, blob: &[u8]| (FrameKind::Part, pes, blob.to_vec());
    assert_eq!(read(&messages), [part(0..7, b"same"), part(7..8, b"other"), part(8..1000, b"same")]);
}

#[test]
fn the_arrivals_of_a_subtree_count_for_each_of_its_pes_and_for_no_other() {
    let (mut state, now) = (CollectiveState::new(5, None), Instant::now());
    let mut out = Vec::new();
    let subtree = Frame { kind: FrameKind::Arrive, op: 1, pe: 2, count: 3, seq: 0, step: "x", blob: b"b" };
    for (pe, count) in [(1, 3), (2, 4), (4, u32::MAX), (0, 1)] {
        assert!(state.receive(&(2..5), &Frame { pe, count, ..subtree }, now, &mut out).is_err(), "{count} from {pe}");
    }
    state.receive(&(2..5), &subtree, now, &mut out).unwrap();
    assert!(state.receive(&(2..5), &Frame { count: 1, ..subtree }, now, &mut out).is_err(), "it has arrived");
    assert!(arrive(&mut state, 1, 0, "x", b"b", now).is_empty() && out.is_empty());
    let messages = arrive(&mut state, 0, 0, "x", b"a", now);
    assert_eq!(read(&messages)[1], (FrameKind::Part, 1..5, b"b".to_vec()));
}

#[test]
fn a_missed_limit_is_reported_once_to_all_and_the_rest_still_arrive() {
    let limit = Duration::from_secs(3);
    let (mut state, now) = (CollectiveState::new(3, Some(limit)), Instant::now());
    arrive(&mut state, 1, 0, "x", &[], now);
    assert_eq!(state.deadline(), Some(now + limit));
    let mut out = Vec::new();
    state.tick(now + limit - Duration::from_millis(1), &mut out);
    assert!(out.is_empty(), "not before the limit");
    state.tick(now + limit, &mut out);
    assert_eq!(kinds(&out), [(None, FrameKind::Failure)], "also to those that may be waiting elsewhere");
    assert_eq!(String::from_utf8_lossy(&read(&out)[0].2), "PE 0 and PE 2 have not arrived within 3s");
    assert_eq!(state.deadline(), None);
    assert!(arrive(&mut state, 0, 0, "x", &[], now + limit * 2).is_empty(), "it knows");
    // PE 0 may continue although PE 2 has not made the call yet.
    assert!(arrive(&mut state, 0, 1, "y", &[], now + limit * 2).is_empty());
    assert!(arrive(&mut state, 2, 0, "x", &[], now + limit * 2).is_empty());
    assert_eq!(state.calls.len(), 1, "the ended call is forgotten, the new one waits");
}

#[test]
fn the_first_call_says_that_pe_0_lacks_descriptors_for_those_that_are_missing() {
    let limit = Duration::from_secs(3);
    let (mut state, now) = (CollectiveState::new(2, Some(limit)), Instant::now());
    state.accepts_none = Some("no descriptor is left".into());
    let mut out = Vec::new();
    for (seq, reason) in [": PE 0 can accept no further connection: no descriptor is left", ""].into_iter().enumerate()
    {
        arrive(&mut state, 0, seq as u64, "x", &[], now);
        state.tick(now + limit, &mut out);
        let text = String::from_utf8_lossy(&read(&out)[seq].2).into_owned();
        assert_eq!(text, format!("PE 1 has not arrived within 3s{reason}"));
    }
}

#[test]
fn a_pe_that_waits_for_its_parent_is_not_the_one_that_is_missing() {
    let limit = Duration::from_secs(3);
    let (mut state, now) = (CollectiveState::new(4, Some(limit)), Instant::now());
    arrive(&mut state, 0, 0, "connect", &[], now);
    state.waits(2);
    state.waits(3);
    let mut out = Vec::new();
    state.tick(now + limit, &mut out);
    assert_eq!(String::from_utf8_lossy(&read(&out)[0].2), "PE 1 has not arrived within 3s");
    // At later calls it has a place.
    (0..4).for_each(|pe| drop(arrive(&mut state, pe, u64::from(pe == 0), "x", &[], now)));
    state.tick(now + limit, &mut out);
    assert_eq!(String::from_utf8_lossy(&read(&out)[1].2), "PE 1, PE 2 and PE 3 have not arrived within 3s");
}

#[test]
fn a_death_is_announced_once_and_not_after_all_have_left() {
    let (mut state, now) = (CollectiveState::new(2, None), Instant::now());
    let mut out = Vec::new();
    state.died(1, "gone", &mut out);
    state.died(1, "gone", &mut out);
    assert_eq!(kinds(&out), [(Some(1), FrameKind::Dead)]);

    let mut state = CollectiveState::new(2, None);
    for pe in 0..2 {
        let op = Op::Leave as u8;
        let frame = Frame { kind: FrameKind::Arrive, op, pe, count: 1, seq: 0, step: "leave", blob: &[] };
        state.receive(&(pe..pe + 1), &frame, now, &mut Vec::new()).unwrap();
    }
    let mut out = Vec::new();
    state.died(1, "gone", &mut out);
    assert!(state.left() && out.is_empty());
}

#[test]
fn a_frame_that_breaks_the_protocol_is_an_error() {
    let (mut state, now) = (CollectiveState::new(2, None), Instant::now());
    use FrameKind::{Arrive, Dead, Fail, Moved, Part};
    for (kind, op, pe, seq) in
        [(Arrive, 1, 0, 1), (Arrive, 99, 0, 0), (Part, 1, 0, 0), (Dead, 0, 1, 0), (Fail, 0, 1, 0), (Moved, 0, 0, 0)]
    {
        let frame = Frame { kind, op, pe, count: 1, seq, step: "x", blob: &[] };
        assert!(state.receive(&(0..1), &frame, now, &mut Vec::new()).is_err(), "{frame:?}");
    }
}

#[test]
fn many_missing_pes_are_counted_and_not_all_named() {
    assert_eq!(name_pes(&[2]), "PE 2");
    assert_eq!(name_pes(&[2, 5, 7]), "PE 2, PE 5 and PE 7");
    assert_eq!(name_pes(&(0..100).collect::<Vec<_>>()), "PE 0, PE 1, PE 2, PE 3, PE 4, PE 5, PE 6, PE 7 and 92 more");
}

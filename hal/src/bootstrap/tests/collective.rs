use super::*;
use crate::bootstrap::frame::parse;

fn arrive(state: &mut CollectiveState, pe: u32, seq: u64, step: &str, blob: &[u8], now: Instant) -> Vec<Message> {
    let mut out = Vec::new();
    let frame = Frame { kind: FrameKind::Arrive, op: Op::Gather as u8, pe, seq, step, blob };
    state.receive(pe, &frame, now, &mut out).unwrap();
    out
}

/// Returns receiver, kind and blob of each frame.
fn read(messages: &[Message]) -> Vec<(u32, FrameKind, Vec<u8>)> {
    let mut all = Vec::new();
    for message in messages {
        let bytes = message.pieces.concat();
        let mut rest = &bytes[..];
        while let Some((frame, taken)) = parse(rest).unwrap() {
            all.push((message.to, frame.kind, frame.blob.to_vec()));
            rest = &rest[taken..];
        }
        assert!(rest.is_empty(), "whole frames only");
    }
    all
}

fn kinds(messages: &[Message]) -> Vec<(u32, FrameKind)> {
    read(messages).into_iter().map(|(to, kind, _)| (to, kind)).collect()
}

#[test]
fn the_last_to_arrive_releases_all_with_every_blob_in_order() {
    let (mut state, now) = (CollectiveState::new(2, None), Instant::now());
    assert!(arrive(&mut state, 1, 0, "x", b"one", now).is_empty());
    let messages = arrive(&mut state, 0, 0, "x", b"zero", now);
    let part = |to, blob: &[u8]| (to, FrameKind::Part, blob.to_vec());
    assert_eq!(read(&messages), [part(0, b"zero"), part(0, b"one"), part(1, b"zero"), part(1, b"one")]);
    assert!(state.calls.is_empty(), "nothing of the call is kept");
}

#[test]
fn an_answer_of_many_pes_is_few_pieces_shared_by_all() {
    let n = 1000;
    let (mut state, now) = (CollectiveState::new(n, None), Instant::now());
    let large = vec![7; PIECE];
    let mut messages = Vec::new();
    for pe in 0..n {
        messages = arrive(&mut state, pe, 0, "x", if pe == 500 { &large } else { &[1; 8] }, now);
    }
    assert_eq!(messages.len(), n as usize);
    assert_eq!(messages[0].pieces.len(), 3, "before the large blob, the blob, after it");
    assert!(messages[0].pieces.iter().zip(&messages[999].pieces).all(|(a, b)| Arc::ptr_eq(a, b)));
    let blobs: Vec<_> = read(&messages[999..]).into_iter().map(|(_, _, blob)| blob.len()).collect();
    assert!(blobs.iter().enumerate().all(|(pe, &bytes)| bytes == if pe == 500 { PIECE } else { 8 }));
}

#[test]
fn a_missed_limit_is_reported_to_arrived_pes_at_once_and_to_the_rest_on_arrival() {
    let limit = Duration::from_secs(3);
    let (mut state, now) = (CollectiveState::new(3, Some(limit)), Instant::now());
    arrive(&mut state, 1, 0, "x", &[], now);
    assert_eq!(state.deadline(), Some(now + limit));
    let mut out = Vec::new();
    state.tick(now + limit - Duration::from_millis(1), &mut out);
    assert!(out.is_empty(), "not before the limit");
    state.tick(now + limit, &mut out);
    assert_eq!(kinds(&out), [(1, FrameKind::Failure)]);
    assert_eq!(String::from_utf8_lossy(&read(&out)[0].2), "PE 0 and PE 2 have not arrived within 3s");
    assert_eq!(state.deadline(), None);
    assert_eq!(kinds(&arrive(&mut state, 0, 0, "x", &[], now + limit * 2)), [(0, FrameKind::Failure)]);
    // PE 0 may continue although PE 2 has not heard of the call yet.
    assert!(arrive(&mut state, 0, 1, "y", &[], now + limit * 2).is_empty());
    assert_eq!(kinds(&arrive(&mut state, 2, 0, "x", &[], now + limit * 2)), [(2, FrameKind::Failure)]);
    assert_eq!(state.calls.len(), 1, "the ended call is forgotten, the new one waits");
}

#[test]
fn a_death_is_announced_once_and_not_after_all_have_left() {
    let (mut state, now) = (CollectiveState::new(2, None), Instant::now());
    let mut out = Vec::new();
    state.died(1, "gone", &mut out);
    state.died(1, "gone", &mut out);
    assert_eq!(kinds(&out), [(0, FrameKind::Dead)]);

    let mut state = CollectiveState::new(2, None);
    for pe in 0..2 {
        let frame = Frame { kind: FrameKind::Arrive, op: Op::Leave as u8, pe, seq: 0, step: "leave", blob: &[] };
        state.receive(pe, &frame, now, &mut Vec::new()).unwrap();
    }
    let mut out = Vec::new();
    state.died(1, "gone", &mut out);
    assert!(state.left() && out.is_empty());
}

#[test]
fn a_frame_that_breaks_the_protocol_is_an_error() {
    let (mut state, now) = (CollectiveState::new(2, None), Instant::now());
    for (kind, op, seq) in
        [(FrameKind::Arrive, 1, 1), (FrameKind::Arrive, 99, 0), (FrameKind::Part, 1, 0), (FrameKind::Dead, 0, 0)]
    {
        let frame = Frame { kind, op, pe: 0, seq, step: "x", blob: &[] };
        assert!(state.receive(0, &frame, now, &mut Vec::new()).is_err(), "{frame:?}");
    }
}

#[test]
fn many_missing_pes_are_counted_and_not_all_named() {
    assert_eq!(name_pes(&[2]), "PE 2");
    assert_eq!(name_pes(&[2, 5, 7]), "PE 2, PE 5 and PE 7");
    assert_eq!(name_pes(&(0..100).collect::<Vec<_>>()), "PE 0, PE 1, PE 2, PE 3, PE 4, PE 5, PE 6, PE 7 and 92 more");
}

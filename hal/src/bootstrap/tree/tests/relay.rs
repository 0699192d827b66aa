use super::*;
use crate::bootstrap::frame::parse;

/// A relay of PEs 5 to 9 in a world of 12: PE 5 itself, PE 6 alone, and PE 7 for PEs 7 and 8.
fn relay() -> RelayState {
    RelayState::new(5..9, 12)
}

const OWN: Range<u32> = 5..6;
const LEAF: Range<u32> = 6..7;
const HUB: Range<u32> = 7..9;

fn frame<'a>(pes: &Range<u32>, seq: u64, step: &'a str, blob: &'a [u8]) -> Frame<'a> {
    let count = pes.len() as u32;
    Frame { kind: FrameKind::Arrive, op: Op::Gather as u8, pe: pes.start, count, seq, step, blob }
}

fn arrive(state: &mut RelayState, pes: Range<u32>, seq: u64, step: &str, blob: &[u8], now: Instant) -> Vec<Sent> {
    let mut up = Vec::new();
    state.receive(&pes, &frame(&pes, seq, step, blob), now, &mut up).unwrap();
    read(&up)
}

/// Kind, PEs, step and blob of a frame.
type Sent = (FrameKind, Range<u32>, String, Vec<u8>);

fn read(up: &[Arc<[u8]>]) -> Vec<Sent> {
    let bytes = up.concat();
    let (mut all, mut rest) = (Vec::new(), &bytes[..]);
    while let Some((frame, taken)) = parse(rest).unwrap() {
        all.push((frame.kind, frame.pe..frame.pe + frame.count, frame.step.into(), frame.blob.to_vec()));
        rest = &rest[taken..];
    }
    assert!(rest.is_empty(), "whole frames only");
    all
}

fn sent(pes: Range<u32>, step: &str, blob: &[u8]) -> Sent {
    (FrameKind::Arrive, pes, step.into(), blob.to_vec())
}

#[test]
fn a_subtree_that_arrives_with_one_blob_is_one_frame() {
    let (mut state, now) = (relay(), Instant::now());
    assert!(arrive(&mut state, HUB, 0, "x", b"same", now).is_empty());
    assert!(arrive(&mut state, OWN, 0, "x", b"same", now).is_empty());
    assert_eq!(arrive(&mut state, LEAF, 0, "x", b"same", now), [sent(5..9, "x", b"same")]);
    assert!(state.calls.is_empty() && state.deadline().is_none(), "nothing of the call is kept");
}

#[test]
fn different_blobs_stay_apart_and_in_pe_order() {
    let (mut state, now) = (relay(), Instant::now());
    arrive(&mut state, HUB, 0, "x", b"a", now);
    arrive(&mut state, LEAF, 0, "x", b"a", now);
    assert_eq!(arrive(&mut state, OWN, 0, "x", b"b", now), [sent(5..6, "x", b"b"), sent(6..9, "x", b"a")]);
}

#[test]
fn a_call_that_takes_long_is_passed_on_as_it_comes() {
    let (mut state, now) = (relay(), Instant::now());
    arrive(&mut state, OWN, 0, "x", b"", now);
    assert_eq!(state.deadline(), Some(now + HOLD));
    let mut up = Vec::new();
    state.tick(now + HOLD - Duration::from_millis(1), &mut up);
    assert!(up.is_empty(), "not before");
    state.tick(now + HOLD, &mut up);
    assert_eq!(read(&up), [sent(OWN, "x", b"")]);
    assert_eq!(state.deadline(), None);
    assert_eq!(arrive(&mut state, HUB, 0, "x", b"", now), [sent(HUB, "x", b"")]);
    assert_eq!(arrive(&mut state, OWN, 1, "y", b"", now), [], "the next call is held again");
    assert_eq!(arrive(&mut state, LEAF, 0, "x", b"", now), [sent(LEAF, "x", b"")]);
    assert_eq!(state.calls.len(), 1);
}

#[test]
fn pes_that_differ_and_pes_that_refuse_are_passed_on_at_once() {
    let (mut state, now) = (relay(), Instant::now());
    arrive(&mut state, OWN, 0, "x", b"", now);
    assert_eq!(arrive(&mut state, LEAF, 0, "y", b"", now), [sent(OWN, "x", b""), sent(LEAF, "y", b"")]);
    let (mut state, mut up) = (relay(), Vec::new());
    arrive(&mut state, OWN, 0, "x", b"", now);
    let refusal = Frame { kind: FrameKind::Refuse, ..frame(&LEAF, 0, "x", b"no") };
    state.receive(&LEAF, &refusal, now, &mut up).unwrap();
    assert_eq!(read(&up).iter().map(|sent| sent.0).collect::<Vec<_>>(), [FrameKind::Arrive, FrameKind::Refuse]);
}

#[test]
fn failures_and_deaths_of_the_subtree_are_passed_on_and_those_of_others_are_not() {
    let (mut state, now) = (relay(), Instant::now());
    for kind in [FrameKind::Fail, FrameKind::Dead] {
        let mut up = Vec::new();
        let said = Frame { kind, op: 0, pe: 8, count: 0, seq: 0, step: "", blob: b"why" };
        state.receive(&HUB, &said, now, &mut up).unwrap();
        assert_eq!(read(&up), [(kind, 8..8, String::new(), b"why".to_vec())]);
        assert!(state.receive(&LEAF, &said, now, &mut up).is_err(), "PE 8 is not connected there");
    }
    for kind in [FrameKind::Part, FrameKind::Failure, FrameKind::Moved] {
        assert!(state.receive(&HUB, &Frame { kind, ..frame(&HUB, 0, "", b"") }, now, &mut Vec::new()).is_err());
    }
    assert!(state.note(&frame(&HUB, 0, "", b"")).is_err(), "the parent arrives nowhere");
}

#[test]
fn the_last_part_of_leaving_ends_it_and_then_no_death_counts() {
    let mut state = relay();
    let part = Frame { kind: FrameKind::Part, op: Op::Leave as u8, pe: 0, count: 11, seq: 3, step: "", blob: b"" };
    state.note(&part).unwrap();
    assert!(!state.left());
    state.note(&Frame { pe: 11, count: 1, op: Op::Barrier as u8, ..part }).unwrap();
    assert!(!state.left());
    state.note(&Frame { pe: 11, count: 1, ..part }).unwrap();
    assert!(state.left());
    let mut up = Vec::new();
    state.died(6, "gone", &mut up);
    assert!(up.is_empty());
}

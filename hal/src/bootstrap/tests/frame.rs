use super::*;
use crate::bootstrap::tree::relay::RelayState;
use crate::bootstrap::tree::state::CollectiveState;
use std::time::Instant;

/// A small seeded generator (xorshift), so that a failure can be replayed.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}

fn frame_kinds() -> impl Iterator<Item = FrameKind> {
    (0..=u8::MAX).filter_map(FrameKind::from_raw)
}

fn some_frame(rng: &mut Rng) -> Vec<u8> {
    let (step_len, blob_len) = (rng.below(12), rng.below(40));
    let step: String = (0..step_len).map(|_| char::from(b'a' + rng.below(26) as u8)).collect();
    let blob = rng.bytes(blob_len);
    let kind = FrameKind::from_raw(1 + rng.below(frame_kinds().count()) as u8).expect("the kinds are numbered from 1");
    let frame = Frame {
        kind,
        op: rng.below(8) as u8,
        pe: rng.below(5) as u32,
        count: if kind.counts() { 1 + rng.below(3) as u32 } else { 0 },
        seq: rng.below(4) as u64,
        step: &step,
        blob: &blob,
    };
    [frame.head(), blob.clone()].concat()
}

#[test]
fn a_frame_reads_back_as_it_was_written_also_byte_by_byte() {
    let frame = Frame { kind: FrameKind::Arrive, op: 3, pe: 7, count: 2, seq: 1 << 40, step: "schön", blob: b"blob" };
    let bytes = [frame.head(), b"blob".to_vec()].concat();
    assert_eq!(bytes[..4], [1, 3, 6, 0], "kind, op, step length");
    assert_eq!(bytes[4..12], [4, 0, 0, 0, 7, 0, 0, 0], "blob length, PE");
    assert_eq!(bytes[12..16], [2, 0, 0, 0], "number of PEs");
    assert_eq!(bytes[16..24], [0, 0, 0, 0, 0, 1, 0, 0], "sequence");
    let mut inbox = Inbox::default();
    for (at, byte) in bytes.iter().enumerate() {
        assert_eq!(inbox.next().unwrap(), None, "nothing is whole after {at} bytes");
        inbox.push(&[*byte]);
    }
    assert_eq!(inbox.next().unwrap(), Some(frame));
    assert_eq!(inbox.next().unwrap(), None);
}

#[test]
fn lengths_past_the_bound_are_refused_by_the_header_alone() {
    let mut head = Frame { kind: FrameKind::Part, op: 1, pe: 0, count: 1, seq: 0, step: "", blob: &[] }.head();
    head[4..8].copy_from_slice(&(MAX_BLOB_BYTES as u32).to_le_bytes());
    assert_eq!(parse(&head), Ok(None), "the longest is awaited");
    head[4..8].copy_from_slice(&(MAX_BLOB_BYTES as u32 + 1).to_le_bytes());
    assert_eq!(parse(&head), Err(Malformed::BlobLength(MAX_BLOB_BYTES + 1)));
    head[2..4].copy_from_slice(&(MAX_STEP_BYTES as u16 + 1).to_le_bytes());
    assert_eq!(parse(&head), Err(Malformed::StepLength(MAX_STEP_BYTES + 1)));
    assert_eq!(parse(&[0]), Err(Malformed::Kind(0)), "one byte is enough");
    assert_eq!(parse(&[13]), Err(Malformed::Kind(13)));
}

#[test]
fn a_number_of_pes_belongs_to_some_kinds_and_is_not_zero_there() {
    for kind in frame_kinds() {
        for count in [0, 1] {
            let head = Frame { kind, op: 1, pe: 0, count, seq: 0, step: "", blob: &[] }.head();
            assert_eq!(parse(&head).is_ok(), kind.counts() == (count == 1), "{kind:?} {count}");
        }
    }
}

#[test]
fn the_bytes_of_whole_frames_are_passed_on_once() {
    let frame = |seq| Frame { kind: FrameKind::Part, op: 1, pe: 0, count: 1, seq, step: "", blob: &[] }.head();
    let mut inbox = Inbox::default();
    inbox.push(&[frame(0), frame(1), frame(2)[..5].to_vec()].concat());
    while inbox.next().unwrap().is_some() {}
    assert_eq!(inbox.passed(), [frame(0), frame(1)].concat());
    assert_eq!(inbox.passed(), []);
    inbox.push(&frame(2)[5..]);
    while inbox.next().unwrap().is_some() {}
    assert_eq!(inbox.passed(), frame(2));
}

#[test]
fn a_hundred_thousand_random_and_mutated_streams_neither_panic_nor_allocate_what_they_claim() {
    let mut rng = Rng(0x0123_4567_89ab_cdef);
    let (mut whole, mut refused) = (0, 0);
    for round in 0..120_000 {
        let mut bytes = match round % 4 {
            0 => {
                let n = rng.below(64);
                rng.bytes(n)
            }
            _ => (0..1 + rng.below(4)).flat_map(|_| some_frame(&mut rng)).collect(),
        };
        if round % 4 > 1 {
            for _ in 0..1 + rng.below(3) {
                let at = rng.below(bytes.len());
                bytes[at] = if rng.below(2) == 0 { rng.next() as u8 } else { bytes[at] ^ 1 << rng.below(8) };
            }
            if rng.below(3) == 0 {
                bytes.truncate(rng.below(bytes.len() + 1));
            }
        }
        // The states of the root and of a relay must survive every frame that the parser accepts.
        let mut state = CollectiveState::new(3, None);
        let mut relay = RelayState::new(1..3, 3);
        let (mut messages, mut up) = (Vec::new(), Vec::new());
        let mut inbox = Inbox::default();
        let mut rest = &bytes[..];
        'stream: while !rest.is_empty() {
            let (piece, after) = rest.split_at(1 + rng.below(rest.len()));
            rest = after;
            inbox.push(piece);
            loop {
                match inbox.next() {
                    Ok(Some(frame)) => {
                        whole += 1;
                        assert!(frame.blob.len() + frame.step.len() + HEADER <= bytes.len());
                        let from = [0..1, 1..3, 2..3][rng.below(3)].clone();
                        let _ = state.receive(&from, &frame, Instant::now(), &mut messages);
                        if from.start > 0 {
                            let _ = relay.receive(&from, &frame, Instant::now(), &mut up);
                            let _ = relay.note(&frame);
                        }
                    }
                    Ok(None) => break,
                    Err(_) => {
                        refused += 1;
                        break 'stream;
                    }
                }
            }
            assert!(
                inbox.bytes.capacity() <= 4 * bytes.len() + 64,
                "round {round}: {} bytes kept",
                inbox.bytes.capacity()
            );
        }
        let to_parse = messages.iter().map(|message| &message.pieces).chain([&up]);
        for pieces in to_parse {
            let mut inbox = Inbox::default();
            inbox.push(&pieces.concat());
            while inbox.next().unwrap().is_some() {}
        }
    }
    assert!(whole > 50_000 && refused > 20_000, "the inputs reach both ends: {whole} frames, {refused} refusals");
}

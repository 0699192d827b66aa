//! A receiver over memory of the test.

use super::*;
use crate::engine::{Resized, Ring};
use crate::memory::{HostMemory, Pages};

/// Entries of the queue, and of the completion queue.
const LOG_SIZE: u8 = 2;
/// Two segments an entry.
const LOG_STRIDE: u8 = 5;

/// The opcode of a completion of a receive entry in error.
const ERROR: u8 = 0xe;

/// Key, offset and data of a write.
type Stored = (u32, u64, Vec<u8>);

struct Bench {
    pages: Pages,
    dma: Dma,
    receiver: Receiver,
}

/// Places in the page: receive entries, completions, both doorbell records.
const ENTRIES: u64 = 0;
const COMPLETIONS: u64 = 1024;
const RECORD: u64 = 2048;
/// The completions of another ring.
const RESIZED: u64 = 3072;

/// The opcode of an entry that was never written.
const INVALID: u8 = 0xf;

impl Bench {
    fn new(service: Service, shared: bool) -> Self {
        let pages = Pages::new(4096).unwrap();
        let dma = Dma::new(Arc::new(HostMemory));
        // SAFETY: **mapped**: the bench keeps the page.
        let page = unsafe { dma.span(pages.at(), 4096) }.unwrap();
        let queue = ReceiveQueue {
            entries: page.part(ENTRIES, 4 << LOG_STRIDE).unwrap(),
            log_size: LOG_SIZE,
            log_stride: LOG_STRIDE,
            dbr: page.part(RECORD, 8).unwrap(),
            pd: 1,
            shared,
            linked: shared,
            position: Mutex::default(),
            low: Mutex::default(),
        };
        let cq = Cq {
            cqn: 7,
            collapsed: false,
            ignores_overrun: true,
            dbr: page.part(RECORD + 64, 8).unwrap(),
            ring: Mutex::new(Ring::new(page.part(COMPLETIONS, 64 << LOG_SIZE).unwrap(), 64, LOG_SIZE)),
        };
        let (queue, cq) = (Arc::new(queue), Arc::new(cq));
        let receiver = Receiver { qpn: 9, service, user_index: 3, queue, cq, arriving: Mutex::default() };
        let bench = Self { pages, dma, receiver };
        for entry in (COMPLETIONS..RECORD).chain(RESIZED..4096).step_by(64) {
            bench.put(entry + 63, &[INVALID << 4]);
        }
        bench
    }

    fn put(&self, at: u64, bytes: &[u8]) {
        // SAFETY: **mapped**: the bench keeps the page.
        let span = unsafe { self.dma.span(self.pages.at() + at, bytes.len() as u64) }.unwrap();
        self.dma.write(span, bytes).unwrap();
    }

    /// Writes an entry with one segment, and the end of the list.
    fn entry(&self, index: u64, bytes: u32, lkey: u32) {
        let link = if self.receiver.queue.shared { LINK } else { 0 };
        let mut segment = Vec::new();
        segment.extend(bytes.to_be_bytes());
        segment.extend(lkey.to_be_bytes());
        segment.extend(0x1000_u64.to_be_bytes());
        if link == 0 {
            segment.extend([0, 0, 0, 0]);
            segment.extend(NO_KEY.to_be_bytes());
            segment.extend([0; 8]);
        }
        self.put(ENTRIES + (index << LOG_STRIDE) + link, &segment);
    }

    fn posted(&self, count: u32) {
        self.put(RECORD, &count.to_be_bytes());
    }

    /// Receives a message. Returns the answer, and the writes: key, offset and data.
    fn receive(&self, message: &Message<'_>) -> (Result<(), Nak>, Vec<Stored>) {
        let mut writes = Vec::new();
        let answer = self.receiver.take(&self.dma, (5, 0x77), message, |sge, offset, data| {
            writes.push((sge.lkey, offset, data.to_vec()));
            Ok(())
        });
        (answer, writes)
    }

    /// Returns opcode, syndrome, counter and bytes of a completion.
    fn completion(&self, index: u64) -> (u8, u8, u16, u32) {
        let mut entry = [0; 64];
        // SAFETY: **mapped**: the bench keeps the page.
        let span = unsafe { self.dma.span(self.pages.at() + COMPLETIONS + index * 64, 64) }.unwrap();
        self.dma.read(span, &mut entry).unwrap();
        let bytes = u32::from_be_bytes([entry[0x2c], entry[0x2d], entry[0x2e], entry[0x2f]]);
        let opcode = entry[63] >> 4;
        // Other entries have the time where an error has its syndrome.
        let syndrome = if opcode == ERROR { entry[0x37] } else { 0 };
        (opcode, syndrome, u16::from_be_bytes([entry[60], entry[61]]), bytes)
    }

    fn completions(&self) -> u64 {
        self.receiver.cq.ring().produced
    }
}

fn message(total: u64, offset: u64, data: &[u8]) -> Message<'_> {
    Message { offset, total, data, written: false, imm: None, solicited: false, datagram: None }
}

#[test]
fn a_message_without_a_posted_entry_is_refused_and_completes_nothing() {
    let bench = Bench::new(Service::Rc, false);
    let (answer, writes) = bench.receive(&message(4, 0, b"data"));
    assert!(answer.unwrap_err().not_ready.is_some());
    assert!(writes.is_empty());
    assert_eq!(bench.completions(), 0);
}

#[test]
fn a_message_in_two_parts_fills_one_entry_and_completes_once() {
    let bench = Bench::new(Service::Rc, false);
    bench.entry(0, 8, 0x500);
    bench.posted(1);
    let (answer, writes) = bench.receive(&message(6, 0, b"abcd"));
    assert_eq!((answer, writes), (Ok(()), vec![(0x500, 0, b"abcd".to_vec())]));
    assert_eq!(bench.completions(), 0, "the rest is missing");
    let (answer, writes) = bench.receive(&message(6, 4, b"ef"));
    assert_eq!((answer, writes), (Ok(()), vec![(0x500, 4, b"ef".to_vec())]));
    assert_eq!(bench.completions(), 1);
    assert_eq!(bench.completion(0), (2, 0, 0, 6));
    assert!(bench.receive(&message(1, 0, b"g")).0.unwrap_err().not_ready.is_some(), "the entry is consumed");
}

#[test]
fn after_a_reset_a_message_that_had_begun_is_forgotten_and_the_first_entry_is_next() {
    let bench = Bench::new(Service::Rc, false);
    bench.entry(0, 8, 0x500);
    bench.posted(1);
    assert!(bench.receive(&message(6, 0, b"abcd")).0.is_ok());
    bench.receiver.reset();
    assert!(bench.receive(&message(6, 4, b"ef")).0.unwrap_err().not_ready.is_some());
    assert_eq!(bench.receive(&message(1, 0, b"g")), (Ok(()), vec![(0x500, 0, b"g".to_vec())]));
    assert_eq!((bench.completions(), bench.completion(0)), (1, (2, 0, 0, 1)));
}

#[test]
fn the_second_part_of_a_message_whose_first_was_refused_takes_no_entry() {
    let bench = Bench::new(Service::Rc, false);
    assert!(bench.receive(&message(6, 0, b"abcd")).0.is_err());
    bench.entry(0, 8, 0x500);
    bench.posted(1);
    assert!(bench.receive(&message(6, 4, b"ef")).0.unwrap_err().not_ready.is_some());
    assert_eq!(bench.completions(), 0);
}

#[test]
fn a_message_longer_than_its_entry_fails_on_both_sides_and_writes_nothing() {
    let bench = Bench::new(Service::Rc, false);
    bench.entry(0, 3, 0x500);
    bench.posted(1);
    let (answer, writes) = bench.receive(&message(4, 0, b"data"));
    assert_eq!(answer.unwrap_err().syndrome, syndrome::REMOTE_INVALID);
    assert!(writes.is_empty());
    let (opcode, syndrome, counter, _) = bench.completion(0);
    assert_eq!((opcode, syndrome, counter), (0xe, syndrome::LOCAL_LENGTH, 0));
}

#[test]
fn a_write_with_an_immediate_value_takes_an_entry_without_segments() {
    let bench = Bench::new(Service::Rc, false);
    bench.entry(0, 0, 0x500);
    bench.posted(1);
    let report = Message { written: true, imm: Some(5), ..message(100, 0, &[]) };
    assert_eq!(bench.receive(&report), (Ok(()), Vec::new()));
    assert_eq!(bench.completion(0), (1, 0, 0, 100));
}

#[test]
fn a_datagram_comes_after_40_bytes_that_count() {
    let bench = Bench::new(Service::Ud, false);
    bench.entry(0, 44, 0x500);
    bench.posted(1);
    let header = [6; 40];
    let (answer, writes) = bench.receive(&Message { datagram: Some(Some(header)), ..message(4, 0, b"data") });
    assert_eq!(answer, Ok(()));
    assert_eq!(writes, [(0x500, 0, header.to_vec()), (0x500, 40, b"data".to_vec())]);
    assert_eq!(bench.completion(0), (2, 0, 0, 44));
}

#[test]
fn a_shared_queue_is_consumed_in_the_order_of_its_list() {
    let bench = Bench::new(Service::Rc, true);
    for (index, next) in [(0, 2), (2, 1), (1, 3)] {
        bench.entry(index, 8, 0x500 + index as u32);
        bench.put(ENTRIES + (index << LOG_STRIDE) + 2, &[0, next]);
    }
    bench.posted(3);
    for (place, index) in [0, 2, 1].into_iter().enumerate() {
        let (answer, writes) = bench.receive(&message(1, 0, b"x"));
        assert_eq!((answer, writes), (Ok(()), vec![(0x500 + u32::from(index), 0, b"x".to_vec())]));
        assert_eq!(bench.completion(place as u64), (2, 0, index, 1), "the counter is the entry's place");
    }
}

#[test]
fn more_posted_entries_than_the_queue_has_break_a_rule() {
    let bench = Bench::new(Service::Rc, false);
    bench.posted(5);
    let (answer, _) = bench.receive(&message(1, 0, b"x"));
    assert_eq!(answer.unwrap_err().rule, Some(Rule::ReceiveOverrun));
}

#[test]
fn posted_entries_of_a_queue_pair_in_error_are_flushed_once_and_those_of_a_shared_queue_stay() {
    let bench = Bench::new(Service::Rc, false);
    bench.posted(2);
    assert!(bench.receiver.flush(&bench.dma));
    assert!(!bench.receiver.flush(&bench.dma));
    for index in 0..2 {
        let (opcode, syndrome, counter, _) = bench.completion(index);
        assert_eq!((opcode, syndrome, u64::from(counter)), (0xe, syndrome::FLUSHED, index));
    }
    let shared = Bench::new(Service::Rc, true);
    shared.posted(2);
    assert!(!shared.receiver.flush(&shared.dma));
    assert_eq!(shared.completions(), 0);
}

#[test]
fn completions_of_a_ring_carry_a_counter_of_16_bits() {
    let bench = Bench::new(Service::Rc, false);
    let entries = 1_u64 << LOG_SIZE;
    for round in 0..entries + 2 {
        bench.entry(round % entries, 16, 0x50);
        bench.posted(round as u32 + 1);
        assert_eq!(bench.receive(&message(4, 0, b"data")).0, Ok(()));
        assert_eq!(bench.completion(round % entries).2, round as u16, "the place is its lower bits");
    }
}

#[test]
fn a_completion_is_the_second_half_of_an_entry_of_128_bytes() {
    let bench = Bench::new(Service::Rc, false);
    {
        let mut ring = lock(&bench.receiver.cq.ring);
        (ring.entry_bytes, ring.log_size) = (128, 1);
    }
    for round in 0..2 {
        bench.entry(round, 16, 0x50);
        bench.posted(round as u32 + 1);
        assert_eq!(bench.receive(&message(4, 0, b"data")).0, Ok(()));
    }
    const SEND: u8 = 2;
    assert_eq!([0, 2].map(|half| bench.completion(half)), [(INVALID, 0, 0, 0); 2], "nothing is written there");
    assert_eq!([1, 3].map(|half| bench.completion(half)), [(SEND, 0, 0, 4), (SEND, 0, 1, 4)]);
}

#[test]
fn messages_of_several_requesters_of_a_dct_do_not_mix() {
    let bench = Bench::new(Service::Dct, false);
    bench.entry(0, 16, 0x50);
    bench.entry(1, 16, 0x60);
    bench.posted(2);
    let receive = |from: (u16, u32), offset: u64, data: &[u8]| {
        let mut keys = Vec::new();
        let answer = bench.receiver.take(&bench.dma, from, &message(8, offset, data), |sge, _, _| {
            keys.push(sge.lkey);
            Ok(())
        });
        (answer, keys)
    };
    let (one, other) = ((5, 0x77), (6, 0x77));
    assert_eq!(receive(one, 0, b"half"), (Ok(()), vec![0x50]));
    assert_eq!(receive(other, 0, b"half"), (Ok(()), vec![0x60]));
    assert_eq!(receive(one, 4, b"rest"), (Ok(()), vec![0x50]));
    assert_eq!(receive(other, 4, b"rest"), (Ok(()), vec![0x60]));
    assert_eq!(bench.completions(), 2);
}

#[test]
fn an_event_is_raised_once_when_fewer_entries_than_the_limit_are_left() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let bench = Bench::new(Service::Rc, true);
    let raised = Arc::new(AtomicU32::new(0));
    let count = raised.clone();
    let sink: Sink = Box::new(move || _ = count.fetch_add(1, Ordering::Relaxed));
    *lock(&bench.receiver.queue.low) = Some(Low { limit: 2, sink });
    (0..4).for_each(|index| bench.entry(index, 16, 0x50));
    bench.posted(4);
    for (left, expected) in [(3, 0), (2, 0), (1, 1), (0, 1)] {
        assert_eq!(bench.receive(&message(4, 0, b"data")).0, Ok(()));
        assert_eq!(raised.load(Ordering::Relaxed), expected, "{left} entries are left");
    }
}

#[test]
fn the_error_state_calls_its_function_each_time_and_only_from_a_working_state() {
    use super::super::state::{QpState, RTS};
    use std::sync::atomic::{AtomicU32, Ordering};
    let (state, called) = (QpState::default(), Arc::new(AtomicU32::new(0)));
    let count = called.clone();
    state.on_error(Box::new(move || _ = count.fetch_add(1, Ordering::Relaxed)));
    state.fail();
    assert_eq!(called.load(Ordering::Relaxed), 0, "it was in RESET");
    for round in 1..3 {
        state.set(RTS);
        state.fail();
        state.fail();
        assert_eq!(called.load(Ordering::Relaxed), round);
    }
}

#[test]
fn a_completion_queue_of_another_size_goes_on_where_the_old_one_says_so() {
    const RESIZE: u8 = 5;
    const SEND: u8 = 2;
    let bench = Bench::new(Service::Rc, false);
    let take = |round: u64| {
        bench.entry(round % 4, 16, 0x50);
        bench.posted(round as u32 + 1);
        assert_eq!(bench.receive(&message(4, 0, b"data")).0, Ok(()));
    };
    (0..3).for_each(take);
    // SAFETY: **mapped**: the bench keeps the page.
    let page = unsafe { bench.dma.span(bench.pages.at(), 4096) }.unwrap();
    let ring = |log_size: u8| Ring::new(page.part(RESIZED, 64 << log_size).unwrap(), 64, log_size);
    assert_eq!(bench.receiver.cq.resize(&bench.dma, ring(1)).unwrap(), Resized::Full, "3 entries are not consumed");
    assert_eq!(bench.completion(3).0, INVALID, "and nothing has changed");
    assert_eq!(bench.receiver.cq.resize(&bench.dma, ring(3)).unwrap(), Resized::Yes);
    assert_eq!(bench.completion(3).0, RESIZE);
    take(3);
    // The fifth entry of all is the fifth of the new ring, which has 8.
    assert_eq!(bench.completion((RESIZED - COMPLETIONS) / 64 + 4), (SEND, 0, 3, 4));
}

//! A completion queue's ring, and whose completions it has.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use super::*;
use crate::fabric::{Completion, Status};
use crate::ibdevx::completion::{CompletionRing, SharedCompletions, status};
use crate::mlx5::cqe;

/// Plays the NIC: writes completions lap by lap.
struct Writer {
    ring: Ring,
    next: u64,
}

impl Writer {
    fn new(entries: u32) -> (Self, SharedCompletions) {
        let ring = Ring::new(entries, 0xff).unwrap();
        (Self { ring: ring.clone(), next: 0 }, SharedCompletions::new(CompletionRing::new(ring)))
    }

    fn write(&mut self, user_index: u32, counter: u16, failure: Option<(u8, u8)>) {
        let word = |offset| self.ring.word(self.next, offset);
        word(cqe::USER_INDEX_OFFSET).store(user_index.to_be(), Ordering::Relaxed);
        let (syndrome, vendor) = failure.unwrap_or_default();
        word(cqe::ERROR_OFFSET).store(u32::from_be_bytes([0, 0, vendor, syndrome]).to_be(), Ordering::Relaxed);
        let opcode = if failure.is_some() { cqe::REQ_ERR } else { cqe::REQ };
        let lap = (self.next / self.ring.units() % 2) as u8;
        let tail = [(counter >> 8) as u8, counter as u8, 0, opcode << 4 | lap];
        word(cqe::TAIL_OFFSET).store(u32::from_ne_bytes(tail), Ordering::Release);
        self.next += 1;
    }

    fn consumed(&self) -> u32 {
        u32::from_be(self.ring.dbr()[0].load(Ordering::Relaxed))
    }
}

fn queue(completions: &SharedCompletions) -> (u32, Arc<Mutex<SendQueue>>) {
    let user_index = completions.reserve().unwrap();
    let queue = Arc::new(Mutex::new(SendQueue::new(Ring::new(8, 0).unwrap(), QPN, ALL)));
    completions.attach(user_index, queue.clone());
    (user_index, queue)
}

fn poll(completions: &SharedCompletions, most: usize) -> Vec<Completion> {
    let mut out = vec![Completion::default(); most];
    let count = completions.poll(&mut out, &Regions::default());
    out.truncate(count);
    out
}

#[test]
fn completions_are_taken_lap_by_lap_and_their_number_is_given_back() {
    let (mut nic, completions) = Writer::new(4);
    let (user_index, queue) = queue(&completions);
    for number in 0..40_u64 {
        assert_eq!(poll(&completions, 4), [], "the entry of the lap before is not taken again");
        queue.lock().unwrap().add(&write(number, 8), &Regions::default()).unwrap();
        nic.write(user_index, number as u16, None);
        assert_eq!(poll(&completions, 4), [Completion { id: number, ..Completion::default() }]);
        assert_eq!(nic.consumed(), number as u32 + 1);
    }
}

#[test]
fn a_poll_takes_no_more_than_it_has_room_for() {
    let (mut nic, completions) = Writer::new(8);
    let (user_index, queue) = queue(&completions);
    for number in 0..5 {
        queue.lock().unwrap().add(&write(number, 8), &Regions::default()).unwrap();
        nic.write(user_index, number as u16, None);
    }
    let ids = |most| poll(&completions, most).iter().map(|completion| completion.id).collect::<Vec<_>>();
    assert_eq!((ids(0), nic.consumed()), (vec![], 0));
    assert_eq!((ids(2), nic.consumed()), (vec![0, 1], 2));
    assert_eq!((ids(9), nic.consumed()), (vec![2, 3, 4], 5));
}

#[test]
fn a_failure_has_its_status_and_the_vendors_syndrome() {
    let (mut nic, completions) = Writer::new(8);
    let (user_index, queue) = queue(&completions);
    (0..2).for_each(|id| queue.lock().unwrap().add(&write(id, 8), &Regions::default()).unwrap());
    nic.write(user_index, 0, Some((cqe::syndrome::REMOTE_ACCESS, 0x88)));
    nic.write(user_index, 1, Some((cqe::syndrome::FLUSHED, 0xf9)));
    let failed = Completion { id: 0, status: Status::RemoteAccess, code: 0x88 };
    assert_eq!(poll(&completions, 8), [failed, Completion { id: 1, status: Status::Flushed, code: 0xf9 }]);
    assert_eq!(
        [0x15, 0x16, 0x22, 0x77, 0].map(status),
        [Status::PeerGone, Status::NotReady, Status::PeerAborted, Status::Device, Status::Device,]
    );
}

#[test]
fn a_late_completion_of_a_queue_that_is_gone_is_not_one_of_its_successor() {
    let (mut nic, completions) = Writer::new(8);
    assert!(completions.is_unused());
    let (gone, _) = queue(&completions);
    assert!(!completions.is_unused());
    completions.release(gone);
    assert!(completions.is_unused());
    let (user_index, next) = queue(&completions);
    assert_ne!(user_index, gone);
    next.lock().unwrap().add(&write(5, 8), &Regions::default()).unwrap();
    nic.write(gone, 0, Some((cqe::syndrome::FLUSHED, 0)));
    nic.write(0xff_ffff, 0, None);
    nic.write(user_index, 0, None);
    assert_eq!(poll(&completions, 8), [Completion { id: 5, ..Completion::default() }]);
    assert_eq!(nic.consumed(), 3, "those of no queue are consumed too");
}

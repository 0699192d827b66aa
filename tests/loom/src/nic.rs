//! A NIC: one more thread, which sees every state that a device on the bus may see.

use std::cell::Cell;
use std::rc::Rc;

use loom::sync::atomic::Ordering::{Acquire, Release};
use oxshmem_raw::memory::{self, Word};
use oxshmem_rdma::mlx5::opcode;

/// The source from which the NIC gets new entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The doorbell, and then the record.
    Doorbell,
    /// The record alone, before any doorbell.
    Record,
}

/// Addresses of the queue's parts, and the NIC's progress.
#[derive(Debug)]
pub(crate) struct Nic {
    pub(crate) reads: Reads,
    pub(crate) sq: u64,
    pub(crate) depth: u64,
    pub(crate) dbr: u64,
    pub(crate) doorbell: u64,
    pub(crate) cqe_tail: u64,
    pub(crate) qpn: u32,
    /// Index of the next entry to execute.
    pub(crate) next: u64,
    /// The last doorbell seen.
    pub(crate) rung: u64,
    /// Index after the last entry that has a completion.
    pub(crate) completed: Rc<Cell<u64>>,
}

/// Returns the index with these low bits, less than 2^15 from `near`.
fn index(near: u64, low: u16) -> u64 {
    near.wrapping_add(low.wrapping_sub(near as u16) as i16 as u64)
}

/// Returns the index that a doorbell announces, near another index.
pub(crate) fn of_doorbell(near: u64, value: u64) -> u64 {
    index(near, (u64::from_be(value) >> 40) as u16)
}

/// Returns the index that a record announces, near another index.
pub(crate) fn of_record(near: u64, value: u32) -> u64 {
    index(near, u32::from_be(value) as u16)
}

impl Nic {
    /// Polls once, and executes all announced entries. Returns whether there were any.
    pub(crate) fn look(&mut self) -> bool {
        if self.reads == Reads::Doorbell {
            let Word::U64(doorbell) = &*memory::word(self.doorbell) else { unreachable!() };
            let rung = of_doorbell(self.rung, doorbell.load(Acquire));
            assert!(rung >= self.rung, "the doorbell went back from {} to {rung}", self.rung);
            if rung == self.rung {
                return false;
            }
            self.rung = rung;
        }
        let Word::U32(record) = &*memory::word(self.dbr) else { unreachable!() };
        let told = of_record(self.next, record.load(Acquire));
        assert!(told >= self.next, "the record went back from {} to {told}", self.next);
        assert!(told >= self.rung, "the doorbell said {} and the record {told}", self.rung);
        let news = told > self.next;
        while self.next < told {
            self.execute();
        }
        news
    }

    fn execute(&mut self) {
        let index = self.next;
        let block = self.sq + 64 * (index % self.depth);
        let segment = |number: u64| memory::read(block + 16 * number).map(u64::from_be);
        let [words, when] = segment(0);
        assert_eq!((words >> 40) as u16, index as u16, "the index in block {index}");
        assert_eq!(words as u32 >> 8, self.qpn, "the queue in block {index}");
        let [from, _] = segment(1);
        let [_, local] = segment(2);
        if (words >> 32) as u8 == opcode::RDMA_READ {
            memory::write(local, [result(from), 0]);
        } else {
            assert_eq!(memory::read(local)[0], index, "the data that block {index} names");
        }
        self.next = index + 1;
        if when >> 32 & 0xf == 8 {
            self.completed.set(index + 1);
            let Word::U32(tail) = &*memory::word(self.cqe_tail) else { unreachable!() };
            tail.store(((index as u32) << 16).to_be(), Release);
        }
    }
}

/// Returns the word at `from` in the peer's heap.
pub(crate) fn result(from: u64) -> u64 {
    !from
}

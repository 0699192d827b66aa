//! The queues alone, in memory of the tests; and the device, on a fake NIC that takes every command.

mod completions;
mod device;
mod send_queue;

use std::sync::atomic::{AtomicU64, Ordering};

use super::doorbell::PostingRegister;
use super::entry::Masked;
use super::memory::Ring;
use super::regions::Regions;
use super::send_queue::SendQueue;
use crate::fabric::{AtomicRequest, INLINE_BYTES, Local, Operation, WorkRequest};
use crate::mlx5::layout::CtrlSeg;
use oxshmem_core::{AmoOp, AmoType};

const QPN: u32 = 0x12ab;
/// Bytes of each half of a register.
const HALF: u32 = 256;
const ALL: Masked = Masked { of_4: true, of_8: true };
/// Marks bytes of a register that were not written.
const UNTOUCHED: u64 = 0x5555_5555_5555_5555;

/// A doorbell register of two halves.
#[repr(align(64))]
struct Register([AtomicU64; 64]);

impl Register {
    fn new() -> Box<Self> {
        Box::new(Self([const { AtomicU64::new(UNTOUCHED) }; 64]))
    }

    /// Returns the doorbell at this register.
    fn doorbell(&self, takes_entries: bool) -> PostingRegister {
        // SAFETY: **mapped**: tests keep the register longer than the doorbell; it has two halves of 256 bytes.
        unsafe { PostingRegister::new(self.0.as_ptr() as u64, takes_entries.then_some(HALF)) }
    }

    /// Returns the words of a half that were written since the last call.
    fn take(&self, half: usize) -> Vec<u64> {
        let words = self.0[half * 32..][..32].iter().map(|word| word.swap(UNTOUCHED, Ordering::Relaxed));
        let words: Vec<u64> = words.collect();
        let end = words.iter().rposition(|word| *word != UNTOUCHED).map_or(0, |last| last + 1);
        words[..end].to_vec()
    }
}

/// A send queue, its register, and the rings that the NIC sees.
struct Bench {
    ring: Ring,
    queue: SendQueue,
    register: Box<Register>,
    doorbell: PostingRegister,
    regions: Regions,
}

impl Bench {
    fn new(blocks: u32, takes_entries: bool) -> Self {
        let ring = Ring::new(blocks, 0).unwrap();
        let register = Register::new();
        let doorbell = register.doorbell(takes_entries);
        let queue = SendQueue::new(ring.clone(), QPN, ALL);
        Self { ring, queue, register, doorbell, regions: Regions::default() }
    }

    /// Writes an entry, which must be taken.
    #[track_caller]
    fn add(&mut self, wr: &WorkRequest) {
        self.queue.add(wr, &self.regions).unwrap();
    }

    /// Returns the number of blocks that were written.
    fn queue_next(&self) -> u16 {
        self.queue.next_counter()
    }

    fn ring(&mut self) {
        self.queue.ring(&self.doorbell);
    }

    /// Returns the send queue's word of the record.
    fn record(&self) -> u32 {
        u32::from_be(self.ring.dbr()[1].load(Ordering::Relaxed))
    }

    /// Returns the bytes of blocks of the ring.
    fn bytes(&self, blocks: std::ops::Range<u64>) -> Vec<u8> {
        let words = blocks.flat_map(|block| self.ring.block(block).each_ref().map(|word| word.load(Ordering::Relaxed)));
        words.flat_map(u64::to_ne_bytes).collect()
    }

    /// Returns the control segment at a block.
    fn ctrl(&self, block: u64) -> CtrlSeg {
        CtrlSeg::from_bytes(*self.bytes(block..block + 1).first_chunk().unwrap())
    }
}

/// Returns a write of `bytes` bytes of registered memory.
fn write(id: u64, bytes: u32) -> WorkRequest {
    let local = Local::Memory { address: 0x7000_0000, bytes, key: 0x1234 };
    WorkRequest { id, op: Operation::Write, local, remote: 0x1_0000, remote_key: 0x5678, signalled: false }
}

/// Returns the payload of an inline write.
fn payload() -> [u8; INLINE_BYTES] {
    std::array::from_fn(|at| at as u8 + 1)
}

/// Returns a write of the first `bytes` bytes of the payload, inline.
fn inline(id: u64, bytes: u8) -> WorkRequest {
    WorkRequest { local: Local::Inline { data: payload(), bytes }, ..write(id, 0) }
}

/// Returns an atomic with its result at `address`.
fn atomic(op: AmoOp, of: AmoType, bytes: u32, address: u64, key: u64) -> WorkRequest {
    let op = Operation::Atomic(AtomicRequest { op, of, operand: 0x11, compare: 0x22 });
    WorkRequest { op, local: Local::Memory { address, bytes, key }, ..write(0, 0) }
}

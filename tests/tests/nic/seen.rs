//! Access to a queue's words by tests.

use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};

use oxshmem_rdma::mlx5::{CqeTail, cqe};
use oxshmem_transport_ibgda::state::QueueState;

use crate::rig::{half, word};

/// A queue in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Seen(pub(crate) u64);

macro_rules! fields {
    ($($name:ident)*) => { $(
        #[allow(dead_code, reason = "one for each field")]
        pub(crate) fn $name(self) -> u64 {
            self.get(offset_of!(QueueState, $name))
        }
    )* };
}

impl Seen {
    fields! { sq cqe dbr doorbell marks reserved done bytes stalls posted claim doorbells stopped }

    fn get(self, field: usize) -> u64 {
        word(self.0 + field as u64).load(Ordering::SeqCst)
    }

    /// Sets the word at this offset of [`QueueState`].
    pub(crate) fn set(self, field: usize, value: u64) {
        word(self.0 + field as u64).store(value, Ordering::SeqCst);
    }

    /// Sets the half word at this offset of [`QueueState`].
    pub(crate) fn set_half(self, field: usize, value: u32) {
        half(self.0 + field as u64).store(value, Ordering::SeqCst);
    }

    /// Returns the word at this offset of [`QueueState`].
    pub(crate) fn field(self, field: usize) -> &'static AtomicU64 {
        word(self.0 + field as u64)
    }

    pub(crate) fn qpn(self) -> u32 {
        half(self.0 + offset_of!(QueueState, qpn) as u64).load(Ordering::SeqCst)
    }

    pub(crate) fn depth(self) -> u64 {
        half(self.0 + offset_of!(QueueState, depth) as u64).load(Ordering::SeqCst).into()
    }

    /// Writes a completion as the NIC does, of the entry at `index`.
    pub(crate) fn complete(self, index: u64) {
        let [high, low] = (index as u16).to_be_bytes();
        half(self.cqe() + cqe::TAIL_OFFSET as u64).store(u32::from_le_bytes([high, low, 0, 0]), Ordering::Release);
    }

    /// Returns the last word of its completion.
    pub(crate) fn tail(self) -> CqeTail {
        CqeTail(half(self.cqe() + cqe::TAIL_OFFSET as u64).load(Ordering::Acquire))
    }

    /// Returns the block at `index`, as 16 big-endian words.
    pub(crate) fn block(self, index: u64) -> [u32; 16] {
        let at = self.sq() + 64 * (index & (self.depth() - 1));
        std::array::from_fn(|i| u32::from_be(half(at + 4 * i as u64).load(Ordering::Acquire)))
    }
}

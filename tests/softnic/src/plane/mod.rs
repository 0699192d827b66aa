//! Queues that something else executes than the NIC's own thread: a kernel, with whoever runs it.
//!
//! The control plane stays the NIC's: commands, keys, states. Once a queue pair is ready to send, its queue is given to
//! the [`DataPlane`] with a [`Side`], through which that learns what keys mean and whether the peer answers, and tells
//! what went wrong.

mod regions;
mod side;

use std::any::Any;
use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError, Weak};

pub(crate) use regions::{Answers, Asker};
pub use side::{Side, Standing};

/// What executes queues in place of the NIC's own thread.
pub trait DataPlane: Send + Sync + fmt::Debug {
    /// Memory of this process is about to be registered: gives what must be kept for as long as it is.
    ///
    /// # Errors
    /// It can't be reached: why.
    fn pin(&self, at: u64, bytes: u64) -> Result<Option<Pinned>, String>;

    /// Executes a queue from now on.
    ///
    /// # Errors
    /// It can't: why.
    fn start(&self, queue: PlaneQueue) -> Result<(), String>;

    /// Executes it no more. When this returns nothing of it is looked at any more.
    fn stop(&self, nic: u16, qpn: u32);

    /// Where a queue is, and what is posted as far as is known, modulo 2^16.
    fn counters(&self, nic: u16, qpn: u32) -> Option<(u16, u16)>;

    /// A region was registered, by this lkey. It may be looked up later just as well.
    fn learn(&self, nic: u16, region: PlaneRegion);

    /// A region was given back. When this returns it is not accessed any more.
    fn forget(&self, nic: u16, lkey: u32, rkey: u32);

    /// A descriptor of the memory at `at`, for another process that is to map it, and how many bytes into it `at` is.
    ///
    /// # Errors
    /// It can't be shared: why.
    fn share(&self, at: u64, bytes: u64) -> Result<(OwnedFd, u64), String>;
}

/// What keeps memory pinned.
pub type Pinned = Box<dyn Any + Send + Sync>;

/// A queue that is to be executed.
#[derive(Debug)]
pub struct PlaneQueue {
    /// LID of its NIC.
    pub nic: u16,
    /// LID of its peer's.
    pub peer: u16,
    /// Its queue pair.
    pub qpn: u32,
    /// The send queue.
    pub sq: u64,
    /// Its basic blocks, a power of two.
    pub depth: u64,
    /// Both words of the doorbell record.
    pub record: u64,
    /// The doorbell register.
    pub doorbell: u64,
    /// Whether there are other registers as well, so that the record alone says what is posted.
    pub by_record: bool,
    /// The completion queue.
    pub cqe: u64,
    /// Its entries, a power of two.
    pub cqes: u64,
    /// Whether all completions go to the first.
    pub collapsed: bool,
    /// What completions call the queue.
    pub user_index: u32,
    /// Its protection domain.
    pub pd: u32,
    /// Bytes of a message at most.
    pub most: u64,
    /// Index of its first block.
    pub first: u64,
    /// What its control plane knows.
    pub side: Side,
}

/// Registered memory, as a data plane needs it.
#[derive(Debug)]
pub struct PlaneRegion {
    /// The key that it goes by, an lkey or an rkey.
    pub key: u32,
    /// What its first byte is called.
    pub iova: u64,
    /// Its length.
    pub bytes: u64,
    /// Its protection domain.
    pub pd: u32,
    /// Its access bits.
    pub access: u32,
    /// Where it is.
    pub place: PlaneMemory,
}

/// Where memory is.
#[derive(Debug)]
pub enum PlaneMemory {
    /// At this address of this process.
    Here(u64),
    /// Of another process: so many bytes into what a descriptor stands for.
    There(OwnedFd, u64),
}

/// What a queue's peer allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanePeer {
    /// The protection domain of its queue pair.
    pub pd: u32,
    /// Its access bits.
    pub access: u32,
}

/// All data planes of this process: any may have learned of any region in it.
static PLANES: Mutex<Vec<Weak<dyn DataPlane>>> = Mutex::new(Vec::new());

pub(crate) fn enlist(plane: &Arc<dyn DataPlane>) {
    let mut all = PLANES.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|plane| plane.strong_count() > 0);
    all.push(Arc::downgrade(plane));
}

/// A region was given back.
pub(crate) fn forget(nic: u16, lkey: u32) {
    let all = PLANES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    all.iter().filter_map(Weak::upgrade).for_each(|plane| plane.forget(nic, lkey, lkey | 1));
}

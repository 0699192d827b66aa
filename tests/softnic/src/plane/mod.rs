//! Queues that another engine executes than the NIC's own thread: a kernel, with the program that runs it.
//!
//! The control plane stays the NIC's: commands, keys, states. Once a queue pair is ready to send, its queue is given to
//! the [`DataPlane`] with a [`Side`], through which the data plane looks up keys, learns whether the peer responds, and
//! reports errors.

mod regions;
mod side;

use std::any::Any;
use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError, Weak};

pub(crate) use regions::{Answers, Asker};
pub use side::{Side, Standing};

/// Executes queues in place of the NIC's own thread.
pub trait DataPlane: Send + Sync + fmt::Debug {
    /// Pins memory of this process that is about to be registered. Returns an object to keep as long as the
    /// registration.
    ///
    /// # Errors
    /// It can't be reached, and why.
    fn pin(&self, at: u64, bytes: u64) -> Result<Option<Pinned>, String>;

    /// Executes a queue from now on.
    ///
    /// # Errors
    /// It can't, and why.
    fn start(&self, queue: PlaneQueue) -> Result<(), String>;

    /// Stops executing a queue. After it returns, no part of the queue is accessed.
    fn stop(&self, nic: u16, qpn: u32);

    /// Returns the progress of a queue, and its known producer index, modulo 2^16.
    fn counters(&self, nic: u16, qpn: u32) -> Option<(u16, u16)>;

    /// Announces a region with this lkey. It may also be looked up later.
    fn learn(&self, nic: u16, region: PlaneRegion);

    /// Announces the end of a region's registration. After it returns, the region is not accessed.
    fn forget(&self, nic: u16, lkey: u32, rkey: u32);

    /// Returns a descriptor of the memory at `at`, for another process to map, and the offset of `at` in it.
    ///
    /// # Errors
    /// It can't be shared, and why.
    fn share(&self, at: u64, bytes: u64) -> Result<(OwnedFd, u64), String>;
}

/// Keeps memory pinned.
pub type Pinned = Box<dyn Any + Send + Sync>;

/// A queue to execute.
#[derive(Debug)]
pub struct PlaneQueue {
    /// LID of its NIC.
    pub nic: u16,
    /// LID of the peer's NIC.
    pub peer: u16,
    /// Its queue pair.
    pub qpn: u32,
    /// The send queue.
    pub sq: u64,
    /// Number of its basic blocks, a power of two.
    pub depth: u64,
    /// Both words of the doorbell record.
    pub record: u64,
    /// The doorbell register.
    pub doorbell: u64,
    /// Whether there are other registers too, so that only the record announces posts.
    pub by_record: bool,
    /// The completion queue.
    pub cqe: u64,
    /// Number of its entries, a power of two.
    pub cqes: u64,
    /// Whether all completions go to the first entry.
    pub collapsed: bool,
    /// The queue's number in completions.
    pub user_index: u32,
    /// Its protection domain.
    pub pd: u32,
    /// Longest message, in bytes.
    pub most: u64,
    /// Index of its first block.
    pub first: u64,
    /// Access to its control plane.
    pub side: Side,
}

/// Registered memory, as a data plane needs it.
#[derive(Debug)]
pub struct PlaneRegion {
    /// Its key: an lkey or an rkey.
    pub key: u32,
    /// First byte, in the key's numbering.
    pub iova: u64,
    /// Its length.
    pub bytes: u64,
    /// Its protection domain.
    pub pd: u32,
    /// Its access bits.
    pub access: u32,
    /// Its location.
    pub place: PlaneMemory,
}

/// The location of memory.
#[derive(Debug)]
pub enum PlaneMemory {
    /// At this address of this process.
    Here(u64),
    /// In another process: the offset in a descriptor's object.
    There(OwnedFd, u64),
}

/// The rights that a queue's peer grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanePeer {
    /// The protection domain of its queue pair.
    pub pd: u32,
    /// Its access bits.
    pub access: u32,
}

/// All data planes of this process: each may have looked up any region in it.
static PLANES: Mutex<Vec<Weak<dyn DataPlane>>> = Mutex::new(Vec::new());

pub(crate) fn enlist(plane: &Arc<dyn DataPlane>) {
    let mut all = PLANES.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|plane| plane.strong_count() > 0);
    all.push(Arc::downgrade(plane));
}

/// Announces the end of a region's registration to all data planes.
pub(crate) fn forget(nic: u16, lkey: u32) {
    let all = PLANES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    all.iter().filter_map(Weak::upgrade).for_each(|plane| plane.forget(nic, lkey, lkey | 1));
}

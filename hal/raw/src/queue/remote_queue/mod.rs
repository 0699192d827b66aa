//! Queues to remote PEs: the traits that each transport implements, and the operations made from them.
//!
//! A transport implements [`RemoteQueue`], the primitives of one queue, and [`QueueTable`], the lookup of its queues.
//! [`Queues`] makes the operations, ordering and barrier arrivals of every transport from them.

mod resource;
pub mod rows;

use core::fmt::Debug;

use oxshmem_core::{AmoOp, AmoType, Completion, Fault, Group, Pe, PeSet, QpSet, Scope, SignalOp, SymAddr, Width};

use crate::state::{PathSlot, WorldState};

#[cfg(doc)]
use oxshmem_core::OrderingDomain;

pub use resource::{Queues, SharedQueues, arrive};

/// The error of a failed call on a queue: the queue has stopped, or a thread of the PE has reported a fault.
///
/// [`RemoteQueue::fault`] makes the [`Fault`] once, at the end of the operation, so that its fields are not carried
/// along every path to that point.
#[derive(Clone, Copy, Debug)]
pub struct Failed;

/// The word that encodes [`Failed`] in place of an index.
const FAILED: u64 = u64::MAX;

impl Failed {
    /// Encodes an index or [`Failed`] in one word, which a function that is not inlined can return in a register.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn encode(ended: Result<u64, Self>) -> u64 {
        ended.unwrap_or(FAILED)
    }

    /// Decodes the word.
    ///
    /// # Errors
    /// The word encodes [`Failed`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn decode(word: u64) -> Result<u64, Self> {
        if word == FAILED { Err(Self) } else { Ok(word) }
    }
}

/// Any word or [`Failed`], encoded in the two words that a function that is not inlined returns.
#[derive(Clone, Copy, Debug)]
pub struct WordOrFailed(u64, u64);

impl WordOrFailed {
    /// Encodes a word or [`Failed`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn encode(ended: Result<u64, Failed>) -> Self {
        ended.map_or(Self(0, 1), |value| Self(value, 0))
    }

    /// Decodes the two words.
    ///
    /// # Errors
    /// The words encode [`Failed`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn decode(self) -> Result<u64, Failed> {
        if self.1 == 0 { Ok(self.0) } else { Err(Failed) }
    }
}

/// A put or a get.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Whether the data goes to the peer.
    pub is_put: bool,
    /// The data's address in the peer's heap.
    pub remote: SymAddr,
    /// Its address in this PE's memory.
    pub local: u64,
    /// Its size.
    pub bytes: u64,
}

/// A change of a signal word.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// The word in the peer's heap.
    pub word: SymAddr,
    /// The change of the word.
    pub op: SignalOp,
    /// The operand.
    pub value: u64,
}

/// One queue to one PE, by its primitives.
///
/// *Implementor:* operations on a queue complete in the order in which they were posted. On the GPU no primitive is
/// inlined, and each takes and returns plain words: taking the world's state by reference, or returning a [`Fault`] by
/// value, would put it on the stack of every thread.
///
/// *Caller:* an index that a primitive returns is valid for [`wait`](RemoteQueue::wait) of the same queue. 0 means that
/// the call left nothing to wait for.
///
/// # Errors
/// Each call fails if the queue has stopped, a wait reached the world's limit, or a thread of the PE has reported a
/// fault. [`fault`](RemoteQueue::fault) then returns the reason.
///
/// # Safety
///
/// A program reuses memory when a call has ended.
///
/// - **named**: a call accesses at the peer the bytes that it names, and of this PE's memory the local bytes that it names
///   and the queue's own.
/// - **own**: local memory outside of the heap and of registered buffers is accessed by the calling thread alone, before
///   the call returns. A put has read other local memory when it returns, unless it is nonblocking; a get that succeeds
///   and is blocking has written it.
pub unsafe trait RemoteQueue: Copy {
    /// Writes one element, given as bits; does not wait.
    fn write_word(self, to: SymAddr, width: Width, bits: u64) -> Result<(), Failed>;

    /// Puts or gets at least one byte and returns the index to wait for. `scope` is the scope of the calling group,
    /// whose leader makes this call. With [`Scope::Thread`], several threads may post together.
    fn transfer(self, scope: Scope, what: Transfer, when: Completion) -> Result<u64, Failed>;

    /// Puts, if there are bytes, and changes the signal word afterwards.
    fn put_signal(self, scope: Scope, what: Transfer, signal: Signal, when: Completion) -> Result<(), Failed>;

    /// Reads 1 to 8 bytes and returns them as bits.
    fn read_bytes(self, from: SymAddr, bytes: u32) -> Result<u64, Failed>;

    /// Applies an atomic; does not wait.
    fn amo(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Failed>;

    /// Applies an atomic and returns the word's previous bits.
    fn amo_fetch(self, at: SymAddr, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Failed>;

    /// Changes a signal word; does not wait.
    fn signal(self, signal: Signal) -> Result<(), Failed>;

    /// Waits until all operations below index `target` are complete. The data that they wrote to this PE is then
    /// visible.
    fn wait(self, target: u64) -> Result<(), Failed>;

    /// Waits for all operations that were issued before the call. Returns at once if the queue does not exist.
    fn complete(self) -> Result<(), Failed>;

    /// Reports whether the queue is known to have stopped. Returns false if the queue does not exist.
    fn has_stopped(self) -> bool;

    /// Returns the fault of a failed call: the reason why the queue stopped, else the fault that a thread of this PE
    /// has reported.
    fn fault(self) -> Fault;
}

/// The queues of a transport, by number: `row * n_pes + pe`, the default rows first.
///
/// # Safety
///
/// - **rows**: the table has every queue of the first [`published`](QueueTable::published) rows.
pub unsafe trait QueueTable: Copy + Debug + 'static {
    /// A queue of the table.
    type Queue: RemoteQueue;

    /// Returns the queue with this number.
    ///
    /// # Safety
    ///
    /// - **live**: `slot` is this transport's slot in the state of a world whose memory stays mapped while the queue is
    ///   used.
    /// - **published**: `number` belongs to a published row.
    unsafe fn queue(slot: PathSlot, number: u32) -> Self::Queue;

    /// Reports whether the queue with this number exists. A queue to a PE that the transport does not reach, or a
    /// destroyed queue, does not.
    ///
    /// # Safety
    ///
    /// **live** and **published**, as for [`queue`](QueueTable::queue).
    unsafe fn exists(slot: PathSlot, number: u32) -> bool;

    /// Returns the number of published rows.
    ///
    /// # Safety
    ///
    /// **live**, as for [`queue`](QueueTable::queue).
    unsafe fn published(slot: PathSlot) -> u32;

    /// Reports whether operations on one queue are delivered in the order in which they were issued.
    ///
    /// # Safety
    ///
    /// **live**, as for [`queue`](QueueTable::queue).
    unsafe fn keeps_order(slot: PathSlot) -> bool;
}

/// Chooses the queue of a call, and orders over the queues that it may choose.
pub trait QueueChoice: Copy + Debug {
    /// A queue.
    type Queue: RemoteQueue;

    /// Returns the queue to `pe`.
    ///
    /// # Errors
    /// There is no queue to `pe`. The fault is reported.
    fn toward(self, world: &WorldState, pe: Pe) -> Result<Self::Queue, Fault>;

    /// Performs [`OrderingDomain::fence`].
    ///
    /// # Errors
    /// As for the [`OrderingDomain`] method.
    fn fence<G: Group>(self, world: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;

    /// Performs [`OrderingDomain::quiet`].
    ///
    /// # Errors
    /// As for the [`OrderingDomain`] method.
    fn quiet<G: Group>(self, world: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;
}

/// Converts the result of an operation on this queue to one with the fault.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn ended<Q: RemoteQueue, T>(queue: Q, did: Result<T, Failed>) -> Result<T, Fault> {
    did.map_err(|Failed| queue.fault())
}

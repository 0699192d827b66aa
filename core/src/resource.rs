//! The data-plane contracts: the operations of a queue, and ordering.

use crate::{AmoOp, AmoType, Fault, Group, Pe, PeSet, QpSet, SignalOp, SymAddr, Width};

/// An address in the symmetric heap of a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The owner of the heap.
    pub pe: Pe,
    /// The offset in the heap.
    pub at: SymAddr,
}

/// The condition for a call's return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// A put returns when its source may be written again, a get when its data has arrived.
    Blocking,
    /// The call returns after it has issued the operation; a quiet completes the operation.
    Nonblocking,
}

/// The operations of one queue.
///
/// *Implementor:* load/store is a resource whose queue is the memory system; a NIC transport writes work queue entries.
/// In builds that check, the caller has checked the arguments: the PE exists, the range is inside the heap, a word is
/// aligned. An operation of zero bytes posts nothing and leaves nothing for quiet to wait for. A wait inside an
/// operation ends at the world's limit with a [`Fault`].
///
/// *Caller:* every thread of a group calls with the same arguments. Two calls are not ordered unless
/// [`OrderingDomain::fence`] is called between them, except that a signal of [`put_signal`](QpResource::put_signal)
/// follows its own data.
///
/// The trait is safe: its users rely for memory safety on the unsafe trait of the path whose queue it is (`DevicePath` of
/// `oxshmem-raw`).
///
/// # Errors
/// Each call returns the [`Fault`] that stopped the queue, to all threads of the group.
pub trait QpResource {
    /// Memory of the calling PE that the GPU may read and write. A value is proof of its creator's promise.
    type Local: Copy;

    /// Copies `bytes` from local memory to `to`.
    fn put<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: Self::Local,
        bytes: usize,
        when: Completion,
    ) -> Result<(), Fault>;

    /// Copies `bytes` from `from` to local memory.
    fn get<G: Group>(
        &self,
        group: G,
        to: Self::Local,
        from: Remote,
        bytes: usize,
        when: Completion,
    ) -> Result<(), Fault>;

    /// Copies `count` elements, `to_stride` and `from_stride` elements apart.
    #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
    fn iput<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: Self::Local,
        to_stride: usize,
        from_stride: usize,
        count: usize,
        width: Width,
    ) -> Result<(), Fault>;

    /// Copies `count` elements as [`iput`](QpResource::iput) does, in the other direction.
    #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
    fn iget<G: Group>(
        &self,
        group: G,
        to: Self::Local,
        from: Remote,
        to_stride: usize,
        from_stride: usize,
        count: usize,
        width: Width,
    ) -> Result<(), Fault>;

    /// Writes one element, given as bits.
    fn p(&self, to: Remote, width: Width, bits: u64) -> Result<(), Fault>;

    /// Reads one element and returns its bits. The read is complete on return.
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault>;

    /// Performs an atomic and returns the word's previous bits. Only [`AmoOp::CompareSwap`] uses `compare`.
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault>;

    /// Performs an atomic without a result. Need not wait for its completion.
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault>;

    /// Changes a signal word, atomically with respect to other signals and to waits on the word.
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault>;

    /// Copies, then signals the same PE. A thread that sees the signal sees the data.
    #[allow(clippy::too_many_arguments, reason = "OpenSHMEM's own list")]
    fn put_signal<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: Self::Local,
        bytes: usize,
        signal: SymAddr,
        op: SignalOp,
        value: u64,
        when: Completion,
    ) -> Result<(), Fault>;
}

/// Ordering over exactly the given PEs and queues.
///
/// Fence and quiet without a queue argument pass [`QpSet::All`], which includes custom queues. Over several queues a
/// fence is never a no-op.
pub trait OrderingDomain {
    /// Orders delivery: operations issued before the call are delivered to each PE of `pes` before those issued after
    /// it.
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;

    /// Completes operations: every operation issued before the call to `pes` on `qps` is complete and visible at its
    /// target when the call returns.
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;
}

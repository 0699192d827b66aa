//! The data-plane contracts: what one queue can be asked, and what ordering means.

use crate::{AmoOp, AmoType, Fault, Group, Pe, PeSet, QpSet, SignalOp, SymAddr, Width};

/// A place in the symmetric heap of a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Whose heap.
    pub pe: Pe,
    /// Where in it.
    pub at: SymAddr,
}

/// When a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// A put returns when its source may be written again, a get when its data has arrived.
    Blocking,
    /// The call returns once the operation is on its way; a quiet completes it.
    Nonblocking,
}

/// What one queue can be asked.
///
/// *Implementor:* load/store is a resource whose queue is the memory system; a NIC transport writes
/// work queue entries. Arguments were checked by the caller (the PE exists, the range is inside the
/// heap, a word is aligned) in builds that check. An operation of zero bytes posts nothing and leaves
/// nothing for quiet to wait on. A wait inside ends at the world's limit with a [`Fault`].
///
/// *Caller:* with a group, every thread of it calls with the same arguments. Nothing is ordered
/// between two calls unless [`OrderingDomain::fence`] stands between them, except that a signal of
/// [`put_signal`](QpResource::put_signal) follows its own data.
///
/// # Errors
/// Each call ends in the [`Fault`] that stopped the queue, on every waiter alike: all threads of a group whose call
/// blocks. A group's nonblocking call may tell one of its threads; the others are told by the quiet that completes it.
pub trait QpResource {
    /// Memory of the calling PE that the GPU may read and write: proof that somebody vouched for it.
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

    /// [`iput`](QpResource::iput), the other way round.
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

    /// Reads one element, as bits; completes on this queue.
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault>;

    /// An atomic that returns the word as it was. `compare` counts for [`AmoOp::CompareSwap`] alone.
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault>;

    /// An atomic that returns nothing, and need not wait.
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault>;

    /// Changes a signal word, atomically against other signals and waits on it.
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault>;

    /// Copies, then signals the same PE: who sees the signal sees the data.
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

/// Ordering over exactly the named PEs and queues.
///
/// Non-QP fence and quiet name [`QpSet::All`]: they cover custom queues too. Over several queues a
/// fence is never a no-op.
pub trait OrderingDomain {
    /// Operations issued before are delivered before those issued after, to each PE of `pes`.
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;

    /// Every operation issued before to `pes` on `qps` is complete and visible at its target.
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;
}

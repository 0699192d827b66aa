//! Queues to remote PEs: the traits that each transport implements, and the operations made from them.
//!
//! A transport implements [`RemoteQueue`], the primitives of one queue, and [`QueueTable`], the lookup of its queues.
//! [`Queues`] makes the operations, ordering and barrier arrivals of every transport from them.

use core::fmt::Debug;
use core::marker::PhantomData;

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, Group, OrderingDomain, Pe, PeSet, Qp, QpHandle, QpResource, QpSet, Remote,
    Scope, SignalOp, SymAddr, Width,
};

use crate::gpu::local::LocalAddr;
use crate::gpu::ptx;
use crate::queue::rows::{QueueRows, default_row, queue_number};
use crate::state::{PathSlot, WorldState};

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
    /// How it changes.
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
/// Each call fails if the queue has stopped, a wait reached the world's limit, or a thread of the PE has reported a fault.
/// [`fault`](RemoteQueue::fault) then returns the reason.
pub trait RemoteQueue: Copy {
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
pub trait QueueTable: Copy + Debug + 'static {
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

    /// [`OrderingDomain::fence`].
    ///
    /// # Errors
    /// As for the [`OrderingDomain`] method.
    fn fence<G: Group>(self, world: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;

    /// [`OrderingDomain::quiet`].
    ///
    /// # Errors
    /// As for the [`OrderingDomain`] method.
    fn quiet<G: Group>(self, world: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;
}

/// The queues of a table that any thread may use: one custom row, or the calling thread's default row.
#[derive(Clone, Copy, Debug)]
pub struct SharedQueues<T> {
    slot: PathSlot,
    qp: Qp,
    table: PhantomData<T>,
}

impl<T: QueueTable> SharedQueues<T> {
    /// Returns the queues of this choice.
    ///
    /// # Safety
    ///
    /// - **live**: `slot` is the table's slot in the state of a world whose memory stays mapped while the value is
    ///   used.
    /// - **published**: the row of `qp` is published and stays published while the value is used.
    #[inline(always)]
    pub const unsafe fn new(slot: PathSlot, qp: Qp) -> Self {
        Self { slot, qp, table: PhantomData }
    }
}

impl<T: QueueTable> QueueChoice for SharedQueues<T> {
    type Queue = T::Queue;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn toward(self, world: &WorldState, pe: Pe) -> Result<T::Queue, Fault> {
        let number = match self.qp {
            Qp::Custom(handle) if handle != QpHandle::DEFAULT => {
                queue_number(handle.raw(), world.default_rows, world.n_pes, pe.number())
            }
            _ => default_row(world, world.map_by) * world.n_pes + pe.number(),
        };
        // SAFETY: **live** and **published** of `new`; checked builds have checked handle and PE.
        Ok(unsafe { T::queue(self.slot, number) })
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(self, world: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        // SAFETY: **live** of `new`: `slot` belongs to a world whose memory stays mapped.
        unsafe { QueueRows::<T>::new(world, self.slot) }.fence(group, pes, qps)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(self, world: &WorldState, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        // SAFETY: **live** of `new`: `slot` belongs to a world whose memory stays mapped.
        unsafe { QueueRows::<T>::new(world, self.slot) }.quiet(group, pes, qps)
    }
}

/// Announces this PE's arrival at barrier `round` to `pe`: writes the word that `pe` keeps for this PE.
///
/// This PE passes a barrier when the others have arrived, and its own word may still be in flight at that time. The
/// next barrier's word must not overtake it. All words therefore use the queue of the first row, whichever block is in
/// the barrier; where a queue does not keep its order, each word waits until the previous one is complete.
///
/// # Errors
/// As [`RemoteQueue`].
///
/// # Safety
///
/// **live**, as for [`QueueTable::queue`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn arrive<T: QueueTable>(world: &WorldState, slot: PathSlot, pe: Pe, round: u64) -> Result<(), Fault> {
    // SAFETY: **live**: the caller's **live**. **published**: the first row is published with the world.
    let (queue, keeps_order) = unsafe { (T::queue(slot, pe.number()), T::keeps_order(slot)) };
    if !keeps_order {
        ended(queue, queue.complete())?;
    }
    ended(queue, queue.write_word(SymAddr::new(8 * world.my_pe as u64), Width::B8, round))
}

/// Converts the result of an operation on this queue to one with the fault.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub fn ended<Q: RemoteQueue, T>(queue: Q, did: Result<T, Failed>) -> Result<T, Fault> {
    did.map_err(|Failed| queue.fault())
}

/// The queues of a choice, one to each PE, as a resource.
#[derive(Clone, Copy, Debug)]
pub struct Queues<'a, C> {
    world: &'a WorldState,
    choice: C,
}

impl<'a, C: QueueChoice> Queues<'a, C> {
    /// Returns the queues of this choice.
    ///
    /// # Safety
    ///
    /// - **world**: `world` is the state of the world to which the queues belong; its memory stays mapped while the value
    ///   is used.
    #[inline(always)]
    pub const unsafe fn new(world: &'a WorldState, choice: C) -> Self {
        Self { world, choice }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn toward(&self, pe: Pe) -> Result<C::Queue, Fault> {
        self.choice.toward(self.world, pe)
    }

    /// Puts or gets. The group's leader posts; threads that call for themselves may post together.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn transfer<G: Group>(&self, group: G, pe: Pe, what: Transfer, when: Completion) -> Result<(), Fault> {
        let queue = self.toward(pe)?;
        if what.bytes == 0 {
            return Ok(());
        }
        // The leader sends data that the other threads of the group wrote, so all must have written it.
        group.sync();
        let mut did = Ok(());
        if group.leads() {
            did = queue.transfer(G::SCOPE, what, when).map(drop);
        }
        match when {
            Completion::Blocking => agree(queue, group, did),
            Completion::Nonblocking => ended(queue, did),
        }
    }
}

/// Lets the group meet, and fails in all threads if one failed.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn agree<Q: RemoteQueue, G: Group>(queue: Q, group: G, did: Result<(), Failed>) -> Result<(), Fault> {
    ended(queue, if group.any(did.is_err()) { Err(Failed) } else { Ok(()) })
}

impl<C: QueueChoice> QpResource for Queues<'_, C> {
    type Local = LocalAddr;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: LocalAddr,
        bytes: usize,
        when: Completion,
    ) -> Result<(), Fault> {
        let what = Transfer { is_put: true, remote: to.at, local: from.ptr() as u64, bytes: bytes as u64 };
        self.transfer(group, to.pe, what, when)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get<G: Group>(
        &self,
        group: G,
        to: LocalAddr,
        from: Remote,
        bytes: usize,
        when: Completion,
    ) -> Result<(), Fault> {
        let what = Transfer { is_put: false, remote: from.at, local: to.ptr() as u64, bytes: bytes as u64 };
        self.transfer(group, from.pe, what, when)
    }

    /// Writes each element by an operation of its own. The threads of the group share the elements.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iput<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: LocalAddr,
        to_stride: usize,
        from_stride: usize,
        count: usize,
        width: Width,
    ) -> Result<(), Fault> {
        let (queue, bytes) = (self.toward(to.pe)?, width.bytes());
        let (mut at, step) = (group.rank() as usize, group.size() as usize);
        let mut did = Ok(());
        group.sync();
        while at < count && did.is_ok() {
            let element = from.ptr().wrapping_add(at * from_stride * bytes);
            // SAFETY: **readable**: `from` is proof for the elements; the caller checked that they are aligned.
            let bits = unsafe { load(element, width) };
            did = queue.write_word(to.at.add((at * to_stride * bytes) as u64), width, bits);
            at += step;
        }
        agree(queue, group, did)
    }

    /// Reads each element by an operation of its own, as [`iput`](Self::iput). All elements have arrived when it
    /// returns.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iget<G: Group>(
        &self,
        group: G,
        to: LocalAddr,
        from: Remote,
        to_stride: usize,
        from_stride: usize,
        count: usize,
        width: Width,
    ) -> Result<(), Fault> {
        let (queue, bytes) = (self.toward(from.pe)?, width.bytes());
        let (mut at, step) = (group.rank() as usize, group.size() as usize);
        let (mut did, mut target) = (Ok(()), 0);
        group.sync();
        while at < count && did.is_ok() {
            let what = Transfer {
                is_put: false,
                remote: from.at.add((at * from_stride * bytes) as u64),
                local: to.ptr().wrapping_add(at * to_stride * bytes) as u64,
                bytes: bytes as u64,
            };
            match queue.transfer(Scope::Thread, what, Completion::Nonblocking) {
                Ok(end) => target = end,
                Err(failed) => did = Err(failed),
            }
            at += step;
        }
        // A queue completes in order, so the last index covers all.
        if did.is_ok() && target != 0 {
            did = queue.wait(target);
        }
        agree(queue, group, did)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, width: Width, bits: u64) -> Result<(), Fault> {
        let queue = self.toward(to.pe)?;
        ended(queue, queue.write_word(to.at, width, bits))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault> {
        let queue = self.toward(from.pe)?;
        ended(queue, queue.read_bytes(from.at, width.bytes() as u32))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault> {
        let queue = self.toward(at.pe)?;
        ended(queue, queue.amo_fetch(at.at, op, of, operand, compare))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault> {
        let queue = self.toward(at.pe)?;
        ended(queue, queue.amo(at.at, op, of, operand))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault> {
        let queue = self.toward(at.pe)?;
        ended(queue, queue.signal(Signal { word: at.at, op, value }))
    }

    /// Posts data and signal on one queue.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_signal<G: Group>(
        &self,
        group: G,
        to: Remote,
        from: LocalAddr,
        bytes: usize,
        signal: SymAddr,
        op: SignalOp,
        value: u64,
        when: Completion,
    ) -> Result<(), Fault> {
        let queue = self.toward(to.pe)?;
        let what = Transfer { is_put: true, remote: to.at, local: from.ptr() as u64, bytes: bytes as u64 };
        group.sync();
        let mut did = Ok(());
        if group.leads() {
            did = queue.put_signal(G::SCOPE, what, Signal { word: signal, op, value }, when);
        }
        match when {
            Completion::Blocking => agree(queue, group, did),
            Completion::Nonblocking => ended(queue, did),
        }
    }
}

impl<C: QueueChoice> OrderingDomain for Queues<'_, C> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        self.choice.fence(self.world, group, pes, qps)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        self.choice.quiet(self.world, group, pes, qps)
    }
}

/// Returns the bits of one element of this PE's memory.
///
/// # Safety
///
/// - **readable**: `at` is mapped for reading and aligned to `width`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn load(at: *const u8, width: Width) -> u64 {
    // SAFETY: **readable** is the condition of the instruction for `width`.
    unsafe {
        match width {
            Width::B1 => ptx::ld_weak_u8(at) as u64,
            Width::B2 => ptx::ld_weak_u16(at.cast()) as u64,
            Width::B4 => ptx::ld_weak_u32(at.cast()) as u64,
            Width::B8 => ptx::ld_weak_u64(at.cast()),
        }
    }
}

//! The choice of the queue of a call, and the operations and ordering of every transport, made from the primitives of
//! its queues.

use core::fmt::Debug;
use core::marker::PhantomData;

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, Group, OrderingDomain, Pe, PeSet, Qp, QpHandle, QpResource, QpSet, Remote,
    Scope, SignalOp, SymAddr, Width,
};

use super::rows::{QueueRows, default_row, queue_number};
use super::{Failed, QueueChoice, QueueTable, RemoteQueue, Signal, Transfer, ended};
use crate::gpu::local::LocalAddr;
use crate::gpu::ptx;
use crate::state::{PathSlot, WorldState};

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
/// next barrier's word must not overtake it. All words therefore use the queue of the first row, for any block in the
/// barrier; where a queue does not keep its order, each word waits until the previous one is complete.
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
    /// - **world**: `world` is the state of the world to which the queues belong; its memory stays mapped while the
    ///   value is used.
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
        // The leader sends data that the other threads of the group wrote, so all must have written it. A collective
        // writes data between its calls, so the group meets here even if it has met before the first of them.
        group.sync();
        let mut did = Ok(());
        if group.leads() {
            did = queue.transfer(group.scope(), what, when).map(drop);
        }
        agree(queue, group, did)
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
            did = queue.put_signal(group.scope(), what, Signal { word: signal, op, value }, when);
        }
        agree(queue, group, did)
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

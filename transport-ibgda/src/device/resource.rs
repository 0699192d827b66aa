//! Queues of a NIC as a resource.

use crate::state::QueueState;
use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, Group, Pe, Qp, QpHandle, QpResource, Remote, Scope, SignalOp, SymAddr, Width,
};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::rows;
use oxshmem_raw::queue::rows::queue_number;
use oxshmem_raw::state::WorldState;

use super::done::told;
use super::place::Place;
use super::sharing::{Shared, Sharing};
use super::transfer::{self, Transfer};
use super::{calls, signal};

/// The queues that a call may use: one for each PE, as `Q` chooses them.
#[derive(Clone, Copy, Debug)]
pub struct Queues<'a, Q = Qp> {
    pub(super) state: &'a WorldState,
    pub(super) of: Q,
}

/// Which queue leads to a PE.
pub trait Toward: Copy {
    /// Who else posts on it.
    type Sharing: Sharing;

    /// Where it is.
    ///
    /// # Errors
    /// There is none here; reported.
    fn toward(self, state: &WorldState, pe: Pe) -> Result<*mut QueueState, Fault>;
}

/// The queues that any thread may use.
impl Toward for Qp {
    type Sharing = Shared;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn toward(self, state: &WorldState, pe: Pe) -> Result<*mut QueueState, Fault> {
        let number = match self {
            Qp::Custom(handle) if handle != QpHandle::DEFAULT => {
                queue_number(handle.raw(), state.default_rows, state.n_pes, pe.number())
            }
            _ => rows::default_row(state, state.map_by) * state.n_pes + pe.number(),
        };
        Ok((state.queues as *mut QueueState).wrapping_add(number as usize))
    }
}

impl<'a, Q: Toward> Queues<'a, Q> {
    /// The queues of this choice. Those that the PE of a call leads to are published, and stay while kernels run.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub const fn new(state: &'a WorldState, of: Q) -> Self {
        Self { state, of }
    }

    /// The queue to `pe`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn toward(&self, pe: Pe) -> Result<Place<Q::Sharing>, Fault> {
        // SAFETY: **live**: `new`'s caller vouches; checked builds have checked handle and PE.
        self.of.toward(self.state, pe).map(|at| unsafe { Place::at(at) })
    }
}

/// The queue to `pe` in the first row of default queues, whichever thread calls.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn first_toward(state: &WorldState, pe: Pe) -> Place {
    // SAFETY: **live**: the first row is published with the world.
    unsafe { Place::at((state.queues as *mut QueueState).add(pe.index())) }
}

impl<Q: Toward> QpResource for Queues<'_, Q> {
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
        transfer::by_group(self.toward(to.pe)?, group, what, when)
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
        transfer::by_group(self.toward(from.pe)?, group, what, when)
    }

    /// The threads of the group share the elements, each of which travels in an entry of its own.
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
        let mut ended = Ok(());
        group.sync();
        while at < count && ended.is_ok() {
            let element = from.ptr().wrapping_add(at * from_stride * bytes);
            // SAFETY: `from` vouches for the elements, each aligned as the caller checked.
            let bits = unsafe { load(element, width) };
            let place = to.at.add((at * to_stride * bytes) as u64);
            ended = calls::write_word(queue, place, width, bits);
            at += step;
        }
        transfer::agree(queue, group, ended)
    }

    /// As [`iput`](Self::iput), and all elements are there when it returns.
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
        let (mut ended, mut target) = (Ok(()), 0);
        group.sync();
        while at < count && ended.is_ok() {
            let what = Transfer {
                is_put: false,
                remote: from.at.add((at * from_stride * bytes) as u64),
                local: to.ptr().wrapping_add(at * to_stride * bytes) as u64,
                bytes: bytes as u64,
            };
            match calls::transfer(queue, Scope::Thread, what, Completion::Nonblocking) {
                Ok(end) => target = end,
                Err(failed) => ended = Err(failed),
            }
            at += step;
        }
        // A queue completes in order: the last one's end is the end of all.
        if ended.is_ok() && target != 0 {
            ended = calls::wait(queue, target);
        }
        transfer::agree(queue, group, ended)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, width: Width, bits: u64) -> Result<(), Fault> {
        let queue = self.toward(to.pe)?;
        told(queue, calls::write_word(queue, to.at, width, bits))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault> {
        let queue = self.toward(from.pe)?;
        told(queue, calls::read_bytes(queue, from.at, width.bytes() as u32))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault> {
        let queue = self.toward(at.pe)?;
        told(queue, calls::amo_fetch(queue, at.at, op, of, operand, compare))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault> {
        let queue = self.toward(at.pe)?;
        told(queue, calls::amo(queue, at.at, op, of, operand))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault> {
        let queue = self.toward(at.pe)?;
        told(queue, calls::amo(queue, at.at, signal::as_atomic(op), AmoType::B64, value))
    }

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
        let what = Transfer { is_put: true, remote: to.at, local: from.ptr() as u64, bytes: bytes as u64 };
        signal::put_signal(self.toward(to.pe)?, group, what, signal, op, value, when)
    }
}

/// The bits of one element of this PE's memory.
///
/// # Safety
///
/// - **readable**: `at` is mapped for reading and aligned to `width`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn load(at: *const u8, width: Width) -> u64 {
    // SAFETY: **readable**.
    unsafe {
        match width {
            Width::B1 => ptx::ld_weak_u8(at) as u64,
            Width::B2 => ptx::ld_weak_u16(at.cast()) as u64,
            Width::B4 => ptx::ld_weak_u32(at.cast()) as u64,
            Width::B8 => ptx::ld_weak_u64(at.cast()),
        }
    }
}

//! Two paths in one world: loads and stores to the PEs that they reach, queues to the others.

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, Group, OrderingDomain, Pe, PeSet, QpResource, QpSet, Remote, SignalOp, SymAddr,
    Width,
};

use crate::gpu::local::LocalAddr;
use crate::state::WorldState;

/// A resource that takes the path which each call's PE is on.
#[derive(Clone, Copy, Debug)]
pub struct Split<'a, N, F> {
    state: &'a WorldState,
    near: N,
    far: F,
}

impl<'a, N, F> Split<'a, N, F> {
    /// `near` to those that the world's state says are near, `far` to the others.
    #[inline(always)]
    pub const fn new(state: &'a WorldState, near: N, far: F) -> Self {
        Self { state, near, far }
    }

    #[inline(always)]
    fn is_near(&self, pe: Pe) -> bool {
        self.state.is_near(pe)
    }
}

/// Calls `$path.$call(...)` on the path to `$pe`.
macro_rules! toward {
    ($self:ident, $pe:expr, $call:ident($($arg:expr),*)) => {
        if $self.is_near($pe) { $self.near.$call($($arg),*) } else { $self.far.$call($($arg),*) }
    };
}

impl<N: QpResource<Local = LocalAddr>, F: QpResource<Local = LocalAddr>> QpResource for Split<'_, N, F> {
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
        toward!(self, to.pe, put(group, to, from, bytes, when))
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
        toward!(self, from.pe, get(group, to, from, bytes, when))
    }

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
        toward!(self, to.pe, iput(group, to, from, to_stride, from_stride, count, width))
    }

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
        toward!(self, from.pe, iget(group, to, from, to_stride, from_stride, count, width))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, width: Width, bits: u64) -> Result<(), Fault> {
        toward!(self, to.pe, p(to, width, bits))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault> {
        toward!(self, from.pe, g(from, width))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault> {
        toward!(self, at.pe, amo_fetch(at, op, of, operand, compare))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault> {
        toward!(self, at.pe, amo(at, op, of, operand))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault> {
        toward!(self, at.pe, signal(at, op, value))
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
        toward!(self, to.pe, put_signal(group, to, from, bytes, signal, op, value, when))
    }
}

impl<N: OrderingDomain, F: OrderingDomain> OrderingDomain for Split<'_, N, F> {
    /// Each PE is on one path, and a fence orders what goes to one PE.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        self.near.fence(group, pes, qps)?;
        if self.state.some_far() { self.far.fence(group, pes, qps) } else { Ok(()) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        self.near.quiet(group, pes, qps)?;
        if self.state.some_far() { self.far.quiet(group, pes, qps) } else { Ok(()) }
    }
}

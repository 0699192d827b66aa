//! Two kinds of queues in one build: those of a NIC, and those of proxies. A world has one kind.

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, Group, OrderingDomain, Pe, PeSet, QpResource, QpSet, Remote, SignalOp, SymAddr,
    Width,
};

use crate::barrier::Far;
use crate::local::LocalAddr;
use crate::state::WorldState;

/// A resource of the kind that the world has.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a, N, P> {
    state: &'a WorldState,
    nic: N,
    proxy: P,
}

impl<'a, N, P> Chosen<'a, N, P> {
    /// `nic` where the world's state says that queues are a NIC's own, `proxy` where they are proxies'.
    #[inline(always)]
    pub const fn new(state: &'a WorldState, nic: N, proxy: P) -> Self {
        Self { state, nic, proxy }
    }
}

/// Calls `$path.$call(...)` on the world's kind.
macro_rules! toward {
    ($self:ident, $call:ident($($arg:expr),*)) => {
        if $self.state.is_proxied() { $self.proxy.$call($($arg),*) } else { $self.nic.$call($($arg),*) }
    };
}

impl<N: QpResource<Local = LocalAddr>, P: QpResource<Local = LocalAddr>> QpResource for Chosen<'_, N, P> {
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
        toward!(self, put(group, to, from, bytes, when))
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
        toward!(self, get(group, to, from, bytes, when))
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
        toward!(self, iput(group, to, from, to_stride, from_stride, count, width))
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
        toward!(self, iget(group, to, from, to_stride, from_stride, count, width))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, width: Width, bits: u64) -> Result<(), Fault> {
        toward!(self, p(to, width, bits))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, width: Width) -> Result<u64, Fault> {
        toward!(self, g(from, width))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64, compare: u64) -> Result<u64, Fault> {
        toward!(self, amo_fetch(at, op, of, operand, compare))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, op: AmoOp, of: AmoType, operand: u64) -> Result<(), Fault> {
        toward!(self, amo(at, op, of, operand))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, op: SignalOp, value: u64) -> Result<(), Fault> {
        toward!(self, signal(at, op, value))
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
        toward!(self, put_signal(group, to, from, bytes, signal, op, value, when))
    }
}

impl<N: OrderingDomain, P: OrderingDomain> OrderingDomain for Chosen<'_, N, P> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        toward!(self, fence(group, pes, qps))
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        toward!(self, quiet(group, pes, qps))
    }
}

/// Who tells far PEs of arrivals at barriers.
#[derive(Clone, Copy, Debug)]
pub struct ChosenFar<N, P>(pub N, pub P);

impl<N: Far, P: Far> Far for ChosenFar<N, P> {
    const SOME: bool = N::SOME || P::SOME;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(self, state: &WorldState, group: G) -> Result<(), Fault> {
        if state.is_proxied() { self.1.quiet(state, group) } else { self.0.quiet(state, group) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn arrive(self, state: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        if state.is_proxied() { self.1.arrive(state, pe, round) } else { self.0.arrive(state, pe, round) }
    }
}

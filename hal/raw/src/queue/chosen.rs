//! Two kinds of queues in one build: those of a NIC, and those of proxies. A PE is reached by one kind.

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, Group, OrderingDomain, Pe, PeSet, QpResource, QpSet, Remote, SignalOp, SymAddr,
    Width,
};

use crate::gpu::local::LocalAddr;
use crate::queue::barrier::Far;
use crate::state::WorldState;

/// A resource of the kind that each call's PE is reached by.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a, N, P> {
    state: &'a WorldState,
    nic: N,
    proxy: P,
}

impl<'a, N, P> Chosen<'a, N, P> {
    /// `proxy` to those that the world's state says proxies reach, `nic` to the others.
    #[inline(always)]
    pub const fn new(state: &'a WorldState, nic: N, proxy: P) -> Self {
        Self { state, nic, proxy }
    }
}

/// Calls `$path.$call(...)` on the kind that `$pe` is reached by.
macro_rules! toward {
    ($self:ident, $pe:expr, $call:ident($($arg:expr),*)) => {
        if $self.state.is_proxied($pe) { $self.proxy.$call($($arg),*) } else { $self.nic.$call($($arg),*) }
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

/// What is asked of both kinds, if the PE has both: also where one fails, so that the threads of a group stay together.
impl<N: OrderingDomain, P: OrderingDomain> OrderingDomain for Chosen<'_, N, P> {
    /// Each PE is reached by one kind, and a fence orders what goes to one PE.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        let by_nic = if self.state.far == 0 { Ok(()) } else { self.nic.fence(group, pes, qps) };
        let by_proxy = if self.state.proxied == 0 { Ok(()) } else { self.proxy.fence(group, pes, qps) };
        by_nic.and(by_proxy)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        let by_nic = if self.state.far == 0 { Ok(()) } else { self.nic.quiet(group, pes, qps) };
        let by_proxy = if self.state.proxied == 0 { Ok(()) } else { self.proxy.quiet(group, pes, qps) };
        by_nic.and(by_proxy)
    }
}

/// Who tells far PEs of arrivals at barriers.
#[derive(Clone, Copy, Debug)]
pub struct ChosenFar<N, P>(pub N, pub P);

impl<N: Far, P: Far> Far for ChosenFar<N, P> {
    const SOME: bool = N::SOME || P::SOME;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(self, state: &WorldState, group: G) -> Result<(), Fault> {
        let by_nic = if state.far == 0 { Ok(()) } else { self.0.quiet(state, group) };
        let by_proxy = if state.proxied == 0 { Ok(()) } else { self.1.quiet(state, group) };
        by_nic.and(by_proxy)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn arrive(self, state: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        if state.is_proxied(pe) { self.1.arrive(state, pe, round) } else { self.0.arrive(state, pe, round) }
    }
}

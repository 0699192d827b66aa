//! Routing of each call to the path of its PE.

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, Group, OrderingDomain, Pe, PeSet, QpResource, QpSet, Remote, SignalOp, SymAddr,
    Width,
};

use super::list::slot;
use super::{PathList, PathQueue};
use crate::gpu::local::LocalAddr;
use crate::state::WorldState;

/// Two resources, the head and the tail of a list. Each call uses the one that reaches its PE.
///
/// Whether the head is load/store (`at` is 0) and whether it is the last path are constants after inlining. A build
/// without remote paths therefore compares nothing, and one with a single remote path compares once.
#[derive(Clone, Copy, Debug)]
pub struct Routed<'a, H, T> {
    pub(super) world: &'a WorldState,
    pub(super) at: usize,
    pub(super) is_last: bool,
    pub(super) head: H,
    pub(super) tail: T,
}

impl<'a, H, T> Routed<'a, H, T> {
    /// Returns the route with load/store first, then the remote paths of the list `P`.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`]; `head` and `remote` belong to this world.
    #[inline(always)]
    pub const unsafe fn new<P: PathList>(world: &'a WorldState, head: H, remote: T) -> Self {
        Self { world, at: 0, is_last: !P::SOME, head, tail: remote }
    }

    #[inline(always)]
    fn is_head(&self, pe: Pe) -> bool {
        self.is_last || if self.at == 0 { self.world.is_load_store(pe) } else { self.world.is_on_path(pe, self.at - 1) }
    }
}

/// Calls `$call(...)` on the resource that reaches `$pe`.
macro_rules! toward {
    ($self:ident, $pe:expr, $call:ident($($arg:expr),*)) => {
        if $self.is_head($pe) { $self.head.$call($($arg),*) } else { $self.tail.$call($($arg),*) }
    };
}

impl<H: PathQueue, T: PathQueue> QpResource for Routed<'_, H, T> {
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

/// A fence or quiet over two remote paths calls both even if one fails, so that the threads of a group stay together.
impl<H: PathQueue, T: PathQueue> OrderingDomain for Routed<'_, H, T> {
    /// Fences each path by itself: a fence orders operations to one PE, and each PE is on one path.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fence<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        if self.at == 0 {
            self.head.fence(group, pes, qps)?;
            let goes_on = !self.is_last && self.world.has_remote();
            return if goes_on { self.tail.fence(group, pes, qps) } else { Ok(()) };
        }
        // A path that the world does not use has no state to read.
        let is_used = slot(self.world, self.at).queues != 0;
        let by_head = if is_used { self.head.fence(group, pes, qps) } else { Ok(()) };
        if self.is_last { by_head } else { by_head.and(self.tail.fence(group, pes, qps)) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn quiet<G: Group>(&self, group: G, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        if self.at == 0 {
            self.head.quiet(group, pes, qps)?;
            let goes_on = !self.is_last && self.world.has_remote();
            return if goes_on { self.tail.quiet(group, pes, qps) } else { Ok(()) };
        }
        // A path that the world does not use has no state to read.
        let is_used = slot(self.world, self.at).queues != 0;
        let by_head = if is_used { self.head.quiet(group, pes, qps) } else { Ok(()) };
        if self.is_last { by_head } else { by_head.and(self.tail.quiet(group, pes, qps)) }
    }
}

//! The paths of a build: load/store first, then a static list of remote paths, one for each transport.
//!
//! A transport's device half is a [`DevicePath`]. A build composes a list of them, `Paths<A, Paths<B, NoRemote>>`. Each
//! call uses the path of its PE. The world's state holds the number of each PE's path, and the slot of each path at the
//! path's place in the list.

use core::fmt::Debug;
use core::marker::PhantomData;

use oxshmem_core::{
    AmoOp, AmoType, Completion, Fault, FaultStep, Group, OrderingDomain, Pe, PeSet, Qp, QpHandle, QpResource, QpSet,
    Remote, SignalOp, SymAddr, Width,
};

use crate::gpu::local::LocalAddr;
use crate::queue::barrier::RemoteArrival;
use crate::state::abi::Abi;
use crate::state::{MAX_PATHS, PathSlot, WorldState};

/// The operations and ordering of a queue, for kernels.
pub trait PathQueue: QpResource<Local = LocalAddr> + OrderingDomain + Copy + Debug {}
impl<Q: QpResource<Local = LocalAddr> + OrderingDomain + Copy + Debug> PathQueue for Q {}

/// The device half of a transport: one kind of path to remote PEs.
///
/// *Implementor:* `slot` has the addresses that the transport's host half returned in its `PathView`. Most transports
/// have queues in rows. They implement [`RemoteQueue`](super::remote_queue::RemoteQueue) and
/// [`QueueTable`](super::remote_queue::QueueTable), and use the shared code for the rest.
///
/// # Safety of its functions
///
/// - **live**: `slot` is this path's slot in `world`, the state of a world whose memory stays mapped while the result
///   is used.
pub trait DevicePath: Copy + Debug + 'static {
    /// The transport's name, the same as in its host half.
    const NAME: &'static str;
    /// Hash of the layout of the state that the two halves share. The host refuses a module with another hash.
    const LAYOUT: u64;

    /// The queues that any thread may use.
    type Queue<'a>: PathQueue;
    /// A block's own queues, as a value that its threads keep.
    type Exclusive: Copy + Debug;
    /// A block's own queues, as a resource.
    type ExclusiveQueue<'a>: PathQueue;

    /// Returns the queues of this choice.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`]. The row of `qp` is published.
    unsafe fn queue(world: &WorldState, slot: PathSlot, qp: Qp) -> Self::Queue<'_>;

    /// Gives the calling block its own queues of `handle` toward `pes`; all its threads call. The block lends dynamic
    /// shared memory from byte `from` on, [`EXCLUSIVE_BYTES`](super::rows::EXCLUSIVE_BYTES) for each PE; at most one
    /// path of a list may use it. For [`QpHandle::DEFAULT`] nothing is taken.
    ///
    /// # Errors
    /// The block has too little shared memory. The fault is reported.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`]. `handle` is a custom queue of the world, or the default one.
    /// - **exclusive**: until the block's last call on the value has returned, no other thread posts on these queues.
    /// - **lent**: no other code uses this part of the shared memory during that time.
    unsafe fn take_exclusive<G: Group>(
        world: &WorldState,
        slot: PathSlot,
        block: G,
        handle: QpHandle,
        pes: PeSet,
        from: u32,
    ) -> Result<Self::Exclusive, Fault>;

    /// Returns the block's own queues.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`]. `own` was taken in this world.
    unsafe fn exclusive_queue(world: &WorldState, slot: PathSlot, own: Self::Exclusive) -> Self::ExclusiveQueue<'_>;

    /// Reports whether any PE has a queue in this row.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`].
    unsafe fn row_exists(world: &WorldState, slot: PathSlot, row: u32) -> bool;

    /// Announces arrival at a barrier: sets the word that `pe` keeps for this PE to `round`, after the words of earlier
    /// rounds.
    ///
    /// # Errors
    /// The queue has stopped, or a wait took too long.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`].
    unsafe fn arrive(world: &WorldState, slot: PathSlot, pe: Pe, round: u64) -> Result<(), Fault>;
}

/// A list of remote paths: [`Paths`] or [`NoRemote`].
///
/// `at` is the place of this list's first path in the whole list, counted from 1.
///
/// # Safety of its functions
///
/// - **live**: `world` is the state of a world whose memory stays mapped while the result is used; its `paths` are those of
///   the whole list, in this order.
pub trait PathList: Copy + Debug + 'static {
    /// Whether the list has a path.
    const SOME: bool;
    /// The paths' names, in order. The other elements are empty.
    const NAMES: [&'static str; MAX_PATHS];
    /// The paths' layouts, in order.
    const LAYOUTS: [u64; MAX_PATHS];

    /// The queues that any thread may use.
    type Queue<'a>: PathQueue;
    /// A block's own queues, as a value that its threads keep.
    type Exclusive: Copy + Debug;
    /// A block's own queues, as a resource.
    type ExclusiveQueue<'a>: PathQueue;

    /// As [`DevicePath::queue`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    unsafe fn queue(world: &WorldState, at: usize, qp: Qp) -> Self::Queue<'_>;

    /// As [`DevicePath::take_exclusive`].
    ///
    /// # Errors
    /// As the [`DevicePath`] method.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    /// - **exclusive**, **lent**: as for [`DevicePath::take_exclusive`].
    unsafe fn take_exclusive<G: Group>(
        world: &WorldState,
        at: usize,
        block: G,
        handle: QpHandle,
        pes: PeSet,
        from: u32,
    ) -> Result<Self::Exclusive, Fault>;

    /// As [`DevicePath::exclusive_queue`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`]. `own` was taken in this world.
    unsafe fn exclusive_queue(world: &WorldState, at: usize, own: Self::Exclusive) -> Self::ExclusiveQueue<'_>;

    /// As [`DevicePath::row_exists`], on any of the paths.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    unsafe fn row_exists(world: &WorldState, at: usize, row: u32) -> bool;

    /// As [`DevicePath::arrive`], on the path of `pe`.
    ///
    /// # Errors
    /// As the [`DevicePath`] method.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    unsafe fn arrive(world: &WorldState, at: usize, pe: Pe, round: u64) -> Result<(), Fault>;
}

/// Returns the ABI of a module with the load/store path of this name and this list of remote paths.
pub const fn abi_of<P: PathList>(load_store: &str, checked: bool) -> Abi {
    let [a, b, c] = P::NAMES;
    Abi::this(&[load_store, a, b, c], &P::LAYOUTS, checked)
}

/// The end of a list. No code for remote paths is compiled for it.
#[derive(Clone, Copy, Debug)]
pub struct NoRemote;

/// A list of remote paths: `Head`, then those of `Tail`.
#[derive(Clone, Copy, Debug)]
pub struct Paths<Head, Tail>(PhantomData<(Head, Tail)>);

impl<H: DevicePath, T: PathList> PathList for Paths<H, T> {
    const SOME: bool = true;
    const NAMES: [&'static str; MAX_PATHS] = {
        assert!(T::NAMES[MAX_PATHS - 1].is_empty(), "a world has at most three remote paths");
        [H::NAME, T::NAMES[0], T::NAMES[1]]
    };
    const LAYOUTS: [u64; MAX_PATHS] = [H::LAYOUT, T::LAYOUTS[0], T::LAYOUTS[1]];

    type Queue<'a> = Routed<'a, H::Queue<'a>, T::Queue<'a>>;
    type Exclusive = (H::Exclusive, T::Exclusive);
    type ExclusiveQueue<'a> = Routed<'a, H::ExclusiveQueue<'a>, T::ExclusiveQueue<'a>>;

    #[inline(always)]
    unsafe fn queue(world: &WorldState, at: usize, qp: Qp) -> Self::Queue<'_> {
        // SAFETY: **live**: the slot at index `at` of `world.paths` belongs to the head, the following ones to the
        // tail.
        let (head, tail) = unsafe { (H::queue(world, slot(world, at), qp), T::queue(world, at + 1, qp)) };
        Routed { world, at, is_last: !T::SOME, head, tail }
    }

    #[inline(always)]
    unsafe fn take_exclusive<G: Group>(
        world: &WorldState,
        at: usize,
        block: G,
        handle: QpHandle,
        pes: PeSet,
        from: u32,
    ) -> Result<Self::Exclusive, Fault> {
        let slot = slot(world, at);
        let of_head = if T::SOME && slot.queues == 0 { QpHandle::DEFAULT } else { handle };
        // SAFETY: **live**, **exclusive**, **lent**: passed on; taking the default handle uses no queue and no shared
        // memory.
        unsafe {
            let head = H::take_exclusive(world, slot, block, of_head, pes, from)?;
            Ok((head, T::take_exclusive(world, at + 1, block, handle, pes, from)?))
        }
    }

    #[inline(always)]
    unsafe fn exclusive_queue(world: &WorldState, at: usize, own: Self::Exclusive) -> Self::ExclusiveQueue<'_> {
        // SAFETY: **live**: the slot at index `at` of `world.paths` belongs to the head, the following ones to the
        // tail.
        let (head, tail) =
            unsafe { (H::exclusive_queue(world, slot(world, at), own.0), T::exclusive_queue(world, at + 1, own.1)) };
        Routed { world, at, is_last: !T::SOME, head, tail }
    }

    #[inline(always)]
    unsafe fn row_exists(world: &WorldState, at: usize, row: u32) -> bool {
        let slot = slot(world, at);
        // SAFETY: **live**: the slot at index `at` of `world.paths` belongs to the head, which is called only if it has
        // queues.
        unsafe { slot.queues != 0 && H::row_exists(world, slot, row) || T::row_exists(world, at + 1, row) }
    }

    #[inline(always)]
    unsafe fn arrive(world: &WorldState, at: usize, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the slot at index `at` of `world.paths` belongs to the head, the following ones to the
        // tail.
        unsafe {
            if !T::SOME || world.is_on_path(pe, at - 1) {
                H::arrive(world, slot(world, at), pe, round)
            } else {
                T::arrive(world, at + 1, pe, round)
            }
        }
    }
}

/// Returns the slot at this place of the list. The place is a constant after inlining.
#[inline(always)]
const fn slot(world: &WorldState, at: usize) -> PathSlot {
    let [a, b, c] = world.paths;
    match at {
        1 => a,
        2 => b,
        _ => c,
    }
}

impl PathList for NoRemote {
    const SOME: bool = false;
    const NAMES: [&'static str; MAX_PATHS] = [""; MAX_PATHS];
    const LAYOUTS: [u64; MAX_PATHS] = [0; MAX_PATHS];

    type Queue<'a> = NoQueue;
    type Exclusive = ();
    type ExclusiveQueue<'a> = NoQueue;

    #[inline(always)]
    unsafe fn queue(_: &WorldState, _: usize, _: Qp) -> NoQueue {
        NoQueue
    }

    #[inline(always)]
    unsafe fn take_exclusive<G: Group>(
        _: &WorldState,
        at: usize,
        block: G,
        _: QpHandle,
        _: PeSet,
        _: u32,
    ) -> Result<(), Fault> {
        // If the list has a path, the block has met in that path's `take_exclusive`.
        if at == 1 {
            block.sync();
        }
        Ok(())
    }

    #[inline(always)]
    unsafe fn exclusive_queue(_: &WorldState, _: usize, (): ()) -> NoQueue {
        NoQueue
    }

    #[inline(always)]
    unsafe fn row_exists(_: &WorldState, _: usize, _: u32) -> bool {
        false
    }

    #[inline(always)]
    unsafe fn arrive(_: &WorldState, _: usize, pe: Pe, _: u64) -> Result<(), Fault> {
        no_path(pe)
    }
}

/// Two resources, the head and the tail of a list. Each call uses the one that reaches its PE.
///
/// Whether the head is load/store (`at` is 0) and whether it is the last path are constants after inlining. A build
/// without remote paths therefore compares nothing, and one with a single remote path compares once.
#[derive(Clone, Copy, Debug)]
pub struct Routed<'a, H, T> {
    world: &'a WorldState,
    at: usize,
    is_last: bool,
    head: H,
    tail: T,
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

/// The queue of [`NoRemote`]. No PE is on it, because the host refuses a module that lacks a path of its world.
#[derive(Clone, Copy, Debug)]
pub struct NoQueue;

#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn no_path<T>(pe: Pe) -> Result<T, Fault> {
    let mut fault = Fault::new(FaultStep::NoSuchQp);
    fault.pe = pe.number();
    Err(fault)
}

impl QpResource for NoQueue {
    type Local = LocalAddr;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put<G: Group>(&self, _: G, to: Remote, _: LocalAddr, _: usize, _: Completion) -> Result<(), Fault> {
        no_path(to.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get<G: Group>(&self, _: G, _: LocalAddr, from: Remote, _: usize, _: Completion) -> Result<(), Fault> {
        no_path(from.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iput<G: Group>(
        &self,
        _: G,
        to: Remote,
        _: LocalAddr,
        _: usize,
        _: usize,
        _: usize,
        _: Width,
    ) -> Result<(), Fault> {
        no_path(to.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn iget<G: Group>(
        &self,
        _: G,
        _: LocalAddr,
        from: Remote,
        _: usize,
        _: usize,
        _: usize,
        _: Width,
    ) -> Result<(), Fault> {
        no_path(from.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn p(&self, to: Remote, _: Width, _: u64) -> Result<(), Fault> {
        no_path(to.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn g(&self, from: Remote, _: Width) -> Result<u64, Fault> {
        no_path(from.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo_fetch(&self, at: Remote, _: AmoOp, _: AmoType, _: u64, _: u64) -> Result<u64, Fault> {
        no_path(at.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn amo(&self, at: Remote, _: AmoOp, _: AmoType, _: u64) -> Result<(), Fault> {
        no_path(at.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn signal(&self, at: Remote, _: SignalOp, _: u64) -> Result<(), Fault> {
        no_path(at.pe)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn put_signal<G: Group>(
        &self,
        _: G,
        to: Remote,
        _: LocalAddr,
        _: usize,
        _: SymAddr,
        _: SignalOp,
        _: u64,
        _: Completion,
    ) -> Result<(), Fault> {
        no_path(to.pe)
    }
}

impl OrderingDomain for NoQueue {
    #[inline(always)]
    fn fence<G: Group>(&self, _: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        Ok(())
    }

    #[inline(always)]
    fn quiet<G: Group>(&self, _: G, _: PeSet, _: QpSet<'_>) -> Result<(), Fault> {
        Ok(())
    }
}

/// The remote paths of a list, for barriers.
#[derive(Clone, Copy, Debug)]
pub struct RemotePaths<P>(PhantomData<P>);

impl<P: PathList> RemotePaths<P> {
    /// All paths of the list.
    pub const ALL: Self = Self(PhantomData);
}

impl<P: PathList> RemoteArrival for RemotePaths<P> {
    const SOME: bool = P::SOME;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn quiet<G: Group>(self, world: &WorldState, group: G) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the paths of the list.
        unsafe { P::queue(world, 1, Qp::Default) }.quiet(group, PeSet::All, QpSet::All)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn arrive(self, world: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the paths of the list.
        unsafe { P::arrive(world, 1, pe, round) }
    }
}

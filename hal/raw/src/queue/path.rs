//! The paths of a build: load/store first, then a static list of remote paths, each a transport's.
//!
//! A transport's device half is a [`DevicePath`]. A build composes a list of them, `Paths<A, Paths<B, NoRemote>>`, and each
//! call goes on the path of its PE: the world's state has the number of each PE's path, and the state of each path at the
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

/// A queue as kernels use it.
pub trait PathQueue: QpResource<Local = LocalAddr> + OrderingDomain + Copy + Debug {}
impl<Q: QpResource<Local = LocalAddr> + OrderingDomain + Copy + Debug> PathQueue for Q {}

/// The device half of a transport: one kind of path to PEs that loads and stores don't reach.
///
/// *Implementor:* `slot` is what the transport's host half returned as its `PathView`. Most transports have queues in
/// rows, and implement [`RemoteQueue`](super::remote_queue::RemoteQueue) and
/// [`QueueTable`](super::remote_queue::QueueTable), of which the rest follows.
///
/// # Safety of its functions
///
/// - **live**: `slot` is this path's, in the state `world` of a world whose memory stays mapped while the result is used.
pub trait DevicePath: Copy + Debug + 'static {
    /// The transport's name, as its host half gives it.
    const NAME: &'static str;
    /// Hash of the layout of the state that the two halves share. The host refuses a module with another.
    const LAYOUT: u64;

    /// The queues that any thread may use.
    type Queue<'a>: PathQueue;
    /// A block's own queues, as a value that its threads keep.
    type Exclusive: Copy + Debug;
    /// A block's own queues, as a resource.
    type ExclusiveQueue<'a>: PathQueue;

    /// The queues of this choice.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`]. The row of `qp` is published.
    unsafe fn queue(world: &WorldState, slot: PathSlot, qp: Qp) -> Self::Queue<'_>;

    /// Gives the calling block its own queues of `handle` toward `pes`; all its threads call. The block lends dynamic
    /// shared memory from byte `from` on, [`EXCLUSIVE_BYTES`](super::rows::EXCLUSIVE_BYTES) for each PE; one path of a list
    /// at most may use it. [`QpHandle::DEFAULT`] takes nothing.
    ///
    /// # Errors
    /// The block has too little shared memory; reported.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`]. `handle` is a custom queue of the world, or the default one.
    /// - **exclusive**: until the block's last call on the value has returned, no other thread posts on these queues.
    /// - **lent**: nothing else uses this part of the shared memory meanwhile.
    unsafe fn take_exclusive<G: Group>(
        world: &WorldState,
        slot: PathSlot,
        block: G,
        handle: QpHandle,
        pes: PeSet,
        from: u32,
    ) -> Result<Self::Exclusive, Fault>;

    /// The block's own queues.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`]. `own` was taken in this world.
    unsafe fn exclusive_queue(world: &WorldState, slot: PathSlot, own: Self::Exclusive) -> Self::ExclusiveQueue<'_>;

    /// Whether some PE has a queue in this row.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`].
    unsafe fn row_exists(world: &WorldState, slot: PathSlot, row: u32) -> bool;

    /// Makes the word that `pe` keeps for this PE be `round`, not before the words of earlier rounds: a barrier's arrival.
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
/// `at` is the place of the list's first path in the whole list, from 1.
///
/// # Safety of its functions
///
/// - **live**: `world` is the state of a world whose memory stays mapped while the result is used; its `paths` are those of
///   the whole list, in this order.
pub trait PathList: Copy + Debug + 'static {
    /// Whether it has a path.
    const SOME: bool;
    /// The paths' names, in order; the rest is empty.
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
    /// As there.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    /// - **exclusive**, **lent**: as there.
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
    /// As there.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    unsafe fn arrive(world: &WorldState, at: usize, pe: Pe, round: u64) -> Result<(), Fault>;
}

/// The ABI of a module with this list behind the load/store path of this name.
pub const fn abi_of<P: PathList>(load_store: &str, checked: bool) -> Abi {
    let [a, b, c] = P::NAMES;
    Abi::this(&[load_store, a, b, c], &P::LAYOUTS, checked)
}

/// The end of a list: no remote path is compiled for what follows.
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
        // SAFETY: **live**: the slot at the path's place is the path's.
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
        // SAFETY: **live**, **exclusive**, **lent**: the caller's promises; of the default handle nothing is taken.
        unsafe {
            let head = H::take_exclusive(world, slot, block, of_head, pes, from)?;
            Ok((head, T::take_exclusive(world, at + 1, block, handle, pes, from)?))
        }
    }

    #[inline(always)]
    unsafe fn exclusive_queue(world: &WorldState, at: usize, own: Self::Exclusive) -> Self::ExclusiveQueue<'_> {
        // SAFETY: **live**: the slot at the path's place is the path's.
        let (head, tail) =
            unsafe { (H::exclusive_queue(world, slot(world, at), own.0), T::exclusive_queue(world, at + 1, own.1)) };
        Routed { world, at, is_last: !T::SOME, head, tail }
    }

    #[inline(always)]
    unsafe fn row_exists(world: &WorldState, at: usize, row: u32) -> bool {
        let slot = slot(world, at);
        // SAFETY: **live**: the slot at the path's place is the path's, and has queues.
        unsafe { slot.queues != 0 && H::row_exists(world, slot, row) || T::row_exists(world, at + 1, row) }
    }

    #[inline(always)]
    unsafe fn arrive(world: &WorldState, at: usize, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the slot at the path's place is the path's.
        unsafe {
            if !T::SOME || world.is_on_path(pe, at - 1) {
                H::arrive(world, slot(world, at), pe, round)
            } else {
                T::arrive(world, at + 1, pe, round)
            }
        }
    }
}

/// The slot at this place of the list. The place is a constant where this is inlined.
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
        // Behind a path the block has met there.
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

/// Two resources of which each call takes that of its PE: the head's or the tail's.
///
/// Where load/store is the head (`at` 0) or a path is the last of its list is a constant after inlining, so a build without
/// remote paths compares nothing, and one with a single remote path compares once.
#[derive(Clone, Copy, Debug)]
pub struct Routed<'a, H, T> {
    world: &'a WorldState,
    at: usize,
    is_last: bool,
    head: H,
    tail: T,
}

impl<'a, H, T> Routed<'a, H, T> {
    /// Load/store first, then the remote paths of the list `P`.
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

/// Calls `$call(...)` on the resource of `$pe`.
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

/// A fence or quiet of two remote paths asks both, also where one fails, so that the threads of a group stay together.
impl<H: PathQueue, T: PathQueue> OrderingDomain for Routed<'_, H, T> {
    /// Each PE is on one path, and a fence orders what goes to one PE.
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

/// The queue of [`NoRemote`]: no PE is on it, since the host refuses a module without the paths of its world.
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
    /// The list's.
    pub const ALL: Self = Self(PhantomData);
}

impl<P: PathList> RemoteArrival for RemotePaths<P> {
    const SOME: bool = P::SOME;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn quiet<G: Group>(self, world: &WorldState, group: G) -> Result<(), Fault> {
        // SAFETY: **live**.
        unsafe { P::queue(world, 1, Qp::Default) }.quiet(group, PeSet::All, QpSet::All)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn arrive(self, world: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**.
        unsafe { P::arrive(world, 1, pe, round) }
    }
}

//! Lists of remote paths.

use core::fmt::Debug;
use core::marker::PhantomData;

use oxshmem_core::{Fault, Group, OrderingDomain, Pe, PeSet, Qp, QpHandle, QpSet};

use super::no_queue::{NoQueue, no_path};
use super::{DevicePath, PathQueue, Routed};
use crate::queue::barrier::RemoteArrival;
use crate::state::abi::Abi;
use crate::state::{MAX_PATHS, PathSlot, WorldState};

/// A list of remote paths: [`Paths`] or [`NoRemote`].
///
/// `at` is the place of this list's first path in the whole list, counted from 1. The trait is sealed: kernels rely on
/// the places.
///
/// # Safety of its functions
///
/// - **live**: `world` is the state of a world whose memory stays mapped while the result is used; its `paths` are
///   those of the whole list, in this order.
pub trait PathList: Copy + Debug + sealed::Sealed + 'static {
    /// Whether the list has a path.
    const SOME: bool;
    /// The paths' names, in order. The other elements are empty.
    const NAMES: [&'static str; MAX_PATHS];
    /// The paths' layouts, in order.
    const LAYOUTS: [u64; MAX_PATHS];

    /// The queues that any thread may use.
    type Queue<'a>: PathQueue;
    /// A block's own queues, as a value that its threads keep.
    type ExclusiveSet: Copy + Debug;
    /// A block's own queues, as a resource.
    type ExclusiveQueue<'a>: PathQueue;

    /// Returns the queues of this choice: [`DevicePath::queue`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    unsafe fn queue(world: &WorldState, at: usize, qp: Qp) -> Self::Queue<'_>;

    /// Gives the calling block its own queues: [`DevicePath::take_exclusive`].
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
    ) -> Result<Self::ExclusiveSet, Fault>;

    /// Returns the block's own queues: [`DevicePath::exclusive_queue`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`]. `own` was taken in this world.
    unsafe fn exclusive_queue(world: &WorldState, at: usize, own: Self::ExclusiveSet) -> Self::ExclusiveQueue<'_>;

    /// Performs [`DevicePath::row_exists`] on any of the paths.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    unsafe fn row_exists(world: &WorldState, at: usize, row: u32) -> bool;

    /// Performs [`DevicePath::arrive`] on the path of `pe`.
    ///
    /// # Errors
    /// As the [`DevicePath`] method.
    ///
    /// # Safety
    ///
    /// - **live**: see [`PathList`].
    unsafe fn arrive(world: &WorldState, at: usize, pe: Pe, round: u64) -> Result<(), Fault>;
}

mod sealed {
    /// Seals [`PathList`](super::PathList).
    pub trait Sealed {}
    impl<H, T> Sealed for super::Paths<H, T> {}
    impl Sealed for super::NoRemote {}
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
    type ExclusiveSet = (H::ExclusiveSet, T::ExclusiveSet);
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
    ) -> Result<Self::ExclusiveSet, Fault> {
        let slot = slot(world, at);
        let of_head = if T::SOME && slot.queues == 0 { QpHandle::DEFAULT } else { handle };
        // SAFETY: **live**, **exclusive**, **lent**: the caller's, which are the same; taking the default handle uses
        // no queue and no shared memory.
        unsafe {
            let head = H::take_exclusive(world, slot, block, of_head, pes, from)?;
            Ok((head, T::take_exclusive(world, at + 1, block, handle, pes, from)?))
        }
    }

    #[inline(always)]
    unsafe fn exclusive_queue(world: &WorldState, at: usize, own: Self::ExclusiveSet) -> Self::ExclusiveQueue<'_> {
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
pub(super) const fn slot(world: &WorldState, at: usize) -> PathSlot {
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
    type ExclusiveSet = ();
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
        unsafe { quiet_of::<P, G>(*world, group) }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn arrive(self, world: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the paths of the list.
        unsafe { arrive_of::<P>(*world, pe, round) }
    }
}

/// Completes operations on the queues of a list. A barrier calls it only in worlds with remote PEs. Inlined, it makes
/// the kernel of a barrier of 1,024 threads store 2.2 KiB of its values to the stack. The state is passed by value,
/// since a reference to it would move it to the caller's stack.
///
/// # Safety
///
/// - **live**: see [`PathList`].
#[cfg_attr(target_arch = "nvptx64", inline(never))]
unsafe fn quiet_of<P: PathList, G: Group>(world: WorldState, group: G) -> Result<(), Fault> {
    // SAFETY: **live** by the caller.
    unsafe { P::queue(&world, 1, Qp::Default) }.quiet(group, PeSet::All, QpSet::All)
}

/// Announces an arrival on the path of a PE. It is not inlined, for the reason given at [`quiet_of`].
///
/// # Safety
///
/// - **live**: see [`PathList`].
#[cfg_attr(target_arch = "nvptx64", inline(never))]
unsafe fn arrive_of<P: PathList>(world: WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
    // SAFETY: **live** by the caller.
    unsafe { P::arrive(&world, 1, pe, round) }
}

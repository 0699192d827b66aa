//! The paths of a build: load/store first, then a static list of remote paths, one for each transport.
//!
//! A transport's device half is a [`DevicePath`]. A build composes a list of them, `Paths<A, Paths<B, NoRemote>>`. Each
//! call uses the path of its PE. The world's state holds the number of each PE's path, and the slot of each path at the
//! path's place in the list.

mod list;
mod no_queue;
mod routed;
mod shared_path;

use core::fmt::Debug;

use oxshmem_core::{Fault, Group, OrderingDomain, Pe, PeSet, Qp, QpHandle, QpResource};

pub use list::{NoRemote, PathList, Paths, RemotePaths, abi_of};
pub use no_queue::NoQueue;
pub use routed::Routed;
pub use shared_path::{SharedPath, SharedTable};

use crate::gpu::local::LocalAddr;
use crate::state::{PathSlot, WorldState};

/// The operations and ordering of a queue, for kernels.
pub trait PathQueue: QpResource<Local = LocalAddr> + OrderingDomain + Copy + Debug {}
impl<Q: QpResource<Local = LocalAddr> + OrderingDomain + Copy + Debug> PathQueue for Q {}

/// The device half of a transport: one kind of path to remote PEs.
///
/// *Implementor:* `slot` has the addresses that the transport's host half returned in its `PathView`. Most transports
/// have queues in rows. They implement [`RemoteQueue`](crate::queue::remote_queue::RemoteQueue) and
/// [`QueueTable`](crate::queue::remote_queue::QueueTable), and use the shared code for the rest; without queues of a
/// block's own, their path is a [`SharedPath`].
///
/// # Safety of its functions
///
/// - **live**: `slot` is this path's slot in `world`, the state of a world whose memory stays mapped while the result
///   is used.
///
/// # Safety
///
/// - **layout**: `LAYOUT` covers all structs that the path reads at the addresses of its slot, and `NAME` is that of the
///   host half that writes them.
/// - **rows**: [`row_exists`](DevicePath::row_exists) reports published rows alone.
/// - **named**, **own**: its queues access memory as a
///   [`RemoteQueue`](crate::queue::remote_queue::RemoteQueue) does.
pub unsafe trait DevicePath: Copy + Debug + 'static {
    /// The transport's name, the same as in its host half.
    const NAME: &'static str;
    /// Hash of the layout of the state that the two halves share. The host refuses a module with another hash.
    const LAYOUT: u64;

    /// The queues that any thread may use.
    type Queue<'a>: PathQueue;
    /// A block's own queues, as a value that its threads keep.
    type ExclusiveSet: Copy + Debug;
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
    ) -> Result<Self::ExclusiveSet, Fault>;

    /// Returns the block's own queues.
    ///
    /// # Safety
    ///
    /// - **live**: see [`DevicePath`]. `own` was taken in this world.
    unsafe fn exclusive_queue(world: &WorldState, slot: PathSlot, own: Self::ExclusiveSet) -> Self::ExclusiveQueue<'_>;

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

//! Remote paths for a host PE's own threads, outside kernels, where the list of paths is known only at run time.

use core::fmt::Debug;
use core::marker::PhantomData;

use oxshmem_core::{Completion, Fault, Group, OrderingDomain, Pe, PeSet, Qp, QpResource, QpSet, Remote};

use crate::gpu::group::Thread;
use crate::gpu::local::LocalAddr;
use crate::queue::barrier::RemoteArrival;
use crate::queue::path::DevicePath;
use crate::queue::remote_queue::Signal;
use crate::state::{MAX_PATHS, PathSlot, WorldState};

/// A [`DevicePath`] as a trait object, on its default queues. A host PE's own threads call it, each for itself.
///
/// # Errors
/// A queue has stopped, or a wait took too long.
///
/// # Safety of its functions
///
/// - **live**: `slot` is this path's slot in `world`, the state of a world on host threads, whose memory stays mapped
///   during the call.
///
/// # Safety
///
/// - **layout**, **named**, **own**: see [`DevicePath`].
pub unsafe trait HostPath: Debug + Sync {
    /// Returns [`DevicePath::NAME`].
    fn name(&self) -> &'static str;

    /// Returns [`DevicePath::LAYOUT`].
    fn layout(&self) -> u64;

    /// Puts; returns when the source may be written again.
    ///
    /// # Errors
    /// See [`HostPath`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`HostPath`].
    unsafe fn put(
        &self,
        world: &WorldState,
        slot: PathSlot,
        to: Remote,
        from: LocalAddr,
        bytes: usize,
    ) -> Result<(), Fault>;

    /// Gets; returns when the data has arrived.
    ///
    /// # Errors
    /// See [`HostPath`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`HostPath`].
    unsafe fn get(
        &self,
        world: &WorldState,
        slot: PathSlot,
        to: LocalAddr,
        from: Remote,
        bytes: usize,
    ) -> Result<(), Fault>;

    /// Puts, then signals; returns when the source may be written again.
    ///
    /// # Errors
    /// See [`HostPath`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`HostPath`].
    unsafe fn put_signal(
        &self,
        world: &WorldState,
        slot: PathSlot,
        to: Remote,
        from: LocalAddr,
        bytes: usize,
        signal: Signal,
    ) -> Result<(), Fault>;

    /// Completes the operations issued to `pes` on `qps`.
    ///
    /// # Errors
    /// See [`HostPath`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`HostPath`].
    unsafe fn quiet(&self, world: &WorldState, slot: PathSlot, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault>;

    /// Performs [`DevicePath::arrive`].
    ///
    /// # Errors
    /// See [`HostPath`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`HostPath`].
    unsafe fn arrive(&self, world: &WorldState, slot: PathSlot, pe: Pe, round: u64) -> Result<(), Fault>;
}

/// The [`HostPath`] of a [`DevicePath`].
#[derive(Debug)]
pub struct HostPathOf<P>(PhantomData<fn() -> P>);

impl<P> HostPathOf<P> {
    /// The value.
    pub const NEW: Self = Self(PhantomData);
}

// SAFETY: **layout**, **named**, **own**: those of `P`.
unsafe impl<P: DevicePath> HostPath for HostPathOf<P> {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn layout(&self) -> u64 {
        P::LAYOUT
    }

    unsafe fn put(
        &self,
        world: &WorldState,
        slot: PathSlot,
        to: Remote,
        from: LocalAddr,
        bytes: usize,
    ) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live**; the default rows are published with the world.
        unsafe { P::queue(world, slot, Qp::Default) }.put(Thread, to, from, bytes, Completion::Blocking)
    }

    unsafe fn get(
        &self,
        world: &WorldState,
        slot: PathSlot,
        to: LocalAddr,
        from: Remote,
        bytes: usize,
    ) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live**; the default rows are published with the world.
        unsafe { P::queue(world, slot, Qp::Default) }.get(Thread, to, from, bytes, Completion::Blocking)
    }

    unsafe fn put_signal(
        &self,
        world: &WorldState,
        slot: PathSlot,
        to: Remote,
        from: LocalAddr,
        bytes: usize,
        signal: Signal,
    ) -> Result<(), Fault> {
        let Signal { word, op, value } = signal;
        // SAFETY: **live**: the caller's **live**; the default rows are published with the world.
        let queue = unsafe { P::queue(world, slot, Qp::Default) };
        queue.put_signal(Thread, to, from, bytes, word, op, value, Completion::Blocking)
    }

    unsafe fn quiet(&self, world: &WorldState, slot: PathSlot, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live**; the default rows are published with the world.
        unsafe { P::queue(world, slot, Qp::Default) }.quiet(Thread, pes, qps)
    }

    unsafe fn arrive(&self, world: &WorldState, slot: PathSlot, pe: Pe, round: u64) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the path's slot.
        unsafe { P::arrive(world, slot, pe, round) }
    }
}

/// The remote paths of a world on host threads; path `n` is at index `n - 1`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostPaths(pub [Option<&'static dyn HostPath>; MAX_PATHS]);

impl HostPaths {
    /// Returns the path to a remote PE, and its slot.
    ///
    /// # Panics
    /// The world's state has a path number that is not in this list.
    pub fn to(&self, world: &WorldState, pe: Pe) -> (&'static dyn HostPath, PathSlot) {
        let at = world.path_of(pe) as usize - 1;
        (self.0[at].expect("each number in a world's state is that of one of its paths"), world.paths[at])
    }

    /// Completes the operations issued to `pes` on `qps`, on every path, even if one fails.
    ///
    /// # Errors
    /// See [`HostPath`].
    ///
    /// # Safety
    ///
    /// - **live**: see [`HostPath`].
    pub unsafe fn quiet(&self, world: &WorldState, pes: PeSet, qps: QpSet<'_>) -> Result<(), Fault> {
        let with_queues = self.0.iter().zip(world.paths).filter(|(_, slot)| slot.queues != 0);
        let quiet = |(path, slot): (&Option<&'static dyn HostPath>, PathSlot)| match path {
            // SAFETY: **live**: the caller's **live** covers the world and the path's slot.
            Some(path) => unsafe { path.quiet(world, slot, pes, qps) },
            None => Ok(()),
        };
        with_queues.map(quiet).fold(Ok(()), Result::and)
    }
}

impl RemoteArrival for HostPaths {
    const SOME: bool = true;

    unsafe fn quiet<G: Group>(self, world: &WorldState, _: G) -> Result<(), Fault> {
        // SAFETY: **live**: the caller's **live** covers the world and the path's slot.
        unsafe { HostPaths::quiet(&self, world, PeSet::All, QpSet::All) }
    }

    unsafe fn arrive(self, world: &WorldState, pe: Pe, round: u64) -> Result<(), Fault> {
        let (path, slot) = self.to(world, pe);
        // SAFETY: **live**: the caller's **live** covers the world and the path's slot.
        unsafe { path.arrive(world, slot, pe, round) }
    }
}

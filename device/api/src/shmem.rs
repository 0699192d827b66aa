//! The world in a kernel.

use core::marker::PhantomData;
use core::ops::RangeBounds;
use oxshmem_core::{Count, Element, Fault, Pe, Qp, QpResource, SymAddr, SymPtr, SymSlice, Symmetric};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::queue::path::{self, PathList, Routed};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::abi::Abi;
use oxshmem_transport_nvlink::device::{self as load_store, Lent, LoadStore};

use crate::local::Local;
use crate::{check, local};

/// The world: the first argument of every kernel. `P` is the list of remote paths of the kernel's module. It lives as
/// long as the kernel's thread, `'w`, and stays in it.
#[derive(Clone, Copy, Debug)]
pub struct Shmem<'w, P> {
    pub(crate) state: WorldState,
    pub(crate) lent: Lent,
    paths: PhantomData<P>,
    /// A pointer, so that on host PEs no other thread gets the value.
    thread: PhantomData<(&'w WorldState, *const ())>,
}

/// The queue of an operation: loads and stores to load/store PEs, remote paths to remote PEs.
pub(crate) type Queue<'a, P> = Routed<'a, LoadStore<'a>, <P as PathList>::Queue<'a>>;

/// A world as a kernel's first argument. The trait is sealed: the host relies on the layouts that it names.
pub trait KernelWorld<'w>: Copy + sealed::Sealed {
    /// The versions and layouts with which a module with this world's type was built.
    const ABI: &'static Abi;

    /// Returns the world with this state, for as long as the kernel's thread has it.
    ///
    /// # Safety
    ///
    /// **live**, **peopled**: as [`Shmem::from_state`].
    unsafe fn from_state(state: &'w WorldState) -> Self;
}

/// Returns the versions and layouts of a module with these paths.
const fn abi_of<P: PathList>() -> Abi {
    path::abi_of::<P>(load_store::NAME, cfg!(feature = "checked"))
}

impl<'w, P: PathList> KernelWorld<'w> for Shmem<'w, P> {
    const ABI: &'static Abi = &abi_of::<P>();

    #[inline(always)]
    unsafe fn from_state(state: &'w WorldState) -> Self {
        // SAFETY: **live**, **peopled**: the caller's, which are the same.
        unsafe { Self::from_state(*state) }
    }
}

impl<P: PathList> Shmem<'_, P> {
    /// Whether kernels of this build also reach PEs by remote paths.
    pub const HAS_REMOTE_PATHS: bool = P::SOME;

    /// Returns the world with this state.
    ///
    /// # Safety
    ///
    /// - **live**: every address in `state` stays mapped while the value is used.
    /// - **peopled**: the world has at least one PE.
    #[inline(always)]
    pub const unsafe fn from_state(state: WorldState) -> Self {
        Self { state, lent: Lent::NONE, paths: PhantomData, thread: PhantomData }
    }

    /// Returns the world's state, with which a library gets a world of its own.
    #[inline(always)]
    pub fn state(&self) -> WorldState {
        self.state
    }

    /// Returns this PE.
    #[inline(always)]
    pub fn my_pe(&self) -> Pe {
        Pe::new(self.state.my_pe)
    }

    /// Returns the number of PEs of the world.
    #[inline(always)]
    pub fn n_pes(&self) -> u32 {
        // SAFETY: **peopled**: `n_pes` is not 0. With this assumption a remainder by the number compiles without a
        // panic.
        unsafe { core::hint::assert_unchecked(self.state.n_pes != 0) }
        self.state.n_pes
    }

    /// Returns the PE that is `distance` numbers after this one, modulo the number of PEs.
    #[inline(always)]
    pub fn pe_after(&self, distance: u32) -> Pe {
        Pe::new((self.state.my_pe + distance % self.n_pes()) % self.n_pes())
    }

    /// Returns the PE that is `distance` numbers before this one, modulo the number of PEs.
    #[inline(always)]
    pub fn pe_before(&self, distance: u32) -> Pe {
        self.pe_after(self.n_pes() - distance % self.n_pes())
    }

    /// Returns the symmetric pointer for an address in this PE's own heap.
    #[inline(always)]
    pub fn symmetric<T: Element>(&self, at: *const T) -> SymPtr<T> {
        SymPtr::new(SymAddr::new((at as u64).wrapping_sub(self.state.own)))
    }

    /// Returns `count` elements of this PE's memory, symmetric or not, at an address.
    ///
    /// # Safety
    ///
    /// - **mapped**: the elements are mapped while the value is used, for the accesses of the calls that get it.
    #[inline(always)]
    pub unsafe fn local_at<T: Element>(&self, at: *mut T, count: usize) -> Local<'_, T> {
        local::at(self, at, count)
    }

    /// Returns this PE's own `count` elements at `at`; `..` stands for all elements of a slice. More elements than a
    /// slice has are a fault, and the result is empty.
    #[inline(always)]
    pub fn local<T: Element, S: Symmetric<T>>(&self, at: S, count: impl Count<S>) -> Local<'_, T> {
        local::own(self, at, count.or_all(at.limit()))
    }

    /// Returns the elements of a range of indices of a slice, as [`SymSlice::range`] does.
    ///
    /// # Errors
    /// The range leaves the slice, which is reported.
    #[inline(always)]
    pub fn range<T: Element>(&self, of: SymSlice<T>, range: impl RangeBounds<usize>) -> Result<SymSlice<T>, Fault> {
        let (start, end) = of.bounds(&range).unwrap_or((0, usize::MAX));
        match of.range(start..end) {
            Some(part) => Ok(part),
            None => check::leaves_slice(&self.state, self.my_pe(), of, start.max(end)),
        }
    }

    /// Returns element `index` of a slice, as [`SymSlice::at`] does.
    ///
    /// # Errors
    /// The slice has fewer elements, which is reported.
    #[inline(always)]
    pub fn element<T: Element>(&self, of: SymSlice<T>, index: usize) -> Result<SymPtr<T>, Fault> {
        Ok(self.range(of, index..=index)?.as_ptr())
    }

    /// Returns a pointer by which this thread can load and store the element at `at` on `pe`; `None` if `pe` is a
    /// remote PE.
    ///
    /// # Errors
    /// There is no such PE, or `at` is outside the heap.
    #[inline(always)]
    pub fn ptr<T: Element>(&self, at: SymPtr<T>, pe: Pe) -> Result<Option<*mut T>, Fault> {
        check::remote(&self.state, oxshmem_core::Remote { pe, at: at.addr() }, T::WIDTH.bytes(), T::WIDTH.bytes())?;
        // A module without remote paths is for load/store PEs alone, so it needs no lookup.
        let is_load_store = !(P::SOME || check::CHECKED) || self.state.is_load_store(pe);
        Ok(is_load_store.then(|| self.state.address(pe, at.addr()).cast()))
    }

    /// Returns the same world with puts and gets that may use a part of the block's dynamic shared memory while they
    /// run: `bytes` bytes from byte `from` on, as far as the launch provides them.
    ///
    /// Large copies by one thread or one warp are then as fast as those by a whole block, because the SM's copy engine
    /// moves the data through that memory. 64 KiB give the full rate of the link. Where it can't help (an architecture
    /// before sm_90, small copies, ends that differ in alignment) nothing changes. A kernel that lends nothing loses
    /// nothing.
    ///
    /// # Safety
    ///
    /// - **alone**: from a call on the returned value until the group's next meeting or quiet, no other code uses that
    ///   part of the shared memory. One group at a time therefore makes calls on it, and groups that make calls at the
    ///   same time lend separate parts.
    /// - **uniform**: all threads of a group that makes a call lend the same part.
    #[inline(always)]
    pub unsafe fn lend_shared(self, from: u32, bytes: u32) -> Self {
        Self { lent: Lent::dynamic(from, bytes), ..self }
    }

    /// Returns the operations on a queue of the program's choice.
    #[inline(always)]
    pub fn qp(&self, qp: Qp) -> OnQp<'_, P> {
        OnQp { shmem: self, qp }
    }

    /// Returns the operations on a queue of the program's choice, toward remote PEs alone: without the code for
    /// load/store PEs.
    ///
    /// # Safety
    ///
    /// - **remote**: the PE of each call on the value is a remote one.
    #[inline(always)]
    pub unsafe fn remote(&self, qp: Qp) -> OnRemote<'_, P> {
        OnRemote { shmem: self, qp }
    }

    #[inline(always)]
    pub(crate) fn queue_of(&self, qp: Qp) -> Queue<'_, P> {
        // SAFETY: **live**: by **live** of `from_state`; the row of `qp` is published, because the program got its
        // handle.
        unsafe { Queue::<P>::new::<P>(&self.state, self.load_store(), P::queue(&self.state, 1, qp)) }
    }

    /// Returns the operations on load/store PEs alone.
    #[inline(always)]
    pub(crate) fn load_store(&self) -> LoadStore<'_> {
        // SAFETY: **live**: by **live** of `from_state`.
        unsafe { LoadStore::new(&self.state).lent(self.lent) }
    }

    /// Returns the operations on remote PEs alone, on the default queue.
    #[inline(always)]
    pub(crate) fn remote_queue(&self) -> P::Queue<'_> {
        // SAFETY: **live**: by **live** of `from_state`; the default rows are published.
        unsafe { P::queue(&self.state, 1, Qp::Default) }
    }

    /// Reports a fault that the kernel itself has found, so that the host and every waiting thread get it.
    #[inline(always)]
    pub fn fault(&self, fault: Fault) -> Fault {
        oxshmem_raw::state::fault::report(&self.state, fault)
    }

    /// Asks the host to end the program with this exit status. A host that does not watch for it goes on.
    #[inline(always)]
    pub fn ask_for_exit(&self, status: i32) {
        oxshmem_raw::state::fault::ask_for_exit(&self.state, status);
    }
}

/// The world's operations on one queue.
#[derive(Clone, Copy, Debug)]
pub struct OnQp<'a, P> {
    shmem: &'a Shmem<'a, P>,
    qp: Qp,
}

/// The world's operations on one queue toward remote PEs.
#[derive(Clone, Copy, Debug)]
pub struct OnRemote<'a, P> {
    shmem: &'a Shmem<'a, P>,
    qp: Qp,
}

mod sealed {
    pub trait Sealed {}
    impl<P> Sealed for super::OnRemote<'_, P> {}
    impl<P> Sealed for super::Shmem<'_, P> {}
    impl<P> Sealed for super::OnQp<'_, P> {}
    impl<P: oxshmem_raw::queue::path::PathList> Sealed for crate::Exclusive<'_, P> {}
    impl<I: super::Issue + ?Sized> Sealed for crate::Unchecked<'_, I> {}
}

/// The queues on which operations are issued: the default ones ([`Shmem`]), a chosen one ([`OnQp`]) or a block's own
/// ([`Exclusive`](crate::Exclusive)); or one of them without checks ([`Unchecked`](crate::Unchecked)).
pub trait Issue: sealed::Sealed {
    /// Whether calls check what memory safety rests on.
    #[doc(hidden)]
    const CHECKS: bool;
    #[doc(hidden)]
    type Paths: PathList;
    #[doc(hidden)]
    fn shmem(&self) -> &Shmem<'_, Self::Paths>;
    #[doc(hidden)]
    type Queue<'a>: QpResource<Local = LocalAddr>
    where
        Self: 'a;
    #[doc(hidden)]
    fn queue(&self) -> Result<Handle<Self::Queue<'_>>, Fault>;
}

/// A queue after its lookup.
#[doc(hidden)]
#[derive(Debug)]
pub struct Handle<Q>(pub(crate) Q);

impl<P: PathList> Issue for Shmem<'_, P> {
    const CHECKS: bool = true;
    type Paths = P;
    type Queue<'a>
        = Queue<'a, P>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem<'_, P> {
        self
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<Self::Queue<'_>>, Fault> {
        Ok(Handle(self.queue_of(Qp::Default)))
    }
}

impl<P: PathList> Issue for OnQp<'_, P> {
    const CHECKS: bool = true;
    type Paths = P;
    type Queue<'a>
        = Queue<'a, P>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem<'_, P> {
        self.shmem
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<Self::Queue<'_>>, Fault> {
        check::qp::<P>(&self.shmem.state, self.qp)?;
        Ok(Handle(self.shmem.queue_of(self.qp)))
    }
}

impl<P: PathList> Issue for OnRemote<'_, P> {
    const CHECKS: bool = true;
    type Paths = P;
    type Queue<'a>
        = P::Queue<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem<'_, P> {
        self.shmem
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<Self::Queue<'_>>, Fault> {
        check::qp::<P>(&self.shmem.state, self.qp)?;
        // SAFETY: **live**: by **live** of `from_state`; the row of the queue is published.
        Ok(Handle(unsafe { P::queue(&self.shmem.state, 1, self.qp) }))
    }
}

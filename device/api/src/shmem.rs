//! The world, as a kernel has it.

use core::marker::PhantomData;
use oxshmem_core::{Element, Fault, Pe, Qp, QpResource, SymPtr};
use oxshmem_raw::gpu::local::LocalAddr;
use oxshmem_raw::queue::path::{self, PathList, Routed};
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::abi::Abi;
use oxshmem_transport_nvlink::device::{self as load_store, Lent, LoadStore};

use crate::local::Local;
use crate::{check, local};

/// The world: the first argument of every kernel. `P` is the list of remote paths that the kernel's module has.
#[derive(Clone, Copy, Debug)]
pub struct Shmem<P> {
    pub(crate) state: WorldState,
    pub(crate) lent: Lent,
    paths: PhantomData<P>,
}

/// The queue that an operation goes on: loads and stores to the PEs that they reach, remote paths to the others.
pub(crate) type Queue<'a, P> = Routed<'a, LoadStore<'a>, <P as PathList>::Queue<'a>>;

/// A world as a kernel's first argument.
pub trait KernelWorld: Copy {
    /// What a module of kernels that take it was built against.
    const ABI: &'static Abi;

    /// The world of this state.
    ///
    /// # Safety
    ///
    /// **live**, **peopled**: as [`Shmem::from_state`].
    unsafe fn from_state(state: WorldState) -> Self;
}

/// What a module with these paths was built against.
const fn abi_of<P: PathList>() -> Abi {
    path::abi_of::<P>(load_store::NAME, cfg!(feature = "checked"))
}

impl<P: PathList> KernelWorld for Shmem<P> {
    const ABI: &'static Abi = &abi_of::<P>();

    #[inline(always)]
    unsafe fn from_state(state: WorldState) -> Self {
        // SAFETY: **live**, **peopled**.
        unsafe { Self::from_state(state) }
    }
}

impl<P: PathList> Shmem<P> {
    /// The world of this state.
    ///
    /// # Safety
    ///
    /// - **live**: every address in `state` stays mapped while the value is used.
    /// - **peopled**: the world has at least one PE.
    #[inline(always)]
    pub const unsafe fn from_state(state: WorldState) -> Self {
        Self { state, lent: Lent::NONE, paths: PhantomData }
    }

    /// This PE.
    #[inline(always)]
    pub fn my_pe(&self) -> Pe {
        Pe::new(self.state.my_pe)
    }

    /// PEs of the world.
    #[inline(always)]
    pub fn n_pes(&self) -> u32 {
        // SAFETY: **peopled**. Saying so keeps a remainder by this number from being a panic.
        unsafe { core::hint::assert_unchecked(self.state.n_pes != 0) }
        self.state.n_pes
    }

    /// The PE that is `distance` numbers after this one, around the end.
    #[inline(always)]
    pub fn pe_after(&self, distance: u32) -> Pe {
        Pe::new((self.state.my_pe + distance % self.n_pes()) % self.n_pes())
    }

    /// The PE that is `distance` numbers before this one, around the start.
    #[inline(always)]
    pub fn pe_before(&self, distance: u32) -> Pe {
        self.pe_after(self.n_pes() - distance % self.n_pes())
    }

    /// This PE's own `count` elements at `at`, to compute on.
    #[inline(always)]
    pub fn local<T: Element>(&self, at: SymPtr<T>, count: usize) -> Local<'_, T> {
        local::own(self, at, count)
    }

    /// A pointer by which this thread can load and store what is at `at` on `pe`, if `pe` is reached so.
    ///
    /// # Errors
    /// There is no such PE, or `at` is outside the heap.
    #[inline(always)]
    pub fn ptr<T: Element>(&self, at: SymPtr<T>, pe: Pe) -> Result<Option<*mut T>, Fault> {
        check::remote(&self.state, oxshmem_core::Remote { pe, at: at.addr() }, T::WIDTH.bytes(), T::WIDTH.bytes())?;
        Ok(self.state.is_load_store(pe).then(|| self.state.address(pe, at.addr()).cast()))
    }

    /// The same world, whose puts and gets may use a part of the block's dynamic shared memory while they run: `bytes`
    /// from byte `from` on, as far as the launch has given so many.
    ///
    /// Large copies by one thread or one warp are then as fast as those by a whole block: the GPU's copy engine moves
    /// them through that memory. 64 KiB give the full rate of the link. Where it can't help (an architecture before
    /// sm_90, small copies, ends that differ in alignment) nothing changes, and a kernel that lends nothing loses
    /// nothing.
    ///
    /// # Safety
    ///
    /// - **alone**: from a call on the value returned until the group's next meeting or quiet behind it, nobody else uses
    ///   that part of the shared memory; so only one group at a time makes calls on it, and groups that do so at the same
    ///   time lend parts of their own.
    /// - **uniform**: all threads of a group that makes a call lend the same part.
    #[inline(always)]
    pub unsafe fn lend_shared(self, from: u32, bytes: u32) -> Self {
        Self { lent: Lent::dynamic(from, bytes), ..self }
    }

    /// The same operations on a queue of the program's choice.
    #[inline(always)]
    pub fn qp(&self, qp: Qp) -> OnQp<'_, P> {
        OnQp { shmem: self, qp }
    }

    #[inline(always)]
    pub(crate) fn queue_of(&self, qp: Qp) -> Queue<'_, P> {
        // SAFETY: **live** of `from_state`.
        unsafe {
            let load_store = LoadStore::new(&self.state).lent(self.lent);
            Queue::<P>::new::<P>(&self.state, load_store, P::queue(&self.state, 1, qp))
        }
    }

    /// Reports a fault of the kernel's own finding, so that the host and every waiter learn of it.
    #[inline(always)]
    pub fn fault(&self, fault: Fault) -> Fault {
        oxshmem_raw::state::fault::report(&self.state, fault)
    }
}

/// The world's operations on one queue.
#[derive(Clone, Copy, Debug)]
pub struct OnQp<'a, P> {
    shmem: &'a Shmem<P>,
    qp: Qp,
}

mod sealed {
    pub trait Sealed {}
    impl<P> Sealed for super::Shmem<P> {}
    impl<P> Sealed for super::OnQp<'_, P> {}
    impl<P: oxshmem_raw::queue::path::PathList> Sealed for crate::Exclusive<'_, P> {}
}

/// Where operations are issued: the default queues ([`Shmem`]) or a chosen one ([`OnQp`]).
pub trait Issue: sealed::Sealed {
    #[doc(hidden)]
    type Paths: PathList;
    #[doc(hidden)]
    fn shmem(&self) -> &Shmem<Self::Paths>;
    #[doc(hidden)]
    type Queue<'a>: QpResource<Local = LocalAddr>
    where
        Self: 'a;
    #[doc(hidden)]
    fn queue(&self) -> Result<Handle<Self::Queue<'_>>, Fault>;
}

/// A queue that has been looked up.
#[doc(hidden)]
#[derive(Debug)]
pub struct Handle<Q>(pub(crate) Q);

impl<P: PathList> Issue for Shmem<P> {
    type Paths = P;
    type Queue<'a>
        = Queue<'a, P>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem<P> {
        self
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<Self::Queue<'_>>, Fault> {
        Ok(Handle(self.queue_of(Qp::Default)))
    }
}

impl<P: PathList> Issue for OnQp<'_, P> {
    type Paths = P;
    type Queue<'a>
        = Queue<'a, P>
    where
        Self: 'a;

    #[inline(always)]
    fn shmem(&self) -> &Shmem<P> {
        self.shmem
    }

    #[inline(always)]
    fn queue(&self) -> Result<Handle<Self::Queue<'_>>, Fault> {
        check::qp::<P>(&self.shmem.state, self.qp)?;
        Ok(Handle(self.shmem.queue_of(self.qp)))
    }
}

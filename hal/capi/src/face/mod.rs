//! The default world of the process, as C functions see it.

mod streams;
pub(crate) mod teams;

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use oxshmem_hal::{Cmp, Element, Error, ErrorKind, ExitWatch, Pe, Result, SignalOp, SymAddr, SymPtr, World};

use crate::process;
use streams::Streams;
use teams::Teams;

/// A region, and its hints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) handle: u64,
    pub(crate) hints: u32,
}

/// The default world, and the objects that C names by numbers and pointers.
#[derive(Debug)]
pub(crate) struct Face {
    // Teams and streams are dropped before their world.
    pub(crate) teams: Teams,
    pub(crate) streams: Streams,
    /// The addresses of registered buffers.
    buffers: Mutex<BTreeSet<u64>>,
    /// The number of calls on the library's own stream, and of those that a wait has completed.
    issued: AtomicU64,
    completed: AtomicU64,
    /// The number of calls that look for any of several words.
    pub(crate) any_calls: AtomicU64,
    /// The open region.
    pub(crate) region: Mutex<Option<Region>>,
    /// The announced parts of the program that have the world's state, by the addresses of their functions.
    pub(crate) linked: Mutex<Vec<usize>>,
    /// The wait for a kernel that ends the program. It lasts longer than the world's end, which waits for kernels.
    exits: Option<ExitWatch>,
    pub(crate) world: World,
}

/// The completion that a copy has when its call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// The local end may be used again; data of a get is there.
    Done,
    /// Nothing: a later quiet completes it.
    Quiet,
}

/// A signal that follows a put: word, value, operation.
pub(crate) type SignalAt = (*mut u64, u64, SignalOp);

/// The two strides of a strided copy, as C passes them: of the destination, of the source.
pub(crate) type Strides = (isize, isize);

impl Face {
    /// Collective.
    pub(crate) fn new(world: World) -> Result<Self> {
        let me = world.my_pe();
        let ended = move |status| process::end_process(&format!("a kernel of {me} ended the program"), status);
        // Device functions of C are on GPUs alone.
        let exits = if world.on_host() { None } else { Some(world.watch_exits(ended)?) };
        let teams = Teams::new(&world)?;
        let face = Self {
            teams,
            streams: Streams::default(),
            buffers: Mutex::default(),
            issued: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            any_calls: AtomicU64::new(0),
            region: Mutex::default(),
            linked: Mutex::default(),
            exits,
            world,
        };
        face.link_program()?;
        Ok(face)
    }

    /// Ends the world in good order.
    pub(crate) fn finalize(self) -> Result<()> {
        let Self { teams, streams, world, exits: _exits, .. } = self;
        drop((teams, streams));
        world.finalize()
    }

    pub(crate) fn buffers(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        // The set is consistent between any two calls on it.
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the PE of this number.
    pub(crate) fn pe(&self, pe: c_int) -> Result<Pe> {
        match u32::try_from(pe) {
            Ok(number) if number < self.world.n_pes() => Ok(Pe::new(number)),
            _ => Err(Error::new(ErrorKind::OutOfRange, format!("address PE {pe}"))
                .because(format!("the world has PEs 0 to {}", self.world.n_pes() - 1))),
        }
    }

    /// Returns the symmetric pointer to memory of this PE's heap.
    pub(crate) fn sym<T: Element>(&self, at: *const T) -> Result<SymPtr<T>> {
        self.world.symmetric(at as u64).map(SymPtr::new).ok_or_else(|| {
            Error::new(ErrorKind::OutOfRange, format!("use {at:p} as a symmetric address"))
                .because("it is not in the symmetric heap of this PE")
                .hint("allocate it by nvshmem_malloc, nvshmem_calloc or nvshmem_align")
        })
    }

    /// Returns the symmetric pointer to so many elements: without elements, any pointer will do, also null.
    pub(crate) fn sym_of<T: Element>(&self, at: *const T, count: usize) -> Result<SymPtr<T>> {
        if at.is_null() && count == 0 { Ok(SymPtr::new(SymAddr::new(0))) } else { self.sym(at) }
    }

    /// Returns the symmetric pointer to so many words, all of which are in this PE's heap.
    pub(crate) fn own_words<T: Element>(&self, at: *const T, count: usize) -> Result<SymPtr<T>> {
        let words = self.sym_of(at, count)?;
        self.world.check_range(words, count)?;
        Ok(words)
    }

    /// Copies `count` elements to another PE.
    ///
    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `source`.
    pub(crate) unsafe fn put<T: Element>(
        &self,
        dest: *mut T,
        source: *const T,
        count: usize,
        pe: c_int,
        until: Until,
    ) -> Result<()> {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { self.put_on(&self.world.own_stream(), dest, source, count, pe) }?;
        self.complete(until)
    }

    /// Copies `count` elements from another PE.
    ///
    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `dest`.
    pub(crate) unsafe fn get<T: Element>(
        &self,
        dest: *mut T,
        source: *const T,
        count: usize,
        pe: c_int,
        until: Until,
    ) -> Result<()> {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { self.get_on(&self.world.own_stream(), dest, source, count, pe) }?;
        self.complete(until)
    }

    /// Copies `count` elements to another PE, each end with a stride.
    ///
    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `source`.
    pub(crate) unsafe fn iput<T: Element>(
        &self,
        dest: *mut T,
        source: *const T,
        strides: Strides,
        count: usize,
        pe: c_int,
    ) -> Result<()> {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { self.iput_on(&self.world.own_stream(), dest, source, strides, count, pe) }?;
        self.complete(Until::Done)
    }

    /// Copies `count` elements from another PE, each end with a stride.
    ///
    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `dest`.
    pub(crate) unsafe fn iget<T: Element>(
        &self,
        dest: *mut T,
        source: *const T,
        strides: Strides,
        count: usize,
        pe: c_int,
    ) -> Result<()> {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { self.iget_on(&self.world.own_stream(), dest, source, strides, count, pe) }?;
        self.complete(Until::Done)
    }

    /// Copies `count` elements to another PE, and then signals there.
    ///
    /// # Safety
    ///
    /// **pointers** and **unshared**, as the crate defines them, for `source`.
    pub(crate) unsafe fn put_signal<T: Element>(
        &self,
        dest: *mut T,
        source: *const T,
        count: usize,
        signal: SignalAt,
        pe: c_int,
        until: Until,
    ) -> Result<()> {
        // SAFETY: **pointers** and **unshared** by the caller.
        unsafe { self.put_signal_on(&self.world.own_stream(), dest, source, count, signal, pe) }?;
        self.complete(until)
    }

    /// Completes the calls of the host so far, as far as the latest one needs it.
    fn complete(&self, until: Until) -> Result<()> {
        self.issued.fetch_add(1, Ordering::AcqRel);
        match until {
            Until::Done => self.synchronize(),
            Until::Quiet => Ok(()),
        }
    }

    /// Completes all calls of the host so far.
    pub(crate) fn quiet(&self) -> Result<()> {
        self.synchronize()?;
        self.world.quiet()
    }

    /// Waits for the library's own stream, unless an earlier wait has completed all that is on it.
    fn synchronize(&self) -> Result<()> {
        let issued = self.issued.load(Ordering::Acquire);
        if self.completed.load(Ordering::Acquire) < issued {
            self.world.own_stream().synchronize()?;
            // After the wait: until then, waits of other threads do not count on this one.
            self.completed.fetch_max(issued, Ordering::AcqRel);
        }
        Ok(())
    }
}

/// Makes a strided copy for each word of elements that consist of `parts` words.
pub(crate) fn each_part<T>(
    parts: usize,
    dest: *mut c_void,
    source: *const c_void,
    (dst, sst): Strides,
    copy: impl Fn(*mut T, *const T, Strides) -> Result<()>,
) -> Result<()> {
    let strides = (dst.saturating_mul(parts as isize), sst.saturating_mul(parts as isize));
    (0..parts)
        .try_for_each(|part| copy(dest.cast::<T>().wrapping_add(part), source.cast::<T>().wrapping_add(part), strides))
}

/// Returns NVSHMEM's comparison of this number.
pub(crate) fn cmp(op: c_int) -> Result<Cmp> {
    let all = [Cmp::Eq, Cmp::Ne, Cmp::Gt, Cmp::Le, Cmp::Lt, Cmp::Ge];
    usize::try_from(op).ok().and_then(|op| all.get(op).copied()).ok_or_else(|| {
        Error::new(ErrorKind::InvalidArgument, format!("compare by operation {op}"))
            .because("operations are NVSHMEM_CMP_EQ (0) to NVSHMEM_CMP_GE (5)")
    })
}

/// Returns NVSHMEM's operation on a signal word of this number.
pub(crate) fn signal_op(op: c_int) -> Result<SignalOp> {
    match op {
        9 => Ok(SignalOp::Set),
        10 => Ok(SignalOp::Add),
        _ => Err(Error::new(ErrorKind::InvalidArgument, format!("signal by operation {op}"))
            .because("operations are NVSHMEM_SIGNAL_SET (9) and NVSHMEM_SIGNAL_ADD (10)")),
    }
}

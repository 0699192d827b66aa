//! Worlds.

mod adopt;
mod agreement;
mod alloc;
pub(crate) mod atomics;
mod barriers;
pub(crate) mod bootstrapped;
mod call_streams;
mod capture;
mod choose_machine;
pub(crate) mod collectives;
pub(crate) mod exit;
mod foreign;
mod gpu_atomics;
pub(crate) mod graph;
mod grow;
mod health;
mod init;
mod launches;
mod lifecycle;
mod linked;
pub(crate) mod local_end;
pub(crate) mod modules;
mod path_map;
mod peers;
pub(crate) mod qps;
mod report;
mod rma;
mod routes;
mod rows;
mod start;
pub(crate) mod stream;
pub(crate) mod symmetric_memory;
pub(crate) mod teams;
mod threads;
mod typed;
mod waits;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use oxshmem_core::host::{Error, ErrorKind, Result, Transport};
use oxshmem_core::{Fault, Pe};
use oxshmem_raw::memory::Windows;
use oxshmem_raw::memory::world_copy::WorldCopy;
use oxshmem_raw::state::{RESERVED_BYTES, StopWord, WorldState};

use self::barriers::Barriers;
use self::call_streams::CallStreams;
use self::capture::Captures;
use self::collectives::kernels::Collectives;
use self::gpu_atomics::GpuAtomics;
use self::linked::Linked;
use self::rows::Rows;
use self::stream::kernels::StreamKernels;
use self::teams::Teams;
use self::typed::TypedKernels;
use crate::config::Config;
use crate::control::Control;
use crate::heap::Heap;
use crate::machine::Machine;
use crate::stream::{StreamState, Streams};

/// One PE's handle of a world: its number, its symmetric heap, its kernels, and the transports to the others.
///
/// Calls marked *collective* are made by every PE, in the same order, and with the same arguments where the call
/// requires it. If a PE makes another call, or passes another argument, the error that every PE gets names that PE.
/// Every wait ends at the world's limit, or when a PE dies.
///
/// If a world is dropped without [`finalize`](World::finalize), the other PEs treat its PE as dead.
#[derive(Debug)]
pub struct World {
    me: Pe,
    n_pes: u32,
    config: Config,
    control: Control,
    machine: Arc<Machine>,
    windows: Arc<Mutex<Windows>>,
    inner: Mutex<Inner>,
    /// The transports of the world, in the same order on each PE; `None`: it connects this PE to no other. Each under a
    /// lock of its own, which copies take for reading: one copy may wait for a kernel that needs another to end.
    transports: Vec<Option<RwLock<AnyTransport>>>,
    /// The names by which the transports were chosen.
    transport_names: Vec<String>,
    /// By PE, the index of the transport that reaches it.
    paths: Vec<usize>,
    /// The copy of its state to which queues point, if there are remote transports.
    copy: Option<WorldCopy>,
    /// The first fault of this PE's queues, the host's own included, as far as it is known.
    stopped: OnceLock<Fault>,
    stream: Arc<StreamState>,
    call_streams: CallStreams,
    streams: Arc<Streams>,
    /// Whether the world ended in good order, so that the others need no notice.
    over: bool,
    barriers: Barriers,
    captures: Captures,
    stream_kernels: StreamKernels,
    gpu_atomics: GpuAtomics,
    teams: Teams,
    collectives: Collectives,
    linked: Linked,
    typed: TypedKernels,
}

/// A transport that several threads of the host may use at once.
type AnyTransport = Box<dyn Transport + Sync>;

/// The state that changes, under one lock.
#[derive(Debug)]
struct Inner {
    heap: Heap,
    /// The rows of queue pairs; none if loads and stores reach every PE.
    rows: Rows,
    /// The program's own range of addresses of each extent of memory of the program, by heap offset.
    registered: BTreeMap<u64, Range<u64>>,
    launches: u64,
}

/// The state of a PE's symmetric heap, which is the same on each PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapState {
    /// Bytes that are allocated.
    pub allocated: u64,
    /// The offset, in bytes, at which the mapped part ends. Memory of the program that was unregistered before others
    /// leaves a gap in it.
    pub mapped: u64,
    /// Whether the heap grows when an allocation needs it. A heap shared by legacy IPC handles can't.
    pub can_grow: bool,
}

impl World {
    /// Returns this PE.
    pub fn my_pe(&self) -> Pe {
        self.me
    }

    /// Returns the number of PEs.
    pub fn n_pes(&self) -> u32 {
        self.n_pes
    }

    /// Returns the PE that is `distance` numbers after this one, modulo the number of PEs.
    pub fn pe_after(&self, distance: u32) -> Pe {
        Pe::new((self.me.number() + distance % self.n_pes) % self.n_pes)
    }

    /// Returns the PEs, in order.
    pub fn pes(&self) -> impl Iterator<Item = Pe> + use<> {
        (0..self.n_pes).map(Pe::new)
    }

    /// Describes the machine that this PE runs on.
    pub fn machine(&self) -> String {
        self.machine.describe()
    }

    /// Returns the ordinal of the GPU that runs this PE's kernels, among the GPUs that this process sees; `None` on
    /// host threads. The library uses its primary context.
    pub fn gpu(&self) -> Option<u32> {
        self.machine.gpu_ordinal()
    }

    /// Returns whether this PE's kernels run on host threads.
    pub fn on_host(&self) -> bool {
        self.machine.is_host()
    }

    /// Returns the configuration of the world.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the state of this PE's symmetric heap.
    pub fn heap(&self) -> HeapState {
        let can_grow = self.windows().can_grow();
        let heap = &self.inner().heap;
        HeapState { allocated: heap.used(), mapped: heap.mapped(), can_grow }
    }

    /// Exchanges the program's own bytes: each PE passes some, and gets those of all, by PE. Collective.
    ///
    /// # Errors
    /// A PE made another call, did not arrive within the limit, or died.
    pub fn all_gather(&self, what: &str, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.refuse_in_capture("all_gather")?;
        self.control.all_gather(what, mine)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // The locked data is consistent between any two calls on it.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the transport that reaches `pe`, for copies.
    fn toward(&self, pe: Pe) -> RwLockReadGuard<'_, AnyTransport> {
        self.transport(self.paths[pe.index()]).expect("a transport that reaches a PE is open")
    }

    /// Returns the name of the transport that carries operations to `pe`: `nvlink` for load/store, else the name by
    /// which the transport was chosen.
    ///
    /// # Errors
    /// There is no such PE.
    pub fn transport_to(&self, pe: Pe) -> Result<&str> {
        self.check_pe(|| format!("tell how {pe} is reached"), pe)?;
        Ok(&self.transport_names[self.paths[pe.index()]])
    }

    /// Announces a launch to the transports.
    fn about_to_launch(&self) {
        self.transports().for_each(|one| one.about_to_launch());
    }

    /// Returns transport `index`, if this PE uses it.
    fn transport(&self, index: usize) -> Option<RwLockReadGuard<'_, AnyTransport>> {
        let one = self.transports[index].as_ref()?;
        Some(one.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the transports that this PE uses.
    fn transports(&self) -> impl Iterator<Item = RwLockReadGuard<'_, AnyTransport>> {
        (0..self.transports.len()).filter_map(|index| self.transport(index))
    }

    /// Returns the indices of the world's remote transports, which are the same on each PE. Load/store is the first
    /// transport.
    fn remote_transports(&self) -> Range<usize> {
        1..self.transports.len()
    }

    /// Calls `act` on transport `index`, for changes. Returns the default value if this PE does not use it.
    fn on_transport<T: Default>(&self, index: usize, act: impl FnOnce(&mut dyn Transport) -> Result<T>) -> Result<T> {
        match &self.transports[index] {
            Some(one) => act(one.write().unwrap_or_else(PoisonError::into_inner).as_mut()),
            None => Ok(T::default()),
        }
    }

    /// Calls `act` on each remote transport that this PE uses, also after one that failed. Returns the first error.
    fn each_remote(&self, act: impl Fn(&mut dyn Transport) -> Result<()>) -> Result<()> {
        self.remote_transports().map(|index| self.on_transport(index, &act)).fold(Ok(()), Result::and)
    }

    fn windows(&self) -> MutexGuard<'_, Windows> {
        // The windows are consistent between any two calls on them.
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that the PE exists.
    fn check_pe(&self, action: impl FnOnce() -> String, pe: Pe) -> Result<()> {
        if pe.number() < self.n_pes {
            return Ok(());
        }
        Err(Error::new(ErrorKind::OutOfRange, action())
            .because(format!("there is no {pe}: the world has PEs 0 to {}", self.n_pes - 1))
            .amount(pe.number().into(), self.n_pes.into(), "PEs"))
    }

    /// Returns the state that a kernel launched now gets.
    fn state(&self) -> WorldState {
        let mapped = self.inner().heap.mapped();
        let windows = self.windows();
        let mut state = WorldState {
            heap: windows.base(),
            stride: windows.stride(),
            heap_bytes: mapped,
            own: windows.address(self.me, 0).unwrap_or(0),
            bases: windows.table(),
            local: self.machine.local(),
            notice: self.machine.notice(),
            fault: self.machine.fault_slot(),
            wait_limit_ns: self
                .config
                .wait_limit
                .map_or(0, |limit: Duration| limit.as_nanos().min(u64::MAX.into()) as u64),
            my_pe: self.me.number(),
            n_pes: self.n_pes,
            reserved: (self.teams.memory().end / RESERVED_BYTES) as u32,
            ..WorldState::default()
        };
        drop(windows);
        self.set_paths(&mut state);
        state
    }

    /// Stops this PE's kernels: each of their waits ends with a fault. For a program that gives up.
    pub fn abort(&self) {
        self.machine.stop(StopWord::ABORT);
    }
}

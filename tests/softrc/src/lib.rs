//! A fabric in software: endpoints between the PEs of one process, as a provider for the proxy transport.
//!
//! Work requests are executed on the memory itself, when completions are polled. A seed draws the order of the
//! endpoints and the delays. The device refuses requests that real devices refuse: more work requests than an endpoint
//! has room for, keys that don't cover a range, atomics that aren't aligned. Each capability of a fabric can be chosen:
//! whether writes stay in order, which atomics are native, whether peers must poll. The devices of all PEs share a
//! [`Network`]. Tests can make a work request fail by its number, and cut off PEs. Memory may be a GPU's (`memory`). A
//! *sink* executes nothing, and completes each request at once.

mod device;
mod execute;
mod memory;
mod queue;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_rdma::fabric::{AtomicSet, FabricDevice, FabricProvider, OpenDevices, OpenRequest, Status};
use oxshmem_rdma::wire::NicCount;

pub use device::Device;

/// Fetches that end without their data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyFetches {
    #[default]
    /// None.
    None,
    /// Fetches that are posted after a write that is not known to be complete: packets are lost.
    BehindWrites,
    /// Fetches of an endpoint that ever carried a write: packets also overtake each other.
    BesideWrites,
}

/// The behaviour of devices.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seed of delays and orders.
    pub seed: u64,
    /// Number of polls, of 256, that find nothing although requests are in flight.
    pub delay: u8,
    /// Whether nothing is executed, and every request completes at once.
    pub sink: bool,
    /// Inline bytes of a work request, at most.
    pub inline_bytes: u32,
    /// Whether work requests address memory by the bases that the transport requests. Otherwise this PE uses addresses,
    /// and peers use offsets from the first byte.
    pub wanted_bases: bool,
    /// Atomics that are native.
    pub atomics: AtomicSet,
    /// Whether requests of an endpoint are executed in their order. Otherwise the seed draws the order.
    pub ordered: bool,
    /// Whether a request is executed only when its target has polled since it was posted.
    pub needs_progress: bool,
    /// Number of lists, of 256, that are refused for now.
    pub again: u8,
    /// Bytes of one message, at most.
    pub max_message: u32,
    /// Work requests of an endpoint, at most.
    pub max_depth: u32,
    /// Fetches of which every other one ends without its data. Unless there are none, the devices announce it.
    pub empty_fetches: EmptyFetches,
    /// Work requests that each endpoint has room for. `None`: as many as requested.
    pub given_depth: Option<u32>,
    /// Number of devices of each PE.
    pub nics: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            delay: 64,
            sink: false,
            inline_bytes: 32,
            wanted_bases: true,
            atomics: AtomicSet::VERBS,
            ordered: true,
            needs_progress: false,
            again: 0,
            max_message: 1 << 30,
            max_depth: 1 << 15,
            empty_fetches: EmptyFetches::None,
            given_depth: None,
            nics: 1,
        }
    }
}

/// A work request that fails, or that is not executed.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// The PE that posts it.
    pub pe: u32,
    /// Its target.
    pub to: u32,
    /// Number of requests from `pe` to `to` that succeed before it.
    pub after: u64,
    /// Its outcome. With [`Status::Success`] the request is not executed, and completes as if it were.
    pub status: Status,
}

/// State that the devices of all PEs share.
#[derive(Debug)]
pub struct Network {
    pub(crate) options: Options,
    pub(crate) regions: RwLock<HashMap<u32, Registered>>,
    /// The endpoints by number.
    pub(crate) endpoints: RwLock<HashMap<u32, KnownEndpoint>>,
    /// PEs that can't create another endpoint.
    full: Mutex<HashSet<u32>>,
    pub(crate) failures: Mutex<Vec<Failure>>,
    pub(crate) gone: Mutex<HashSet<u32>>,
    /// PEs whose devices take work requests and execute none.
    pub(crate) held: Mutex<HashSet<u32>>,
    /// PEs whose next post panics.
    pub(crate) panics: Mutex<HashSet<u32>>,
    pub(crate) numbers: AtomicU32,
    /// Numbers of lists and of work requests that were posted.
    pub(crate) lists: AtomicU64,
    pub(crate) posted: AtomicU64,
    /// Number of work requests that were posted without room for them or for their completions.
    pub(crate) overruns: AtomicU64,
    /// Number of polls of each PE.
    polls: RwLock<HashMap<u32, AtomicU64>>,
    pub(crate) gpus: memory::Gpus,
}

/// The properties of an endpoint that all devices use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownEndpoint {
    pub(crate) pe: u32,
    /// Whether it is connected: its peer's requests are executed from then on.
    pub(crate) is_connected: bool,
}

/// A registration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registered {
    pub(crate) pe: u32,
    pub(crate) address: u64,
    /// The ordinal of the GPU whose memory it is.
    pub(crate) gpu: Option<u32>,
    pub(crate) bytes: u64,
    /// Address of the first byte in this PE's work requests.
    pub(crate) base: u64,
    /// Address of the first byte in peers' work requests.
    pub(crate) remote_base: u64,
    /// Whether peers use it.
    pub(crate) remote: bool,
}

impl Network {
    /// Returns a network without devices.
    pub fn new(options: Options) -> Arc<Self> {
        Arc::new(Self {
            options,
            regions: RwLock::default(),
            endpoints: RwLock::default(),
            full: Mutex::default(),
            polls: RwLock::default(),
            failures: Mutex::default(),
            gone: Mutex::default(),
            held: Mutex::default(),
            panics: Mutex::default(),
            numbers: AtomicU32::new(0x100),
            lists: AtomicU64::new(0),
            posted: AtomicU64::new(0),
            overruns: AtomicU64::new(0),
            gpus: memory::Gpus::default(),
        })
    }

    /// Returns the devices of `pe`.
    pub fn provider(self: &Arc<Self>, pe: u32) -> Provider {
        Provider { network: self.clone(), pe }
    }

    /// Makes a work request fail.
    pub fn fail(&self, failure: Failure) {
        lock(&self.failures).push(failure);
    }

    /// Makes `pe` unreachable.
    pub fn cut(&self, pe: u32) {
        lock(&self.gone).insert(pe);
    }

    /// Holds back the execution of requests of `pe`, or lets them go on.
    pub fn hold(&self, pe: u32, is_held: bool) {
        let mut held = lock(&self.held);
        if is_held {
            held.insert(pe)
        } else {
            held.remove(&pe)
        };
    }

    /// Makes the next post of `pe` panic.
    pub fn panic_at_post(&self, pe: u32) {
        lock(&self.panics).insert(pe);
    }

    /// Returns the numbers of lists and of work requests that were posted so far.
    pub fn posted(&self) -> (u64, u64) {
        (self.lists.load(Ordering::Relaxed), self.posted.load(Ordering::Relaxed))
    }

    /// Returns the number of work requests so far that were posted without credit: their endpoint was full (they were
    /// refused), or more were outstanding than their completion queue has entries, so that completions could be lost.
    pub fn overruns(&self) -> u64 {
        self.overruns.load(Ordering::Relaxed)
    }

    /// Returns the number of polls of `pe`.
    pub(crate) fn polls(&self, pe: u32) -> u64 {
        let polls = self.polls.read().unwrap_or_else(PoisonError::into_inner);
        polls.get(&pe).map_or(0, |polls| polls.load(Ordering::Acquire))
    }

    /// Counts a poll of `pe`.
    pub(crate) fn polled(&self, pe: u32) {
        if !self.options.needs_progress {
            return;
        }
        if let Some(polls) = self.polls.read().unwrap_or_else(PoisonError::into_inner).get(&pe) {
            polls.fetch_add(1, Ordering::AcqRel);
            return;
        }
        let mut polls = self.polls.write().unwrap_or_else(PoisonError::into_inner);
        polls.entry(pe).or_default().fetch_add(1, Ordering::AcqRel);
    }

    /// Returns the endpoint with this number, unless its PE has destroyed it.
    pub(crate) fn endpoint(&self, number: u32) -> Option<KnownEndpoint> {
        self.endpoints.read().unwrap_or_else(PoisonError::into_inner).get(&number).copied()
    }

    /// Returns the numbers of endpoints of `pe` that exist, and that are connected.
    pub fn endpoints(&self, pe: u32) -> (usize, usize) {
        let endpoints = self.endpoints.read().unwrap_or_else(PoisonError::into_inner);
        let of_pe = || endpoints.values().filter(|endpoint| endpoint.pe == pe);
        (of_pe().count(), of_pe().filter(|endpoint| endpoint.is_connected).count())
    }

    /// Makes `pe` unable to create endpoints.
    pub fn fill(&self, pe: u32) {
        lock(&self.full).insert(pe);
    }

    pub(crate) fn is_full(&self, pe: u32) -> bool {
        lock(&self.full).contains(&pe)
    }

    pub(crate) fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }
}

/// Finds the devices of one PE.
#[derive(Debug)]
pub struct Provider {
    network: Arc<Network>,
    pe: u32,
}

impl FabricProvider for Provider {
    fn name(&self) -> &str {
        "software"
    }

    fn describe(&self) -> String {
        format!("software fabric, seed {}", self.network.options.seed)
    }

    fn open(&self, request: &OpenRequest<'_>) -> Result<OpenDevices> {
        let count = match request.nics.count {
            NicCount::Auto => 1,
            NicCount::Nearest => request.most,
            NicCount::Count(count) => count,
        };
        let names: Vec<String> = (0..self.network.options.nics).map(|nic| self.name(nic)).collect();
        let (hcas, action) = (&request.nics.hcas, || format!("find a device for {}", request.me));
        for (name, port) in hcas.entries.iter().filter(|(name, _)| hcas.chooses() && names.contains(name)) {
            if let Some(port) = port.filter(|port| *port != 1) {
                let error = Error::new(ErrorKind::NotFound, action());
                return Err(
                    error.because(format!("{name} is on OXSHMEM_HCA_LIST, and it has no port {port}: it has 1"))
                );
            }
        }
        let allowed: Vec<&String> = names.iter().filter(|name| hcas.may_allow(name)).collect();
        if allowed.is_empty() {
            let missing = hcas.entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(Error::new(ErrorKind::NotFound, action())
                .because(format!("{missing} of OXSHMEM_HCA_LIST: this machine has {}", names.join(", "))));
        }
        if let NicCount::Count(asked) = request.nics.count
            && asked as usize > allowed.len()
        {
            return Err(Error::new(ErrorKind::Exhausted, format!("use {asked} NICs for {}", request.me)).amount(
                asked.into(),
                allowed.len() as u64,
                "NICs",
            ));
        }
        let open =
            |name: &String| -> Arc<dyn FabricDevice> { Arc::new(Device::new(self.network.clone(), self.pe, name)) };
        let devices = allowed.into_iter().take(count.min(request.most) as usize).map(open).collect();
        Ok(OpenDevices { devices, left_out: Vec::new(), warnings: Vec::new() })
    }
}

impl Provider {
    fn name(&self, nic: u32) -> String {
        if nic == 0 { format!("soft{}", self.pe) } else { format!("soft{}_{nic}", self.pe) }
    }
}

/// Locks a mutex, also after a thread panicked while it held the lock: no data are left half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! A verbs device in software: reliable connected queue pairs between the PEs of one process.
//!
//! Work requests are executed on the memory itself when completions are polled, queue pair by queue pair in an order, and
//! with delays, that a seed draws. What a device refuses is refused here: more work requests than a queue has room for,
//! keys that don't cover a range, atomics that aren't aligned. A [`Network`] is what the devices of all PEs share; work
//! requests can be made to fail by their number, and PEs to be gone. Memory may be a GPU's (`memory`). A *sink* executes nothing, and completes at once.

mod device;
mod execute;
mod memory;
mod queue;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use oxshmem_core::host::Result;
use oxshmem_raw::rdma::hca::Found;
use oxshmem_raw::rdma::rc::{RcDevice, RcProvider};

pub use device::Device;

/// Fetches that end without their data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyFetches {
    #[default]
    /// There are none.
    None,
    /// Those posted behind a write that is not known to be complete: packets are lost.
    BehindWrites,
    /// Those of a queue pair on which there ever was a write: packets also overtake each other.
    BesideWrites,
}

/// How devices behave.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What delays and orders are drawn from.
    pub seed: u64,
    /// Of 256 polls so many find nothing, though something is on its way.
    pub delay: u8,
    /// Nothing is executed, and all is complete at once.
    pub sink: bool,
    /// Bytes that a work request takes along.
    pub inline_bytes: u32,
    /// Whether memory can be registered under other addresses than its own.
    pub iova: bool,
    /// Bytes of one message.
    pub max_message: u32,
    /// Work requests of a queue pair, at most.
    pub max_qp_wr: u32,
    /// Which fetches end without their data, every other one; if there are any, the devices say so.
    pub empty_fetches: EmptyFetches,
    /// Work requests that each queue pair has room for, whatever was asked. `None`: as many as were.
    pub given_wr: Option<u32>,
    /// Devices of each PE.
    pub nics: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            delay: 64,
            sink: false,
            inline_bytes: 32,
            iova: true,
            max_message: 1 << 30,
            max_qp_wr: 1 << 15,
            empty_fetches: EmptyFetches::None,
            given_wr: None,
            nics: 1,
        }
    }
}

/// A work request that fails, or is left out.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// Whose.
    pub pe: u32,
    /// Toward whom.
    pub to: u32,
    /// How many of that kind succeed before.
    pub after: u64,
    /// Its `enum ibv_wc_status`. Success: it is not done, and ends as if it were.
    pub status: u32,
}

/// What the devices of all PEs share.
#[derive(Debug)]
pub struct Network {
    pub(crate) options: Options,
    pub(crate) regions: RwLock<HashMap<u32, Registered>>,
    /// Devices, by PE, of each queue pair by its number.
    pub(crate) queues: RwLock<HashMap<u32, u32>>,
    pub(crate) failures: Mutex<Vec<Failure>>,
    pub(crate) gone: Mutex<HashSet<u32>>,
    /// PEs whose devices take work requests and execute none.
    pub(crate) held: Mutex<HashSet<u32>>,
    /// PEs whose next post panics.
    pub(crate) panics: Mutex<HashSet<u32>>,
    pub(crate) numbers: AtomicU32,
    /// Lists that were posted, and work requests.
    pub(crate) lists: AtomicU64,
    pub(crate) posted: AtomicU64,
    /// Work requests that were posted where there was no room for them or their completions.
    pub(crate) overruns: AtomicU64,
    pub(crate) gpus: memory::Gpus,
}

/// A registration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registered {
    pub(crate) pe: u32,
    pub(crate) address: u64,
    /// The ordinal of the GPU whose memory it is.
    pub(crate) gpu: Option<u32>,
    pub(crate) bytes: u64,
    pub(crate) iova: u64,
    pub(crate) access: u32,
}

impl Network {
    /// A network without devices.
    pub fn new(options: Options) -> Arc<Self> {
        Arc::new(Self {
            options,
            regions: RwLock::default(),
            queues: RwLock::default(),
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

    /// The devices of `pe`.
    pub fn provider(self: &Arc<Self>, pe: u32) -> Provider {
        Provider { network: self.clone(), pe }
    }

    /// Lets a work request fail.
    pub fn fail(&self, failure: Failure) {
        lock(&self.failures).push(failure);
    }

    /// Nobody reaches `pe` any more.
    pub fn cut(&self, pe: u32) {
        lock(&self.gone).insert(pe);
    }

    /// What `pe` posts from now on waits, until it is let go on.
    pub fn hold(&self, pe: u32, is_held: bool) {
        let mut held = lock(&self.held);
        if is_held {
            held.insert(pe)
        } else {
            held.remove(&pe)
        };
    }

    /// The thread of `pe` that posts next panics.
    pub fn panic_at_post(&self, pe: u32) {
        lock(&self.panics).insert(pe);
    }

    /// Lists that were posted so far, and work requests.
    pub fn posted(&self) -> (u64, u64) {
        (self.lists.load(Ordering::Relaxed), self.posted.load(Ordering::Relaxed))
    }

    /// Work requests so far that somebody posted without credit: their queue pair was full (they were refused), or with
    /// them more were outstanding than their completion queue has entries, so that completions would be lost if each of
    /// them came.
    pub fn overruns(&self) -> u64 {
        self.overruns.load(Ordering::Relaxed)
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

impl RcProvider for Provider {
    fn describe(&self) -> String {
        format!("software verbs, seed {}", self.network.options.seed)
    }

    fn list(&self) -> Result<Vec<Found>> {
        let found = |nic| Found { name: self.name(nic), pci: None, numa_node: None, is_mlx5: false };
        Ok((0..self.network.options.nics).map(found).collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn RcDevice>> {
        Ok(Arc::new(Device::new(self.network.clone(), self.pe, name)))
    }
}

impl Provider {
    fn name(&self, nic: u32) -> String {
        if nic == 0 { format!("soft{}", self.pe) } else { format!("soft{}_{nic}", self.pe) }
    }
}

/// Nobody leaves half of something behind a lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

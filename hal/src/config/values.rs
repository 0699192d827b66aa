//! The values of a configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use oxshmem_raw::settings::Settings;
use oxshmem_raw::transport::NicSettings;

use super::choice::{BootstrapChoice, DeviceChoice, HeapKind, RemoteChoice, Verbosity};
use super::note::Note;

/// Up to where the heap of a host PE grows if nothing else is said. Memory that is not touched costs nothing.
const HOST_HEAP_LIMIT_BYTES: u64 = 64 << 30;

/// What a world is to be like.
///
/// Its fields can be set one by one or by the `with_` functions; [`Config::check`] then says whether they hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// Which device the PEs run on. `OXSHMEM_DEVICE`.
    pub device: DeviceChoice,
    /// How this process learns which PE it is. `OXSHMEM_BOOTSTRAP`.
    pub bootstrap: BootstrapChoice,
    /// Bytes of the first extent of the symmetric heap, per PE. `OXSHMEM_SYMMETRIC_SIZE`.
    pub heap_bytes: u64,
    /// Bytes up to which the symmetric heap may grow, per PE; `None`: as the device has it, 64 GiB on host PEs.
    /// `OXSHMEM_HEAP_LIMIT`.
    pub heap_limit_bytes: Option<u64>,
    /// What the symmetric heap of a GPU is made of. `OXSHMEM_HEAP_KIND`.
    pub heap_kind: HeapKind,
    /// How long any wait may last; `None`: for ever. `OXSHMEM_WAIT_LIMIT`.
    pub wait_limit: Option<Duration>,
    /// Whether several PEs may run on one GPU. `OXSHMEM_GPU_SHARE`.
    pub gpu_share: bool,
    /// Seed of the interleavings of host PEs; `None`: drawn from the time and the PE. `OXSHMEM_SEED`.
    pub schedule_seed: Option<u64>,
    /// On host PEs, one in so many system-scope accesses lets another GPU thread run; 0: none does.
    /// `OXSHMEM_YIELD_ONE_IN`.
    pub yield_one_in: u32,
    /// Folders searched for kernel modules, first to last. `OXSHMEM_PTX_PATH`.
    pub ptx_path: Vec<PathBuf>,
    /// The transport to PEs that loads and stores don't reach. PEs may differ: between two that do it is the one by proxies.
    /// `OXSHMEM_REMOTE_TRANSPORT`.
    pub remote: RemoteChoice,
    /// Whether GPUs ring the NIC themselves; `None`: where that works. `OXSHMEM_IB_ENABLE_IBGDA`.
    pub ibgda: Option<bool>,
    /// Whether PEs reach each other over the NIC alone, also those that could by load and store. `OXSHMEM_DISABLE_P2P`.
    pub disable_p2p: bool,
    /// How many PEs of a machine reach each other by load and store, as one group; `None`: all that can.
    /// `OXSHMEM_MAX_P2P_GPUS`.
    pub max_p2p_gpus: Option<u32>,
    /// NICs and their queues.
    pub nic: NicSettings,
    /// The values of the variables that transports bring along; [`Config::with_setting`] sets them by name.
    pub transports: Settings,
    /// How much is told on standard error. `OXSHMEM_DEBUG`.
    pub debug: Verbosity,
    /// Whether the version is told at start, whatever `debug` says. `OXSHMEM_VERSION`.
    pub print_version: bool,
    /// Whether [`Config::describe`] is told at start, whatever `debug` says. `OXSHMEM_INFO`.
    pub print_info: bool,
    pub(super) notes: Vec<Note>,
    /// The variables, with their values, of transports that this program does not link.
    pub(super) unread: BTreeMap<String, String>,
}

impl Config {
    /// The defaults, whatever file and environment say.
    pub fn new() -> Self {
        Self {
            device: DeviceChoice::Auto,
            bootstrap: BootstrapChoice::Auto,
            heap_bytes: 1 << 30,
            heap_limit_bytes: None,
            heap_kind: HeapKind::Auto,
            wait_limit: Some(Duration::from_secs(60)),
            gpu_share: false,
            schedule_seed: None,
            yield_one_in: 16,
            ptx_path: Vec::new(),
            remote: RemoteChoice::Auto,
            ibgda: None,
            disable_p2p: false,
            max_p2p_gpus: None,
            nic: NicSettings::default(),
            transports: Settings::default(),
            debug: Verbosity::Warn,
            print_version: false,
            print_info: false,
            notes: Vec::new(),
            unread: BTreeMap::new(),
        }
    }

    /// Runs the PEs on this device.
    pub fn with_device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Learns which PE this process is in this way.
    pub fn with_bootstrap(mut self, bootstrap: BootstrapChoice) -> Self {
        self.bootstrap = bootstrap;
        self
    }

    /// Starts the symmetric heap with so many bytes on each PE.
    pub fn with_heap_bytes(mut self, bytes: u64) -> Self {
        self.heap_bytes = bytes;
        self
    }

    /// Lets the symmetric heap grow up to so many bytes on each PE; `None`: as the device has it.
    pub fn with_heap_limit(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.heap_limit_bytes = bytes.into();
        self
    }

    /// Makes the symmetric heap of GPUs of this kind of memory.
    pub fn with_heap_kind(mut self, kind: HeapKind) -> Self {
        self.heap_kind = kind;
        self
    }

    /// Ends any wait after so long; `None`: never.
    pub fn with_wait_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.wait_limit = limit.into();
        self
    }

    /// Lets several PEs run on one GPU, or not.
    pub fn with_gpu_share(mut self, share: bool) -> Self {
        self.gpu_share = share;
        self
    }

    /// Draws the interleavings of host PEs from this seed; `None`: from the time and the PE.
    pub fn with_seed(mut self, seed: impl Into<Option<u64>>) -> Self {
        self.schedule_seed = seed.into();
        self
    }

    /// Lets another GPU thread of a host PE run at one in so many system-scope accesses; 0: at none.
    pub fn with_yield_one_in(mut self, accesses: u32) -> Self {
        self.yield_one_in = accesses;
        self
    }

    /// Searches this folder for kernel modules too, after those before.
    pub fn with_ptx_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.ptx_path.push(folder.into());
        self
    }

    /// Makes NICs and their queues be like this.
    pub fn with_nic(mut self, nic: NicSettings) -> Self {
        self.nic = nic;
        self
    }

    /// Lets PEs reach each other over the NIC alone, or not.
    pub fn with_disable_p2p(mut self, disable: bool) -> Self {
        self.disable_p2p = disable;
        self
    }

    /// Lets groups of so many PEs of a machine reach each other by load and store; `None`: all that can.
    pub fn with_max_p2p_gpus(mut self, pes: impl Into<Option<u32>>) -> Self {
        self.max_p2p_gpus = pes.into();
        self
    }

    /// Tells so much on standard error.
    pub fn with_debug(mut self, debug: Verbosity) -> Self {
        self.debug = debug;
        self
    }

    /// How many PEs of a host form a group that loads and stores connect; `None`: all that they can connect.
    pub(crate) fn load_store_group(&self) -> Option<u32> {
        if self.disable_p2p { Some(1) } else { self.max_p2p_gpus }
    }

    /// Bytes up to which the heap of a host PE may grow.
    pub fn host_heap_limit_bytes(&self) -> u64 {
        self.heap_limit_bytes.unwrap_or(HOST_HEAP_LIMIT_BYTES).max(self.heap_bytes)
    }

    /// Whether the version is to be told at start.
    pub fn tells_version(&self) -> bool {
        self.print_version || self.debug == Verbosity::Version || self.debug >= Verbosity::Info
    }

    /// What is worth telling about the file and the environment: variables that were set in vain.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

//! The values of a configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use oxshmem_raw::settings::Settings;
use oxshmem_raw::state::RESERVED_BYTES;
use oxshmem_raw::transport::NicSettings;

use super::choice::{BootstrapChoice, DeviceChoice, HeapKind, RemoteChoice, Verbosity};
use super::note::Note;

/// The default limit of a host PE's heap. Untouched memory costs nothing.
const HOST_HEAP_LIMIT_BYTES: u64 = 64 << 30;
/// The addresses that the limits of a process's windows add up to by default at most. A process has 2^47, and windows
/// are larger than the limit, by the library's own memory and for their alignment.
const MOST_ADDRESSES: u64 = 3 << 44;
/// The default size of the memory of teams: an eighth of it is enough for a team of usual shape.
const TEAM_BYTES: u64 = 128 << 20;

/// The configuration of a world.
///
/// Set its fields one by one or by the `with_` functions; [`Config::check`] then checks them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// The device that the PEs run on. `OXSHMEM_DEVICE`.
    pub device: DeviceChoice,
    /// The way in which this process finds its PE number. `OXSHMEM_BOOTSTRAP`.
    pub bootstrap: BootstrapChoice,
    /// Bytes of the first extent of the symmetric heap, per PE, beside the library's own memory; rounded up to what the
    /// device can share. `OXSHMEM_SYMMETRIC_SIZE`.
    pub heap_bytes: u64,
    /// The limit of the symmetric heap in bytes, per PE, beside the library's own memory; `None`: the device's memory,
    /// 64 GiB on host PEs, or less where a process has not so many addresses for the heaps of all PEs.
    /// `OXSHMEM_HEAP_LIMIT`.
    pub heap_limit_bytes: Option<u64>,
    /// The kind of memory of a GPU's symmetric heap. `OXSHMEM_HEAP_KIND`.
    pub heap_kind: HeapKind,
    /// Bytes that teams use beside the symmetric heap, per PE; `None`: 128 MiB. `OXSHMEM_TEAM_MEMORY`.
    pub team_bytes: Option<u64>,
    /// The longest time that any wait may last; `None`: no limit. `OXSHMEM_WAIT_LIMIT`.
    pub wait_limit: Option<Duration>,
    /// Whether several PEs may run on one GPU. `OXSHMEM_GPU_SHARE`.
    pub gpu_share: bool,
    /// The seed of the interleavings of host PEs; `None`: from the time and the PE. `OXSHMEM_SEED`.
    pub schedule_seed: Option<u64>,
    /// On host PEs, one in this many system-scope accesses lets another GPU thread run; 0: none does.
    /// `OXSHMEM_YIELD_ONE_IN`.
    pub yield_one_in: u32,
    /// The folders searched for kernel modules, in order. `OXSHMEM_PTX_PATH`.
    pub ptx_path: Vec<PathBuf>,
    /// The transport to PEs that are not reached by load/store. PEs may differ: two PEs use the best that both have.
    /// `OXSHMEM_REMOTE_TRANSPORT`.
    pub remote: RemoteChoice,
    /// Whether GPUs write the NIC's queues themselves; `None`: where that transport is linked.
    /// `OXSHMEM_IB_ENABLE_IBGDA`.
    pub ibgda: Option<bool>,
    /// Whether PEs reach each other over the NIC only, even where load/store is possible. `OXSHMEM_DISABLE_P2P`.
    pub disable_p2p: bool,
    /// The number of PEs of a machine in a group that load and store connect; `None`: all that they can connect.
    /// `OXSHMEM_MAX_P2P_GPUS`.
    pub max_p2p_gpus: Option<u32>,
    /// The settings that transports over NICs share.
    pub nic: NicSettings,
    /// The values of the variables that transports bring along; [`Config::with_setting`] sets them by name.
    pub transports: Settings,
    /// The messages that are written to standard error. `OXSHMEM_DEBUG`.
    pub debug: Verbosity,
    /// Whether the version is reported at start, independent of `debug`. `OXSHMEM_VERSION`.
    pub print_version: bool,
    /// Whether [`Config::describe`] is reported at start, independent of `debug`. `OXSHMEM_INFO`.
    pub print_info: bool,
    pub(super) notes: Vec<Note>,
    /// The variables, with their values, of transports that this program does not link.
    pub(super) unread: BTreeMap<String, String>,
}

impl Config {
    /// Returns the defaults, without file and environment.
    pub fn new() -> Self {
        Self {
            device: DeviceChoice::Auto,
            bootstrap: BootstrapChoice::Auto,
            heap_bytes: 1 << 30,
            heap_limit_bytes: None,
            heap_kind: HeapKind::Auto,
            team_bytes: None,
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

    /// Sets the device that the PEs run on.
    pub fn with_device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Sets how this process finds its PE number.
    pub fn with_bootstrap(mut self, bootstrap: BootstrapChoice) -> Self {
        self.bootstrap = bootstrap;
        self
    }

    /// Sets the size of the symmetric heap's first extent, in bytes, per PE, beside the library's own memory.
    pub fn with_heap_bytes(mut self, bytes: u64) -> Self {
        self.heap_bytes = bytes;
        self
    }

    /// Sets the memory that teams use beside the symmetric heap, in bytes, per PE; `None`: 128 MiB.
    pub fn with_team_bytes(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.team_bytes = bytes.into();
        self
    }

    /// Sets the limit of the symmetric heap, in bytes, per PE; `None`: the device's memory, or up to 64 GiB on host PEs.
    pub fn with_heap_limit(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.heap_limit_bytes = bytes.into();
        self
    }

    /// Sets the kind of memory of a GPU's symmetric heap.
    pub fn with_heap_kind(mut self, kind: HeapKind) -> Self {
        self.heap_kind = kind;
        self
    }

    /// Sets the longest time that any wait may last; `None`: no limit.
    pub fn with_wait_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.wait_limit = limit.into();
        self
    }

    /// Sets whether several PEs may run on one GPU.
    pub fn with_gpu_share(mut self, share: bool) -> Self {
        self.gpu_share = share;
        self
    }

    /// Sets the seed of the interleavings of host PEs; `None`: from the time and the PE.
    pub fn with_seed(mut self, seed: impl Into<Option<u64>>) -> Self {
        self.schedule_seed = seed.into();
        self
    }

    /// Lets another GPU thread of a host PE run at one in this many system-scope accesses; 0: at none.
    pub fn with_yield_one_in(mut self, accesses: u32) -> Self {
        self.yield_one_in = accesses;
        self
    }

    /// Adds a folder to those searched for kernel modules.
    pub fn with_ptx_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.ptx_path.push(folder.into());
        self
    }

    /// Sets the settings that transports over NICs share.
    pub fn with_nic(mut self, nic: NicSettings) -> Self {
        self.nic = nic;
        self
    }

    /// Sets whether PEs reach each other over the NIC only.
    pub fn with_disable_p2p(mut self, disable: bool) -> Self {
        self.disable_p2p = disable;
        self
    }

    /// Sets the number of PEs of a machine in a group that load and store connect; `None`: all that they can connect.
    pub fn with_max_p2p_gpus(mut self, pes: impl Into<Option<u32>>) -> Self {
        self.max_p2p_gpus = pes.into();
        self
    }

    /// Sets which messages are written to standard error.
    pub fn with_debug(mut self, debug: Verbosity) -> Self {
        self.debug = debug;
        self
    }

    /// Returns the number of PEs of a host in a group that load and store connect; `None`: all that they can connect.
    pub(crate) fn load_store_group(&self) -> Option<u32> {
        if self.disable_p2p { Some(1) } else { self.max_p2p_gpus }
    }

    /// Returns the limit of a heap beside the library's own memory, in bytes, where a GPU has `gpu_bytes` bytes, and a
    /// process maps so many windows.
    pub(crate) fn heap_limit(&self, gpu_bytes: Option<u64>, windows: u64) -> u64 {
        let usual = gpu_bytes.unwrap_or(HOST_HEAP_LIMIT_BYTES).min(MOST_ADDRESSES / windows.max(1));
        self.heap_limit_bytes.unwrap_or(usual).max(self.heap_bytes)
    }

    /// Returns the size of the memory of teams, in bytes.
    pub(crate) fn team_memory(&self) -> u64 {
        self.team_bytes.unwrap_or(TEAM_BYTES).next_multiple_of(RESERVED_BYTES)
    }

    /// Returns whether the version is reported at start.
    pub fn reports_version(&self) -> bool {
        self.print_version || self.debug == Verbosity::Version || self.debug >= Verbosity::Info
    }

    /// Returns notes on the file and the environment: variables without effect.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

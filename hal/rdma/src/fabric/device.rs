//! Devices: capabilities, memory, endpoints.

use std::fmt;
use std::os::fd::RawFd;

use oxshmem_core::host::Result;
use oxshmem_core::{AmoOp, AmoType, Pe};

use super::work::{Completion, PostError, WorkRequest};

/// The number of an object of a device; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle(pub u64);

/// Memory to be registered with a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Addresses of this process: host memory, or GPU memory with nvidia-peermem.
    Address(u64),
    /// A part of a dma-buf.
    DmaBuf {
        /// The file descriptor, which the caller keeps and may close after the call.
        fd: RawFd,
        /// The first byte of the part.
        offset: u64,
    },
}

/// A set of native atomics: pairs of operation and type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtomicSet(u64);

impl AtomicSet {
    /// No atomics. A device with none is not usable.
    pub const NONE: Self = Self(0);
    /// Fetch-and-add and compare-and-swap of 8 bytes, as InfiniBand defines them. Other atomics are made from
    /// compare-and-swap.
    pub const VERBS: Self = Self::NONE.with(AmoOp::Add, AmoType::B64).with(AmoOp::CompareSwap, AmoType::B64);

    /// Returns the set with one more atomic.
    #[must_use]
    pub const fn with(self, op: AmoOp, of: AmoType) -> Self {
        Self(self.0 | Self::bit(op, of))
    }

    /// Reports whether the atomic is native.
    pub const fn has(self, op: AmoOp, of: AmoType) -> bool {
        self.0 & Self::bit(op, of) != 0
    }

    const fn bit(op: AmoOp, of: AmoType) -> u64 {
        1 << (8 * of as u32 + op as u32)
    }
}

/// The capabilities of a device. The transport sizes its queues and chooses its operations by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Maximum number of endpoints. A hint: creating fewer may fail too.
    pub max_endpoints: u32,
    /// Maximum number of outstanding work requests on an endpoint.
    pub max_depth: u32,
    /// Maximum number of entries of a completion queue.
    pub max_completions: u32,
    /// Maximum bytes of one read or write; 8 or more.
    pub max_message_bytes: u64,
    /// Native atomics. [`AmoOp::CompareSwap`] of [`AmoType::B64`] is required: operations outside the set are done in
    /// rounds of compare-and-swap.
    pub atomics: AtomicSet,
    /// Whether writes, and atomics after writes, are delivered in the order in which they were posted on an endpoint.
    pub ordered: bool,
    /// Whether [`FabricDevice::poll`] executes the peers' requests to this PE's memory. Idle progress threads then
    /// sleep for at most 50 us between polls.
    pub needs_progress: bool,
    /// Whether [`FabricDevice::register`] takes [`Region::DmaBuf`].
    pub dma_buf: bool,
    /// Whether a read or an atomic that follows a write on its endpoint may complete successfully but without its data.
    /// No correct fabric does this; Soft-RoCE does on a wire that loses packets. The transport then uses separate
    /// endpoints for reads and atomics, and checks that their data arrived.
    pub empty_fetches: bool,
}

/// Memory to register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRequest {
    /// The memory.
    pub region: Region,
    /// Number of bytes.
    pub bytes: u64,
    /// Address of the first byte in the address space of this process and its kernels.
    pub address: u64,
    /// The base address that the caller prefers in work requests. A device that can't choose ignores it.
    pub wanted_base: u64,
    /// Whether peers may read, write and atomically change it.
    pub remote: bool,
    /// Whether it is memory of a GPU, so that a device need not ask the driver.
    pub of_gpu: bool,
}

/// A registered range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRegion {
    /// Handle for [`FabricDevice::deregister`].
    pub handle: Handle,
    /// Key of this device's own work requests.
    pub local_key: u64,
    /// Address of the first byte in this device's own work requests.
    pub local_base: u64,
    /// Key of peers' work requests, in bytes that the peer's device imports. At most 65535 bytes; empty if it is not
    /// [`MemoryRequest::remote`].
    pub remote_key: Vec<u8>,
    /// Address of the first byte in peers' work requests: a virtual address, an offset, or another number.
    pub remote_base: u64,
}

/// Requested size of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndpointRequest {
    /// Minimum number of outstanding work requests.
    pub depth: u32,
    /// Useful bytes of inline data. The endpoint may allow fewer, or none.
    pub inline_bytes: u32,
}

/// One end of a connection to one PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its handle.
    pub handle: Handle,
    /// Maximum number of outstanding work requests. At least 1; fewer than requested is allowed.
    pub depth: u32,
    /// Maximum bytes of [`Local::Inline`](super::Local::Inline), up to [`INLINE_BYTES`](super::INLINE_BYTES).
    pub inline_bytes: u32,
}

/// The addresses of a peer's device and of one of its endpoints.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress<'a> {
    /// The peer.
    pub pe: Pe,
    /// [`FabricDevice::address`] of the peer's device.
    pub device: &'a [u8],
    /// Second result of the peer's [`FabricDevice::create_endpoint`].
    pub endpoint: &'a [u8],
}

/// An opened device.
///
/// The [module](super#promises-of-a-provider) lists the promises. An error carries the call that failed and its code.
/// The transport releases its resources in the order endpoints, completion queues, memory. Dropping the device releases
/// the rest.
///
/// # Safety
///
/// The transport frees and reuses memory when the device says that it may.
///
/// - **named**: the device accesses the memory that a work request names, of its own or of a peer that uses a key of a
///   [`remote`](MemoryRequest::remote) registration, in the way that it names. It returns an error, or the request fails,
///   if this is not inside one registration of the PE whose memory it is.
/// - **until**: it accesses the local memory of a request before it returns the completion of it or of a later request of
///   the endpoint, or until the endpoint is destroyed; registered memory until [`deregister`](FabricDevice::deregister)
///   returns; slices during the call.
/// - **once**: each signalled request has one completion, with its own number, and no other request has one unless it
///   fails.
pub unsafe trait FabricDevice: Send + Sync + fmt::Debug {
    /// Returns the name in messages: `mlx5_0 port 1`, `tcp;eth0`.
    fn name(&self) -> &str;

    /// Describes the device, its address and the reason for its choice, in one or more lines that begin with its name.
    fn describe(&self) -> String;

    /// Returns the device's capabilities.
    fn capabilities(&self) -> Capabilities;

    /// Returns the NUMA node of the device, if it is known. By default, progress threads run on that node.
    fn numa_node(&self) -> Option<u32> {
        None
    }

    /// Returns the address of the device for its peers, in bytes that only devices of this provider understand. At most
    /// 65535 bytes; may be empty. Each peer gets it once, and an endpoint's address for each endpoint.
    fn address(&self) -> Vec<u8>;

    /// Registers memory.
    ///
    /// # Errors
    /// The device can't reach this memory, or has no room for the registration.
    fn register(&self, request: &MemoryRequest) -> Result<MemoryRegion>;

    /// Ends a registration.
    ///
    /// # Errors
    /// The region is not registered, or is in use.
    fn deregister(&self, region: Handle) -> Result<()>;

    /// Converts a key that `peer` announced to the number by which this device's work requests name it. It stays valid
    /// as long as the device. It is called before endpoints to the peer exist.
    ///
    /// # Errors
    /// The bytes are not a key of this provider.
    fn import_key(&self, peer: Pe, key: &[u8]) -> Result<u64>;

    /// Creates a completion queue with room for at least `entries` completions: as many as requests can be outstanding
    /// on all endpoints of the queue.
    ///
    /// # Errors
    /// The device has no room for it.
    fn create_completion_queue(&self, entries: u32) -> Result<Handle>;

    /// Destroys a completion queue that has no endpoints.
    ///
    /// # Errors
    /// The queue has endpoints, or no queue has this handle.
    fn destroy_completion_queue(&self, queue: Handle) -> Result<()>;

    /// Creates an endpoint with completions in `queue`. Returns the endpoint and its address for the peer (at most
    /// 65534 bytes; may be empty).
    ///
    /// # Errors
    /// The device has no room for it.
    fn create_endpoint(&self, queue: Handle, request: &EndpointRequest) -> Result<(Endpoint, Vec<u8>)>;

    /// Connects an endpoint with the peer's endpoint, which the peer connects with this one at about the same time. It
    /// may return before the peer is ready; requests posted then wait.
    ///
    /// # Errors
    /// The addresses are malformed or do not fit each other, or the peer can't be reached.
    fn connect(&self, endpoint: Handle, to: &PeerAddress<'_>) -> Result<()>;

    /// Stops an endpoint: requests in flight complete, as [`Status::Flushed`](super::Status::Flushed) or with their own
    /// outcome, and later ones take no effect.
    ///
    /// # Errors
    /// There is no such endpoint.
    fn stop(&self, endpoint: Handle) -> Result<()>;

    /// Destroys an endpoint. Completions that were not polled are lost.
    ///
    /// # Errors
    /// There is no such endpoint.
    fn destroy_endpoint(&self, endpoint: Handle) -> Result<()>;

    /// Posts a list of work requests. A device with doorbells rings one for the list.
    ///
    /// # Errors
    /// Returns the number of requests taken, and the reason why the next was not. A stopped endpoint takes requests and
    /// completes them as flushed.
    fn post(&self, endpoint: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError>;

    /// Takes completions and makes progress. Returns the number of completions; 0 if there are none now.
    ///
    /// # Errors
    /// The completion queue can't be used any more (it overflowed, or the device is gone).
    fn poll(&self, queue: Handle, out: &mut [Completion]) -> Result<usize>;

    /// Explains a completion that failed, in the provider's own terms: `ibv_wc_status 12, vendor syndrome 0x81`.
    fn explain(&self, completion: &Completion) -> String {
        format!("{} (code {:#x})", completion.status.text(), completion.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_atomics_has_what_was_added_and_nothing_else() {
        use AmoOp::*;
        use AmoType::*;
        for op in [Fetch, Set, CompareSwap, Add, And, Or, Xor] {
            for of in [B32, B64, F16, F32, F64] {
                let set = AtomicSet::NONE.with(op, of);
                assert!(set.has(op, of));
                let verbs = of == B64 && matches!(op, Add | CompareSwap);
                assert_eq!(AtomicSet::VERBS.has(op, of), verbs, "{op:?} {of:?}");
                assert_eq!(set.0.count_ones(), 1);
            }
        }
    }
}

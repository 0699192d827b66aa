//! Reliable connected (RC) queue pairs of any verbs device, as threads of the host post on them.
//!
//! [`RcDevice`] is libibverbs with Rust's types. It works with any device that a verbs driver serves, not only a
//! ConnectX. [`LibVerbs`](crate::verbs::rc::LibVerbs) opens libibverbs at run time; tests bring devices of their
//! own. [`VerbsNic`] has the calls that it shares with [`Hca`](crate::hca::Hca). [`VerbsFabric`] makes a
//! [provider](crate::fabric::FabricProvider) of it: it chooses NICs, ports and addresses, and connects queue pairs.

mod fabric;

pub use fabric::VerbsFabric;

use std::fmt;
use std::sync::Arc;

use oxshmem_core::host::Result;

use crate::fabric::{Completion, PostError, WorkRequest};
use crate::hca::{Found, Handle, VerbsConnect, VerbsNic};

/// Finds verbs devices.
pub trait RcProvider: Send + Sync + fmt::Debug {
    /// Describes the library: "libibverbs 1.14.44.0 from /usr/lib/...".
    fn describe(&self) -> String;

    /// Lists the devices of this machine in the order of the system, with any driver. A machine without devices has an
    /// empty list.
    ///
    /// # Errors
    /// The devices can't be listed: there is no library, no driver or no permission.
    fn list(&self) -> Result<Vec<Found>>;

    /// Opens a device by name.
    ///
    /// # Errors
    /// There is no device of this name, or no permission.
    fn open(&self, name: &str) -> Result<Arc<dyn RcDevice>>;
}

/// Capabilities of a verbs device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcCaps {
    /// Queue pairs.
    pub max_qp: u32,
    /// Work requests outstanding in a queue.
    pub max_qp_wr: u32,
    /// Entries of a completion queue.
    pub max_cqe: u32,
    /// Reads and atomics that a queue pair may have outstanding, as requester.
    pub max_rd_atom_requester: u8,
    /// Reads and atomics that a queue pair may have outstanding, as responder.
    pub max_rd_atom_responder: u8,
    /// The operations with which its atomics are atomic.
    pub atomics: Atomics,
    /// Bytes of one message, the least of all ports.
    pub max_message_bytes: u32,
    /// Whether memory can be registered under other addresses than its own. Without it [`VerbsNic::reg_mr`] refuses an
    /// `iova` that is not the [`Region::Address`](crate::hca::Region::Address).
    pub iova: bool,
    /// Whether [`VerbsNic::reg_mr`] may be called with DMA buffers. Only the call shows whether the driver takes one.
    pub dma_buf: bool,
    /// Whether a read or an atomic that follows a write on its queue pair may complete with success and without its
    /// data, with its destination unchanged. InfiniBand forbids that. Soft-RoCE does it if packets are lost; if packets
    /// also overtake each other, it does it even if the write was complete when the fetch was posted. Its responder
    /// acknowledges a retransmitted write by the number of the request that it executed last, which may be that of an
    /// atomic after the write. Its requester takes any acknowledgement of that number for the end of the atomic, whose
    /// answer was lost.
    pub empty_fetches: bool,
}

/// The operations with which a device's atomics (8 bytes, at a multiple of 8) are atomic. `enum ibv_atomic_cap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomics {
    /// It has none.
    None,
    /// With each other, on queue pairs of this device.
    Device,
    /// With the atomics of CPUs and of other devices too.
    System,
}

/// Requested size of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcQpAsk {
    /// Work requests outstanding in its send queue, at least.
    pub send_wr: u32,
    /// Bytes that a [`Local::Inline`](crate::fabric::Local::Inline) may have, at least; up to
    /// [`INLINE_BYTES`](crate::fabric::INLINE_BYTES).
    pub inline_bytes: u32,
}

/// A queue pair in state RESET. It receives nothing: one-sided operations need no receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcQp {
    /// Its handle.
    pub handle: Handle,
    /// Its number, for the peer.
    pub qpn: u32,
    /// Work requests outstanding that it has room for, as requested or more.
    pub send_wr: u32,
    /// Bytes that a [`Local::Inline`](crate::fabric::Local::Inline) may have, as requested or more. 0: none.
    pub inline_bytes: u32,
}

/// An opened verbs device.
///
/// It keeps the [promises of a fabric's device](crate::fabric#promises-of-a-provider). An error carries the call
/// (`ibv_create_qp` ...) and its code (an errno). [`post`](Self::post) takes atomics of
/// [`AtomicSet::VERBS`](crate::fabric::AtomicSet::VERBS) only, and keys of 32 bits. On some drivers (rxe) it enters the
/// kernel.
///
/// *Caller:* gives everything back in the order queue pairs, completion queues, memory, protection domain. An object in
/// use is refused. The device releases the rest when it is dropped.
///
/// # Safety
///
/// - **named**, **until**, **once**: as for a [`FabricDevice`](crate::fabric::FabricDevice).
pub unsafe trait RcDevice: VerbsNic {
    /// Returns the capabilities.
    fn caps(&self) -> Result<RcCaps>;

    /// Creates a protection domain.
    fn alloc_pd(&self) -> Result<Handle>;

    /// Creates a completion queue of at least `entries` entries. Completions beyond its entries are lost: it must have
    /// room for all requests that can be outstanding on its queue pairs (when one fails, each may complete).
    fn create_cq(&self, entries: u32) -> Result<Handle>;

    /// Destroys a completion queue.
    fn destroy_cq(&self, cq: Handle) -> Result<()>;

    /// Creates a reliable connected queue pair, whose completions go to `cq`.
    ///
    /// # Errors
    /// `Exhausted` or `InvalidArgument` if the request exceeds the device's limits.
    fn create_qp(&self, pd: Handle, cq: Handle, ask: &RcQpAsk) -> Result<RcQp>;

    /// Moves a queue pair from RESET to RTS toward a peer, which does the same. The peer may write, read and change
    /// memory through it.
    fn connect(&self, qp: Handle, to: &VerbsConnect) -> Result<()>;

    /// Moves a queue pair to the error state: all its requests complete as flushed, and none is sent any more.
    fn fail_qp(&self, qp: Handle) -> Result<()>;

    /// Destroys a queue pair. Completions of it that were not polled may be lost.
    fn destroy_qp(&self, qp: Handle) -> Result<()>;

    /// Posts a list of work requests in one call, and so with one doorbell. An empty list has no effect.
    ///
    /// # Errors
    /// The number of requests that were taken, and the reason why the next one was not. A queue pair that failed takes
    /// requests and completes them as flushed.
    fn post(&self, qp: Handle, list: &[WorkRequest]) -> std::result::Result<(), PostError>;

    /// Polls completions into `out`, and returns their number, which is 0 if there are none now.
    ///
    /// # Errors
    /// The completion queue is lost (it overflowed, or the device is gone).
    fn poll(&self, cq: Handle, out: &mut [Completion]) -> Result<usize>;
}

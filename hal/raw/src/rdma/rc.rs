//! What a verbs stack can be asked by threads that post for the GPU: the seam between a proxy and ordinary verbs.
//!
//! [`RcDevice`] is reliable connected queue pairs as libibverbs has them, with Rust's types; what it has in common with
//! [`Hca`](crate::rdma::hca::Hca) is [`VerbsNic`]. Any verbs device will do, not ConnectX alone:
//! [`LibVerbs`](crate::rdma::verbs::rc::LibVerbs) opens libibverbs at run time, tests may bring their own.

use std::fmt;
use std::sync::Arc;

use oxshmem_core::host::{Error, Result};

use crate::rdma::hca::{Found, Handle, VerbsConnect, VerbsNic};

/// Finds verbs devices.
pub trait RcProvider: Send + Sync + fmt::Debug {
    /// In words: "libibverbs 1.14.44.0 from /usr/lib/...".
    fn describe(&self) -> String;

    /// The devices of this machine, in the order of the system, whoever drives them.
    ///
    /// # Errors
    /// They can't be listed: no library, no driver, no permission. None is an empty list.
    fn list(&self) -> Result<Vec<Found>>;

    /// Opens a device by name.
    ///
    /// # Errors
    /// There is none of this name, or no permission.
    fn open(&self, name: &str) -> Result<Arc<dyn RcDevice>>;
}

/// What a device can do, for the proxy that sizes its queues and chooses its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcCaps {
    /// Queue pairs.
    pub max_qp: u32,
    /// Work requests outstanding in a queue.
    pub max_qp_wr: u32,
    /// Segments of a work request.
    pub max_sge: u32,
    /// Entries of a completion queue.
    pub max_cqe: u32,
    /// Reads and atomics that a queue pair may have outstanding, as requester.
    pub max_rd_atom_requester: u8,
    /// Reads and atomics that a queue pair may have outstanding, as responder.
    pub max_rd_atom_responder: u8,
    /// What its atomics are atomic with.
    pub atomics: Atomics,
    /// Bytes of one registration.
    pub max_mr_bytes: u64,
    /// Bytes of one message, the least of all ports.
    pub max_message_bytes: u32,
    /// Whether memory can be registered under other addresses than its own. Without it [`VerbsNic::reg_mr`] refuses an
    /// `iova` that is not the [`Region::Address`](crate::rdma::hca::Region::Address).
    pub iova: bool,
    /// Whether [`VerbsNic::reg_mr`] may be asked about DMA buffers; whether the driver can is known when it is.
    pub dma_buf: bool,
    /// Whether a read or an atomic that has a write ahead of it on its queue pair may complete with success and without
    /// its data, its destination as it was. InfiniBand forbids that. Soft-RoCE does it where packets are lost, and
    /// where they overtake each other also if the write was complete when it was posted: its responder acknowledges a
    /// write that was sent again by the number of what it executed last, which may be an atomic's behind that write,
    /// and its requester takes any acknowledgement of that number for the end of the atomic, which was executed and
    /// whose answer was lost.
    pub empty_fetches: bool,
}

/// What a device's atomics (8 bytes, at a multiple of 8) are atomic with. `enum ibv_atomic_cap`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomics {
    /// It has none.
    None,
    /// With each other, on queue pairs of this device.
    Device,
    /// With the atomics of CPUs and of other devices too.
    System,
}

/// What a queue pair shall have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcQpAsk {
    /// Work requests outstanding in its send queue, at least.
    pub send_wr: u32,
    /// Bytes that a [`Local::Inline`] may have, at least; up to [`INLINE_BYTES`].
    pub inline_bytes: u32,
}

/// A queue pair in state RESET. It receives nothing: one-sided operations need no receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RcQp {
    /// To ask for it with.
    pub handle: Handle,
    /// Its number, for the peer.
    pub qpn: u32,
    /// Work requests outstanding that it has room for, as asked for or more.
    pub send_wr: u32,
    /// Bytes that a [`Local::Inline`] may have, as asked for or more. 0: none.
    pub inline_bytes: u32,
}

/// State of a queue pair. `enum ibv_qp_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpState {
    /// Just made.
    Reset,
    /// Has a port.
    Init,
    /// Receives.
    ReadyToReceive,
    /// Sends: connected.
    ReadyToSend,
    /// Its send queue drains.
    Draining,
    /// Its send queue failed.
    SendError,
    /// Failed: what is in it and what is posted completes with [`wc_status::FLUSHED`].
    Error,
}

/// Bytes that [`Local::Inline`] has room for.
pub const INLINE_BYTES: usize = 32;

/// This side's bytes of a work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Local {
    /// Of registered memory: source of a write, destination of a read, and where an atomic puts what was there
    /// before (8 bytes, in this machine's order).
    Memory {
        /// As the registration calls it (`iova`).
        address: u64,
        /// How many.
        bytes: u32,
        /// The registration's.
        lkey: u32,
    },
    /// In the work request: source of a write alone.
    Inline {
        /// The first `bytes` of these.
        data: [u8; INLINE_BYTES],
        /// How many, up to [`RcQp::inline_bytes`].
        bytes: u8,
    },
}

/// What a work request does to the peer's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrOp {
    /// RDMA WRITE.
    Write,
    /// RDMA READ.
    Read,
    /// Adds to 8 bytes, and fetches what was there before.
    FetchAdd {
        /// Wraps.
        add: u64,
    },
    /// Stores to 8 bytes if they are as expected, and fetches what was there before.
    CompareSwap {
        /// What must be there.
        compare: u64,
        /// What shall be there.
        swap: u64,
    },
}

/// A work request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wr {
    /// Comes back in [`Wc::id`].
    pub id: u64,
    /// What to do.
    pub op: WrOp,
    /// This side's bytes.
    pub local: Local,
    /// The peer's memory, as its registration calls it (`iova`). Of atomics a multiple of 8.
    pub remote: u64,
    /// The peer's registration.
    pub rkey: u32,
    /// Whether it is to have a completion. One that fails has one anyway. A send queue is freed by completions alone:
    /// in each [`RcQp::send_wr`] requests at least one must be signalled.
    pub signalled: bool,
    /// Whether it is to begin only after the reads and atomics before it on its queue pair are complete. (Writes are
    /// in order on a queue pair without it.)
    pub fenced: bool,
}

/// A completion. If it failed, only `id`, `status`, `vendor` and `qpn` mean anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wc {
    /// The work request's.
    pub id: u64,
    /// `enum ibv_wc_status`: see [`wc_status`].
    pub status: u32,
    /// What the device says of a failure in its own numbers (mlx5: the vendor syndrome).
    pub vendor: u32,
    /// The queue pair.
    pub qpn: u32,
    /// `enum ibv_wc_opcode`: see [`wc_opcode`].
    pub opcode: u32,
    /// Bytes fetched by reads and atomics.
    pub bytes: u32,
}

/// `enum ibv_wc_opcode`, as far as senders meet it.
pub mod wc_opcode {
    /// RDMA WRITE.
    pub const WRITE: u32 = 1;
    /// RDMA READ.
    pub const READ: u32 = 2;
    /// Compare and swap.
    pub const COMPARE_SWAP: u32 = 3;
    /// Fetch and add.
    pub const FETCH_ADD: u32 = 4;
}

/// `enum ibv_wc_status`, as far as senders meet it.
pub mod wc_status {
    /// It is done, and so is everything before it on its queue pair.
    pub const SUCCESS: u32 = 0;
    /// The message has a wrong length.
    pub const LOCAL_LENGTH: u32 = 1;
    /// Something is wrong within the queue pair.
    pub const LOCAL_QP_OPERATION: u32 = 2;
    /// This side's memory is not registered for this.
    pub const LOCAL_PROTECTION: u32 = 4;
    /// The queue pair failed before: not done, or not known to be.
    pub const FLUSHED: u32 = 5;
    /// A memory window could not be bound.
    pub const WINDOW_BIND: u32 = 6;
    /// The peer answered something else.
    pub const BAD_RESPONSE: u32 = 7;
    /// An answer could not be written to this side's memory.
    pub const LOCAL_ACCESS: u32 = 8;
    /// The peer says that the request is wrong.
    pub const REMOTE_INVALID_REQUEST: u32 = 9;
    /// The peer's memory is not registered for this.
    pub const REMOTE_ACCESS: u32 = 10;
    /// The peer can't do it.
    pub const REMOTE_OPERATION: u32 = 11;
    /// The peer does not answer: dead, unreachable, or not connected.
    pub const RETRIES_EXCEEDED: u32 = 12;
    /// The peer was not ready for too long.
    pub const RNR_RETRIES_EXCEEDED: u32 = 13;
    /// The peer gave up.
    pub const REMOTE_ABORTED: u32 = 16;
    /// Any other.
    pub const GENERAL: u32 = 21;

    /// What a status means, in words.
    pub fn words(status: u32) -> &'static str {
        match status {
            SUCCESS => "done",
            LOCAL_LENGTH => "local length error",
            LOCAL_QP_OPERATION => "local queue pair operation error",
            LOCAL_PROTECTION => "local protection error",
            FLUSHED => "flushed, since the queue pair failed before",
            WINDOW_BIND => "memory window bind error",
            BAD_RESPONSE => "bad response",
            LOCAL_ACCESS => "local access error",
            REMOTE_INVALID_REQUEST => "remote invalid request error",
            REMOTE_ACCESS => "remote access error",
            REMOTE_OPERATION => "remote operation error",
            RETRIES_EXCEEDED => "no answer from the peer",
            RNR_RETRIES_EXCEEDED => "the peer is not ready",
            REMOTE_ABORTED => "the peer gave up",
            GENERAL => "general error",
            _ => "another error",
        }
    }
}

/// A list of work requests of which not all were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostRefused {
    /// So many from the first were; they will complete as any. The rest may be posted again.
    pub posted: usize,
    /// Why not the next: `ENOMEM` where the queue is full, `EINVAL` where the request is wrong or the queue pair is
    /// in no state to post.
    pub errno: i32,
    /// The call that answered.
    pub call: &'static str,
}

impl PostRefused {
    /// Whether there will be room when posted requests have completed.
    pub fn is_full(&self) -> bool {
        self.errno == libc::ENOMEM
    }

    /// The error that it is for who can't go on.
    pub fn into_error(self, action: impl Into<String>) -> Error {
        crate::rdma::verbs::answer::error(action, self.call, self.errno)
            .because(format!("{} work requests before it were taken", self.posted))
    }
}

/// An opened verbs device.
///
/// Calls may come from several threads; those that post to one queue pair or poll one completion queue wait for each
/// other. An error carries the call (`ibv_create_qp` ...) and its code (an errno). Neither [`post`](Self::post) nor
/// [`poll`](Self::poll) allocates memory when it is used again as before, enters the kernel (rxe's does) or waits for
/// the wire.
///
/// *Caller:* gives back what it took, in the order: queue pairs, completion queues, memory, protection domain. What is
/// still in use is refused. What was not given back goes with the device.
pub trait RcDevice: VerbsNic {
    /// What it can do.
    fn caps(&self) -> Result<RcCaps>;

    /// Makes a protection domain.
    fn alloc_pd(&self) -> Result<Handle>;

    /// Makes a completion queue of at least so many entries. More completions than entries are lost: it must have
    /// room for all requests that can be outstanding on its queue pairs (when one fails each may complete).
    fn create_cq(&self, entries: u32) -> Result<Handle>;

    /// Destroys a completion queue.
    fn destroy_cq(&self, cq: Handle) -> Result<()>;

    /// Makes a reliable connected queue pair, whose completions go to `cq`.
    ///
    /// # Errors
    /// `Exhausted` or `InvalidArgument` where it is more than the device has.
    fn create_qp(&self, pd: Handle, cq: Handle, ask: &RcQpAsk) -> Result<RcQp>;

    /// Moves a queue pair from RESET to RTS toward a peer, who does the same. The peer may write, read and change
    /// memory through it.
    fn connect(&self, qp: Handle, to: &VerbsConnect) -> Result<()>;

    /// Moves a queue pair to the error state: whatever is in it completes, flushed, and nothing more goes out.
    fn fail_qp(&self, qp: Handle) -> Result<()>;

    /// The state of a queue pair, as the device has it.
    fn query_state(&self, qp: Handle) -> Result<QpState>;

    /// Destroys a queue pair. Its completions that were not polled may be lost.
    fn destroy_qp(&self, qp: Handle) -> Result<()>;

    /// Posts a list of work requests in one call, so with one doorbell. An empty list is nothing.
    ///
    /// # Errors
    /// How many were taken, and why not the next. On a queue pair that failed requests are taken and complete,
    /// flushed.
    fn post(&self, qp: Handle, list: &[Wr]) -> std::result::Result<(), PostRefused>;

    /// Takes completions; how many: the first of `out` are these. 0: there are none now.
    ///
    /// # Errors
    /// The completion queue is lost (it overflowed, or the device is gone).
    fn poll(&self, cq: Handle, out: &mut [Wc]) -> Result<usize>;
}

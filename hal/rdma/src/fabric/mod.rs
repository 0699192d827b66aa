//! CPU-posted fabrics: the seam between the proxy transport and libraries such as libibverbs, libfabric or UCX.
//!
//! GPU threads write requests into rings in host memory. The proxy transport's progress threads take the requests, and
//! post them on a [`FabricDevice`]. A library becomes usable by implementing two traits in a crate of its own:
//!
//! - [`FabricProvider`] opens the devices that a PE uses. [`register_provider!`](crate::register_provider) links it in,
//!   and a program chooses it by its name.
//! - [`FabricDevice`] registers memory, creates and connects endpoints, posts work requests and polls completions.
//!
//! | file | contents |
//! |---|---|
//! | `provider` | providers, their registration and lookup, and the parameters of opening |
//! | `device` | devices, their capabilities, memory and endpoints |
//! | `work` | work requests, completions and their status |
//!
//! # Promises of a provider
//!
//! The transport relies on each of these promises. None can be declined except where a capability says so.
//!
//! 1. **Whole words.** A write or read of 2, 4 or 8 bytes whose two ends are aligned to its size is seen whole or not
//!    at all. A longer one may be seen in part while it is under way, but each aligned element of 8 bytes or less is
//!    whole.
//! 2. **Completion of a write.** When a write completes, its bytes are visible to every thread and kernel of the
//!    target, and its local bytes may be reused. When a read or an atomic completes, the local bytes have been written.
//! 3. **One completion for all before it.** Completions of an endpoint are reported in the order in which its requests
//!    were posted. A completion means that every earlier request of the same endpoint is complete too, also those that
//!    are not signalled. A provider whose fabric completes requests in another order holds completions back itself.
//! 4. **Order.** With [`Capabilities::ordered`], the effects of a write are visible at the target before those of every
//!    write and atomic that was posted on the same endpoint after it. Without it, the transport posts a request when
//!    all earlier ones of its endpoint are complete.
//! 5. **Atomicity.** All atomics that reach a word through devices of one provider are atomic with each other, for all
//!    types, operations and endpoints. A fabric that has no atomics carries them as messages, which the target's
//!    [`poll`](FabricDevice::poll) executes ([`Capabilities::needs_progress`]).
//! 6. **No waiting.** [`post`](FabricDevice::post) and [`poll`](FabricDevice::poll) return without waiting for the peer
//!    or the wire, and do not allocate in the long run.
//! 7. **Failure.** A request that fails has a completion with a [`Status`], signalled or not, and its endpoint stops:
//!    no request that is ordered after it takes effect, and each later signalled one completes as [`Status::Flushed`]
//!    or with an error of its own. A peer that is gone makes requests fail in bounded time.
//! 8. **Threads.** All methods may be called at the same time from several threads, except that one thread at a time
//!    posts on an endpoint and polls a completion queue. That thread is the same one for a completion queue and all of
//!    its endpoints.

mod device;
mod provider;
mod work;

pub use device::{
    AtomicSet, Capabilities, Endpoint, EndpointRequest, FabricDevice, Handle, MemoryRegion, MemoryRequest, PeerAddress,
    Region,
};
pub use provider::{
    FabricProvider, OpenDevices, OpenRequest, ProviderContext, ProviderEntry, find_provider, provider_names,
};
pub use work::{
    AtomicRequest, Completion, INLINE_BYTES, Local, Operation, PostError, PostErrorKind, Status, WorkRequest,
};

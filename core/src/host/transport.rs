//! The control-plane contract.

use alloc::vec::Vec;

use super::Result;
use crate::{Pe, QpHandle, Remote};

/// How a transport reaches a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Its heap is mapped: loads and stores reach it.
    LoadStore,
    /// Not at all.
    None,
}

/// A part of the symmetric heap that came into being at once, at the same place on every PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes from the start of the heap.
    pub offset: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What a PE tells its peers so that they can reach an extent of its heap.
#[derive(Debug, Default)]
pub struct Offer {
    /// Bytes for the transport's other end.
    pub bytes: Vec<u8>,
    /// Open file descriptors. Who holds the offer owns them.
    pub fds: Vec<i32>,
}

/// The control plane of a path between PEs.
///
/// *Implementor:* one value a world and PE. Several transports serve one world; each says which PEs it
/// reaches, and is asked for those alone. What it hands to kernels is its own device half's business.
///
/// *Caller:* the world. Calls come from one thread at a time; those that name no peer are made on every
/// PE alike. Heap growth is: own memory is mapped, [`offer`](Transport::offer) on each PE, the offers
/// are exchanged, [`accept`](Transport::accept) for each peer reached.
///
/// # Errors
/// Each says what could not be done, to what, and what the system answered. A failed call leaves the
/// transport as it was.
pub trait Transport: Send + core::fmt::Debug {
    /// The transport's name, as its cargo feature has it.
    fn name(&self) -> &'static str;

    /// How it reaches `pe`.
    fn reach(&self, pe: Pe) -> Reach;

    /// Describes an extent of this PE's own heap, which is mapped, to its peers.
    fn offer(&mut self, extent: Extent) -> Result<Offer>;

    /// Makes an extent of `pe`'s heap reachable. Takes the offer's descriptors over.
    fn accept(&mut self, pe: Pe, extent: Extent, offer: Offer) -> Result<()>;

    /// Creates `count` queue pairs; handle `i` is `first + i * n_pes`, or all are [`QpHandle::DEFAULT`].
    ///
    /// A transport with nothing to create succeeds and hands out [`QpHandle::DEFAULT`]; it never answers
    /// "unsupported", so a program written for queue pairs runs on an NVLink-only node unchanged.
    /// Source: NVSHMEM API, "Queue Pair (QP) Specific APIs", section "Transport Support and Compatibility".
    fn create_qps(&mut self, count: u32) -> Result<Vec<QpHandle>>;

    /// Destroys queue pairs that [`create_qps`](Transport::create_qps) made; the default handle is no queue of
    /// its own, and is left alone.
    fn destroy_qps(&mut self, handles: &[QpHandle]) -> Result<()>;

    /// Writes `from` to `to`, from the host. Complete after [`quiet`](Transport::quiet).
    fn put(&self, to: Remote, from: &[u8]) -> Result<()>;

    /// Reads from `from` into `to`, on the host. Complete when it returns.
    fn get(&self, to: &mut [u8], from: Remote) -> Result<()>;

    /// Completes what this host issued.
    fn quiet(&self) -> Result<()>;
}

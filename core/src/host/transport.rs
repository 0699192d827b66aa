//! The control-plane contract.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::os::fd::OwnedFd;

use super::{Error, ErrorKind, Result};
use crate::{AmoOp, AmoType, Fault, Pe, QpHandle, Remote};

/// How a transport reaches a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Its heap is mapped: loads and stores reach it.
    LoadStore,
    /// By work requests on queues.
    Remote,
    /// Not at all.
    None,
}

/// What the host does to a word of some PE, at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostAmo {
    /// The operation.
    pub op: AmoOp,
    /// What the word is, and how wide.
    pub of: AmoType,
    /// The operand's bits.
    pub operand: u64,
    /// What the word must be for a [`CompareSwap`](AmoOp::CompareSwap).
    pub compare: u64,
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
    /// Open file descriptors.
    pub fds: Vec<OwnedFd>,
}

/// What kernels are given of a transport with queues, as the fields of their state that it fills in; all 0 without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelView {
    /// Where the bits are that say which PEs are reached by queues.
    pub far: u64,
    /// The first 64 of those bits.
    pub far_bits: u64,
    /// The queues.
    pub queues: u64,
    /// What they share.
    pub shared: u64,
    /// QpRows of default queues.
    pub default_rows: u32,
    /// What chooses among them.
    pub map_by: u32,
    /// Whether the queues are those of proxies, and not a NIC's own.
    pub by_proxy: bool,
}

/// What a queue has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpCounters {
    /// Its handle, [`QpHandle::DEFAULT`] for a default queue.
    pub handle: QpHandle,
    /// Its row: 0 for the first row of default queues.
    pub row: u32,
    /// Where it leads.
    pub pe: Pe,
    /// Work queue blocks of 64 bytes that were posted.
    pub posted: u64,
    /// Of those, how many are known to be complete.
    pub completed: u64,
    /// Doorbells rung.
    pub doorbells: u64,
    /// Bytes of data that were posted.
    pub bytes: u64,
    /// How often a thread found the queue full.
    pub stalls: u64,
    /// 1 if it has stopped.
    pub errors: u64,
}

/// What a ring of requests to a thread of the host has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingCounters {
    /// Which of the threads serves it.
    pub proxy: u32,
    /// Whether it is of this process's own operations, and not of kernels.
    pub of_host: bool,
    /// Requests that it has room for.
    pub depth: u32,
    /// Requests that were taken out of it.
    pub requests: u64,
    /// How often some were taken at once, by how many: 1, 2 and 3, 4 to 7, and so on.
    pub batches: [u64; RingCounters::BATCHES],
    /// Places that were handed out and are not free again.
    pub occupied: u64,
    /// How often a thread found it full.
    pub stalls: u64,
    /// Requests that named no queue, each of which has stopped all queues of the ring.
    pub strays: u64,
}

impl RingCounters {
    /// Sizes of batches that are told apart.
    pub const BATCHES: usize = 8;
}

/// Which rows of queue pairs to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpRows {
    /// The default queues, as many rows as the transport's configuration says. Once, first of all.
    Default,
    /// So many rows that the program asked for.
    Custom(u32),
}

/// The control plane of a path between PEs.
///
/// *Implementor:* one value a world and PE. Several transports serve one world; each says which PEs it
/// reaches, and is asked for those alone. What it hands to kernels is its own device half's business.
///
/// *Caller:* the world. Calls come from one thread at a time; those that name no peer are made on every
/// PE alike. Heap growth is: own memory is mapped, [`offer`](Transport::offer) on each PE, the offers
/// are exchanged, [`accept`](Transport::accept) for each peer reached; where any of this failed on some PE,
/// [`withdraw`](Transport::withdraw) on each, and only then goes the memory.
///
/// # Errors
/// Each says what could not be done, to what, and what the system answered. A failed call leaves the
/// transport as it was.
pub trait Transport: Send + core::fmt::Debug {
    /// The transport's name, as its cargo feature has it.
    fn name(&self) -> &str;

    /// How it reaches `pe`.
    fn reach(&self, pe: Pe) -> Reach;

    /// Returns what the peers need to reach an extent of this PE's own heap, which is mapped. By default they need nothing.
    fn offer(&mut self, _extent: Extent) -> Result<Offer> {
        Ok(Offer::default())
    }

    /// Makes an extent of `pe`'s heap reachable.
    fn accept(&mut self, _pe: Pe, _extent: Extent, _offer: Offer) -> Result<()> {
        Ok(())
    }

    /// Forgets an extent, of which every step of growth may or may not have been done here: it leaves nothing of this
    /// PE's own or its peers'. No kernel has used the extent. An extent that is not known is none to forget.
    fn withdraw(&mut self, _extent: Extent) {}

    /// Makes rows of queue pairs, one of each row for each PE that it reaches, and says what its peers need to connect
    /// theirs to them: a part for each PE, all parts of the same call under the same number of rows.
    ///
    /// A transport with nothing to create succeeds with nothing to say; it never answers "unsupported", so a program
    /// written for queue pairs runs on an NVLink-only node unchanged.
    /// Source: NVSHMEM API, "Queue Pair (QP) Specific APIs", section "Transport Support and Compatibility".
    fn prepare_qps(&mut self, rows: QpRows) -> Result<Vec<u8>>;

    /// Connects the rows that [`prepare_qps`](Transport::prepare_qps) just made with the peers' (`theirs`, by PE, what
    /// each said), and publishes them to kernels, also to those that run. Handle `i` is `first + i * n_pes`, or all are
    /// [`QpHandle::DEFAULT`].
    fn connect_qps(&mut self, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>>;

    /// Gives the rows that [`prepare_qps`](Transport::prepare_qps) just made back: another PE could not make its own.
    fn discard_qps(&mut self);

    /// Destroys queue pairs that [`connect_qps`](Transport::connect_qps) handed out; the default handle is no queue of
    /// its own, and is left alone.
    fn destroy_qps(&mut self, handles: &[QpHandle]) -> Result<()>;

    /// Writes `from` to `to`, from the host. Complete after [`quiet`](Transport::quiet).
    fn put(&self, to: Remote, from: &[u8]) -> Result<()>;

    /// Reads from `from` into `to`, on the host. Complete when it returns.
    fn get(&self, to: &mut [u8], from: Remote) -> Result<()>;

    /// Does an atomic to the word at `at`, which is aligned to its size, from the host; the word's bits as they were.
    /// Complete when it returns, and atomic with those that kernels do on this transport.
    ///
    /// # Errors
    /// As for [`get`](Transport::get), or the transport has none.
    fn atomic(&self, at: Remote, _what: HostAmo) -> Result<u64> {
        let error = Error::new(ErrorKind::Unreachable, format!("do an atomic of the host to a word of {}", at.pe));
        Err(error.because(format!("{} has none", self.name())).hint("a kernel may do it").about(at.pe))
    }

    /// Completes what this host issued.
    fn quiet(&self) -> Result<()>;

    /// What kernels are given of this transport. It stays the same; what it leads to changes.
    fn kernel_view(&self) -> KernelView {
        KernelView::default()
    }

    /// Gives what posts on the queues the world's state, as bytes in the form that kernels get. Before the first kernel
    /// runs.
    fn share_state(&self, _state: &[u8]) -> Result<()> {
        Ok(())
    }

    /// A kernel is about to be launched: what serves kernels is to be awake when it asks. Cheap, since it comes ahead of
    /// every launch. Kernels that are launched without it are served too, but perhaps not as soon.
    fn about_to_launch(&self) {}

    /// Lets kernels use `bytes` bytes at `address` of their address space as this side's end of operations. Where
    /// operations reach all memory there is nothing to do.
    fn register(&mut self, _address: u64, _bytes: u64) -> Result<()> {
        Ok(())
    }

    /// Takes that back; kernels must no longer use it.
    fn unregister(&mut self, _address: u64) -> Result<()> {
        Ok(())
    }

    /// What each queue has counted so far; kernels may run.
    fn counters(&self) -> Result<Vec<QpCounters>> {
        Ok(Vec::new())
    }

    /// What each ring has counted so far; kernels may run.
    fn ring_counters(&self) -> Result<Vec<RingCounters>> {
        Ok(Vec::new())
    }

    /// What it uses, and why, in lines for people.
    fn describe(&self) -> String {
        self.name().into()
    }

    /// What it does otherwise than its user may think, a line each, with the reason.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The faults of queues that have stopped, each once. Other queues go on.
    fn faults(&self) -> Result<Vec<Fault>> {
        Ok(Vec::new())
    }
}

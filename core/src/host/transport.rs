//! The contract of a transport's host half.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use std::os::fd::OwnedFd;

use super::{Error, ErrorKind, Result};
use crate::{AmoOp, AmoType, Fault, Pe, QpHandle, Remote};

/// The way in which a transport reaches a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By loads and stores: its heap is mapped.
    LoadStore,
    /// By requests on queues.
    Remote,
    /// Not at all.
    None,
}

/// An atomic operation of the host on a word of a PE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostAmo {
    /// The operation.
    pub op: AmoOp,
    /// The type of the word, and so its width.
    pub of: AmoType,
    /// The operand's bits.
    pub operand: u64,
    /// The value that the word must have for a [`CompareSwap`](AmoOp::CompareSwap).
    pub compare: u64,
}

/// A part of the symmetric heap. It is added in one step, at the same offset on every PE: memory of the library, which
/// stays, or memory of the program, which may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes from the start of the heap.
    pub offset: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The data that a PE gives its peers so that they can reach an extent of its heap.
#[derive(Debug, Default)]
pub struct Offer {
    /// Bytes for the transport on the peer.
    pub bytes: Vec<u8>,
    /// Open file descriptors.
    pub fds: Vec<OwnedFd>,
}

/// The state of a transport's queues that kernels use; all 0 for a transport without queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathView {
    /// The address of the queues.
    pub queues: u64,
    /// The address of the state that they share.
    pub shared: u64,
}

/// Counters of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QpCounters {
    /// Its handle, [`QpHandle::DEFAULT`] for a default queue.
    pub handle: QpHandle,
    /// Its row: 0 for the first row of default queues.
    pub row: u32,
    /// The PE to which it leads.
    pub pe: Pe,
    /// Basic blocks of the send queue (64 bytes each) that were posted.
    pub posted: u64,
    /// Posted blocks that are known to be complete.
    pub completed: u64,
    /// Doorbells rung.
    pub doorbells: u64,
    /// Bytes of data that were posted.
    pub bytes: u64,
    /// Number of times that a thread found the queue full.
    pub stalls: u64,
    /// 1 if the queue has stopped.
    pub errors: u64,
}

/// A counter of a part that other transports do not have, such as a proxy's ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportCounter {
    /// The part, such as `ring of kernels, proxy 0`.
    pub of: String,
    /// What is counted, such as `requests`.
    pub name: String,
    /// The number.
    pub value: u64,
}

/// The control plane of a path between PEs.
///
/// *Implementor:* one value for each world and PE. Several transports serve one world. Each reports which PEs it
/// reaches, and is used for those alone. The data that it gives to kernels is private to it and its device half.
///
/// *Caller:* the world. Calls come from one thread at a time; calls that name no peer are made on every PE alike. An
/// extent is added to the heap, after the last one or in a gap that a removed one left, in these steps:
///
/// 1. The new extent of this PE's own heap is mapped.
/// 2. [`offer`](Transport::offer) is called on each PE, and the offers are exchanged.
/// 3. [`accept`](Transport::accept) is called for each peer that this transport reaches.
/// 4. If a step failed on any PE, [`withdraw`](Transport::withdraw) is called on each PE before the memory is freed.
///
/// An extent of memory of the program is removed by [`withdraw`](Transport::withdraw) on each PE, before it is unmapped.
/// Kernels that use other extents may run meanwhile.
///
/// # Errors
/// Each error names the failed action, its object and the system's answer. A failed call leaves the transport
/// unchanged.
///
/// # Safety
///
/// Kernels follow the addresses that it returns, and programs reuse memory when it says that they may.
///
/// - **state**: from the first [`path_view`](Transport::path_view) on until the value is dropped, the addresses in it are
///   those of memory that kernels reach, with the state that the transport's device half reads there. The rows that
///   [`connect_qps`](Transport::connect_qps) has connected are in it until they are destroyed.
/// - **mapped**: a PE that it [reaches](Transport::reach) by loads and stores has its extents mapped in its window.
/// - **within**: its operations access at a peer the bytes that each names, of extents that were
///   [accepted](Transport::accept), and none of an extent that was [withdrawn](Transport::withdraw).
/// - **lent**: it accesses the slices of [`put`](Transport::put) and [`get`](Transport::get) during the call alone, also
///   if the call fails, and a registered buffer for operations that name it, until
///   [`unregister`](Transport::unregister) returns.
#[expect(unsafe_code, reason = "a declaration: memory safety rests on the implementations")]
pub unsafe trait Transport: Send + core::fmt::Debug {
    /// Returns the transport's name, the same as in its factory and its device half.
    fn name(&self) -> &str;

    /// Returns the way in which it reaches `pe`.
    fn reach(&self, pe: Pe) -> Reach;

    /// Returns the data that peers need to reach an extent of this PE's own heap, which is mapped. By default they need
    /// nothing.
    fn offer(&mut self, _extent: Extent) -> Result<Offer> {
        Ok(Offer::default())
    }

    /// Makes an extent of `pe`'s heap reachable. By default there is nothing to do.
    fn accept(&mut self, _pe: Pe, _extent: Extent, _offer: Offer) -> Result<()> {
        Ok(())
    }

    /// Forgets this PE's registration of the extent and its peers', because a step failed or the extent is removed. No
    /// kernel uses the extent any more. Does nothing if the extent is unknown.
    fn withdraw(&mut self, _extent: Extent) {}

    /// Creates these rows of queue pairs, one queue pair for each row and reachable PE. Returns, by PE, the message
    /// with which that PE connects its queue pairs. Every PE makes the call with the same rows, which are free on all
    /// transports of the world. A message is passed to its PE alone.
    ///
    /// The world numbers rows and handles. The first call is for the default rows, from row 0 on. Later calls are for
    /// rows of the program, which follow the default ones.
    ///
    /// A transport with nothing to create returns no messages, which is the default. It never returns "unsupported", so
    /// that a program written for queue pairs runs on it unchanged; kernels name its rows all the same. Source: NVSHMEM
    /// API, "Queue Pair (QP) Specific APIs", section "Transport Support and Compatibility".
    ///
    /// # Errors
    /// There are not enough resources, or one of the rows exists. None of the rows is left.
    fn prepare_qps(&mut self, _rows: Range<u32>) -> Result<Vec<Vec<u8>>> {
        Ok(Vec::new())
    }

    /// Connects the rows that [`prepare_qps`](Transport::prepare_qps) created with those of the peers (`theirs`: by PE,
    /// its message for this PE), and publishes them to kernels, including running ones. By default there is nothing to
    /// do.
    ///
    /// # Errors
    /// A peer's message does not fit, or a queue pair can't be connected. None of the rows is left.
    fn connect_qps(&mut self, _theirs: &[Vec<u8>]) -> Result<()> {
        Ok(())
    }

    /// Destroys rows, connected or only prepared, because the program has done with them or another PE could not create
    /// its own. Ignores a row that does not exist. By default there is nothing to do.
    ///
    /// # Errors
    /// The first failure; the rows are destroyed in any case.
    fn destroy_qps(&mut self, _rows: &[u32]) -> Result<()> {
        Ok(())
    }

    /// Writes `from` to `to`, from the host. The write is complete after [`quiet`](Transport::quiet).
    fn put(&self, to: Remote, from: &[u8]) -> Result<()>;

    /// Reads from `from` into `to`, on the host. The read is complete when the call returns.
    fn get(&self, to: &mut [u8], from: Remote) -> Result<()>;

    /// Performs an atomic operation of the host on the word at `at`, which is aligned to its size, and returns the
    /// word's previous bits. The operation is complete when the call returns, and atomic with the operations of kernels
    /// on this transport.
    ///
    /// # Errors
    /// As for [`get`](Transport::get), or the transport has no atomics of the host.
    fn atomic(&self, at: Remote, _what: HostAmo) -> Result<u64> {
        let error = Error::new(ErrorKind::Unreachable, format!("do an atomic of the host to a word of {}", at.pe));
        Err(error.because(format!("{} has none", self.name())).hint("a kernel may do it").about(at.pe))
    }

    /// Completes the operations that this host issued.
    fn quiet(&self) -> Result<()>;

    /// Returns the state of its queues that kernels use. The addresses stay the same; the memory at them changes.
    fn path_view(&self) -> PathView {
        PathView::default()
    }

    /// Takes the kernels' address of the copy of the world's state that queues name. Called once, before the first
    /// queues are prepared; the copy is written before the first kernel runs.
    fn set_world(&mut self, _address: u64) {}

    /// Announces a kernel launch, so that the threads that serve kernels are awake when the kernel needs them. It is
    /// called before every launch, and is cheap. A kernel launched without it is served too, perhaps later.
    fn about_to_launch(&self) {}

    /// Lets kernels use `bytes` bytes at `address`, in their address space, as the local end of operations. Does
    /// nothing if operations reach all memory without registration.
    fn register(&mut self, _address: u64, _bytes: u64) -> Result<()> {
        Ok(())
    }

    /// Ends the registration of a buffer. Kernels must no longer use it.
    fn unregister(&mut self, _address: u64) -> Result<()> {
        Ok(())
    }

    /// Returns each queue's counters. Kernels may run.
    fn counters(&self) -> Result<Vec<QpCounters>> {
        Ok(Vec::new())
    }

    /// Returns the counters of its parts other than queues. Kernels may run.
    fn more_counters(&self) -> Result<Vec<TransportCounter>> {
        Ok(Vec::new())
    }

    /// Describes the devices and memory in use and the reasons for the choice, as lines of text for the user.
    fn describe(&self) -> String {
        self.name().into()
    }

    /// Returns behaviour that the user may not expect, one line each, with the reason.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the faults of stopped queues, each once. Other queues continue.
    fn faults(&self) -> Result<Vec<Fault>> {
        Ok(Vec::new())
    }
}

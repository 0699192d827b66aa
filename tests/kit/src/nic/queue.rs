//! The queue of one port and one kind, with the keys of the memory that the checks use.

use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_raw::memory::Chunk;
use oxshmem_rdma::hca::access;
use oxshmem_rdma::mlx5::{Key, Segment, compare_swap, data, fetch_add, opcode, raddr};
use oxshmem_transport_ibgda::host::IbgdaConfig;
use oxshmem_transport_ibgda::host::for_tests::{Nic, Registration};

use super::pair::{ConnectedPair, QueueKind};
use super::payload::payload;
use crate::bench::{Bench, Expected, Op, Queue};
use crate::report::Fine;

/// The peers' address of the first byte: that of an extent which is not the first of a heap, and not an address in
/// memory.
const NAMED_FROM: u64 = 4 << 20;
/// The most bytes that kernels put into an entry: the words of a warp's threads.
const INLINE: usize = 32 * 8;

const ARRIVED_WRONG: &str = "the data did not arrive as it was sent: compare with the line of the verbs queue pair; if both \
                             fail suspect the PCIe path (ACS, IOMMU, ATS), if one does the queue pair or its entries";

/// A connected pair, and the keys of both regions.
#[derive(Debug)]
pub(super) struct NicQueue {
    // Dropped in this order.
    pub(super) pair: ConnectedPair,
    pub(super) own: Keys,
    pub(super) target: Keys,
    pub(super) nic: Arc<Nic>,
    pub(super) config: IbgdaConfig,
    pub(super) kind: QueueKind,
}

pub(super) type NicBench = Bench<NicQueue>;

/// Makes the queue pairs and the memory.
///
/// # Errors
/// The NIC or the driver refuses.
pub(super) fn bench(nic: &Arc<Nic>, config: &IbgdaConfig, kind: &QueueKind, seed: u64) -> Result<NicBench> {
    let pair = ConnectedPair::new(nic, config, kind, config.depth)?;
    Bench::new(kind.memory(), seed, ARRIVED_WRONG, |own, target| {
        let (own, target) = (Keys::new(nic, own)?, Keys::new(nic, target)?);
        Ok(NicQueue { pair, own, target, nic: nic.clone(), config: config.clone(), kind: kind.clone() })
    })
}

impl NicQueue {
    /// Makes another connected pair of the same kind.
    ///
    /// # Errors
    /// The NIC or the driver refuses.
    pub(super) fn another_pair(&self) -> Result<ConnectedPair> {
        ConnectedPair::new(&self.nic, &self.config, &self.kind, self.config.depth)
    }
}

impl Queue for NicQueue {
    fn inline_lengths(&self) -> (Vec<usize>, String) {
        (
            (1..=64).chain((72..=INLINE).step_by(8)).collect(),
            format!("every length from 1 to 64 bytes, then to {INLINE}"),
        )
    }

    fn post(&mut self, op: Op<'_>, at: usize, asks: bool) -> Fine<()> {
        let (own, remote) = (&self.own, self.target.remote(at));
        let (code, segments) = match op {
            Op::Write { from, bytes } => (opcode::RDMA_WRITE, vec![remote, own.local(from, bytes)]),
            Op::Inline(bytes) => (opcode::RDMA_WRITE, [remote].into_iter().chain(payload(bytes)).collect()),
            Op::Read { to, bytes } => (opcode::RDMA_READ, vec![remote, own.local(to, bytes)]),
            Op::FetchAdd { to, add } => (opcode::ATOMIC_FA, vec![remote, fetch_add(add), own.local(to, 8)]),
            Op::CompareSwap { to, compare, swap } => {
                (opcode::ATOMIC_CS, vec![remote, compare_swap(compare, swap), own.local(to, 8)])
            }
        };
        Ok(self.pair.poster.entry(0, code, &segments, asks)?)
    }

    fn finish(&mut self) -> Fine<()> {
        self.pair.poster.ring()?;
        self.pair.poster.finish()
    }
}

/// The keys of a region: for this side, and for peers.
#[derive(Debug)]
pub(super) struct Keys {
    own: Registration,
    others: Registration,
    at: u64,
}

impl Keys {
    fn new(nic: &Arc<Nic>, chunk: &Chunk) -> Result<Self> {
        let (what, at, bytes) = ("memory of the self test", chunk.kernel(), chunk.bytes() as u64);
        let own = nic.register(what, &chunk.address(), bytes, at, access::LOCAL_WRITE)?;
        let rights = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
        let others = nic.register(what, &chunk.address(), bytes, NAMED_FROM, rights)?;
        Ok(Self { own, others, at })
    }

    /// Returns the data segment of these bytes, for operations of this side.
    pub(super) fn local(&self, at: usize, bytes: usize) -> Segment {
        data(bytes as u32, Key::new(self.own.mr.lkey), self.at + at as u64)
    }

    /// As [`local`](Self::local), with an invalid key.
    pub(super) fn local_with_bad_key(&self, at: usize, bytes: usize) -> Segment {
        data(bytes as u32, Key::new(bad(self.own.mr.lkey)), self.at + at as u64)
    }

    /// Returns the remote address segment of the bytes from `at` on, which may be outside of the memory.
    pub(super) fn remote(&self, at: usize) -> Segment {
        raddr(NAMED_FROM + at as u64, Key::new(self.others.mr.rkey))
    }

    /// As [`remote`](Self::remote), with an invalid key.
    pub(super) fn remote_with_bad_key(&self, at: usize) -> Segment {
        raddr(NAMED_FROM + at as u64, Key::new(bad(self.others.mr.rkey)))
    }

    /// As [`remote`](Self::remote), with a key that gives peers no rights.
    pub(super) fn remote_without_rights(&self, at: usize) -> Segment {
        raddr(self.at + at as u64, Key::new(self.own.mr.rkey))
    }
}

/// Returns an invalid key: it differs in the byte that distinguishes keys of the same index.
fn bad(key: u32) -> u32 {
    key ^ 0x5a
}

impl Expected {
    /// Reads a word of 8 bytes in one load.
    pub(super) fn word(&self, at: usize) -> Result<u64> {
        let mut read = [0; 8];
        self.chunk.read(at, &mut read)?;
        Ok(u64::from_ne_bytes(read))
    }
}

//! The memory of the queue pairs that one call makes, shared by the NIC and kernels.
//!
//! Each queue pair has a page of 4 KiB followed by its send queue. The page has the completion (64 bytes), the
//! completion queue's doorbell record and the queue pair's doorbell record, each on a cache line of its own. Queues
//! thus begin at multiples of 4 KiB, the smallest unit in which commands name their offsets. The fetch slots of all
//! queue pairs come last; the NIC reaches them as registered memory.

use std::sync::Arc;

use crate::state::FetchSlot;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::{Chunk, Memory, MemoryAddress};
use oxshmem_rdma::hca::access;
use oxshmem_rdma::mlx5::BLOCK_BYTES;
use oxshmem_rdma::mlx5::devx::InUmem;

use super::config::Buffers;
use super::setup::nic::{Nic, Registration, UmemParts};

/// Bytes of a queue pair before its send queue.
const HEADER_BYTES: usize = 4096;
/// Offsets of a queue pair's doorbell records: the completion queue's and the queue pair's.
const CQ_DBR: usize = 128;
const QP_DBR: usize = 256;
/// Bytes of a doorbell record.
const DBR_BYTES: u64 = 8;
/// The send queue's word is the second of a queue pair's record.
const SEND_WORD: usize = 4;

/// The memory of several queue pairs, freed when the last of them is gone.
#[derive(Debug)]
pub struct QueueMemory {
    depth: u32,
    // Dropped in this order.
    fetch: Registration,
    umem: UmemParts,
    /// A word for each block, which marks written entries. Only kernels use it.
    marks: Chunk,
    chunk: Chunk,
    fetch_at: usize,
}

/// The places of a queue pair's parts, for commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct QueuePlaces {
    pub(in crate::host) cq: InUmem,
    pub(in crate::host) cq_dbr: InUmem,
    pub(in crate::host) qp_dbr: InUmem,
    pub(in crate::host) sq: InUmem,
}

/// The number of these parts.
const PARTS: usize = 4;

/// Returns the offset and the length of each part of queue pair `queue`, in the order of [`QueuePlaces`].
fn parts(queue: usize, depth: u32) -> [(u64, u64); PARTS] {
    let at = (queue * stride(depth)) as u64;
    [
        (at, BLOCK_BYTES as u64),
        (at + CQ_DBR as u64, DBR_BYTES),
        (at + QP_DBR as u64, DBR_BYTES),
        (at + HEADER_BYTES as u64, u64::from(depth) * BLOCK_BYTES as u64),
    ]
}

/// The addresses of a queue pair's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueAddresses {
    /// The completion.
    pub cqe: u64,
    /// The send queue's word of the doorbell record.
    pub dbr: u64,
    /// The send queue.
    pub sq: u64,
    pub(in crate::host) marks: u64,
    pub(in crate::host) fetch: u64,
    pub(in crate::host) fetch_iova: u64,
    /// The key as the library returned it, in the host's byte order.
    pub(in crate::host) fetch_lkey: u32,
}

impl QueueMemory {
    /// Allocates memory for `queues` queue pairs of `depth` blocks: as near to the kernels of `memory` as the NIC can
    /// reach.
    ///
    /// # Errors
    /// There is not enough memory, or the NIC can't reach it; the error has the answer to each attempt.
    pub fn new(nic: &Arc<Nic>, memory: &Memory, buffers: Buffers, queues: usize, depth: u32) -> Result<Arc<Self>> {
        let what = "queues";
        let near = match (memory, buffers) {
            (Memory::Gpu(_), Buffers::Auto | Buffers::Gpu) => {
                match (Self::in_chunk(nic, memory, queues, depth, Chunk::beside), buffers) {
                    (Ok(made), _) => return Ok(Arc::new(made)),
                    (Err(error), Buffers::Gpu) => {
                        return Err(error.hint("OXSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE=hostmem has them on the host"));
                    }
                    (Err(error), _) => Some(error),
                }
            }
            _ => None,
        };
        let made = Self::in_chunk(nic, memory, queues, depth, Chunk::on_host)?;
        if let Some(error) = near {
            nic.registrar.note(format!("{what} are on the host, since they can't be in GPU memory: {error}"));
        }
        Ok(Arc::new(made))
    }

    fn in_chunk(
        nic: &Arc<Nic>,
        memory: &Memory,
        queues: usize,
        depth: u32,
        allocate: fn(&Memory, usize) -> Result<Chunk>,
    ) -> Result<Self> {
        let slots = slots_bytes(depth);
        let fetch_at = queues * stride(depth);
        let bytes = fetch_at
            .checked_add(queues * slots)
            .ok_or_else(|| Error::new(ErrorKind::Exhausted, format!("allocate {queues} queues of {depth} blocks")))?;
        let chunk = allocate(memory, bytes)?;
        for queue in 0..queues {
            // A completion of all ones is invalid: it has the invalid opcode, and the counter before the first entry's.
            chunk.fill(queue * stride(depth), 0xff, BLOCK_BYTES)?;
        }
        let all: Vec<(u64, u64)> = (0..queues).flat_map(|queue| parts(queue, depth)).collect();
        let umem = nic.register_umem("the queues", &chunk.address(), fetch_at as u64, &all)?;
        let address = match chunk.address() {
            MemoryAddress::Host(at) => MemoryAddress::Host(at + fetch_at as u64),
            MemoryAddress::Device(context, at) => MemoryAddress::Device(context, at + fetch_at as u64),
        };
        let iova = chunk.kernel() + fetch_at as u64;
        let fetch = nic.register("the fetch slots", &address, (queues * slots) as u64, iova, access::LOCAL_WRITE)?;
        let marks = Chunk::beside(memory, 8 * queues * depth as usize)?;
        Ok(Self { depth, fetch, umem, marks, chunk, fetch_at })
    }

    /// Returns whether the memory is on the host, so that kernels of a GPU reach it across the bus.
    pub(in crate::host) fn is_on_host(&self) -> bool {
        self.chunk.is_on_host()
    }

    /// Returns the places of a queue pair's parts, for commands.
    pub(in crate::host) fn places(&self, queue: usize) -> QueuePlaces {
        let [cq, cq_dbr, qp_dbr, sq] = std::array::from_fn(|part| self.umem.places[queue * PARTS + part]);
        QueuePlaces { cq, cq_dbr, qp_dbr, sq }
    }

    /// Returns the addresses of a queue pair's parts for kernels.
    pub(in crate::host) fn addresses(&self, queue: usize) -> QueueAddresses {
        self.addresses_from(self.chunk.kernel(), queue)
    }

    /// Returns the addresses of a queue pair's parts for the host; `None` if they are in GPU memory.
    pub(in crate::host) fn host_addresses(&self, queue: usize) -> Option<QueueAddresses> {
        Some(self.addresses_from(self.chunk.host()?, queue))
    }

    fn addresses_from(&self, base: u64, queue: usize) -> QueueAddresses {
        let [cq, _, qp_dbr, sq] = parts(queue, self.depth).map(|(offset, _)| base + offset);
        let fetch = self.fetch_at + queue * slots_bytes(self.depth);
        QueueAddresses {
            cqe: cq,
            dbr: qp_dbr + SEND_WORD as u64,
            sq,
            marks: self.marks.kernel() + (8 * queue * self.depth as usize) as u64,
            fetch: base + fetch as u64,
            fetch_iova: self.chunk.kernel() + fetch as u64,
            fetch_lkey: self.fetch.mr.lkey,
        }
    }
}

/// Bytes of a queue pair's fetch slots: one for each block, and one for results that no thread reads.
fn slots_bytes(depth: u32) -> usize {
    (depth as usize + 1) * size_of::<FetchSlot>()
}

/// Returns the distance between queue pairs in bytes.
fn stride(depth: u32) -> usize {
    HEADER_BYTES + depth as usize * BLOCK_BYTES
}

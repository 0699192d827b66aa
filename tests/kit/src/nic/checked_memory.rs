//! Memory that the NIC reads and writes, with its expected contents.

use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_rdma::hca::access;
use oxshmem_rdma::mlx5::{Key, Segment, data, raddr};
use oxshmem_transport_ibgda::host::for_tests::{Nic, Registration};

use super::wrong;
use crate::report::Fine;

/// The value of untouched bytes.
const POISON: u8 = 0xa5;
/// Bytes on both sides of an operation's range that are checked right after it; all others are checked at the end.
const AROUND: usize = 256;
/// The peers' address of the first byte: that of an extent which is not the first of a heap, and not an address in
/// memory.
const NAMED_FROM: u64 = 4 << 20;

const ARRIVED_WRONG: &str = "the data did not arrive as it was sent: compare with the line of the verbs queue pair; if both \
                             fail suspect the PCIe path (ACS, IOMMU, ATS), if one does the queue pair or its entries";

/// Registered memory, with its expected contents.
#[derive(Debug)]
pub(super) struct CheckedMemory {
    // Dropped in this order.
    own: Registration,
    others: Registration,
    chunk: Chunk,
    name: &'static str,
    expected: Vec<u8>,
}

impl CheckedMemory {
    /// Allocates `bytes` poisoned bytes beside the kernels of `memory`.
    ///
    /// # Errors
    /// There is no memory, or the NIC can't reach it.
    pub(super) fn new(nic: &Arc<Nic>, memory: &Memory, name: &'static str, bytes: usize) -> Result<Self> {
        let chunk = Chunk::beside(memory, bytes)?;
        let (address, bytes) = (chunk.address(), chunk.bytes());
        let own = nic.register(name, &address, bytes as u64, chunk.kernel(), access::LOCAL_WRITE)?;
        let rights = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
        let others = nic.register(name, &address, bytes as u64, NAMED_FROM, rights)?;
        let mut region = Self { own, others, chunk, name, expected: Vec::new() };
        region.poison()?;
        Ok(region)
    }

    pub(super) fn bytes(&self) -> usize {
        self.chunk.bytes()
    }

    /// Poisons all of it, and expects the poison.
    pub(super) fn poison(&mut self) -> Result<()> {
        self.chunk.fill(0, POISON, self.chunk.bytes())?;
        self.expected = vec![POISON; self.chunk.bytes()];
        Ok(())
    }

    /// Writes bytes from the host, and expects them.
    pub(super) fn set(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        self.chunk.write(at, bytes)?;
        self.expect(at, bytes);
        Ok(())
    }

    /// Expects these bytes from now on.
    pub(super) fn expect(&mut self, at: usize, bytes: &[u8]) {
        self.expected[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Reads bytes.
    pub(super) fn read(&self, at: usize, bytes: usize) -> Result<Vec<u8>> {
        let mut read = vec![0; bytes];
        self.chunk.read(at, &mut read)?;
        Ok(read)
    }

    /// Reads a word of 8 bytes in one load.
    pub(super) fn word(&self, at: usize) -> Result<u64> {
        let mut read = [0; 8];
        self.chunk.read(at, &mut read)?;
        Ok(u64::from_ne_bytes(read))
    }

    /// Checks these bytes and those around them.
    ///
    /// # Errors
    /// A byte differs: the failure names `what`, and the first such byte.
    pub(super) fn check(&self, what: &str, at: usize, bytes: usize) -> Fine<()> {
        self.check_or(what, at, bytes, ARRIVED_WRONG)
    }

    /// As [`check`](Self::check), with other advice.
    pub(super) fn check_or(&self, what: &str, at: usize, bytes: usize, todo: &str) -> Fine<()> {
        let (from, to) = (at.saturating_sub(AROUND), (at + bytes + AROUND).min(self.bytes()));
        self.compare(what, from..to, at..at + bytes, todo)
    }

    /// Checks all bytes.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(super) fn check_all(&self, what: &str) -> Fine<()> {
        self.compare(what, 0..self.bytes(), 0..0, ARRIVED_WRONG)
    }

    fn compare(
        &self,
        what: &str,
        range: std::ops::Range<usize>,
        meant: std::ops::Range<usize>,
        todo: &str,
    ) -> Fine<()> {
        let found = self.read(range.start, range.len())?;
        let expected = &self.expected[range.clone()];
        let Some(first) = found.iter().zip(expected).position(|(found, expected)| found != expected) else {
            return Ok(());
        };
        let count = found.iter().zip(expected).filter(|(found, expected)| found != expected).count();
        let at = range.start + first;
        let place = match meant.contains(&at) {
            true => format!("byte {} of {}", at - meant.start, meant.len()),
            false => format!("outside of what was meant ({} bytes at {:#x})", meant.len(), meant.start),
        };
        let end = (first + 8).min(found.len());
        Err(wrong(
            format!("{what}, {} at {at:#x}, {place}", self.name),
            hex(&expected[first..end]),
            format!("{}, {count} bytes wrong in all", hex(&found[first..end])),
            todo,
        ))
    }

    /// Returns the data segment of these bytes, for operations of this side.
    pub(super) fn local(&self, at: usize, bytes: usize) -> Segment {
        data(bytes as u32, Key::new(self.own.mr.lkey), self.chunk.kernel() + at as u64)
    }

    /// As [`local`](Self::local), with an invalid key.
    pub(super) fn local_with_bad_key(&self, at: usize, bytes: usize) -> Segment {
        data(bytes as u32, Key::new(bad(self.own.mr.lkey)), self.chunk.kernel() + at as u64)
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
        raddr(self.chunk.kernel() + at as u64, Key::new(self.own.mr.rkey))
    }
}

/// Returns an invalid key: it differs in the byte that distinguishes keys of the same index.
fn bad(key: u32) -> u32 {
    key ^ 0x5a
}

/// Returns the bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

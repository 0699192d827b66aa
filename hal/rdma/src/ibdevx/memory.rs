//! The memory of a queue, on the host: its ring, and its doorbell record on a page after it.

use std::ptr::with_exposed_provenance;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use oxshmem_core::host::Result;
use oxshmem_raw::memory::{Chunk, Memory};

use super::nic::OpenNic;
use crate::devx_qp::{UmemParts, umem_parts};
use crate::hca::Region;
use crate::mlx5::BLOCK_BYTES;
use crate::mlx5::devx::InUmem;

/// The smallest page, in whose units commands name offsets.
const PAGE: u64 = 4096;
/// Bytes of a doorbell record: two words.
const DBR_BYTES: u64 = 8;

/// A ring of units of 64 bytes (basic blocks, or completions), and its doorbell record. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    at: u64,
    mask: u64,
    dbr: u64,
    _chunk: Arc<Chunk>,
}

impl Ring {
    /// Allocates a ring of `units` units (a power of two), filled with the byte `fill`, and a record of zeros.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(super) fn new(units: u32, fill: u8) -> Result<Self> {
        assert!(units.is_power_of_two(), "a ring of {units} units");
        let bytes = u64::from(units) * BLOCK_BYTES as u64;
        let dbr = bytes.next_multiple_of(PAGE);
        let chunk = Chunk::on_host(&Memory::Host, (dbr + PAGE) as usize)?;
        chunk.fill(0, fill, bytes as usize)?;
        // A chunk on the host has a host address.
        let at = chunk.host().unwrap_or_default();
        Ok(Self { at, mask: u64::from(units) - 1, dbr: at + dbr, _chunk: Arc::new(chunk) })
    }

    /// Returns the number of units.
    #[inline(always)]
    pub(super) fn units(&self) -> u64 {
        self.mask + 1
    }

    /// Returns the unit at an index, which counts on around the ring, as words of 8 bytes.
    #[inline(always)]
    pub(super) fn block(&self, index: u64) -> &[AtomicU64; BLOCK_BYTES / 8] {
        let at = self.at + (index & self.mask) * BLOCK_BYTES as u64;
        // SAFETY: the unit is in the chunk, which is on the host, aligned, and lives as long as `self`. All access to it
        // is atomic.
        unsafe { &*with_exposed_provenance(at as usize) }
    }

    /// Returns the word of 4 bytes at offset `offset` (a multiple of 4) of the unit at an index.
    #[inline(always)]
    pub(super) fn word(&self, index: u64, offset: usize) -> &AtomicU32 {
        let at = self.at + (index & self.mask) * BLOCK_BYTES as u64;
        // SAFETY: as in `block`; the type has no padding, and each of its words is an atomic.
        let words: &[AtomicU32; BLOCK_BYTES / 4] = unsafe { &*with_exposed_provenance(at as usize) };
        &words[offset / 4]
    }

    /// Returns the words of the doorbell record.
    #[inline(always)]
    pub(super) fn dbr(&self) -> &[AtomicU32; 2] {
        // SAFETY: the record is in the chunk, on the page after the ring, which lives as long as `self`. All access to it
        // is atomic.
        unsafe { &*with_exposed_provenance(self.dbr as usize) }
    }
}

/// A ring that commands can name. Its memory outlives the NIC's use of it.
#[derive(Debug)]
pub(super) struct NamedRing {
    umem: UmemParts<OpenNic>,
    pub(super) ring: Ring,
}

impl NamedRing {
    /// Allocates as [`Ring::new`].
    ///
    /// # Errors
    /// There is not enough memory, or the NIC refuses it.
    pub(super) fn new(nic: &Arc<OpenNic>, units: u32, fill: u8) -> Result<Self> {
        let ring = Ring::new(units, fill)?;
        let record = ring.dbr - ring.at;
        let parts = [(0, ring.units() * BLOCK_BYTES as u64), (record, DBR_BYTES)];
        let umem = umem_parts(nic, Region::Address(ring.at), record + PAGE, &parts)?;
        Ok(Self { umem, ring })
    }

    /// Returns the places of the ring and the record, for commands.
    pub(super) fn places(&self) -> (InUmem, InUmem) {
        (self.umem.places[0], self.umem.places[1])
    }
}

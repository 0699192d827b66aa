//! The keys of heap extents, this PE's and its peers', and of registered buffers: each NIC has its own.

use std::sync::Arc;

use crate::state::{ExtentKeys, LocalKeys, MAX_EXTENTS, MAX_LOCALS};
use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Extent, Result};
use oxshmem_raw::memory::{ExtentSlots, Memory, MemoryAddress};
use oxshmem_raw::queue::host::{BufferTable, ExtentOffer, Magic, RemoteKey, extent_offer};
use oxshmem_rdma::hca::access;
use oxshmem_rdma::mlx5::Key;
use oxshmem_rdma::registrar::HEAP_ACCESS;

use super::setup::Setup;
use super::setup::nic::{Nic, Registration};
use super::tables::Tables;

/// The first bytes of an extent's offer; the last one is the version.
pub(in crate::host) const MAGIC: Magic = *b"IBK\x02";

/// All registered memory.
#[derive(Debug)]
pub(in crate::host) struct MemoryKeys {
    slots: ExtentSlots,
    /// By slot; `None` in a gap of the heap.
    extents: Vec<Option<OwnExtent>>,
    /// The number of slots that kernels see. Every peer's keys of their extents are here.
    published: usize,
    /// The registrations of a buffer are by NIC.
    buffers: BufferTable<Vec<Registration>>,
    /// Whether the registration of a host buffer for kernels of a GPU was ever requested.
    has_host_buffers: bool,
}

/// An extent of this PE's heap, and the peers' extents at the same offset.
#[derive(Debug)]
struct OwnExtent {
    extent: Extent,
    /// By NIC of this PE.
    own: Vec<Registration>,
    /// By PE, then by NIC of that PE; `None` before its offer was accepted.
    rkeys: Vec<Option<Vec<u32>>>,
}

/// The first extent, of which each queue has its own copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::host) struct FirstExtent {
    pub(in crate::host) end: u64,
    pub(in crate::host) lkey: u32,
    pub(in crate::host) rkey: u32,
}

impl Default for MemoryKeys {
    fn default() -> Self {
        let buffers = BufferTable::new(MAX_LOCALS as usize);
        Self { slots: ExtentSlots::default(), extents: Vec::new(), published: 0, buffers, has_host_buffers: false }
    }
}

impl MemoryKeys {
    /// Registers an extent of this PE's heap, which is at `address`, with every NIC, and returns the offer to the
    /// peers.
    ///
    /// # Errors
    /// There are too many extents, it neither follows the last one nor fits into a gap, or a NIC can't reach it. Then
    /// nothing is registered.
    pub(in crate::host) fn offer(
        &mut self,
        setup: &Setup,
        tables: &mut Tables,
        address: &MemoryAddress,
        extent: Extent,
    ) -> Result<Vec<u8>> {
        let action = || format!("register {} bytes of the symmetric heap at offset {:#x}", extent.bytes, extent.offset);
        let count = self.slots.count() as u64;
        if count >= MAX_EXTENTS.into() && !self.slots.fits(extent) {
            return Err(Error::new(ErrorKind::Exhausted, action())
                .amount(count + 1, MAX_EXTENTS.into(), "extents")
                .hint("start with a larger heap: OXSHMEM_SYMMETRIC_SIZE"));
        }
        let relaxed = setup.config.relaxed_ordering;
        let rights = HEAP_ACCESS | if relaxed { access::RELAXED_ORDERING } else { 0 };
        let mut slots = self.slots.clone();
        let slot = slots.insert(extent)?;
        let register = |nic: &Arc<Nic>| nic.register("the heap", address, extent.bytes, extent.offset, rights);
        let own = setup.nics.iter().map(register).collect::<Result<Vec<_>>>()?;
        let keys = own.iter().map(|own| RemoteKey::of_rkey(own.mr.rkey, extent.offset)).collect();
        self.slots = slots;
        self.extents.resize_with(self.slots.count(), || None);
        let own = self.extents[slot].insert(OwnExtent { extent, own, rkeys: vec![None; setup.remote.len()] });
        let written = own.own.iter().enumerate().try_for_each(|(nic, own)| {
            let keys = ExtentKeys { end: extent.offset + extent.bytes, lkey: Key::new(own.mr.lkey).wire(), unused: 0 };
            tables.set_extent(nic, slot as u32, &keys)
        });
        let published = written
            .and_then(|()| self.write_gaps(setup.nics.len(), tables))
            .and_then(|()| self.publish(tables, &setup.remote));
        published.inspect_err(|_| self.withdraw(setup.nics.len(), tables, extent))?;
        Ok(ExtentOffer { relaxed, keys }.encode(MAGIC))
    }

    /// Takes the keys of a peer's extent, and publishes the extent to kernels once all remote PEs have offered theirs.
    ///
    /// # Errors
    /// The offer has another form, the peer has another number of NICs than in its first offer, or this PE has no such
    /// extent.
    pub(in crate::host) fn accept(
        &mut self,
        setup: &Setup,
        tables: &mut Tables,
        pe: Pe,
        extent: Extent,
        offer: &[u8],
    ) -> Result<()> {
        let first = self.extents.first().and_then(Option::as_ref);
        let known = first.and_then(|first| first.rkeys[pe.index()].as_ref()).map(Vec::len);
        let ExtentOffer { relaxed, keys } = ExtentOffer::decode(MAGIC, pe, offer, known)?;
        let slot = self.slots.slot_of(extent);
        let Some((index, own)) = slot.and_then(|slot| Some((slot, self.extents[slot].as_mut()?))) else {
            return Err(Error::new(ErrorKind::Mismatch, format!("reach the heap of {pe}"))
                .because(format!("this PE has no extent of {} bytes at offset {:#x}", extent.bytes, extent.offset))
                .about(pe));
        };
        // Kernels address a peer's heap by offsets.
        let rkey = |key: &RemoteKey| key.rkey().filter(|_| key.address == extent.offset);
        let rkeys: Vec<u32> = keys.iter().map(rkey).collect::<Option<_>>().ok_or_else(|| {
            extent_offer::malformed(pe, "its keys are not those of verbs registrations at the extent's offset")
        })?;
        tables.add_peer_nics(rkeys.len())?;
        for (nic, rkey) in rkeys.iter().enumerate() {
            tables.set_rkey(index as u32, pe, nic, Key::new(*rkey).wire())?;
        }
        if relaxed {
            // Writes of this PE to that heap arrive in any order, independent of the registration of its own heap.
            tables.set_relaxed()?;
        }
        own.rkeys[pe.index()] = Some(rkeys);
        self.publish(tables, &setup.remote)
    }

    /// Forgets an extent, which no kernel uses any more, and its registrations with the PE's `nics` NICs. Does nothing if
    /// the extent is unknown.
    pub(in crate::host) fn withdraw(&mut self, nics: usize, tables: &mut Tables, extent: Extent) {
        let Some(slot) = self.slots.remove(extent) else { return };
        self.published = self.published.min(self.slots.count());
        // The table is written also if the extent was not published: publishing may have failed half way. An error here
        // leaves keys in the table that the NICs refuse.
        let _ = tables.publish_extents(self.published as u32);
        if slot < self.slots.count() {
            let _ = self.write_gaps(nics, tables).and_then(|()| tables.clear_rkeys(slot as u32));
        }
        // Kernels find the registrations no more when they are given back.
        self.extents[slot] = None;
        self.extents.truncate(self.slots.count());
    }

    /// Writes the ends of empty slots, which have no keys, so that kernels find no extent in a gap.
    fn write_gaps(&self, nics: usize, tables: &Tables) -> Result<()> {
        let mut gaps = (0..nics).flat_map(|nic| self.slots.empty().map(move |(slot, gap)| (nic, slot, gap)));
        gaps.try_for_each(|(nic, slot, gap)| {
            let keys = ExtentKeys { end: gap.offset + gap.bytes, lkey: 0, unused: 0 };
            tables.set_extent(nic, slot as u32, &keys)
        })
    }

    /// Publishes to kernels the slots of extents for which all remote PEs have offered their keys.
    fn publish(&mut self, tables: &mut Tables, remote: &[bool]) -> Result<()> {
        let has_all = |own: &OwnExtent| own.rkeys.iter().zip(remote).all(|(rkeys, remote)| rkeys.is_some() || !remote);
        while self.extents.get(self.published).is_some_and(|slot| slot.as_ref().is_none_or(has_all)) {
            tables.publish_extents(self.published as u32 + 1)?;
            self.published += 1;
        }
        Ok(())
    }

    /// Returns the first extent as a queue from NIC `nic` of this PE to NIC `peer_nic` of `pe` uses it; `None` before
    /// it was published, or if one of them has no such NIC.
    pub(in crate::host) fn first(&self, pe: Pe, nic: usize, peer_nic: usize) -> Option<FirstExtent> {
        let first = self.extents[..self.published].first()?.as_ref()?;
        Some(FirstExtent {
            end: first.extent.offset + first.extent.bytes,
            lkey: Key::new(first.own.get(nic)?.mr.lkey).wire(),
            rkey: Key::new(*first.rkeys[pe.index()].as_ref()?.get(peer_nic)?).wire(),
        })
    }

    /// Returns the key of heap offset `at` of `pe` on its first NIC, and the number of bytes from `at` on that it
    /// covers.
    pub(in crate::host) fn remote(&self, pe: Pe, at: u64) -> Option<(u32, u64)> {
        let contains = |extent: &Extent| (extent.offset..extent.offset + extent.bytes).contains(&at);
        let own = self.extents[..self.published].iter().flatten().find(|own| contains(&own.extent))?;
        Some((*own.rkeys[pe.index()].as_ref()?.first()?, own.extent.offset + own.extent.bytes - at))
    }

    /// Returns whether the registration of a host buffer for kernels of a GPU was ever requested.
    pub(in crate::host) fn has_host_buffers(&self) -> bool {
        self.has_host_buffers
    }

    /// Records that a buffer at `address` will be registered, and returns whether it is the first one on the host for
    /// the kernels of a GPU.
    pub(in crate::host) fn is_first_host_buffer(&mut self, memory: &Memory, address: &MemoryAddress) -> bool {
        let is_host_buffer = matches!((address, memory), (MemoryAddress::Host(_), Memory::Gpu(_)));
        let is_first = is_host_buffer && !self.has_host_buffers;
        self.has_host_buffers |= is_host_buffer;
        is_first
    }

    /// Registers a buffer of the program, which is at `address`, with every NIC.
    ///
    /// # Errors
    /// It is empty or overlaps a registered one, there are too many, or a NIC can't reach it. Then it is registered
    /// with none.
    pub(in crate::host) fn add_buffer(
        &mut self,
        setup: &Setup,
        tables: &mut Tables,
        address: &MemoryAddress,
        bytes: u64,
    ) -> Result<()> {
        let (MemoryAddress::Host(start) | MemoryAddress::Device(_, start)) = *address;
        let slot = self.buffers.free_slot(start, bytes)?;
        let register = |nic: &Arc<Nic>| nic.register("a registered buffer", address, bytes, start, access::LOCAL_WRITE);
        let own = setup.nics.iter().map(register).collect::<Result<Vec<_>>>()?;
        let write = |(nic, own): (usize, &Registration)| {
            let end = start + bytes;
            let keys = LocalKeys { start, end, lkey: Key::new(own.mr.lkey).wire(), unused: 0, iova: start };
            tables.set_local(nic, slot as u32, &keys)
        };
        let mut written = own.iter().enumerate().try_for_each(write);
        if slot == self.buffers.slots() {
            written = written.and_then(|()| tables.publish_locals(slot as u32 + 1));
        }
        if written.is_err() {
            // No kernel may find the keys of a registration that is given back.
            let _ = tables.clear_local(slot as u32);
            return written;
        }
        self.buffers.insert(slot, start, bytes, own);
        Ok(())
    }

    /// Gives a buffer's registrations back; kernels must no longer use it.
    ///
    /// # Errors
    /// None begins at `address`, or the device's memory can't be written.
    pub(in crate::host) fn remove_buffer(&mut self, tables: &Tables, address: u64) -> Result<()> {
        let slot = self.buffers.slot_of(address)?;
        tables.clear_local(slot as u32)?;
        drop(self.buffers.remove(slot));
        Ok(())
    }
}

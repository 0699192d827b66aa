//! Registrations of one NIC, and the keys that its progress threads use.

use std::sync::{Arc, PoisonError, RwLock};

use oxshmem_core::host::{Extent, Result};
use oxshmem_raw::memory::ExtentSlots;
use oxshmem_rdma::fabric::Handle;

use crate::host::memory::keys::{Keys, RegisteredBuffer, RegisteredRange};
use crate::host::setup::nic::Nic;

/// Registrations of a NIC, given back when it is dropped.
#[derive(Debug)]
pub(in crate::host) struct Registrations {
    pub(in crate::host) nic: Arc<Nic>,
    pub(in crate::host) keys: Arc<RwLock<Arc<Keys>>>,
    slots: ExtentSlots,
    /// Registrations of heap extents, by slot.
    extents: Vec<Option<Handle>>,
    /// Registered buffers by address.
    buffers: Vec<(u64, Handle)>,
}

impl Registrations {
    pub(in crate::host) fn new(nic: Arc<Nic>) -> Self {
        Self { nic, keys: Arc::default(), slots: ExtentSlots::default(), extents: Vec::new(), buffers: Vec::new() }
    }

    /// Returns the current keys.
    #[cfg(test)]
    pub(in crate::host) fn keys(&self) -> Arc<Keys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the keys. Progress threads use the new ones from their next round on.
    fn change(&self, change: impl FnOnce(&mut Keys)) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = (**keys).clone();
        change(&mut next);
        *keys = Arc::new(next);
    }

    /// Adds an extent of this PE's heap, which kernels have at `heap`: the next one, or one in a gap.
    ///
    /// # Errors
    /// It is neither. The registration is given back.
    pub(in crate::host) fn add_extent(
        &mut self,
        extent: Extent,
        heap: u64,
        mr: Handle,
        own: RegisteredRange,
    ) -> Result<()> {
        let slot = self.slots.insert(extent).inspect_err(|_| drop(self.nic.device.deregister(mr)))?;
        self.extents.resize(self.slots.count(), None);
        self.extents[slot] = Some(mr);
        self.change_slots(|keys| {
            keys.own = heap;
            keys.local[slot] = own;
        });
        Ok(())
    }

    /// Gives back an extent. Does nothing if it is unknown.
    ///
    /// # Errors
    /// The device refuses. The extent is forgotten in any case.
    pub(in crate::host) fn forget_extent(&mut self, extent: Extent) -> Result<()> {
        let Some(slot) = self.slots.remove(extent) else { return Ok(()) };
        let mr = self.extents[slot].take();
        self.extents.truncate(self.slots.count());
        self.change_slots(|keys| {
            let all = keys.remote.iter_mut().chain([&mut keys.local]);
            all.filter_map(|ranges| ranges.get_mut(slot)).for_each(|range| *range = RegisteredRange::default());
        });
        mr.map_or(Ok(()), |mr| self.nic.device.deregister(mr))
    }

    /// Changes the keys after the slots of the extents have changed.
    fn change_slots(&self, change: impl FnOnce(&mut Keys)) {
        let count = self.slots.count();
        let mut starts = vec![0; count];
        self.slots.empty().for_each(|(slot, gap)| starts[slot] = gap.offset);
        (0..count)
            .filter_map(|slot| Some((slot, self.slots.extent(slot)?)))
            .for_each(|(slot, own)| starts[slot] = own.offset);
        self.change(|keys| {
            keys.extents = starts;
            let all = keys.remote.iter_mut().chain([&mut keys.local]);
            all.for_each(|ranges| ranges.resize(count, RegisteredRange::default()));
            change(keys);
        });
    }

    /// Returns the slot of an extent of this PE.
    pub(in crate::host) fn place(&self, extent: Extent) -> Option<usize> {
        self.slots.slot_of(extent)
    }

    /// Adds the peers' registrations of the extent in slot `index`, each with the number of the peer's NIC.
    pub(in crate::host) fn add_remote(&self, index: usize, peers: impl Iterator<Item = (usize, RegisteredRange)>) {
        let count = self.extents.len();
        self.change(|keys| {
            for (peer, registered) in peers {
                if keys.remote.len() <= peer {
                    keys.remote.resize_with(peer + 1, Vec::new);
                }
                keys.remote[peer].resize(count, RegisteredRange::default());
                keys.remote[peer][index] = registered;
            }
        });
    }

    /// Adds a buffer that the program registered.
    pub(in crate::host) fn add_buffer(&mut self, address: u64, mr: Handle, registered: RegisteredRange) {
        self.buffers.push((address, mr));
        self.change(|keys| keys.buffers.push(RegisteredBuffer { start: address, registered }));
    }

    /// Gives back the buffer at `address`, if there is one.
    ///
    /// # Errors
    /// The device refuses. The buffer is forgotten in any case.
    pub(in crate::host) fn forget_buffer(&mut self, address: u64) -> Result<()> {
        let Some(at) = self.buffers.iter().position(|(start, _)| *start == address) else { return Ok(()) };
        self.change(|keys| keys.buffers.retain(|buffer| buffer.start != address));
        let (_, mr) = self.buffers.swap_remove(at);
        self.nic.device.deregister(mr)
    }
}

impl Drop for Registrations {
    fn drop(&mut self) {
        // The device releases registrations that can't be given back here.
        let all = self.extents.iter().flatten().chain(self.buffers.iter().map(|(_, mr)| mr));
        all.for_each(|mr| drop(self.nic.device.deregister(*mr)));
    }
}

//! Registrations of one NIC, and the keys that its progress threads use.

use std::sync::{Arc, PoisonError, RwLock};

use oxshmem_core::host::{Extent, Result};
use oxshmem_raw::fabric::Handle;

use crate::host::memory::keys::{Keys, RegisteredBuffer, RegisteredRange};
use crate::host::setup::nic::Nic;

/// Registrations of a NIC, given back when it is dropped.
#[derive(Debug)]
pub(in crate::host) struct Registrations {
    pub(in crate::host) nic: Arc<Nic>,
    pub(in crate::host) keys: Arc<RwLock<Arc<Keys>>>,
    /// Heap extents in order.
    extents: Vec<(Extent, Handle)>,
    /// Registered buffers by address.
    buffers: Vec<(u64, Handle)>,
}

impl Registrations {
    pub(in crate::host) fn new(nic: Arc<Nic>) -> Self {
        Self { nic, keys: Arc::default(), extents: Vec::new(), buffers: Vec::new() }
    }

    /// Returns the current keys.
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

    /// Adds this PE's next extent, which kernels have at `address`.
    pub(in crate::host) fn add_extent(&mut self, extent: Extent, address: u64, mr: Handle, own: RegisteredRange) {
        self.extents.push((extent, mr));
        let count = self.extents.len();
        self.change(|keys| {
            keys.own = address - extent.offset;
            keys.extents.push(extent.offset);
            keys.local.push(own);
            keys.remote.iter_mut().for_each(|remote| remote.resize(count, RegisteredRange::default()));
        });
    }

    /// Gives back the extents from heap offset `from` on.
    ///
    /// # Errors
    /// The device refuses. The extents are forgotten in any case.
    pub(in crate::host) fn forget_extents(&mut self, from: u64) -> Result<()> {
        let kept = self.extents.iter().take_while(|(extent, _)| extent.offset < from).count();
        if kept == self.extents.len() {
            return Ok(());
        }
        self.change(|keys| {
            keys.extents.truncate(kept);
            keys.local.truncate(kept);
            keys.remote.iter_mut().for_each(|remote| remote.truncate(kept));
        });
        let mut gone = Ok(());
        for (_, mr) in self.extents.drain(kept..) {
            gone = gone.and(self.nic.device.deregister(mr));
        }
        gone
    }

    /// Returns the number of an extent of this PE.
    pub(in crate::host) fn place(&self, extent: Extent) -> Option<usize> {
        self.extents.iter().position(|(own, _)| *own == extent)
    }

    /// Adds the peers' registrations of extent number `index`, each with the number of the peer's NIC.
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

    /// Returns whether a buffer begins at `address`.
    pub(in crate::host) fn has_buffer(&self, address: u64) -> bool {
        self.buffers.iter().any(|(start, _)| *start == address)
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
        let all = self.extents.iter().map(|(_, mr)| mr).chain(self.buffers.iter().map(|(_, mr)| mr));
        all.for_each(|mr| drop(self.nic.device.deregister(*mr)));
    }
}

//! Registrations of this side, and the keys that peers announced.

use std::collections::HashMap;

use oxshmem_rdma::fabric::Local;

use super::envelope::PeerKey;
use crate::ucp::memory::Registered;

/// The memory that a device knows.
#[derive(Debug, Default)]
pub(super) struct Regions {
    /// By handle.
    own: HashMap<u64, Registered>,
    /// By number, from 1 on.
    of_peers: Vec<PeerKey>,
}

impl Regions {
    pub(super) fn insert(&mut self, handle: u64, region: Registered) {
        self.own.insert(handle, region);
    }

    /// Ends a registration, and returns whether there was one.
    pub(super) fn remove(&mut self, handle: u64) -> bool {
        self.own.remove(&handle).is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.own.len()
    }

    /// Adds a peer's key and returns its number.
    pub(super) fn import(&mut self, key: PeerKey) -> u64 {
        self.of_peers.push(key);
        self.of_peers.len() as u64
    }

    /// Returns the registration `key` of this side if all of the bytes are in it.
    pub(super) fn local(&self, key: u64, at: u64, bytes: u32) -> Option<&Registered> {
        self.own.get(&key).filter(|region| region.contains(at, bytes))
    }

    /// Returns the peer's key of number `key` if all of the bytes are in its memory.
    pub(super) fn remote(&self, key: u64, at: u64, bytes: u32) -> Option<&PeerKey> {
        let index = usize::try_from(key.checked_sub(1)?).ok()?;
        self.of_peers.get(index).filter(|key| key.contains(at, bytes))
    }

    /// Stores a fetched word. Returns whether its memory is still registered.
    pub(super) fn store(&self, local: &Local, word: u64) -> bool {
        match *local {
            Local::Memory { address, bytes, key } => {
                self.own.get(&key).is_some_and(|region| region.store(address, bytes, word))
            }
            Local::Inline { .. } => false,
        }
    }
}

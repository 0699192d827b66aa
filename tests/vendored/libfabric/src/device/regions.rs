//! Registrations, by handle and by the keys that peers name.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;

use oxshmem_rdma::fabric::{AtomicRequest, Local, Status};

use crate::libfabric::memory::{NoWord, Registered, size};

/// The registrations of a device.
#[derive(Debug, Default)]
pub(super) struct Regions {
    all: HashMap<u64, Registered>,
    /// Handles of those that are for peers, by key.
    keys: HashMap<u64, u64>,
}

impl Regions {
    pub(super) fn insert(&mut self, handle: u64, region: Registered, remote: bool) {
        if remote {
            self.keys.insert(region.key(), handle);
        }
        self.all.insert(handle, region);
    }

    /// Ends a registration, and returns whether there was one.
    pub(super) fn remove(&mut self, handle: u64) -> bool {
        self.keys.retain(|_, of| *of != handle);
        self.all.remove(&handle).is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the descriptor of a request's local memory.
    pub(super) fn descriptor(&self, local: &Local) -> *mut c_void {
        match local {
            Local::Memory { key, .. } => self.all.get(key).map_or(null_mut(), Registered::descriptor),
            Local::Inline { .. } => null_mut(),
        }
    }

    /// Executes a peer's atomic, and returns the previous value of the word.
    pub(super) fn change(&self, key: u64, remote: u64, atomic: &AtomicRequest) -> Result<u64, Status> {
        let region = self.keys.get(&key).and_then(|handle| self.all.get(handle)).ok_or(Status::RemoteAccess)?;
        region.change(remote, atomic).map_err(|reason| match reason {
            NoWord::Outside => Status::RemoteAccess,
            NoWord::Misaligned | NoWord::Unknown => Status::RemoteRequest,
        })
    }

    /// Checks that the word which an atomic fetches has registered memory.
    pub(super) fn admits(&self, local: &Local, atomic: &AtomicRequest) -> Result<(), Status> {
        match *local {
            Local::Memory { bytes, .. } if Some(bytes) != size(atomic.of) => Err(Status::Length),
            Local::Memory { address, bytes, key }
                if self.all.get(&key).is_some_and(|region| region.contains(address, bytes)) =>
            {
                Ok(())
            }
            _ => Err(Status::LocalProtection),
        }
    }

    /// Stores a fetched word. Returns whether its memory is still registered.
    pub(super) fn store(&self, local: &Local, word: u64) -> bool {
        match *local {
            Local::Memory { address, bytes, key } => {
                self.all.get(&key).is_some_and(|region| region.store(address, bytes, word))
            }
            Local::Inline { .. } => false,
        }
    }
}

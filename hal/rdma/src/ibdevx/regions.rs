//! Registered memory by key, for results that the NIC writes in the network's byte order.

use std::collections::HashMap;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::fabric::{Handle, MemoryRequest, Region};

/// Bytes of a short result.
const SHORT: u64 = 4;

/// A registered range.
#[derive(Clone, Copy, Debug)]
struct Registered {
    handle: Handle,
    /// The first byte in work requests, and in this process. The latter is `None` for memory that the host does not
    /// reach.
    base: u64,
    address: Option<u64>,
    bytes: u64,
}

/// The registered memory of a device.
#[derive(Debug, Default)]
pub(super) struct Regions(RwLock<HashMap<u32, Registered>>);

impl Regions {
    /// Records memory that was registered under `key`, with `base` as the address of its first byte in work requests.
    ///
    /// # Safety
    ///
    /// - **until**: if the host reaches the memory, its bytes are mapped until [`remove`](Self::remove) returns.
    pub(super) unsafe fn add(&self, key: u32, handle: Handle, base: u64, request: &MemoryRequest) {
        let on_host = !request.of_gpu && matches!(request.region, Region::Address(_));
        let address = on_host.then_some(request.address);
        self.write().insert(key, Registered { handle, base, address, bytes: request.bytes });
    }

    /// Forgets a region. No result in it is touched any more when the call returns.
    pub(super) fn remove(&self, handle: Handle) {
        self.write().retain(|_, region| region.handle != handle);
    }

    /// Returns the handles of all regions.
    pub(super) fn handles(&self) -> Vec<Handle> {
        self.read().values().map(|region| region.handle).collect()
    }

    /// Returns whether a short result can be at `address` of the region with this key: in host memory.
    pub(super) fn has(&self, key: u32, address: u64) -> bool {
        self.read().get(&key).and_then(|region| region.find(address)).is_some()
    }

    /// Converts the result at `address` to the host's byte order; does nothing if the region is gone.
    pub(super) fn swap(&self, key: u32, address: u64) {
        let regions = self.read();
        let Some(at) = regions.get(&key).and_then(|region| region.find(address)) else { return };
        // SAFETY: **until**: the range is in a region that was not removed, and the lock keeps it until the end of this
        // function. It is the destination of a request that has not been reported complete, so that no other code uses
        // it; arrays of bytes have no alignment.
        let mut bytes: [u8; SHORT as usize] =
            unsafe { with_exposed_provenance::<[u8; 4]>(at as usize).read_volatile() };
        bytes.reverse();
        // SAFETY: **until**: as above.
        unsafe { with_exposed_provenance_mut::<[u8; 4]>(at as usize).write_volatile(bytes) };
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<u32, Registered>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<u32, Registered>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Registered {
    /// Returns the address in this process of a short result at `address` of work requests.
    fn find(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.base)?;
        let fits = offset.checked_add(SHORT).is_some_and(|end| end <= self.bytes);
        self.address.filter(|_| fits).map(|first| first + offset)
    }
}

//! Maps host addresses for the kernels of a GPU: registers of the NIC, and memory that a library allocated.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{Context, MappedHost};

/// The page size of ordinary memory.
const PAGE: u64 = 4096;

/// An address for kernels, valid while this lives.
#[derive(Debug)]
pub(in crate::host) struct KernelMapping {
    _range: Arc<MappedHost>,
    kernel: u64,
}

impl KernelMapping {
    /// The address for kernels.
    pub(in crate::host) fn kernel(&self) -> u64 {
        self.kernel
    }
}

/// Maps ranges and shares the mappings: several queue pairs may be on a page, which can't be mapped twice.
#[derive(Debug)]
pub(in crate::host) struct HostMapper {
    context: Context,
    /// By first host address.
    ranges: HashMap<u64, Weak<MappedHost>>,
}

impl HostMapper {
    pub(in crate::host) fn new(context: &Context) -> Self {
        Self { context: context.clone(), ranges: HashMap::new() }
    }

    /// Maps a register of 8 bytes. A software NIC's registers are ordinary memory.
    ///
    /// # Errors
    /// The driver refuses. The error is that of mapping it as a register.
    ///
    /// # Safety
    ///
    /// - **mapped**: the register's page stays mapped in this process while the mapping lives.
    pub(in crate::host) unsafe fn register(&mut self, at: u64) -> Result<KernelMapping> {
        if let Some(found) = self.find(at, at).or_else(|| self.find(at, at - at % PAGE)) {
            return Ok(found);
        }
        // SAFETY: **mapped**: the caller keeps the register's page mapped while the returned mapping lives.
        match unsafe { MappedHost::registers(&self.context, at, 8) } {
            Ok(range) => Ok(self.keep(at, at, range)),
            // SAFETY: **mapped**: as ordinary memory, the register's page stays mapped for the same time.
            Err(error) => unsafe { self.memory(at, 8) }.map_err(|_| error),
        }
    }

    /// Maps the pages of a range of memory.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// # Safety
    ///
    /// - **mapped**: the pages stay mapped in this process while the mapping lives.
    pub(in crate::host) unsafe fn memory(&mut self, at: u64, bytes: u64) -> Result<KernelMapping> {
        let start = at - at % PAGE;
        if let Some(found) = self.find(at, start) {
            return Ok(found);
        }
        let whole = (at + bytes - start).next_multiple_of(PAGE);
        // SAFETY: **mapped**: the caller keeps these pages mapped while the mapping lives, and `whole` adds no other
        // page.
        let range = unsafe { MappedHost::memory(&self.context, start, whole as usize) }?;
        Ok(self.keep(at, start, range))
    }

    fn find(&self, at: u64, start: u64) -> Option<KernelMapping> {
        let range = self.ranges.get(&start)?.upgrade()?;
        Some(KernelMapping { kernel: range.device() + (at - start), _range: range })
    }

    fn keep(&mut self, at: u64, start: u64, range: MappedHost) -> KernelMapping {
        let range = Arc::new(range);
        self.ranges.retain(|_, range| range.strong_count() > 0);
        self.ranges.insert(start, Arc::downgrade(&range));
        KernelMapping { kernel: range.device() + (at - start), _range: range }
    }
}

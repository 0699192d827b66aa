//! Maps host addresses for the kernels of a GPU: registers of the NIC, and memory that a library allocated.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Weak};

use oxshmem_core::host::Result;
use oxshmem_raw::gpu::cuda::{Context, MappedHost};

/// The part of a GPU's driver that maps host addresses.
pub(in crate::host) trait MapHost: fmt::Debug + Send + Sync {
    /// Maps whole pages of a device's registers.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// # Safety
    ///
    /// - **mapped**: the pages stay mapped in this process while the mapping lives.
    unsafe fn registers(&self, at: u64, bytes: usize) -> Result<Arc<dyn MappedPages>>;

    /// Maps whole pages of ordinary memory.
    ///
    /// # Errors
    /// The driver refuses.
    ///
    /// # Safety
    ///
    /// - **mapped**: the pages stay mapped in this process while the mapping lives.
    unsafe fn memory(&self, at: u64, bytes: usize) -> Result<Arc<dyn MappedPages>>;
}

/// Pages that are mapped for kernels while this lives.
pub(in crate::host) trait MappedPages: fmt::Debug + Send + Sync {
    /// Returns the first address for kernels.
    fn kernel(&self) -> u64;
}

impl MapHost for Context {
    unsafe fn registers(&self, at: u64, bytes: usize) -> Result<Arc<dyn MappedPages>> {
        // SAFETY: **mapped** by the caller, with the same pages.
        Ok(Arc::new(unsafe { MappedHost::registers(self, at, bytes) }?))
    }

    unsafe fn memory(&self, at: u64, bytes: usize) -> Result<Arc<dyn MappedPages>> {
        // SAFETY: **mapped** by the caller, with the same pages.
        Ok(Arc::new(unsafe { MappedHost::memory(self, at, bytes) }?))
    }
}

impl MappedPages for MappedHost {
    fn kernel(&self) -> u64 {
        self.device()
    }
}

/// An address for kernels, valid while this lives.
#[derive(Debug)]
pub(in crate::host) struct KernelMapping {
    _pages: Arc<dyn MappedPages>,
    kernel: u64,
}

impl KernelMapping {
    /// Returns the address for kernels.
    pub(in crate::host) fn kernel(&self) -> u64 {
        self.kernel
    }
}

/// Maps pages once and shares the mappings: several registers and queue pairs may be on a page, which can't be mapped
/// twice. The last user of a page ends its mapping.
#[derive(Debug)]
pub(in crate::host) struct HostMapper {
    driver: Box<dyn MapHost>,
    page: u64,
    /// By first host address.
    mapped: HashMap<u64, Weak<dyn MappedPages>>,
}

impl HostMapper {
    /// Returns a mapper of pages of `page` bytes.
    pub(in crate::host) fn new(driver: Box<dyn MapHost>, page: u64) -> Self {
        Self { driver, page, mapped: HashMap::new() }
    }

    /// Maps a register. A software NIC's registers are ordinary memory.
    ///
    /// # Errors
    /// The driver refuses. The error is that of mapping its page as one of registers.
    ///
    /// # Safety
    ///
    /// - **mapped**: the register's page stays mapped in this process while the mapping lives.
    pub(in crate::host) unsafe fn register(&mut self, at: u64) -> Result<KernelMapping> {
        let start = at - at % self.page;
        if let Some(found) = self.find(at, start) {
            return Ok(found);
        }
        // SAFETY: **mapped**: the caller keeps the register's page, which this is, mapped while the mapping lives.
        match unsafe { self.driver.registers(start, self.page as usize) } {
            Ok(pages) => Ok(self.keep(at, start, pages)),
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
        let start = at - at % self.page;
        if let Some(found) = self.find(at, start) {
            return Ok(found);
        }
        let whole = (at + bytes - start).next_multiple_of(self.page);
        // SAFETY: **mapped**: the caller keeps these pages mapped while the mapping lives, and `whole` adds no other
        // page.
        let pages = unsafe { self.driver.memory(start, whole as usize) }?;
        Ok(self.keep(at, start, pages))
    }

    fn find(&self, at: u64, start: u64) -> Option<KernelMapping> {
        let pages = self.mapped.get(&start)?.upgrade()?;
        Some(KernelMapping { kernel: pages.kernel() + (at - start), _pages: pages })
    }

    fn keep(&mut self, at: u64, start: u64, pages: Arc<dyn MappedPages>) -> KernelMapping {
        self.mapped.retain(|_, pages| pages.strong_count() > 0);
        self.mapped.insert(start, Arc::downgrade(&pages));
        KernelMapping { kernel: pages.kernel() + (at - start), _pages: pages }
    }
}

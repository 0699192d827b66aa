//! The operating system and the launcher: shared memory, descriptors, registers of devices, PMIx.

pub mod mmio;
pub mod pmix;
pub mod shm;

/// The page size of the system in bytes.
pub fn page_bytes() -> u64 {
    // SAFETY: `sysconf` accepts any name.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(4096)
}

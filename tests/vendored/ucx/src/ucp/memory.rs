//! Registered memory.

use std::ptr::null_mut;
use std::sync::Arc;

use oxshmem_core::host::Result;

use super::ffi::{
    UCP_MEM_MAP_PARAM_FIELD_ADDRESS, UCP_MEM_MAP_PARAM_FIELD_LENGTH, UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE,
    UCP_MEM_MAP_PARAM_FIELD_PROT, UCP_MEM_MAP_PROT_LOCAL_READ, UCP_MEM_MAP_PROT_LOCAL_WRITE,
    UCP_MEM_MAP_PROT_REMOTE_READ, UCP_MEM_MAP_PROT_REMOTE_WRITE, UCS_MEMORY_TYPE_HOST, ucp_mem, ucp_mem_map_params,
};
use super::worker::{Context, Packed};

/// A registration; gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(super) at: *mut ucp_mem,
    context: Arc<Context>,
    /// Address and number of the bytes.
    base: u64,
    bytes: u64,
}

// SAFETY: the registration belongs to a context that was made for several threads.
unsafe impl Send for Registered {}

impl Registered {
    /// Registers memory of the host, for peers if `remote`.
    ///
    /// # Errors
    /// UCX refuses.
    ///
    /// # Safety
    ///
    /// - **mapped**: the memory stays mapped, for reads and writes, until the registration is dropped.
    pub(crate) unsafe fn new(context: Arc<Context>, base: u64, bytes: u64, remote: bool) -> Result<Self> {
        let local = UCP_MEM_MAP_PROT_LOCAL_READ | UCP_MEM_MAP_PROT_LOCAL_WRITE;
        let of_peers = if remote { UCP_MEM_MAP_PROT_REMOTE_READ | UCP_MEM_MAP_PROT_REMOTE_WRITE } else { 0 };
        let params = ucp_mem_map_params {
            field_mask: UCP_MEM_MAP_PARAM_FIELD_ADDRESS
                | UCP_MEM_MAP_PARAM_FIELD_LENGTH
                | UCP_MEM_MAP_PARAM_FIELD_PROT
                | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE,
            address: base as *mut _,
            length: bytes as usize,
            flags: 0,
            prot: local | of_peers,
            memory_type: UCS_MEMORY_TYPE_HOST,
        };
        let mut at = null_mut();
        // SAFETY: **mapped** of this function; `context` holds the context, and the parameters are alive.
        let status = unsafe { (context.library.ucp_mem_map)(context.at, &params, &mut at) };
        context.library.check(status, "ucp_mem_map", || format!("register {bytes} bytes at {base:#x}"))?;
        Ok(Self { at, context, base, bytes })
    }

    /// Returns the key for peers, in UCX's bytes.
    ///
    /// # Errors
    /// UCX refuses.
    pub(crate) fn key(&self) -> Result<Vec<u8>> {
        let (mut at, mut bytes, library) = (null_mut(), 0, self.context.library);
        // SAFETY: **live**: this value holds the registration and its context, and the places are alive.
        let status = unsafe { (library.ucp_rkey_pack)(self.context.at, self.at, &mut at, &mut bytes) };
        library.check(status, "ucp_rkey_pack", || format!("pack the key of {} bytes", self.bytes))?;
        Ok(Packed { at, bytes, library }.bytes().to_vec())
    }

    /// Reports whether all of `bytes` bytes from address `at` on are registered.
    pub(crate) fn contains(&self, at: u64, bytes: u32) -> bool {
        is_within(self.base, self.bytes, at, bytes)
    }

    /// Stores a fetched word of `bytes` bytes, 4 or 8, at address `at`. Returns whether all of it is registered.
    pub(crate) fn store(&self, at: u64, bytes: u32, word: u64) -> bool {
        if !self.contains(at, bytes) {
            return false;
        }
        match bytes {
            // SAFETY: **mapped** of `new`, and the bytes are inside. The transport keeps them unused until the
            // completion of the atomic, so that no other thread accesses them.
            4 => unsafe { (at as *mut u32).write_unaligned(word as u32) },
            // SAFETY: **mapped** of `new`, and the bytes are inside. The transport keeps them unused until the
            // completion of the atomic, so that no other thread accesses them.
            8 => unsafe { (at as *mut u64).write_unaligned(word) },
            _ => return false,
        }
        true
    }
}

/// Reports whether `bytes` bytes from `at` on are within `all` bytes from `base` on.
pub(crate) fn is_within(base: u64, all: u64, at: u64, bytes: u32) -> bool {
    at.checked_sub(base).and_then(|offset| offset.checked_add(bytes.into())).is_some_and(|end| end <= all)
}

impl Drop for Registered {
    fn drop(&mut self) {
        // SAFETY: **live**: this value holds the registration, and ends here. A failure leaves nothing to do.
        unsafe { (self.context.library.ucp_mem_unmap)(self.context.at, self.at) };
    }
}

#[cfg(test)]
mod tests {
    use super::is_within;

    #[test]
    fn a_range_is_within_if_all_of_its_bytes_are() {
        assert!(is_within(100, 16, 100, 16) && is_within(100, 16, 115, 1) && is_within(100, 16, 116, 0));
        for (at, bytes) in [(99, 1), (100, 17), (116, 1), (u64::MAX, 8), (0, 8)] {
            assert!(!is_within(100, 16, at, bytes), "{at} {bytes}");
        }
        assert!(!is_within(u64::MAX - 8, 8, u64::MAX - 4, 8), "it would wrap");
    }
}

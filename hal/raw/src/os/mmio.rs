//! Stores of the CPU to a device's registers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Stores a word to a register, after all earlier stores, and sends it on its way at once.
///
/// A BlueFlame register is mapped write-combining: without the flush the store may wait in the CPU's buffer for as long
/// as no other store displaces it. Source: rdma-core, `mmio_flush_writes` in `util/udma_barrier.h`.
///
/// # Safety
///
/// - **mapped**: `register` is mapped for writing and aligned to 8 bytes, and all access to it is atomic.
#[inline(never)]
pub unsafe fn store_u64(register: *mut u64, value: u64) {
    // SAFETY: **mapped** by the caller.
    unsafe { AtomicU64::from_ptr(register) }.store(value, Ordering::Release);
    flush();
}

/// Copies 64 bytes to a write-combining register in one burst, after all earlier stores, and sends them on their way
/// at once.
///
/// Stores to such a register may pass earlier ones to ordinary memory, so that a fence is before them as well. Source:
/// rdma-core, `mmio_wc_start`.
///
/// # Safety
///
/// - **mapped**: at `register` are 64 bytes, aligned to 64, that are mapped for writing, and all access to them is
///   atomic.
#[inline(always)]
pub unsafe fn store_block(register: *mut u64, block: &[u64; 8]) {
    flush();
    for (number, word) in block.iter().enumerate() {
        // SAFETY: **mapped** by the caller, and `number` is below 8.
        unsafe { AtomicU64::from_ptr(register.add(number)) }.store(*word, Ordering::Relaxed);
    }
    flush();
}

/// Stores a word to a write-combining register, after all earlier stores, and sends it on its way at once.
///
/// # Safety
///
/// - **mapped**: as for [`store_u64`].
#[inline(always)]
pub unsafe fn store_combining(register: *mut u64, value: u64) {
    flush();
    // SAFETY: **mapped** by the caller.
    unsafe { AtomicU64::from_ptr(register) }.store(value, Ordering::Release);
    flush();
}

/// Empties the CPU's buffer of combined writes.
#[inline(always)]
fn flush() {
    cfg_if::cfg_if! {
        if #[cfg(target_arch = "x86_64")] {
            // SAFETY: a fence accesses no memory of its own.
            unsafe { core::arch::asm!("sfence", options(nostack, preserves_flags)) }
        } else if #[cfg(target_arch = "aarch64")] {
            // SAFETY: a barrier accesses no memory of its own.
            unsafe { core::arch::asm!("dsb st", options(nostack, preserves_flags)) }
        } else {
            std::sync::atomic::fence(Ordering::SeqCst)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_stored_whole_and_nothing_beside_it() {
        #[repr(align(64))]
        struct Register([AtomicU64; 16]);
        let register = Register([const { AtomicU64::new(9) }; 16]);
        // SAFETY: **mapped**: the words are the test's own, and the first is aligned.
        unsafe { store_block(register.0[0].as_ptr(), &[0, 1, 2, 3, 4, 5, 6, 7]) };
        // SAFETY: **mapped**: as above.
        unsafe { store_combining(register.0[8].as_ptr(), 8) };
        let stored = register.0.each_ref().map(|word| word.load(Ordering::Relaxed));
        assert_eq!(stored, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9]);
    }

    #[test]
    fn a_store_to_a_register_is_stored_and_its_code_has_the_flush() {
        let register = AtomicU64::new(0);
        // SAFETY: **mapped**: the word is the test's own.
        unsafe { store_u64(register.as_ptr(), 7) };
        assert_eq!(register.load(Ordering::Relaxed), 7);
        // Ordinary memory shows no difference, so the test searches the function's instructions.
        let flush: &[u8] = match () {
            () if cfg!(target_arch = "x86_64") => &[0x0f, 0xae, 0xf8],
            () if cfg!(target_arch = "aarch64") => &[0x9f, 0x3e, 0x03, 0xd5],
            () => return,
        };
        // SAFETY: the function is longer than its store, and the code that follows it in the test is longer than this.
        let code = unsafe { std::slice::from_raw_parts(store_u64 as *const () as *const u8, 96) };
        let found = code.windows(flush.len()).position(|bytes| bytes == flush);
        assert!(found.is_some(), "{code:02x?}");
    }
}

//! Bulk copies through shared memory: one thread starts them, and the SM's copy engine moves the bytes.
//!
//! The instructions exist from sm_90 on, and only in builds for such an architecture ([`HAS_BULK`]). Shared memory is
//! named by its address in the block's window, as in PTX. On the host it is named by the offset in the block's dynamic
//! shared memory, and a copy completes immediately.

/// Whether this build has the instructions of this file. If not, none of them may be called.
pub const HAS_BULK: bool = cfg!(any(not(target_arch = "nvptx64"), oxshmem_sm90));

cfg_if::cfg_if! {
    if #[cfg(all(target_arch = "nvptx64", oxshmem_sm90))] {
        /// `mbarrier.init.shared::cta.b64`, for one arrival per phase.
        ///
        /// # Safety
        /// - **lent**: `bar` names 8 aligned bytes of shared memory that no other code uses, here and below.
        #[inline(always)]
        pub unsafe fn mbarrier_init(bar: u32) {
            // SAFETY: by **lent** it writes 8 aligned bytes that no other code uses.
            unsafe { core::arch::asm!("mbarrier.init.shared::cta.b64 [{bar}], 1;", bar = in(reg32) bar, options(nostack)) }
        }

        /// `mbarrier.inval.shared::cta.b64`: afterwards the memory may be used for other purposes.
        ///
        /// # Safety
        /// - **lent**; and the barrier is initialised and no thread waits on it.
        #[inline(always)]
        pub unsafe fn mbarrier_inval(bar: u32) {
            // SAFETY: by **lent** it writes 8 aligned bytes that hold a barrier without waiting threads.
            unsafe { core::arch::asm!("mbarrier.inval.shared::cta.b64 [{bar}];", bar = in(reg32) bar, options(nostack)) }
        }

        /// `mbarrier.arrive.expect_tx.shared::cta.b64`: the phase ends when this number of bytes has arrived.
        ///
        /// # Safety
        /// - **lent**; and the barrier is initialised.
        #[inline(always)]
        pub unsafe fn mbarrier_expect(bar: u32, bytes: u32) {
            // SAFETY: by **lent** it updates an initialised barrier in 8 aligned bytes.
            unsafe {
                core::arch::asm!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [{bar}], {bytes};", bar = in(reg32) bar,
                    bytes = in(reg32) bytes, options(nostack))
            }
        }

        /// `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`: returns whether the phase of this parity has ended.
        /// A negative answer may take a while, but a bounded time.
        ///
        /// # Safety
        /// - **lent**; and the barrier is initialised.
        #[inline(always)]
        pub unsafe fn mbarrier_try_wait(bar: u32, parity: u32) -> bool {
            let ended: u32;
            // SAFETY: by **lent** it reads an initialised barrier in 8 aligned bytes.
            unsafe {
                core::arch::asm!(
                    "{{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [{bar}], {parity}; selp.u32 {ended}, 1, 0, p; }}",
                    bar = in(reg32) bar, parity = in(reg32) parity, ended = out(reg32) ended, options(nostack))
            }
            ended != 0
        }

        /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: starts a load.
        ///
        /// # Safety
        /// - **live**: `bytes`, a multiple of 16, are mapped at `from`, and lent at `to`; both are 16-byte aligned.
        ///   `bar` is an initialised barrier.
        #[inline(always)]
        pub unsafe fn bulk_load(to: u32, from: *const u8, bytes: u32, bar: u32) {
            // SAFETY: by **live** the source is mapped, the destination lent, both aligned, and the barrier
            // initialised.
            unsafe {
                core::arch::asm!(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], {bytes}, [{bar}];",
                    to = in(reg32) to, from = in(reg64) from, bytes = in(reg32) bytes, bar = in(reg32) bar, options(nostack))
            }
        }

        /// `cp.async.bulk.global.shared::cta.bulk_group` and `cp.async.bulk.commit_group`: starts a store, as a group
        /// of its own.
        ///
        /// # Safety
        /// - **live**: `bytes`, a multiple of 16, are mapped at `to`, and lent at `from`; both are 16-byte aligned.
        #[inline(always)]
        pub unsafe fn bulk_store(to: *mut u8, from: u32, bytes: u32) {
            // SAFETY: by **live** the destination is mapped, the source lent, and both are aligned.
            unsafe {
                core::arch::asm!("cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], {bytes}; cp.async.bulk.commit_group;",
                    to = in(reg64) to, from = in(reg32) from, bytes = in(reg32) bytes, options(nostack))
            }
        }

        /// `cp.async.bulk.wait_group.read N`: waits until all of this thread's stores but the latest N have read their
        /// source.
        #[inline(always)]
        pub fn bulk_wait_read<const N: u32>() {
            // SAFETY: the instruction waits and accesses no memory of its own.
            unsafe { core::arch::asm!("cp.async.bulk.wait_group.read {n};", n = const N, options(nostack)) }
        }

        /// `cp.async.bulk.wait_group 0`: waits until all of this thread's bulk stores are complete and visible to it.
        #[inline(always)]
        pub fn bulk_wait_all() {
            // SAFETY: the instruction waits and accesses no memory of its own.
            unsafe { core::arch::asm!("cp.async.bulk.wait_group 0;", options(nostack)) }
        }

        /// `fence.proxy.async`: orders this thread's plain accesses and the copy engine's accesses.
        #[inline(always)]
        pub fn fence_proxy_async() {
            // SAFETY: a fence accesses no memory of its own.
            unsafe { core::arch::asm!("fence.proxy.async;", options(nostack)) }
        }
    } else if #[cfg(target_arch = "nvptx64")] {
        // This architecture has none of these instructions. Code guarded by [`HAS_BULK`] is not compiled in.

        /// Not in this build.
        ///
        /// # Safety
        /// None: it does nothing.
        #[inline(always)]
        pub unsafe fn mbarrier_init(_: u32) {}

        /// Not in this build.
        ///
        /// # Safety
        /// None: it does nothing.
        #[inline(always)]
        pub unsafe fn mbarrier_inval(_: u32) {}

        /// Not in this build.
        ///
        /// # Safety
        /// None: it does nothing.
        #[inline(always)]
        pub unsafe fn mbarrier_expect(_: u32, _: u32) {}

        /// Not in this build.
        ///
        /// # Safety
        /// None: it does nothing.
        #[inline(always)]
        pub unsafe fn mbarrier_try_wait(_: u32, _: u32) -> bool {
            true
        }

        /// Not in this build.
        ///
        /// # Safety
        /// None: it does nothing.
        #[inline(always)]
        pub unsafe fn bulk_load(_: u32, _: *const u8, _: u32, _: u32) {}

        /// Not in this build.
        ///
        /// # Safety
        /// None: it does nothing.
        #[inline(always)]
        pub unsafe fn bulk_store(_: *mut u8, _: u32, _: u32) {}

        /// No effect in this build: there is no copy to wait for.
        #[inline(always)]
        pub fn bulk_wait_read<const N: u32>() {}

        /// No effect in this build: there is no copy to wait for.
        #[inline(always)]
        pub fn bulk_wait_all() {}

        /// No effect in this build: there is no copy engine.
        #[inline(always)]
        pub fn fence_proxy_async() {}
    } else {
        use std::sync::atomic::{AtomicU64, Ordering};

        use crate::gpu::simt;

        fn shared(at: u32) -> *mut u8 {
            simt::shared_base().wrapping_add(at as usize)
        }

        /// Initialises the twin of a barrier: a count of the phases that have ended.
        ///
        /// # Safety
        /// - **lent**: `bar` names 8 aligned bytes of shared memory that no other code uses, here and below.
        pub unsafe fn mbarrier_init(bar: u32) {
            // SAFETY: by **lent** the 8 bytes are valid, aligned and used by no other code.
            unsafe { shared(bar).cast::<u64>().write(0) }
        }

        /// Ends the barrier; afterwards the memory may be used for other purposes.
        ///
        /// # Safety
        /// - **lent**.
        pub unsafe fn mbarrier_inval(bar: u32) {
            // SAFETY: by **lent** the 8 bytes are valid, aligned and used by no other code. A wrong later wait can't
            // see both parities end.
            unsafe { shared(bar).cast::<u64>().write(u64::MAX) }
        }

        /// No effect: a load is complete when it returns, so the load ends the phase.
        ///
        /// # Safety
        /// - **lent**.
        pub unsafe fn mbarrier_expect(_: u32, _: u32) {}

        /// Returns whether the phase of this parity has ended.
        ///
        /// # Safety
        /// - **lent**; and the barrier is initialised.
        pub unsafe fn mbarrier_try_wait(bar: u32, parity: u32) -> bool {
            // SAFETY: by **lent** the 8 bytes are valid and aligned. After an odd number of phases, the last one had
            // parity 0.
            let ended = unsafe { shared(bar).cast::<u64>().read() };
            ended > 0 && (ended - 1) % 2 == u64::from(parity)
        }

        /// Loads, and ends the phase of the barrier.
        ///
        /// # Safety
        /// - **live**: `bytes`, a multiple of 16, are mapped at `from`, and lent at `to`; both are 16-byte aligned.
        ///   `bar` is an initialised barrier.
        pub unsafe fn bulk_load(to: u32, from: *const u8, bytes: u32, bar: u32) {
            // SAFETY: by **live** every word of both ranges is valid and aligned. The source is read in atomic words of
            // 8 bytes, since a peer may write it at the same time.
            unsafe {
                for at in (0..bytes as usize).step_by(8) {
                    let word = AtomicU64::from_ptr(from.add(at).cast_mut().cast()).load(Ordering::Relaxed);
                    shared(to).add(at).cast::<u64>().write(word);
                }
                *shared(bar).cast::<u64>() += 1;
            }
        }

        /// Stores.
        ///
        /// # Safety
        /// - **live**: `bytes`, a multiple of 16, are mapped at `to`, and lent at `from`; both are 16-byte aligned.
        pub unsafe fn bulk_store(to: *mut u8, from: u32, bytes: u32) {
            // SAFETY: by **live** every word of both ranges is valid and aligned. The destination is written in atomic
            // words of 8 bytes, since a peer may read it at the same time.
            unsafe {
                for at in (0..bytes as usize).step_by(8) {
                    let word = shared(from).add(at).cast::<u64>().read();
                    AtomicU64::from_ptr(to.add(at).cast()).store(word, Ordering::Relaxed);
                }
            }
        }

        /// No effect: a store has read its source when it returns.
        pub fn bulk_wait_read<const N: u32>() {}

        /// No effect: a store is complete when it returns.
        pub fn bulk_wait_all() {}

        /// No effect: the host has one path to memory.
        pub fn fence_proxy_async() {}
    }
}

//! Bulk copies through shared memory: one thread starts them, the SM's copy engine moves the bytes.
//!
//! They exist from sm_90 on, and in builds for such an architecture ([`HAS_BULK`]). Shared memory is named by its
//! address in the block's window, as PTX has it; off the GPU by the offset in the block's dynamic shared memory,
//! where a copy is done at once.

/// Whether this build has the instructions of this file; else none of them may be called.
pub const HAS_BULK: bool = cfg!(any(not(target_arch = "nvptx64"), oxshmem_sm90));

cfg_if::cfg_if! {
    if #[cfg(all(target_arch = "nvptx64", oxshmem_sm90))] {
        /// `mbarrier.init.shared::cta.b64`, for one arrival a phase.
        ///
        /// # Safety
        /// - **lent**: 8 aligned bytes of shared memory that nobody else uses, here and below.
        #[inline(always)]
        pub unsafe fn mbarrier_init(bar: u32) {
            // SAFETY: **lent**.
            unsafe { core::arch::asm!("mbarrier.init.shared::cta.b64 [{bar}], 1;", bar = in(reg32) bar, options(nostack)) }
        }

        /// `mbarrier.inval.shared::cta.b64`: the memory may be used for anything again.
        ///
        /// # Safety
        /// - **lent**; and an initialised barrier on which nobody waits.
        #[inline(always)]
        pub unsafe fn mbarrier_inval(bar: u32) {
            // SAFETY: **lent**.
            unsafe { core::arch::asm!("mbarrier.inval.shared::cta.b64 [{bar}];", bar = in(reg32) bar, options(nostack)) }
        }

        /// `mbarrier.arrive.expect_tx.shared::cta.b64`: the phase ends when so many bytes have come.
        ///
        /// # Safety
        /// - **lent**; and an initialised barrier.
        #[inline(always)]
        pub unsafe fn mbarrier_expect(bar: u32, bytes: u32) {
            // SAFETY: **lent**.
            unsafe {
                core::arch::asm!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [{bar}], {bytes};", bar = in(reg32) bar,
                    bytes = in(reg32) bytes, options(nostack))
            }
        }

        /// `mbarrier.try_wait.parity.acquire.cta.shared::cta.b64`: whether the phase of this parity has ended. It may
        /// take a while to say no, but not for ever.
        ///
        /// # Safety
        /// - **lent**; and an initialised barrier.
        #[inline(always)]
        pub unsafe fn mbarrier_try_wait(bar: u32, parity: u32) -> bool {
            let ended: u32;
            // SAFETY: **lent**.
            unsafe {
                core::arch::asm!(
                    "{{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [{bar}], {parity}; selp.u32 {ended}, 1, 0, p; }}",
                    bar = in(reg32) bar, parity = in(reg32) parity, ended = out(reg32) ended, options(nostack))
            }
            ended != 0
        }

        /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: starts to load.
        ///
        /// # Safety
        /// - **live**: `bytes`, a multiple of 16, are mapped at `from`, and lent at `to`; both are 16-byte aligned.
        #[inline(always)]
        pub unsafe fn bulk_load(to: u32, from: *const u8, bytes: u32, bar: u32) {
            // SAFETY: **live**.
            unsafe {
                core::arch::asm!(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], {bytes}, [{bar}];",
                    to = in(reg32) to, from = in(reg64) from, bytes = in(reg32) bytes, bar = in(reg32) bar, options(nostack))
            }
        }

        /// `cp.async.bulk.global.shared::cta.bulk_group` and `cp.async.bulk.commit_group`: starts to store, as a group
        /// of its own.
        ///
        /// # Safety
        /// - **live**: `bytes`, a multiple of 16, are mapped at `to`, and lent at `from`; both are 16-byte aligned.
        #[inline(always)]
        pub unsafe fn bulk_store(to: *mut u8, from: u32, bytes: u32) {
            // SAFETY: **live**.
            unsafe {
                core::arch::asm!("cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], {bytes}; cp.async.bulk.commit_group;",
                    to = in(reg64) to, from = in(reg32) from, bytes = in(reg32) bytes, options(nostack))
            }
        }

        /// `cp.async.bulk.wait_group.read N`: all of this thread's stores but the latest N have read their source.
        #[inline(always)]
        pub fn bulk_wait_read<const N: u32>() {
            // SAFETY: waits.
            unsafe { core::arch::asm!("cp.async.bulk.wait_group.read {n};", n = const N, options(nostack)) }
        }

        /// `cp.async.bulk.wait_group 0`: all of this thread's bulk stores are done and visible to it.
        #[inline(always)]
        pub fn bulk_wait_all() {
            // SAFETY: waits.
            unsafe { core::arch::asm!("cp.async.bulk.wait_group 0;", options(nostack)) }
        }

        /// `fence.proxy.async`: orders this thread's plain accesses and the copy engine's.
        #[inline(always)]
        pub fn fence_proxy_async() {
            // SAFETY: a fence.
            unsafe { core::arch::asm!("fence.proxy.async;", options(nostack)) }
        }
    } else if #[cfg(target_arch = "nvptx64")] {
        // This architecture has none of it, and what is guarded by [`HAS_BULK`] is never compiled in.

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

        /// Nothing to wait for in this build.
        #[inline(always)]
        pub fn bulk_wait_read<const N: u32>() {}

        /// Nothing to wait for in this build.
        #[inline(always)]
        pub fn bulk_wait_all() {}

        /// Nothing to order in this build.
        #[inline(always)]
        pub fn fence_proxy_async() {}
    } else {
        use std::sync::atomic::{AtomicU64, Ordering};

        use crate::gpu::simt;

        fn shared(at: u32) -> *mut u8 {
            simt::shared_base().wrapping_add(at as usize)
        }

        /// The twin of a barrier: how many phases have ended.
        ///
        /// # Safety
        /// - **lent**: 8 aligned bytes of shared memory that nobody else uses, here and below.
        pub unsafe fn mbarrier_init(bar: u32) {
            // SAFETY: **lent**.
            unsafe { shared(bar).cast::<u64>().write(0) }
        }

        /// The memory may be used for anything again.
        ///
        /// # Safety
        /// - **lent**.
        pub unsafe fn mbarrier_inval(bar: u32) {
            // SAFETY: **lent**. What waits on it from here on finds neither parity twice.
            unsafe { shared(bar).cast::<u64>().write(u64::MAX) }
        }

        /// What a load brings is there when it returns, so that the phase ends with the load, and not here.
        ///
        /// # Safety
        /// - **lent**.
        pub unsafe fn mbarrier_expect(_: u32, _: u32) {}

        /// Whether the phase of this parity has ended.
        ///
        /// # Safety
        /// - **lent**; and an initialised barrier.
        pub unsafe fn mbarrier_try_wait(bar: u32, parity: u32) -> bool {
            // SAFETY: **lent**. With an odd number of phases behind it, the last one that ended was of parity 0.
            let ended = unsafe { shared(bar).cast::<u64>().read() };
            ended > 0 && (ended - 1) % 2 == u64::from(parity)
        }

        /// Loads, and ends the phase of the barrier.
        ///
        /// # Safety
        /// - **live**: `bytes`, a multiple of 16, are mapped at `from`, and lent at `to`; both are 16-byte aligned.
        pub unsafe fn bulk_load(to: u32, from: *const u8, bytes: u32, bar: u32) {
            // SAFETY: **live**; words of 8 bytes, since a peer may write them meanwhile.
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
            // SAFETY: **live**, as above.
            unsafe {
                for at in (0..bytes as usize).step_by(8) {
                    let word = shared(from).add(at).cast::<u64>().read();
                    AtomicU64::from_ptr(to.add(at).cast()).store(word, Ordering::Relaxed);
                }
            }
        }

        /// A store has read its source when it returns.
        pub fn bulk_wait_read<const N: u32>() {}

        /// A store is done when it returns.
        pub fn bulk_wait_all() {}

        /// There is one way to memory only.
        pub fn fence_proxy_async() {}
    }
}

//! Fences. Call sites use [`order`](crate::gpu::order), which names them for their use.

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        macro_rules! fence {
            ($(#[$doc:meta])* $name:ident, $text:literal, $order:ident) => {
                $(#[$doc])*
                #[inline(always)]
                pub fn $name() {
                    // SAFETY: a fence accesses no memory of its own.
                    unsafe { core::arch::asm!($text, options(nostack)) }
                }
            };
        }
    } else {
        macro_rules! fence {
            ($(#[$doc:meta])* $name:ident, $text:literal, $order:ident) => {
                $(#[$doc])*
                #[inline(always)]
                pub fn $name() {
                    std::sync::atomic::fence(std::sync::atomic::Ordering::$order)
                }
            };
        }
    }
}

fence!(/// `fence.acq_rel.sys`
    fence_acq_rel_sys, "fence.acq_rel.sys;", AcqRel);
fence!(/// `fence.sc.sys`: in one total order with every other such fence.
    fence_sc_sys, "fence.sc.sys;", SeqCst);
fence!(/// `fence.acq_rel.gpu`
    fence_acq_rel_gpu, "fence.acq_rel.gpu;", AcqRel);
fence!(/// `fence.sc.gpu`: in one total order with every other such fence on this GPU.
    fence_sc_gpu, "fence.sc.gpu;", SeqCst);
fence!(/// `fence.sc.cta`: in one total order with every other such fence of the block.
    fence_sc_cta, "fence.sc.cta;", SeqCst);

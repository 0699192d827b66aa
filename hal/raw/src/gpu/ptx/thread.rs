//! A thread's indices, and synchronization among the threads of a block.

/// Number of threads in a warp.
pub const WARP_SIZE: u32 = 32;

cfg_if::cfg_if! {
    if #[cfg(target_arch = "nvptx64")] {
        #[allow(improper_ctypes, reason = "LLVM's i1 is a bool")]
        unsafe extern "C" {
            #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
            safe fn sreg_tid_x() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.tid.y"]
            safe fn sreg_tid_y() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.tid.z"]
            safe fn sreg_tid_z() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
            safe fn sreg_ntid_x() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.y"]
            safe fn sreg_ntid_y() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.z"]
            safe fn sreg_ntid_z() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
            safe fn sreg_ctaid_x() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.y"]
            safe fn sreg_ctaid_y() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.z"]
            safe fn sreg_ctaid_z() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.x"]
            safe fn sreg_nctaid_x() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.y"]
            safe fn sreg_nctaid_y() -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.z"]
            safe fn sreg_nctaid_z() -> u32;
            #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
            safe fn barrier_cta_sync_aligned_all(id: u32);
            #[link_name = "llvm.nvvm.barrier.cta.red.or.aligned.all"]
            safe fn barrier_cta_red_or_aligned_all(id: u32, yes: bool) -> bool;
            #[link_name = "llvm.nvvm.bar.warp.sync"]
            safe fn nvvm_bar_warp_sync(mask: u32);
            #[link_name = "llvm.nvvm.vote.any.sync"]
            safe fn nvvm_vote_any_sync(mask: u32, yes: bool) -> bool;
            #[link_name = "llvm.nvvm.activemask"]
            safe fn nvvm_activemask() -> u32;
            #[link_name = "llvm.nvvm.match.any.sync.i64"]
            safe fn nvvm_match_any_sync_i64(mask: u32, value: u64) -> u32;
            #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
            safe fn nvvm_shfl_sync_idx_i32(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
            #[link_name = "llvm.nvvm.read.ptx.sreg.smid"]
            safe fn sreg_smid() -> u32;
        }

        /// `%tid`
        #[inline(always)]
        pub fn tid() -> [u32; 3] {
            [sreg_tid_x(), sreg_tid_y(), sreg_tid_z()]
        }

        /// `%ntid`
        #[inline(always)]
        pub fn ntid() -> [u32; 3] {
            [sreg_ntid_x(), sreg_ntid_y(), sreg_ntid_z()]
        }

        /// `%ctaid`
        #[inline(always)]
        pub fn ctaid() -> [u32; 3] {
            [sreg_ctaid_x(), sreg_ctaid_y(), sreg_ctaid_z()]
        }

        /// `%nctaid`
        #[inline(always)]
        pub fn nctaid() -> [u32; 3] {
            [sreg_nctaid_x(), sreg_nctaid_y(), sreg_nctaid_z()]
        }

        /// `%ctaid` and `%tid`, read here: the compiler moves reads of the others to the start of the function, where
        /// their registers would be in use from then on.
        #[inline(always)]
        pub fn ctaid_and_tid_here() -> ([u32; 3], [u32; 3]) {
            let (mut block, mut thread) = ([0; 3], [0; 3]);
            // SAFETY: it reads registers.
            unsafe {
                core::arch::asm!(
                    "mov.u32 {}, %ctaid.x; mov.u32 {}, %ctaid.y; mov.u32 {}, %ctaid.z;",
                    "mov.u32 {}, %tid.x; mov.u32 {}, %tid.y; mov.u32 {}, %tid.z;",
                    out(reg32) block[0], out(reg32) block[1], out(reg32) block[2],
                    out(reg32) thread[0], out(reg32) thread[1], out(reg32) thread[2],
                    options(nomem, nostack)
                );
            }
            (block, thread)
        }

        /// `trap`: aborts the kernel, and the driver's context with it.
        #[inline(always)]
        pub fn trap() -> ! {
            // SAFETY: it accesses no memory.
            unsafe { core::arch::asm!("trap;", options(noreturn, nostack)) }
        }

        /// `bar.sync 0`: waits for every thread of the block.
        #[inline(always)]
        pub fn bar_sync() {
            barrier_cta_sync_aligned_all(0)
        }

        /// `bar.red.or.pred 0`: waits for every thread of the block, and returns whether `yes` is true for any.
        #[inline(always)]
        pub fn bar_red_or(yes: bool) -> bool {
            barrier_cta_red_or_aligned_all(0, yes)
        }

        /// `bar.warp.sync`: waits for all lanes of the warp. Those that the last warp of a block lacks count as ended, for
        /// which no instruction waits: a mask that is no constant would take several instructions more.
        #[inline(always)]
        pub fn warp_meet() {
            nvvm_bar_warp_sync(u32::MAX)
        }

        /// Returns whether the kernel was launched collectively, as far as it is known: always.
        #[inline(always)]
        pub fn is_collective() -> bool {
            true
        }

        /// Returns the number of the kernel's launch; 0, as it is not known.
        #[inline(always)]
        pub fn launch() -> u64 {
            0
        }

        /// `activemask.b32`: returns the lanes that execute together with this one.
        #[inline(always)]
        pub fn activemask() -> u32 {
            nvvm_activemask()
        }

        /// `match.any.sync.b64` among the lanes that execute together with this one: returns the lanes with the same
        /// key.
        #[inline(always)]
        pub fn lanes_with(key: u64) -> u32 {
            nvvm_match_any_sync_i64(nvvm_activemask(), key)
        }

        /// `activemask`: returns whether no other lane executes together with this one. It is a hint: the compiler may
        /// place it where other lanes execute, since the intrinsic, which is convergent, would keep it from giving a loop's
        /// cases loops of their own.
        #[inline(always)]
        pub fn is_only_lane() -> bool {
            let mask: u32;
            // SAFETY: it reads the mask of lanes.
            unsafe { core::arch::asm!("activemask.b32 {m};", m = out(reg32) mask, options(nomem, nostack)) }
            mask & mask.wrapping_sub(1) == 0
        }

        /// `shfl.sync.idx.b32`, twice: returns the value of `lane`.
        #[inline(always)]
        pub fn shfl_sync_u64(mask: u32, value: u64, lane: u32) -> u64 {
            let low = shfl_sync_u32(mask, value as u32, lane);
            let high = shfl_sync_u32(mask, (value >> 32) as u32, lane);
            (high as u64) << 32 | low as u64
        }

        /// `shfl.sync.idx.b32`: returns the value of `lane`.
        #[inline(always)]
        pub fn shfl_sync_u32(mask: u32, value: u32, lane: u32) -> u32 {
            nvvm_shfl_sync_idx_i32(mask, value, lane, 31)
        }

        /// `%smid`: returns the multiprocessor that executes the thread.
        #[inline(always)]
        pub fn smid() -> u32 {
            sreg_smid()
        }

        /// Returns `value`, hidden from the compiler. Values derived from it are computed where they are used, and not
        /// before a loop, where they would occupy registers.
        #[inline(always)]
        pub fn opaque_u32(value: u32) -> u32 {
            let same: u32;
            // SAFETY: it moves a register. It is not `pure`, so that it stays in place.
            unsafe { core::arch::asm!("mov.u32 {s}, {v};", s = out(reg32) same, v = in(reg32) value, options(nomem, nostack)) }
            same
        }

        /// Does the same as [`opaque_u32`], for 64 bits.
        #[inline(always)]
        pub fn opaque_u64(value: u64) -> u64 {
            let same: u64;
            // SAFETY: it moves a register. It is not `pure`, so that it stays in place.
            unsafe { core::arch::asm!("mov.u64 {s}, {v};", s = out(reg64) same, v = in(reg64) value, options(nomem, nostack)) }
            same
        }

        /// `shf.r.wrap.b32`: shifts the 64-bit value right by `bits` modulo 32 and returns its low word.
        #[inline(always)]
        pub fn shf_r_wrap_b32(low: u32, high: u32, bits: u32) -> u32 {
            let shifted: u32;
            // SAFETY: it computes on registers.
            unsafe {
                core::arch::asm!("shf.r.wrap.b32 {s}, {l}, {h}, {b};", s = out(reg32) shifted, l = in(reg32) low,
                    h = in(reg32) high, b = in(reg32) bits, options(pure, nomem, nostack))
            }
            shifted
        }

        /// `bar.warp.sync`
        #[inline(always)]
        pub fn bar_warp_sync(mask: u32) {
            nvvm_bar_warp_sync(mask)
        }

        /// `vote.sync.any.pred`
        #[inline(always)]
        pub fn vote_any_sync(mask: u32, yes: bool) -> bool {
            nvvm_vote_any_sync(mask, yes)
        }
    } else {
        use crate::gpu::simt;

        /// `%tid`
        #[inline(always)]
        pub fn tid() -> [u32; 3] {
            simt::thread_idx()
        }

        /// `%ntid`
        #[inline(always)]
        pub fn ntid() -> [u32; 3] {
            simt::block_dim()
        }

        /// `%ctaid`
        #[inline(always)]
        pub fn ctaid() -> [u32; 3] {
            simt::block_idx()
        }

        /// `%nctaid`
        #[inline(always)]
        pub fn nctaid() -> [u32; 3] {
            simt::grid_dim()
        }

        /// `%ctaid` and `%tid`.
        #[inline(always)]
        pub fn ctaid_and_tid_here() -> ([u32; 3], [u32; 3]) {
            (ctaid(), tid())
        }

        /// `bar.sync 0`: waits for every thread of the block.
        #[inline(always)]
        pub fn bar_sync() {
            simt::block_meeting(false);
        }

        /// `bar.red.or.pred 0`: waits for every thread of the block, and returns whether `yes` is true for any.
        #[inline(always)]
        pub fn bar_red_or(yes: bool) -> bool {
            simt::block_meeting(yes)
        }

        /// `bar.warp.sync`: waits for all lanes of the warp.
        #[inline(always)]
        pub fn warp_meet() {
            simt::warp_meeting()
        }

        /// Returns whether the kernel was launched collectively.
        #[inline(always)]
        pub fn is_collective() -> bool {
            simt::is_collective()
        }

        /// Returns the number of the kernel's launch.
        #[inline(always)]
        pub fn launch() -> u64 {
            simt::launch()
        }

        /// `activemask.b32`: returns the lanes of this warp that have not exited.
        #[inline(always)]
        pub fn activemask() -> u32 {
            simt::active_mask()
        }

        /// Returns the lanes that execute together with this one and have the same key: on the host, threads run one at
        /// a time, so it is this lane alone, but in a test that asks for more.
        #[inline(always)]
        pub fn lanes_with(key: u64) -> u32 {
            simt::lanes_with(key)
        }

        /// Reports whether no other lane executes together with this one. On the host threads run one at a time, but in
        /// a test that asks for more.
        #[inline(always)]
        pub fn is_only_lane() -> bool {
            !simt::are_together()
        }

        /// `shfl.sync.idx.b32`, twice: returns the value of `lane`.
        #[inline(always)]
        pub fn shfl_sync_u64(mask: u32, value: u64, lane: u32) -> u64 {
            simt::warp_shuffle(mask, value, lane)
        }

        /// `shfl.sync.idx.b32`: returns the value of `lane`.
        #[inline(always)]
        pub fn shfl_sync_u32(mask: u32, value: u32, lane: u32) -> u32 {
            simt::warp_shuffle(mask, value.into(), lane) as u32
        }

        /// `%smid`: on the host, blocks are spread over the number of multiprocessors of a small GPU.
        #[inline(always)]
        pub fn smid() -> u32 {
            linear_ctaid() % 8
        }

        /// Returns `value`, hidden from the compiler.
        #[inline(always)]
        pub fn opaque_u32(value: u32) -> u32 {
            value
        }

        /// Does the same as [`opaque_u32`], for 64 bits.
        #[inline(always)]
        pub fn opaque_u64(value: u64) -> u64 {
            value
        }

        /// `shf.r.wrap.b32`: shifts the 64-bit value right by `bits` modulo 32 and returns its low word.
        #[inline(always)]
        pub fn shf_r_wrap_b32(low: u32, high: u32, bits: u32) -> u32 {
            (((high as u64) << 32 | low as u64) >> (bits % 32)) as u32
        }

        /// `bar.warp.sync`
        #[inline(always)]
        pub fn bar_warp_sync(mask: u32) {
            simt::warp_barrier(mask)
        }

        /// `vote.sync.any.pred`
        #[inline(always)]
        pub fn vote_any_sync(mask: u32, yes: bool) -> bool {
            simt::warp_ballot(mask, yes) != 0
        }
    }
}

/// Returns this thread's index in its block: x fastest, then y, then z.
#[inline(always)]
pub fn linear_tid() -> u32 {
    let ([x, y, z], [nx, ny, _]) = (tid(), ntid());
    x + nx * (y + ny * z)
}

/// Returns this block's index in its grid: x fastest, then y, then z.
#[inline(always)]
pub fn linear_ctaid() -> u32 {
    let ([x, y, z], [nx, ny, _]) = (ctaid(), nctaid());
    x + nx * (y + ny * z)
}

/// Returns the number of threads in a block.
#[inline(always)]
pub fn block_threads() -> u32 {
    let [x, y, z] = ntid();
    x * y * z
}

/// Returns this thread's lane: its index in its warp.
#[inline(always)]
pub fn lane() -> u32 {
    linear_tid() % WARP_SIZE
}

//! Threads, warps and blocks as groups.

use oxshmem_core::{Group, Scope, Width};

use crate::gpu::ptx;

/// The calling thread alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread;

/// The warp of the calling thread. All of its threads must make each call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warp;

/// The block of the calling thread. All of its threads must make each call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block;

// SAFETY: **counted**, **alike**, **meets**: a thread alone has rank 0 of 1, and meets itself.
unsafe impl Group for Thread {
    const SCOPE: Scope = Scope::Thread;

    #[inline(always)]
    fn rank(self) -> u32 {
        0
    }

    #[inline(always)]
    fn size(self) -> u32 {
        1
    }

    #[inline(always)]
    fn sync(self) {}

    #[inline(always)]
    fn any(self, yes: bool) -> bool {
        yes
    }

    #[inline(always)]
    fn broadcast_bits(self, bits: u64, _: Width) -> u64 {
        bits
    }
}

// SAFETY:
// - **counted**, **alike**: the rank is the lane, and the size is that of the warp: the last warp of a block has the lanes
//   that are left.
// - **meets**: the warp's barrier, before a vote and a shuffle too.
unsafe impl Group for Warp {
    const SCOPE: Scope = Scope::Warp;

    #[inline(always)]
    fn rank(self) -> u32 {
        ptx::lane()
    }

    #[inline(always)]
    fn size(self) -> u32 {
        let left = ptx::block_threads() - (ptx::linear_tid() - ptx::lane());
        if left < ptx::WARP_SIZE { left } else { ptx::WARP_SIZE }
    }

    #[inline(always)]
    fn sync(self) {
        ptx::warp_meet()
    }

    #[inline(always)]
    fn any(self, yes: bool) -> bool {
        // A vote synchronizes the lanes but does not order memory.
        ptx::warp_meet();
        ptx::vote_any_sync(u32::MAX, yes)
    }

    #[inline(always)]
    fn broadcast_bits(self, bits: u64, width: Width) -> u64 {
        // A shuffle synchronizes the lanes but does not order memory.
        ptx::warp_meet();
        match width {
            Width::B8 => ptx::shfl_sync_u64(u32::MAX, bits, 0),
            Width::B1 | Width::B2 | Width::B4 => ptx::shfl_sync_u32(u32::MAX, bits as u32, 0) as u64,
        }
    }
}

// SAFETY:
// - **counted**, **alike**: the rank is the thread's number in the block, and the size is the block's. All threads load the
//   word that the leader has stored.
// - **meets**: the block's barrier, which also votes.
unsafe impl Group for Block {
    const SCOPE: Scope = Scope::Block;

    #[inline(always)]
    fn rank(self) -> u32 {
        ptx::linear_tid()
    }

    #[inline(always)]
    fn size(self) -> u32 {
        ptx::block_threads()
    }

    #[inline(always)]
    fn sync(self) {
        ptx::bar_sync()
    }

    #[inline(always)]
    fn any(self, yes: bool) -> bool {
        ptx::bar_red_or(yes)
    }

    #[inline(always)]
    fn broadcast_bits(self, bits: u64, _: Width) -> u64 {
        let word = ptx::block_word();
        // No thread reads the value of an earlier call any more.
        ptx::bar_sync();
        if self.leads() {
            // SAFETY: **lent**: the word is for these calls alone, of which a block makes one at a time.
            unsafe { ptx::st_relaxed_cta_shared_u64(word, bits) }
        }
        ptx::bar_sync();
        // SAFETY: **lent**: as above.
        unsafe { ptx::ld_relaxed_cta_shared_u64(word) }
    }
}

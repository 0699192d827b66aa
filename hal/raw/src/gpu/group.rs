//! Threads, warps and blocks as groups.

use oxshmem_core::{Group, Scope};

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
}

// SAFETY:
// - **counted**, **alike**: the rank is the lane, and the size is that of the warp: the last warp of a block has the lanes
//   that are left.
// - **meets**: the warp's barrier, before a vote too.
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
}

// SAFETY:
// - **counted**, **alike**: the rank is the thread's number in the block, and the size is the block's.
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
}

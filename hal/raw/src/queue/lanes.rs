//! Threads of a warp that make the same call at the same time.

use crate::gpu::ptx;

/// The lanes of a warp that use one queue or ring together: one atomic, one fence and one doorbell serve all of them.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    mask: u32,
    /// This lane's number among them.
    pub rank: u32,
    /// How many they are.
    pub count: u32,
}

impl Lanes {
    /// This thread for itself: the leader of a group that calls together.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn alone() -> Self {
        Self { mask: 0, rank: 0, count: 1 }
    }

    /// This thread and those of its warp that are at this very place with the same key. Any set with this thread in it
    /// is right; the larger it is the cheaper.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn with(key: u64) -> Self {
        let mask = ptx::lanes_with(key);
        Self { mask, rank: (mask & ((1 << ptx::lane()) - 1)).count_ones(), count: mask.count_ones() }
    }

    /// Whether this thread acts for all.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn leads(self) -> bool {
        self.rank == 0
    }

    /// Whether this thread's entry is the last of all.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn is_last(self) -> bool {
        self.rank + 1 == self.count
    }

    /// Whether the lanes' places are side by side, each `bytes` wide, in the order of the lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn in_a_row(self, at: u64, bytes: u32) -> bool {
        let start = at.wrapping_sub(self.rank as u64 * bytes as u64);
        !ptx::vote_any_sync(self.mask, start != self.leaders(start))
    }

    /// As [`in_a_row`](Self::in_a_row), and there are several, and no lane is left out between them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn in_a_whole_row(self, at: u64, bytes: u32) -> bool {
        let lanes = self.mask >> self.mask.trailing_zeros();
        self.count != 1 && lanes & lanes.wrapping_add(1) == 0 && self.in_a_row(at, bytes)
    }

    /// What the lane of this rank has, of lanes [in a whole row](Self::in_a_whole_row). All of them call.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn of(self, value: u64, rank: u32) -> u64 {
        ptx::shfl_sync_u64(self.mask, value, self.mask.trailing_zeros() + rank)
    }

    /// What the leader has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn leaders(self, value: u64) -> u64 {
        if self.count == 1 { value } else { ptx::shfl_sync_u64(self.mask, value, self.mask.trailing_zeros()) }
    }

    /// Waits for all; what each wrote is visible to all behind it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn sync(self) {
        if self.count != 1 {
            ptx::bar_warp_sync(self.mask)
        }
    }
}

//! Cooperation of the threads of a warp that make the same call at the same time.

use crate::gpu::ptx;

/// The lanes of a warp that use one queue or ring together: one atomic, one fence and one doorbell serve all of them.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    mask: u32,
    /// This lane's rank among them.
    pub rank: u32,
    /// The number of lanes.
    pub count: u32,
}

impl Lanes {
    /// Returns this thread alone: the leader of a group that calls together.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn alone() -> Self {
        Self { mask: 0, rank: 0, count: 1 }
    }

    /// Returns this thread and the threads of its warp that execute this call now with the same key. Any set that
    /// contains this thread is correct; a larger one is cheaper.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn with(key: u64) -> Self {
        let mask = ptx::lanes_with(key);
        Self { mask, rank: (mask & ((1 << ptx::lane()) - 1)).count_ones(), count: mask.count_ones() }
    }

    /// Reports whether this thread acts for all lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn leads(self) -> bool {
        self.rank == 0
    }

    /// Reports whether this lane is the last one. Its entry comes last.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn is_last(self) -> bool {
        self.rank + 1 == self.count
    }

    /// Reports whether the lanes' elements at `at`, each `bytes` wide, are contiguous and in the order of the lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn in_a_row(self, at: u64, bytes: u32) -> bool {
        let start = at.wrapping_sub(self.rank as u64 * bytes as u64);
        !ptx::vote_any_sync(self.mask, start != self.leaders(start))
    }

    /// Reports the same as [`in_a_row`](Self::in_a_row), and also requires several lanes with contiguous lane numbers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn in_a_whole_row(self, at: u64, bytes: u32) -> bool {
        let lanes = self.mask >> self.mask.trailing_zeros();
        self.count != 1 && lanes & lanes.wrapping_add(1) == 0 && self.in_a_row(at, bytes)
    }

    /// Returns the value of the lane with this rank, for lanes [in a whole row](Self::in_a_whole_row). All of them
    /// call.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn of(self, value: u64, rank: u32) -> u64 {
        ptx::shfl_sync_u64(self.mask, value, self.mask.trailing_zeros() + rank)
    }

    /// Returns the leader's value.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn leaders(self, value: u64) -> u64 {
        if self.count == 1 { value } else { ptx::shfl_sync_u64(self.mask, value, self.mask.trailing_zeros()) }
    }

    /// Waits for all lanes; afterwards the writes of each are visible to all.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn sync(self) {
        if self.count != 1 {
            ptx::bar_warp_sync(self.mask)
        }
    }
}

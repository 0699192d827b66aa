//! Large copies over load/store, between two meetings: they go to all members side by side.

use core::ops::Range;

use oxshmem_core::{Group, SymAddr};
use oxshmem_raw::gpu::ptx::V2;
use oxshmem_raw::queue::path::PathList;

use super::Team;
use super::direct::{Ends, PAIR, Pairs};

/// Pairs that a thread has in flight while it copies.
pub(super) const COPIED: usize = 4;

impl<P: PathList> Team<'_, P> {
    /// Loads the first pairs that this thread copies to the member whose distance after the next one is `to`. The loads
    /// are in flight while the members meet.
    ///
    /// # Safety
    ///
    /// - **live**: as [`copy_directly`](Self::copy_directly).
    #[inline(always)]
    pub(super) unsafe fn load_copied<G: Group>(
        &self,
        group: G,
        (source, apart): (SymAddr, usize),
        bytes: usize,
        to: u32,
    ) -> [V2; COPIED] {
        let at = Pairs { first: group.rank() as usize, size: group.size() as usize, pairs: bytes / PAIR };
        // SAFETY: **live** by the caller. No member writes the source, so that a weak load is enough.
        unsafe { at.load_weak(self.source_for(source, apart, to)) }
    }

    /// Returns the address of this member's data for the member whose distance after the next one is `to`.
    #[inline(always)]
    fn source_for(&self, source: SymAddr, apart: usize, to: u32) -> *mut u8 {
        self.shmem.state.own_address(source.add((apart * self.nth_after(to) as usize) as u64))
    }

    /// Copies `bytes` bytes at `source`, `apart` bytes further for each member, to `dest` of the members whose distance
    /// after the next one is in `to`; this one has the largest distance. Stores to all of them are under way side by
    /// side. `loaded` is the result of [`load_copied`](Self::load_copied) for the first of them.
    ///
    /// # Safety
    ///
    /// - **live**: all ranges are in the heap and aligned to 16 bytes, and `bytes` is a multiple of 16; every member is
    ///   a load/store PE. No other thread accesses the destinations, and none writes the source.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn copy_directly<G: Group>(
        &self,
        group: G,
        (ends, apart): (Ends, usize),
        bytes: usize,
        to: Range<u32>,
        mut loaded: [V2; COPIED],
    ) {
        let (mut first, size, pairs) = (group.rank() as usize, group.size() as usize, bytes / PAIR);
        while first < pairs && !to.is_empty() {
            let at = Pairs::<COPIED> { first, size, pairs };
            let mut k = to.start;
            // SAFETY: **live** by the caller; the pairs are inside the range.
            unsafe {
                while k < to.end {
                    if k > to.start && apart > 0 {
                        loaded = at.load_weak(self.source_for(ends.source, apart, k));
                    }
                    at.store(self.of_member(self.nth_after(k), ends.dest), loaded);
                    k += 1;
                }
                first += COPIED * size;
                loaded = Pairs { first, ..at }.load_weak(self.source_for(ends.source, apart, to.start));
            }
        }
    }
}

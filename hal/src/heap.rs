//! The bookkeeping of the symmetric heap: its extents and allocations. It is the same on every PE, because every PE
//! makes the same calls in the same order.

use std::collections::BTreeMap;

use offset_allocator::{Allocation, Allocator};
use oxshmem_core::host::{Error, ErrorKind, Extent, Result};

/// The unit of allocation, in bytes, to which each allocation is aligned: no two allocations share a cache line, and
/// the widest accesses are always possible.
pub(crate) const UNIT: u64 = 256;

/// The number of allocations for which an extent has room.
const MAX_ALLOCATIONS: u32 = 64 << 10;

pub(crate) struct Heap {
    extents: Vec<MappedExtent>,
    blocks: BTreeMap<u64, Allocated>,
    granularity: u64,
    limit: u64,
    /// The smallest growth, in bytes.
    step: u64,
    /// Bytes at the start that belong to the library.
    reserved: u64,
}

struct MappedExtent {
    extent: Extent,
    free: Allocator,
}

struct Allocated {
    bytes: u64,
    part: usize,
    allocation: Allocation,
}

impl Heap {
    /// Returns an empty heap that grows by `step` at least, in extents that are multiples of `granularity` and end at
    /// `limit`. Its first `reserved` bytes belong to the library.
    pub(crate) fn new(granularity: u64, limit: u64, step: u64, reserved: u64) -> Self {
        Self { extents: Vec::new(), blocks: BTreeMap::new(), granularity, limit, step, reserved }
    }

    /// Returns the mapped size, in bytes.
    pub(crate) fn mapped(&self) -> u64 {
        self.extents.last().map_or(0, |part| part.extent.offset + part.extent.bytes)
    }

    /// Returns the allocated size, in bytes.
    pub(crate) fn used(&self) -> u64 {
        self.blocks.values().map(|block| block.bytes).sum()
    }

    /// Returns the largest request, in bytes, that is sure to succeed without growth.
    pub(crate) fn largest_free(&self) -> u64 {
        let largest = |part: &MappedExtent| u64::from(part.free.storage_report().largest_free_region) * UNIT;
        self.extents.iter().map(largest).max().unwrap_or(0)
    }

    /// Returns the next extent, which adds room for at least `bytes` bytes.
    ///
    /// # Errors
    /// The heap would exceed its limit.
    pub(crate) fn next_extent(&self, bytes: u64) -> Result<Extent> {
        let offset = self.mapped();
        // The first extent also holds the library's own part. The allocator sorts free regions into bins an eighth
        // apart, so a request is sure to fit if there is an eighth more.
        let own = if offset == 0 { self.reserved } else { 0 };
        let wanted = own.saturating_add(bytes.saturating_add(bytes / 8)).saturating_add(UNIT).max(self.step);
        let room = self.limit.saturating_sub(offset) / self.granularity * self.granularity;
        let wanted = wanted.checked_next_multiple_of(self.granularity).unwrap_or(u64::MAX).min(room);
        let fits = if offset == 0 { own.saturating_add(bytes) <= wanted } else { bytes <= whole(wanted) };
        if !fits || wanted == 0 {
            return Err(Error::new(ErrorKind::Exhausted, format!("allocate {bytes} bytes of symmetric memory"))
                .because(format!(
                    "the heap has {} bytes, of which {} are in use, and may grow to {}",
                    self.mapped(),
                    self.used(),
                    self.limit
                ))
                .amount(bytes, self.largest_free().max(whole(room)), "bytes in one piece")
                .hint("raise OXSHMEM_HEAP_LIMIT, or free what is not needed"));
        }
        Ok(Extent { offset, bytes: wanted })
    }

    /// Adds an extent that is mapped.
    pub(crate) fn add(&mut self, extent: Extent) {
        let units = u32::try_from(extent.bytes / UNIT).unwrap_or(u32::MAX);
        let mut free = Allocator::with_max_allocs(units, MAX_ALLOCATIONS.min(units.saturating_add(2)));
        if extent.offset == 0 {
            // The library's own part is never freed.
            let _ = free.allocate((self.reserved / UNIT) as u32);
        }
        self.extents.push(MappedExtent { extent, free });
    }

    /// Allocates `bytes` bytes, aligned to `align` (a power of two). Returns `None` if the heap must grow first.
    pub(crate) fn allocate(&mut self, bytes: u64, align: u64) -> Option<u64> {
        // The allocator has no alignment: a request with an alignment above the unit gets as much room in front.
        let room = bytes.checked_add(if align > UNIT { align } else { 0 })?;
        let units = u32::try_from(room.div_ceil(UNIT)).ok()?;
        for (index, part) in self.extents.iter_mut().enumerate() {
            if let Some(allocation) = part.free.allocate(units) {
                let start = part.extent.offset + allocation.offset as u64 * UNIT;
                let at = start.next_multiple_of(align);
                self.blocks.insert(at, Allocated { bytes, part: index, allocation });
                return Some(at);
            }
        }
        None
    }

    /// Frees the allocation at `at`.
    ///
    /// # Errors
    /// There is no allocation at `at`.
    pub(crate) fn free(&mut self, at: u64) -> Result<()> {
        let Some(block) = self.blocks.remove(&at) else {
            let inside = self.blocks.range(..at).next_back().filter(|(start, block)| at < *start + block.bytes);
            let reason = match inside {
                Some((start, block)) => {
                    format!("it lies inside the {} bytes that were allocated at {start:#x}", block.bytes)
                }
                None if at >= self.mapped() => format!("the heap has {} bytes", self.mapped()),
                None => "nothing is allocated there; it may have been freed already".into(),
            };
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("free symmetric memory at heap offset {at:#x}"),
            )
            .because(reason));
        };
        self.extents[block.part].free.free(block.allocation);
        Ok(())
    }

    /// Checks that `bytes` bytes at `at` are in the heap, after the library's own part.
    ///
    /// # Errors
    /// They are not; the error has the requested number and the available one.
    pub(crate) fn check(&self, action: impl FnOnce() -> String, at: u64, bytes: usize) -> Result<()> {
        let end = at.checked_add(bytes as u64);
        if at >= self.reserved && end.is_some_and(|end| end <= self.mapped()) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::OutOfRange, action())
            .because(format!(
                "{bytes} bytes at heap offset {at:#x} are outside the symmetric heap, which has bytes {:#x} to {:#x}",
                self.reserved,
                self.mapped()
            ))
            .amount(bytes as u64, self.mapped().saturating_sub(at.max(self.reserved)), "bytes"))
    }
}

/// Returns the largest request that an empty extent of this size is sure to grant: the allocator sorts by size in steps
/// of an eighth.
fn whole(bytes: u64) -> u64 {
    match u32::try_from(bytes / UNIT).unwrap_or(u32::MAX) {
        0 => 0,
        units => u64::from(Allocator::<u32>::with_max_allocs(units, 4).storage_report().largest_free_region) * UNIT,
    }
}

impl std::fmt::Debug for Heap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Heap({} of {} bytes in use, limit {})", self.used(), self.mapped(), self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_raw::state::RESERVED_BYTES;

    const MIB: u64 = 1 << 20;

    fn heap() -> Heap {
        let mut heap = Heap::new(4096, 4 * MIB, MIB, RESERVED_BYTES);
        let first = heap.next_extent(0).unwrap();
        assert_eq!(first, Extent { offset: 0, bytes: MIB });
        heap.add(first);
        heap
    }

    #[test]
    fn the_first_extent_has_room_beside_the_librarys_own_part_of_a_large_world() {
        let reserved = 3 * RESERVED_BYTES;
        let mut heap = Heap::new(4096, MIB, RESERVED_BYTES, reserved);
        let first = heap.next_extent(4096).unwrap();
        assert!(first.bytes >= reserved + 4096, "{first:?}");
        heap.add(first);
        assert!(heap.allocate(4096, 1).is_some_and(|at| at >= reserved));
        assert!(heap.check(String::new, reserved - 1, 1).is_err() && heap.check(String::new, reserved, 1).is_ok());
    }

    #[test]
    fn allocations_are_apart_aligned_and_behind_what_is_the_librarys_own() {
        let mut heap = heap();
        let mut taken: Vec<(u64, u64)> = Vec::new();
        for (i, align) in [1u64, 256, 4096, 65536, 8].into_iter().cycle().take(20).enumerate() {
            let bytes = 1000 + 777 * i as u64;
            let at = heap.allocate(bytes, align).unwrap();
            assert!(at >= RESERVED_BYTES && at.is_multiple_of(align.max(UNIT)) && at + bytes <= MIB);
            assert!(taken.iter().all(|&(a, b)| at + bytes <= a || a + b <= at), "{at:#x} overlaps");
            taken.push((at, bytes));
        }
        for (at, _) in taken {
            heap.free(at).unwrap();
        }
        assert_eq!(heap.used(), 0);
        assert!(heap.allocate(MIB - RESERVED_BYTES - MIB / 8, 1).is_some(), "what was freed is whole again");
    }

    #[test]
    fn the_heap_grows_to_its_limit_and_says_how_much_of_how_much() {
        let mut heap = heap();
        assert_eq!(heap.allocate(2 * MIB, 1), None);
        let extent = heap.next_extent(2 * MIB).unwrap();
        assert!(extent.offset == MIB && extent.bytes >= 2 * MIB + MIB / 4);
        heap.add(extent);
        assert!(heap.allocate(2 * MIB, 1).is_some());
        let error = heap.next_extent(3 * MIB).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exhausted);
        let how_much = error.how_much().unwrap();
        assert_eq!(how_much.asked, 3 * MIB);
        // The size that the error reports as available can be allocated.
        let left = how_much.limit;
        assert!(left >= MIB / 2, "{error}");
        if heap.allocate(left, 1).is_none() {
            let extent = heap.next_extent(left).unwrap();
            heap.add(extent);
            assert!(heap.allocate(left, 1).is_some());
        }
    }

    #[test]
    fn whatever_size_the_last_extent_has_what_it_is_made_for_fits_in_it() {
        for limit in (1..=96).map(|pages| MIB + pages * 4096) {
            for bytes in [4096, 5000, 8 * 4096 - 256, limit - MIB, limit - MIB - 255] {
                let mut heap = Heap::new(4096, limit, MIB, RESERVED_BYTES);
                heap.add(heap.next_extent(0).unwrap());
                while heap.allocate(2048, 1).is_some() {}
                match heap.next_extent(bytes) {
                    Ok(extent) => heap.add(extent),
                    Err(error) => {
                        let left = error.how_much().unwrap().limit;
                        assert!(left < bytes && left >= (limit - MIB) / 8 * 7, "{limit}: {error}");
                        heap.add(heap.next_extent(left).unwrap());
                        assert!(heap.allocate(left, 1).is_some(), "{limit}: {left} bytes");
                        continue;
                    }
                }
                assert!(heap.allocate(bytes, 1).is_some(), "{limit}: {bytes} bytes");
            }
        }
    }

    #[test]
    fn freeing_what_is_not_allocated_says_what_is_there() {
        let mut heap = heap();
        let at = heap.allocate(4096, 1).unwrap();
        let inside = heap.free(at + 8).unwrap_err().to_string();
        assert!(inside.contains("inside the 4096 bytes"), "{inside}");
        heap.free(at).unwrap();
        let twice = heap.free(at).unwrap_err().to_string();
        assert!(twice.contains("freed already"), "{twice}");
    }

    #[test]
    fn a_range_is_checked_against_both_ends_of_the_heap() {
        let heap = heap();
        assert!(heap.check(String::new, RESERVED_BYTES, (MIB - RESERVED_BYTES) as usize).is_ok());
        assert!(heap.check(String::new, RESERVED_BYTES + 1, (MIB - RESERVED_BYTES) as usize).is_err());
        assert!(heap.check(String::new, 0, 8).is_err());
        assert!(heap.check(String::new, u64::MAX, 8).is_err());
    }
}

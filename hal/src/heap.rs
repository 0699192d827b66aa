//! The bookkeeping of the symmetric heap: its extents and allocations. It is the same on every PE, because every PE
//! makes the same calls in the same order.

use std::collections::BTreeMap;

use offset_allocator::{Allocation, Allocator};
use oxshmem_core::host::{Error, ErrorKind, Extent, Result};
use oxshmem_raw::memory::ExtentSlots;

/// The unit of allocation, in bytes, to which each allocation is aligned: no two allocations share a cache line, and
/// the widest accesses are always possible.
pub(crate) const UNIT: u64 = 256;

/// The number of allocations for which an extent has room.
const MAX_ALLOCATIONS: u32 = 64 << 10;

pub(crate) struct Heap {
    /// All extents, and the gaps that memory of the program left.
    slots: ExtentSlots,
    /// The extents of the heap's own memory, which are never removed.
    extents: Vec<MappedExtent>,
    blocks: BTreeMap<u64, Allocated>,
    granularity: u64,
    /// The offset at which the last extent ends at most.
    limit: u64,
    /// The smallest growth, in bytes.
    step: u64,
    /// Bytes at the start that belong to the library.
    reserved: u64,
}

struct MappedExtent {
    extent: Extent,
    /// The offset in the heap from which the allocator shares out.
    start: u64,
    free: Allocator,
}

struct Allocated {
    bytes: u64,
    part: usize,
    allocation: Allocation,
}

impl Heap {
    /// Returns an empty heap that grows by `step` bytes at least, in extents that are multiples of `granularity`, to
    /// `limit` bytes or to the first extent's, if those are more. Beside them its first `reserved` bytes belong to the
    /// library.
    pub(crate) fn new(granularity: u64, limit: u64, step: u64, reserved: u64) -> Self {
        let (slots, blocks) = (ExtentSlots::default(), BTreeMap::new());
        let limit = reserved.saturating_add(limit.max(region_for(step)));
        let limit = limit.checked_next_multiple_of(granularity).unwrap_or(u64::MAX / granularity * granularity);
        Self { slots, extents: Vec::new(), blocks, granularity, limit, step, reserved }
    }

    /// Returns the offset at which the last extent ends at most.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the size of which extents are multiples.
    pub(crate) fn granularity(&self) -> u64 {
        self.granularity
    }

    /// Returns the offset at which the mapped part ends.
    pub(crate) fn mapped(&self) -> u64 {
        self.slots.end()
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

    /// Returns the next extent, which adds room for at least `bytes` bytes: at the heap's end, or in a gap if the heap
    /// would exceed its limit there. It is a whole gap if none has a slot for the rest.
    ///
    /// # Errors
    /// The heap would exceed its limit.
    pub(crate) fn next_extent(&self, bytes: u64) -> Result<Extent> {
        let offset = self.mapped();
        // The first extent also holds the library's own part.
        let own = if offset == 0 { self.reserved } else { 0 };
        let least = own.saturating_add(region_for(bytes));
        let wanted = own.saturating_add(region_for(bytes.max(self.step)));
        let room = self.limit.saturating_sub(offset) / self.granularity * self.granularity;
        let wanted = wanted.checked_next_multiple_of(self.granularity).unwrap_or(u64::MAX).min(room);
        let fits = if offset == 0 { own.saturating_add(bytes) <= wanted } else { bytes <= whole(wanted) };
        if !fits || wanted == 0 {
            let least = least.checked_next_multiple_of(self.granularity).unwrap_or(u64::MAX);
            if let Some(offset) = self.slots.room_for(least) {
                return Ok(Extent { offset, bytes: least });
            }
            // A gap may have no slot for the part that would remain of it.
            let gaps = self.slots.empty().map(|(_, gap)| gap).filter(|gap| self.slots.fits(*gap));
            if let Some(gap) = gaps.clone().find(|gap| bytes <= whole(gap.bytes)) {
                return Ok(gap);
            }
            let most = gaps.map(|gap| gap.bytes).fold(room, u64::max);
            return Err(Error::new(ErrorKind::Exhausted, format!("allocate {bytes} bytes of symmetric memory"))
                .because(format!(
                    "the heap has {} bytes, of which {} are in use, and may grow to {}",
                    self.mapped().saturating_sub(self.reserved),
                    self.used(),
                    self.limit - self.reserved
                ))
                .amount(bytes, self.largest_free().max(whole(most)), "bytes in one piece")
                .hint("raise OXSHMEM_HEAP_LIMIT, or free what is not needed"));
        }
        Ok(Extent { offset, bytes: wanted })
    }

    /// Returns the place for `bytes` bytes of memory of the program: `preferred` if that is the heap's end or in a gap,
    /// else the lowest gap with room, else the heap's end.
    ///
    /// # Errors
    /// The size is not a positive multiple of the granularity, or the heap would exceed its limit.
    pub(crate) fn place_for(&self, bytes: u64, preferred: Option<u64>) -> Result<Extent> {
        let action = || format!("register {bytes} bytes of the program as symmetric memory");
        if bytes == 0 || !bytes.is_multiple_of(self.granularity) {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because(format!("the size is not a positive multiple of {} bytes", self.granularity))
                .hint("register a whole allocation, whose size is such a multiple"));
        }
        let (end, room) = (self.mapped(), self.limit.saturating_sub(self.mapped()));
        let wish = preferred.map(|offset| Extent { offset, bytes }).filter(|wish| {
            wish.offset.is_multiple_of(self.granularity)
                && ((wish.offset == end && bytes <= room) || self.slots.fits(*wish))
        });
        let offset = wish.map_or_else(|| self.slots.room_for(bytes).unwrap_or(end), |wish| wish.offset);
        if offset == end && bytes > room {
            return Err(Error::new(ErrorKind::Exhausted, action())
                .because(format!(
                    "the heap has {} bytes and may grow to {}",
                    end.saturating_sub(self.reserved),
                    self.limit - self.reserved
                ))
                .amount(bytes, room, "bytes")
                .hint("raise OXSHMEM_HEAP_LIMIT, or unregister memory that is no longer used"));
        }
        Ok(Extent { offset, bytes })
    }

    /// Adds an extent of memory of the program, which is mapped at its [place](Heap::place_for).
    ///
    /// # Errors
    /// The place is taken.
    pub(crate) fn register(&mut self, extent: Extent) -> Result<()> {
        self.slots.insert(extent).map(drop)
    }

    /// Removes the extent of memory of the program that begins at `at` and has `bytes` bytes, and returns it.
    ///
    /// # Errors
    /// There is no such extent; the error names the memory that is there.
    pub(crate) fn unregister(&mut self, at: u64, bytes: u64) -> Result<Extent> {
        let extent = Extent { offset: at, bytes };
        let there = self.registered_at(at);
        if there == Some(extent) && self.slots.remove(extent).is_some() {
            return Ok(extent);
        }
        let reason = match there {
            Some(other) if other.offset == at => format!("{} bytes are registered there", other.bytes),
            Some(other) => {
                format!("it lies inside the {} bytes that are registered at {:#x}", other.bytes, other.offset)
            }
            None => "no memory of the program is registered there; it may have been unregistered already".into(),
        };
        Err(Error::new(ErrorKind::InvalidArgument, format!("unregister {bytes} bytes at heap offset {at:#x}"))
            .because(reason)
            .hint("pass the address that the registration returned, and its size"))
    }

    /// Returns the extent of memory of the program that contains offset `at`.
    fn registered_at(&self, at: u64) -> Option<Extent> {
        let all = (0..self.slots.count()).filter_map(|slot| self.slots.extent(slot));
        let is_own = |extent: &Extent| self.extents.iter().any(|part| part.extent == *extent);
        all.filter(|extent| !is_own(extent)).find(|extent| extent.offset <= at && at - extent.offset < extent.bytes)
    }

    /// Adds an extent that is mapped.
    ///
    /// # Errors
    /// Its place is taken.
    pub(crate) fn add(&mut self, extent: Extent) -> Result<()> {
        self.slots.insert(extent)?;
        // The library's own part is never allocated.
        let start = extent.offset.max(self.reserved);
        let units = u32::try_from((extent.offset + extent.bytes - start) / UNIT).unwrap_or(u32::MAX);
        let free = Allocator::with_max_allocs(units, MAX_ALLOCATIONS.min(units.saturating_add(2)));
        self.extents.push(MappedExtent { extent, start, free });
        Ok(())
    }

    /// Allocates `bytes` bytes, aligned to `align` (a power of two). Returns `None` if the heap must grow first.
    pub(crate) fn allocate(&mut self, bytes: u64, align: u64) -> Option<u64> {
        // The allocator has no alignment: a request with an alignment above the unit gets as much room in front.
        let room = bytes.checked_add(if align > UNIT { align } else { 0 })?;
        let units = u32::try_from(room.div_ceil(UNIT)).ok()?;
        for (index, part) in self.extents.iter_mut().enumerate() {
            if let Some(allocation) = part.free.allocate(units) {
                let start = part.start + allocation.offset as u64 * UNIT;
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
                None if self.registered_at(at).is_some() => {
                    "memory of the program is registered there, which is unregistered and not freed".into()
                }
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

    /// Checks that `bytes` bytes at `at` are in the heap, after the library's own part and in no gap.
    ///
    /// # Errors
    /// They are not; the error has the requested number and the available one.
    pub(crate) fn check(&self, action: impl FnOnce() -> String, at: u64, bytes: usize) -> Result<()> {
        let end = at.checked_add(bytes as u64);
        if let Some(end) = end.filter(|end| at >= self.reserved && *end <= self.mapped()) {
            let Some(gap) = self.slots.gap_in(at, end) else { return Ok(()) };
            return Err(Error::new(ErrorKind::OutOfRange, action())
                .because(format!(
                    "no memory is at heap offsets {:#x} to {:#x}, where memory of the program was registered before",
                    gap.offset,
                    gap.offset + gap.bytes
                ))
                .amount(bytes as u64, gap.offset.saturating_sub(at), "bytes"));
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

/// Returns the least size of a free region that is sure to grant a request: the allocator sorts regions by size, in units
/// of which the highest four bits count.
fn region_for(bytes: u64) -> u64 {
    let units = bytes.div_ceil(UNIT).max(1);
    let step = 1 << units.ilog2().saturating_sub(3);
    units.checked_next_multiple_of(step).and_then(|units| units.checked_mul(UNIT)).unwrap_or(u64::MAX)
}

/// Returns the largest request that an empty extent of this size is sure to grant.
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
mod tests;

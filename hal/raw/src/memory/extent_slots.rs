//! The extents of a symmetric heap in the order of their offsets, and the gaps between them.

use oxshmem_core::host::{Error, ErrorKind, Extent, Result};

/// Extents by slot. The heap's bookkeeping and the tables of transports number the extents alike.
///
/// A slot keeps its number: kernels that run meanwhile look up other extents in the tables. An extent that is removed
/// leaves its slot empty. Adjacent empty slots are one gap: the first has all of its bytes, the others begin and end at
/// the gap's end. An extent can be inserted into a gap that has a slot for it and one for each part that remains. A gap
/// at the end is no part of the heap any more, and its slots are free.
#[derive(Clone, Debug, Default)]
pub struct ExtentSlots(Vec<Slot>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    extent: Extent,
    is_used: bool,
}

impl ExtentSlots {
    /// Returns the offset after the last extent.
    pub fn end(&self) -> u64 {
        self.0.last().map_or(0, |last| end_of(last.extent))
    }

    /// Returns the number of slots.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the slot of an extent.
    pub fn slot_of(&self, extent: Extent) -> Option<usize> {
        self.0.iter().position(|slot| slot.is_used && slot.extent == extent)
    }

    /// Returns the extent in a slot; `None` if it is empty.
    pub fn extent(&self, slot: usize) -> Option<Extent> {
        self.0.get(slot).filter(|slot| slot.is_used).map(|slot| slot.extent)
    }

    /// Returns the empty slots, each with its part of a gap.
    pub fn empty(&self) -> impl Iterator<Item = (usize, Extent)> + Clone {
        self.0.iter().enumerate().filter(|(_, slot)| !slot.is_used).map(|(number, slot)| (number, slot.extent))
    }

    /// Returns the first part of a gap that the bytes from `at` to `end` touch.
    pub fn gap_in(&self, at: u64, end: u64) -> Option<Extent> {
        self.empty().map(|(_, gap)| gap).find(|gap| gap.bytes > 0 && gap.offset < end && at < end_of(*gap))
    }

    /// Returns the lowest offset in a gap at which an extent of this size can be inserted.
    pub fn room_for(&self, bytes: u64) -> Option<u64> {
        self.empty().map(|(_, gap)| gap.offset).find(|&offset| self.fits(Extent { offset, bytes }))
    }

    /// Returns whether the extent can be inserted into a gap.
    pub fn fits(&self, extent: Extent) -> bool {
        self.gap_for(extent).is_some()
    }

    /// Inserts an extent into a gap, or after the last extent, and returns its slot.
    ///
    /// # Errors
    /// `InvalidArgument`: it does neither fit into a gap nor follow the last extent.
    pub fn insert(&mut self, extent: Extent) -> Result<usize> {
        if extent.offset == self.end() {
            self.0.push(Slot { extent, is_used: true });
            return Ok(self.0.len() - 1);
        }
        let Some((first, count, gap)) = self.gap_for(extent) else {
            let action = format!("add {} bytes at offset {:#x} to the symmetric heap", extent.bytes, extent.offset);
            return Err(Error::new(ErrorKind::InvalidArgument, action)
                .because(format!("no gap has room for them, and the heap ends at offset {:#x}", self.end())));
        };
        let mut next = first;
        if extent.offset > gap.offset {
            self.0[next].extent = Extent { offset: gap.offset, bytes: extent.offset - gap.offset };
            next += 1;
        }
        self.0[next] = Slot { extent, is_used: true };
        self.lay_out(next + 1, first + count, end_of(extent), end_of(gap));
        Ok(next)
    }

    /// Removes an extent and returns its former slot. `None`: there is no such extent.
    pub fn remove(&mut self, extent: Extent) -> Option<usize> {
        let slot = self.slot_of(extent)?;
        self.0[slot].is_used = false;
        while self.0.last().is_some_and(|last| !last.is_used) {
            self.0.pop();
        }
        if slot < self.0.len() {
            let first = self.0[..slot].iter().rposition(|slot| slot.is_used).map_or(0, |used| used + 1);
            let count = self.0[first..].iter().take_while(|slot| !slot.is_used).count();
            let (begin, end) = (self.0[first].extent.offset, self.0[first + count].extent.offset);
            self.lay_out(first, first + count, begin, end);
        }
        Some(slot)
    }

    /// Returns the gap that has room and slots for an extent: its first slot, the number of its slots, and its bytes.
    fn gap_for(&self, extent: Extent) -> Option<(usize, usize, Extent)> {
        let end = extent.offset.checked_add(extent.bytes)?;
        let holds = |gap: Extent| gap.offset <= extent.offset && end <= end_of(gap) && extent.bytes > 0;
        let (first, gap) = self.empty().find(|(_, gap)| holds(*gap))?;
        let count = self.0[first..].iter().take_while(|slot| !slot.is_used).count();
        let needed = 1 + usize::from(gap.offset < extent.offset) + usize::from(end < end_of(gap));
        (needed <= count).then_some((first, count, gap))
    }

    /// Gives the bytes from `begin` to `end` to the empty slots from `first` to `last`: all to the first of them.
    fn lay_out(&mut self, first: usize, last: usize, begin: u64, end: u64) {
        for (number, slot) in self.0[first..last].iter_mut().enumerate() {
            let offset = if number == 0 { begin } else { end };
            *slot = Slot { extent: Extent { offset, bytes: end - offset }, is_used: false };
        }
    }
}

fn end_of(extent: Extent) -> u64 {
    extent.offset + extent.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(offset: u64, bytes: u64) -> Extent {
        Extent { offset, bytes }
    }

    /// Extents of these sizes, one after another.
    fn slots(sizes: &[u64]) -> ExtentSlots {
        let mut slots = ExtentSlots::default();
        for (number, bytes) in sizes.iter().enumerate() {
            assert_eq!(slots.insert(of(slots.end(), *bytes)).unwrap(), number);
        }
        slots
    }

    fn gaps(slots: &ExtentSlots) -> Vec<(usize, u64, u64)> {
        slots.empty().map(|(slot, gap)| (slot, gap.offset, gap.bytes)).collect()
    }

    #[test]
    fn an_extent_that_is_removed_leaves_a_gap_for_another_and_no_other_extent_changes_its_slot() {
        let mut slots = slots(&[10, 4, 2, 8]);
        assert_eq!(slots.remove(of(10, 4)), Some(1));
        assert_eq!((gaps(&slots), slots.end()), (vec![(1, 10, 4)], 24));
        // One slot has no other for the part that would remain.
        assert_eq!((slots.room_for(3), slots.room_for(4), slots.room_for(5)), (None, Some(10), None));
        assert_eq!(slots.remove(of(14, 2)), Some(2));
        assert_eq!(gaps(&slots), [(1, 10, 6), (2, 16, 0)]);
        assert_eq!((slots.room_for(5), slots.room_for(6), slots.room_for(7)), (Some(10), Some(10), None));
        assert_eq!(slots.insert(of(10, 5)).unwrap(), 1);
        assert_eq!((gaps(&slots), slots.extent(3)), (vec![(2, 15, 1)], Some(of(16, 8))));
        assert_eq!(slots.insert(of(15, 1)).unwrap(), 2);
        assert_eq!((gaps(&slots), slots.room_for(1)), (vec![], None));
    }

    #[test]
    fn an_extent_is_inserted_in_the_middle_of_a_gap_that_has_a_slot_for_each_part() {
        let mut slots = slots(&[10, 4, 4, 4, 8]);
        for offset in [10, 14, 18] {
            slots.remove(of(offset, 4)).unwrap();
        }
        assert!(slots.fits(of(12, 4)) && !slots.fits(of(20, 4)) && !slots.fits(of(8, 4)) && !slots.fits(of(12, 0)));
        assert_eq!(slots.insert(of(12, 4)).unwrap(), 2);
        assert_eq!(gaps(&slots), [(1, 10, 2), (3, 16, 6)]);
        assert!(!slots.fits(of(17, 5)), "the gap has one slot");
        assert_eq!(slots.remove(of(12, 4)), Some(2));
        assert_eq!(gaps(&slots), [(1, 10, 12), (2, 22, 0), (3, 22, 0)]);
    }

    #[test]
    fn a_gap_at_the_end_shortens_the_heap() {
        let mut slots = slots(&[10, 4, 2]);
        assert_eq!((slots.remove(of(10, 4)), slots.end()), (Some(1), 16));
        assert_eq!((slots.remove(of(14, 2)), slots.end(), slots.count()), (Some(2), 10, 1));
        assert_eq!((slots.remove(of(14, 2)), slots.remove(of(0, 4))), (None, None));
        let error = slots.insert(of(12, 2)).unwrap_err().to_string();
        assert!(error.contains("2 bytes at offset 0xc") && error.contains("ends at offset 0xa"), "{error}");
        assert_eq!(slots.insert(of(10, 6)).unwrap(), 1);
    }

    #[test]
    fn a_range_touches_a_gap_only_where_they_have_a_byte_in_common() {
        let mut slots = slots(&[10, 4, 8]);
        slots.remove(of(10, 4)).unwrap();
        assert_eq!((slots.gap_in(0, 10), slots.gap_in(14, 22)), (None, None));
        assert_eq!((slots.gap_in(0, 11), slots.gap_in(13, 14)), (Some(of(10, 4)), Some(of(10, 4))));
        // A gap of two slots that one extent fills: the empty slot that remains has no bytes.
        let mut slots = self::slots(&[10, 4, 2, 8]);
        for extent in [of(10, 4), of(14, 2)] {
            slots.remove(extent).unwrap();
        }
        slots.insert(of(10, 6)).unwrap();
        assert_eq!((gaps(&slots), slots.gap_in(12, 20)), (vec![(2, 16, 0)], None));
    }

    #[test]
    fn whatever_is_inserted_and_removed_the_slots_stay_in_order_and_cover_the_heap() {
        let mut slots = slots(&[16]);
        let mut held = Vec::new();
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for round in 0..4000 {
            if held.len() > 6 || (!held.is_empty() && draw(2) == 0) {
                let gone = held.swap_remove(draw(held.len() as u64) as usize);
                assert!(slots.remove(gone).is_some());
            } else {
                let bytes = 1 + draw(9);
                let extent = of(slots.room_for(bytes).unwrap_or(slots.end()), bytes);
                let slot = slots.insert(extent).unwrap();
                assert_eq!(slots.extent(slot), Some(extent));
                held.push(extent);
            }
            let mut end = 0;
            for slot in &slots.0 {
                assert_eq!(slot.extent.offset, end, "round {round}: {slots:?}");
                end = end_of(slot.extent);
            }
            assert!(slots.0.last().is_some_and(|last| last.is_used) && slots.count() < 40, "{slots:?}");
            assert!(held.iter().all(|extent| slots.slot_of(*extent).is_some()));
        }
    }
}

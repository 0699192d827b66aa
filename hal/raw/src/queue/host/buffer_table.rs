//! Buffers that the program registered: ranges that don't overlap, each in a slot of its own.

use oxshmem_core::host::{Error, ErrorKind, Result};

/// A registered buffer and its registrations.
#[derive(Debug)]
pub struct RegisteredBuffer<R> {
    /// Its first address for kernels.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
    /// Its registrations, given back when they are dropped.
    pub registration: R,
}

/// Registered buffers by slot.
#[derive(Debug)]
pub struct BufferTable<R> {
    slots: Vec<Option<RegisteredBuffer<R>>>,
    capacity: usize,
}

impl<R> BufferTable<R> {
    /// Returns an empty table for at most `capacity` buffers.
    pub fn new(capacity: usize) -> Self {
        Self { slots: Vec::new(), capacity }
    }

    /// Returns the buffers and their slots.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &RegisteredBuffer<R>)> {
        self.slots.iter().enumerate().filter_map(|(slot, buffer)| Some((slot, buffer.as_ref()?)))
    }

    /// Returns the number of slots up to the last one that was ever used.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Finds a slot for a buffer of `bytes` bytes at `start`: the first free one.
    ///
    /// # Errors
    /// `InvalidArgument`: the buffer is empty, passes the end of the address space or overlaps another one.
    /// `Exhausted`: every slot is in use.
    pub fn free_slot(&self, start: u64, bytes: u64) -> Result<usize> {
        let action = || format!("register {bytes} bytes at address {start:#x}");
        let Some(end) = start.checked_add(bytes).filter(|_| bytes > 0) else {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("a buffer has at least one byte, and ends within the address space"));
        };
        if let Some((_, other)) = self.iter().find(|(_, other)| start < other.end && other.start < end) {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because(format!(
                "{} bytes at address {:#x} are registered already",
                other.end - other.start,
                other.start
            )));
        }
        let slot = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        if slot >= self.capacity {
            return Err(Error::new(ErrorKind::Exhausted, action())
                .amount(slot as u64 + 1, self.capacity as u64, "buffers")
                .hint("register fewer, larger buffers, or unregister those that are no longer used"));
        }
        Ok(slot)
    }

    /// Puts a buffer into a slot that [`free_slot`](Self::free_slot) found for it.
    pub fn insert(&mut self, slot: usize, start: u64, bytes: u64, registration: R) {
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, || None);
        }
        self.slots[slot] = Some(RegisteredBuffer { start, end: start + bytes, registration });
    }

    /// Returns the slot of the buffer that begins at `address`.
    ///
    /// # Errors
    /// `InvalidArgument`: none begins there.
    pub fn slot_of(&self, address: u64) -> Result<usize> {
        let found = self.iter().find(|(_, buffer)| buffer.start == address);
        found.map(|(slot, _)| slot).ok_or_else(|| {
            let action = format!("unregister the buffer at address {address:#x}");
            Error::new(ErrorKind::InvalidArgument, action).because("no registered buffer begins there")
        })
    }

    /// Takes the buffer out of a slot.
    pub fn remove(&mut self, slot: usize) -> Option<RegisteredBuffer<R>> {
        self.slots.get_mut(slot).and_then(Option::take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_do_not_overlap_and_free_slots_are_used_again() {
        let mut table = BufferTable::new(2);
        let add = |table: &mut BufferTable<u32>, start, bytes| {
            let slot = table.free_slot(start, bytes)?;
            table.insert(slot, start, bytes, 0);
            Ok::<_, Error>(slot)
        };
        assert_eq!(add(&mut table, 0x1000, 100).unwrap(), 0);
        for (start, bytes, reason) in [
            (0x1063, 1, "registered already"),
            (0xfff, 2, "registered already"),
            (0x3000, 0, "at least one byte"),
            (u64::MAX, 2, "address space"),
        ] {
            let error = add(&mut table, start, bytes).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert_eq!(add(&mut table, 0x1064, 4).unwrap(), 1);
        let error = add(&mut table, 0x5000, 1).unwrap_err();
        assert!(error.kind() == ErrorKind::Exhausted && error.to_string().contains("2 available"), "{error}");
        let slot = table.slot_of(0x1000).unwrap();
        assert_eq!(table.remove(slot).map(|buffer| (buffer.start, buffer.end)), Some((0x1000, 0x1064)));
        assert_eq!(table.slot_of(0x1000).unwrap_err().kind(), ErrorKind::InvalidArgument);
        assert_eq!((add(&mut table, 0x5000, 8).unwrap(), table.slots()), (0, 2));
    }
}

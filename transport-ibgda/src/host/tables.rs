//! The tables of queues and keys that the host writes and kernels read.
//!
//! All tables are allocated once, for the greatest number of rows. Entries can thus be added while kernels run:
//! an entry is written before the count that includes it.
//!
//! Keys are per NIC. There is a table of own keys for each NIC of this PE, and a table of the peers' keys for each
//! number of a NIC that a peer has. A [`NicState`] joins one table of each kind.

use std::mem::{offset_of, size_of};
use std::sync::atomic::{Ordering, fence};

use crate::state::{ExtentKeys, LocalKeys, MAX_EXTENTS, MAX_LOCALS, NicState, QueueState};
use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::queue::host::KernelRows;

/// The tables of a PE.
#[derive(Debug)]
pub(in crate::host) struct Tables {
    chunk: Chunk,
    n_pes: u32,
    /// The address for kernels of the copy of the world's state, which each queue's entry contains; 0 before it is set.
    pub(in crate::host) world: u64,
    at: TableOffsets,
    /// The longest message of each NIC of this PE.
    nics: Vec<u64>,
    /// By the number of the peers' NIC.
    peer_nics: Vec<PeerNicKeys>,
    shared_counts: SharedCounts,
    memory: Memory,
}

/// The offset of each table.
#[derive(Debug)]
struct TableOffsets {
    /// By NIC of this PE.
    extents: Vec<usize>,
    /// By NIC of this PE.
    locals: Vec<usize>,
    queues: usize,
}

/// The tables for one NIC of each peer: a [`NicState`] for each NIC of this PE, followed by the peers' keys.
#[derive(Debug)]
struct PeerNicKeys {
    chunk: Chunk,
    rkeys: usize,
}

/// The fields that are the same in every [`NicState`].
#[derive(Clone, Copy, Debug, Default)]
struct SharedCounts {
    n_extents: u32,
    n_locals: u32,
    rows: u32,
    relaxed: u32,
}

/// The fields of a queue's entry that kernels change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::host) struct QueueCounts {
    pub(in crate::host) done: u64,
    pub(in crate::host) bytes: u64,
    pub(in crate::host) stalls: u64,
    pub(in crate::host) posted: u64,
    pub(in crate::host) doorbells: u64,
    pub(in crate::host) stopped: u64,
}

/// A type whose bytes are written to the tables as they are.
///
/// # Safety
///
/// - **whole**: it is `repr(C)`, without padding.
unsafe trait TableEntry: Sized {
    fn bytes(&self) -> &[u8] {
        // SAFETY: **whole**: each of these bytes belongs to a field, and is initialised.
        unsafe { std::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }
}

// SAFETY: **whole**: fields of 8, 4 and 4 bytes add up to its size of 16, so there is no padding.
unsafe impl TableEntry for ExtentKeys {}
// SAFETY: **whole**: fields of 8, 8, 4, 4 and 8 bytes add up to its size of 32, so there is no padding.
unsafe impl TableEntry for LocalKeys {}
// SAFETY: **whole**: 8 words of 8 bytes, 10 of 4, 3 of 8, and 16 of 8 add up to its size of 256, so there is no
// padding.
unsafe impl TableEntry for QueueState {}

impl Tables {
    /// Returns empty tables for `rows` rows of queues to each of the PEs, over NICs with these longest messages.
    /// `relaxed`: writes to this PE's own heap may arrive in any order.
    pub(in crate::host) fn new(memory: &Memory, n_pes: u32, rows: u32, nics: &[u64], relaxed: bool) -> Result<Self> {
        let mut end = 0;
        let mut part = |bytes: usize| {
            let at = end;
            // Each table begins on a cache line of its own. The queues come last and are aligned to 128 bytes.
            end = (end + bytes).next_multiple_of(128);
            at
        };
        let at = TableOffsets {
            extents: nics.iter().map(|_| part(MAX_EXTENTS as usize * size_of::<ExtentKeys>())).collect(),
            locals: nics.iter().map(|_| part(MAX_LOCALS as usize * size_of::<LocalKeys>())).collect(),
            queues: part(rows as usize * n_pes as usize * size_of::<QueueState>()),
        };
        let chunk = Chunk::beside(memory, end)?;
        let shared_counts = SharedCounts { relaxed: relaxed.into(), ..SharedCounts::default() };
        let (nics, memory) = (nics.to_vec(), memory.clone());
        let mut tables = Self { chunk, n_pes, world: 0, at, nics, peer_nics: Vec::new(), shared_counts, memory };
        // The first has the fields that all queues share, so that it must exist for any peers.
        tables.add_peer_nics(1)?;
        Ok(tables)
    }

    /// Makes room for the keys of peers with `count` NICs.
    ///
    /// # Errors
    /// There is no memory.
    pub(in crate::host) fn add_peer_nics(&mut self, count: usize) -> Result<()> {
        while self.peer_nics.len() < count {
            let rkeys = self.nics.len() * size_of::<NicState>();
            let bytes = rkeys + MAX_EXTENTS as usize * self.n_pes as usize * 4;
            let chunk = Chunk::beside(&self.memory, bytes)?;
            for (local, max_message) in self.nics.iter().enumerate() {
                let at = local * size_of::<NicState>();
                for (field, value) in [
                    (offset_of!(NicState, extents), self.chunk.kernel() + self.at.extents[local] as u64),
                    (offset_of!(NicState, rkeys), chunk.kernel() + rkeys as u64),
                    (offset_of!(NicState, locals), self.chunk.kernel() + self.at.locals[local] as u64),
                    (offset_of!(NicState, max_message), *max_message),
                ] {
                    chunk.write(at + field, &value.to_le_bytes())?;
                }
                let SharedCounts { n_extents, n_locals, rows, relaxed } = self.shared_counts;
                for (field, value) in [
                    (offset_of!(NicState, n_extents), n_extents),
                    (offset_of!(NicState, n_locals), n_locals),
                    (offset_of!(NicState, rows), rows),
                    (offset_of!(NicState, relaxed_ordering), relaxed),
                ] {
                    chunk.write(at + field, &value.to_le_bytes())?;
                }
            }
            self.peer_nics.push(PeerNicKeys { chunk, rkeys });
        }
        Ok(())
    }

    /// Returns the address of the first [`NicState`], which has the fields that all queues share.
    pub(in crate::host) fn shared(&self) -> u64 {
        self.peer_nics[0].chunk.kernel()
    }

    /// Returns the address of the [`NicState`] of queues from NIC `local` of this PE to NIC `peer_nic` of the peers;
    /// `None` if no peer has offered keys of such a NIC.
    pub(in crate::host) fn nic(&self, local: usize, peer_nic: usize) -> Option<u64> {
        Some(self.peer_nics.get(peer_nic)?.chunk.kernel() + (local * size_of::<NicState>()) as u64)
    }

    /// Returns the address of the [`QueueState`]s.
    pub(in crate::host) fn queues(&self) -> u64 {
        self.chunk.kernel() + self.at.queues as u64
    }

    /// Changes the flags of a queue.
    pub(in crate::host) fn set_flags(&self, row: u32, pe: Pe, flags: u32) -> Result<()> {
        self.chunk.write(self.queue(row, pe) + offset_of!(QueueState, flags), &flags.to_le_bytes())
    }

    /// Reads the counts of the queues of a row, by PE.
    pub(in crate::host) fn counts(&self, row: u32) -> Result<Vec<QueueCounts>> {
        let mut bytes = vec![0; self.n_pes as usize * size_of::<QueueState>()];
        self.chunk.read(self.queue(row, Pe::new(0)), &mut bytes)?;
        let counts = |state: &[u8; size_of::<QueueState>()]| {
            let word = |field: usize| u64::from_le_bytes(std::array::from_fn(|i| state[field + i]));
            QueueCounts {
                done: word(offset_of!(QueueState, done)),
                bytes: word(offset_of!(QueueState, bytes)),
                stalls: word(offset_of!(QueueState, stalls)),
                posted: word(offset_of!(QueueState, posted)),
                doorbells: word(offset_of!(QueueState, doorbells)),
                stopped: word(offset_of!(QueueState, stopped)),
            }
        };
        Ok(bytes.as_chunks().0.iter().map(counts).collect())
    }

    /// Writes the key of a PE's extent on its NIC `peer_nic`, in the wire's byte order.
    pub(in crate::host) fn set_rkey(&self, extent: u32, pe: Pe, peer_nic: usize, rkey: u32) -> Result<()> {
        let PeerNicKeys { chunk, rkeys } = &self.peer_nics[peer_nic];
        chunk.write(rkeys + 4 * (extent as usize * self.n_pes as usize + pe.index()), &rkey.to_ne_bytes())
    }

    /// Clears the keys of all PEs for an extent, on every NIC.
    pub(in crate::host) fn clear_rkeys(&self, extent: u32) -> Result<()> {
        let bytes = 4 * self.n_pes as usize;
        let clear = |PeerNicKeys { chunk, rkeys }: &PeerNicKeys| chunk.fill(rkeys + extent as usize * bytes, 0, bytes);
        self.peer_nics.iter().map(clear).fold(Ok(()), Result::and)
    }

    /// Writes an extent of this PE as its NIC `local` has it. Kernels use it from
    /// [`publish_extents`](Self::publish_extents) on.
    pub(in crate::host) fn set_extent(&self, local: usize, extent: u32, keys: &ExtentKeys) -> Result<()> {
        self.chunk.write(self.at.extents[local] + extent as usize * size_of::<ExtentKeys>(), keys.bytes())
    }

    /// Publishes the first `count` extents.
    pub(in crate::host) fn publish_extents(&mut self, count: u32) -> Result<()> {
        self.publish(offset_of!(NicState, n_extents), count)?;
        self.shared_counts.n_extents = count;
        Ok(())
    }

    /// Records that writes may arrive in any order.
    pub(in crate::host) fn set_relaxed(&mut self) -> Result<()> {
        if self.shared_counts.relaxed == 0 {
            self.publish(offset_of!(NicState, relaxed_ordering), 1)?;
            self.shared_counts.relaxed = 1;
        }
        Ok(())
    }

    /// Writes a registered buffer as NIC `local` of this PE has it. Its end, which makes it valid, is written last.
    pub(in crate::host) fn set_local(&self, local: usize, slot: u32, keys: &LocalKeys) -> Result<()> {
        let at = self.at.locals[local] + slot as usize * size_of::<LocalKeys>();
        let end = at + offset_of!(LocalKeys, end);
        let empty = LocalKeys { end: 0, ..*keys };
        self.chunk.write(at, empty.bytes())?;
        fence(Ordering::SeqCst);
        self.chunk.write(end, &keys.end.to_le_bytes())
    }

    /// Removes a registered buffer, for every NIC.
    pub(in crate::host) fn clear_local(&self, slot: u32) -> Result<()> {
        let end = slot as usize * size_of::<LocalKeys>() + offset_of!(LocalKeys, end);
        let clear = |locals: &usize| self.chunk.write(locals + end, &0u64.to_le_bytes());
        // Each is cleared, even if another one can't be.
        self.at.locals.iter().map(clear).fold(Ok(()), Result::and)
    }

    /// Publishes the first `count` slots of registered buffers.
    pub(in crate::host) fn publish_locals(&mut self, count: u32) -> Result<()> {
        self.publish(offset_of!(NicState, n_locals), count)?;
        self.shared_counts.n_locals = count;
        Ok(())
    }

    /// Writes a field of each [`NicState`], after all earlier writes. A kernel reads the one of its queue.
    fn publish(&self, field: usize, count: u32) -> Result<()> {
        fence(Ordering::SeqCst);
        for chunk in self.peer_nics.iter().map(|peer_nic| &peer_nic.chunk) {
            for local in 0..self.nics.len() {
                chunk.write(local * size_of::<NicState>() + field, &count.to_le_bytes())?;
            }
        }
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn queue(&self, row: u32, pe: Pe) -> usize {
        self.at.queues + (row as usize * self.n_pes as usize + pe.index()) * size_of::<QueueState>()
    }
}

impl KernelRows for Tables {
    type State = QueueState;

    /// Writes an entry. Its first word, the address of the send queue, makes it valid and is written last if `is_live`.
    fn set_queue(&mut self, row: u32, pe: Pe, state: &QueueState, is_live: bool) -> Result<()> {
        let at = self.queue(row, pe);
        let bytes = state.bytes();
        if !is_live {
            return self.chunk.write(at, bytes);
        }
        const COUNTS: usize = size_of::<u64>();
        const { assert!(offset_of!(QueueState, sq) == 0) };
        self.chunk.write(at + COUNTS, &bytes[COUNTS..])?;
        fence(Ordering::SeqCst);
        self.chunk.write(at, &bytes[..COUNTS])
    }

    /// Clears the second half of the entry first: nothing counts as issued on it then, so that a quiet over all queues
    /// does not wait for it.
    fn clear_queue(&mut self, row: u32, pe: Pe) -> Result<()> {
        const HALF: usize = offset_of!(QueueState, reserved);
        let at = self.queue(row, pe);
        self.chunk.write(at + HALF, &[0; size_of::<QueueState>() - HALF])?;
        fence(Ordering::SeqCst);
        self.chunk.write(at, &0u64.to_le_bytes())
    }

    /// Publishes the first `rows` rows.
    fn publish_rows(&mut self, rows: u32) -> Result<()> {
        self.publish(offset_of!(NicState, rows), rows)?;
        self.shared_counts.rows = rows;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxshmem_core::host::ErrorKind;
    use oxshmem_raw::queue::host::{Row, RowTable};

    fn state(row: u32, pe: u32) -> (u32, Pe, QueueState) {
        // SAFETY: a QueueState is integers, for which zeros are a value.
        let state: QueueState = unsafe { std::mem::zeroed() };
        (row, Pe::new(pe), QueueState { sq: 0x1000, cqe: 0x2000, qpn: 7, pe, ..state })
    }

    #[test]
    fn what_could_be_published_in_part_only_leaves_nothing_in_the_tables() {
        let mut tables = Tables::new(&Memory::Host, 3, 4, &[1 << 30], false).unwrap();
        let mut rows = RowTable::new(3);
        let empty = || -> Vec<Row<()>> { vec![vec![None, None, None]] };
        rows.publish(&mut tables, 0, empty(), &[state(0, 1), state(0, 2)]).unwrap();
        rows.publish(&mut tables, 2, empty(), &[state(2, 1), state(2, 2)]).unwrap();
        let seen = |tables: &Tables, row: u32| -> Vec<u64> {
            let at = tables.queues() as *const QueueState;
            // SAFETY: the tables have room for all rows, and nothing runs meanwhile.
            (0..3).map(|pe| unsafe { (*at.add((row * 3 + pe) as usize)).sq }).collect()
        };
        // The second entry is outside of the tables: of a row that kernels see, and of one after those.
        for first in [1, 3] {
            let error =
                rows.publish(&mut tables, first, empty(), &[state(first, 1), state(first, 1 << 20)]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfRange);
            assert_eq!(seen(&tables, first), [0; 3]);
            assert_eq!((tables.shared_counts.rows, rows.iter().count()), (3, 2));
            assert!(rows.check_free(&(1..2)).is_ok(), "the row is free");
        }
        assert_eq!(seen(&tables, 2), [0, 0x1000, 0x1000], "others stay");
        rows.publish(&mut tables, 1, empty(), &[state(1, 1), state(1, 2)]).unwrap();
        assert_eq!(seen(&tables, 1), [0, 0x1000, 0x1000]);
    }
}

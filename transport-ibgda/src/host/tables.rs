//! What kernels read of queues, keys and PEs, where the host writes it.
//!
//! All of it is allocated once, for as many rows as there may ever be, and so can be added to while kernels run: an
//! entry is written before the number that makes it count.
//!
//! Keys are per NIC. Each of this PE's NICs has a table of its own keys, and there is a table of the peers' keys for
//! each number of a NIC that a peer has; a [`NicState`] joins one of these with one of those.

use std::mem::{offset_of, size_of};
use std::sync::atomic::{Ordering, fence};

use crate::state::{ExtentKeys, LocalKeys, MAX_EXTENTS, MAX_LOCALS, NicState, QueueState};
use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::state::WorldState;

/// The tables of a PE.
#[derive(Debug)]
pub(super) struct Tables {
    chunk: Chunk,
    n_pes: u32,
    at: Offsets,
    /// Of each local NIC, the longest message.
    nics: Vec<u64>,
    /// By the number of the peers' NIC.
    sides: Vec<Side>,
    counts: Counts,
    memory: Memory,
}

/// Where each begins.
#[derive(Debug)]
struct Offsets {
    far: usize,
    world: usize,
    /// By local NIC.
    extents: Vec<usize>,
    /// By local NIC.
    locals: Vec<usize>,
    queues: usize,
}

/// What leads to one NIC of each peer: a [`NicState`] for each local NIC, and behind them the peers' keys.
#[derive(Debug)]
struct Side {
    chunk: Chunk,
    rkeys: usize,
}

/// What every [`NicState`] says alike.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    n_extents: u32,
    n_locals: u32,
    rows: u32,
    relaxed: u32,
}

/// What changes in a queue while it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Live {
    pub(super) done: u64,
    pub(super) bytes: u64,
    pub(super) stalls: u64,
    pub(super) posted: u64,
    pub(super) doorbells: u64,
    pub(super) stopped: u64,
}

/// A type that is written to the tables as it is in memory.
///
/// # Safety
///
/// - **whole**: `repr(C)`, without padding.
unsafe trait Plain: Sized {
    fn bytes(&self) -> &[u8] {
        // SAFETY: **whole**: every byte of it is one of a field's.
        unsafe { std::slice::from_raw_parts((&raw const *self).cast(), size_of::<Self>()) }
    }
}

// SAFETY: **whole**: 8, 4 and 4 bytes, of 16.
unsafe impl Plain for ExtentKeys {}
// SAFETY: **whole**: 8, 8, 4, 4 and 8 bytes, of 32.
unsafe impl Plain for LocalKeys {}
// SAFETY: **whole**: 8 words of 8 bytes, 10 of 4, 3 of 8, and 16 of 8, of 256.
unsafe impl Plain for QueueState {}

impl Tables {
    /// Empty tables for `rows` rows of queues to each of the PEs, of which `far` says who is reached by queues, over NICs
    /// with these longest messages. `relaxed`: writes to this PE's own heap may arrive in any order.
    pub(super) fn new(memory: &Memory, far: &[bool], rows: u32, nics: &[u64], relaxed: bool) -> Result<Self> {
        let n_pes = far.len() as u32;
        let mut end = 0;
        let mut part = |bytes: usize| {
            let at = end;
            // Each begins at a line of its own; the queues, which come last, at the 128 bytes that they are aligned to.
            end = (end + bytes).next_multiple_of(128);
            at
        };
        let at = Offsets {
            far: part(8 * far.len().div_ceil(64)),
            world: part(size_of::<WorldState>()),
            extents: nics.iter().map(|_| part(MAX_EXTENTS as usize * size_of::<ExtentKeys>())).collect(),
            locals: nics.iter().map(|_| part(MAX_LOCALS as usize * size_of::<LocalKeys>())).collect(),
            queues: part(rows as usize * far.len() * size_of::<QueueState>()),
        };
        let chunk = Chunk::beside(memory, end)?;
        for (i, pes) in far.chunks(64).enumerate() {
            let word = pes.iter().rev().fold(0u64, |word, &far| word << 1 | u64::from(far));
            chunk.write(at.far + 8 * i, &word.to_le_bytes())?;
        }
        let counts = Counts { relaxed: relaxed.into(), ..Counts::default() };
        let (nics, memory) = (nics.to_vec(), memory.clone());
        let mut tables = Self { chunk, n_pes, at, nics, sides: Vec::new(), counts, memory };
        // What all queues share is in the first, which must be there whoever the peers are.
        tables.make_sides(1)?;
        Ok(tables)
    }

    /// Makes room for the keys of peers with so many NICs.
    ///
    /// # Errors
    /// There is no memory.
    pub(super) fn make_sides(&mut self, count: usize) -> Result<()> {
        while self.sides.len() < count {
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
                let Counts { n_extents, n_locals, rows, relaxed } = self.counts;
                for (field, value) in [
                    (offset_of!(NicState, n_extents), n_extents),
                    (offset_of!(NicState, n_locals), n_locals),
                    (offset_of!(NicState, rows), rows),
                    (offset_of!(NicState, relaxed_ordering), relaxed),
                ] {
                    chunk.write(at + field, &value.to_le_bytes())?;
                }
            }
            self.sides.push(Side { chunk, rkeys });
        }
        Ok(())
    }

    /// The address of the bits that say who is reached by queues.
    pub(super) fn far(&self) -> u64 {
        self.chunk.kernel() + self.at.far as u64
    }

    /// The address of the copy of the world's state.
    pub(super) fn world(&self) -> u64 {
        self.chunk.kernel() + self.at.world as u64
    }

    /// Writes that copy.
    ///
    /// # Errors
    /// It is not as long as that state.
    pub(super) fn set_world(&self, state: &[u8]) -> Result<()> {
        if state.len() != size_of::<WorldState>() {
            return Err(Error::new(ErrorKind::Mismatch, "give queues the world's state").amount(
                state.len() as u64,
                size_of::<WorldState>() as u64,
                "bytes",
            ));
        }
        self.chunk.write(self.at.world, state)
    }

    /// The address of the first [`NicState`], which has what all queues share.
    pub(super) fn shared(&self) -> u64 {
        self.sides[0].chunk.kernel()
    }

    /// The address of the [`NicState`] of queues from local NIC `local` to the peers' NIC `side`; `None`: no peer has
    /// told keys of one.
    pub(super) fn nic(&self, local: usize, side: usize) -> Option<u64> {
        Some(self.sides.get(side)?.chunk.kernel() + (local * size_of::<NicState>()) as u64)
    }

    /// The address of the [`QueueState`]s.
    pub(super) fn queues(&self) -> u64 {
        self.chunk.kernel() + self.at.queues as u64
    }

    /// Writes the queue that a row has toward a PE. Where `live`, kernels may be looking: what makes it count, the
    /// address of its send queue, is written last.
    pub(super) fn set_queue(&self, row: u32, state: &QueueState, live: bool) -> Result<()> {
        let at = self.queue(row, Pe::new(state.pe));
        let bytes = state.bytes();
        if !live {
            return self.chunk.write(at, bytes);
        }
        const COUNTS: usize = size_of::<u64>();
        const { assert!(offset_of!(QueueState, sq) == 0) };
        self.chunk.write(at + COUNTS, &bytes[COUNTS..])?;
        fence(Ordering::SeqCst);
        self.chunk.write(at, &bytes[..COUNTS])
    }

    /// Changes a queue's flags.
    pub(super) fn set_flags(&self, row: u32, pe: Pe, flags: u32) -> Result<()> {
        self.chunk.write(self.queue(row, pe) + offset_of!(QueueState, flags), &flags.to_le_bytes())
    }

    /// Makes the queue that a row has toward a PE be none. Nothing was issued on it then, so that a quiet over all queues
    /// does not wait for what its memory said.
    pub(super) fn clear_queue(&self, row: u32, pe: Pe) -> Result<()> {
        const HALF: usize = offset_of!(QueueState, reserved);
        let at = self.queue(row, pe);
        self.chunk.write(at + HALF, &[0; size_of::<QueueState>() - HALF])?;
        fence(Ordering::SeqCst);
        self.chunk.write(at, &0u64.to_le_bytes())
    }

    /// Lets so many rows count.
    pub(super) fn publish_rows(&mut self, rows: u32) -> Result<()> {
        self.publish(offset_of!(NicState, rows), rows)?;
        self.counts.rows = rows;
        Ok(())
    }

    /// What the queues of a row count, by PE.
    pub(super) fn live(&self, row: u32) -> Result<Vec<Live>> {
        let mut bytes = vec![0; self.n_pes as usize * size_of::<QueueState>()];
        self.chunk.read(self.queue(row, Pe::new(0)), &mut bytes)?;
        let live = |state: &[u8; size_of::<QueueState>()]| {
            let word = |field: usize| u64::from_le_bytes(std::array::from_fn(|i| state[field + i]));
            Live {
                done: word(offset_of!(QueueState, done)),
                bytes: word(offset_of!(QueueState, bytes)),
                stalls: word(offset_of!(QueueState, stalls)),
                posted: word(offset_of!(QueueState, posted)),
                doorbells: word(offset_of!(QueueState, doorbells)),
                stopped: word(offset_of!(QueueState, stopped)),
            }
        };
        Ok(bytes.as_chunks().0.iter().map(live).collect())
    }

    /// Writes the key that a PE's extent has on its NIC `side`, as on the wire.
    pub(super) fn set_rkey(&self, extent: u32, pe: Pe, side: usize, rkey: u32) -> Result<()> {
        let Side { chunk, rkeys } = &self.sides[side];
        chunk.write(rkeys + 4 * (extent as usize * self.n_pes as usize + pe.index()), &rkey.to_ne_bytes())
    }

    /// Writes an extent of this PE's own, as local NIC `local` has it. It counts from
    /// [`publish_extents`](Self::publish_extents) on.
    pub(super) fn set_extent(&self, local: usize, extent: u32, keys: &ExtentKeys) -> Result<()> {
        self.chunk.write(self.at.extents[local] + extent as usize * size_of::<ExtentKeys>(), keys.bytes())
    }

    /// Lets so many extents count.
    pub(super) fn publish_extents(&mut self, count: u32) -> Result<()> {
        self.publish(offset_of!(NicState, n_extents), count)?;
        self.counts.n_extents = count;
        Ok(())
    }

    /// Says that writes may arrive in any order.
    pub(super) fn set_relaxed(&mut self) -> Result<()> {
        if self.counts.relaxed == 0 {
            self.publish(offset_of!(NicState, relaxed_ordering), 1)?;
            self.counts.relaxed = 1;
        }
        Ok(())
    }

    /// Writes a registered buffer, as local NIC `local` has it. What makes it count, its end, is written last.
    pub(super) fn set_local(&self, local: usize, slot: u32, keys: &LocalKeys) -> Result<()> {
        let at = self.at.locals[local] + slot as usize * size_of::<LocalKeys>();
        let end = at + offset_of!(LocalKeys, end);
        let empty = LocalKeys { end: 0, ..*keys };
        self.chunk.write(at, empty.bytes())?;
        fence(Ordering::SeqCst);
        self.chunk.write(end, &keys.end.to_le_bytes())
    }

    /// Makes a registered buffer be none, for every NIC.
    pub(super) fn clear_local(&self, slot: u32) -> Result<()> {
        let end = slot as usize * size_of::<LocalKeys>() + offset_of!(LocalKeys, end);
        let clear = |locals: &usize| self.chunk.write(locals + end, &0u64.to_le_bytes());
        // Each is tried, whatever became of the others.
        self.at.locals.iter().map(clear).fold(Ok(()), Result::and)
    }

    /// Lets so many places of registered buffers count.
    pub(super) fn publish_locals(&mut self, count: u32) -> Result<()> {
        self.publish(offset_of!(NicState, n_locals), count)?;
        self.counts.n_locals = count;
        Ok(())
    }

    /// One store in each [`NicState`], behind all that was written before. A kernel looks at the one of its queue.
    fn publish(&self, field: usize, count: u32) -> Result<()> {
        fence(Ordering::SeqCst);
        for chunk in self.sides.iter().map(|side| &side.chunk) {
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

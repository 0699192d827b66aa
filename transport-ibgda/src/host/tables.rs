//! What kernels read of queues, keys and PEs, where the host writes it.
//!
//! All of it is allocated once, for as many rows as there may ever be, and so can be added to while kernels run: an
//! entry is written before the number that makes it count.

use std::mem::{offset_of, size_of};
use std::sync::atomic::{Ordering, fence};

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::memory::Memory;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::nic::{ExtentKeys, LocalKeys, MAX_EXTENTS, MAX_LOCALS, NicState, QueueState};

use super::memory::Chunk;

/// The tables of a PE.
#[derive(Debug)]
pub(super) struct Tables {
    chunk: Chunk,
    n_pes: u32,
    at: Offsets,
}

/// Where each begins.
#[derive(Debug)]
struct Offsets {
    far: usize,
    world: usize,
    extents: usize,
    rkeys: usize,
    locals: usize,
    queues: usize,
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
    /// Empty tables for `rows` rows of queues to each of the PEs, of which `far` says who is reached by queues.
    pub(super) fn new(memory: &Memory, far: &[bool], rows: u32, max_message: u64, relaxed: bool) -> Result<Self> {
        let n_pes = far.len() as u32;
        let mut end = size_of::<NicState>();
        let mut part = |bytes: usize| {
            let at = end.next_multiple_of(256);
            end = at + bytes;
            at
        };
        let at = Offsets {
            far: part(8 * far.len().div_ceil(64)),
            world: part(size_of::<WorldState>()),
            extents: part(MAX_EXTENTS as usize * size_of::<ExtentKeys>()),
            rkeys: part(MAX_EXTENTS as usize * far.len() * 4),
            locals: part(MAX_LOCALS as usize * size_of::<LocalKeys>()),
            queues: part(rows as usize * far.len() * size_of::<QueueState>()),
        };
        let tables = Self { chunk: Chunk::beside(memory, end)?, n_pes, at };
        for (i, pes) in far.chunks(64).enumerate() {
            let word = pes.iter().rev().fold(0u64, |word, &far| word << 1 | u64::from(far));
            tables.chunk.write(tables.at.far + 8 * i, &word.to_le_bytes())?;
        }
        let base = tables.chunk.kernel();
        for (field, value) in [
            (offset_of!(NicState, extents), base + tables.at.extents as u64),
            (offset_of!(NicState, rkeys), base + tables.at.rkeys as u64),
            (offset_of!(NicState, locals), base + tables.at.locals as u64),
            (offset_of!(NicState, max_message), max_message),
        ] {
            tables.chunk.write(field, &value.to_le_bytes())?;
        }
        tables.chunk.write(offset_of!(NicState, relaxed_ordering), &u32::from(relaxed).to_le_bytes())?;
        Ok(tables)
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

    /// The address of the [`NicState`].
    pub(super) fn nic(&self) -> u64 {
        self.chunk.kernel()
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
    pub(super) fn publish_rows(&self, rows: u32) -> Result<()> {
        self.publish(offset_of!(NicState, rows), rows)
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

    /// Writes the key of a PE's extent, as on the wire.
    pub(super) fn set_rkey(&self, extent: u32, pe: Pe, rkey: u32) -> Result<()> {
        let at = self.at.rkeys + 4 * (extent as usize * self.n_pes as usize + pe.index());
        self.chunk.write(at, &rkey.to_ne_bytes())
    }

    /// Writes an extent of this PE's own, which counts from [`publish_extents`](Self::publish_extents) on.
    pub(super) fn set_extent(&self, extent: u32, keys: &ExtentKeys) -> Result<()> {
        self.chunk.write(self.at.extents + extent as usize * size_of::<ExtentKeys>(), keys.bytes())
    }

    /// Lets so many extents count.
    pub(super) fn publish_extents(&self, count: u32) -> Result<()> {
        self.publish(offset_of!(NicState, n_extents), count)
    }

    /// Writes a registered buffer. What makes it count, its end, is written last.
    pub(super) fn set_local(&self, slot: u32, keys: &LocalKeys) -> Result<()> {
        let at = self.at.locals + slot as usize * size_of::<LocalKeys>();
        let end = at + offset_of!(LocalKeys, end);
        let empty = LocalKeys { end: 0, ..*keys };
        self.chunk.write(at, empty.bytes())?;
        fence(Ordering::SeqCst);
        self.chunk.write(end, &keys.end.to_le_bytes())
    }

    /// Makes a registered buffer be none.
    pub(super) fn clear_local(&self, slot: u32) -> Result<()> {
        let at = self.at.locals + slot as usize * size_of::<LocalKeys>();
        self.chunk.write(at + offset_of!(LocalKeys, end), &0u64.to_le_bytes())
    }

    /// Lets so many places of registered buffers count.
    pub(super) fn publish_locals(&self, count: u32) -> Result<()> {
        self.publish(offset_of!(NicState, n_locals), count)
    }

    /// One store, behind all that was written before.
    fn publish(&self, field: usize, count: u32) -> Result<()> {
        fence(Ordering::SeqCst);
        self.chunk.write(field, &count.to_le_bytes())?;
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn queue(&self, row: u32, pe: Pe) -> usize {
        self.at.queues + (row as usize * self.n_pes as usize + pe.index()) * size_of::<QueueState>()
    }
}

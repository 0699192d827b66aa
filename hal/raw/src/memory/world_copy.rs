//! A copy of the world's state for queues, and the number of each PE's path, in memory that kernels read.

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::{Chunk, Memory};
use crate::state::{MAX_PATHS, WorldState};

/// Offset of the path numbers, after the state.
const TABLE: usize = size_of::<WorldState>().next_multiple_of(64);

/// The copy of one PE.
#[derive(Debug)]
pub struct WorldCopy {
    chunk: Chunk,
    /// The path numbers of the first 32 PEs.
    bits: u64,
    /// Whether the world has a remote PE.
    has_remote: bool,
}

impl WorldCopy {
    /// Allocates room for the copy and writes the path numbers, by PE; 0 is load/store.
    ///
    /// # Errors
    /// A number is larger than [`MAX_PATHS`], or there is no memory.
    pub fn new(memory: &Memory, numbers: &[usize]) -> Result<Self> {
        if let Some(number) = numbers.iter().find(|number| **number > MAX_PATHS) {
            let (asked, most) = (*number as u64, MAX_PATHS as u64);
            return Err(Error::new(ErrorKind::OutOfRange, "lay out the paths to all PEs").amount(
                asked,
                most,
                "remote transports",
            ));
        }
        let words = WorldState::path_words(numbers.iter().copied());
        let chunk = Chunk::beside(memory, TABLE + 8 * words.len())?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        chunk.write(TABLE, &bytes)?;
        let bits = words.first().copied().unwrap_or(0);
        Ok(Self { chunk, bits, has_remote: numbers.iter().any(|number| *number != 0) })
    }

    /// Returns the copy's address for kernels.
    pub fn address(&self) -> u64 {
        self.chunk.kernel()
    }

    /// Writes the copy.
    ///
    /// # Errors
    /// The memory can't be written.
    pub fn write(&self, state: &WorldState) -> Result<()> {
        self.chunk.write(0, state.bytes())
    }

    /// Sets the path numbers in a state.
    pub fn set_numbers(&self, state: &mut WorldState) {
        if self.has_remote {
            (state.path_bits, state.path_table) = (self.bits, self.chunk.kernel() + TABLE as u64);
        }
    }
}

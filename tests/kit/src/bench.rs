//! Two regions of memory that a queue copies between, with their expected contents.

use oxshmem_core::host::Result;
use oxshmem_raw::memory::{Chunk, Memory};

use crate::numbers::Numbers;
use crate::report::{Fine, wrong};

/// Bytes of each region: several times as many as any check needs.
pub(crate) const BYTES: usize = 2 << 20;
/// The value of untouched bytes.
const POISON: u8 = 0xa5;
/// Bytes on both sides of an operation's range that are checked right after it; all others are checked at the end.
const AROUND: usize = 256;

/// An operation that verbs and a NIC's entries share. Offsets are those of this side's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op<'a> {
    Write {
        from: usize,
        bytes: usize,
    },
    /// A write of these bytes, which are part of the request.
    Inline(&'a [u8]),
    Read {
        to: usize,
        bytes: usize,
    },
    /// Adds to a word of 8 bytes.
    FetchAdd {
        to: usize,
        add: u64,
    },
    CompareSwap {
        to: usize,
        compare: u64,
        swap: u64,
    },
}

/// A queue to a peer, which has the target. It keeps both regions registered.
pub(crate) trait Queue {
    /// Lengths of inline data, and the longest one, in words.
    fn inline_lengths(&self) -> (Vec<usize>, String);

    /// Adds an operation on the target from offset `at` on. `asks`: it requests a completion, as the last one must.
    fn post(&mut self, op: Op<'_>, at: usize, asks: bool) -> Fine<()>;

    /// Posts what was added, and waits until all of it is complete.
    fn finish(&mut self) -> Fine<()>;
}

/// A queue, memory of its own side, and memory that stands for the peer's.
#[derive(Debug)]
pub(crate) struct Bench<Q> {
    // Dropped in this order.
    pub(crate) queue: Q,
    pub(crate) own: Expected,
    pub(crate) target: Expected,
    pub(crate) numbers: Numbers,
}

impl<Q> Bench<Q> {
    /// Allocates the memory beside the kernels of `memory`; `make` makes the queue between both regions. `todo` is the
    /// advice if data is wrong.
    pub(crate) fn new<E: From<oxshmem_core::Error>>(
        memory: &Memory,
        seed: u64,
        todo: &'static str,
        make: impl FnOnce(&Chunk, &Chunk) -> std::result::Result<Q, E>,
    ) -> std::result::Result<Self, E> {
        let [own, target] = ["own memory", "target"].map(|name| Expected::new(memory, name, todo));
        let (own, target) = (own?, target?);
        let queue = make(&own.chunk, &target.chunk)?;
        Ok(Self { queue, own, target, numbers: Numbers(seed) })
    }

    /// Returns a random offset for `bytes` bytes, a multiple of `grain`.
    pub(crate) fn place(&mut self, bytes: usize, grain: usize) -> usize {
        self.numbers.below((BYTES - bytes) / grain + 1) * grain
    }

    /// Puts random bytes into this side's memory and returns them.
    pub(crate) fn fill_own(&mut self, at: usize, bytes: usize) -> Result<Vec<u8>> {
        let random = self.numbers.bytes(bytes);
        self.own.set(at, &random)?;
        Ok(random)
    }

    /// Checks every byte of both regions.
    pub(crate) fn check_all(&self, what: &str) -> Fine<()> {
        self.target.check_all(what)?;
        self.own.check_all(what)
    }
}

impl<Q: Queue> Bench<Q> {
    /// Performs one operation to its end.
    pub(crate) fn execute(&mut self, op: Op<'_>, at: usize) -> Fine<()> {
        self.queue.post(op, at, true)?;
        self.queue.finish()
    }
}

/// Memory with its expected contents.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) chunk: Chunk,
    name: &'static str,
    expected: Vec<u8>,
    todo: &'static str,
}

impl Expected {
    /// Allocates poisoned bytes beside the kernels of `memory`.
    fn new(memory: &Memory, name: &'static str, todo: &'static str) -> Result<Self> {
        let mut region = Self { chunk: Chunk::beside(memory, BYTES)?, name, expected: Vec::new(), todo };
        region.poison()?;
        Ok(region)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunk.bytes()
    }

    /// Poisons all of it, and expects the poison.
    pub(crate) fn poison(&mut self) -> Result<()> {
        self.chunk.fill(0, POISON, self.chunk.bytes())?;
        self.expected = vec![POISON; self.chunk.bytes()];
        Ok(())
    }

    /// Writes bytes from the host, and expects them.
    pub(crate) fn set(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        self.chunk.write(at, bytes)?;
        self.expect(at, bytes);
        Ok(())
    }

    /// Expects these bytes from now on.
    pub(crate) fn expect(&mut self, at: usize, bytes: &[u8]) {
        self.expected[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Reads bytes.
    pub(crate) fn read(&self, at: usize, bytes: usize) -> Result<Vec<u8>> {
        let mut read = vec![0; bytes];
        self.chunk.read(at, &mut read)?;
        Ok(read)
    }

    /// Checks these bytes and those around them.
    ///
    /// # Errors
    /// A byte differs: the failure names `what`, and the first such byte.
    pub(crate) fn check(&self, what: &str, at: usize, bytes: usize) -> Fine<()> {
        self.check_or(what, at, bytes, self.todo)
    }

    /// As [`check`](Self::check), with other advice.
    pub(crate) fn check_or(&self, what: &str, at: usize, bytes: usize, todo: &str) -> Fine<()> {
        let (from, to) = (at.saturating_sub(AROUND), (at + bytes + AROUND).min(self.bytes()));
        self.compare(what, from..to, at..at + bytes, todo)
    }

    /// Checks all bytes.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub(crate) fn check_all(&self, what: &str) -> Fine<()> {
        self.compare(what, 0..self.bytes(), 0..0, self.todo)
    }

    fn compare(
        &self,
        what: &str,
        range: std::ops::Range<usize>,
        meant: std::ops::Range<usize>,
        todo: &str,
    ) -> Fine<()> {
        let found = self.read(range.start, range.len())?;
        let expected = &self.expected[range.clone()];
        let Some(first) = found.iter().zip(expected).position(|(found, expected)| found != expected) else {
            return Ok(());
        };
        let count = found.iter().zip(expected).filter(|(found, expected)| found != expected).count();
        let at = range.start + first;
        let place = match meant.contains(&at) {
            true => format!("byte {} of {}", at - meant.start, meant.len()),
            false => format!("outside of what was meant ({} bytes at {:#x})", meant.len(), meant.start),
        };
        let end = (first + 8).min(found.len());
        Err(wrong(
            format!("{what}, {} at {at:#x}, {place}", self.name),
            hex(&expected[first..end]),
            format!("{}, {count} bytes wrong in all", hex(&found[first..end])),
            todo,
        ))
    }
}

/// Returns the bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

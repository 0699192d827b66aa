//! Completion queues, written by the NIC.

use std::sync::{Mutex, MutexGuard};

use crate::check::Rule;
use crate::memory::{Dma, MemoryFailed, Span};

/// A completion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) qpn: u32,
    pub(crate) user_index: u32,
    /// Low 16 bits of the WQE's index.
    pub(crate) counter: u16,
    /// Opcode of the WQE.
    pub(crate) opcode: u8,
    pub(crate) bytes: u32,
    /// 0 for success.
    pub(crate) syndrome: u8,
    pub(crate) vendor: u8,
    /// The further fields of a receive entry's completion.
    pub(crate) received: Option<Received>,
}

/// The fields of a completion on the receiving side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// Opcode of the completion: a write with an immediate value, a message, or one with an immediate value.
    pub(crate) opcode: u8,
    /// The requester's LID.
    pub(crate) lid: u16,
    /// The requester's queue pair, of datagrams.
    pub(crate) qpn: u32,
    /// Whether a global route header is before the data.
    pub(crate) global: bool,
    pub(crate) imm: u32,
    pub(crate) solicited: bool,
}

/// The entries of a completion queue, and the number of those written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    pub(crate) entries: Span,
    /// Bytes of an entry: 64, or 128, whose second half is the completion.
    pub(crate) entry_bytes: u64,
    pub(crate) log_size: u8,
    pub(crate) produced: u64,
    /// The number up to the last entry of which a program that waits for solicited entries is informed.
    pub(crate) solicited: u64,
    /// The number of entries that were never written, which must not look like completions.
    pub(crate) fresh: u64,
}

impl Ring {
    /// Returns a ring in which nothing was written.
    pub(crate) fn new(entries: Span, entry_bytes: u64, log_size: u8) -> Self {
        Self { entries, entry_bytes, log_size, produced: 0, solicited: 0, fresh: 1 << log_size }
    }

    /// Writes the last word of a completion, by which the program sees it.
    fn finish(&mut self, dma: &Dma, at: Span, counter: u16, opcode: u8, solicited: bool) -> Result<(), MemoryFailed> {
        let [high, low] = counter.to_be_bytes();
        let owner = (self.produced >> self.log_size & 1) as u8;
        let tail = u32::from_le_bytes([high, low, 0, opcode << 4 | u8::from(solicited) << 1 | owner]);
        if let Some(word) = at.part(60, 4) {
            dma.store_last(word, tail)?;
        }
        self.produced += 1;
        Ok(())
    }

    /// Reports whether an entry that was never written looks like a completion: by its opcode, and by its owner.
    fn looks_complete(&mut self, dma: &Dma, at: Span) -> Result<bool, MemoryFailed> {
        if self.fresh == 0 {
            return Ok(false);
        }
        self.fresh -= 1;
        let Some(tail) = at.part(60, 4) else { return Ok(false) };
        let mut word = [0; 4];
        dma.read(tail, &mut word)?;
        let owner = (self.produced >> self.log_size & 1) as u8;
        Ok(word[3] >> 4 != 0xf && word[3] & 1 == owner)
    }

    fn next(&self) -> Result<Span, MemoryFailed> {
        let place = self.produced & ((1 << self.log_size) - 1);
        completion_of(self.entries, self.entry_bytes, place)
            .ok_or_else(|| MemoryFailed(format!("entry {place} is outside the completion queue")))
    }

    fn unread(&self, dma: &Dma, dbr: Span) -> Result<u32, MemoryFailed> {
        let consumed =
            (dma.load(dbr)?.to_le_bytes().first_chunk::<4>()).map_or(0, |word| u32::from_be_bytes(*word) & 0xff_ffff);
        Ok((self.produced as u32).wrapping_sub(consumed) & 0xff_ffff)
    }
}

/// A completion queue.
#[derive(Debug)]
pub(crate) struct Cq {
    pub(crate) cqn: u32,
    pub(crate) collapsed: bool,
    pub(crate) ignores_overrun: bool,
    pub(crate) dbr: Span,
    pub(crate) ring: Mutex<Ring>,
}

/// The outcome of writing an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Yes,
    /// The entry replaced one that was not consumed.
    Overran,
    /// The entry replaced one that was never written, and looked like a completion.
    LookedComplete,
}

/// The outcome of a request for another size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resized {
    Yes,
    /// The program has not consumed as many entries as the new ring has.
    Full,
}

/// Returns the place of the completion of 64 bytes that ends an entry.
pub(crate) fn completion_of(entries: Span, entry_bytes: u64, entry: u64) -> Option<Span> {
    entries.part(entry * entry_bytes + entry_bytes - COMPLETION, COMPLETION)
}

/// Bytes of a completion.
const COMPLETION: u64 = 64;

/// The opcode of the entry by which a program knows that the next ones are in another ring.
const RESIZED: u8 = 5;

impl Cq {
    fn lock(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Returns its entries, and the number of those written.
    pub(crate) fn ring(&self) -> Ring {
        *self.lock()
    }

    /// Returns the number of its entries.
    pub(crate) fn count(&self) -> u64 {
        1 << self.lock().log_size
    }

    /// Returns the rule that the program broke, if it did.
    pub(crate) fn broken(&self, written: Written) -> Option<(Rule, String)> {
        match written {
            Written::Yes => None,
            Written::Overran => Some((Rule::CqOverrun, format!("{} entries are not consumed", self.count()))),
            Written::LookedComplete => {
                Some((Rule::CqInvalid, "an entry that was never written looked like a completion".into()))
            }
        }
    }

    /// Goes on in another ring, whose entries are invalid. The last entry of this one says so.
    pub(crate) fn resize(&self, dma: &Dma, to: Ring) -> Result<Resized, MemoryFailed> {
        let mut ring = self.lock();
        // One entry more than the program has not consumed: the one that says so.
        if u64::from(ring.unread(dma, self.dbr)?) >= 1 << to.log_size {
            return Ok(Resized::Full);
        }
        let at = ring.next()?;
        ring.finish(dma, at, 0, RESIZED, false)?;
        *ring = Ring { produced: ring.produced, solicited: ring.solicited, ..to };
        Ok(Resized::Yes)
    }

    /// Writes a completion: the tail with counter and opcode is written last, in one store.
    pub(crate) fn write(&self, dma: &Dma, entry: &Entry) -> Result<Written, MemoryFailed> {
        let mut ring = self.lock();
        let mut written = Written::Yes;
        if !self.ignores_overrun && ring.unread(dma, self.dbr)? >= 1 << ring.log_size {
            written = Written::Overran;
        }
        let mut body = [0; 60];
        body[0x20..0x24].copy_from_slice(&entry.user_index.to_be_bytes());
        let opcode: u8 = if entry.syndrome == 0 {
            body[0x2c..0x30].copy_from_slice(&entry.bytes.to_be_bytes());
            body[0x30..0x38].copy_from_slice(&(ring.produced + 1).to_be_bytes());
            0
        } else {
            body[0x36] = entry.vendor;
            body[0x37] = entry.syndrome;
            if entry.received.is_some() { 0xe } else { 0xd }
        };
        let (mut opcode, mut solicits) = (opcode, entry.syndrome != 0);
        if let Some(received) = entry.received.filter(|_| entry.syndrome == 0) {
            let has_route = u32::from(received.global) << 28;
            body[0x16..0x18].copy_from_slice(&received.lid.to_be_bytes());
            body[0x18..0x1c].copy_from_slice(&(has_route | received.qpn).to_be_bytes());
            body[0x24..0x28].copy_from_slice(&received.imm.to_be_bytes());
            (opcode, solicits) = (received.opcode, received.solicited);
        }
        body[0x38..0x3c].copy_from_slice(&(u32::from(entry.opcode) << 24 | entry.qpn).to_be_bytes());
        // All completions of a collapsed queue go to its first entry, whose owner never changes.
        let mut first = Ring { produced: 0, ..*ring };
        let place = if self.collapsed { &mut first } else { &mut *ring };
        let at = place.next()?;
        if !self.collapsed && place.looks_complete(dma, at)? {
            written = Written::LookedComplete;
        }
        dma.write(at, &body)?;
        place.finish(dma, at, entry.counter, opcode, solicits && entry.syndrome == 0)?;
        if self.collapsed {
            ring.produced += 1;
        }
        if solicits {
            ring.solicited = ring.produced;
        }
        Ok(written)
    }
}

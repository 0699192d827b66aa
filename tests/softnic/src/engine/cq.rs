//! Completion queues, written by the NIC.

use std::sync::Mutex;

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

/// The number of entries written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Produced {
    pub(crate) all: u64,
    /// The number up to the last entry of which a program that waits for solicited entries is informed.
    pub(crate) solicited: u64,
}

/// A completion queue.
#[derive(Debug)]
pub(crate) struct Cq {
    pub(crate) cqn: u32,
    pub(crate) entries: Span,
    /// Bytes of an entry: 64, or 128, whose second half is the completion.
    pub(crate) entry_bytes: u64,
    pub(crate) log_size: u8,
    pub(crate) collapsed: bool,
    pub(crate) ignores_overrun: bool,
    pub(crate) dbr: Span,
    pub(crate) produced: Mutex<Produced>,
}

/// The outcome of writing an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    Yes,
    /// The entry replaced one that was not consumed.
    Overran,
}

/// Returns the place of the completion of 64 bytes that ends an entry.
pub(crate) fn completion_of(entries: Span, entry_bytes: u64, entry: u64) -> Option<Span> {
    entries.part(entry * entry_bytes + entry_bytes - COMPLETION, COMPLETION)
}

/// Bytes of a completion.
const COMPLETION: u64 = 64;

impl Cq {
    /// Writes a completion: the tail with counter and opcode is written last, in one store.
    pub(crate) fn write(&self, dma: &Dma, entry: &Entry) -> Result<Written, MemoryFailed> {
        let mut counts = self.produced.lock().unwrap_or_else(|e| e.into_inner());
        let produced = &mut counts.all;
        let mut written = Written::Yes;
        if !self.ignores_overrun {
            let consumed = (dma.load(self.dbr)?.to_le_bytes().first_chunk::<4>())
                .map_or(0, |word| u32::from_be_bytes(*word) & 0xff_ffff);
            let unread = (*produced as u32).wrapping_sub(consumed) & 0xff_ffff;
            if unread >= 1 << self.log_size {
                written = Written::Overran;
            }
        }
        let (place, owner) = if self.collapsed {
            (0, 0)
        } else {
            (*produced & ((1 << self.log_size) - 1), (*produced >> self.log_size & 1) as u8)
        };
        let mut body = [0; 60];
        body[0x20..0x24].copy_from_slice(&entry.user_index.to_be_bytes());
        let opcode: u8 = if entry.syndrome == 0 {
            body[0x2c..0x30].copy_from_slice(&entry.bytes.to_be_bytes());
            body[0x30..0x38].copy_from_slice(&(*produced + 1).to_be_bytes());
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
        let Some(at) = completion_of(self.entries, self.entry_bytes, place) else {
            return Err(MemoryFailed(format!("entry {place} is outside the completion queue")));
        };
        dma.write(at, &body)?;
        let [high, low] = entry.counter.to_be_bytes();
        let tail =
            u32::from_le_bytes([high, low, 0, opcode << 4 | u8::from(solicits && entry.syndrome == 0) << 1 | owner]);
        if let Some(word) = at.part(60, 4) {
            dma.store_last(word, tail)?;
        }
        *produced += 1;
        if solicits {
            counts.solicited = counts.all;
        }
        Ok(written)
    }
}

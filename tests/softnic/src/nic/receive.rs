//! Receive queues: the program posts entries, and the responder consumes one for each message.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::check::Rule;
use crate::decode::{Service, Sge};
use crate::engine::{Cq, Entry, Received, Written};
use crate::memory::{Dma, MemoryFailed, Span};

use super::nak::{Nak, syndrome};
use super::state::Sink;

/// The key of a segment that ends the list of an entry that has room for more.
const NO_KEY: u32 = 0x100;
/// Bytes before the segments of a shared queue's entry; the index of the next entry is in them.
const LINK: u64 = 16;
/// Bytes before the data of a datagram: the global route header, or room for it.
pub(crate) const GRH: u64 = size_of::<RouteHeader>() as u64;
/// A global route header.
pub(crate) type RouteHeader = [u8; 40];

/// The entries of a receive queue, its own or shared.
#[derive(Debug)]
pub(crate) struct ReceiveQueue {
    pub(crate) entries: Span,
    pub(crate) log_size: u8,
    pub(crate) log_stride: u8,
    /// The doorbell record, whose first word counts posted entries.
    pub(crate) dbr: Span,
    /// The protection domain of the entries' keys.
    pub(crate) pd: u32,
    /// Whether queue pairs share it. Each of its entries begins with a link.
    pub(crate) shared: bool,
    /// Whether the links are in use, and it is no ring.
    pub(crate) linked: bool,
    pub(crate) position: Mutex<Position>,
    /// Raised once when fewer entries than a limit are left.
    pub(crate) low: Mutex<Option<Low>>,
}

/// A limit of posted entries, below which an event is raised.
pub(crate) struct Low {
    pub(crate) limit: u16,
    pub(crate) sink: Sink,
}

impl fmt::Debug for Low {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Low({})", self.limit)
    }
}

/// The progress of a receive queue.
#[derive(Debug, Default)]
pub(crate) struct Position {
    /// Number of consumed entries.
    taken: u16,
    /// The next entry of a list.
    head: u16,
}

/// A consumed entry.
#[derive(Debug)]
struct Taken {
    index: u16,
    sges: Vec<Sge>,
}

/// The receiving side of a queue pair.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) qpn: u32,
    pub(crate) service: Service,
    pub(crate) user_index: u32,
    pub(crate) queue: Arc<ReceiveQueue>,
    pub(crate) cq: Arc<Cq>,
    /// The message that is arriving from a requester, and its entry. A DCT has many requesters.
    pub(crate) arriving: Mutex<HashMap<(u16, u32), Arriving>>,
}

#[derive(Debug)]
pub(crate) struct Arriving {
    entry: Taken,
}

/// A part of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    /// Offset of the data in the message.
    pub(crate) offset: u64,
    /// Bytes of the message.
    pub(crate) total: u64,
    pub(crate) data: &'a [u8],
    /// Whether this only reports a write with an immediate value, whose data has been written.
    pub(crate) written: bool,
    pub(crate) imm: Option<u32>,
    pub(crate) solicited: bool,
    /// Of a datagram: its global route header, if there is one.
    pub(crate) datagram: Option<Option<RouteHeader>>,
}

impl Message<'_> {
    fn is_last(&self) -> bool {
        self.written || self.offset + self.data.len() as u64 == self.total
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

impl ReceiveQueue {
    fn read(&self, dma: &Dma, index: u16) -> Result<Vec<u8>, MemoryFailed> {
        let stride = 1_u64 << self.log_stride;
        let Some(at) = self.entries.part(u64::from(index) << self.log_stride, stride) else {
            return Err(MemoryFailed(format!("receive entry {index} is outside the queue")));
        };
        let mut entry = vec![0; stride as usize];
        dma.read(at, &mut entry).map(|()| entry)
    }

    /// Consumes the next posted entry; `None` if there is none.
    fn take(&self, dma: &Dma) -> Result<Option<Taken>, Nak> {
        let failed = |e: MemoryFailed| Nak::fault(syndrome::REMOTE_OPERATION, e.0);
        let mut position = lock(&self.position);
        let record = dma.load(self.dbr).map_err(failed)?.to_le_bytes();
        let posted = u16::from_be_bytes([record[2], record[3]]);
        let ahead = posted.wrapping_sub(position.taken);
        if ahead == 0 {
            return Ok(None);
        }
        if u32::from(ahead) > 1 << self.log_size {
            let size = 1_u32 << self.log_size;
            let what = format!("{ahead} entries are posted in a receive queue of {size}");
            return Err(Nak::broken(syndrome::REMOTE_OPERATION, Rule::ReceiveOverrun, what));
        }
        // Completions of a ring carry a counter of 16 bits, of which the place is the lower ones.
        let index = if self.linked { position.head } else { position.taken };
        let place = if self.linked { index } else { index & ((1_u32 << self.log_size) - 1) as u16 };
        let entry = self.read(dma, place).map_err(failed)?;
        if self.linked {
            position.head = u16::from_be_bytes([entry[2], entry[3]]);
        }
        let segments = if self.shared { &entry[LINK as usize..] } else { &entry[..] };
        position.taken = position.taken.wrapping_add(1);
        if let Some(low) = lock(&self.low).take_if(|low| ahead - 1 < low.limit) {
            (low.sink)();
        }
        let sges = segments.as_chunks::<16>().0.iter().map(|segment| {
            let [bytes, lkey, high, low] = [0, 4, 8, 12]
                .map(|at| u32::from_be_bytes([segment[at], segment[at + 1], segment[at + 2], segment[at + 3]]));
            Sge { bytes: bytes.into(), lkey, at: u64::from(high) << 32 | u64::from(low) }
        });
        let sges = sges.take_while(|sge| sge.lkey != NO_KEY).filter(|sge| sge.bytes != 0);
        Ok(Some(Taken { index, sges: sges.collect() }))
    }
}

impl Receiver {
    /// Forgets a message that has not arrived whole, and starts again at the first entry of a queue of its own.
    pub(super) fn reset(&self) {
        lock(&self.arriving).clear();
        if !self.queue.shared {
            *lock(&self.queue.position) = Position::default();
        }
    }

    /// Takes a part of a message. `write`: writes data to an offset of a segment.
    pub(super) fn take(
        &self,
        dma: &Dma,
        from: (u16, u32),
        message: &Message<'_>,
        mut write: impl FnMut(Sge, u64, &[u8]) -> Result<(), Nak>,
    ) -> Result<(), Nak> {
        let mut arriving = lock(&self.arriving);
        if message.offset == 0
            && !arriving.contains_key(&from)
            && let Some(entry) = self.queue.take(dma)?
        {
            arriving.insert(from, Arriving { entry });
        }
        // Later parts of a message whose first found no entry find none either.
        let Some(Arriving { entry }) = arriving.get(&from) else { return Err(Nak::not_ready()) };
        let head = if self.service == Service::Ud { GRH } else { 0 };
        let room: u64 = entry.sges.iter().map(|sge| sge.bytes).sum();
        let stored = if message.written {
            Ok(())
        } else if message.total + head > room {
            let what = format!("a message of {} bytes for a receive entry of {room}", message.total + head);
            Err(Nak::fault(syndrome::LOCAL_LENGTH, what))
        } else {
            message
                .datagram
                .flatten()
                .map_or(Ok(()), |grh| scatter(&entry.sges, 0, &grh, &mut write))
                .and_then(|()| scatter(&entry.sges, head + message.offset, message.data, &mut write))
        };
        if stored.is_ok() && !message.is_last() {
            return Ok(());
        }
        let index = entry.index;
        arriving.remove(&from);
        let written = self.complete(dma, index, from, message, stored.as_ref().err());
        match stored {
            // The requester learns of both as of errors of its own requests.
            Err(nak) if nak.syndrome == syndrome::LOCAL_LENGTH => {
                Err(Nak { syndrome: syndrome::REMOTE_INVALID, ..nak })
            }
            Err(nak) => Err(Nak { syndrome: syndrome::REMOTE_OPERATION, ..nak }),
            Ok(()) => match self.cq.broken(written) {
                Some((rule, what)) => Err(Nak::broken(syndrome::REMOTE_OPERATION, rule, what)),
                None => Ok(()),
            },
        }
    }

    fn complete(
        &self,
        dma: &Dma,
        index: u16,
        (lid, qpn): (u16, u32),
        message: &Message<'_>,
        error: Option<&Nak>,
    ) -> Written {
        const WRITE_IMM: u8 = 1;
        const SEND: u8 = 2;
        const SEND_IMM: u8 = 3;
        let (global, head) = message.datagram.map_or((false, 0), |grh| (grh.is_some(), GRH));
        let qpn = if matches!(self.service, Service::Ud | Service::Dct) { qpn } else { 0 };
        let opcode = match message.imm {
            Some(_) if message.written => WRITE_IMM,
            Some(_) => SEND_IMM,
            None => SEND,
        };
        let received =
            Received { opcode, lid, qpn, global, imm: message.imm.unwrap_or(0), solicited: message.solicited };
        self.write(dma, index, (message.total + head) as u32, error.map_or(0, |nak| nak.syndrome), received)
    }

    fn write(&self, dma: &Dma, counter: u16, bytes: u32, syndrome: u8, received: Received) -> Written {
        let entry = Entry {
            qpn: self.qpn,
            user_index: self.user_index,
            counter,
            opcode: 0,
            bytes,
            syndrome,
            vendor: if syndrome == 0 { 0 } else { 0x80 | syndrome },
            received: Some(received),
        };
        // Without memory nothing can be reported.
        self.cq.write(dma, &entry).unwrap_or(Written::Yes)
    }

    /// Completes posted entries of a queue pair in error. Those of a shared queue stay. Returns whether there were any.
    pub(crate) fn flush(&self, dma: &Dma) -> bool {
        let mut arriving = lock(&self.arriving);
        let begun: Vec<_> = arriving.drain().map(|(_, arriving)| arriving.entry).collect();
        let posted = std::iter::from_fn(|| if self.queue.shared { None } else { self.queue.take(dma).ok().flatten() });
        let flushed = begun.into_iter().chain(posted).map(|entry| {
            self.write(dma, entry.index, 0, syndrome::FLUSHED, Received::default());
        });
        flushed.count() != 0
    }
}

/// Writes bytes from `offset` on in the range of all segments together.
pub(crate) fn scatter(
    sges: &[Sge],
    offset: u64,
    data: &[u8],
    mut write: impl FnMut(Sge, u64, &[u8]) -> Result<(), Nak>,
) -> Result<(), Nak> {
    let (mut at, end) = (0, offset + data.len() as u64);
    for sge in sges {
        let (from, until) = (offset.max(at), end.min(at + sge.bytes));
        if from < until {
            write(*sge, from - at, &data[(from - offset) as usize..(until - offset) as usize])?;
        }
        at += sge.bytes;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

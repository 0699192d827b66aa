//! Tables that kernels (or this process's own threads) and proxies read and write.
//!
//! All are allocated once, for the greatest number of rows, so that rows can be added while kernels run: an entry is
//! written before the number that makes it valid.

use std::mem::{offset_of, size_of};
use std::sync::atomic::{Ordering, fence};

use crate::state::{
    BufferRange, ConsumerHead, LANDING_BYTES, MAX_BUFFERS, ProxyQueue, ProxyState, QueueProgress, Reply, RingState,
};
use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::memory::{Chunk, Memory};
use oxshmem_raw::queue::host::KernelRows;

use crate::host::ring::consumer::RingConsumer;
use crate::host::ring::reader::RingAt;
use crate::host::ring::words::HostWords;
use crate::request::LINE_BYTES;

/// The tables of one address space.
#[derive(Debug)]
pub(in crate::host) struct Tables {
    /// Memory beside the kernels: of their GPU, or of the host.
    device: Chunk,
    /// Memory on the host.
    host: Chunk,
    n_pes: u32,
    /// The address of the copy of the world's state to which queues point.
    pub(in crate::host) world: u64,
    rings: u32,
    depth: u32,
    at: Offsets,
}

/// Offset of each table, in `device` and in `host`.
#[derive(Debug)]
struct Offsets {
    rings: usize,
    turns: usize,
    queues: usize,
    buffers: usize,
    consumer_head: usize,
    requests: usize,
    replies: usize,
    landings: usize,
    progress: usize,
}

impl Tables {
    /// Returns empty tables for `rows` rows of queues to each of the PEs, with `rings` rings of `depth` requests.
    pub(in crate::host) fn new(memory: &Memory, n_pes: u32, rows: u32, rings: u32, depth: u32) -> Result<Self> {
        let part = |end: &mut usize, bytes: usize| {
            let at = end.next_multiple_of(256);
            *end = at + bytes;
            at
        };
        let (mut device, mut host) = (size_of::<ProxyState>(), 0);
        let (queues, places) = (rows as usize * n_pes as usize, rings as usize * depth as usize);
        let at = Offsets {
            rings: part(&mut device, rings as usize * size_of::<RingState>()),
            turns: part(&mut device, 8 * places),
            queues: part(&mut device, queues * size_of::<ProxyQueue>()),
            buffers: part(&mut device, MAX_BUFFERS as usize * size_of::<BufferRange>()),
            consumer_head: part(&mut host, rings as usize * size_of::<ConsumerHead>()),
            requests: part(&mut host, LINE_BYTES as usize * places),
            replies: part(&mut host, size_of::<Reply>() * places),
            landings: part(&mut host, LANDING_BYTES as usize * places),
            progress: part(&mut host, queues * size_of::<QueueProgress>()),
        };
        let tables = Self {
            device: Chunk::beside(memory, device)?,
            host: Chunk::on_host(memory, host)?,
            n_pes,
            world: 0,
            rings,
            depth,
            at,
        };
        let buffers = tables.device.kernel() + tables.at.buffers as u64;
        tables.device.write(offset_of!(ProxyState, buffers), &buffers.to_le_bytes())?;
        for ring in 0..rings {
            tables.set_ring(ring)?;
        }
        Ok(tables)
    }

    fn set_ring(&self, ring: u32) -> Result<()> {
        let (state, host, number) = (self.ring(ring), self.host.kernel(), ring as u64);
        let turns = self.device.kernel() + self.at.turns as u64 + 8 * number * self.depth as u64;
        for (field, value) in [
            (offset_of!(RingState, consumer_head), host + self.consumer_head(number)),
            (offset_of!(RingState, replies), host + self.replies(number)),
            (offset_of!(RingState, turns), turns),
            (offset_of!(RingState, landings), host + self.landings(number)),
        ] {
            self.device.write(state + field, &value.to_le_bytes())?;
        }
        Ok(())
    }

    fn ring(&self, ring: u32) -> usize {
        self.at.rings + ring as usize * size_of::<RingState>()
    }

    fn requests(&self, ring: u64) -> u64 {
        self.at.requests as u64 + LINE_BYTES * ring * self.depth as u64
    }

    fn consumer_head(&self, ring: u64) -> u64 {
        self.at.consumer_head as u64 + size_of::<ConsumerHead>() as u64 * ring
    }

    fn replies(&self, ring: u64) -> u64 {
        self.at.replies as u64 + size_of::<Reply>() as u64 * ring * self.depth as u64
    }

    fn landings(&self, ring: u64) -> u64 {
        self.at.landings as u64 + LANDING_BYTES * ring * self.depth as u64
    }

    fn progress(&self, number: u32) -> u64 {
        self.at.progress as u64 + size_of::<QueueProgress>() as u64 * number as u64
    }

    fn queue(&self, number: u32) -> usize {
        self.at.queues + number as usize * size_of::<ProxyQueue>()
    }

    /// Returns the host address of the part that proxies read and write.
    fn on_host(&self) -> u64 {
        self.host.host().expect("it was made on the host")
    }

    /// Returns a ring's consumer end for its proxy. Called once for each ring.
    pub(in crate::host) fn end(&self, ring: u32, words: HostWords, stages: bool) -> RingConsumer {
        let (host, number) = (self.on_host(), ring as u64);
        let at = RingAt {
            requests: host + self.requests(number),
            consumer_head: host + self.consumer_head(number),
            depth: self.depth,
        };
        RingConsumer::new(words, at, host + self.replies(number), host + self.landings(number), stages)
    }

    /// Returns the address of the completion words of queue `number`, which its proxy writes.
    pub(in crate::host) fn progress_at(&self, number: u32) -> u64 {
        self.on_host() + self.progress(number)
    }

    /// Returns the address of the [`ProxyState`].
    pub(in crate::host) fn state(&self) -> u64 {
        self.device.kernel()
    }

    /// Returns the address of the [`ProxyQueue`]s.
    pub(in crate::host) fn queues(&self) -> u64 {
        self.device.kernel() + self.at.queues as u64
    }

    /// Writes the queue `row * n_pes + pe`, which requests name `entry.number`. The address of its ring makes the entry
    /// valid and is written last.
    ///
    /// # Errors
    /// The device's memory can't be written.
    pub(in crate::host) fn write_queue(&self, row: u32, pe: u32, entry: &QueueEntry) -> Result<()> {
        let QueueEntry { number: name, ring, handle } = *entry;
        let number = row * self.n_pes + pe;
        let at = self.queue(number);
        self.host.write(self.progress(number) as usize, &[0; size_of::<QueueProgress>()])?;
        self.device.write(at, &[0; size_of::<ProxyQueue>()])?;
        let words = [
            (offset_of!(ProxyQueue, progress), self.host.kernel() + self.progress(number)),
            (offset_of!(ProxyQueue, world), self.world),
            (offset_of!(ProxyQueue, requests), self.host.kernel() + self.requests(ring.into())),
            (offset_of!(ProxyQueue, shared), self.state()),
        ];
        for (field, value) in words {
            self.device.write(at + field, &value.to_le_bytes())?;
        }
        let halves = [
            (offset_of!(ProxyQueue, number), name),
            (offset_of!(ProxyQueue, pe), pe),
            (offset_of!(ProxyQueue, handle), handle as u32),
            (offset_of!(ProxyQueue, wide), 1),
            (offset_of!(ProxyQueue, depth), self.depth),
        ];
        for (field, value) in halves {
            self.device.write(at + field, &value.to_le_bytes())?;
        }
        fence(Ordering::SeqCst);
        let ring = self.device.kernel() + self.ring(ring) as u64;
        self.device.write(at + offset_of!(ProxyQueue, ring), &ring.to_le_bytes())
    }
}

impl Tables {
    /// Lets requests name the memory from `start` to `end`, in slot `slot` of the table of buffers.
    ///
    /// # Errors
    /// The device's memory can't be written.
    pub(in crate::host) fn set_buffer(&self, slot: u32, start: u64, end: u64) -> Result<()> {
        let at = self.at.buffers + slot as usize * size_of::<BufferRange>();
        // The entry is empty until it is complete.
        for (field, value) in [
            (offset_of!(BufferRange, end), 0),
            (offset_of!(BufferRange, start), start),
            (offset_of!(BufferRange, end), end),
        ] {
            self.device.write(at + field, &value.to_le_bytes())?;
            fence(Ordering::SeqCst);
        }
        Ok(())
    }

    /// Publishes the number of slots of the table of buffers that may be in use.
    ///
    /// # Errors
    /// The device's memory can't be written.
    pub(in crate::host) fn publish_buffers(&self, count: u32) -> Result<()> {
        fence(Ordering::SeqCst);
        self.device.write(offset_of!(ProxyState, n_buffers), &count.to_le_bytes())
    }
}

/// The entry of a queue in the kernels' table.
#[derive(Clone, Copy, Debug)]
pub(in crate::host) struct QueueEntry {
    /// The number by which requests name it.
    pub(in crate::host) number: u32,
    /// The ring, and so the proxy, that takes its requests.
    pub(in crate::host) ring: u32,
    pub(in crate::host) handle: i32,
}

impl KernelRows for Tables {
    type State = QueueEntry;

    fn set_queue(&mut self, row: u32, pe: Pe, entry: &QueueEntry, _: bool) -> Result<()> {
        self.write_queue(row, pe.number(), entry)
    }

    fn clear_queue(&mut self, row: u32, pe: Pe) -> Result<()> {
        // No request counts as issued on it, so that a quiet over all queues does not wait for it.
        const HALF: usize = offset_of!(ProxyQueue, last);
        let at = self.queue(row * self.n_pes + pe.number());
        self.device.write(at + HALF, &[0; size_of::<ProxyQueue>() - HALF])?;
        fence(Ordering::SeqCst);
        self.device.write(at, &0u64.to_le_bytes())
    }

    fn publish_rows(&mut self, rows: u32) -> Result<()> {
        fence(Ordering::SeqCst);
        self.device.write(offset_of!(ProxyState, rows), &rows.to_le_bytes())?;
        fence(Ordering::SeqCst);
        Ok(())
    }
}

impl Tables {
    /// Returns the number of times that a thread found one of the rings full.
    pub(in crate::host) fn stalls(&self) -> Result<u64> {
        (0..self.rings).try_fold(0, |stalls, ring| Ok(stalls + self.occupied(ring)?.1))
    }

    /// Returns the number of reserved places of a ring that are not free again, and the number of times that a thread
    /// found it full.
    pub(in crate::host) fn occupied(&self, ring: u32) -> Result<(u64, u64)> {
        let word = |field: usize| {
            let mut bytes = [0; 8];
            self.device.read(self.ring(ring) + field, &mut bytes)?;
            Ok(u64::from_le_bytes(bytes))
        };
        // In this order: a place that is free now was reserved before.
        let mut head = [0; 8];
        self.host.read(self.consumer_head(ring.into()) as usize + offset_of!(ConsumerHead, head), &mut head)?;
        let head = u64::from_le_bytes(head) & !crate::state::ENDED;
        Ok((word(offset_of!(RingState, reserved))?.saturating_sub(head), word(offset_of!(RingState, stalls))?))
    }

    /// Returns the number of places of each ring.
    pub(in crate::host) fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns the words of [`QueueProgress`] after the first, which give the reason if the queue has stopped.
    pub(in crate::host) fn stopped(&self, row: u32, pe: u32) -> Result<Option<[u64; 3]>> {
        let mut bytes = [0; size_of::<QueueProgress>()];
        self.host.read(self.progress(row * self.n_pes + pe) as usize, &mut bytes)?;
        let word = |field: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[field + i]));
        let ended = word(offset_of!(QueueProgress, done)) & crate::state::ENDED != 0;
        fence(Ordering::Acquire);
        Ok(ended.then(|| {
            [
                word(offset_of!(QueueProgress, stopped)),
                word(offset_of!(QueueProgress, at)),
                word(offset_of!(QueueProgress, bytes)),
            ]
        }))
    }
}

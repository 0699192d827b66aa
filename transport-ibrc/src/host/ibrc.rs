//! The transport of one PE.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use oxshmem_core::host::{
    Error, ErrorKind, Extent, HostAmo, KernelView, Offer, QpCounters, QpRows as Asked, Reach, Result, RingCounters,
    Transport,
};
use oxshmem_core::{Fault, Pe, QpHandle, Remote};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::rdma::hca::{Handle, access};
use oxshmem_raw::rdma::wire::MAX_NICS;

use super::book::Book;
use super::config::IbrcConfig;
use super::connect::{Cqs, Pending, Row};
use super::flush::Flush;
use super::keys::{Buffer, Registered};
use super::nic::Nic;
use super::own::Own;
use super::proxy::Proxy;
use super::register::{Place, Ways};
use super::tables::Tables;
use crate::device::done::why;

/// The InfiniBand transport of one PE by proxy threads.
#[derive(Debug)]
pub struct Ibrc {
    pub(super) config: IbrcConfig,
    pub(super) me: Pe,
    pub(super) far: Vec<bool>,
    pub(super) memory: Memory,
    pub(super) ways: Ways,
    pub(super) flush: Flush,
    /// Faults that were told, by row and PE.
    pub(super) told: Mutex<HashSet<(u32, u32)>>,
    /// NICs of each PE, as its first offer told.
    pub(super) sides: Vec<usize>,
    /// The rows that were connected last: another PE may still fail to connect its own.
    pub(super) recent: Range<u32>,
    pub(super) pending: Option<Pending>,
    // What follows is in the order in which it is given back: proxies use all that is behind them.
    pub(super) proxies: Vec<Proxy>,
    pub(super) rows: Vec<Option<Row>>,
    pub(super) own_row: Option<Row>,
    pub(super) own: Own,
    pub(super) tables: Tables,
    pub(super) cqs: Cqs,
    /// A NIC each: row `r` is on number `r` modulo their count.
    pub(super) books: Vec<Book>,
    pub(super) windows: Arc<Mutex<Windows>>,
    /// NICs that were not taken, and why.
    pub(super) left_out: Vec<String>,
    /// What a user may think otherwise.
    pub(super) warnings: Vec<String>,
}

/// What a PE tells of an extent: for each of its NICs a key, and what its registration calls the first byte.
const OFFER_BYTES: usize = 12;

impl Ibrc {
    /// What each proxy has had of a processor.
    pub fn proxy_times(&self) -> Vec<Duration> {
        self.proxies.iter().map(Proxy::time).collect()
    }

    /// The PEs that are reached by queues.
    pub(super) fn far(&self) -> impl Iterator<Item = Pe> + use<> {
        (0..).map(Pe::new).zip(self.far.clone()).filter_map(|(pe, far)| far.then_some(pe))
    }

    fn windows(&self) -> MutexGuard<'_, Windows> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What keys call NIC `side` of a PE.
    pub(super) fn peer(&self, side: usize, pe: Pe) -> u32 {
        (side * self.far.len() + pe.index()) as u32
    }

    /// Registers memory of kernels with a NIC, under its offset where the device can, else under its address.
    fn register_at(
        &self,
        nic: &Nic,
        what: &str,
        address: u64,
        bytes: u64,
        iova: u64,
        rights: u32,
    ) -> Result<(Handle, Registered, u32)> {
        let at = if nic.caps.iova { iova } else { address };
        let place = Place { what, address, bytes, iova: at, rights };
        let mr = self.ways.register(nic, &self.memory, self.config.dmabuf, &place)?;
        Ok((mr.handle, Registered { key: mr.lkey, at, bytes }, mr.rkey))
    }

    /// The fault of a queue, if it has stopped.
    fn stopped(&self, row: u32, pe: Pe) -> Result<Option<Fault>> {
        let words = self.tables.stopped(row, pe.number())?;
        let fault =
            |[word, at, bytes]: [u64; 3]| why(Stopped::from_word(word), at, bytes, pe.number(), self.handle(row));
        Ok(words.map(fault))
    }

    /// Every queue: its row, where it leads, and what it has counted.
    fn queues(&self) -> impl Iterator<Item = (u32, Pe, &super::counts::Counts)> {
        (0..).zip(&self.rows).flat_map(|(number, row)| {
            let queues = (0..).map(Pe::new).zip(row.iter().flatten());
            queues.filter_map(move |(pe, qp)| qp.as_ref().map(|qp| (number, pe, &*qp.counts)))
        })
    }
}

impl Transport for Ibrc {
    fn name(&self) -> &'static str {
        "ibrc"
    }

    fn reach(&self, pe: Pe) -> Reach {
        if self.far.get(pe.index()).copied().unwrap_or(false) { Reach::Remote } else { Reach::None }
    }

    /// Registers the extent with each NIC; its keys and what the registrations call it are the offer.
    fn offer(&mut self, extent: Extent) -> Result<Offer> {
        let address = self.windows().address(self.me, extent.offset).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "register the symmetric heap").because("it is not mapped")
        })?;
        let rights = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
        let mut bytes = Vec::new();
        for number in 0..self.books.len() {
            let nic = self.books[number].nic.clone();
            match self.register_at(&nic, "the heap", address, extent.bytes, extent.offset, rights) {
                Ok((mr, own, rkey)) => {
                    self.books[number].add_extent(extent, address, mr, own);
                    bytes.extend([&rkey.to_le_bytes()[..], &own.at.to_le_bytes()].concat());
                }
                Err(error) => {
                    self.withdraw(extent);
                    return Err(error);
                }
            }
        }
        Ok(Offer { bytes, fds: Vec::new() })
    }

    fn accept(&mut self, pe: Pe, extent: Extent, offer: Offer) -> Result<()> {
        let fail = |kind, reason: &str| {
            Err(Error::new(kind, format!("reach the heap of {pe}")).because(reason.to_string()).about(pe))
        };
        let (told, rest) = offer.bytes.as_chunks::<OFFER_BYTES>();
        if !rest.is_empty() || !(1..=MAX_NICS as usize).contains(&told.len()) {
            return fail(ErrorKind::Malformed, "what it offered is not in the form of this transport");
        }
        let before = std::mem::replace(&mut self.sides[pe.index()], told.len());
        if before != 0 && before != told.len() {
            let reason = format!("it told the keys of {before} NICs before, and now of {}", told.len());
            self.sides[pe.index()] = before;
            return fail(ErrorKind::Malformed, &reason);
        }
        let Some(index) = self.books[0].place(extent) else {
            return fail(ErrorKind::Mismatch, "this PE has no such extent");
        };
        let registered = |[a, b, c, d, at @ ..]: [u8; OFFER_BYTES]| Registered {
            key: u32::from_le_bytes([a, b, c, d]),
            at: u64::from_le_bytes(at),
            bytes: extent.bytes,
        };
        for book in &self.books {
            let peers = told.iter().enumerate();
            book.add_remote(index, peers.map(|(side, told)| (self.peer(side, pe) as usize, registered(*told))));
        }
        Ok(())
    }

    fn withdraw(&mut self, extent: Extent) {
        // The world has an error to tell already.
        self.books.iter_mut().for_each(|book| drop(book.forget_extents(extent.offset)));
    }

    fn prepare_qps(&mut self, rows: Asked) -> Result<Vec<u8>> {
        (self.pending, self.recent) = (None, 0..0);
        let pending = match rows {
            Asked::Default => self.make(true, self.config.rows)?,
            Asked::Custom(count) => self.make(false, count)?,
        };
        let card = Self::card(&pending);
        self.pending = Some(pending);
        Ok(card)
    }

    fn connect_qps(&mut self, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        let pending = self.pending.take().ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "connect queue pairs").because("none were prepared")
        })?;
        self.connect(pending, theirs)
    }

    fn discard_qps(&mut self) {
        self.pending = None;
        let recent = std::mem::replace(&mut self.recent, 0..0);
        // The world has an error to tell already.
        let _ = self.destroy(recent.collect());
    }

    fn destroy_qps(&mut self, handles: &[QpHandle]) -> Result<()> {
        let custom = handles.iter().filter(|handle| **handle != QpHandle::DEFAULT);
        let rows = custom.map(|&handle| self.row_of(handle)).collect::<Result<HashSet<_>>>()?;
        self.recent = 0..0;
        self.told.lock().unwrap_or_else(PoisonError::into_inner).retain(|(row, _)| !rows.contains(row));
        self.destroy(rows)
    }

    fn put(&self, to: Remote, from: &[u8]) -> Result<()> {
        self.about_to_launch();
        self.own.put(to, from)
    }

    fn get(&self, to: &mut [u8], from: Remote) -> Result<()> {
        self.about_to_launch();
        self.own.get(to, from)
    }

    fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        self.about_to_launch();
        self.own.atomic(at, what)
    }

    /// A put is complete when its call returns.
    fn quiet(&self) -> Result<()> {
        std::sync::atomic::fence(Ordering::SeqCst);
        Ok(())
    }

    fn kernel_view(&self) -> KernelView {
        let any = self.far.contains(&true);
        KernelView {
            far: if any { self.tables.far() } else { 0 },
            far_bits: self.far.iter().take(64).rev().fold(0, |bits, &far| bits << 1 | u64::from(far)),
            queues: self.tables.queues(),
            shared: self.tables.state(),
            default_rows: self.config.rows,
            map_by: self.config.map_by,
            by_proxy: true,
        }
    }

    fn share_state(&self, state: &[u8]) -> Result<()> {
        self.tables.set_world(state)
    }

    fn about_to_launch(&self) {
        self.proxies.iter().for_each(Proxy::wake);
    }

    fn register(&mut self, address: u64, bytes: u64) -> Result<()> {
        let action = || format!("register {bytes} bytes at address {address:#x}");
        let Some(end) = address.checked_add(bytes).filter(|_| bytes > 0) else {
            return Err(Error::new(ErrorKind::InvalidArgument, action())
                .because("a buffer has at least one byte, and ends within the address space"));
        };
        let keys = self.books[0].keys();
        let overlaps = |other: &&Buffer| address < other.start + other.registered.bytes && other.start < end;
        if let Some(other) = keys.buffers.iter().find(overlaps) {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because(format!(
                "{} bytes at address {:#x} are registered already",
                other.registered.bytes, other.start
            )));
        }
        for number in 0..self.books.len() {
            let nic = self.books[number].nic.clone();
            match self.register_at(&nic, "a registered buffer", address, bytes, address, access::LOCAL_WRITE) {
                Ok((mr, registered, _)) => self.books[number].add_buffer(address, mr, registered),
                Err(error) => {
                    // Registered with all or with none.
                    self.books.iter_mut().for_each(|book| drop(book.forget_buffer(address)));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn unregister(&mut self, address: u64) -> Result<()> {
        if !self.books[0].has_buffer(address) {
            let action = format!("unregister the buffer at address {address:#x}");
            return Err(Error::new(ErrorKind::InvalidArgument, action).because("no registered buffer begins there"));
        }
        let mut gone = Ok(());
        for book in &mut self.books {
            gone = gone.and(book.forget_buffer(address));
        }
        gone
    }

    fn counters(&self) -> Result<Vec<QpCounters>> {
        let stalls = self.tables.stalls()?;
        let counters = |(first, (row, pe, counts)): (bool, (u32, Pe, &super::counts::Counts))| QpCounters {
            handle: QpHandle::from_raw(self.handle(row)),
            row,
            pe,
            posted: counts.posted.load(Ordering::Relaxed),
            completed: counts.completed.load(Ordering::Relaxed),
            doorbells: counts.lists.load(Ordering::Relaxed),
            bytes: counts.bytes.load(Ordering::Relaxed),
            // Rings are full, and not queues: the first has those of all.
            stalls: if first { stalls } else { 0 },
            errors: counts.errors.load(Ordering::Relaxed),
        };
        Ok(std::iter::once(true).chain(std::iter::repeat(false)).zip(self.queues()).map(counters).collect())
    }

    fn ring_counters(&self) -> Result<Vec<RingCounters>> {
        let mut counters = Vec::new();
        for (number, proxy) in (0..).zip(&self.proxies) {
            for (of_host, tables) in [(false, &self.tables), (true, &self.own.tables)] {
                let counts = &proxy.rings[usize::from(of_host)];
                let (occupied, stalls) = tables.occupied(number)?;
                counters.push(RingCounters {
                    proxy: number,
                    of_host,
                    depth: tables.depth(),
                    requests: counts.requests.load(Ordering::Relaxed),
                    batches: counts.batches.each_ref().map(|size| size.load(Ordering::Relaxed)),
                    occupied,
                    stalls,
                    strays: counts.strays.load(Ordering::Relaxed),
                });
            }
        }
        Ok(counters)
    }

    fn describe(&self) -> String {
        let mut lines: Vec<String> = self.books.iter().map(|book| book.nic.describe(&self.config)).collect();
        if self.books.len() > 1 {
            let serves = |(number, book): (usize, &Book)| {
                let rows =
                    (0..).zip(&self.rows).filter(|(row, there)| there.is_some() && self.nic_of(*row, false) == number);
                let rows: Vec<String> = rows.map(|(row, _): (u32, _)| row.to_string()).collect();
                let rows = if rows.is_empty() { "no row yet".into() } else { format!("rows {}", rows.join(", ")) };
                format!("{} serves {rows}", book.nic.name())
            };
            lines.extend(self.books.iter().enumerate().map(serves));
        }
        lines.push(format!(
            "{} proxies with rings of {} requests; {} rows of default queue pairs and room for {} more, {} work requests \
             each; kernels' memory {}; flush behind gets: {}{}",
            self.proxies.len(),
            self.config.ring_depth,
            self.config.rows,
            self.config.spare_rows,
            self.config.depth,
            if matches!(self.memory, Memory::Host) { "of the host" } else { "of a GPU" },
            self.flush.text(),
            self.ways.text(),
        ));
        lines.extend(self.left_out.iter().cloned());
        lines.extend(self.warnings.iter().filter(|warning| !self.left_out.contains(warning)).cloned());
        lines.join("\n")
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn faults(&self) -> Result<Vec<Fault>> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut faults = Vec::new();
        for (row, pe, _) in self.queues() {
            if let Some(fault) = self.stopped(row, pe)?
                && told.insert((row, pe.number()))
            {
                faults.push(fault);
            }
        }
        Ok(faults)
    }
}

//! The transport of one PE.

mod assignment;
mod connect_rows;
mod open;
mod prepare_rows;

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use oxshmem_core::host::{
    Error, ErrorKind, Extent, HostAmo, Offer, PathView, QpCounters, Reach, Result, Transport, TransportCounter,
};
use oxshmem_core::{Fault, Pe, QpHandle, Remote};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::host::{BufferTable, ExtentOffer, Magic, RemoteKey, ReportedFaults, Row, RowTable};
use oxshmem_raw::queue::rows::handle_of;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_rdma::fabric::MemoryRegion;

use crate::device::queue::why;
use crate::host::config::IbrcConfig;
use crate::host::connection::{CompletionQueues, RowQueue};
use crate::host::connector::Connector;
use crate::host::counters::RingCounters;
use crate::host::host_ops::HostOps;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::keys::RegisteredRange;
use crate::host::memory::registrations::Registrations;
use crate::host::progress::proxy::Proxy;
use crate::host::tables::Tables;
use assignment::Assignment;
use prepare_rows::PreparedRows;

/// The InfiniBand transport of one PE, which posts by proxy threads.
#[derive(Debug)]
pub struct Ibrc {
    pub(in crate::host) config: IbrcConfig,
    pub(in crate::host) me: Pe,
    assignment: Assignment,
    pub(in crate::host) memory: Memory,
    pub(in crate::host) flush: GpuFlush,
    pub(in crate::host) reported: ReportedFaults,
    /// Number of NICs of each PE, from its first offer.
    pub(in crate::host) sides: Vec<usize>,
    pub(in crate::host) prepared: Option<PreparedRows>,
    /// Number of times that rows were connected.
    pub(in crate::host) batch: u32,
    // The following fields are dropped in this order: the connector and the proxies use the fields after them.
    /// Connects queues at their first use. `None`: they are connected when they are created.
    pub(in crate::host) connector: Option<Connector>,
    pub(in crate::host) proxies: Vec<Proxy>,
    /// Buffers that the program registered, by slot in the kernels' table.
    pub(in crate::host) buffers: BufferTable<()>,
    pub(in crate::host) rows: RowTable<RowQueue>,
    /// The row of the host's own queues.
    pub(in crate::host) host_row: Option<Row<RowQueue>>,
    pub(in crate::host) host_ops: HostOps,
    pub(in crate::host) tables: Tables,
    pub(in crate::host) cqs: Arc<Mutex<CompletionQueues>>,
    /// A NIC each: row `r` is on number `r` modulo their count.
    pub(in crate::host) registrations: Vec<Registrations>,
    pub(in crate::host) windows: Arc<Mutex<Windows>>,
    /// NICs that are not used, and the reasons.
    pub(in crate::host) left_out: Vec<String>,
    /// Facts that the user may not expect.
    pub(in crate::host) warnings: Vec<String>,
}

/// First bytes of an offer of an extent; the last one is the version.
const OFFER_MAGIC: Magic = *b"IBX\x02";

impl Ibrc {
    /// Returns the processor time that each proxy has used.
    pub fn proxy_times(&self) -> Vec<Duration> {
        self.proxies.iter().map(Proxy::time).collect()
    }

    pub(super) fn n_pes(&self) -> usize {
        self.assignment.remote.len()
    }

    /// Returns the handle of a row.
    pub(super) fn handle_of(&self, row: u32) -> QpHandle {
        handle_of(row, self.config.rows, self.n_pes() as u32)
    }

    /// Returns the number by which kernels' requests name the queue of `row` to `pe`.
    pub(super) fn queue_number(&self, row: u32, pe: Pe) -> u32 {
        row * self.n_pes() as u32 + pe.number()
    }

    fn windows(&self) -> MutexGuard<'_, Windows> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number by which [`Keys`](crate::host::memory::keys::Keys) name NIC `side` of `pe`.
    pub(in crate::host) fn peer_nic(&self, side: usize, pe: Pe) -> u32 {
        (side * self.n_pes() + pe.index()) as u32
    }

    /// Gives back a buffer's registrations, since it is registered with all NICs or with none.
    fn forget_buffer(&mut self, address: u64) {
        self.registrations.iter_mut().for_each(|registered| drop(registered.forget_buffer(address)));
    }

    /// Returns the fault of a queue, if it has stopped.
    fn stopped(&self, row: u32, pe: Pe) -> Result<Option<Fault>> {
        let words = self.tables.stopped(row, pe.number())?;
        let handle = self.handle_of(row).raw();
        let fault = |[word, at, bytes]: [u64; 3]| why(Stopped::from_word(word), at, bytes, pe.number(), handle);
        Ok(words.map(fault))
    }

    /// Returns each ring's counters. Kernels may run.
    ///
    /// # Errors
    /// The device's memory can't be read.
    pub fn ring_counters(&self) -> Result<Vec<RingCounters>> {
        let mut counters = Vec::new();
        for (number, proxy) in (0..).zip(&self.proxies) {
            for (of_host, tables) in [(false, &self.tables), (true, &self.host_ops.tables)] {
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
}

// SAFETY:
// - **state**: the tables are in memory that kernels reach and that this value owns, in the layout of `crate::state`; rows
//   are written before they are published.
// - **mapped**: it reaches no PE by loads and stores.
// - **within**: a work request names the keys of one extent, whose range the device checks; a withdrawn extent has none.
// - **lent**: the host's own operations copy through bounce buffers. A buffer's registration ends before `unregister`
//   returns.
unsafe impl Transport for Ibrc {
    fn name(&self) -> &'static str {
        "ibrc"
    }

    fn reach(&self, pe: Pe) -> Reach {
        if self.assignment.remote.get(pe.index()).copied().unwrap_or(false) { Reach::Remote } else { Reach::None }
    }

    /// Registers the extent with each NIC and returns the offer: the keys, and the addresses of the extent in work
    /// requests.
    fn offer(&mut self, extent: Extent) -> Result<Offer> {
        let missing =
            || Error::new(ErrorKind::InvalidArgument, "register the symmetric heap").because("it is not mapped");
        let windows = self.windows();
        let own = windows.address(self.me, 0).ok_or_else(missing)?;
        let address = windows.registration_address(extent).ok_or_else(missing)?;
        drop(windows);
        let bytes = extent.bytes;
        let mut regions: Vec<RemoteKey> = Vec::new();
        for number in 0..self.registrations.len() {
            let nic = self.registrations[number].nic.clone();
            match nic.register(&self.memory, "the heap", address, bytes, extent.offset, true) {
                Ok(MemoryRegion { handle, local_key: key, local_base: at, remote_key, remote_base: base }) => {
                    let added =
                        self.registrations[number].add_extent(extent, own, handle, RegisteredRange { key, at, bytes });
                    added.inspect_err(|_| self.withdraw(extent))?;
                    regions.push(RemoteKey { address: base, key: remote_key });
                }
                Err(error) => {
                    self.withdraw(extent);
                    return Err(error);
                }
            }
        }
        let offer = ExtentOffer { relaxed: false, keys: regions };
        Ok(Offer { bytes: offer.encode(OFFER_MAGIC), fds: Vec::new() })
    }

    fn accept(&mut self, pe: Pe, extent: Extent, offer: Offer) -> Result<()> {
        let known = Some(self.sides[pe.index()]).filter(|known| *known != 0);
        let ExtentOffer { keys, .. } = ExtentOffer::decode(OFFER_MAGIC, pe, &offer.bytes, known)?;
        self.sides[pe.index()] = keys.len();
        let Some(index) = self.registrations[0].place(extent) else {
            return Err(Error::new(ErrorKind::Mismatch, format!("reach the heap of {pe}"))
                .because("this PE has no such extent")
                .about(pe));
        };
        for registered in &self.registrations {
            let imported = |(side, region): (usize, &RemoteKey)| {
                let key = registered.nic.device.import_key(pe, &region.key)?;
                Ok((self.peer_nic(side, pe) as usize, RegisteredRange { key, at: region.address, bytes: extent.bytes }))
            };
            let peers = keys.iter().enumerate().map(imported).collect::<Result<Vec<_>>>()?;
            registered.add_remote(index, peers.into_iter());
        }
        Ok(())
    }

    fn withdraw(&mut self, extent: Extent) {
        // The extent is forgotten in any case, and a NIC gives back the rest when it is closed.
        self.registrations.iter_mut().for_each(|registered| drop(registered.forget_extent(extent)));
    }

    fn prepare_qps(&mut self, rows: Range<u32>) -> Result<Vec<Vec<u8>>> {
        self.prepared = None;
        let prepared = self.prepare(rows)?;
        let announced = match self.connector {
            Some(_) => Vec::new(),
            None => prepared.data.messages(connect_rows::MAGIC, self.n_pes()),
        };
        self.prepared = Some(prepared);
        Ok(announced)
    }

    fn connect_qps(&mut self, theirs: &[Vec<u8>]) -> Result<()> {
        let prepared = self.prepared.take().ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "connect queue pairs").because("none were prepared")
        })?;
        self.connect(prepared, theirs)
    }

    fn destroy_qps(&mut self, rows: &[u32]) -> Result<()> {
        self.prepared = None;
        self.reported.forget(rows);
        self.destroy(rows)
    }

    fn put(&self, to: Remote, from: &[u8]) -> Result<()> {
        self.about_to_launch();
        self.host_ops.put(to, from)
    }

    fn get(&self, to: &mut [u8], from: Remote) -> Result<()> {
        self.about_to_launch();
        self.host_ops.get(to, from)
    }

    fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        self.about_to_launch();
        self.host_ops.atomic(at, what)
    }

    /// Orders later loads only: a put is complete when its call returns.
    fn quiet(&self) -> Result<()> {
        std::sync::atomic::fence(Ordering::SeqCst);
        Ok(())
    }

    fn path_view(&self) -> PathView {
        PathView { queues: self.tables.queues(), shared: self.tables.state() }
    }

    fn set_world(&mut self, address: u64) {
        self.tables.world = address;
    }

    fn about_to_launch(&self) {
        self.proxies.iter().for_each(Proxy::wake);
    }

    fn register(&mut self, address: u64, bytes: u64) -> Result<()> {
        let slot = self.buffers.free_slot(address, bytes)?;
        for number in 0..self.registrations.len() {
            let nic = self.registrations[number].nic.clone();
            match nic.register(&self.memory, "a registered buffer", address, bytes, address, false) {
                Ok(MemoryRegion { handle, local_key: key, local_base: at, .. }) => {
                    self.registrations[number].add_buffer(address, handle, RegisteredRange { key, at, bytes });
                }
                Err(error) => {
                    self.forget_buffer(address);
                    return Err(error);
                }
            }
        }
        // Kernels name it when the proxies have its keys.
        let mut published = self.tables.set_buffer(slot as u32, address, address + bytes);
        if slot == self.buffers.slots() {
            published = published.and_then(|()| self.tables.publish_buffers(slot as u32 + 1));
        }
        if published.is_err() {
            let _ = self.tables.set_buffer(slot as u32, 0, 0);
            self.forget_buffer(address);
            return published;
        }
        self.buffers.insert(slot, address, bytes, ());
        Ok(())
    }

    fn unregister(&mut self, address: u64) -> Result<()> {
        let slot = self.buffers.slot_of(address)?;
        self.tables.set_buffer(slot as u32, 0, 0)?;
        self.buffers.remove(slot);
        let mut gone = Ok(());
        for registered in &mut self.registrations {
            gone = gone.and(registered.forget_buffer(address));
        }
        gone
    }

    fn counters(&self) -> Result<Vec<QpCounters>> {
        let stalls = self.tables.stalls()?;
        let counters = |(number, (row, pe, queue)): (usize, (u32, Pe, &RowQueue))| {
            let counts = &queue.counts;
            QpCounters {
                handle: self.handle_of(row),
                row,
                pe,
                posted: counts.posted.load(Ordering::Relaxed),
                completed: counts.completed.load(Ordering::Relaxed),
                doorbells: counts.lists.load(Ordering::Relaxed),
                bytes: counts.bytes.load(Ordering::Relaxed),
                // Threads wait for room in rings and not in queues: the first queue reports the stalls of all rings.
                stalls: if number == 0 { stalls } else { 0 },
                errors: counts.errors.load(Ordering::Relaxed),
            }
        };
        Ok(self.rows.queues().enumerate().map(counters).collect())
    }

    fn more_counters(&self) -> Result<Vec<TransportCounter>> {
        Ok(self.ring_counters()?.iter().flat_map(RingCounters::named).collect())
    }

    fn describe(&self) -> String {
        let mut lines: Vec<String> = self.registrations.iter().map(|registered| registered.nic.describe()).collect();
        if self.registrations.len() > 1 {
            let serves = |(number, registered): (usize, &Registrations)| {
                let rows = self.rows.iter().filter(|(row, _)| self.assignment.nic_of(*row, false) == number);
                let rows: Vec<String> = rows.map(|(row, _)| row.to_string()).collect();
                let rows = if rows.is_empty() { "no row yet".into() } else { format!("rows {}", rows.join(", ")) };
                format!("{} serves {rows}", registered.nic.name())
            };
            lines.extend(self.registrations.iter().enumerate().map(serves));
        }
        lines.push(format!(
            "{} proxies with rings of {} requests; {} rows of default queue pairs and room for {} more, {} work requests \
             each; kernels' memory {}; flush after gets: {}",
            self.proxies.len(),
            self.config.ring_depth,
            self.config.rows,
            self.config.spare_rows,
            self.config.depth,
            if matches!(self.memory, Memory::Host) { "of the host" } else { "of a GPU" },
            self.flush.text(),
        ));
        let failed = |(row, pe, queue): (u32, Pe, &RowQueue)| {
            Some(format!("the queue of row {row} to {pe} failed: {}", queue.counts.failure.get()?))
        };
        lines.extend(self.rows.queues().filter_map(failed));
        lines.extend(self.left_out.iter().cloned());
        lines.extend(self.warnings.iter().filter(|warning| !self.left_out.contains(warning)).cloned());
        lines.join("\n")
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn faults(&self) -> Result<Vec<Fault>> {
        let mut faults = Vec::new();
        for (row, pe, _) in self.rows.queues() {
            if let Some(fault) = self.stopped(row, pe)?
                && self.reported.is_new(row, pe)
            {
                faults.push(fault);
            }
        }
        Ok(faults)
    }
}

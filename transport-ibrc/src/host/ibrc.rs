//! The transport of one PE.

use std::collections::HashSet;
use std::ops::Range;
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use oxshmem_core::host::{
    Error, ErrorKind, Extent, KernelView, Offer, QpCounters, Reach, Result, RingCounters, Rows as Asked, Transport,
};
use oxshmem_core::{Fault, Pe, QpHandle, Remote};
use oxshmem_raw::hca::{Handle, Region, access};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::rc::RcProvider;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::nic::Stopped;

use super::config::IbrcConfig;
use super::connect::{Pending, Row};
use super::keys::{Buffer, Keys, Registered};
use super::nic::Nic;
use super::own::Own;
use super::proxies;
use super::proxy::{Parts, Proxy};
use super::scratch::Chunks;
use super::tables::Tables;
use super::words::Here;
use crate::device::done::why;

/// Chunks for data of memory that is not registered, of each proxy.
const CHUNKS: u64 = 16;

/// The InfiniBand transport of one PE by proxy threads.
#[derive(Debug)]
pub struct Ibrc {
    pub(super) config: IbrcConfig,
    pub(super) me: Pe,
    pub(super) far: Vec<bool>,
    memory: Memory,
    /// Faults that were told, by row and PE.
    told: Mutex<HashSet<(u32, u32)>>,
    keys: Arc<RwLock<Arc<Keys>>>,
    /// The rows that were connected last: another PE may still fail to connect its own.
    pub(super) recent: Range<u32>,
    pending: Option<Pending>,
    // What follows is in the order in which it is given back: proxies use all that is behind them.
    pub(super) proxies: Vec<Proxy>,
    pub(super) rows: Vec<Option<Row>>,
    pub(super) own_row: Option<Row>,
    pub(super) own: Own,
    pub(super) tables: Tables,
    pub(super) cqs: Cqs,
    mrs: Mrs,
    pub(super) nic: Arc<Nic>,
    windows: Arc<Mutex<Windows>>,
}

/// Completion queues, destroyed with it.
#[derive(Debug)]
pub(super) struct Cqs(Arc<Nic>, Vec<Handle>);

impl Cqs {
    pub(super) fn extend(&mut self, cqs: impl Iterator<Item = Handle>) {
        self.1.extend(cqs)
    }
}

impl Drop for Cqs {
    fn drop(&mut self) {
        // What was not given back goes with the device.
        self.1.iter().for_each(|cq| drop(self.0.device.destroy_cq(*cq)));
    }
}

/// Registrations: those of heap extents in their order, and of buffers by their address.
#[derive(Debug)]
struct Mrs(Arc<Nic>, Vec<(Extent, Handle)>, Vec<(u64, Handle)>);

impl Drop for Mrs {
    fn drop(&mut self) {
        let all = self.1.iter().map(|(_, mr)| mr).chain(self.2.iter().map(|(_, mr)| mr));
        all.for_each(|mr| drop(self.0.device.dereg_mr(*mr)));
    }
}

impl Ibrc {
    /// Opens a device of `provider`, starts the proxies, and reaches those PEs through it that `far` (by PE) says.
    ///
    /// # Errors
    /// A setting is out of range; there is no device that can be used, or it lacks what is needed; or there is not enough
    /// memory. Each says what, and what was tried.
    pub fn open(
        config: &IbrcConfig,
        provider: &dyn RcProvider,
        memory: Memory,
        windows: Arc<Mutex<Windows>>,
        me: Pe,
        n_pes: u32,
        far: &[bool],
    ) -> Result<Self> {
        config.check()?;
        if far.len() != n_pes as usize || far.get(me.index()).copied().unwrap_or(true) {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("open the proxies of {me}"))
                .because(format!("they must be told of {n_pes} PEs, and that it reaches itself")));
        }
        let nic = Arc::new(Nic::open(config, provider)?);
        let cores = proxies::allowed_cores();
        let mut config = config.clone();
        if config.proxies == 0 {
            let queues = config.rows as usize * far.iter().filter(|far| **far).count();
            config.proxies = proxies::default_proxies(&memory, cores.len(), 1, queues);
        }
        let config = &config;
        let near = if config.pin { proxies::near_cores(&memory, nic.device.name()) } else { Vec::new() };
        let stay = proxies::chosen_cores(&cores, &near, config.proxies);
        let tables = Tables::new(&memory, far, config.rows + config.spare_rows, config.proxies, config.ring_depth)?;
        let own = Own::new(far, me, config.proxies, 256, config.wait_limit)?;
        let keys: Arc<RwLock<Arc<Keys>>> = Arc::default();
        // SAFETY: **live**: rings, answers and what queues are told stand in the tables, which outlast the proxies;
        // whoever reads or writes them does it by whole words.
        let words = unsafe { Here::new() };
        let proxy = |number: u32| {
            let parts = Parts {
                device: nic.device.clone(),
                keys: keys.clone(),
                rings: vec![
                    tables.end(number, words, matches!(memory, Memory::Host)),
                    own.tables.end(number, words, true),
                ],
                chunks: Chunks::new(&nic.device, nic.pd, CHUNKS)?,
                words,
                stay: stay.clone(),
                max_message: u64::from(nic.caps.max_message_bytes.max(1)),
            };
            Proxy::start(format!("oxshmem-proxy-{}-{number}", me.number()), parts)
        };
        let proxies = (0..config.proxies).map(proxy).collect::<Result<Vec<_>>>()?;
        Ok(Self {
            config: config.clone(),
            me,
            far: far.to_vec(),
            memory,
            told: Mutex::default(),
            keys,
            recent: 0..0,
            pending: None,
            proxies,
            rows: Vec::new(),
            own_row: None,
            own,
            tables,
            cqs: Cqs(nic.clone(), Vec::new()),
            mrs: Mrs(nic.clone(), Vec::new(), Vec::new()),
            nic,
            windows,
        })
    }

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

    /// Changes the keys that proxies use from their next round on.
    fn change_keys(&self, change: impl FnOnce(&mut Keys)) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = (**keys).clone();
        change(&mut next);
        *keys = Arc::new(next);
    }

    /// Registers memory of kernels, under its offset where the device can, else under its address.
    fn register_at(&self, address: u64, bytes: u64, iova: u64, rights: u32) -> Result<(Handle, Registered, u32)> {
        let at = if self.nic.caps.iova { iova } else { address };
        let mr = self.nic.device.reg_mr(self.nic.pd, Region::Address(address), bytes, at, rights)?;
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

    /// Registers the extent; its key and what the registration calls it are the offer.
    fn offer(&mut self, extent: Extent) -> Result<Offer> {
        let address = self.windows().address(self.me, extent.offset).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "register the symmetric heap").because("it is not mapped")
        })?;
        // What is offered again was given back by the world, since another PE could not make or take its own.
        let kept = self.mrs.1.iter().take_while(|(own, _)| own.offset < extent.offset).count();
        for (_, mr) in self.mrs.1.drain(kept..).collect::<Vec<_>>() {
            self.nic.device.dereg_mr(mr)?;
        }
        let rights = access::LOCAL_WRITE | access::REMOTE_WRITE | access::REMOTE_READ | access::REMOTE_ATOMIC;
        let (mr, own, rkey) = self.register_at(address, extent.bytes, extent.offset, rights)?;
        self.mrs.1.push((extent, mr));
        let n_pes = self.far.len();
        self.change_keys(|keys| {
            keys.own = address - extent.offset;
            keys.extents.truncate(kept);
            keys.local.truncate(kept);
            keys.extents.push(extent.offset);
            keys.local.push(own);
            keys.remote.resize_with(n_pes, Vec::new);
            keys.remote.iter_mut().for_each(|remote| {
                remote.truncate(kept);
                remote.resize(kept + 1, Registered::default());
            });
        });
        Ok(Offer { bytes: [&rkey.to_le_bytes()[..], &own.at.to_le_bytes()].concat(), fds: Vec::new() })
    }

    fn accept(&mut self, pe: Pe, extent: Extent, offer: Offer) -> Result<()> {
        // SAFETY: who holds an offer owns its descriptors, and this one was given to us.
        offer.fds.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }).for_each(drop);
        let fail = |kind, reason: &str| {
            Err(Error::new(kind, format!("reach the heap of {pe}")).because(reason.to_string()).about(pe))
        };
        let Ok(bytes) = <[u8; 12]>::try_from(offer.bytes) else {
            return fail(ErrorKind::Malformed, "what it offered is not in the form of this transport");
        };
        let Some(index) = self.mrs.1.iter().position(|(own, _)| *own == extent) else {
            return fail(ErrorKind::Mismatch, "this PE has no such extent");
        };
        let [a, b, c, d, at @ ..] = bytes;
        let (key, at) = (u32::from_le_bytes([a, b, c, d]), u64::from_le_bytes(at));
        self.change_keys(|keys| keys.remote[pe.index()][index] = Registered { key, at, bytes: extent.bytes });
        Ok(())
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
            map_by: self.config.map_by | WorldState::PROXIED,
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
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner).clone();
        let overlaps = |other: &&Buffer| address < other.start + other.registered.bytes && other.start < end;
        if let Some(other) = keys.buffers.iter().find(overlaps) {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because(format!(
                "{} bytes at address {:#x} are registered already",
                other.registered.bytes, other.start
            )));
        }
        let (mr, registered, _) = self.register_at(address, bytes, address, access::LOCAL_WRITE)?;
        self.mrs.2.push((address, mr));
        self.change_keys(|keys| keys.buffers.push(Buffer { start: address, registered }));
        Ok(())
    }

    fn unregister(&mut self, address: u64) -> Result<()> {
        let Some(at) = self.mrs.2.iter().position(|(start, _)| *start == address) else {
            let action = format!("unregister the buffer at address {address:#x}");
            return Err(Error::new(ErrorKind::InvalidArgument, action).because("no registered buffer begins there"));
        };
        self.change_keys(|keys| keys.buffers.retain(|buffer| buffer.start != address));
        let (_, mr) = self.mrs.2.swap_remove(at);
        self.nic.device.dereg_mr(mr)
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
        let Nic { device, port, caps, gid, .. } = &*self.nic;
        format!(
            "{} ({:?}, LID {}, GID {}), {:?}\n{} proxies with rings of {} requests; {} rows of default queue pairs and room \
             for {} more, {} work requests each; kernels' memory {}",
            device.name(),
            port.link,
            port.lid,
            gid.map_or("none".into(), |gid| gid.index.to_string()),
            caps.atomics,
            self.config.proxies,
            self.config.ring_depth,
            self.config.rows,
            self.config.spare_rows,
            self.config.depth,
            if matches!(self.memory, Memory::Host) { "of the host" } else { "of a GPU" },
        )
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

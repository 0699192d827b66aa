//! The transport of one PE.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::{
    Error, ErrorKind, Extent, HostAmo, KernelView, Offer, QpCounters, QpRows as Asked, Reach, Result, Transport,
};
use oxshmem_core::{Fault, Pe, QpHandle, Remote};
use oxshmem_raw::gpu::cuda;
use oxshmem_raw::memory::{Memory, Place, Windows};
use oxshmem_raw::rdma::hca::Provider;
use oxshmem_raw::rdma::wire::{Choices, ConnectInfo};
use oxshmem_raw::state::nic::Stopped;

use super::bell::Bells;
use super::config::IbgdaConfig;
use super::connect::{MAGIC, Pending};
use super::keys::Keys;
use super::nic::Nic;
use super::offer::Told;
use super::post::Poster;
use super::provider::choose;
use super::queue::Queue;
use super::rows::{Row, Rows};
use super::tables::{Live, Tables};

/// The InfiniBand transport of one PE.
#[derive(Debug)]
pub struct Ibgda {
    pub(super) config: IbgdaConfig,
    pub(super) me: Pe,
    pub(super) far: Vec<bool>,
    pub(super) memory: Memory,
    /// Whether a buffer on the host was registered for a GPU's kernels.
    pub(super) wide: bool,
    /// Faults that were told, by row and PE.
    told: Mutex<HashSet<(u32, u32)>>,
    // What follows is in the order in which it is given back.
    pending: Option<Pending>,
    /// The rows that were connected last: another PE may still fail to connect its own.
    pub(super) recent: Range<u32>,
    pub(super) rows: Rows,
    poster: Mutex<Poster>,
    pub(super) keys: Keys,
    pub(super) bells: Bells,
    pub(super) tables: Tables,
    /// Row `r` is on number `r` modulo their count.
    pub(super) nics: Vec<Arc<Nic>>,
    windows: Arc<Mutex<Windows>>,
    /// NICs that were not taken, and why.
    left_out: Vec<String>,
    /// What a user may think otherwise: NICs that were not taken, settings that have no effect.
    warnings: Vec<String>,
}

impl Ibgda {
    /// Opens the nearest NICs of `provider` and reaches those PEs through them that `far` (by PE) says.
    ///
    /// # Errors
    /// A setting is out of range; there are not as many NICs that can be used as asked for, or one lacks what is needed;
    /// or there is not enough memory. Each says what, and what was tried.
    pub fn open(
        config: &IbgdaConfig,
        provider: Arc<dyn Provider>,
        memory: Memory,
        windows: Arc<Mutex<Windows>>,
        me: Pe,
        n_pes: u32,
        far: &[bool],
    ) -> Result<Self> {
        config.check()?;
        if far.len() != n_pes as usize || far.get(me.index()).copied().unwrap_or(true) {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("open the NICs of {me}"))
                .because(format!("it must be told of {n_pes} PEs, and that it reaches itself")));
        }
        let Choices { ports, left_out, missed: mut warnings } = choose(config, &*provider, &memory, me)?;
        let nics = ports.into_iter().map(|choice| Nic::new(config, choice)).collect::<Result<Vec<_>>>()?;
        let mut config = config.clone();
        if let (true, Some(nic)) = (config.relaxed_ordering, nics.iter().find(|nic| !nic.caps.relaxed_ordering())) {
            warnings.push(format!("relaxed ordering: asked for, and not known to {}", nic.name()));
            config.relaxed_ordering = false;
        }
        if nics.len() > config.rows as usize {
            warnings.push(format!(
                "{} rows of default queue pairs (OXSHMEM_IBGDA_NUM_RC_PER_PE) use {0} of {} NICs",
                config.rows,
                nics.len()
            ));
        }
        let capacity = config.rows + config.spare_rows;
        let longest: Vec<u64> = nics.iter().map(|nic| 1 << nic.caps.log_message()).collect();
        let tables = Tables::new(&memory, far, capacity, &longest, config.relaxed_ordering)?;
        let n_far = far.iter().filter(|far| **far).count();
        let bells = Bells::new(&memory, config.doorbell, capacity as usize * n_far);
        let poster = Mutex::new(Poster::new(&nics[0], &memory, far.len(), config.wait_limit)?);
        let rows = Rows::new(config.rows, config.spare_rows, n_pes);
        let far = far.to_vec();
        let (told, pending, recent, keys) = (Mutex::default(), None, 0..0, Keys::default());
        Ok(Self {
            config,
            me,
            far,
            memory,
            wide: false,
            told,
            pending,
            recent,
            rows,
            poster,
            keys,
            bells,
            tables,
            nics,
            windows,
            left_out,
            warnings,
        })
    }

    /// What every queue counts: its row, where it leads, and the counters.
    fn live(&self) -> Result<Vec<(u32, Pe, Live)>> {
        let mut all = Vec::new();
        for (number, row) in self.rows.iter() {
            let queues = (0..).map(Pe::new).zip(row).zip(self.tables.live(number)?);
            all.extend(queues.filter_map(|((pe, queue), live)| queue.as_ref().map(|_| (number, pe, live))));
        }
        Ok(all)
    }

    /// The PEs that are reached by queues.
    pub(super) fn far(&self) -> impl Iterator<Item = Pe> + use<> {
        let far = self.far.clone();
        (0..).map(Pe::new).zip(far).filter_map(|(pe, far)| far.then_some(pe))
    }

    /// What the NIC is to be shown of kernels' memory at `address`, which is near them unless `may_be_far`.
    fn place(&self, address: u64, may_be_far: bool) -> Result<Place> {
        Ok(match &self.memory {
            Memory::Gpu(_) if may_be_far && cuda::device_of(address)?.is_none() => Place::Host(address),
            Memory::Host => Place::Host(address),
            Memory::Gpu(context) => Place::Device(context.clone(), address),
        })
    }

    /// Which of the rows that are there a NIC serves, in words.
    fn served_by(&self, local: usize) -> String {
        let rows = self.rows.iter().map(|(row, _)| row).filter(|row| self.nic_of(*row) == local);
        let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
        if rows.is_empty() { "no row yet".into() } else { format!("rows {}", rows.join(", ")) }
    }

    pub(super) fn poster(&self) -> MutexGuard<'_, Poster> {
        // A queue whose user panicked in between has entries that nobody waits for, which harms nobody.
        self.poster.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bit for each of the first 64 PEs.
fn first_bits(far: &[bool]) -> u64 {
    far.iter().take(64).rev().fold(0, |bits, &far| bits << 1 | u64::from(far))
}

impl Transport for Ibgda {
    fn name(&self) -> &'static str {
        "ibgda"
    }

    fn reach(&self, pe: Pe) -> Reach {
        if self.far.get(pe.index()).copied().unwrap_or(false) { Reach::Remote } else { Reach::None }
    }

    /// Registers the extent with each NIC; its keys are the offer.
    fn offer(&mut self, extent: Extent) -> Result<Offer> {
        let address = self.windows.lock().unwrap_or_else(PoisonError::into_inner).address(self.me, extent.offset);
        let address = address.ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "register the symmetric heap").because("it is not mapped")
        })?;
        let place = self.place(address, false)?;
        let relaxed = self.config.relaxed_ordering;
        let told = self.keys.offer(&self.nics, &mut self.tables, &place, extent, relaxed, &self.far)?;
        Ok(Offer { bytes: told.encode(), fds: Vec::new() })
    }

    fn accept(&mut self, pe: Pe, extent: Extent, offer: Offer) -> Result<()> {
        let told = Told::decode(pe, &offer.bytes)?;
        self.keys.accept(&mut self.tables, pe, extent, told, &self.far)
    }

    fn withdraw(&mut self, extent: Extent) {
        self.keys.withdraw(&mut self.tables, extent);
    }

    fn prepare_qps(&mut self, rows: Asked) -> Result<Vec<u8>> {
        (self.pending, self.recent) = (None, 0..0);
        let (default, count) = match rows {
            Asked::Default => (true, self.config.rows),
            Asked::Custom(count) => (false, count),
        };
        let first = self.rows.place(default, count)?;
        for (local, nic) in self.nics.iter().enumerate() {
            let rows = (first..first + count).filter(|row| self.nic_of(*row) == local).count();
            let (queues, most) = ((rows * self.far().count()) as u64, nic.caps.max_qps());
            if queues > most {
                let error = Error::new(ErrorKind::Exhausted, format!("create queue pairs on {}", nic.name()));
                return Err(error.amount(queues, most, "queue pairs"));
            }
        }
        let made = self.make(first, count)?;
        let host = if default { Some(self.make_own()?) } else { None };
        let numbers = |row: &Row| row.iter().map(|queue| queue.as_ref().map_or(0, Queue::qpn)).collect();
        let rows = (first..first + count).map(|row| self.nic_of(row) as u8);
        let card = ConnectInfo {
            ports: self.nics.iter().map(|nic| nic.card()).collect(),
            // The host's own queues are on the first.
            nics: rows.chain(host.iter().map(|_| 0)).collect(),
            qpns: made.iter().chain(&host).map(numbers).collect(),
        };
        let bytes = card.encode(MAGIC);
        self.pending = Some(Pending { first, rows: made, host, card });
        Ok(bytes)
    }

    fn connect_qps(&mut self, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        let pending = self.pending.take().ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "connect queue pairs").because("none were prepared")
        })?;
        self.connect(pending, theirs)
    }

    /// Also those that were connected just before: another PE could not connect its own.
    fn discard_qps(&mut self) {
        self.pending = None;
        for row in std::mem::take(&mut self.recent) {
            // The world has an error to tell already.
            let _ = self.rows.destroy(&mut self.tables, row);
        }
    }

    fn destroy_qps(&mut self, handles: &[QpHandle]) -> Result<()> {
        let custom = handles.iter().filter(|handle| **handle != QpHandle::DEFAULT);
        let rows = custom.map(|&handle| self.rows.of(handle)).collect::<Result<HashSet<_>>>()?;
        self.recent = 0..0;
        let mut gone = Ok(());
        for row in rows {
            gone = gone.and(self.rows.destroy(&mut self.tables, row));
            self.told.lock().unwrap_or_else(PoisonError::into_inner).retain(|(told, _)| *told != row);
        }
        gone
    }

    fn put(&self, to: Remote, from: &[u8]) -> Result<()> {
        self.poster().put(to.pe, to.at.offset(), from, |at| self.keys.remote(to.pe, at))
    }

    fn get(&self, to: &mut [u8], from: Remote) -> Result<()> {
        self.poster().get(from.pe, from.at.offset(), to, |at| self.keys.remote(from.pe, at))
    }

    fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        self.poster().atomic(at, what, |offset| self.keys.remote(at.pe, offset))
    }

    /// A put is complete when its call returns.
    fn quiet(&self) -> Result<()> {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Ok(())
    }

    fn kernel_view(&self) -> KernelView {
        let any = self.far.contains(&true);
        KernelView {
            far: if any { self.tables.far() } else { 0 },
            far_bits: first_bits(&self.far),
            queues: self.tables.queues(),
            shared: self.tables.shared(),
            default_rows: self.config.rows,
            map_by: self.config.map_by.code(),
            by_proxy: false,
        }
    }

    fn share_state(&self, state: &[u8]) -> Result<()> {
        self.tables.set_world(state)
    }

    fn register(&mut self, address: u64, bytes: u64) -> Result<()> {
        let place = self.place(address, true)?;
        if matches!((&place, &self.memory), (Place::Host(_), Memory::Gpu(_))) && !self.wide {
            // From now on fences before a doorbell also cover what is on the host.
            self.wide = true;
            for (row, queues) in self.rows.iter() {
                for (pe, queue) in (0..).map(Pe::new).zip(queues) {
                    let Some(queue) = queue else { continue };
                    self.tables.set_flags(row, pe, queue.flags(&self.memory, &self.config, true)?)?;
                }
            }
        }
        self.keys.add_local(&self.nics, &mut self.tables, &place, bytes)
    }

    fn unregister(&mut self, address: u64) -> Result<()> {
        self.keys.remove_local(&self.tables, address)
    }

    fn counters(&self) -> Result<Vec<QpCounters>> {
        let counters = |(row, pe, live): (u32, Pe, Live)| QpCounters {
            handle: QpHandle::from_raw(self.rows.handle(row)),
            row,
            pe,
            posted: live.posted,
            completed: live.done,
            doorbells: live.doorbells,
            bytes: live.bytes,
            stalls: live.stalls,
            errors: u64::from(live.stopped != 0),
        };
        Ok(self.live()?.into_iter().map(counters).collect())
    }

    fn describe(&self) -> String {
        let mut lines = Vec::new();
        for (local, nic) in self.nics.iter().enumerate() {
            lines.push(nic.describe(&self.config));
            if self.nics.len() > 1 {
                lines.push(format!("{} serves {}", nic.name(), self.served_by(local)));
                lines.extend(nic.notes().into_iter().map(|note| format!("{}: {note}", nic.name())));
            } else {
                lines.extend(nic.notes());
            }
        }
        lines.push(format!(
            "{} rows of default queue pairs and room for {} more, {} blocks each",
            self.config.rows, self.config.spare_rows, self.config.depth
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
        for (row, pe, live) in self.live()?.into_iter().filter(|(_, _, live)| live.stopped != 0) {
            let stopped = Stopped::from_word(live.stopped);
            if told.insert((row, pe.number())) {
                let mut fault = super::stopped_fault(stopped);
                (fault.pe, fault.qp) = (pe.number(), self.rows.handle(row));
                faults.push(fault);
            }
        }
        Ok(faults)
    }
}

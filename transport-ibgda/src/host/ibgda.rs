//! The transport of one PE.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxshmem_core::host::{Error, ErrorKind, Extent, HostAmo, Offer, PathView, QpCounters, Reach, Result, Transport};
use oxshmem_core::{Fault, Pe, Remote};
use oxshmem_raw::memory::{Memory, Windows};
use oxshmem_raw::queue::host::ReportedFaults;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_rdma::hca::Provider;
use oxshmem_rdma::registrar::MemoryRegistrar;

use super::config::IbgdaConfig;
use super::doorbell::Doorbells;
use super::host_ops::HostOps;
use super::keys::MemoryKeys;
use super::rows::Rows;
use super::setup::Setup;
use super::tables::{QueueCounts, Tables};

/// The InfiniBand transport of one PE.
#[derive(Debug)]
pub struct Ibgda {
    faults: ReportedFaults,
    // The following are dropped in this order.
    rows: Rows,
    host_ops: Mutex<HostOps>,
    keys: MemoryKeys,
    doorbells: Doorbells,
    tables: Tables,
    pub(in crate::host) setup: Setup,
    // The heap stays mapped until no registration names it: a peer's last write may still arrive.
    windows: Arc<Mutex<Windows>>,
}

impl Ibgda {
    /// Opens the nearest NICs of `provider`, to reach the PEs that `remote` lists (by PE) through them.
    ///
    /// # Errors
    /// A setting is out of range, fewer NICs can be used than were requested, a NIC lacks a capability, or there is not
    /// enough memory. The error names the cause and the attempts.
    pub fn open(
        config: &IbgdaConfig,
        provider: Arc<dyn Provider>,
        memory: Memory,
        windows: Arc<Mutex<Windows>>,
        me: Pe,
        n_pes: u32,
        remote: &[bool],
    ) -> Result<Self> {
        let setup = Setup::open(config, &*provider, memory, me, n_pes, remote)?;
        let capacity = setup.config.rows + setup.config.spare_rows;
        let max_message: Vec<u64> = setup.nics.iter().map(|nic| 1 << nic.caps.log_message()).collect();
        let relaxed = setup.config.relaxed_ordering;
        let tables = Tables::new(&setup.memory, setup.remote.len() as u32, capacity, &max_message, relaxed)?;
        let queues = capacity as usize * setup.remote_pes().count();
        let doorbells = Doorbells::new(&setup.memory, setup.config.doorbell, queues);
        let host_ops = Mutex::new(HostOps::new(&setup)?);
        let rows = Rows::new(setup.n_pes());
        let (faults, keys) = (ReportedFaults::default(), MemoryKeys::default());
        Ok(Self { faults, windows, rows, host_ops, keys, doorbells, tables, setup })
    }

    /// Returns the row, the PE and the counts of every queue.
    fn counts(&self) -> Result<Vec<(u32, Pe, QueueCounts)>> {
        let mut all = Vec::new();
        for (row, queues) in self.rows.table().iter() {
            let counts = (0..).map(Pe::new).zip(queues).zip(self.tables.counts(row)?);
            all.extend(counts.filter_map(|((pe, queue), counts)| queue.as_ref().map(|_| (row, pe, counts))));
        }
        Ok(all)
    }

    /// Returns the existing rows of a NIC, in words.
    fn rows_of_nic(&self, number: usize) -> String {
        let rows = self.rows.table().iter().map(|(row, _)| row).filter(|row| self.setup.nic_of_row(*row) == number);
        let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
        if rows.is_empty() { "no row yet".into() } else { format!("rows {}", rows.join(", ")) }
    }

    fn host_ops(&self) -> MutexGuard<'_, HostOps> {
        // If a user of a queue panicked, entries remain on the queue for which no thread waits; they do no harm.
        self.host_ops.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY:
// - **state**: the tables are in memory that kernels reach and that this value owns, in the layout of `crate::state`; rows
//   are written before they are published.
// - **mapped**: it reaches no PE by loads and stores.
// - **within**: an entry names the keys of one extent, whose range the NIC checks; a withdrawn extent has none.
// - **lent**: the host's own operations copy through bounce buffers. A buffer's memory region is deregistered before
//   `unregister` returns.
unsafe impl Transport for Ibgda {
    fn name(&self) -> &'static str {
        "ibgda"
    }

    fn reach(&self, pe: Pe) -> Reach {
        if self.setup.is_remote(pe) { Reach::Remote } else { Reach::None }
    }

    /// Registers the extent with each NIC and offers the keys.
    fn offer(&mut self, extent: Extent) -> Result<Offer> {
        let windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let address = windows.registration_address(extent).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "register the symmetric heap").because("it is not mapped")
        })?;
        let place = MemoryRegistrar::locate(&self.setup.memory, address)?;
        let bytes = self.keys.offer(&self.setup, &mut self.tables, &place, extent)?;
        Ok(Offer { bytes, fds: Vec::new() })
    }

    fn accept(&mut self, pe: Pe, extent: Extent, offer: Offer) -> Result<()> {
        self.keys.accept(&self.setup, &mut self.tables, pe, extent, &offer.bytes)
    }

    fn withdraw(&mut self, extent: Extent) {
        self.keys.withdraw(self.setup.nics.len(), &mut self.tables, extent);
    }

    fn prepare_qps(&mut self, rows: Range<u32>) -> Result<Vec<Vec<u8>>> {
        self.rows.prepare(&self.setup, &mut self.doorbells, rows)
    }

    fn connect_qps(&mut self, theirs: &[Vec<u8>]) -> Result<()> {
        let host_ops = self.host_ops.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.rows.connect(&self.setup, (&self.keys, &mut self.tables), host_ops, theirs)
    }

    fn destroy_qps(&mut self, rows: &[u32]) -> Result<()> {
        self.faults.forget(rows);
        self.rows.destroy(&mut self.tables, rows)
    }

    fn put(&self, to: Remote, from: &[u8]) -> Result<()> {
        self.host_ops().put(to.pe, to.at.offset(), from, |at| self.keys.remote(to.pe, at))
    }

    fn get(&self, to: &mut [u8], from: Remote) -> Result<()> {
        self.host_ops().get(from.pe, from.at.offset(), to, |at| self.keys.remote(from.pe, at))
    }

    fn atomic(&self, at: Remote, what: HostAmo) -> Result<u64> {
        self.host_ops().atomic(at, what, |offset| self.keys.remote(at.pe, offset))
    }

    /// Orders later loads only: a put is complete when its call returns.
    fn quiet(&self) -> Result<()> {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        Ok(())
    }

    fn path_view(&self) -> PathView {
        PathView { queues: self.tables.queues(), shared: self.tables.shared() }
    }

    fn set_world(&mut self, address: u64) {
        self.tables.world = address;
    }

    fn register(&mut self, address: u64, bytes: u64) -> Result<()> {
        let place = MemoryRegistrar::locate(&self.setup.memory, address)?;
        if self.keys.is_first_host_buffer(&self.setup.memory, &place) {
            // From now on fences before a doorbell must also cover host memory: written before kernels can find the
            // key.
            for (row, pe, queue) in self.rows.table().queues() {
                self.tables.set_flags(row, pe, queue.flags(&self.setup.memory, &self.setup.config, true)?)?;
            }
        }
        self.keys.add_buffer(&self.setup, &mut self.tables, &place, bytes)
    }

    fn unregister(&mut self, address: u64) -> Result<()> {
        self.keys.remove_buffer(&self.tables, address)
    }

    fn counters(&self) -> Result<Vec<QpCounters>> {
        let counters = |(row, pe, counts): (u32, Pe, QueueCounts)| QpCounters {
            handle: self.setup.handle_of(row),
            row,
            pe,
            posted: counts.posted,
            completed: counts.done,
            doorbells: counts.doorbells,
            bytes: counts.bytes,
            stalls: counts.stalls,
            errors: u64::from(counts.stopped != 0),
        };
        Ok(self.counts()?.into_iter().map(counters).collect())
    }

    fn describe(&self) -> String {
        let Setup { config, nics, left_out, warnings, .. } = &self.setup;
        let mut lines = Vec::new();
        for (number, nic) in nics.iter().enumerate() {
            lines.push(nic.describe(config));
            if nics.len() > 1 {
                lines.push(format!("{} serves {}", nic.name(), self.rows_of_nic(number)));
                lines.extend(nic.registrar.notes().into_iter().map(|note| format!("{}: {note}", nic.name())));
            } else {
                lines.extend(nic.registrar.notes());
            }
        }
        lines.push(format!(
            "{} rows of default queue pairs and room for {} more, {} blocks each",
            config.rows, config.spare_rows, config.depth
        ));
        lines.extend(left_out.iter().cloned());
        lines.extend(warnings.iter().filter(|warning| !left_out.contains(warning)).cloned());
        lines.join("\n")
    }

    fn warnings(&self) -> Vec<String> {
        self.setup.warnings.clone()
    }

    fn faults(&self) -> Result<Vec<Fault>> {
        let mut faults = Vec::new();
        for (row, pe, counts) in self.counts()? {
            if counts.stopped != 0 && self.faults.is_new(row, pe) {
                let mut fault = super::stopped_fault(Stopped::from_word(counts.stopped));
                (fault.pe, fault.qp) = (pe.number(), self.setup.handle_of(row).raw());
                faults.push(fault);
            }
        }
        Ok(faults)
    }
}

//! Rows of queue pairs, from their creation to their end: one queue pair to each remote PE in each row.

mod connect;
mod make;

use std::ops::Range;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::queue::host::{Magic, Row, RowTable};
use oxshmem_rdma::wire::ConnectInfo;

use super::doorbell::Doorbells;
use super::host_ops::HostOps;
use super::keys::MemoryKeys;
use super::queue_pair::QueuePair;
use super::setup::Setup;
use super::tables::Tables;

/// The first bytes of the connection data; the last one is the version.
const MAGIC: Magic = *b"IBQ\x06";

/// The rows that exist, and those that are being made.
#[derive(Debug)]
pub(in crate::host) struct Rows {
    // Dropped in this order.
    pending: Option<PendingRows>,
    table: RowTable<QueuePair>,
}

/// Rows that were made and are not connected.
#[derive(Debug)]
struct PendingRows {
    first: u32,
    rows: Vec<Row<QueuePair>>,
    /// The host's own queue pairs, which are made with the default rows.
    host: Option<Row<QueuePair>>,
    info: ConnectInfo,
}

impl Rows {
    /// Returns rows for a world of `n_pes` PEs; none exists yet.
    pub(in crate::host) fn new(n_pes: u32) -> Self {
        Self { pending: None, table: RowTable::new(n_pes) }
    }

    /// Returns the rows that exist.
    pub(in crate::host) fn table(&self) -> &RowTable<QueuePair> {
        &self.table
    }

    /// Makes rows of unconnected queue pairs and returns the connection data for each PE. The default rows, from 0 on,
    /// bring along the host's own.
    ///
    /// # Errors
    /// A row exists, or a NIC refuses; the rows that were made are given back.
    pub(in crate::host) fn prepare(
        &mut self,
        setup: &Setup,
        doorbells: &mut Doorbells,
        numbers: Range<u32>,
    ) -> Result<Vec<Vec<u8>>> {
        self.pending = None;
        self.table.check_free(&numbers)?;
        let first = numbers.start;
        let rows = make::rows(setup, doorbells, first, numbers.len() as u32)?;
        let host = if first == 0 { Some(make::host_row(setup)?) } else { None };
        let qpns = |row: &Row<QueuePair>| row.iter().map(|queue| queue.as_ref().map_or(0, QueuePair::qpn)).collect();
        let nics = numbers.map(|row| setup.nic_of_row(row) as u8);
        let info = ConnectInfo {
            ports: setup.nics.iter().map(|nic| nic.port_info()).collect(),
            // The host's own queue pairs are on the first NIC.
            nics: nics.chain(host.iter().map(|_| 0)).collect(),
            qpns: rows.iter().chain(&host).map(qpns).collect(),
        };
        let messages = info.messages(MAGIC, setup.remote.len());
        self.pending = Some(PendingRows { first, rows, host, info });
        Ok(messages)
    }

    /// Connects the rows that [`prepare`](Self::prepare) made and publishes them to kernels. `theirs` is the peers'
    /// connection data for this PE, by PE.
    ///
    /// # Errors
    /// Nothing was prepared, a peer's data do not fit, there is no path to a peer, or a NIC refuses. The rows are then
    /// given back.
    pub(in crate::host) fn connect(
        &mut self,
        setup: &Setup,
        (keys, tables): (&MemoryKeys, &mut Tables),
        host_ops: &mut HostOps,
        theirs: &[Vec<u8>],
    ) -> Result<()> {
        let pending = self.pending.take().ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "connect queue pairs").because("none were prepared")
        })?;
        let states = connect::connect(setup, &pending, (keys, tables), theirs)?;
        self.table.publish(tables, pending.first, pending.rows, &states)?;
        host_ops.take(pending.host);
        Ok(())
    }

    /// Destroys rows, also those that were only prepared.
    ///
    /// # Errors
    /// The device's memory can't be written or a NIC refuses; the rows are destroyed in any case.
    pub(in crate::host) fn destroy(&mut self, tables: &mut Tables, rows: &[u32]) -> Result<()> {
        self.pending = None;
        let destroyed = |row: &u32| self.table.destroy(tables, *row, |_, queue| queue.destroy());
        rows.iter().map(destroyed).fold(Ok(()), Result::and)
    }
}

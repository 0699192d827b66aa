//! Rows of queue pairs, from their creation to their end: one queue pair to each remote PE in each row.

mod connect;
mod make;

use oxshmem_core::QpHandle;
use oxshmem_core::host::{Error, ErrorKind, QpRows, Result};
use oxshmem_raw::queue::host::{Magic, Row, RowTable};
use oxshmem_rdma::wire::ConnectInfo;

use super::doorbell::Doorbells;
use super::host_ops::HostOps;
use super::keys::MemoryKeys;
use super::queue_pair::QueuePair;
use super::setup::Setup;
use super::tables::Tables;

/// The first bytes of the connection data; the last one is the version.
const MAGIC: Magic = *b"IBQ\x05";

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
    /// Returns rows for these settings; none exists yet.
    pub(in crate::host) fn new(setup: &Setup) -> Self {
        let table = RowTable::new(setup.config.rows, setup.config.spare_rows, setup.n_pes());
        Self { pending: None, table }
    }

    /// Returns the rows that exist.
    pub(in crate::host) fn table(&self) -> &RowTable<QueuePair> {
        &self.table
    }

    /// Makes rows of unconnected queue pairs and returns the connection data for each PE.
    ///
    /// # Errors
    /// There is no room for so many rows, or a NIC refuses; the rows that were made are given back.
    pub(in crate::host) fn prepare(
        &mut self,
        setup: &Setup,
        doorbells: &mut Doorbells,
        asked: QpRows,
    ) -> Result<Vec<Vec<u8>>> {
        self.pending = None;
        let _ = self.table.take_recent();
        let (default, count) = match asked {
            QpRows::Default => (true, setup.config.rows),
            QpRows::Custom(count) => (false, count),
        };
        let first = self.table.find_free(default, count)?;
        let rows = make::rows(setup, doorbells, first, count)?;
        let host = if default { Some(make::host_row(setup)?) } else { None };
        let qpns = |row: &Row<QueuePair>| row.iter().map(|queue| queue.as_ref().map_or(0, QueuePair::qpn)).collect();
        let nics = (first..first + count).map(|row| setup.nic_of_row(row) as u8);
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

    /// Connects the rows that [`prepare`](Self::prepare) made, publishes them to kernels and returns their handles.
    /// `theirs` is the peers' connection data for this PE, by PE.
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
    ) -> Result<Vec<QpHandle>> {
        let pending = self.pending.take().ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, "connect queue pairs").because("none were prepared")
        })?;
        let handle = |row| self.table.handle(row);
        let states = connect::connect(setup, &pending, (keys, tables), handle, theirs)?;
        let handles = self.table.publish(tables, pending.first, pending.rows, &states)?;
        host_ops.take(pending.host);
        Ok(handles)
    }

    /// Gives back the rows that were prepared, or connected last, because another PE could not make or connect its own.
    pub(in crate::host) fn discard(&mut self, tables: &mut Tables) {
        self.pending = None;
        for row in self.table.take_recent() {
            // The world reports the error that led here.
            let _ = self.destroy_row(tables, row);
        }
    }

    /// Destroys a row.
    ///
    /// # Errors
    /// The device's memory can't be written or a NIC refuses; the row is destroyed in any case.
    pub(in crate::host) fn destroy(&mut self, tables: &mut Tables, row: u32) -> Result<()> {
        let _ = self.table.take_recent();
        self.destroy_row(tables, row)
    }

    fn destroy_row(&mut self, tables: &mut Tables, row: u32) -> Result<()> {
        self.table.destroy(tables, row, |_, queue| queue.destroy())
    }
}

//! Second step of making rows: the endpoints are connected, given to the proxies, and published to kernels.

use std::sync::{Arc, PoisonError};

use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::queue::host::connect_data::{malformed, no_endpoint};
use oxshmem_raw::queue::host::{Magic, PeerConnectData, Row};

use super::Ibrc;
use super::prepare_rows::PreparedRows;
use crate::host::connection::connect_event::{HOST_ROW, QueueKey, UnconnectedQueue};
use crate::host::connection::endpoint_pair::EndpointPair;
use crate::host::connection::link::Link;
use crate::host::connection::{Connection, RowQueue};
use crate::host::host_ops::HOST_OPS;
use crate::host::memory::bounce::ScratchMemory;
use crate::host::send_queue::SendQueueParams;
use crate::host::tables::QueueEntry;

/// First bytes of the announcement of endpoints; the last one is the version.
pub(super) const MAGIC: Magic = *b"IBR\x06";

impl Ibrc {
    /// Connects each prepared queue with the peer's queue of the same row, on any NIC of the peer, unless that is done
    /// at the first use, and publishes the rows. `theirs` has each PE's announcement.
    ///
    /// # Errors
    /// `Malformed` or `Mismatch`: a peer announced something else. Otherwise an endpoint can't be connected. The rows
    /// are destroyed.
    pub(super) fn connect(&mut self, prepared: PreparedRows, theirs: &[Vec<u8>]) -> Result<()> {
        // On an error the rows are dropped before the completion queues, which devices refuse to destroy earlier:
        // locals are dropped in the reverse of their order.
        let PreparedRows { cqs, first, mut rows, has_host_row, data } = prepared;
        // Called on every PE or on none, so that the number is the same on each.
        self.batch += 1;
        let peer_nics = match self.connector {
            Some(_) => vec![vec![0; self.n_pes()]; rows.len()],
            None => {
                let peer_nics = self.connect_endpoints(&rows, theirs)?;
                self.give_slots(&rows, &data.nic_of_row)?;
                peer_nics
            }
        };
        self.cqs.lock().unwrap_or_else(PoisonError::into_inner).extend(cqs);
        let states = self.serve(first, &rows, &peer_nics, has_host_row)?;
        if has_host_row {
            self.host_row = rows.pop();
        }
        self.rows.publish(&mut self.tables, first, rows, &states)
    }

    /// Connects all endpoints. Returns the number of the peer's NIC, as keys have it, by row and PE.
    fn connect_endpoints(&self, rows: &[Row<RowQueue>], theirs: &[Vec<u8>]) -> Result<Vec<Vec<u32>>> {
        let n_pes = self.n_pes();
        let mut peer_nics = vec![vec![0; n_pes]; rows.len()];
        for pe in self.assignment.remote_pes() {
            let announced = theirs.get(pe.index()).map_or(&[][..], Vec::as_slice);
            let their = PeerConnectData::decode(MAGIC, pe, announced, rows.len(), n_pes)?;
            for (number, row) in rows.iter().enumerate() {
                let mut connection = row[pe.index()].as_ref().map(RowQueue::connection);
                let Some(connection) = connection.as_mut().and_then(|connection| connection.as_mut()) else { continue };
                let remote = &their.endpoints[number];
                if remote.is_empty() {
                    return Err(no_endpoint(pe));
                }
                let remote = EndpointPair::decode(remote)
                    .ok_or_else(|| malformed(pe, "the addresses of its queue pairs have another form"))?;
                let side = usize::from(their.nic_of_row[number]);
                connection.connect(pe, &their.nics[side], &remote)?;
                peer_nics[number][pe.index()] = self.peer_nic(side, pe);
            }
        }
        Ok(peer_nics)
    }

    /// Gives each connection scratch memory for its work requests: one registration a NIC.
    fn give_slots(&self, rows: &[Row<RowQueue>], nic_of_row: &[u8]) -> Result<()> {
        for (number, registered) in self.registrations.iter().enumerate() {
            let of_nic = rows.iter().zip(nic_of_row).filter(|(_, nic)| usize::from(**nic) == number);
            let queues: Vec<&RowQueue> = of_nic.flat_map(|(row, _)| row.iter().flatten()).collect();
            let bytes = |queue: &&RowQueue| queue.connection().as_ref().map_or(0, Connection::slot_bytes);
            let total: u64 = queues.iter().map(bytes).sum();
            if total == 0 {
                continue;
            }
            let slots = Arc::new(ScratchMemory::new(&registered.nic.device, total)?);
            let mut at = slots.at();
            for queue in queues {
                if let Some(connection) = queue.connection().as_mut() {
                    connection.set_slots(&slots, at);
                    at += connection.slot_bytes();
                }
            }
        }
        Ok(())
    }

    /// Makes the proxies serve the rows. Returns the entries of kernels' tables; the host's own row is entered at once.
    fn serve(
        &self,
        first: u32,
        rows: &[Row<RowQueue>],
        peer_nics: &[Vec<u32>],
        has_host_row: bool,
    ) -> Result<Vec<(u32, Pe, QueueEntry)>> {
        let mut added: Vec<Vec<_>> = self.proxies.iter().map(|_| Vec::new()).collect();
        let (mut entries, mut host_entries, mut unconnected) = (Vec::new(), Vec::new(), Vec::new());
        for ((index, row), peer_nics) in (0..).zip(rows).zip(peer_nics) {
            let is_host_row = has_host_row && index as usize + 1 == rows.len();
            let row_number = first + index;
            for (pe, queue) in (0..).map(Pe::new).zip(row) {
                let Some(queue) = queue else { continue };
                let nic = self.assignment.nic_of(row_number, is_host_row);
                let proxy = self.assignment.proxy_of(nic, row_number, pe);
                let (number, progress) = match is_host_row {
                    true => (HOST_OPS + pe.number(), self.host_ops.tables.progress_at(pe.number())),
                    false => {
                        let number = self.queue_number(row_number, pe);
                        (number, self.tables.progress_at(number))
                    }
                };
                let caps = &self.registrations[nic].nic.caps;
                let link = queue.connection().as_ref().and_then(|connection| connection.link(peer_nics[pe.index()]));
                let key = QueueKey { row: if is_host_row { HOST_ROW } else { row_number }, pe, batch: self.batch };
                if link.is_none() {
                    unconnected.push(UnconnectedQueue { key, nic, proxy, number, queue: queue.clone() });
                }
                let params = SendQueueParams {
                    number,
                    // A proxy's first ring is for kernels, its second for this process.
                    ring: usize::from(is_host_row),
                    progress,
                    unconnected: link.is_none().then_some(key),
                    link: link.unwrap_or(Link::NONE),
                    atomics: caps.atomics,
                    ordered: caps.ordered,
                    empty_fetches: self.registrations[nic].nic.empty_fetches,
                };
                added[proxy].push((params, queue.counts.clone()));
                let handle = if is_host_row { 0 } else { self.handle_of(row_number).raw() };
                let entry = QueueEntry { number, ring: proxy as u32, handle };
                match is_host_row {
                    true => host_entries.push((pe, entry)),
                    false => entries.push((row_number, pe, entry)),
                }
            }
        }
        // A proxy serves a queue before any thread can write requests for it.
        for (proxy, added) in self.proxies.iter().zip(added) {
            if let Some((params, _)) = added.first() {
                proxy.add(params.link.cq, added)?;
            }
        }
        // The connector gets a queue after its proxy has it, and before a peer can request its connection.
        self.connector.iter().for_each(|connector| connector.add(std::mem::take(&mut unconnected)));
        for (pe, entry) in host_entries {
            self.host_ops.tables.write_queue(0, pe.number(), &entry)?;
        }
        Ok(entries)
    }

    /// Destroys rows. Returns the first error; the rows are destroyed in any case.
    pub(super) fn destroy(&mut self, rows: &[u32]) -> Result<()> {
        if let Some(connector) = &self.connector {
            connector.forget(rows.iter().copied().collect());
        }
        let Self { assignment, proxies, tables, .. } = self;
        let n_pes = assignment.remote.len() as u32;
        let mut gone = Ok(());
        for &row in rows {
            let destroyed = self.rows.destroy(tables, row, |pe, connection| {
                let proxy = assignment.proxy_of(assignment.nic_of(row, false), row, pe);
                // A proxy that has ended serves no queue.
                let _ = proxies[proxy].remove(vec![row * n_pes + pe.number()]);
                drop(connection);
                Ok(())
            });
            gone = gone.and(destroyed);
        }
        gone
    }
}

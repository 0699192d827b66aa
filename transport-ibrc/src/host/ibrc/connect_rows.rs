//! Second step of making rows: the endpoints are connected, given to the proxies, and published to kernels.

use std::collections::HashSet;
use std::sync::Arc;

use oxshmem_core::host::Result;
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::fabric::{Endpoint, PeerAddress};
use oxshmem_raw::queue::host::connect_data::{malformed, no_endpoint};
use oxshmem_raw::queue::host::{ConnectData, Magic, PeerConnectData, Row};

use super::Ibrc;
use super::connection::{Connection, PreparedRows};
use super::endpoint_pair::EndpointPair;
use crate::host::host_ops::HOST_OPS;
use crate::host::memory::bounce::{SLOT_BYTES, ScratchMemory};
use crate::host::send_queue::SendQueueParams;
use crate::host::tables::QueueEntry;

/// First bytes of the announcement of endpoints; the last one is the version.
pub(super) const MAGIC: Magic = *b"IBR\x05";

impl Ibrc {
    /// Connects each prepared queue with the peer's queue of the same row, on any NIC of the peer, and
    /// publishes the rows. `theirs` has each PE's announcement.
    ///
    /// # Errors
    /// `Malformed` or `Mismatch`: a peer announced something else. Otherwise an endpoint can't be connected. The rows
    /// are destroyed.
    pub(super) fn connect(&mut self, prepared: PreparedRows, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        // On an error the rows are dropped before the completion queues, which devices refuse to destroy earlier: locals
        // are dropped in the reverse of their order.
        let PreparedRows { cqs, first, mut rows, has_host_row, data } = prepared;
        let peer_nics = self.connect_endpoints(&mut rows, &data, theirs)?;
        self.give_slots(&mut rows, &data.nic_of_row)?;
        self.cqs.extend(cqs);
        let states = self.serve(first, &rows, &peer_nics, has_host_row)?;
        if has_host_row {
            self.host_row = rows.pop();
        }
        self.rows.publish(&mut self.tables, first, rows, &states)
    }

    /// Connects all endpoints. Returns the number of the peer's NIC, as keys have it, by row and PE.
    fn connect_endpoints(
        &self,
        rows: &mut [Row<Connection>],
        data: &ConnectData,
        theirs: &[Vec<u8>],
    ) -> Result<Vec<Vec<u32>>> {
        let n_pes = self.n_pes();
        let mut peer_nics = vec![vec![0; n_pes]; rows.len()];
        for pe in self.assignment.remote_pes() {
            let announced = theirs.get(pe.index()).map_or(&[][..], Vec::as_slice);
            let their = PeerConnectData::decode(MAGIC, pe, announced, rows.len(), n_pes)?;
            for (number, row) in rows.iter_mut().enumerate() {
                let Some(connection) = &mut row[pe.index()] else { continue };
                let remote = &their.endpoints[number];
                if remote.is_empty() {
                    return Err(no_endpoint(pe));
                }
                let remote = EndpointPair::decode(remote)
                    .ok_or_else(|| malformed(pe, "the addresses of its queue pairs have another form"))?;
                let side = usize::from(their.nic_of_row[number]);
                let device = &self.registrations[usize::from(data.nic_of_row[number])].nic.device;
                let connect = |endpoint: Endpoint, address: &[u8]| {
                    let to = PeerAddress { pe, device: &their.nics[side], endpoint: address };
                    device.connect(endpoint.handle, &to).map_err(|error| error.about(pe))
                };
                connect(connection.endpoint, &remote.main)?;
                // If the peer has no endpoint for fetches, fetches share the other endpoint with writes, and each is
                // posted when earlier writes are complete.
                match &remote.fetch {
                    None => connection.drop_fetch_endpoint(),
                    Some(remote) => connection.fetch_endpoint.map_or(Ok(()), |endpoint| connect(endpoint, remote))?,
                }
                peer_nics[number][pe.index()] = self.peer_nic(side, pe);
            }
        }
        Ok(peer_nics)
    }

    /// Gives each connection scratch memory for its work requests: one registration a NIC.
    fn give_slots(&self, rows: &mut [Row<Connection>], nic_of_row: &[u8]) -> Result<()> {
        for (number, registered) in self.registrations.iter().enumerate() {
            let of_nic = rows.iter_mut().zip(nic_of_row).filter(|(_, nic)| usize::from(**nic) == number);
            let mut connections: Vec<&mut Connection> = of_nic.flat_map(|(row, _)| row.iter_mut().flatten()).collect();
            let bytes = |connection: &Connection| SLOT_BYTES * u64::from(connection.endpoint.depth);
            let total: u64 = connections.iter().map(|connection| bytes(connection)).sum();
            if total == 0 {
                continue;
            }
            let slots = Arc::new(ScratchMemory::new(&registered.nic.device, total)?);
            let mut at = slots.at();
            for connection in &mut connections {
                connection.slots = Some((slots.clone(), at));
                at += bytes(connection);
            }
        }
        Ok(())
    }

    /// Makes the proxies serve the rows. Returns the entries of kernels' tables; the host's own row is entered at once.
    fn serve(
        &self,
        first: u32,
        rows: &[Row<Connection>],
        peer_nics: &[Vec<u32>],
        has_host_row: bool,
    ) -> Result<Vec<(u32, Pe, QueueEntry)>> {
        let mut added: Vec<Vec<_>> = self.proxies.iter().map(|_| Vec::new()).collect();
        let (mut entries, mut host_entries) = (Vec::new(), Vec::new());
        for ((index, row), peer_nics) in (0..).zip(rows).zip(peer_nics) {
            let is_host_row = has_host_row && index as usize + 1 == rows.len();
            let row_number = first + index;
            for (pe, connection) in (0..).map(Pe::new).zip(row) {
                let Some(connection) = connection else { continue };
                let Some((slots, at)) = &connection.slots else { continue };
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
                let params = SendQueueParams {
                    number,
                    peer: peer_nics[pe.index()],
                    // A proxy's first ring is for kernels, its second for this process.
                    ring: usize::from(is_host_row),
                    progress,
                    endpoint: connection.endpoint,
                    fetch_endpoint: connection.fetch_endpoint,
                    cq: connection.cq,
                    slots: *at,
                    slots_local: slots.local_address(*at),
                    slots_key: slots.key(),
                    atomics: caps.atomics,
                    ordered: caps.ordered,
                    empty_fetches: self.registrations[nic].nic.empty_fetches,
                };
                added[proxy].push((params, connection.counts.clone()));
                let handle = if is_host_row { 0 } else { self.rows.handle(row_number) };
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
                proxy.add(params.cq, added)?;
            }
        }
        for (pe, entry) in host_entries {
            self.host_ops.tables.write_queue(0, pe.number(), &entry)?;
        }
        Ok(entries)
    }

    /// Destroys rows. Returns the first error; the rows are destroyed in any case.
    pub(super) fn destroy(&mut self, rows: HashSet<u32>) -> Result<()> {
        let Self { assignment, proxies, tables, .. } = self;
        let n_pes = assignment.remote.len() as u32;
        let mut gone = Ok(());
        for row in rows {
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

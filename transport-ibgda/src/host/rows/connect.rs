//! Connects rows of queue pairs with the peers' rows of the same numbers.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::state::QueueState;
use oxshmem_core::Pe;
use oxshmem_core::host::Result;
use oxshmem_raw::queue::host::connect_data;
use oxshmem_rdma::devx_qp::PeerPath;
use oxshmem_rdma::wire::PeerConnectInfo;

use super::{MAGIC, PendingRows};
use crate::host::keys::MemoryKeys;
use crate::host::queue_pair::QueueRole;
use crate::host::setup::Setup;
use crate::host::tables::Tables;

/// Connects each pending queue pair with the peer's of the same row, on any NIC of the peer. Returns the table
/// entries of the rows, but not of the host's own queue pairs.
///
/// # Errors
/// As [`Rows::connect`](super::Rows::connect).
pub(super) fn connect(
    setup: &Setup,
    pending: &PendingRows,
    (keys, tables): (&MemoryKeys, &Tables),
    theirs: &[Vec<u8>],
) -> Result<Vec<(u32, Pe, QueueState)>> {
    let PendingRows { first, rows, host, info } = pending;
    let mut peers = Vec::new();
    for pe in setup.remote_pes() {
        let sent = theirs.get(pe.index()).map_or(&[][..], Vec::as_slice);
        peers.push((pe, PeerConnectInfo::decode(MAGIC, pe, sent, info.qpns.len(), setup.remote.len())?));
    }
    // By PE, and the NICs at both ends.
    let mut paths: HashMap<(Pe, usize, usize), PeerPath> = HashMap::new();
    let mut states = Vec::new();
    for (index, row) in rows.iter().chain(host).enumerate() {
        let is_host = index == rows.len();
        for (pe, their) in &peers {
            let Some(queue) = &row[pe.index()] else { continue };
            let (local, peer_nic) = (usize::from(info.nics[index]), usize::from(their.nics[index]));
            let port = setup.nics[local].local_port(&setup.config);
            let path = match paths.entry((*pe, local, peer_nic)) {
                Entry::Occupied(path) => path.into_mut(),
                Entry::Vacant(none) => {
                    let (mine, theirs) = (&info.ports[local], &their.ports[peer_nic]);
                    none.insert(PeerPath::find(&port, (setup.me, mine), (*pe, theirs))?)
                }
            };
            let remote_qpn = their.qpns[index];
            if remote_qpn == 0 {
                return Err(connect_data::no_endpoint(*pe));
            }
            queue.connect(&setup.config, &path.params(&port, queue.qpn(), remote_qpn))?;
            if !is_host {
                let row = first + index as u32;
                let role = QueueRole {
                    pe: *pe,
                    handle: setup.handle_of(row).raw(),
                    first: keys.first(*pe, local, peer_nic),
                    keys: tables.nic(local, peer_nic),
                    world: tables.world,
                    host_payload: keys.has_host_buffers(),
                };
                states.push((row, *pe, queue.state(&setup.memory, &setup.config, role)?));
            }
        }
    }
    Ok(states)
}

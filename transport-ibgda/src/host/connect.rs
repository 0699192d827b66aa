//! How rows of queues come into being: made on each PE, then connected by what all have said.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::rdma::wire::{ConnectInfo, Magic};

use super::config::Buffers;
use super::control::Control;
use super::ibgda::Ibgda;
use super::nic::Nic;
use super::queue::{Queue, Role};
use super::route::Route;
use super::rows::Row;
use super::twin::Twin;

/// What the bytes of a card begin with; the last one is the version.
pub(super) const MAGIC: Magic = *b"IBQ\x03";

/// Blocks of the host's own queues, on which few operations are outstanding.
const HOST_DEPTH: u32 = 128;

/// Rows that were made and are not connected.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) first: u32,
    pub(super) rows: Vec<Row>,
    /// The host's own queues, made with the default rows.
    pub(super) host: Option<Row>,
    pub(super) card: ConnectInfo,
}

impl Ibgda {
    /// The NIC of a row, by number: rows take turns.
    pub(super) fn nic_of(&self, row: u32) -> usize {
        row as usize % self.nics.len()
    }

    /// Makes `count` rows of unconnected queues, the first of which will have number `first`.
    pub(super) fn make(&mut self, first: u32, count: u32) -> Result<Vec<Row>> {
        let (far, n_pes): (Vec<Pe>, usize) = (self.far().collect(), self.far.len());
        let mut rows: Vec<Row> = (0..count).map(|_| empty_row(n_pes)).collect();
        if far.is_empty() {
            return Ok(rows);
        }
        for (local, nic) in self.nics.clone().iter().enumerate() {
            let of_nic = (0..count).filter(|index| self.nic_of(first + index) == local).map(|index| index as usize);
            let of_nic: Vec<usize> = of_nic.collect();
            let mut made = self.make_on(nic, of_nic.len() * far.len())?.into_iter();
            for index in of_nic {
                far.iter().zip(&mut made).for_each(|(pe, queue)| rows[index][pe.index()] = Some(queue));
            }
        }
        Ok(rows)
    }

    /// Makes so many unconnected queues on a NIC.
    fn make_on(&mut self, nic: &Arc<Nic>, queues: usize) -> Result<Vec<Queue>> {
        if queues == 0 {
            return Ok(Vec::new());
        }
        let depth = self.config.depth;
        if self.config.verbs_twin {
            let twins = (0..queues).map(|_| Twin::new(nic, depth)).collect::<Result<Vec<_>>>()?;
            let depth = twins.iter().map(|twin| twin.made.sq_blocks).max().unwrap_or(depth);
            let control = Control::new(nic, &self.memory, Buffers::Host, queues, depth)?;
            let queue = |(index, twin)| Queue::of_twin(nic, &control, index, twin, &mut self.bells);
            return twins.into_iter().enumerate().map(queue).collect();
        }
        let eqn = nic.hca.query_eqn()?;
        let control = Control::new(nic, &self.memory, self.config.buffers, queues, depth)?;
        let queue = |index| Queue::new(nic, &control, index, depth, eqn, Some(&mut self.bells));
        (0..queues).map(queue).collect()
    }

    /// Makes the host's own queues, on the first NIC.
    pub(super) fn make_own(&self) -> Result<Row> {
        let far: Vec<Pe> = self.far().collect();
        let mut row = empty_row(self.far.len());
        if far.is_empty() {
            return Ok(row);
        }
        let nic = &self.nics[0];
        let eqn = nic.hca.query_eqn()?;
        let control = Control::new(nic, &self.memory, Buffers::Host, far.len(), HOST_DEPTH)?;
        for (index, pe) in far.iter().enumerate() {
            row[pe.index()] = Some(Queue::new(nic, &control, index, HOST_DEPTH, eqn, None)?);
        }
        Ok(row)
    }

    /// Connects all that is pending: each queue with the peer's of the same row, on whichever NIC the peer has it.
    pub(super) fn connect(&mut self, pending: Pending, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        let Pending { first, rows, host, card } = pending;
        let n_pes = self.far.len();
        let mut their_cards = Vec::new();
        for pe in self.far() {
            let said = theirs.get(pe.index()).map_or(&[][..], Vec::as_slice);
            their_cards.push((pe, ConnectInfo::decode(MAGIC, pe, said, card.qpns.len(), n_pes)?));
        }
        // By PE, and the NICs at both ends.
        let mut ways: HashMap<(Pe, usize, usize), Route<'_>> = HashMap::new();
        let mut states = Vec::new();
        for (number, row) in rows.iter().chain(&host).enumerate() {
            let is_own = number == rows.len();
            for (pe, their) in &their_cards {
                let Some(queue) = &row[pe.index()] else { continue };
                let (local, side) = (usize::from(card.nics[number]), usize::from(their.nics[number]));
                let way = match ways.entry((*pe, local, side)) {
                    Entry::Occupied(way) => way.into_mut(),
                    Entry::Vacant(none) => {
                        let (mine, theirs) = (&card.ports[local], &their.ports[side]);
                        none.insert(Route::find(&self.nics[local], &self.config, (self.me, mine), (*pe, theirs))?)
                    }
                };
                let remote_qpn = their.qpns[number][self.me.index()];
                if remote_qpn == 0 {
                    return Err(Error::new(ErrorKind::Mismatch, format!("connect queue pairs with {pe}"))
                        .because("it has none to this PE: it reaches it otherwise")
                        .about(*pe)
                        .hint("the settings of both PEs must be the same"));
                }
                queue.connect(&self.config, &way.link(queue.qpn(), remote_qpn))?;
                if !is_own {
                    let handle = self.rows.handle(first + number as u32);
                    let (first, keys) = (self.keys.first(*pe, local, side), self.tables.nic(local, side));
                    let role = Role { pe: *pe, handle, first, keys, world: self.tables.world(), wide: self.wide };
                    states.push(queue.state(&self.memory, &self.config, role)?);
                }
            }
        }
        let per_row = their_cards.len();
        drop(ways);
        let count = rows.len() as u32;
        self.rows.publish(&mut self.tables, first, rows, &states, per_row)?;
        self.recent = first..first + count;
        let mut poster = self.poster();
        for (pe, queue) in (0..).map(Pe::new).zip(host.into_iter().flatten()) {
            if let Some(queue) = queue {
                poster.add(pe, queue);
            }
        }
        drop(poster);
        Ok((first..first + count).map(|row| QpHandle::from_raw(self.rows.handle(row))).collect())
    }
}

fn empty_row(n_pes: usize) -> Row {
    (0..n_pes).map(|_| None).collect()
}

//! How rows of queues come into being: made on each PE, then connected by what all have said.

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};

use super::config::Buffers;
use super::control::Control;
use super::exchange::Card;
use super::ibgda::Ibgda;
use super::queue::{Queue, Role};
use super::route::Way;
use super::rows::Row;
use super::twin::Twin;

/// Blocks of the host's own queues, on which few operations are outstanding.
const HOST_DEPTH: u32 = 128;

/// Rows that were made and are not connected.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) first: u32,
    pub(super) rows: Vec<Row>,
    /// The host's own queues, made with the default rows.
    pub(super) host: Option<Row>,
    pub(super) card: Card,
}

impl Ibgda {
    /// Makes `count` rows of unconnected queues.
    pub(super) fn make(&mut self, count: usize) -> Result<Vec<Row>> {
        let far: Vec<Pe> = self.far().collect();
        let queues = count * far.len();
        let eqn = self.nic.hca.query_eqn()?;
        let mut rows = Vec::with_capacity(count);
        if queues == 0 {
            rows.resize_with(count, || empty_row(self.far.len()));
            return Ok(rows);
        }
        let (nic, n_pes) = (&self.nic, self.far.len());
        let mut made = if self.config.verbs_twin {
            let twins = (0..queues).map(|_| Twin::new(nic, self.config.depth)).collect::<Result<Vec<_>>>()?;
            let depth = twins.iter().map(|twin| twin.made.sq_blocks).max().unwrap_or(self.config.depth);
            let control = Control::new(nic, &self.memory, Buffers::Host, queues, depth)?;
            let queue = |(index, twin)| Queue::of_twin(nic, &control, index, twin, &mut self.bells);
            twins.into_iter().enumerate().map(queue).collect::<Result<Vec<_>>>()?
        } else {
            let depth = self.config.depth;
            let control = Control::new(nic, &self.memory, self.config.buffers, queues, depth)?;
            let queue = |index| Queue::new(nic, &control, index, depth, eqn, Some(&mut self.bells));
            (0..queues).map(queue).collect::<Result<Vec<_>>>()?
        }
        .into_iter();
        for _ in 0..count {
            let mut row = empty_row(n_pes);
            far.iter().zip(&mut made).for_each(|(pe, queue)| row[pe.index()] = Some(queue));
            rows.push(row);
        }
        Ok(rows)
    }

    /// Makes the host's own queues.
    pub(super) fn make_own(&self) -> Result<Row> {
        let far: Vec<Pe> = self.far().collect();
        let mut row = empty_row(self.far.len());
        if far.is_empty() {
            return Ok(row);
        }
        let eqn = self.nic.hca.query_eqn()?;
        let control = Control::new(&self.nic, &self.memory, Buffers::Host, far.len(), HOST_DEPTH)?;
        for (index, pe) in far.iter().enumerate() {
            row[pe.index()] = Some(Queue::new(&self.nic, &control, index, HOST_DEPTH, eqn, None)?);
        }
        Ok(row)
    }

    /// Connects all that is pending.
    pub(super) fn connect(&mut self, pending: Pending, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        let Pending { first, rows, host, card } = pending;
        let n_pes = self.far.len();
        let mut states = Vec::new();
        let mut ways = Vec::new();
        for pe in self.far() {
            let said = theirs.get(pe.index()).map_or(&[][..], Vec::as_slice);
            let their = Card::decode(pe, said, card.qpns.len(), n_pes)?;
            let way = Way::find(&self.nic, &self.config, (self.me, &card), (pe, &their))?;
            ways.push((pe, their, way));
        }
        for (number, row) in rows.iter().chain(&host).enumerate() {
            let is_own = number == rows.len();
            for (pe, their, way) in &ways {
                let Some(queue) = &row[pe.index()] else { continue };
                let remote_qpn = their.qpns[number][self.me.index()];
                if remote_qpn == 0 {
                    return Err(Error::new(ErrorKind::Mismatch, format!("connect queue pairs with {pe}"))
                        .because("it has none to this PE: it reaches it otherwise")
                        .about(*pe)
                        .hint("the settings of both PEs must be the same"));
                }
                let link = way.link(queue.qpn(), remote_qpn);
                queue.connect(&self.nic, &self.config, &link)?;
                if !is_own {
                    let handle = self.rows.handle(first + number as u32);
                    let (first, world) = (self.keys.first(*pe), self.tables.world());
                    let role = Role { pe: *pe, handle, first, world, wide: self.wide };
                    states.push(queue.state(&self.nic, &self.memory, &self.config, role)?);
                }
            }
        }
        let per_row = ways.len();
        drop(ways);
        let handles = (0..rows.len() as u32).map(|row| QpHandle::from_raw(self.rows.handle(first + row))).collect();
        self.recent = first..first + rows.len() as u32;
        self.rows.publish(&self.tables, first, rows, &states, per_row)?;
        let mut poster = self.poster();
        for (pe, queue) in (0..).map(Pe::new).zip(host.into_iter().flatten()) {
            if let Some(queue) = queue {
                poster.add(pe, queue);
            }
        }
        Ok(handles)
    }
}

fn empty_row(n_pes: usize) -> Row {
    (0..n_pes).map(|_| None).collect()
}

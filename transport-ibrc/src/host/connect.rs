//! How rows of queue pairs come into being: made on each PE, then connected by what all have said.

use std::collections::HashSet;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::hca::Handle;
use oxshmem_raw::rc::{INLINE_BYTES, RcDevice, RcQp, RcQpAsk};
use oxshmem_raw::state::nic::{FIRST_CUSTOM, QueueState};

use super::card::Card;
use super::counts::Counts;
use super::ibrc::Ibrc;
use super::lane::LaneAt;
use super::own::OWN;
use super::scratch::{SLOT_BYTES, Scratch};

/// A queue pair, destroyed with it.
#[derive(Debug)]
pub(super) struct Qp {
    device: Arc<dyn RcDevice>,
    pub(super) qp: RcQp,
    pub(super) cq: Handle,
    pub(super) counts: Arc<Counts>,
    /// What its work requests use; it goes after the queue pair.
    slots: Option<(Arc<Scratch>, u64)>,
}

impl Drop for Qp {
    fn drop(&mut self) {
        // Nobody could do anything about it; what was not given back goes with the device.
        let _ = self.device.destroy_qp(self.qp.handle);
    }
}

/// The queue pairs of a row, by PE; none to a PE that is reached otherwise.
pub(super) type Row = Vec<Option<Qp>>;

/// Rows that were made and are not connected.
#[derive(Debug)]
pub(super) struct Pending {
    first: u32,
    /// The last is the host's own, if these are the default ones.
    rows: Vec<Row>,
    has_own: bool,
    card: Card,
}

impl Ibrc {
    /// Which proxy serves the queue.
    fn proxy_of(&self, row: u32, pe: Pe) -> usize {
        (row as usize * self.far.len() + pe.index()) % self.proxies.len()
    }

    /// Makes unconnected rows; `default`: the first ones, and the host's own.
    pub(super) fn make(&mut self, default: bool, count: u32) -> Result<Pending> {
        let first = self.free_rows(default, count)?;
        let total = count + u32::from(default);
        let caps = self.nic.caps;
        let depth = self.config.depth.min(caps.max_qp_wr);
        let mut load = vec![0u32; self.proxies.len()];
        for row in first..first + total {
            self.far().for_each(|pe| load[self.proxy_of(row, pe)] += 1);
        }
        let mut cqs = Vec::new();
        for queues in load {
            let entries = queues * depth;
            if entries > caps.max_cqe {
                return Err(Error::new(ErrorKind::Exhausted, "create the completion queue of a proxy")
                    .amount(entries.into(), caps.max_cqe.into(), "entries")
                    .hint("ask for shallower queue pairs, fewer at once, or more proxies"));
            }
            // (A proxy without a queue here has no completions.)
            cqs.push(if queues == 0 { Handle(0) } else { self.nic.device.create_cq(entries)? });
        }
        self.cqs.extend(cqs.iter().copied().filter(|cq| cq.0 != 0));
        let mut rows = Vec::new();
        for row in first..first + total {
            let mut made: Row = (0..self.far.len()).map(|_| None).collect();
            for pe in self.far() {
                let cq = cqs[self.proxy_of(row, pe)];
                let ask = RcQpAsk { send_wr: depth, inline_bytes: INLINE_BYTES as u32 };
                let mut qp = self.nic.device.create_qp(self.nic.pd, cq, &ask)?;
                // A queue pair may have more room than was asked for. When it stops, all that is on it completes, and for no
                // more than this there is room where completions come.
                qp.send_wr = qp.send_wr.min(depth);
                let device = self.nic.device.clone();
                made[pe.index()] = Some(Qp { device, qp, cq, counts: Arc::default(), slots: None });
            }
            rows.push(made);
        }
        let numbers = |row: &Row| row.iter().map(|qp| qp.as_ref().map_or(0, |qp| qp.qp.qpn)).collect();
        let card = Card {
            link: self.nic.port.link,
            mtu: self.nic.port.active_mtu,
            rd_atomic: caps.max_rd_atom_responder,
            lid: self.nic.port.lid,
            gid: self.nic.gid.map_or([0; 16], |gid| gid.raw),
            qpns: rows.iter().map(numbers).collect(),
        };
        Ok(Pending { first, rows, has_own: default, card })
    }

    pub(super) fn card(pending: &Pending) -> Vec<u8> {
        pending.card.encode()
    }

    /// Connects all that is pending, and gives it to the proxies and to kernels.
    pub(super) fn connect(&mut self, pending: Pending, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        let Pending { first, mut rows, has_own, card } = pending;
        let n_pes = self.far.len();
        for pe in self.far() {
            let said = theirs.get(pe.index()).map_or(&[][..], Vec::as_slice);
            let their = Card::decode(pe, said, card.qpns.len(), n_pes)?;
            for (row, qpns) in rows.iter().zip(&their.qpns) {
                let Some(qp) = &row[pe.index()] else { continue };
                let remote = qpns[self.me.index()];
                if remote == 0 {
                    return Err(Error::new(ErrorKind::Mismatch, format!("connect queue pairs with {pe}"))
                        .because("it has none to this PE: it reaches it otherwise")
                        .about(pe)
                        .hint("the settings of both PEs must be the same"));
                }
                self.nic.device.connect(qp.qp.handle, &self.nic.toward(&self.config, pe, &their, remote)?)?;
            }
        }
        let places: u64 = rows.iter().flatten().flatten().map(|qp| u64::from(qp.qp.send_wr)).sum();
        if places > 0 {
            let slots = Arc::new(Scratch::new(&self.nic.device, self.nic.pd, SLOT_BYTES * places)?);
            let mut at = slots.at();
            for qp in rows.iter_mut().flatten().flatten() {
                qp.slots = Some((slots.clone(), at));
                at += SLOT_BYTES * u64::from(qp.qp.send_wr);
            }
        }
        let count = rows.len() as u32 - u32::from(has_own);
        self.serve(first, &rows, has_own)?;
        if has_own {
            self.own_row = rows.pop();
        }
        let handles = (first..first + count).map(|row| QpHandle::from_raw(self.handle(row))).collect();
        self.recent = first..first + count;
        let end = (first + count) as usize;
        if self.rows.len() < end {
            self.rows.resize_with(end, || None);
        }
        for (place, row) in self.rows[first as usize..].iter_mut().zip(rows) {
            *place = Some(row);
        }
        self.tables.publish_rows(self.rows.len() as u32)?;
        Ok(handles)
    }

    /// Lets the proxies serve rows that are connected, and then kernels ask them.
    fn serve(&self, first: u32, rows: &[Row], has_own: bool) -> Result<()> {
        let mut lanes: Vec<Vec<_>> = self.proxies.iter().map(|_| Vec::new()).collect();
        let mut queues = Vec::new();
        for (index, row) in (0..).zip(rows) {
            let is_own = has_own && index as usize + 1 == rows.len();
            for (pe, qp) in (0..).map(Pe::new).zip(row) {
                let Some(qp) = qp else { continue };
                let Some((slots, at)) = &qp.slots else { continue };
                let proxy = self.proxy_of(first + index, pe);
                let number = (first + index) * self.far.len() as u32 + pe.number();
                let (name, tables, told) = match is_own {
                    true => (OWN + pe.number(), &self.own.tables, self.own.tables.told_at(pe.number())),
                    false => (number, &self.tables, self.tables.told_at(number)),
                };
                let at = LaneAt {
                    number: name,
                    pe: pe.number(),
                    // A proxy's first ring is that of kernels, its second that of this process.
                    ring: usize::from(is_own),
                    told,
                    qp: qp.qp,
                    cq: qp.cq,
                    slots: *at,
                    slots_lkey: slots.lkey(),
                };
                lanes[proxy].push((at, qp.counts.clone()));
                let (row, handle) = if is_own { (0, 0) } else { (first + index, self.handle(first + index)) };
                queues.push((tables, row, pe.number(), name, proxy as u32, handle));
            }
        }
        for (proxy, lanes) in self.proxies.iter().zip(lanes) {
            if let Some((at, _)) = lanes.first() {
                proxy.add(at.cq, lanes)?;
            }
        }
        queues
            .into_iter()
            .try_for_each(|(tables, row, pe, name, ring, handle)| tables.set_queue(row, pe, name, ring, handle))
    }

    /// Where `count` rows one behind the other are free.
    fn free_rows(&self, default: bool, count: u32) -> Result<u32> {
        let action = || format!("create {count} queue pairs");
        if default {
            return match self.rows.first() {
                None => Ok(0),
                Some(_) => Err(Error::new(ErrorKind::InvalidArgument, action())
                    .because("the default queue pairs are there already")),
            };
        }
        let capacity = self.config.rows + self.config.spare_rows;
        let is_free = |row: u32| self.rows.get(row as usize).is_none_or(Option::is_none);
        let last = capacity.checked_sub(count);
        let found = last.and_then(|last| (self.config.rows..=last).find(|&first| (first..first + count).all(is_free)));
        found.ok_or_else(|| {
            let free = (self.config.rows..capacity).filter(|&row| is_free(row)).count() as u64;
            Error::new(ErrorKind::Exhausted, action())
                .amount(count.into(), free, "queue pairs")
                .hint("raise OXSHMEM_IBGDA_SPARE_ROWS, or destroy what is not needed")
        })
    }

    /// The handle of a row.
    pub(super) fn handle(&self, row: u32) -> i32 {
        match row.checked_sub(self.config.rows) {
            None => QueueState::DEFAULT_RAW,
            Some(custom) => FIRST_CUSTOM + (custom * self.far.len() as u32) as i32,
        }
    }

    /// The row of a custom handle that is there.
    pub(super) fn row_of(&self, handle: QpHandle) -> Result<u32> {
        let n_pes = self.far.len() as u32;
        let number = handle.raw().checked_sub(FIRST_CUSTOM).and_then(|number| u32::try_from(number).ok());
        let row = number.filter(|number| number.is_multiple_of(n_pes)).map(|number| self.config.rows + number / n_pes);
        row.filter(|&row| matches!(self.rows.get(row as usize), Some(Some(_)))).ok_or_else(|| {
            Error::new(ErrorKind::InvalidArgument, format!("destroy queue pair {}", handle.raw()))
                .because("it is not a queue pair of this world, or was destroyed already")
        })
    }

    /// Destroys rows.
    pub(super) fn destroy(&mut self, rows: HashSet<u32>) -> Result<()> {
        let mut gone = Ok(());
        for row in rows {
            let Some(qps) = self.rows.get_mut(row as usize).and_then(Option::take) else { continue };
            for (pe, qp) in (0..).map(Pe::new).zip(qps) {
                if qp.is_none() {
                    continue;
                }
                let number = row * self.far.len() as u32 + pe.number();
                gone = gone.and(self.tables.clear_queue(row, pe.number()));
                // A proxy that is gone serves nobody.
                let _ = self.proxies[self.proxy_of(row, pe)].remove(vec![number]);
                drop(qp);
            }
        }
        let used = self.rows.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.rows.truncate(used);
        gone.and(self.tables.publish_rows(used as u32))
    }
}

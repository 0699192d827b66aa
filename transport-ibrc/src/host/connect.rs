//! How rows of queue pairs come into being: made on each PE, then connected by what all have said.

use std::collections::HashSet;
use std::sync::Arc;

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_core::{Pe, QpHandle};
use oxshmem_raw::queue::rows::FIRST_CUSTOM;
use oxshmem_raw::rdma::hca::Handle;
use oxshmem_raw::rdma::rc::{INLINE_BYTES, RcDevice, RcQp, RcQpAsk};
use oxshmem_raw::rdma::wire::{ConnectInfo, Magic, PathInfo};

use super::book::Book;
use super::counts::Counts;
use super::ibrc::Ibrc;
use super::lane::LaneAt;
use super::nic::Nic;
use super::own::OWN;
use super::scratch::{SLOT_BYTES, Scratch};

/// What the bytes of a card begin with; the last one is the version.
const MAGIC: Magic = *b"IBR\x03";

/// What to do where queue pairs can't be made.
pub(super) const HINT_OF_QPS: &str = "fewer (OXSHMEM_IBGDA_NUM_RC_PER_PE) or shallower ones (OXSHMEM_QP_DEPTH) take less; \
    their memory counts for `ulimit -l`, and the device may be shared with other programs";

/// A queue pair, destroyed with it.
#[derive(Debug)]
pub(super) struct Qp {
    device: Arc<dyn RcDevice>,
    pub(super) qp: RcQp,
    /// Another one, for fetches, where they must not go beside writes.
    pub(super) apart: Option<RcQp>,
    pub(super) cq: Handle,
    pub(super) counts: Arc<Counts>,
    /// What its work requests use; it goes after the queue pair.
    slots: Option<(Arc<Scratch>, u64)>,
}

impl Qp {
    fn drop_apart(&mut self) {
        // What was not given back goes with the device.
        self.apart.take().map(|apart| self.device.destroy_qp(apart.handle));
    }
}

impl Drop for Qp {
    fn drop(&mut self) {
        // Nobody could do anything about it; what was not given back goes with the device.
        let _ = self.device.destroy_qp(self.qp.handle);
        self.drop_apart();
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
    /// They go after the queue pairs.
    cqs: Cqs,
    has_own: bool,
    card: ConnectInfo,
    /// The same rows' queue pairs for fetches.
    apart: ConnectInfo,
}

/// Completion queues and whose they are, by proxy and destroyed with it; 0 is none.
#[derive(Debug, Default)]
pub(super) struct Cqs(Vec<(Arc<Nic>, Handle)>);

impl Cqs {
    fn of_proxy(&self, proxy: usize) -> Handle {
        self.0[proxy].1
    }

    /// Keeps others, too.
    fn extend(&mut self, mut others: Self) {
        self.0.extend(std::mem::take(&mut others.0).into_iter().filter(|(_, cq)| cq.0 != 0));
    }
}

impl Drop for Cqs {
    fn drop(&mut self) {
        // What was not given back goes with the device.
        let all = self.0.iter().filter(|(_, cq)| cq.0 != 0);
        all.for_each(|(nic, cq)| drop(nic.device.destroy_cq(*cq)));
    }
}

/// The two cards of what a peer said; what has no such form is a first one that is none.
fn halves(said: &[u8]) -> (&[u8], &[u8]) {
    let split =
        said.split_first_chunk().and_then(|(bytes, rest)| rest.split_at_checked(u32::from_le_bytes(*bytes) as usize));
    split.unwrap_or((said, &[]))
}

impl Ibrc {
    /// The NIC of a row, by number: rows take turns. The host's own, which comes behind the default ones, is on the first.
    pub(super) fn nic_of(&self, row: u32, is_own: bool) -> usize {
        if is_own { 0 } else { row as usize % self.books.len() }
    }

    /// Which proxy serves the queue: of those of its NIC, which are every so many of all. They take turns among the far
    /// PEs alone, so that no proxy is left out.
    fn proxy_of(&self, nic: usize, row: u32, pe: Pe) -> usize {
        let nics = self.books.len();
        let of_nic = (self.proxies.len() - nic).div_ceil(nics);
        let (far, rank) = self.far.iter().enumerate().fold((0, 0), |(far, rank), (index, &is_far)| {
            (far + usize::from(is_far), rank + usize::from(is_far && index < pe.index()))
        });
        let turn = row as usize / nics * far + rank;
        nic + nics * (turn % of_nic)
    }

    /// Makes unconnected rows; `default`: the first ones, and the host's own.
    pub(super) fn make(&mut self, default: bool, count: u32) -> Result<Pending> {
        let first = self.free_rows(default, count)?;
        let total = count + u32::from(default);
        let nics: Vec<usize> = (0..total).map(|index| self.nic_of(first + index, index == count)).collect();
        let n_far = self.far().count() as u32;
        for (number, Book { nic, .. }) in self.books.iter().enumerate() {
            let queues = nics.iter().filter(|of| **of == number).count() as u32 * n_far * nic.qps_each();
            if queues > nic.caps.max_qp {
                return Err(Error::new(ErrorKind::Exhausted, format!("create queue pairs on {}", nic.name()))
                    .amount(queues.into(), nic.caps.max_qp.into(), "queue pairs")
                    .hint("lower OXSHMEM_IBGDA_NUM_RC_PER_PE, or ask qp_create for fewer"));
            }
        }
        let depth = self.config.depth;
        let cqs = self.make_cqs(first, &nics, depth)?;
        let mut rows = Vec::new();
        for (row, &number) in (first..).zip(&nics) {
            let mut made: Row = (0..self.far.len()).map(|_| None).collect();
            for pe in self.far() {
                let nic = &self.books[number].nic;
                let cq = cqs.of_proxy(self.proxy_of(number, row, pe));
                let ask = RcQpAsk { send_wr: depth, inline_bytes: INLINE_BYTES as u32 };
                let create = || {
                    let mut qp = nic.device.create_qp(nic.pd, cq, &ask).map_err(|error| {
                        let place = (row - first) * n_far
                            + self.far().filter(|other| other.index() < pe.index()).count() as u32;
                        error
                            .because(format!("it is number {} of {} that this PE makes now", place + 1, total * n_far))
                            .hint(HINT_OF_QPS)
                    })?;
                    // A queue pair may have more room than was asked for. When it stops, all that is on it completes, and
                    // for no more than this there is room where completions come.
                    qp.send_wr = qp.send_wr.min(depth);
                    Ok::<_, Error>(qp)
                };
                let (device, counts, slots) = (nic.device.clone(), Arc::default(), None);
                let mut one = Qp { device, qp: create()?, apart: None, cq, counts, slots };
                if nic.empty_fetches {
                    let apart = create()?;
                    one.qp.send_wr = one.qp.send_wr.min(apart.send_wr);
                    one.apart = Some(apart);
                }
                made[pe.index()] = Some(one);
            }
            rows.push(made);
        }
        let card = |of: fn(&Qp) -> Option<RcQp>| {
            let number = |qp: &Option<Qp>| qp.as_ref().and_then(of).map_or(0, |qp| qp.qpn);
            ConnectInfo {
                ports: self.books.iter().map(|book| book.nic.card()).collect(),
                nics: nics.iter().map(|nic| *nic as u8).collect(),
                qpns: rows.iter().map(|row| row.iter().map(number).collect()).collect(),
            }
        };
        let (card, apart) = (card(|qp| Some(qp.qp)), card(|qp| qp.apart));
        Ok(Pending { first, rows, cqs, has_own: default, card, apart })
    }

    /// Makes a completion queue for each proxy that is to serve some of these rows.
    fn make_cqs(&self, first: u32, nics: &[usize], depth: u32) -> Result<Cqs> {
        let mut load = vec![0u32; self.proxies.len()];
        for (row, &nic) in (first..).zip(nics) {
            self.far().for_each(|pe| load[self.proxy_of(nic, row, pe)] += 1);
        }
        let mut cqs = Cqs::default();
        for (proxy, queues) in load.into_iter().enumerate() {
            let nic = &self.books[proxy % self.books.len()].nic;
            let entries = u64::from(queues) * u64::from(depth);
            if entries > nic.caps.max_cqe.into() {
                return Err(Error::new(ErrorKind::Exhausted, format!("create a completion queue on {}", nic.name()))
                    .amount(entries, nic.caps.max_cqe.into(), "entries")
                    .hint(
                        "ask for shallower queue pairs (OXSHMEM_QP_DEPTH), fewer of them (OXSHMEM_IBGDA_NUM_RC_PER_PE), or \
                         more proxies (OXSHMEM_PROXY_THREADS)",
                    ));
            }
            // A proxy without a queue here has no completions.
            let cq = if queues == 0 { Handle(0) } else { nic.device.create_cq(entries as u32)? };
            cqs.0.push((nic.clone(), cq));
        }
        Ok(cqs)
    }

    /// What the peers are to know: the card of the queue pairs behind its length, and that of those for fetches.
    pub(super) fn card(pending: &Pending) -> Vec<u8> {
        let (card, apart) = (pending.card.encode(MAGIC), pending.apart.encode(MAGIC));
        [&(card.len() as u32).to_le_bytes()[..], &card, &apart].concat()
    }

    /// Connects all that is pending: each queue with the peer's of the same row, on whichever NIC the peer has it. Gives
    /// it to the proxies and to kernels.
    pub(super) fn connect(&mut self, pending: Pending, theirs: &[Vec<u8>]) -> Result<Vec<QpHandle>> {
        let Pending { first, mut rows, cqs, has_own, card, .. } = pending;
        let n_pes = self.far.len();
        // What keys call the peers' NICs, by row and PE.
        let mut peers = vec![vec![0; n_pes]; rows.len()];
        for pe in self.far() {
            let (said, said_apart) = halves(theirs.get(pe.index()).map_or(&[][..], Vec::as_slice));
            let their = ConnectInfo::decode(MAGIC, pe, said, card.qpns.len(), n_pes)?;
            let their_apart = ConnectInfo::decode(MAGIC, pe, said_apart, card.qpns.len(), n_pes)?;
            for (number, row) in rows.iter_mut().enumerate() {
                let Some(qp) = &mut row[pe.index()] else { continue };
                let remote = their.qpns[number][self.me.index()];
                if remote == 0 {
                    return Err(Error::new(ErrorKind::Mismatch, format!("connect queue pairs with {pe}"))
                        .because("it has none to this PE: it reaches it otherwise")
                        .about(pe)
                        .hint("the settings of both PEs must be the same"));
                }
                let (local, side) = (usize::from(card.nics[number]), usize::from(their.nics[number]));
                let (nic, wire) = (&self.books[local].nic, &self.config.wire);
                let way =
                    PathInfo::find(wire, nic.port.number, (self.me, &card.ports[local]), (pe, &their.ports[side]))?;
                let connect = |qp: RcQp, remote| {
                    let connected = nic.device.connect(qp.handle, &way.by_verbs(wire, remote));
                    connected.map_err(|error| error.about(pe))
                };
                connect(qp.qp, remote)?;
                // A peer that has none for fetches does without: they go beside writes then, behind those that are complete.
                match their_apart.qpns[number][self.me.index()] {
                    0 => qp.drop_apart(),
                    remote => qp.apart.map_or(Ok(()), |apart| connect(apart, remote))?,
                }
                peers[number][pe.index()] = self.peer(side, pe);
            }
        }
        for number in 0..self.books.len() {
            let nic = &self.books[number].nic;
            let mut queues: Vec<&mut Qp> = rows
                .iter_mut()
                .zip(&card.nics)
                .filter(|(_, of)| usize::from(**of) == number)
                .flat_map(|(row, _)| row.iter_mut().flatten())
                .collect();
            let places: u64 = queues.iter().map(|qp| u64::from(qp.qp.send_wr)).sum();
            if places == 0 {
                continue;
            }
            let slots = Arc::new(Scratch::new(&nic.device, nic.pd, SLOT_BYTES * places)?);
            let mut at = slots.at();
            for qp in &mut queues {
                qp.slots = Some((slots.clone(), at));
                at += SLOT_BYTES * u64::from(qp.qp.send_wr);
            }
        }
        self.cqs.extend(cqs);
        let count = rows.len() as u32 - u32::from(has_own);
        self.serve(first, &rows, &peers, has_own)?;
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
    fn serve(&self, first: u32, rows: &[Row], peers: &[Vec<u32>], has_own: bool) -> Result<()> {
        let mut lanes: Vec<Vec<_>> = self.proxies.iter().map(|_| Vec::new()).collect();
        let mut queues = Vec::new();
        for ((index, row), peers) in (0..).zip(rows).zip(peers) {
            let is_own = has_own && index as usize + 1 == rows.len();
            for (pe, qp) in (0..).map(Pe::new).zip(row) {
                let Some(qp) = qp else { continue };
                let Some((slots, at)) = &qp.slots else { continue };
                let nic = self.nic_of(first + index, is_own);
                let proxy = self.proxy_of(nic, first + index, pe);
                let number = (first + index) * self.far.len() as u32 + pe.number();
                let (name, tables, told) = match is_own {
                    true => (OWN + pe.number(), &self.own.tables, self.own.tables.told_at(pe.number())),
                    false => (number, &self.tables, self.tables.told_at(number)),
                };
                let at = LaneAt {
                    number: name,
                    peer: peers[pe.index()],
                    // A proxy's first ring is that of kernels, its second that of this process.
                    ring: usize::from(is_own),
                    told,
                    qp: qp.qp,
                    apart: qp.apart,
                    cq: qp.cq,
                    slots: *at,
                    slots_lkey: slots.lkey(),
                    empty_fetches: self.books[nic].nic.empty_fetches,
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
            None => QpHandle::DEFAULT.raw(),
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
                let _ = self.proxies[self.proxy_of(self.nic_of(row, false), row, pe)].remove(vec![number]);
                drop(qp);
            }
        }
        let used = self.rows.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        self.rows.truncate(used);
        gone.and(self.tables.publish_rows(used as u32))
    }
}

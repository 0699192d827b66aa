//! The engine's thread: runs slices, and handles orders and the kernel's reports between them.

use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use oxshmem_nic_kernels::resident::table::{KeySlot, Report, ResidentJob, Row, State, flags, status};
use oxshmem_raw::memory::Memory;
use oxshmem_rdma::mlx5::cqe::syndrome;
use oxshmem_softnic::PlaneQueue;

use super::engine::Order;
use super::keys::Keys;
use super::launch::Launcher;
use super::room::{Plain, Room};
use super::served::Served;
use super::{tell, traces};

/// Number of queues that an engine has room for.
const MOST: usize = 1024;
/// A slice without work ends after the first time, any slice after the second.
const IDLE: Duration = Duration::from_millis(2);
const SLICE: Duration = Duration::from_millis(20);
/// When this process registers more memory, its peers do too. After these times they are asked for their regions,
/// before a kernel needs them and waits.
const LATER: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(50)];
/// Bytes of the shared words before the reports.
const HEAD: usize = 64;

/// Returns the number of bytes that both sides access: the words, and the reports.
pub(super) fn shared_bytes() -> usize {
    HEAD + MOST * size_of::<Report>()
}

/// The engine's thread.
pub(super) struct Runner {
    launcher: Launcher,
    shared: Arc<Room>,
    rows: Room,
    states: Room,
    busy: Room,
    pub(super) keys: Keys,
    pub(super) queues: Vec<Option<Served>>,
    slices: u64,
    pub(super) traces: bool,
    told: Instant,
    pub(super) parked: u64,
    /// Times of the next queries for the peers' regions.
    later: Vec<Instant>,
}

impl Runner {
    pub(super) fn new(memory: Memory, shared: Arc<Room>) -> Result<Self, String> {
        Ok(Self {
            launcher: Launcher::new(&memory)?,
            shared,
            rows: Room::near(&memory, MOST * size_of::<Row>())?,
            states: Room::near(&memory, MOST * size_of::<State>())?,
            busy: Room::near(&memory, 64)?,
            keys: Keys::new(&memory)?,
            queues: Vec::new(),
            slices: 0,
            traces: traces(),
            told: Instant::now(),
            parked: 0,
            later: Vec::new(),
        })
    }

    /// Runs until all senders of orders are gone.
    pub(super) fn run(mut self, orders: &Receiver<Order>) {
        loop {
            // Cleared before orders are received: a later sender sets it again.
            self.words()[0].store(0, Ordering::Release);
            self.words()[1].store(0, Ordering::Release);
            loop {
                let order = if self.queues.iter().all(Option::is_none) {
                    orders.recv().map_err(|_| TryRecvError::Disconnected)
                } else {
                    orders.try_recv()
                };
                match order {
                    Ok(order) => self.obey(order),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return,
                }
            }
            if let Err(why) = self.phase() {
                tell(format!("{why}; where it was:"));
                self.tell_all();
                for served in self.queues.iter().flatten() {
                    served.queue.side.stopped(0, None);
                }
                return;
            }
        }
    }

    fn words(&self) -> &[AtomicU64] {
        self.shared.words()
    }

    pub(super) fn report(&self, place: usize) -> Report {
        let from = (HEAD + place * size_of::<Report>()) / 8;
        Report::load(|word| self.words()[from + word].load(Ordering::Acquire))
    }

    /// Resets a report to that of a running queue.
    pub(super) fn settle(&self, place: usize) {
        self.words()[(HEAD + place * size_of::<Report>()) / 8].store(status::RUNS, Ordering::Release);
    }

    /// Runs slices until a table must change between two.
    fn phase(&mut self) -> Result<(), String> {
        for place in 0..self.queues.len() {
            self.look_at_sides(place)?;
        }
        if self.is_late() {
            self.later.retain(|when| *when > Instant::now());
            (0..self.queues.len()).for_each(|place| self.learn_all(place));
        }
        let job = ResidentJob {
            rows: self.rows.at(),
            states: self.states.at(),
            reports: self.shared.at() + HEAD as u64,
            keys: self.keys.at(),
            mask: self.keys.mask(),
            words: self.shared.at(),
            busy: self.busy.at(),
            idle_ns: IDLE.as_nanos() as u64,
            limit_ns: SLICE.as_nanos() as u64,
            queues: self.queues.len() as u64,
        };
        let shared = self.shared.clone();
        let told = || shared.words()[..2].iter().any(|word| word.load(Ordering::Acquire) != 0);
        loop {
            self.slices += 1;
            // SAFETY: **live**: the tables are this value's. A queue's parts are mapped until it is stopped, and a
            // region until it is forgotten; both wait for the end of the phase.
            unsafe { self.launcher.launch(job, self.slices, told)? };
            if self.traces && self.told.elapsed() > Duration::from_secs(1) {
                self.told = Instant::now();
                self.tell_all();
            }
            if told() || self.sides_changed() || self.is_late() {
                break;
            }
        }
        // Launched slices end at once.
        self.words()[0].store(1, Ordering::Release);
        self.launcher.drain()?;
        (0..self.queues.len()).try_for_each(|place| self.look_at_report(place))
    }

    fn is_late(&self) -> bool {
        self.later.iter().any(|when| *when <= Instant::now())
    }

    /// Adds to the table every key that a queue can name now. Memory that can't be mapped is tried again when it is
    /// needed; a failure is then reported.
    fn learn_all(&mut self, place: usize) {
        let Some(Served { queue, .. }) = &self.queues[place] else { return };
        let local = queue.side.all_local().into_iter().map(|region| (queue.nic, region));
        let remote = queue.side.all_remote().into_iter().map(|region| (queue.peer, region));
        for (nic, region) in local.chain(remote) {
            let (key, known) = (region.key, self.keys.has(KeySlot::id(nic.into(), region.key)));
            let added = if known { Ok(()) } else { self.keys.add(nic, region) };
            if self.traces && !known {
                tell(format!("key {key:#x} of NIC {nic} for queue {place}: {added:?}"));
            }
        }
    }

    fn obey(&mut self, order: Order) {
        // A caller that no longer waits for the answer has reported the failure itself.
        match order {
            Order::Start(queue, answer) => drop(answer.send(self.start(*queue))),
            Order::Stop(nic, qpn, answer) => drop(answer.send(self.stop(nic, qpn))),
            Order::Counters(nic, qpn, answer) => {
                let place = self.place(nic, qpn).ok_or_else(|| "there is no such queue".to_owned());
                let counters = place.and_then(|place| {
                    let mut raw = [0; size_of::<State>()];
                    self.states.read(place * size_of::<State>(), &mut raw)?;
                    let word = |at: usize| raw[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
                    Ok((word(offset_of!(State, next)) as u16, word(offset_of!(State, limit)) as u16))
                });
                drop(answer.send(counters));
            }
            Order::Learn(nic, region, answer) => {
                self.later = LATER.iter().map(|after| Instant::now() + *after).collect();
                drop(answer.send(self.keys.add(nic, region)));
            }
            Order::Forget(nic, lkey, rkey, answer) => {
                let (lkey, rkey) = (KeySlot::id(nic.into(), lkey), KeySlot::id(nic.into(), rkey));
                drop(answer.send(self.keys.retain(|slot| slot.id != lkey && slot.id != rkey)));
            }
            Order::Hold(answer, until) => {
                drop(answer.send(Ok(())));
                let _ = until.recv();
            }
        }
    }

    fn place(&self, nic: u16, qpn: u32) -> Option<usize> {
        let is = |served: &Served| served.queue.nic == nic && served.queue.qpn == qpn;
        self.queues.iter().position(|served| served.as_ref().is_some_and(is))
    }

    fn start(&mut self, queue: PlaneQueue) -> Result<(), String> {
        let place = self.queues.iter().position(Option::is_none).unwrap_or(self.queues.len());
        if place == MOST {
            return Err(format!("an engine has room for {MOST} queues"));
        }
        let bit = |yes: bool, bit: u32| if yes { bit } else { 0 };
        let row = Row {
            sq: queue.sq,
            depth: queue.depth,
            cqe: queue.cqe,
            cqes: queue.cqes,
            doorbell: queue.doorbell,
            record: queue.record,
            most: queue.most,
            flags: flags::LIVE | bit(queue.collapsed, flags::COLLAPSED) | bit(queue.by_record, flags::BY_RECORD),
            qpn: queue.qpn,
            user_index: queue.user_index,
            nic: queue.nic.into(),
            peer: queue.peer.into(),
            pd: queue.pd,
            ..Row::default()
        };
        let first = queue.first;
        let state = State { next: first, limit: first, visible: first, ..State::default() };
        self.states.write(place * size_of::<State>(), state.bytes())?;
        let words = (HEAD + place * size_of::<Report>()) / 8;
        (0..size_of::<Report>() / 8).for_each(|i| self.words()[words + i].store(0, Ordering::Release));
        if self.traces {
            let PlaneQueue { nic, peer, qpn, sq, depth, record, doorbell, cqe, cqes, by_record, .. } = &queue;
            tell(format!(
                "queue {place}: NIC {nic} QP {qpn:#x} to NIC {peer}, SQ {sq:#x} of {depth}, record \
                 {record:#x}, doorbell {doorbell:#x} (by record: {by_record}), CQ {cqe:#x} of {cqes}"
            ));
        }
        let asked = Instant::now();
        let served = Served { queue, row, asked, news: None, fails: false, stopped: false, tries: (0, 0) };
        if place == self.queues.len() {
            self.queues.push(Some(served))
        } else {
            self.queues[place] = Some(served)
        }
        self.look_at_peer(place, true)?;
        self.learn_all(place);
        self.write_row(place)
    }

    fn write_row(&self, place: usize) -> Result<(), String> {
        let row = self.queues[place].as_ref().map_or_else(Row::default, |served| served.row);
        self.rows.write(place * size_of::<Row>(), row.bytes())
    }

    fn stop(&mut self, nic: u16, qpn: u32) -> Result<(), String> {
        let Some(place) = self.place(nic, qpn) else { return Ok(()) };
        let gone = self.queues[place].take();
        self.write_row(place)?;
        while self.queues.last().is_some_and(Option::is_none) {
            self.queues.pop();
        }
        let Some(Served { row, .. }) = gone else { return Ok(()) };
        // Facts about its peer's memory are needed only by other queues to the same domain.
        let mut others = self.queues.iter().flatten().map(|served| &served.row);
        if others.any(|other| (other.peer, other.peer_pd) == (row.peer, row.peer_pd)) {
            return Ok(());
        }
        self.keys.retain(|slot| (slot.id >> 32, slot.pd) != (row.peer.into(), row.peer_pd))
    }

    /// Handles changes that the control plane announces for a queue. Called between slices.
    fn look_at_sides(&mut self, place: usize) -> Result<(), String> {
        let Some(served) = &mut self.queues[place] else { return Ok(()) };
        if served.must_fail() {
            served.fails = true;
            return self.set_status(place, status::fails(syndrome::FLUSHED));
        }
        self.look_at_peer(place, false)
    }

    /// Reports whether the control plane announces changes for a queue.
    fn sides_changed(&mut self) -> bool {
        self.queues.iter_mut().flatten().any(|served| {
            if let Some(row) = served.peer(false) {
                served.news = (row != served.row).then_some(row);
            }
            served.must_fail() || served.news.is_some()
        })
    }

    /// Updates whether a queue's peer responds, and its rights.
    pub(super) fn look_at_peer(&mut self, place: usize, now: bool) -> Result<(), String> {
        let Some(served) = &mut self.queues[place] else { return Ok(()) };
        let row = served.peer(now).or(served.news.take()).filter(|row| *row != served.row);
        let Some(row) = row else { return Ok(()) };
        let new = row.flags & !served.row.flags & flags::READY != 0;
        served.row = row;
        if new {
            self.learn_all(place);
        }
        self.write_row(place)
    }

    pub(super) fn set_status(&self, place: usize, status: u64) -> Result<(), String> {
        self.states.write(place * size_of::<State>() + offset_of!(State, status), &status.to_le_bytes())
    }

    /// Prints the state of everything to standard error.
    fn tell_all(&self) {
        let (slices, parked, keys) = (self.slices, self.parked, self.keys.len());
        tell(format!("{slices} slices, {parked} times parked, {keys} keys"));
        for (place, served) in self.queues.iter().enumerate() {
            let Some(served) = served else { continue };
            let Report { status, reason, next, limit, entries, .. } = self.report(place);
            let PlaneQueue { nic, peer, qpn, .. } = &served.queue;
            if entries != 0 || status != 0 {
                tell(format!(
                    "  queue {place} ({qpn:#x}, NIC {nic} to {peer}): status {status}, reason {reason}, next {next} of \
                     {limit}, {entries} entries, flags {:#x}",
                    served.row.flags
                ));
            }
        }
    }
}

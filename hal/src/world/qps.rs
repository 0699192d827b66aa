//! Queue pairs.

use oxshmem_core::host::{Error, ErrorKind, QpCounters, QpRows, Result, RingCounters};
use oxshmem_core::{FaultStep, Pe, QpHandle};

use super::World;
use super::agreement::all_ok;

/// The largest number of queue pairs of one call.
const MAX_QPS: u32 = 1 << 16;

/// The queue pairs of this PE: those that the program makes, and the counters of all. [`World::qps`] returns it.
#[derive(Clone, Copy, Debug)]
pub struct Qps<'w>(&'w World);

impl Qps<'_> {
    /// Creates `count` queue pairs, each of which reaches every PE. Collective, with the same `count`.
    ///
    /// If every peer is reached by load/store, nothing is created: the call succeeds, and every handle is
    /// [`QpHandle::DEFAULT`].
    ///
    /// # Errors
    /// PEs differ in the count (both named), the count is 0 or too large (on every PE alike), or a PE does not have
    /// enough resources (named on every PE).
    pub fn create(&self, count: u32) -> Result<Vec<QpHandle>> {
        self.0.refuse_in_capture("qp_create")?;
        self.0.control.agree("qp_create", &[("the number of queue pairs", count.into())])?;
        if count == 0 || count > MAX_QPS {
            return Err(Error::new(ErrorKind::InvalidArgument, format!("create {count} queue pairs"))
                .because(format!("one call makes 1 to {MAX_QPS}"))
                .amount(count.into(), MAX_QPS.into(), "queue pairs"));
        }
        self.0.make_qps(QpRows::Custom(count))
    }

    /// Returns the counters of each queue of this PE: blocks posted and completed, doorbells, bytes, stalls, errors.
    /// Kernels may run meanwhile. Empty if every PE is reached by load/store.
    ///
    /// # Errors
    /// The device's memory can't be read.
    pub fn counters(&self) -> Result<Vec<QpCounters>> {
        let mut counters = Vec::new();
        for index in 0..self.0.transports.len() {
            counters.extend(self.0.transport(index).counters()?);
        }
        Ok(counters)
    }

    /// Returns the counters of each ring of requests to a proxy: requests, batches by size, occupied slots, stalls.
    /// Kernels may run meanwhile. Empty without proxies.
    ///
    /// # Errors
    /// The device's memory can't be read.
    pub fn ring_counters(&self) -> Result<Vec<RingCounters>> {
        let mut counters = Vec::new();
        for index in 0..self.0.transports.len() {
            counters.extend(self.0.transport(index).ring_counters()?);
        }
        Ok(counters)
    }

    /// Destroys queue pairs. Kernels must no longer use them. Collective, with the same handles.
    ///
    /// # Errors
    /// PEs differ in the handles, or one is not a queue pair of this world; or a PE could not complete its own
    /// operations (named on every PE), and no queue pair is destroyed.
    pub fn destroy(&self, handles: &[QpHandle]) -> Result<()> {
        self.0.refuse_in_capture("qp_destroy")?;
        let bytes: Vec<u8> = handles.iter().flat_map(|handle| handle.raw().to_le_bytes()).collect();
        let hash = oxshmem_raw::state::abi::fnv(oxshmem_raw::state::abi::FNV_START, &bytes);
        let values = [("the number of queue pairs", handles.len() as u64), ("the handles (their hash)", hash)];
        self.0.control.agree("qp_destroy", &values)?;
        // A queue pair acknowledges its peer's operations, some of which may still be in flight.
        all_ok(&self.0.control, "complete what was issued on queue pairs", self.0.finish_own_work())?;
        let gone = self.0.each_remote(|transport| transport.destroy_qps(handles));
        all_ok(&self.0.control, "destroy queue pairs", gone).map(drop)
    }
}

impl World {
    /// Returns the queue pairs of this PE.
    pub fn qps(&self) -> Qps<'_> {
        Qps(self)
    }

    /// Makes the default queues, and passes the world's state to them, for transports with queues. Collective.
    pub(super) fn make_default_qps(&self) -> Result<()> {
        let Some(copy) = &self.copy else { return Ok(()) };
        self.with_queues().for_each(|index| self.transport_mut(index).set_world(copy.address()));
        self.make_qps(QpRows::Default)?;
        all_ok(&self.control, "give queues the world's state", copy.write(&self.state()))
    }

    /// Reports the faults of this PE's queues that have stopped since the last call that reported any. Other queues
    /// continue, and kernels may run.
    pub(super) fn queue_faults(&self) -> Result<()> {
        let mut faults = Vec::new();
        for index in 0..self.transports.len() {
            faults.extend(self.transport(index).faults()?);
        }
        let Some((first, others)) = faults.split_first() else { return Ok(()) };
        // The first fault is the cause of later faults that no operation of their own explains.
        let _ = self.stopped.set(*first);
        let mut error = Error::from_fault(format!("complete what {} has issued", self.me), *first);
        if !others.is_empty() {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            error = error.because(format!("{first}; and {}", others.join("; and ")));
        }
        Err(self.after_a_death(error))
    }

    /// Returns the error of a failed call of the host to `pe`: that the PE died, if the call got no answer. Records the
    /// fault of one of the host's own queues that has stopped, if the error has one.
    pub(super) fn failed_call_to(&self, pe: Pe, error: Error) -> Error {
        if let Some(fault) = error.fault().filter(|fault| fault.step == FaultStep::Completion) {
            let _ = self.stopped.set(fault);
        }
        // The answer to a message that arrived can be lost, and a PE that is gone gives no other.
        match self.control.death_of(pe).filter(|_| error.kind() == ErrorKind::Timeout) {
            Some(reason) => Error::new(ErrorKind::PeerDied, format!("complete a call to {pe}"))
                .because(format!("{pe} died: {reason}; and the call ended so: {error}"))
                .about(pe),
            None => self.after_a_death(error),
        }
    }

    /// Creates and connects rows of queues on every PE, or on none. Collective.
    pub(super) fn make_qps(&self, rows: QpRows) -> Result<Vec<QpHandle>> {
        let prepared = self.each_remote(|transport| transport.prepare_qps(rows));
        let connected = all_ok(&self.control, "create queue pairs", prepared).and_then(|mine| {
            let mut handles = Vec::new();
            for (index, mine) in self.with_queues().zip(&mine) {
                let none = || vec![Vec::new(); self.n_pes as usize];
                let mine = if mine.is_empty() { &none() } else { mine };
                let theirs = self.control.all_to_all("exchange queue pairs", mine)?;
                let connected = self.transport_mut(index).connect_qps(&theirs);
                let connected = connected.and_then(|more| same_handles(std::mem::take(&mut handles), more));
                handles = all_ok(&self.control, "connect queue pairs", connected)?;
            }
            Ok(handles)
        });
        if connected.is_err() {
            // On every PE alike, so that their rows remain equal.
            self.with_queues().for_each(|index| self.transport_mut(index).discard_qps());
        }
        connected
    }

    /// Returns the indices of the transports whose queues a program can create, which are the same on each PE: all but
    /// load/store, which is the first; or load/store alone, if there is no other.
    pub(super) fn with_queues(&self) -> std::ops::Range<usize> {
        let n = self.transports.len();
        n.min(2).saturating_sub(1)..n
    }

    /// Calls `act` on these transports in order, up to the first failure, and returns the results.
    pub(super) fn each_remote<T>(
        &self,
        act: impl Fn(&mut dyn oxshmem_core::host::Transport) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.with_queues().map(|index| act(self.transport_mut(index).as_mut())).collect()
    }
}

/// Merges handles: rows are the same in all transports of a PE, and a transport that connects it to no PE has none.
fn same_handles(before: Vec<QpHandle>, more: Vec<QpHandle>) -> Result<Vec<QpHandle>> {
    match (before.is_empty(), more.is_empty()) {
        (true, _) => Ok(more),
        (_, true) => Ok(before),
        _ if before == more => Ok(before),
        _ => Err(Error::new(ErrorKind::Mismatch, "create queue pairs")
            .because(format!("two transports of this PE gave them different handles: {before:?} and {more:?}"))),
    }
}

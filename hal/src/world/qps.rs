//! Queue pairs.

use std::ops::Range;

use oxshmem_core::host::{Error, ErrorKind, QpCounters, Result, TransportCounter};
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
        if self.0.remote_transports().is_empty() {
            return Ok(vec![QpHandle::DEFAULT; count as usize]);
        }
        let rows = self.0.inner().rows.take(count);
        self.0.make_qps(rows).map(|rows| self.0.inner().rows.handles(rows))
    }

    /// Returns the counters of each queue of this PE: blocks posted and completed, doorbells, bytes, stalls, errors.
    /// Kernels may run meanwhile. Empty if every PE is reached by load/store.
    ///
    /// # Errors
    /// The device's memory can't be read.
    pub fn counters(&self) -> Result<Vec<QpCounters>> {
        let all: Vec<_> = self.0.transports().map(|one| one.counters()).collect::<Result<_>>()?;
        Ok(all.concat())
    }

    /// Returns the counters of the transports' other parts, by name: with proxies those of each ring (requests, batches
    /// by size, occupied slots, stalls). Kernels may run meanwhile.
    ///
    /// # Errors
    /// The device's memory can't be read.
    pub fn more_counters(&self) -> Result<Vec<TransportCounter>> {
        let all: Vec<_> = self.0.transports().map(|one| one.more_counters()).collect::<Result<_>>()?;
        Ok(all.concat())
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
        let rows = self.0.inner().rows.of(handles);
        let gone = rows.and_then(|rows| {
            let gone = self.0.each_remote(|one| one.destroy_qps(&rows));
            self.0.inner().rows.free(&rows);
            gone
        });
        all_ok(&self.0.control, "destroy queue pairs", gone)
    }
}

impl World {
    /// Returns the queue pairs of this PE.
    pub fn qps(&self) -> Qps<'_> {
        Qps(self)
    }

    /// Makes the default queues, and passes the world's state to them, if there are remote transports. Collective.
    pub(super) fn make_default_qps(&self) -> Result<()> {
        let Some(copy) = &self.copy else { return Ok(()) };
        self.each_remote(|one| {
            one.set_world(copy.address());
            Ok(())
        })?;
        let rows = self.inner().rows.default_rows();
        self.make_qps(Ok(rows))?;
        all_ok(&self.control, "give queues the world's state", copy.write(&self.state()))
    }

    /// Reports the faults of this PE's queues that have stopped since the last call that reported any. Other queues
    /// continue, and kernels may run.
    pub(super) fn queue_faults(&self) -> Result<()> {
        let faults = self.transports().map(|one| one.faults()).collect::<Result<Vec<_>>>()?.concat();
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

    /// Creates and connects these rows of queues on every PE, or on none, and returns them. Collective, also if this PE
    /// has an error instead of rows.
    fn make_qps(&self, rows: Result<Range<u32>>) -> Result<Range<u32>> {
        let (rows, prepared) = match rows {
            Ok(rows) => (rows.clone(), self.remote_transports().map(|index| self.prepare(index, &rows)).collect()),
            Err(error) => (0..0, Err(error)),
        };
        let prepared: Result<Vec<_>> = all_ok(&self.control, "create queue pairs", prepared);
        let connected = prepared.and_then(|mine| {
            self.remote_transports().zip(&mine).try_for_each(|(index, mine)| {
                let theirs = self.control.all_to_all("exchange queue pairs", mine)?;
                let connected = self.on_transport(index, |one| one.connect_qps(&theirs));
                all_ok(&self.control, "connect queue pairs", connected)
            })
        });
        connected.map(|()| rows.clone()).inspect_err(|_| {
            // On every PE alike, so that their rows remain equal. The first error is reported.
            let rows: Vec<u32> = rows.collect();
            let _ = self.each_remote(|one| one.destroy_qps(&rows));
            self.inner().rows.free(&rows);
        })
    }

    /// Prepares rows on transport `index`, and returns its message for each PE.
    fn prepare(&self, index: usize, rows: &Range<u32>) -> Result<Vec<Vec<u8>>> {
        let mut messages = self.on_transport(index, |one| one.prepare_qps(rows.clone()))?;
        messages.resize(self.n_pes as usize, Vec::new());
        Ok(messages)
    }
}

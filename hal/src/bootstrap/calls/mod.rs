//! One PE's side of its connection to the root: collective calls. The monitor thread reads their results.

pub(in crate::bootstrap) mod fds;
pub(in crate::bootstrap) mod host_calls;
pub(in crate::bootstrap) mod mail;
mod monitor;
pub(in crate::bootstrap) mod outcome;
pub(in crate::bootstrap) mod swap;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use oxshmem_core::{Error, ErrorKind, Pe, Result};

use self::host_calls::HostCalls;
pub use self::monitor::OnDeath;
pub(in crate::bootstrap) use self::monitor::{Monitor, lock, watch};
use crate::bootstrap::connection::{Connection, Deadline, grace};
use crate::bootstrap::frame::{Frame, FrameKind, Op, action, connect_hint, failure_code, too_long};

/// One PE's collective calls, made one at a time over its connection to the root.
pub(in crate::bootstrap) struct Calls {
    pub pe: Pe,
    pub n_pes: u32,
    pub limit: Option<Duration>,
    /// Indexed by PE; set after the first call.
    pub same_host: Vec<bool>,
    pub monitor: Arc<Monitor>,
    /// Calls in shared memory, if all PEs are on one host.
    pub host_calls: Option<HostCalls>,
    /// The sequence number of the next call at the root. The lock is held during a call, which serializes the calls of one PE.
    next: Mutex<u64>,
    /// Held while a frame is written.
    send_lock: Mutex<()>,
}

impl Calls {
    /// Returns the calls of `pe`.
    pub(in crate::bootstrap) fn new(
        pe: Pe,
        n_pes: u32,
        limit: Option<Duration>,
        connection: Connection,
    ) -> Result<Self> {
        let monitor = Monitor::new(connection, pe, n_pes)?;
        let same_host = vec![false; n_pes as usize];
        let (host_calls, next, send_lock) = (None, Mutex::new(0), Mutex::new(()));
        Ok(Self { pe, n_pes, limit, same_host, monitor, host_calls, next, send_lock })
    }

    pub(in crate::bootstrap) fn is_same_host(&self, pe: Pe) -> bool {
        self.same_host.get(pe.index()).copied().unwrap_or(false)
    }

    /// Whether this PE's next call is already known to fail.
    pub(in crate::bootstrap) fn next_call_fails(&self) -> bool {
        self.monitor.fails_ahead(*lock(&self.next))
    }

    pub(in crate::bootstrap) fn call(&self, op: Op, step: &str, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        let action = action(op, step);
        if let Some((asked, limit, what)) = too_long(step, mine) {
            let text = format!("{} gave {what} of {asked} bytes, {limit} are allowed", self.pe);
            self.refuse(op, "", ErrorKind::OutOfRange, &text)?;
            let error = Error::new(ErrorKind::OutOfRange, action).because(format!("{what} is too long"));
            return Err(error.amount(asked as u64, limit as u64, "bytes").about(self.pe));
        }
        self.make_call(&action, FrameKind::Arrive, op, step, mine)
            .map_err(|error| if op == Op::Connect { connect_hint(error) } else { error })
    }

    /// Arrives at a call only to report that this PE can't take part; all PEs get this error. Fails only if the report
    /// could not be made.
    pub(in crate::bootstrap) fn refuse(&self, op: Op, step: &str, kind: ErrorKind, text: &str) -> Result<()> {
        let blob = [&[failure_code(kind)], text.as_bytes()].concat();
        match self.make_call(&action(op, step), FrameKind::Refuse, op, step, &blob) {
            Err(error) if error.kind() == ErrorKind::PeerDied => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes one call: in shared memory if it can, or else sends a frame with the next sequence number and waits for the
    /// result.
    fn make_call(&self, action: &str, kind: FrameKind, op: Op, step: &str, blob: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut next = lock(&self.next);
        if let Some(host_calls) = &self.host_calls {
            self.monitor.check_open(action)?;
            if kind != FrameKind::Arrive {
                host_calls.leave_to_root();
            } else if let Some(all) = host_calls.make(op, step, blob) {
                return Ok(all);
            }
        }
        let seq = *next;
        self.monitor.begin(seq, op as u8, action)?;
        *next += 1;
        // The root ends the wait at the limit. If it does not, this PE ends the wait a little later.
        let deadline = Deadline::after(self.limit.map(|limit| limit + grace(limit)));
        self.send(&Frame { kind, op: op as u8, pe: self.pe.number(), count: 1, seq, step, blob }, deadline);
        self.monitor.finish(action, deadline, &self.monitor.connection.no_answer(self.limit.unwrap_or_default()))
    }

    /// Sends a frame. If that fails, shuts the connection: the monitor then sees its end and reports PE 0 dead.
    pub(in crate::bootstrap) fn send(&self, frame: &Frame<'_>, deadline: Deadline) {
        let _one_at_a_time = lock(&self.send_lock);
        let connection = &self.monitor.connection;
        let sent =
            connection.send_all(&frame.head(), deadline).and_then(|()| connection.send_all(frame.blob, deadline));
        if sent.is_err() {
            connection.shut();
        }
    }
}

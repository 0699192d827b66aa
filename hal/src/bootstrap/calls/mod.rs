//! One PE's side of its connection to the root: collective calls, the state of the current call, the dead PEs, and the
//! monitor thread that reads.

pub(in crate::bootstrap) mod fds;
pub(in crate::bootstrap) mod host_calls;
pub(in crate::bootstrap) mod mail;
pub(in crate::bootstrap) mod outcome;
pub(in crate::bootstrap) mod swap;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};
use nix::sys::eventfd::{EfdFlags, EventFd};
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use self::host_calls::HostCalls;
use self::mail::Mailbox;
use self::outcome::{action, connect_hint};
use crate::bootstrap::connection::{Connection, Deadline, poll};
use crate::bootstrap::frame::{Frame, FrameKind, Inbox, Op, too_long};
use crate::bootstrap::tree::collective;

/// Called for each PE that is found dead, with the reason.
pub type OnDeath = Box<dyn Fn(Pe, &str) + Send + Sync>;

/// The collective call in progress.
struct CurrentCall {
    seq: u64,
    op: u8,
    /// Indexed by PE: the blobs received so far.
    parts: Vec<Option<Vec<u8>>>,
    missing: u32,
    failure: Option<CallFailure>,
}

/// Kind, PE and text of the error with which the root ended a call.
type CallFailure = (ErrorKind, Pe, String);

#[derive(Default)]
struct MonitorState {
    call: Option<CurrentCall>,
    /// In the order of discovery.
    dead: Vec<(Pe, String)>,
    /// The reason why this PE itself can't continue.
    failed: Option<String>,
    /// The calls that this PE has not made yet and that will fail, by sequence number.
    failed_ahead: BTreeMap<u64, CallFailure>,
    /// The sequence number of the next call.
    next: u64,
    left: bool,
    closing: bool,
    new_subscribers: VecDeque<OnDeath>,
}

/// The state shared by the calling threads and the monitor thread.
pub(in crate::bootstrap) struct Monitor {
    pub connection: Connection,
    state: Mutex<MonitorState>,
    changed: Condvar,
    pub(in crate::bootstrap) mailbox: Mailbox,
    /// Wakes the monitor thread. Not a pipe: writing to one whose reader has ended raises SIGPIPE, which ends a program
    /// in C.
    wake: EventFd,
    pe: Pe,
    n_pes: u32,
}

/// Locks the mutex even if it is poisoned: no code here leaves state half changed when it panics.
pub(in crate::bootstrap) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Monitor {
    pub(in crate::bootstrap) fn new(connection: Connection, pe: Pe, n_pes: u32) -> Result<Arc<Self>> {
        let wake = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK).map_err(|error| {
            Error::new(ErrorKind::System, "make the event that wakes the monitor").because(error.to_string())
        })?;
        let (state, changed, mailbox) = (Mutex::default(), Condvar::new(), Mailbox::default());
        Ok(Arc::new(Self { connection, state, changed, mailbox, wake, pe, n_pes }))
    }

    /// Starts the next call; an error if no call is possible any more.
    pub(in crate::bootstrap) fn begin(&self, seq: u64, op: u8, action: &str) -> Result<()> {
        let mut state = lock(&self.state);
        state.check_open(action)?;
        let parts = (0..self.n_pes).map(|_| None).collect();
        state.next = seq + 1;
        let failure = state.failed_ahead.remove(&seq);
        state.call = Some(CurrentCall { seq, op, parts, missing: self.n_pes, failure });
        Ok(())
    }

    /// Waits for the result of the call: every PE's blob, indexed by PE.
    pub(in crate::bootstrap) fn finish(
        &self,
        action: &str,
        deadline: Deadline,
        no_answer: &str,
    ) -> Result<Vec<Vec<u8>>> {
        let mut state = lock(&self.state);
        loop {
            let call = state.call.take_if(|call| call.failure.is_some() || call.missing == 0);
            if let Some(CurrentCall { parts, failure, .. }) = call {
                return match failure {
                    None => Ok(parts.into_iter().flatten().collect()),
                    Some((kind, about, text)) => Err(Error::new(kind, action).because(text).about(about)),
                };
            }
            state.check_alive(action)?;
            if deadline.passed() {
                state.call = None;
                return Err(Error::new(ErrorKind::Timeout, action).because(no_answer).about(self.connection.parent()));
            }
            state = match deadline.moment() {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(at) => {
                    let left = at.saturating_duration_since(Instant::now());
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    pub(in crate::bootstrap) fn dead(&self) -> Option<Pe> {
        self.death().map(|(pe, _)| pe)
    }

    pub(in crate::bootstrap) fn death(&self) -> Option<(Pe, String)> {
        lock(&self.state).dead.first().cloned()
    }

    /// Returns an error if a PE is dead.
    pub(in crate::bootstrap) fn check_alive(&self, action: &str) -> Result<()> {
        lock(&self.state).check_alive(action)
    }

    /// Returns an error if no call is possible any more.
    fn check_open(&self, action: &str) -> Result<()> {
        lock(&self.state).check_open(action)
    }

    /// Whether the call `seq` is known to fail before this PE has made it.
    pub(in crate::bootstrap) fn fails_ahead(&self, seq: u64) -> bool {
        lock(&self.state).failed_ahead.range(seq..).next().is_some()
    }

    pub(in crate::bootstrap) fn failed(&self, reason: &str) {
        lock(&self.state).failed = Some(reason.into());
        self.changed.notify_all();
    }

    pub(in crate::bootstrap) fn subscribe(&self, on_death: OnDeath) {
        lock(&self.state).new_subscribers.push_back(on_death);
        self.wake();
    }

    /// Ends the monitor thread. From now on the end of the connection does not count as a death.
    pub(in crate::bootstrap) fn close(&self) {
        lock(&self.state).closing = true;
        self.connection.shut();
        self.wake();
        self.changed.notify_all();
    }

    fn wake(&self) {
        // The write fails only if the counter is full, and a counter that is not 0 has woken the thread already.
        let _ = self.wake.write(1);
    }

    fn receive(&self, frame: &Frame<'_>) {
        if frame.kind == FrameKind::Mail {
            self.mailbox.deliver(frame);
            return;
        }
        let mut state = lock(&self.state);
        let pe = Pe::new(frame.pe);
        match frame.kind {
            // The announcement of this PE's own failure may come back to it.
            FrameKind::Dead if !state.left && pe != self.pe => state.add_dead(pe, collective::text_of(frame.blob)),
            FrameKind::Failure => {
                let failure = (collective::failure_kind(frame.op), pe, collective::text_of(frame.blob));
                let next = state.next;
                match state.call.as_mut().filter(|call| call.seq == frame.seq) {
                    Some(call) => call.failure = Some(failure),
                    None if frame.seq >= next => drop(state.failed_ahead.insert(frame.seq, failure)),
                    // A failure of an abandoned call is late: ignore it.
                    None => return,
                }
            }
            FrameKind::Part => {
                // A part for an abandoned call is late: ignore it.
                let Some(call) = state.call.as_mut().filter(|call| call.seq == frame.seq) else { return };
                for part in call.parts.iter_mut().skip(pe.index()).take(frame.count as usize) {
                    call.missing -= u32::from(part.is_none());
                    *part = Some(frame.blob.to_vec());
                }
                let (missing, leaves) = (call.missing, call.op == Op::Leave as u8);
                if missing > 0 {
                    return;
                }
                state.left |= leaves;
            }
            _ => {}
        }
        self.changed.notify_all();
    }

    /// Records that the connection towards the root ended; `false` if that is expected.
    fn parent_is_gone(&self, reason: String) -> bool {
        let mut state = lock(&self.state);
        if state.closing || state.left {
            return false;
        }
        state.add_dead(self.connection.parent(), reason);
        self.changed.notify_all();
        true
    }
}

impl MonitorState {
    fn check_open(&self, action: &str) -> Result<()> {
        if self.left || self.closing {
            return Err(Error::new(ErrorKind::InvalidArgument, action).because("this PE has left the world"));
        }
        self.check_alive(action)
    }

    /// Records a death, once.
    fn add_dead(&mut self, pe: Pe, reason: String) {
        if !self.dead.iter().any(|(known, _)| *known == pe) {
            self.dead.push((pe, reason));
        }
    }

    fn check_alive(&self, action: &str) -> Result<()> {
        if let Some(reason) = &self.failed {
            return Err(Error::new(ErrorKind::PeerDied, action).because(format!("this PE failed: {reason}")));
        }
        match self.dead.first() {
            None => Ok(()),
            Some((pe, reason)) => {
                Err(Error::new(ErrorKind::PeerDied, action).because(format!("{pe} died: {reason}")).about(*pe))
            }
        }
    }
}

/// The monitor thread: reads the root's frames and reports deaths to the subscribers.
pub(in crate::bootstrap) fn watch(monitor: &Monitor) {
    let mut inbox = Inbox::default();
    let mut buffer = vec![0; 1 << 16];
    // Each with the number of deaths reported to it.
    let mut subscribers: Vec<(OnDeath, usize)> = Vec::new();
    let mut connected = true;
    loop {
        report_deaths(monitor, &mut subscribers);
        if lock(&monitor.state).closing {
            return;
        }
        let mut fds = vec![PollFd::new(monitor.wake.as_fd(), PollFlags::POLLIN)];
        if connected {
            fds.push(PollFd::new(monitor.connection.as_fd(), PollFlags::POLLIN));
        }
        if poll(&mut fds, Deadline::at(None)).is_err() {
            std::thread::yield_now();
            continue;
        }
        let ready = |at: usize| fds.get(at).is_some_and(|fd| fd.any().unwrap_or(true));
        let (woken, readable) = (ready(0), ready(1));
        if woken {
            let _ = monitor.wake.read();
        }
        if readable && let Err(reason) = read(monitor, &mut inbox, &mut buffer) {
            connected = false;
            if !monitor.parent_is_gone(reason) {
                continue;
            }
        }
    }
}

fn read(monitor: &Monitor, inbox: &mut Inbox, buffer: &mut [u8]) -> Result<(), String> {
    match monitor.connection.recv_some(buffer) {
        Ok(0) => return Err("its connection closed before it left".into()),
        Ok(bytes) => inbox.push(&buffer[..bytes]),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
        Err(error) => return Err(format!("its connection broke: {error}")),
    }
    while let Some(frame) = inbox.next().map_err(|malformed| malformed.to_string())? {
        monitor.receive(&frame);
    }
    Ok(())
}

fn report_deaths(monitor: &Monitor, subscribers: &mut Vec<(OnDeath, usize)>) {
    let dead: Vec<(Pe, String)> = {
        let mut state = lock(&monitor.state);
        subscribers.extend(state.new_subscribers.drain(..).map(|on_death| (on_death, 0)));
        state.dead.clone()
    };
    for (on_death, known) in subscribers {
        for (pe, reason) in &dead[*known..] {
            // A panic in the caller's function must not stop the thread on which all waits depend.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| on_death(*pe, reason)));
        }
        *known = dead.len();
    }
}

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
        let blob = [&[collective::failure_code(kind)], text.as_bytes()].concat();
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

/// Returns how much longer than the limit a PE waits for the root, which ends calls at the limit.
pub(in crate::bootstrap) fn grace(limit: Duration) -> Duration {
    (limit / 4).clamp(Duration::from_millis(500), Duration::from_secs(5))
}

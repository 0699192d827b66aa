//! The thread of a PE that reads from its connection to the root: the state of the current call, and the dead PEs.

pub(crate) mod siblings;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};
use nix::sys::eventfd::{EfdFlags, EventFd};
use oxshmem_core::{Error, ErrorKind, Pe, Result};

use self::siblings::Siblings;
use super::Mailbox;
use crate::bootstrap::connection::{Connection, Deadline, poll};
use crate::bootstrap::frame::{Frame, FrameKind, Inbox, Op, failure_kind, text_of};
use crate::bootstrap::tree::Member;

/// The PE that decides on deaths while it lives.
const ROOT: Pe = Pe::new(0);

/// Called for each PE that is found dead, with the reason.
pub type OnDeath = Box<dyn Fn(Pe, &str) + Send + Sync>;

/// The collective call in progress.
struct CurrentCall {
    seq: u64,
    op: u8,
    /// Indexed by PE: the blobs received so far.
    parts: Vec<Option<Vec<u8>>>,
    missing: u32,
    /// Its last part came after the announcement of a death, so that it fails on every PE.
    is_late: bool,
    failure: Option<CallFailure>,
}

/// Kind, PE and text of the error with which the root ended a call.
type CallFailure = (ErrorKind, Pe, String);

/// A PE and an encoded frame of mail for it.
pub(super) type SiblingMail = (u32, Arc<[u8]>);

#[derive(Default)]
struct MonitorState {
    call: Option<CurrentCall>,
    /// In the order of discovery.
    dead: Vec<(Pe, String)>,
    /// The deaths that this PE's siblings report, until the root is dead: before, the root decides on deaths.
    heard: Vec<(Pe, String)>,
    /// The reason why this PE itself can't continue, with the kind of its error and the PE that this names, if any.
    failed: Option<(String, Option<(ErrorKind, Pe)>)>,
    /// The reason why this PE no longer waited for the root, the first time that it did so.
    gave_up: Option<String>,
    /// The calls that this PE has not made yet and that will fail, by sequence number.
    failed_ahead: BTreeMap<u64, CallFailure>,
    /// The sequence number of the next call.
    next: u64,
    left: bool,
    closing: bool,
    new_subscribers: VecDeque<OnDeath>,
    new_siblings: Vec<Member>,
    /// The PEs to which this one has connections of its own, or will have ([`siblings`](super::siblings)).
    siblings: BTreeSet<u32>,
    /// Further siblings may still connect.
    siblings_meet: bool,
    mail: Vec<SiblingMail>,
}

/// The state shared by the calling threads and the monitor thread.
pub(crate) struct Monitor {
    pub connection: Connection,
    /// Held while a frame is written.
    send_lock: Mutex<()>,
    state: Mutex<MonitorState>,
    changed: Condvar,
    pub(crate) mailbox: Mailbox,
    /// Wakes the monitor thread. Not a pipe: writing to one whose reader has ended raises SIGPIPE, which ends a program
    /// in C.
    wake: EventFd,
    pub(super) pe: Pe,
    n_pes: u32,
}

/// Locks the mutex even if it is poisoned: no code here leaves state half changed when it panics.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Monitor {
    pub(crate) fn new(connection: Connection, pe: Pe, n_pes: u32) -> Result<Arc<Self>> {
        let wake = EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK).map_err(|error| {
            Error::new(ErrorKind::System, "make the event that wakes the monitor").because(error.to_string())
        })?;
        let (send_lock, state, changed) = (Mutex::default(), Mutex::default(), Condvar::new());
        let mailbox = Mailbox::default();
        Ok(Arc::new(Self { connection, send_lock, state, changed, mailbox, wake, pe, n_pes }))
    }

    /// Sends a frame towards the root. If that fails, shuts the connection: the monitor thread then sees its end and
    /// reports the parent dead.
    pub(crate) fn send(&self, frame: &Frame<'_>, deadline: Deadline) {
        self.send_encoded(&[&frame.head(), frame.blob], deadline);
    }

    pub(super) fn send_encoded(&self, pieces: &[&[u8]], deadline: Deadline) {
        let _one_at_a_time = lock(&self.send_lock);
        if pieces.iter().try_for_each(|piece| self.connection.send_all(piece, deadline)).is_err() {
            self.connection.shut();
        }
    }

    /// Returns whether this PE ends its part in the world.
    pub(super) fn is_closing(&self) -> bool {
        lock(&self.state).closing
    }

    /// Starts the next call; an error if no call is possible any more.
    pub(crate) fn begin(&self, seq: u64, op: u8, action: &str) -> Result<()> {
        let mut state = lock(&self.state);
        // The reason of the others comes before their deaths, which follow from it.
        if !state.failed_ahead.contains_key(&seq) {
            state.check_open(|| action.into())?;
        }
        let parts = (0..self.n_pes).map(|_| None).collect();
        state.next = seq + 1;
        let failure = state.failed_ahead.remove(&seq);
        state.call = Some(CurrentCall { seq, op, parts, missing: self.n_pes, is_late: false, failure });
        Ok(())
    }

    /// Waits for the result of the call: every PE's blob, indexed by PE.
    pub(crate) fn finish(&self, action: &str, deadline: Deadline, no_answer: &str) -> Result<Vec<Vec<u8>>> {
        let mut state = lock(&self.state);
        loop {
            let call = state.call.take_if(|call| call.failure.is_some() || call.missing == 0);
            if let Some(CurrentCall { parts, failure, is_late, .. }) = call {
                if is_late {
                    state.check_alive(|| action.into())?;
                }
                return match failure {
                    None => Ok(parts.into_iter().flatten().collect()),
                    Some((kind, about, text)) => Err(Error::new(kind, action).because(text).about(about)),
                };
            }
            state.check_alive(|| action.into())?;
            if deadline.passed() {
                state.call = None;
                state.gave_up.get_or_insert_with(|| no_answer.into());
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

    pub(crate) fn dead(&self) -> Option<Pe> {
        self.death().map(|(pe, _)| pe)
    }

    pub(crate) fn death(&self) -> Option<(Pe, String)> {
        lock(&self.state).dead.first().cloned()
    }

    pub(crate) fn death_of(&self, pe: Pe) -> Option<String> {
        lock(&self.state).dead.iter().find(|(dead, _)| *dead == pe).map(|(_, reason)| reason.clone())
    }

    /// Waits until a PE is found dead, until the deadline at the latest, and returns whether it is.
    pub(crate) fn is_dead_within(&self, pe: Pe, deadline: Deadline) -> bool {
        let mut state = lock(&self.state);
        while !state.is_dead(pe) && !deadline.passed() {
            let left = deadline.moment().map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()));
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.is_dead(pe)
    }

    /// Returns an error if a PE is dead.
    pub(crate) fn check_alive(&self, action: impl Fn() -> String) -> Result<()> {
        lock(&self.state).check_alive(action)
    }

    /// Returns an error if no call is possible any more.
    pub(super) fn check_open(&self, action: impl Fn() -> String) -> Result<()> {
        lock(&self.state).check_open(action)
    }

    /// Returns whether the call `seq` is known to fail before this PE has made it.
    pub(crate) fn fails_ahead(&self, seq: u64) -> bool {
        lock(&self.state).failed_ahead.range(seq..).next().is_some()
    }

    /// Returns the reason why this PE no longer waited for the root, if it ever did so.
    pub(crate) fn gave_up(&self) -> Option<String> {
        lock(&self.state).gave_up.clone()
    }

    pub(crate) fn failed(&self, reason: &str, about: Option<(ErrorKind, Pe)>) {
        lock(&self.state).failed = Some((reason.into(), about));
        self.changed.notify_all();
    }

    pub(crate) fn subscribe(&self, on_death: OnDeath) {
        lock(&self.state).new_subscribers.push_back(on_death);
        self.wake();
    }

    /// Ends the monitor thread. From now on the end of the connection does not count as a death.
    pub(crate) fn close(&self) {
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
            FrameKind::Dead if !state.left && pe != self.pe => state.add_dead(pe, text_of(frame.blob)),
            FrameKind::Failure => {
                let failure = (failure_kind(frame.op), pe, text_of(frame.blob));
                let next = state.next;
                match state.call.as_mut().filter(|call| call.seq == frame.seq) {
                    Some(call) => call.failure = Some(failure),
                    None if frame.seq >= next => drop(state.failed_ahead.insert(frame.seq, failure)),
                    // A failure of an abandoned call is late: ignore it.
                    None => return,
                }
            }
            FrameKind::Part => {
                let any_dead = !state.dead.is_empty();
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
                call.is_late = any_dead;
                state.left |= leaves;
            }
            _ => {}
        }
        self.changed.notify_all();
    }

    /// Records that a PE is dead as its siblings see it.
    pub(super) fn hear_of(&self, pe: u32, reason: String) {
        let mut state = lock(&self.state);
        state.heard.push((Pe::new(pe), reason));
        state.believe();
        self.changed.notify_all();
    }

    /// Records that the connection towards the root ended, unless that is expected.
    fn parent_is_gone(&self, reason: String) {
        let mut state = lock(&self.state);
        if !state.closing && !state.left {
            state.add_dead(self.connection.parent(), reason);
            self.changed.notify_all();
        }
    }
}

impl MonitorState {
    fn check_open(&self, action: impl Fn() -> String) -> Result<()> {
        if self.left || self.closing {
            return Err(Error::new(ErrorKind::InvalidArgument, action()).because("this PE has left the world"));
        }
        self.check_alive(action)
    }

    /// Records a death, once.
    fn add_dead(&mut self, pe: Pe, reason: String) {
        if !self.is_dead(pe) {
            self.dead.push((pe, reason));
            self.believe();
        }
    }

    /// Records the deaths that siblings reported if the root is dead.
    fn believe(&mut self) {
        if !self.left && self.is_dead(ROOT) {
            std::mem::take(&mut self.heard).into_iter().for_each(|(pe, reason)| self.add_dead(pe, reason));
        }
    }

    fn is_dead(&self, pe: Pe) -> bool {
        self.dead.iter().any(|(dead, _)| *dead == pe)
    }

    fn check_alive(&self, action: impl Fn() -> String) -> Result<()> {
        if let Some((reason, about)) = &self.failed {
            let error = |kind| Error::new(kind, action()).because(format!("this PE failed: {reason}"));
            return Err(about.map_or_else(|| error(ErrorKind::PeerDied), |(kind, pe)| error(kind).about(pe)));
        }
        match self.dead.first() {
            None => Ok(()),
            Some((pe, reason)) => {
                Err(Error::new(ErrorKind::PeerDied, action()).because(format!("{pe} died: {reason}")).about(*pe))
            }
        }
    }
}

/// Runs the monitor thread: reads the root's frames and reports deaths to the subscribers.
pub(crate) fn watch(monitor: &Monitor) {
    let mut inbox = Inbox::default();
    let mut buffer = vec![0; 1 << 16];
    // Each with the number of deaths reported to it.
    let mut subscribers: Vec<(OnDeath, usize)> = Vec::new();
    let mut siblings = Siblings::default();
    let mut connected = true;
    loop {
        let dead = report_deaths(monitor, &mut subscribers);
        if lock(&monitor.state).closing {
            return;
        }
        siblings.tell(monitor, &dead);
        let mut fds = vec![PollFd::new(monitor.wake.as_fd(), PollFlags::POLLIN)];
        fds.extend(siblings.connected.iter().map(Member::poll_fd));
        if connected {
            fds.push(PollFd::new(monitor.connection.as_fd(), PollFlags::POLLIN));
        }
        if poll(&mut fds, Deadline::at(None)).is_err() {
            std::thread::yield_now();
            continue;
        }
        let ready: Vec<bool> = fds.iter().map(|fd| fd.any().unwrap_or(true)).collect();
        if ready[0] {
            let _ = monitor.wake.read();
        }
        let (of_siblings, own) = ready[1..].split_at(siblings.connected.len());
        if own.contains(&true)
            && let Err(reason) = read(monitor, &mut inbox, &mut buffer)
        {
            connected = false;
            monitor.parent_is_gone(reason);
        }
        siblings.serve(monitor, of_siblings, &mut buffer);
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

/// Reports the new deaths to the subscribers, and returns all deaths.
fn report_deaths(monitor: &Monitor, subscribers: &mut Vec<(OnDeath, usize)>) -> Vec<(Pe, String)> {
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
    dead
}

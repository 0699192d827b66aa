//! One PE's side of its connection to the root: collective calls, mail, and the outcome of exchanges outside of the
//! calls. The monitor thread reads the results and the mail.
//!
//! # Mail
//!
//! A message travels through the tree: up to the first PE whose subtree has its destination, then down. Messages from
//! one PE to another arrive in order. A message to a PE that is gone is dropped, and the sender is notified of that
//! death as of any other. Children of a dead root send to each other directly ([`monitor::siblings`]). The
//! destination's monitor thread passes the message on, so that its program need not make a call.

pub(crate) mod fds;
pub(crate) mod host_calls;
pub(crate) mod monitor;
pub(crate) mod swap;

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use oxshmem_core::{Error, ErrorKind, Pe, Result};
use oxshmem_raw::transport::{PeerEvent, PeerMessages};

use self::host_calls::HostCalls;
pub use self::monitor::OnDeath;
pub(crate) use self::monitor::{Monitor, lock, watch};
use crate::bootstrap::connection::{Connection, DESCRIPTORS_HINT, Deadline, grace};
use crate::bootstrap::frame::{
    Frame, FrameKind, MAX_BLOB_BYTES, Op, action, connect_hint, failure_code, text_of, too_long,
};
use crate::bootstrap::meeting::handshake::derive;
use crate::bootstrap::meeting::uid::Secret;

/// One PE's collective calls, made one at a time over its connection to the root.
pub(crate) struct Calls {
    pub pe: Pe,
    pub n_pes: u32,
    pub limit: Option<Duration>,
    /// Indexed by PE; set after the first call.
    pub same_host: Vec<bool>,
    pub monitor: Arc<Monitor>,
    /// Calls in shared memory, if all PEs are on one host.
    pub host_calls: Option<HostCalls>,
    /// The sequence number of the next call at the root. The lock is held during a call, which serializes the calls of
    /// one PE.
    next: Mutex<u64>,
}

impl Calls {
    /// Returns the calls of `pe`.
    pub(crate) fn new(pe: Pe, n_pes: u32, limit: Option<Duration>, connection: Connection) -> Result<Self> {
        let monitor = Monitor::new(connection, pe, n_pes)?;
        let same_host = vec![false; n_pes as usize];
        Ok(Self { pe, n_pes, limit, same_host, monitor, host_calls: None, next: Mutex::new(0) })
    }

    pub(crate) fn is_same_host(&self, pe: Pe) -> bool {
        self.same_host.get(pe.index()).copied().unwrap_or(false)
    }

    /// Returns whether this PE's next call is already known to fail.
    pub(crate) fn next_call_fails(&self) -> bool {
        self.monitor.fails_ahead(*lock(&self.next))
    }

    pub(crate) fn call(&self, op: Op, step: &str, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        if let Some((asked, limit, what)) = too_long(step, mine) {
            let text = format!("{} gave {what} of {asked} bytes, {limit} are allowed", self.pe);
            self.refuse(op, "", ErrorKind::OutOfRange, &text)?;
            let error = Error::new(ErrorKind::OutOfRange, action(op, step)).because(format!("{what} is too long"));
            return Err(error.amount(asked as u64, limit as u64, "bytes").about(self.pe));
        }
        self.make_call(FrameKind::Arrive, op, step, mine)
            .map_err(|error| if op == Op::Connect { connect_hint(error) } else { error })
    }

    /// Makes a call in which all PEs pass the same values, or get an error that names the first one that differs.
    pub(crate) fn agree(&self, step: &str, values: &[(&'static str, u64)]) -> Result<()> {
        let mut mine = Vec::with_capacity(values.iter().map(|(what, _)| size_of::<u64>() + 1 + what.len()).sum());
        for (what, value) in values {
            mine.extend(value.to_le_bytes());
            mine.push(what.len() as u8);
            mine.extend(what.as_bytes());
        }
        let all = self.call(Op::Agree, step, &mine)?;
        let Some((pe, other)) = (0..).zip(&all).find(|(_, other)| **other != all[0]) else { return Ok(()) };
        let (of_0, of_n) = (read_agreement(&all[0]), read_agreement(other));
        let at = of_0.iter().zip(&of_n).position(|(a, b)| a != b).unwrap_or(of_0.len().min(of_n.len()));
        let nothing = (0, "nothing".to_owned());
        let ((value_0, what_0), (value_n, what_n)) =
            (of_0.get(at).unwrap_or(&nothing), of_n.get(at).unwrap_or(&nothing));
        let reason = match what_0 == what_n {
            true => format!("the PEs differ in {what_0}: PE 0 gave {value_0}, PE {pe} gave {value_n}"),
            false => format!("the PEs differ in what they agree on: PE 0 gave {what_0}, PE {pe} gave {what_n}"),
        };
        Err(Error::new(ErrorKind::Mismatch, action(Op::Agree, step)).because(reason).about(Pe::new(pe)))
    }

    /// Arrives at a call only to report that this PE can't take part; all PEs get this error. Fails only if the report
    /// could not be made.
    pub(crate) fn refuse(&self, op: Op, step: &str, kind: ErrorKind, text: &str) -> Result<()> {
        let blob = [&[failure_code(kind)], text.as_bytes()].concat();
        match self.make_call(FrameKind::Refuse, op, step, &blob) {
            Err(error) if error.kind() == ErrorKind::PeerDied => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes one call: in shared memory if it can, or else sends a frame with the next sequence number and waits for
    /// the result.
    fn make_call(&self, kind: FrameKind, op: Op, step: &str, blob: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut next = lock(&self.next);
        if let Some(host_calls) = &self.host_calls {
            // The action's text is made only for an error: it would take a third of the time of a call in shared memory.
            if !self.monitor.fails_ahead(*next) {
                self.monitor.check_open(|| action(op, step))?;
            }
            if kind != FrameKind::Arrive {
                host_calls.leave_to_root();
            } else if let Some(all) = host_calls.make(op, step, blob) {
                return Ok(all);
            }
        }
        let (seq, action) = (*next, action(op, step));
        self.monitor.begin(seq, op as u8, &action)?;
        *next += 1;
        // The root ends the wait at the limit. If it does not, this PE ends the wait a little later.
        let deadline = Deadline::after(self.limit.map(|limit| limit + grace(limit)));
        self.monitor.send(&Frame { kind, op: op as u8, pe: self.pe.number(), count: 1, seq, step, blob }, deadline);
        self.monitor.finish(&action, deadline, &self.monitor.connection.no_answer(self.limit.unwrap_or_default()))
    }
}

/// Reads the values of an agreement, each with its name.
fn read_agreement(mut blob: &[u8]) -> Vec<(u64, String)> {
    let mut values = Vec::new();
    while let Some((value, rest)) = blob.split_first_chunk() {
        let Some((length, rest)) = rest.split_first() else { break };
        let (what, rest) = rest.split_at(rest.len().min((*length).into()));
        values.push((u64::from_le_bytes(*value), text_of(what)));
        blob = rest;
    }
    values
}

/// Called for each message with its sender.
type OnMail = Box<dyn Fn(Pe, &[u8]) + Send + Sync>;

/// The functions that take the mail of this PE, by channel.
#[derive(Default)]
pub(crate) struct Mailbox(Mutex<Vec<(u8, OnMail)>>);

impl Mailbox {
    /// Passes a message to its channel's readers; drops it if the channel has none.
    pub(crate) fn deliver(&self, frame: &Frame<'_>) {
        for (_, read) in lock(&self.0).iter().filter(|(channel, _)| *channel == frame.op) {
            // A panic in a reader must not stop the monitor thread.
            let read = || read(Pe::new(frame.seq as u32), frame.blob);
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        }
    }
}

/// The owner of a PE's calls, unless it is gone.
pub(crate) type WeakCalls = Weak<dyn AsRef<Calls> + Send + Sync>;

/// This PE's end of a channel. It does not keep the world alive.
pub struct Mail {
    calls: WeakCalls,
    channel: u8,
}

impl Mail {
    pub(crate) fn new(calls: WeakCalls, channel: u8) -> Self {
        Self { calls, channel }
    }
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mail(channel {})", self.channel)
    }
}

impl PeerMessages for Mail {
    fn send(&self, to: Pe, message: &[u8]) -> Result<()> {
        let error = |kind| Error::new(kind, format!("send a message to {to}")).about(to);
        let owner = self.calls.upgrade();
        let owner = owner.ok_or_else(|| error(ErrorKind::Refused).because("this PE has left the world"))?;
        if message.len() > MAX_BLOB_BYTES {
            return Err(error(ErrorKind::OutOfRange).amount(message.len() as u64, MAX_BLOB_BYTES as u64, "bytes"));
        }
        let calls = (*owner).as_ref();
        let seq = calls.pe.number().into();
        let frame =
            Frame { kind: FrameKind::Mail, op: self.channel, pe: to.number(), count: 0, seq, step: "", blob: message };
        if !calls.monitor.mail_sibling(&frame) {
            calls.monitor.send(&frame, Deadline::after(calls.limit));
        }
        Ok(())
    }

    fn receive(&self, act: Box<dyn Fn(Pe, PeerEvent<'_>) + Send + Sync>) {
        let Some(owner) = self.calls.upgrade() else { return };
        let act = std::sync::Arc::new(act);
        let of_death = act.clone();
        let monitor = &(*owner).as_ref().monitor;
        let read: OnMail = Box::new(move |from, message| act(from, PeerEvent::Message(message)));
        lock(&monitor.mailbox.0).push((self.channel, read));
        monitor.subscribe(Box::new(move |pe, reason| of_death(pe, PeerEvent::Died(reason))));
    }
}

/// A failed step of the exchange on this PE.
pub(crate) struct ExchangeError {
    /// It is a consequence of another PE's failure.
    pub is_consequence: bool,
    pub kind: ErrorKind,
    pub text: String,
}

/// Agrees with all PEs on whether the exchange succeeded on each.
pub(crate) fn agree_on_outcome<T>(calls: &Calls, op: Op, step: &str, received: Result<T, ExchangeError>) -> Result<T> {
    let report = match &received {
        Ok(_) => Vec::new(),
        // The PE that failed first reports the cause.
        Err(failed) if failed.is_consequence => failed.text.as_bytes().to_vec(),
        Err(_) => return received.or_else(|failed| failed.refuse(calls, op, step)),
    };
    let all = calls.call(op, step, &report)?;
    match (0..).zip(&all).find(|(_, report)| !report.is_empty()) {
        None => received.map_err(|failed| failed.error(op, step, calls.pe)),
        Some((pe, report)) => Err(ExchangeError::new(ErrorKind::Timeout, text_of(report)).error(op, step, Pe::new(pe))),
    }
}

impl ExchangeError {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { is_consequence: matches!(kind, ErrorKind::Timeout | ErrorKind::PeerDied), kind, text: text.into() }
    }

    /// Returns the failure of this PE that follows from the failure of `pe`.
    pub(crate) fn because_of(pe: u32) -> Self {
        Self { is_consequence: true, kind: ErrorKind::System, text: format!("PE {pe} offered none") }
    }

    fn message(&self, op: Op, pe: Pe) -> String {
        format!("{pe} could not pass {}: {}", op.name(), self.text)
    }

    pub(crate) fn error(&self, op: Op, step: &str, pe: Pe) -> Error {
        Error::new(self.kind, action(op, step)).because(self.message(op, pe)).about(pe)
    }

    /// Makes the call fail on all PEs for this reason.
    pub(crate) fn refuse<T>(&self, calls: &Calls, op: Op, step: &str) -> Result<T> {
        calls.refuse(op, step, self.kind, &self.message(op, calls.pe))?;
        Err(self.error(op, step, calls.pe))
    }
}

impl From<Error> for ExchangeError {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

impl From<io::Error> for ExchangeError {
    fn from(error: io::Error) -> Self {
        let kind = match error.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE | libc::ETOOMANYREFS | libc::ENOBUFS) => ErrorKind::Exhausted,
            _ if error.kind() == io::ErrorKind::TimedOut => ErrorKind::Timeout,
            _ => ErrorKind::System,
        };
        let hint = match kind {
            ErrorKind::Exhausted => format!(" ({DESCRIPTORS_HINT})"),
            _ => String::new(),
        };
        // A connection ends early because the other side gave up.
        use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, TimedOut, UnexpectedEof};
        let is_consequence =
            matches!(error.kind(), TimedOut | UnexpectedEof | ConnectionReset | ConnectionRefused | BrokenPipe);
        Self { is_consequence, kind, text: format!("{error}{hint}") }
    }
}

/// Interval at which a wait of an exchange checks for dead PEs.
const DEATH_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// An exchange in progress between PEs that connect to each other.
pub(crate) struct Exchange<'a> {
    pub calls: &'a Calls,
    op: Op,
    step: &'a str,
    pub deadline: Deadline,
    /// Distinguishes its secrets from those of other kinds of exchange.
    purpose: &'static [u8],
    secret: &'a Secret,
    /// The number of the exchange in its world.
    number: u64,
}

impl<'a> Exchange<'a> {
    /// Returns an exchange that must end within the limit of calls.
    pub(crate) fn new(
        calls: &'a Calls,
        (op, purpose): (Op, &'static [u8]),
        step: &'a str,
        secret: &'a Secret,
        number: u64,
    ) -> Self {
        Self { calls, op, step, deadline: Deadline::after(calls.limit), purpose, secret, number }
    }

    /// Returns the secret of the connections that `pe` accepts. Each exchange has its own.
    pub(crate) fn secret_of(&self, pe: u32) -> Secret {
        let purpose = [self.purpose, &pe.to_le_bytes(), &self.number.to_le_bytes()].concat();
        derive(self.secret, &purpose)
    }

    /// Returns the time at which a wait ends to check for dead PEs.
    pub(crate) fn next_check(&self) -> Deadline {
        self.deadline.within(DEATH_CHECK_INTERVAL)
    }

    /// Returns an error if the exchange can't succeed any more: a PE died, another PE refused, or the limit has passed.
    pub(crate) fn check_progress(&self) -> Result<(), ExchangeError> {
        let died = |error: Error| ExchangeError::new(ErrorKind::PeerDied, error.to_string());
        self.calls.monitor.check_alive(|| action(self.op, self.step)).map_err(died)?;
        if self.calls.next_call_fails() {
            return Err(ExchangeError {
                is_consequence: true,
                kind: ErrorKind::System,
                text: "another PE could not".into(),
            });
        }
        match self.deadline.passed() {
            true => Err(ExchangeError::new(ErrorKind::Timeout, "a PE did not connect within the limit")),
            false => Ok(()),
        }
    }
}

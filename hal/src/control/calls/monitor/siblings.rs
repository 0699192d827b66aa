//! Connections among the children of the root, which stay when the root is dead.
//!
//! 1. Each child of the root listens before the first call, in which it gives its addresses to all PEs.
//! 2. After that call a thread connects to the siblings with lower numbers, accepts the others, and ends. A sibling that
//!    it can't reach is left out: the world does without the connection until the root dies.
//! 3. The monitor thread keeps the connections. It takes the end of one for a death once the root is dead, and not
//!    before, because a PE that leaves properly closes them too.
//! 4. Once the root is dead, each child passes every death that it knows on: to its siblings, and to its own subtree.
//!    Mail from sibling to sibling goes by these connections, and waits for a connection that is being made.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags};
use oxshmem_core::{Error, ErrorKind, Pe};

use super::{Monitor, ROOT, SiblingMail, lock};
use crate::bootstrap::addresses;
use crate::bootstrap::connection::{Connection, Deadline, poll};
use crate::bootstrap::frame::{Frame, FrameKind, death, text_of};
use crate::bootstrap::meeting::handshake::{Admission, AdmittedPe, derive};
use crate::bootstrap::meeting::uid::Secret;
use crate::bootstrap::meeting::{AttemptError, Ends, Location, join};
use crate::bootstrap::tree::Member;
use crate::bootstrap::tree::joining::ForSiblings;

/// Longest time for reaching one sibling, and for waiting for those that have not connected.
const MEETING_LIMIT: Duration = Duration::from_secs(20);
/// Interval at which the meeting checks whether this PE ends its part in the world.
const END_CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Longest time for passing a death on to this PE's own hub.
const PASS_ON_LIMIT: Duration = Duration::from_secs(1);

/// Encodes a PE's data in the first call: its host's identity, and the addresses for its siblings if it has any.
pub(crate) fn announcement(identity: &[u8], listens: Option<&ForSiblings>) -> Vec<u8> {
    let addresses = listens.map(|(_, addresses)| addresses::encode(addresses)).unwrap_or_default();
    [&(identity.len() as u32).to_le_bytes(), identity, &addresses[..]].concat()
}

/// Decodes identity and addresses.
pub(crate) fn announced(bytes: &[u8]) -> (&[u8], &[u8]) {
    let parts = bytes
        .split_first_chunk()
        .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize));
    parts.unwrap_or((bytes, &[]))
}

/// Connects this PE to its siblings, which announced these addresses, and gives the connections to the monitor, which
/// expects them.
pub(crate) fn meet(
    listener: &TcpListener,
    all: &BTreeMap<u32, Vec<SocketAddr>>,
    n_pes: u32,
    secret: &Secret,
    monitor: &Monitor,
) {
    let me = monitor.pe.number();
    let secret_of = |pe: u32| derive(secret, &[b"sibling".as_slice(), &pe.to_le_bytes()].concat());
    for (&pe, addresses) in all.range(..me) {
        let ends = Ends { pe: monitor.pe, n_pes, to: Pe::new(pe) };
        let find = || match monitor.is_closing() {
            true => Err(AttemptError::Final(Error::new(ErrorKind::Refused, "connect to a sibling"))),
            false => Ok(Location { addresses: addresses.clone(), secret: secret_of(pe), may_be_stale: false }),
        };
        if let Ok((connection, _)) = join(ends, "", Some(MEETING_LIMIT), find) {
            monitor.add_sibling(Member::new(connection, pe..pe + 1));
        }
    }
    let mut admission = Admission::new(secret_of(me), n_pes, me, all.range(me + 1..).map(|(pe, _)| *pe));
    let deadline = Deadline::after(Some(MEETING_LIMIT));
    if listener.set_nonblocking(true).is_err() {
        return;
    }
    while !admission.is_complete() && !deadline.passed() && !monitor.is_closing() {
        let mut fds = vec![PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        fds.extend(admission.sockets().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        if poll(&mut fds, deadline.within(END_CHECK_INTERVAL)).is_err() {
            return;
        }
        let ready: Vec<bool> = fds.iter().map(|fd| fd.any().unwrap_or(true)).collect();
        if ready[0]
            && let Ok((stream, _)) = listener.accept()
            && let Ok(connection) = Connection::tcp(stream)
        {
            admission.add(connection);
        }
        for AdmittedPe { pe, connection } in admission.advance(&ready[1..]) {
            monitor.add_sibling(Member::new(connection, pe..pe + 1));
        }
    }
}

impl Monitor {
    /// Names the root's children. Until [`siblings_met`](Self::siblings_met) their connections are expected, and mail
    /// for them waits.
    pub(crate) fn expect_siblings(&self, children: impl Iterator<Item = u32>) {
        let mut state = lock(&self.state);
        state.siblings = children.filter(|pe| *pe != self.pe.number()).collect();
        state.siblings_meet = true;
    }

    /// Adds a connection to a sibling.
    fn add_sibling(&self, sibling: Member) {
        lock(&self.state).new_siblings.push(sibling);
        self.wake();
    }

    /// Records that no further sibling will connect.
    pub(crate) fn siblings_met(&self) {
        lock(&self.state).siblings_meet = false;
        self.wake();
    }

    /// Returns whether further siblings may still connect.
    pub(crate) fn is_meeting_siblings(&self) -> bool {
        lock(&self.state).siblings_meet
    }

    /// Sends mail to a sibling if the root, by which mail travels otherwise, is dead. Returns whether it does.
    pub(in crate::control::calls) fn mail_sibling(&self, mail: &Frame<'_>) -> bool {
        let mut state = lock(&self.state);
        let sends = state.is_dead(ROOT) && state.siblings.contains(&mail.pe);
        if sends {
            state.mail.push((mail.pe, mail.encoded()));
            self.wake();
        }
        sends
    }

    /// Takes the connections that were added, and the mail for siblings. Also returns whether further ones may connect.
    fn take_for_siblings(&self) -> (Vec<Member>, Vec<SiblingMail>, bool) {
        let mut state = lock(&self.state);
        (std::mem::take(&mut state.new_siblings), std::mem::take(&mut state.mail), state.siblings_meet)
    }
}

/// The monitor thread's connections to the PE's siblings.
#[derive(Default)]
pub(super) struct Siblings {
    /// Those whose connections have not ended.
    pub connected: Vec<Member>,
    /// Whether there has been one.
    any: bool,
    /// Number of the deaths that this PE has passed on.
    passed_on: usize,
    /// Mail for siblings that have not connected yet.
    waiting: Vec<SiblingMail>,
}

impl Siblings {
    /// Passes each death on once the root is dead: to the siblings, and to this PE's own hub for its subtree. Sends the
    /// mail for siblings.
    pub(super) fn tell(&mut self, monitor: &Monitor, dead: &[(Pe, String)]) {
        let (new, mail, more_may_connect) = monitor.take_for_siblings();
        let announce = |(pe, reason): &(Pe, String)| death(pe.number(), reason);
        for mut sibling in new {
            sibling.queue(dead[..self.passed_on].iter().flat_map(announce));
            self.connected.push(sibling);
            self.any = true;
        }
        if self.any && dead.iter().any(|(pe, _)| *pe == ROOT) {
            for piece in dead[self.passed_on..].iter().flat_map(announce) {
                self.connected.iter_mut().for_each(|sibling| sibling.queue([piece.clone()]));
                // Without a hub this is the connection to the root, which ignores it.
                monitor.send_encoded(&[&piece], Deadline::after(Some(PASS_ON_LIMIT)));
            }
            self.passed_on = dead.len();
        }
        self.waiting.extend(mail);
        self.waiting.retain(|(to, mail)| {
            let Some(sibling) = self.connected.iter_mut().find(|sibling| sibling.pes.start == *to) else {
                return more_may_connect;
            };
            sibling.queue([mail.clone()]);
            false
        });
    }

    /// Reads from the connections that are ready, and sends as much as fits.
    pub(super) fn serve(&mut self, monitor: &Monitor, ready: &[bool], buffer: &mut [u8]) {
        let mut ready = ready.iter();
        self.connected.retain_mut(|sibling| {
            let ready = ready.next().is_some_and(|ready| *ready);
            let read = if ready { sibling.read(buffer).and_then(|()| hear(monitor, sibling)) } else { Ok(()) };
            let mut flush = || sibling.flush().map_err(|error| format!("its connection broke: {error}"));
            match read.and_then(|()| flush()) {
                Ok(()) => true,
                Err(reason) => {
                    monitor.hear_of(sibling.pes.start, reason);
                    false
                }
            }
        });
    }
}

/// Takes the frames of a sibling.
fn hear(monitor: &Monitor, sibling: &mut Member) -> Result<(), String> {
    let me = monitor.pe.number();
    while let Some(frame) = sibling.inbox.next().map_err(|malformed| malformed.to_string())? {
        match frame.kind {
            FrameKind::Dead if frame.pe == me => {}
            FrameKind::Dead => monitor.hear_of(frame.pe, text_of(frame.blob)),
            FrameKind::Mail if frame.pe == me && frame.seq == sibling.pes.start.into() => {
                monitor.mailbox.deliver(&frame);
            }
            _ => return Err("it sent a message that is not for a sibling".into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_for_a_sibling_waits_until_the_sibling_connects_or_no_more_can() {
        let (upwards, _root) = Connection::pair().unwrap();
        let monitor = Monitor::new(upwards, Pe::new(1), 4).unwrap();
        monitor.expect_siblings([1, 2, 3].into_iter());
        let mail = |to| Frame { kind: FrameKind::Mail, op: 1, pe: to, count: 0, seq: 1, step: "", blob: b"to it" };
        assert!(!monitor.mail_sibling(&mail(2)), "the root passes mail on");
        monitor.parent_is_gone("it was killed".into());
        assert!(monitor.mail_sibling(&mail(2)) && monitor.mail_sibling(&mail(3)));
        assert!(!monitor.mail_sibling(&mail(1)), "a PE is no sibling of its own");

        let mut siblings = Siblings::default();
        siblings.tell(&monitor, &[]);
        let (ours, theirs) = Connection::pair().unwrap();
        monitor.add_sibling(Member::new(ours, 2..3));
        siblings.tell(&monitor, &[]);
        siblings.serve(&monitor, &[false], &mut []);
        let wanted = mail(2).encoded();
        let mut got = vec![0; wanted.len()];
        theirs.recv_all(&mut got, Deadline::after(Some(MEETING_LIMIT))).unwrap();
        assert_eq!(got, *wanted);
        assert_eq!(siblings.waiting.len(), 1, "PE 3 may still connect");

        monitor.siblings_met();
        siblings.tell(&monitor, &[]);
        assert_eq!(siblings.waiting, []);
    }
}

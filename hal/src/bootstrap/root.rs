//! The root's thread: admits the PEs, reads their frames, and sends them the messages of the collective state.

use std::collections::VecDeque;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};

use super::collective::{CollectiveState, Message};
use super::connection::{Connection, Deadline, poll};
use super::frame::Inbox;
use super::handshake::{Admission, AdmittedPe};
use super::meeting::stop_listening;

/// Longest time for sending the last messages of a world.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);
/// Pause after the listener fails, which happens when this process is out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// One admitted PE.
struct Member {
    connection: Connection,
    inbox: Inbox,
    /// Pieces to send. Of the first one, `sent` bytes are sent.
    outbox: VecDeque<Arc<[u8]>>,
    sent: usize,
}

impl Member {
    fn new(connection: Connection) -> Self {
        Self { connection, inbox: Inbox::default(), outbox: VecDeque::new(), sent: 0 }
    }

    /// Sends as much as fits now.
    fn flush(&mut self) -> io::Result<()> {
        while let Some(first) = self.outbox.front() {
            match self.connection.send_some(&first[self.sent..]) {
                Ok(bytes) => self.sent += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            if self.sent == first.len() {
                self.outbox.pop_front();
                self.sent = 0;
            }
        }
        Ok(())
    }
}

pub(super) struct Root {
    state: CollectiveState,
    /// Indexed by PE; `None` before it is admitted and after it is gone.
    members: Vec<Option<Member>>,
    /// Admits PEs; `None` once all are connected.
    admission: Option<Admission>,
    listener: Option<TcpListener>,
    /// Runs once all PEs are connected; removes the file by which they found the root.
    when_complete: Option<Box<dyn FnOnce() + Send>>,
    messages: Vec<Message>,
}

impl Root {
    /// Builds the root of a world whose PEs are already connected, indexed by PE.
    pub(super) fn complete(connections: Vec<Connection>, limit: Option<Duration>) -> Self {
        let state = CollectiveState::new(connections.len() as u32, limit);
        let members = connections.into_iter().map(|connection| Some(Member::new(connection))).collect();
        Self { state, members, admission: None, listener: None, when_complete: None, messages: Vec::new() }
    }

    /// Builds the root of a world with PE 0 connected; the other PEs connect to `listener`.
    pub(super) fn open(
        pe_0: Connection,
        listener: TcpListener,
        admission: Admission,
        limit: Option<Duration>,
        when_complete: Box<dyn FnOnce() + Send>,
    ) -> Self {
        let n_pes = admission.n_pes();
        let mut members: Vec<Option<Member>> = (0..n_pes).map(|_| None).collect();
        members[0] = Some(Member::new(pe_0));
        Self {
            state: CollectiveState::new(n_pes, limit),
            members,
            admission: Some(admission),
            listener: Some(listener),
            when_complete: Some(when_complete),
            messages: Vec::new(),
        }
    }

    /// Serves until all PEs have left or PE 0 is gone, and the last messages are sent.
    pub(super) fn serve(mut self) {
        let mut paused_until = None;
        let mut buffer = vec![0; 1 << 16];
        let mut last = None;
        loop {
            self.stop_admission_when_complete();
            let over = self.state.left() || self.members[0].is_none();
            if over {
                let all_sent = self.members.iter().flatten().all(|member| member.outbox.is_empty());
                let until = *last.get_or_insert_with(|| Instant::now() + FLUSH_LIMIT);
                if all_sent || Instant::now() >= until {
                    return;
                }
            }
            let ReadySockets { members, listener, unproven } = match self.wait(last, paused_until) {
                Ok(ready) => ready,
                // `poll` itself fails only for lack of memory: retry after a pause.
                Err(_) => {
                    std::thread::sleep(ACCEPT_PAUSE);
                    continue;
                }
            };
            for (pe, ready) in members {
                self.serve_member(pe, ready, &mut buffer);
            }
            if listener {
                paused_until = self.accept();
            }
            self.admit(&unproven);
            self.state.tick(Instant::now(), &mut self.messages);
            self.post();
        }
    }

    fn wait(&self, last: Option<Instant>, paused_until: Option<Instant>) -> io::Result<ReadySockets> {
        let mut fds = Vec::with_capacity(self.members.len() + 8);
        let mut members = Vec::with_capacity(self.members.len());
        for (pe, member) in (0..).zip(&self.members) {
            if let Some(member) = member {
                let out = if member.outbox.is_empty() { PollFlags::empty() } else { PollFlags::POLLOUT };
                fds.push(PollFd::new(member.connection.as_fd(), PollFlags::POLLIN | out));
                members.push(pe);
            }
        }
        let paused = paused_until.filter(|&until| Instant::now() < until);
        let listener_at = fds.len();
        let listener = self.listener.as_ref().filter(|_| paused.is_none());
        fds.extend(listener.map(|listener| PollFd::new(listener.as_fd(), PollFlags::POLLIN)));
        let strangers_at = fds.len();
        if let Some(admission) = &self.admission {
            fds.extend(admission.sockets().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        }
        let admission_deadline = self.admission.as_ref().and_then(Admission::deadline);
        let moments = [self.state.deadline(), admission_deadline, last, paused];
        poll(&mut fds, Deadline::at(moments.into_iter().flatten().min()))?;
        let ready = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
        Ok(ReadySockets {
            members: members
                .into_iter()
                .zip(&fds)
                .filter(|(_, fd)| ready(fd))
                .map(|(pe, fd)| (pe, fd.revents().unwrap_or(PollFlags::POLLIN)))
                .collect(),
            listener: fds[listener_at..strangers_at].iter().any(ready),
            unproven: fds[strangers_at..].iter().map(ready).collect(),
        })
    }

    /// Reads from one PE that is ready, and sends the messages that result.
    fn serve_member(&mut self, pe: u32, ready: PollFlags, buffer: &mut [u8]) {
        let Some(member) = &mut self.members[pe as usize] else { return };
        if ready.intersects(!PollFlags::POLLOUT) {
            match member.connection.recv_some(buffer) {
                Ok(0) => return self.gone(pe, "its connection closed before it left"),
                Ok(bytes) => member.inbox.push(&buffer[..bytes]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return self.gone(pe, &format!("its connection broke: {error}")),
            }
            let now = Instant::now();
            let broken = loop {
                match member.inbox.next() {
                    Ok(Some(frame)) => {
                        if let Err(reason) = self.state.receive(pe, &frame, now, &mut self.messages) {
                            break Some(reason);
                        }
                    }
                    Ok(None) => break None,
                    Err(malformed) => break Some(malformed.to_string()),
                }
            };
            if let Some(reason) = broken {
                self.gone(pe, &reason);
            }
        }
        self.post();
    }

    /// Moves the messages of the collective state to the outboxes and sends as much as fits.
    fn post(&mut self) {
        while !self.messages.is_empty() {
            for message in std::mem::take(&mut self.messages) {
                // A PE that is gone receives nothing.
                let Some(member) = &mut self.members[message.to as usize] else { continue };
                member.outbox.extend(message.pieces);
            }
            self.flush();
        }
        self.flush();
    }

    fn flush(&mut self) {
        for pe in 0..self.members.len() as u32 {
            let Some(member) = &mut self.members[pe as usize] else { continue };
            if let Err(error) = member.flush() {
                self.gone(pe, &format!("its connection broke: {error}"));
            }
        }
    }

    fn gone(&mut self, pe: u32, reason: &str) {
        self.members[pe as usize] = None;
        self.state.died(pe, reason, &mut self.messages);
    }

    /// Accepts one connection. If the listener fails, returns the moment until which to pause it.
    fn accept(&mut self) -> Option<Instant> {
        let (Some(listener), Some(admission)) = (&self.listener, &mut self.admission) else { return None };
        match listener.accept() {
            Ok((stream, _)) => {
                // A connection that has ended already needs no handling.
                let _ = Connection::tcp(stream).map(|connection| admission.add(connection));
                None
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => None,
            Err(_) => Some(Instant::now() + ACCEPT_PAUSE),
        }
    }

    fn admit(&mut self, ready: &[bool]) {
        let Some(admission) = &mut self.admission else { return };
        for AdmittedPe { pe, connection } in admission.advance(ready) {
            self.members[pe as usize] = Some(Member::new(connection));
        }
    }

    fn stop_admission_when_complete(&mut self) {
        if self.admission.as_ref().is_some_and(Admission::is_complete) {
            self.admission = None;
            if let Some(listener) = self.listener.take() {
                stop_listening(&listener);
            }
            if let Some(on_complete) = self.when_complete.take() {
                on_complete();
            }
        }
    }
}

/// The sockets that a wait found ready.
struct ReadySockets {
    members: Vec<(u32, PollFlags)>,
    listener: bool,
    /// In the order of [`Admission::sockets`] at the time of the wait.
    unproven: Vec<bool>,
}

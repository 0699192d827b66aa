//! The root's thread: admits the PEs, reads what they say, and sends them the hub's letters.

use std::collections::VecDeque;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};

use super::collective::{Hub, Letter};
use super::connection::{Deadline, Inbox, Link, poll};
use super::handshake::{Admission, Door};

/// How long the last letters of a world may take to be sent.
const FLUSH: Duration = Duration::from_secs(2);
/// How long the listener is left alone after it failed, which it does when this process is out of descriptors.
const REST: Duration = Duration::from_millis(50);

/// One admitted PE.
struct Member {
    link: Link,
    inbox: Inbox,
    /// What is to be sent, and how much of the first is sent.
    outbox: VecDeque<Arc<[u8]>>,
    sent: usize,
}

impl Member {
    fn new(link: Link) -> Self {
        Self { link, inbox: Inbox::default(), outbox: VecDeque::new(), sent: 0 }
    }

    /// Sends what fits.
    fn flush(&mut self) -> io::Result<()> {
        while let Some(first) = self.outbox.front() {
            match self.link.send_some(&first[self.sent..]) {
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
    hub: Hub,
    /// Indexed by PE. A PE that is gone has none.
    members: Vec<Option<Member>>,
    /// Where PEs come in; none once all are here.
    door: Option<Door>,
    listener: Option<TcpListener>,
    /// Run once all are here: the file that led them here goes away.
    when_all_are_here: Option<Box<dyn FnOnce() + Send>>,
    letters: Vec<Letter>,
}

impl Root {
    /// The root of a world whose PEs are all here, by these links.
    pub(super) fn complete(links: Vec<Link>, limit: Option<Duration>) -> Self {
        let hub = Hub::new(links.len() as u32, limit);
        let members = links.into_iter().map(|link| Some(Member::new(link))).collect();
        Self { hub, members, door: None, listener: None, when_all_are_here: None, letters: Vec::new() }
    }

    /// The root of a world of which PE 0 is here, and the others come to `listener`.
    pub(super) fn open(
        pe_0: Link,
        listener: TcpListener,
        door: Door,
        limit: Option<Duration>,
        when_all_are_here: Box<dyn FnOnce() + Send>,
    ) -> Self {
        let n_pes = door.n_pes();
        let mut members: Vec<Option<Member>> = (0..n_pes).map(|_| None).collect();
        members[0] = Some(Member::new(pe_0));
        Self {
            hub: Hub::new(n_pes, limit),
            members,
            door: Some(door),
            listener: Some(listener),
            when_all_are_here: Some(when_all_are_here),
            letters: Vec::new(),
        }
    }

    /// Serves until all PEs left or PE 0 is gone, and what is to be said of it is sent.
    pub(super) fn serve(mut self) {
        let mut rest_until = None;
        let mut buffer = vec![0; 1 << 16];
        let mut last = None;
        loop {
            self.close_the_door_when_all_are_here();
            let over = self.hub.left() || self.members[0].is_none();
            if over {
                let silent = self.members.iter().flatten().all(|member| member.outbox.is_empty());
                let until = *last.get_or_insert_with(|| Instant::now() + FLUSH);
                if silent || Instant::now() >= until {
                    return;
                }
            }
            let Ready { members, listener, strangers } = match self.wait(last, rest_until) {
                Ok(ready) => ready,
                // `poll` itself fails only without memory: try again, not at once.
                Err(_) => {
                    std::thread::sleep(REST);
                    continue;
                }
            };
            for (pe, ready) in members {
                self.visit(pe, ready, &mut buffer);
            }
            if listener {
                rest_until = self.accept();
            }
            self.admit(&strangers);
            self.hub.tick(Instant::now(), &mut self.letters);
            self.post();
        }
    }

    fn wait(&self, last: Option<Instant>, rest_until: Option<Instant>) -> io::Result<Ready> {
        let mut fds = Vec::with_capacity(self.members.len() + 8);
        let mut members = Vec::with_capacity(self.members.len());
        for (pe, member) in (0..).zip(&self.members) {
            if let Some(member) = member {
                let out = if member.outbox.is_empty() { PollFlags::empty() } else { PollFlags::POLLOUT };
                fds.push(PollFd::new(member.link.as_fd(), PollFlags::POLLIN | out));
                members.push(pe);
            }
        }
        let resting = rest_until.filter(|&until| Instant::now() < until);
        let listener_at = fds.len();
        let listener = self.listener.as_ref().filter(|_| resting.is_none());
        fds.extend(listener.map(|listener| PollFd::new(listener.as_fd(), PollFlags::POLLIN)));
        let strangers_at = fds.len();
        if let Some(door) = &self.door {
            fds.extend(door.waiting().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        }
        let door_deadline = self.door.as_ref().and_then(Door::deadline);
        let moments = [self.hub.deadline(), door_deadline, last, resting];
        poll(&mut fds, Deadline::at(moments.into_iter().flatten().min()))?;
        let ready = |fd: &PollFd<'_>| fd.any().unwrap_or(true);
        Ok(Ready {
            members: members
                .into_iter()
                .zip(&fds)
                .filter(|(_, fd)| ready(fd))
                .map(|(pe, fd)| (pe, fd.revents().unwrap_or(PollFlags::POLLIN)))
                .collect(),
            listener: fds[listener_at..strangers_at].iter().any(ready),
            strangers: fds[strangers_at..].iter().map(ready).collect(),
        })
    }

    /// Reads from and writes to one PE that is ready for it.
    fn visit(&mut self, pe: u32, ready: PollFlags, buffer: &mut [u8]) {
        let Some(member) = &mut self.members[pe as usize] else { return };
        if ready.intersects(!PollFlags::POLLOUT) {
            match member.link.recv_some(buffer) {
                Ok(0) => return self.gone(pe, "its connection closed before it left"),
                Ok(bytes) => member.inbox.push(&buffer[..bytes]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return self.gone(pe, &format!("its connection broke: {error}")),
            }
            let now = Instant::now();
            let broken = loop {
                match member.inbox.next() {
                    Ok(Some(frame)) => {
                        if let Err(reason) = self.hub.take(pe, &frame, now, &mut self.letters) {
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

    /// Puts the hub's letters into the outboxes and sends what fits.
    fn post(&mut self) {
        while !self.letters.is_empty() {
            for letter in std::mem::take(&mut self.letters) {
                // Nothing can be said to a PE that is gone.
                let Some(member) = &mut self.members[letter.to as usize] else { continue };
                member.outbox.extend(letter.pieces);
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
        self.hub.died(pe, reason, &mut self.letters);
    }

    /// Takes one connection; the moment until which to leave the listener alone if it can't give any.
    fn accept(&mut self) -> Option<Instant> {
        let (Some(listener), Some(door)) = (&self.listener, &mut self.door) else { return None };
        match listener.accept() {
            Ok((stream, _)) => {
                // A connection that ended again is nobody's loss.
                let _ = Link::tcp(stream).map(|link| door.knock(link));
                None
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => None,
            Err(_) => Some(Instant::now() + REST),
        }
    }

    fn admit(&mut self, ready: &[bool]) {
        let Some(door) = &mut self.door else { return };
        for Admission { pe, link } in door.listen(ready) {
            self.members[pe as usize] = Some(Member::new(link));
        }
    }

    fn close_the_door_when_all_are_here(&mut self) {
        if self.door.as_ref().is_some_and(Door::all_came) {
            // Connections for the next world on the same socket wait in its backlog.
            self.door = None;
            self.listener = None;
            if let Some(then) = self.when_all_are_here.take() {
                then();
            }
        }
    }
}

/// What a wait found ready.
struct Ready {
    members: Vec<(u32, PollFlags)>,
    listener: bool,
    /// In the door's order, before the listener gave another.
    strangers: Vec<bool>,
}

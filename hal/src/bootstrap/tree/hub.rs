//! The thread of a PE to which others connect: it admits them, reads their frames, and sends the messages that result.
//! PE 0's is the root; the others pass calls on.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::node::{Node, queue_all};
use super::relay::RelayState;
use super::state::{CollectiveState, Message};
use super::{Member, ReadySockets, Tree};
use crate::bootstrap::connection::{Connection, DESCRIPTORS_HINT, Deadline, lacks_descriptors};
use crate::bootstrap::frame::{FrameKind, death, parent_at, text_of, tree_of};
use crate::bootstrap::meeting::handshake::{Admission, AdmittedPe};
use crate::bootstrap::meeting::stop_listening;

/// Longest time for sending the last messages of a world.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);
/// The PE whose hub decides on calls and deaths.
const ROOT: u32 = 0;
/// Pause after the listener fails, which happens when this process is out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

pub(crate) struct Hub {
    tree: Tree,
    /// This process's PE.
    me: u32,
    node: Node,
    /// The connections, by the PE at the other end. A PE that is not admitted yet, or is gone, has none.
    members: BTreeMap<u32, Member>,
    /// Admits PEs; `None` once all are connected.
    admission: Option<Admission>,
    listener: Option<TcpListener>,
    /// Runs once all PEs are connected; removes the file by which they found the root.
    when_complete: Option<Box<dyn FnOnce() + Send>>,
    /// On the root: the addresses of the PEs that listen for their children.
    addresses: BTreeMap<u32, Vec<u8>>,
    messages: Vec<Message>,
    /// The failures and deaths announced while PEs are still missing, for the PEs that are admitted later.
    announced: Vec<Arc<[u8]>>,
}

impl Hub {
    /// Builds the root of a world whose PEs are already connected, indexed by PE.
    pub(crate) fn complete(connections: Vec<Connection>, limit: Option<Duration>) -> Self {
        let n_pes = connections.len() as u32;
        let members = (0..).zip(connections).map(|(pe, connection)| (pe, Member::new(connection, pe..pe + 1)));
        let tree = Tree { n_pes, fan_out: n_pes };
        Self::new(tree, 0, Node::Root(CollectiveState::new(n_pes, limit)), members.collect())
    }

    /// Builds the root of a world with PE 0 connected; the other PEs connect to `listener`.
    pub(crate) fn root(
        tree: Tree,
        pe_0: Connection,
        listener: TcpListener,
        admission: Admission,
        limit: Option<Duration>,
        when_complete: Box<dyn FnOnce() + Send>,
    ) -> Self {
        let node = Node::Root(CollectiveState::new(tree.n_pes, limit));
        let members = BTreeMap::from([(0, Member::new(pe_0, 0..1))]);
        let (admission, listener, when_complete) = (Some(admission), Some(listener), Some(when_complete));
        Self { admission, listener, when_complete, ..Self::new(tree, 0, node, members) }
    }

    /// Builds the hub of `me`, which passes the calls of its subtree on. Its children connect to `listener`.
    pub(crate) fn relay(
        tree: Tree,
        me: u32,
        own: Connection,
        up: Connection,
        listener: TcpListener,
        admission: Admission,
    ) -> Self {
        let (state, parent) = (RelayState::new(tree.subtree(me), tree.n_pes), up.parent().number());
        let node = Node::Relay { state, parent, up: Some(Member::new(up, 0..0)), root_is_dead: false };
        let members = BTreeMap::from([(me, Member::new(own, me..me + 1))]);
        Self { admission: Some(admission), listener: Some(listener), ..Self::new(tree, me, node, members) }
    }

    fn new(tree: Tree, me: u32, node: Node, members: BTreeMap<u32, Member>) -> Self {
        Self {
            tree,
            me,
            node,
            members,
            admission: None,
            listener: None,
            when_complete: None,
            addresses: BTreeMap::new(),
            messages: Vec::new(),
            announced: Vec::new(),
        }
    }

    /// Serves until all PEs have left or this process's PE is gone, and the last messages are sent.
    pub(crate) fn serve(mut self) {
        let mut paused_until = None;
        let mut buffer = vec![0; 1 << 16];
        let mut last = None;
        loop {
            self.stop_admission_when_complete();
            if self.node.left() || !self.members.contains_key(&self.me) {
                let all_sent = self.members.values().chain(self.node.up()).all(Member::is_idle);
                let until = *last.get_or_insert_with(|| Instant::now() + FLUSH_LIMIT);
                if all_sent || Instant::now() >= until {
                    return;
                }
            }
            let ReadySockets { mut members, up, listener, unproven } = match self.wait(last, paused_until) {
                Ok(ready) => ready,
                // `poll` itself fails only for lack of memory: retry after a pause.
                Err(_) => {
                    std::thread::sleep(ACCEPT_PAUSE);
                    continue;
                }
            };
            if up {
                self.serve_parent(&mut buffer);
            }
            // Where this process was stopped for long, the others have given up before its PE goes on.
            members.sort_by_key(|pe| *pe == self.me);
            for pe in members {
                self.serve_member(pe, &mut buffer);
            }
            if listener {
                paused_until = self.accept();
            }
            self.admit(&unproven);
            self.node.tick(Instant::now(), &mut self.messages);
            self.post();
        }
    }

    fn wait(&self, last: Option<Instant>, paused_until: Option<Instant>) -> io::Result<ReadySockets> {
        let paused = paused_until.filter(|&until| Instant::now() < until);
        let listener = self.listener.as_ref().filter(|_| paused.is_none());
        let admission_deadline = self.admission.as_ref().and_then(Admission::deadline);
        let moments = [self.node.deadline(), admission_deadline, last, paused];
        let until = Deadline::at(moments.into_iter().flatten().min());
        ReadySockets::wait(&self.members, self.node.up(), listener, self.admission.as_ref(), until)
    }

    /// Reads from one connection that is ready, and sends the messages that result.
    fn serve_member(&mut self, pe: u32, buffer: &mut [u8]) {
        let Some(mut member) = self.members.remove(&pe) else { return };
        let outcome = member.read(buffer).and_then(|()| self.receive(&mut member));
        match outcome {
            Ok(Stays::Yes) => drop(self.members.insert(pe, member)),
            Ok(Stays::No) => {}
            Err(reason) => self.died(pe, &reason),
        }
        self.post();
    }

    fn receive(&mut self, member: &mut Member) -> Result<Stays, String> {
        let (now, announces) = (Instant::now(), self.node.announces_deaths());
        while let Some(frame) = member.inbox.next().map_err(|malformed| malformed.to_string())? {
            match (&mut self.node, frame.kind) {
                (Node::Root(_), FrameKind::Moved) if member.joins => return Ok(Stays::No),
                (Node::Root(_), FrameKind::Listens) if member.pes.contains(&frame.pe) => {
                    for child in self.tree.children(frame.pe) {
                        let waiting = self.members.get_mut(&child.start).filter(|member| member.joins);
                        waiting.into_iter().for_each(|member| member.queue([parent_at(frame.pe, frame.blob)]));
                    }
                    self.addresses.insert(frame.pe, frame.blob.to_vec());
                }
                (_, FrameKind::Mail) if !member.pes.contains(&(frame.seq as u32)) => {
                    return Err("it sent mail in the name of another PE".into());
                }
                (_, FrameKind::Mail) => self.deliver(frame.pe, frame.encoded()),
                // The root's children pass deaths on once they know that its PE is dead.
                (Node::Root(state), FrameKind::Dead) if state.is_dead(self.me) => {}
                // Without a root this hub announces the deaths in its subtree itself, and others as its PE learns of them.
                (Node::Relay { .. }, FrameKind::Dead | FrameKind::Fail)
                    if announces && (member.pes.contains(&frame.pe) || member.pes == (self.me..self.me + 1)) =>
                {
                    let pieces = death(frame.pe, &text_of(frame.blob));
                    self.messages.push(Message { except: None, pieces });
                }
                (Node::Root(state), _) => state.receive(&member.pes, &frame, now, &mut self.messages)?,
                (Node::Relay { state, up, .. }, kind) => {
                    queue_all(up, |pieces| state.receive(&member.pes, &frame, now, pieces))?;
                    // This process may end before the root's answer comes, and its subtree would not learn the reason.
                    if kind == FrameKind::Fail && frame.pe == self.me {
                        let pieces = death(self.me, &text_of(frame.blob));
                        self.messages.push(Message { except: None, pieces });
                    }
                }
            }
        }
        Ok(Stays::Yes)
    }

    /// Reads from the connection to the parent and passes the frames on.
    fn serve_parent(&mut self, buffer: &mut [u8]) {
        let Node::Relay { state, parent, up, root_is_dead } = &mut self.node else { return };
        let Some(member) = up else { return };
        let mut outcome = member.read(buffer);
        let (mut mail, mut end) = (Vec::new(), None);
        let mut pass_on = |passed: &[u8]| {
            if !passed.is_empty() {
                self.messages.push(Message { except: None, pieces: vec![passed.into()] });
            }
        };
        while outcome.is_ok() {
            outcome = match member.inbox.next() {
                Ok(Some(frame)) if frame.kind == FrameKind::Mail => {
                    let (to, encoded) = (frame.pe, frame.encoded());
                    let passed = member.inbox.passed();
                    pass_on(&passed[..passed.len() - encoded.len()]);
                    mail.push((to, encoded));
                    Ok(())
                }
                Ok(Some(frame)) => {
                    // After its own PE's death the root decides nothing, even if its connection closes later.
                    if frame.kind == FrameKind::Dead && frame.pe == ROOT && *parent == ROOT {
                        end = Some(text_of(frame.blob));
                    }
                    state.note(&frame)
                }
                Ok(None) => break,
                Err(malformed) => Err(malformed.to_string()),
            };
        }
        let parent = *parent;
        *root_is_dead |= end.is_some();
        if outcome.is_ok() {
            pass_on(member.inbox.passed());
            mail.into_iter().for_each(|(to, mail)| self.deliver(to, mail));
        }
        match (outcome, end) {
            (Err(reason), _) => self.lost(parent, reason),
            (Ok(()), Some(reason)) => self.announce_parent(parent, reason),
            (Ok(()), None) => {}
        }
        self.post();
    }

    /// Queues mail on the connection on which its PE is reached. The mail of a PE that is gone is dropped.
    fn deliver(&mut self, to: u32, mail: Arc<[u8]>) {
        let below = self.members.range_mut(..=to).next_back().map(|(_, member)| member);
        match (below.filter(|member| member.pes.contains(&to)), &mut self.node) {
            (Some(member), _) => member.queue([mail]),
            (None, Node::Relay { up: Some(up), .. }) if !self.tree.subtree(self.me).contains(&to) => up.queue([mail]),
            _ => {}
        }
    }

    /// Ends the connection to the parent and announces its death to the subtree.
    fn lost(&mut self, parent: u32, reason: String) {
        let Node::Relay { up, .. } = &mut self.node else { return };
        *up = None;
        self.announce_parent(parent, reason);
    }

    /// Announces to the subtree that the parent is dead, and the deaths that it has not announced.
    fn announce_parent(&mut self, parent: u32, reason: String) {
        let Node::Relay { state, .. } = &mut self.node else { return };
        if !state.left() {
            let deaths = std::iter::once((parent, reason)).chain(state.take_unannounced());
            self.messages.extend(deaths.map(|(pe, reason)| Message { except: Some(pe), pieces: death(pe, &reason) }));
        }
    }

    /// Moves the messages to the outboxes and sends as much as fits.
    fn post(&mut self) {
        loop {
            for message in std::mem::take(&mut self.messages) {
                let excepted = |member: &Member| message.except.is_some_and(|pe| member.pes == (pe..pe + 1));
                for member in self.members.values_mut().filter(|member| !excepted(member)) {
                    member.queue(message.pieces.iter().cloned());
                }
                if self.admission.is_some() {
                    self.announced.extend(message.pieces);
                }
            }
            self.flush();
            if self.messages.is_empty() {
                return;
            }
        }
    }

    /// Sends as much as fits; to this process's PE last, since the process may end when that PE has its answer.
    fn flush(&mut self) {
        if let Node::Relay { up: Some(up), parent, .. } = &mut self.node
            && let Err(error) = up.flush()
        {
            let parent = *parent;
            self.lost(parent, format!("its connection broke: {error}"));
        }
        let flushed = self.members.iter_mut().rev().map(|(pe, member)| (*pe, member.flush()));
        let broken: Vec<_> = flushed.filter_map(|(pe, flushed)| Some((pe, flushed.err()?))).collect();
        for (pe, error) in broken {
            self.members.remove(&pe);
            self.died(pe, &format!("its connection broke: {error}"));
        }
    }

    /// Records the death of a PE whose connection is gone.
    fn died(&mut self, pe: u32, reason: &str) {
        let announces = self.node.announces_deaths();
        match &mut self.node {
            Node::Root(state) => state.died(pe, reason, &mut self.messages),
            Node::Relay { state, .. } if announces => {
                if !state.left() {
                    self.messages.push(Message { except: Some(pe), pieces: death(pe, reason) });
                }
            }
            Node::Relay { state, up, .. } => queue_all(up, |pieces| state.died(pe, reason, pieces)),
        }
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
            Err(error) => {
                if let Node::Root(state) = &mut self.node
                    && lacks_descriptors(&error)
                {
                    state.accepts_none = Some(format!("{error}; {DESCRIPTORS_HINT}"));
                }
                Some(Instant::now() + ACCEPT_PAUSE)
            }
        }
    }

    fn admit(&mut self, ready: &[bool]) {
        let Some(admission) = &mut self.admission else { return };
        for AdmittedPe { pe, connection } in admission.advance(ready) {
            let mut member = Member::new(connection, self.tree.subtree(pe));
            if let Node::Root(state) = &mut self.node {
                member.queue([tree_of(self.tree.fan_out)]);
                if let Some(parent) = self.tree.parent(pe).filter(|parent| *parent != 0) {
                    state.waits(pe);
                    (member.joins, member.pes) = (true, pe..pe + 1);
                    let at = self.addresses.get(&parent);
                    member.queue(at.map(|at| parent_at(parent, at)));
                }
            }
            member.queue(self.announced.iter().cloned());
            self.members.insert(pe, member);
        }
    }

    fn stop_admission_when_complete(&mut self) {
        if self.admission.as_ref().is_some_and(Admission::is_complete) {
            self.admission = None;
            self.announced.clear();
            if let Some(listener) = self.listener.take() {
                stop_listening(&listener);
            }
            if let Some(on_complete) = self.when_complete.take() {
                on_complete();
            }
        }
    }
}

/// Whether a connection stays after its frames were read.
enum Stays {
    Yes,
    No,
}

#[cfg(test)]
#[path = "tests/hub.rs"]
mod tests;

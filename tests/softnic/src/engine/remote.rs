//! Requests to NICs of other processes, and their answers.

use std::time::Duration;

use oxshmem_rdma::hca::access;

use crate::decode::{Atomic, Sge, Source};
use crate::nic::{Envelope, Nak, syndrome};
use crate::wire::{Answer, Connection, Question, Ticket};

use super::Turn;
use super::execute::PIECE;
use super::queue::{Late, LateData, Queue, Remote, RemoteData, Stage};

/// A peer that does not answer within this time is lost.
const LOST: Duration = Duration::from_secs(20);

impl Queue {
    pub(super) fn ticket(&self, index: u64, offset: u64) -> Ticket {
        Ticket { qpn: self.setup.qpn, index, offset }
    }

    pub(super) fn asked(&mut self, turn: &Turn<'_>, index: u64, left: u32, what: RemoteData) {
        self.remote.push_back(Remote { index, left, since: turn.now, failed: None, what });
        turn.core.port.something_to_send();
    }

    pub(super) fn write_there(
        &mut self,
        turn: &mut Turn<'_>,
        index: u64,
        peer: &Connection,
        envelope: Envelope,
        source: Source<'_>,
    ) -> Result<Stage, Nak> {
        let (asked, mut checked) = (std::cell::Cell::new(0), 0);
        let (ticket, first) = (self.ticket(index, 0), envelope);
        self.write(
            turn,
            index,
            envelope,
            source,
            |envelope, data| {
                asked.set(asked.get() + 1);
                peer.ask(ticket, &envelope, &Question::Write { data });
                Ok(())
            },
            |bytes| {
                checked += 1;
                peer.ask(ticket, &first, &Question::Check { bytes, needs: access::REMOTE_WRITE });
                Ok(())
            },
        )?;
        self.asked(turn, index, asked.get() + checked, RemoteData::Write);
        Ok(Stage::Waiting)
    }

    pub(super) fn read_there(
        &mut self,
        turn: &Turn<'_>,
        index: u64,
        peer: &Connection,
        envelope: Envelope,
        to: Vec<Sge>,
    ) {
        let total: u64 = to.iter().map(|sge| sge.bytes).sum();
        let mut asked = 0;
        if total == 0 || total > PIECE {
            asked += 1;
            peer.ask(self.ticket(index, 0), &envelope, &Question::Check { bytes: total, needs: access::REMOTE_READ });
        }
        let mut offset = 0;
        while offset < total {
            let bytes = (total - offset).min(PIECE) as u32;
            let part = Envelope { at: envelope.at + offset, ..envelope };
            peer.ask(self.ticket(index, offset), &part, &Question::Read { bytes });
            (offset, asked) = (offset + u64::from(bytes), asked + 1);
        }
        self.asked(turn, index, asked, RemoteData::Read { to });
    }

    pub(super) fn atomic_there(
        &mut self,
        turn: &Turn<'_>,
        index: u64,
        peer: &Connection,
        envelope: Envelope,
        (what, to, extended): (Atomic, Sge, bool),
    ) {
        peer.ask(self.ticket(index, 0), &envelope, &Question::Atomic { what });
        self.asked(turn, index, 1, RemoteData::Atomic { what, to, extended });
    }

    /// Handles an answer.
    pub(super) fn answered(&mut self, turn: &mut Turn<'_>, answer: Answer) {
        let ticket = answer.ticket;
        let Some(place) = self.remote.iter().position(|remote| remote.index == ticket.index) else { return };
        let taken = match answer.result {
            Ok(bytes) => match &self.remote[place].what {
                RemoteData::Read { to } => self.scatter_to(turn, to, ticket.offset, &bytes),
                RemoteData::Atomic { what, to, extended } => {
                    let value = bytes.first_chunk().map_or(0, |value| u64::from_le_bytes(*value));
                    let (what, to, extended) = (*what, *to, *extended);
                    if let Some(when) = self.delay(turn, ticket.index) {
                        // Its data is late, as it can be for NICs of this process.
                        self.remote.remove(place);
                        let what = LateData::Atomic { value, what, to, extended };
                        self.late.push_back(Late { index: ticket.index, when, what });
                        let early = self.early(turn, ticket.index);
                        if let Some(flight) = self.flights.iter_mut().find(|flight| flight.index == ticket.index) {
                            flight.state = early;
                        }
                        return;
                    }
                    self.land(turn, value, what, to, extended)
                }
                RemoteData::Write => Ok(()),
            },
            Err(nak) => Err(nak),
        };
        let remote = &mut self.remote[place];
        remote.left -= 1;
        if let Err(nak) = taken {
            remote.failed.get_or_insert(nak);
        }
        if remote.left == 0 {
            self.settle(turn, place);
        }
    }

    /// Handles a request whose answers have all arrived.
    fn settle(&mut self, turn: &Turn<'_>, place: usize) {
        let Some(remote) = self.remote.remove(place) else { return };
        // An unreliable requester learns nothing of the peer's answer.
        let failed = remote.failed.filter(|_| self.setup.service.is_reliable());
        let landed = failed.map_or(Ok(()), Err);
        if !matches!(remote.what, RemoteData::Write) {
            return self.landed(remote.index, landed);
        }
        let state = match landed {
            Ok(()) => self.acknowledged(remote.index),
            Err(nak) => self.refused(turn, remote.index, nak),
        };
        if let Some(flight) = self.flights.iter_mut().find(|flight| flight.index == remote.index) {
            flight.state = state;
        }
    }

    /// Writes bytes of a read, from `offset` bytes into it on, to their destinations.
    fn scatter_to(&self, turn: &Turn<'_>, to: &[Sge], offset: u64, bytes: &[u8]) -> Result<(), Nak> {
        crate::nic::scatter(to, offset, bytes, |sge, from, piece| {
            turn.core.responder.write_local(self.setup.pd, sge, from, piece)
        })
    }

    /// Gives up on a peer that has not answered for long.
    pub(super) fn lose_patience(&mut self, turn: &Turn<'_>) {
        let late = |remote: &Remote| turn.now.duration_since(remote.since) > LOST;
        if self.remote.front().is_some_and(late) {
            if let Some(remote) = self.remote.front_mut() {
                let what = format!("the peer has not answered for {} s", LOST.as_secs());
                remote.failed.get_or_insert(Nak::fault(syndrome::RETRY_EXCEEDED, what));
            }
            self.settle(turn, 0);
        }
    }
}

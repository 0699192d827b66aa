//! Messages for receive queues: requests that consume an entry of the peer.

use std::sync::Arc;

use oxshmem_rdma::hca::{LinkLayer, access};

use crate::decode::{Address, Control, Piece, Request, Service, Source, decode_of};
use crate::nic::{Ask, Envelope, Message, Nak, RouteHeader, rnr_time, syndrome};
use crate::wire::{Connection, Question};

use super::Turn;
use super::execute::{Peer, draws};
use super::queue::{Queue, RemoteData, Stage, Unanswered};

/// The count of repetitions that is no limit.
const ENDLESS: u8 = 7;

impl Queue {
    /// Turns to the peer that an entry names. Returns whether it may start: a dynamically connected queue pair ends
    /// everything with one peer before it turns to another.
    pub(super) fn turn_to(&mut self, turn: &Turn<'_>, to: &Address) -> Result<bool, Nak> {
        let lid = turn.core.datagram_route(to).map_err(|what| Nak::fault(syndrome::RETRY_EXCEEDED, what))?;
        let key = if self.setup.service == Service::Ud { to.key >> 32 << 32 } else { to.key };
        if (self.to, self.key) == ((lid, to.qpn), key) {
            return Ok(true);
        }
        if self.setup.service == Service::Dci && !(self.flights.is_empty() && self.late.is_empty()) {
            self.hurry_late(turn.now);
            return Ok(false);
        }
        if self.to.0 != lid {
            self.link = None;
        }
        (self.to, self.key) = ((lid, to.qpn), key);
        Ok(true)
    }

    /// Sends a message. Returns its stage and its number of bytes.
    pub(super) fn send(
        &mut self,
        turn: &mut Turn<'_>,
        index: u64,
        request: &Request<'_>,
        source: Source<'_>,
        imm: Option<u32>,
    ) -> Result<(Stage, u32), Nak> {
        let bytes = self.message(source.bytes())?;
        self.check_source(turn, source)?;
        self.may_be_refused(turn, index)?;
        let envelope = self.envelope(turn, 0, 0);
        let peer = self.peer(turn);
        let to = request.to.filter(|_| self.setup.service == Service::Ud);
        let datagram = to.map(|to| route_header(turn, &to, bytes));
        let message = Message {
            offset: 0,
            total: bytes.into(),
            data: &[],
            written: false,
            imm,
            solicited: request.control.fm_ce_se & 2 != 0,
            datagram,
        };
        let stage = match peer {
            Err(_) if !self.setup.service.is_reliable() => Stage::Done,
            Err(nak) => return Err(nak),
            Ok(Peer::Here(peer)) => {
                self.pieces(turn, source, |offset, data| {
                    self.heard(peer.receive(&envelope, &Message { offset, data, ..message }))
                })?;
                self.acknowledged(index)
            }
            Ok(Peer::There(peer)) => {
                let ticket = self.ticket(index, 0);
                let mut asked = 0;
                self.pieces(turn, source, |offset, data| {
                    asked += 1;
                    peer.ask(ticket, &envelope, &Question::Message(Message { offset, data, ..message }));
                    Ok(())
                })?;
                self.await_answer(turn, index, asked)
            }
        };
        Ok((stage, bytes))
    }

    /// Executes a write with an immediate value. Returns its stage and its number of bytes.
    pub(super) fn write_and_report(
        &mut self,
        turn: &mut Turn<'_>,
        index: u64,
        control: Control,
        (at, rkey): (u64, u32),
        source: Source<'_>,
        imm: u32,
    ) -> Result<(Stage, u32), Nak> {
        let bytes = self.message(source.bytes())?;
        self.check_source(turn, source)?;
        self.may_be_refused(turn, index)?;
        let report = Message {
            offset: 0,
            total: bytes.into(),
            data: &[],
            written: true,
            imm: Some(imm),
            solicited: control.fm_ce_se & 2 != 0,
            datagram: None,
        };
        let envelope = self.envelope(turn, at, rkey);
        let defects = turn.core.options.defects;
        let part = |offset: u64| Envelope { at: at + offset, ..envelope };
        let stage = match self.peer(turn) {
            Err(_) if !self.setup.service.is_reliable() => Stage::Done,
            Err(nak) => return Err(nak),
            Ok(Peer::Here(peer)) => {
                let executed = peer
                    .check(&envelope, bytes.into(), access::REMOTE_WRITE)
                    .and_then(|()| {
                        self.pieces(turn, source, |offset, data| {
                            let data = &defects.written(data);
                            peer.execute(&part(offset), Ask::Write { data }).map(drop)
                        })
                    })
                    .and_then(|()| peer.receive(&envelope, &report));
                self.heard(executed)?;
                self.acknowledged(index)
            }
            Ok(Peer::There(peer)) => self.report_there(turn, index, &peer, source, part, report)?,
        };
        Ok((stage, bytes))
    }

    fn report_there(
        &mut self,
        turn: &mut Turn<'_>,
        index: u64,
        peer: &Arc<Connection>,
        source: Source<'_>,
        part: impl Fn(u64) -> Envelope,
        report: Message<'_>,
    ) -> Result<Stage, Nak> {
        let ticket = self.ticket(index, 0);
        let needs = access::REMOTE_WRITE;
        peer.ask(ticket, &part(0), &Question::Check { bytes: report.total, needs });
        let mut asked = 2;
        self.pieces(turn, source, |offset, data| {
            asked += 1;
            peer.ask(ticket, &part(offset), &Question::Write { data });
            Ok(())
        })?;
        peer.ask(ticket, &part(0), &Question::Message(report));
        Ok(self.await_answer(turn, index, asked))
    }

    /// Refuses the first try of a message, if this is drawn.
    fn may_be_refused(&self, turn: &Turn<'_>, index: u64) -> Result<(), Nak> {
        let tried = self.unanswered.is_some_and(|message| message.index == index);
        let endless = self.setup.service.is_reliable() && self.setup.rnr_retries == ENDLESS;
        let chance = turn.core.options.knobs.not_ready;
        if turn.calm || tried || !endless || !self.draw.happens(draws::NOT_READY, index, chance) {
            return Ok(());
        }
        /// The shortest time, 10 us.
        const SOON: u8 = 1;
        Err(Nak { not_ready: Some(SOON), ..Nak::not_ready() })
    }

    /// Checks the source of a message, so that local errors are found before anything is sent.
    pub(super) fn check_source(&self, turn: &Turn<'_>, source: Source<'_>) -> Result<(), Nak> {
        source.pieces().try_for_each(|piece| match piece {
            Piece::Inline(_) => Ok(()),
            Piece::Memory(sge) => turn.core.responder.check_local(self.setup.pd, sge, false),
        })
    }

    /// Calls a function with each piece of a message and its offset, and once for a message without data.
    fn pieces(
        &self,
        turn: &mut Turn<'_>,
        source: Source<'_>,
        mut send: impl FnMut(u64, &[u8]) -> Result<(), Nak>,
    ) -> Result<(), Nak> {
        match source {
            Source::Inline(data) => send(0, data),
            Source::Gather(_) | Source::Mixed(_) => {
                let mut scratch = std::mem::take(turn.scratch);
                let sent = self.gather(turn, &mut scratch, source, send);
                *turn.scratch = scratch;
                sent
            }
        }
    }

    /// Returns the peer's answer as the requester learns of it: an unreliable one learns nothing.
    pub(super) fn heard(&self, answer: Result<(), Nak>) -> Result<(), Nak> {
        if self.setup.service.is_reliable() { answer } else { Ok(()) }
    }

    fn await_answer(&mut self, turn: &Turn<'_>, index: u64, asked: u32) -> Stage {
        if self.setup.service.is_reliable() && self.unanswered.is_none() {
            self.unanswered = Some(Unanswered { index, repetitions: 0, again_at: None });
        }
        self.asked(turn, index, asked, RemoteData::Write);
        Stage::Waiting
    }

    /// Handles the acknowledgement of a request.
    pub(super) fn acknowledged(&mut self, index: u64) -> Stage {
        self.unanswered.take_if(|message| message.index == index);
        Stage::Done
    }

    /// Handles the refusal of a request. Returns the stage of its entry: failed, or waiting until it is repeated.
    pub(super) fn refused(&mut self, turn: &Turn<'_>, index: u64, nak: Nak) -> Stage {
        let repetitions = match &self.unanswered {
            Some(message) if message.index == index => message.repetitions,
            _ => 0,
        };
        self.unanswered.take_if(|message| message.index == index);
        let Some(code) = nak.not_ready else { return Stage::Failed(Box::new(nak)) };
        let most = self.setup.rnr_retries;
        if most != ENDLESS && repetitions >= most {
            let what = format!("{} after {repetitions} repetitions", nak.what);
            return Stage::Failed(Box::new(Nak::fault(syndrome::RNR_EXCEEDED, what)));
        }
        let again_at = Some(turn.now + rnr_time(code));
        self.unanswered = Some(Unanswered { index, repetitions: repetitions.saturating_add(1), again_at });
        Stage::Waiting
    }

    /// Repeats a message that the peer has refused, if it is time. Returns whether it was.
    pub(super) fn repeat(&mut self, turn: &mut Turn<'_>) -> bool {
        let Some(message) = &mut self.unanswered else { return false };
        if message.again_at.is_none_or(|at| at > turn.now) {
            return false;
        }
        message.again_at = None;
        let index = message.index;
        let Some(blocks) = self.flights.iter().find(|flight| flight.index == index).map(|flight| flight.blocks) else {
            self.unanswered = None;
            return true;
        };
        let shadow = std::mem::take(&mut self.shadow);
        let mut wrapped = Vec::new();
        let executed = match decode_of(self.setup.service, Self::blocks(&shadow, index, blocks, &mut wrapped)) {
            Ok(request) => self.execute(turn, index, &request).map(|(stage, _)| stage),
            Err(malformed) => Err(Nak::broken(syndrome::LOCAL_OPERATION, malformed.rule, malformed.what)),
        };
        self.shadow = shadow;
        let stage = executed.unwrap_or_else(|nak| self.refused(turn, index, nak));
        if let Some(flight) = self.flights.iter_mut().find(|flight| flight.index == index) {
            flight.state = stage;
        }
        true
    }

    /// Completes the posted receive entries of a queue pair in error. Returns whether there were any.
    pub(super) fn flush_receives(&self, turn: &Turn<'_>) -> bool {
        let failed = self.setup.state.get() == crate::nic::state::ERR;
        failed && self.setup.receiver.as_ref().is_some_and(|receiver| receiver.flush(&turn.core.dma))
    }
}

/// Returns the global route header of a datagram, if it has one: an IPv6 header.
fn route_header(turn: &Turn<'_>, to: &Address, bytes: u32) -> Option<RouteHeader> {
    const VERSION: u32 = 6;
    /// The next header is InfiniBand's own.
    const NEXT: u8 = 0x1b;
    /// Bytes of the headers and checksums between this header and the data.
    const AROUND: u16 = 24;
    if turn.core.options.link == LinkLayer::InfiniBand && !to.global {
        return None;
    }
    let mut header = [0; size_of::<RouteHeader>()];
    header[..4].copy_from_slice(&(VERSION << 28 | u32::from(to.tclass) << 20 | to.flow_label).to_be_bytes());
    header[4..6].copy_from_slice(&(bytes as u16 + AROUND).to_be_bytes());
    (header[6], header[7]) = (NEXT, to.hop_limit);
    header[8..24].copy_from_slice(&turn.core.own_gid(to.source_index)?);
    header[24..].copy_from_slice(&to.rgid);
    Some(header)
}

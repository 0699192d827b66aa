//! Executes entries.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use oxshmem_rdma::hca::access;

use crate::Defect;
use crate::check::Rule;
use crate::decode::{Atomic, Operation, Piece, Request, Sge, Source};
use crate::nic::{Ask, Envelope, Nak, Responder, syndrome};
use crate::wire::{Connection, Link};

use super::Turn;
use super::queue::{Late, LateData, Overtaken, Queue, Stage};

/// Purposes of draws.
pub(super) mod draws {
    pub(in crate::engine) const READ: u64 = 20;
    pub(in crate::engine) const SCATTER: u64 = 21;
    pub(in crate::engine) const EARLY: u64 = 22;
    pub(in crate::engine) const OVERTAKE: u64 = 23;
    pub(in crate::engine) const NOT_READY: u64 = 24;
}

/// The peer's NIC.
#[derive(Clone, Debug)]
pub(super) enum Peer {
    Here(Arc<Responder>),
    There(Arc<Connection>),
}

/// Bytes of a message that are moved at once.
pub(super) const PIECE: u64 = 64 << 10;

impl Queue {
    /// Executes an entry, or begins to. Returns its stage and its number of bytes.
    pub(super) fn execute(
        &mut self,
        turn: &mut Turn<'_>,
        index: u64,
        request: &Request<'_>,
    ) -> Result<(Stage, u32), Nak> {
        match request.operation {
            Operation::Nop => Ok((Stage::Done, 0)),
            Operation::Dump { from } => {
                for sge in from.iter() {
                    turn.core.responder.check_local(self.setup.pd, sge, false)?;
                }
                Ok((Stage::Done, from.bytes() as u32))
            }
            Operation::Send { source, imm } => self.send(turn, index, request, source, imm),
            Operation::Write { at, rkey, source, imm: Some(imm) } => {
                self.write_and_report(turn, index, request.control, (at, rkey), source, imm)
            }
            Operation::Write { at, rkey, source, imm: None } => {
                let bytes = self.message(source.bytes())?;
                let peer = match self.peer(turn) {
                    Err(_) if !self.setup.service.is_reliable() => return Ok((Stage::Done, bytes)),
                    peer => peer?,
                };
                let envelope = self.envelope(turn, at, rkey);
                // Local errors are found before anything is sent; a single piece is collected before it is sent.
                if u64::from(bytes) > PIECE {
                    self.check_source(turn, source)?;
                }
                let defects = turn.core.options.defects;
                let stage = match peer {
                    Peer::Here(peer) if defects.has(Defect::Order) && !request.control.signalled() => {
                        let mut out_of_order = Vec::new();
                        let keep = |envelope, data: &[u8]| {
                            out_of_order.push((peer.clone(), envelope, data.to_vec()));
                            Ok(())
                        };
                        self.write(turn, index, envelope, source, keep, |_| Ok(()))?;
                        self.out_of_order.append(&mut out_of_order);
                        Stage::Done
                    }
                    Peer::Here(peer) if self.is_overtaken(turn, index, &peer, rkey, bytes) => {
                        peer.check(&envelope, bytes.into(), access::REMOTE_WRITE)?;
                        let mut data = Vec::new();
                        self.write(
                            turn,
                            index,
                            envelope,
                            source,
                            |part, piece| {
                                let from = (part.at - at) as usize;
                                data.resize(data.len().max(from + piece.len()), 0);
                                data[from..from + piece.len()].copy_from_slice(piece);
                                Ok(())
                            },
                            |_| Ok(()),
                        )?;
                        let most = turn.core.options.knobs.overtake_us;
                        let when = turn.now + self.draw.time(draws::OVERTAKE, index, most);
                        let envelope = self.envelope(turn, at, rkey);
                        self.overtaken.push(Overtaken { index, when, envelope, data });
                        Stage::Waiting
                    }
                    Peer::Here(peer) => {
                        self.write(
                            turn,
                            index,
                            envelope,
                            source,
                            |envelope, data| {
                                let written = peer.execute(&envelope, Ask::Write { data: &defects.written(data) });
                                self.heard(written.map(drop))
                            },
                            |bytes| self.heard(peer.check(&envelope, bytes, access::REMOTE_WRITE)),
                        )?;
                        Stage::Done
                    }
                    Peer::There(peer) => self.write_there(turn, index, &peer, envelope, source)?,
                };
                Ok((stage, bytes))
            }
            Operation::Read { at, rkey, to } => {
                let bytes = self.message(to.bytes())?;
                let peer = self.peer(turn)?;
                let envelope = self.envelope(turn, at, rkey);
                for sge in to.iter() {
                    turn.core.responder.check_local(self.setup.pd, sge, true)?;
                }
                // The response to a read follows earlier writes.
                let all = turn.now + std::time::Duration::from_secs(3600);
                self.land_overtaken(turn, all);
                if let Some(when) = self.delay(turn, index) {
                    if let Peer::Here(peer) = &peer {
                        peer.check(&envelope, bytes.into(), access::REMOTE_READ)?;
                    }
                    let what = LateData::Read { envelope, to: to.iter().collect() };
                    self.late.push_back(Late { index, when, what });
                    self.outstanding += 1;
                    return Ok((self.early(turn, index), bytes));
                }
                match peer {
                    Peer::Here(peer) => self.read(turn, &peer, envelope, to.iter())?,
                    Peer::There(peer) => {
                        self.outstanding += 1;
                        self.read_there(turn, index, &peer, envelope, to.iter().collect());
                        return Ok((Stage::Waiting, bytes));
                    }
                }
                Ok((Stage::Done, bytes))
            }
            Operation::Atomic { at, rkey, what, to, extended } => {
                let peer = self.peer(turn)?;
                let envelope = self.envelope(turn, at, rkey);
                turn.core.responder.check_local(self.setup.pd, to, true)?;
                let value = match peer {
                    Peer::Here(peer) => peer.execute(&envelope, Ask::Atomic { what })?,
                    Peer::There(peer) => {
                        self.outstanding += 1;
                        self.atomic_there(turn, index, &peer, envelope, (what, to, extended));
                        return Ok((Stage::Waiting, to.bytes as u32));
                    }
                };
                if let Some(when) = self.delay(turn, index) {
                    let what = LateData::Atomic { value, what, to, extended };
                    self.late.push_back(Late { index, when, what });
                    self.outstanding += 1;
                    return Ok((self.early(turn, index), to.bytes as u32));
                }
                self.land(turn, value, what, to, extended)?;
                Ok((Stage::Done, to.bytes as u32))
            }
        }
    }

    /// Reports whether later writes overtake this one.
    fn is_overtaken(&self, turn: &Turn<'_>, index: u64, peer: &Responder, rkey: u32, bytes: u32) -> bool {
        let chance = turn.core.options.knobs.overtake;
        let some = bytes != 0 && u64::from(bytes) <= PIECE && !turn.calm;
        some && self.draw.happens(draws::OVERTAKE, index, chance) && peer.is_relaxed(rkey)
    }

    /// Returns the length of a message, checked against the limit.
    pub(super) fn message(&self, bytes: u64) -> Result<u32, Nak> {
        let most = self.setup.most;
        if bytes > most {
            let what = format!("{bytes} bytes in a message, and {most} are allowed");
            return Err(Nak::broken(syndrome::LOCAL_LENGTH, Rule::MessageLength, what));
        }
        Ok(bytes as u32)
    }

    pub(super) fn envelope(&self, turn: &Turn<'_>, at: u64, rkey: u32) -> Envelope {
        Envelope { from: (turn.core.lid(), self.setup.qpn), to: self.to.1, at, rkey, key: self.key }
    }

    /// Returns the peer's NIC, if it is reachable.
    pub(super) fn peer(&mut self, turn: &Turn<'_>) -> Result<Peer, Nak> {
        let lost = |what: String| Err(Nak::fault(syndrome::RETRY_EXCEEDED, what));
        if !turn.core.responder.up.load(Ordering::Acquire) {
            return lost("the link is down".into());
        }
        let lid = self.to.0;
        if self.link.is_none() {
            self.link = turn.core.port.link(lid);
        }
        match &self.link {
            Some(Link::Local(responder)) => match responder.upgrade() {
                Some(responder) => Ok(Peer::Here(responder)),
                None => lost(format!("the NIC with LID {lid} is gone")),
            },
            Some(Link::Remote(connection)) if connection.is_alive() => Ok(Peer::There(connection.clone())),
            Some(Link::Remote(_)) => lost(format!("the process with LID {lid} is gone")),
            None => lost(format!("there is no NIC with LID {lid}")),
        }
    }

    /// Sends the data of a write in pieces, whose order may be drawn. `check`: whether the peer accepts this number of
    /// bytes.
    pub(super) fn write(
        &self,
        turn: &mut Turn<'_>,
        index: u64,
        envelope: Envelope,
        source: Source<'_>,
        mut send: impl FnMut(Envelope, &[u8]) -> Result<(), Nak>,
        mut check: impl FnMut(u64) -> Result<(), Nak>,
    ) -> Result<(), Nak> {
        let total = source.bytes();
        let chance = turn.core.options.knobs.scatter;
        let scatter = !turn.calm && self.draw.happens(draws::SCATTER, index, chance) && total > 8;
        if total > PIECE || scatter {
            // The first packet names the whole range, so that nothing is written unless everything may be.
            check(total)?;
        }
        match source {
            Source::Inline(data) if !scatter => send(envelope, data),
            Source::Inline(data) => self.scatter(index, envelope, data, &mut send),
            Source::Gather(_) | Source::Mixed(_) => {
                let mut scratch = std::mem::take(turn.scratch);
                let moved = self.gather(turn, &mut scratch, source, |at, data| {
                    let envelope = Envelope { at: envelope.at + at, ..envelope };
                    if scatter { self.scatter(index, envelope, data, &mut send) } else { send(envelope, data) }
                });
                *turn.scratch = scratch;
                moved
            }
        }
    }

    /// Collects the data of a source into parts of [`PIECE`] bytes, and sends each.
    pub(super) fn gather(
        &self,
        turn: &Turn<'_>,
        scratch: &mut Vec<u8>,
        source: Source<'_>,
        mut send: impl FnMut(u64, &[u8]) -> Result<(), Nak>,
    ) -> Result<(), Nak> {
        scratch.clear();
        let mut sent = 0;
        for piece in source.pieces() {
            let mut done = 0;
            while done < piece.bytes() {
                let filled = scratch.len();
                let bytes = (piece.bytes() - done).min(PIECE - filled as u64);
                match piece {
                    Piece::Inline(data) => scratch.extend_from_slice(&data[done as usize..(done + bytes) as usize]),
                    Piece::Memory(sge) => {
                        scratch.resize(filled + bytes as usize, 0);
                        turn.core.responder.read_local(self.setup.pd, sge, done, &mut scratch[filled..])?;
                    }
                }
                done += bytes;
                if scratch.len() as u64 == PIECE {
                    send(sent, scratch)?;
                    sent += PIECE;
                    scratch.clear();
                }
            }
        }
        if sent == 0 || !scratch.is_empty() {
            send(sent, scratch)?;
        }
        Ok(())
    }

    /// Writes the pieces of some bytes in any order; words of 8 bytes stay whole.
    fn scatter(
        &self,
        index: u64,
        envelope: Envelope,
        data: &[u8],
        send: &mut impl FnMut(Envelope, &[u8]) -> Result<(), Nak>,
    ) -> Result<(), Nak> {
        let size = 8 << (self.draw.number(draws::SCATTER, index ^ 1 << 41) % 10);
        // Piece boundaries are aligned at the target.
        let first = (size - envelope.at % size).min(data.len() as u64);
        let (mut cuts, mut at) = (Vec::new(), first);
        cuts.push(0..first);
        while at < data.len() as u64 {
            let end = (at + size).min(data.len() as u64);
            cuts.push(at..end);
            at = end;
        }
        for i in (1..cuts.len()).rev() {
            let other =
                self.draw.number(draws::SCATTER ^ 0x100, index.wrapping_add(i as u64) ^ 1 << 42) % (i as u64 + 1);
            cuts.swap(i, other as usize);
        }
        for cut in cuts {
            let envelope = Envelope { at: envelope.at + cut.start, ..envelope };
            send(envelope, &data[cut.start as usize..cut.end as usize])?;
        }
        Ok(())
    }

    /// Reads from the peer into local memory.
    pub(super) fn read(
        &self,
        turn: &mut Turn<'_>,
        peer: &Responder,
        envelope: Envelope,
        to: impl Iterator<Item = Sge> + Clone,
    ) -> Result<(), Nak> {
        let total: u64 = to.clone().map(|sge| sge.bytes).sum();
        if total > PIECE || total == 0 {
            peer.check(&envelope, total, access::REMOTE_READ)?;
        }
        let mut sent = 0;
        let scratch = &mut *turn.scratch;
        for sge in to {
            let mut done = 0;
            while done < sge.bytes {
                let piece = (sge.bytes - done).min(PIECE);
                scratch.clear();
                scratch.resize(piece as usize, 0);
                peer.read(&Envelope { at: envelope.at + sent, ..envelope }, scratch)?;
                scratch[0] ^= u8::from(turn.core.options.defects.has(Defect::Read));
                turn.core.responder.write_local(self.setup.pd, sge, done, scratch)?;
                done += piece;
                sent += piece;
            }
        }
        Ok(())
    }

    /// Writes the former value of an atomic: 8 bytes in the host's order, 4 bytes (extended) big-endian.
    pub(super) fn land(&self, turn: &Turn<'_>, value: u64, what: Atomic, to: Sge, extended: bool) -> Result<(), Nak> {
        let defects = turn.core.options.defects;
        let value = value.wrapping_add(defects.has(Defect::Fetch).into());
        let (big, little) = ((value as u32).to_be_bytes(), value.to_le_bytes());
        let bytes = if extended && what.bytes() == 4 && !defects.has(Defect::Endian) {
            &big[..]
        } else {
            &little[..what.bytes().into()]
        };
        turn.core.responder.write_local(self.setup.pd, to, 0, bytes)
    }
}

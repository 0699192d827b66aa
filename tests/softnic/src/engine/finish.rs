//! Completes entries in order, and handles the consequences of an error.

use crate::Defect;
use crate::check::Rule;
use crate::decode::control;
use crate::nic::{Nak, state, syndrome};

use super::Turn;
use super::cq::{Entry, Written};
use super::queue::{Flight, Queue, Stage};

/// Purposes of draws.
mod draws {
    pub(super) const HOLD: u64 = 30;
}

impl Queue {
    /// Completes all entries that can be completed. Returns whether there were any.
    pub(super) fn finish(&mut self, turn: &mut Turn<'_>) -> bool {
        let mut any = !self.late.is_empty() && self.land_late(turn);
        any |= !self.overtaken.is_empty() && self.land_overtaken(turn, turn.now);
        while let Some(flight) = self.flights.front() {
            if matches!(flight.state, Stage::Waiting) {
                break;
            }
            let Some(mut flight) = self.flights.pop_front() else { break };
            any = true;
            match std::mem::replace(&mut flight.state, Stage::Done) {
                Stage::Failed(nak) => {
                    self.fail(turn, &flight, *nak);
                    return true;
                }
                _ if flight.signalled => self.complete(turn, flight),
                _ => {}
            }
            if self.stopped {
                return true;
            }
        }
        if self.held.as_ref().is_some_and(|(until, _)| *until <= turn.now)
            && let Some((_, flight)) = self.held.take()
        {
            self.publish(turn, &flight);
            any = true;
        }
        any
    }

    /// Completes a signalled entry: writes its completion, or delays it so that a later one may overtake it.
    fn complete(&mut self, turn: &mut Turn<'_>, flight: Flight) {
        let knobs = &turn.core.options.knobs;
        if !turn.calm && self.setup.cq.collapsed && self.draw.happens(draws::HOLD, flight.index, knobs.late_cqe) {
            let until = match &self.held {
                Some((until, _)) => *until,
                None => turn.now + self.draw.time(draws::HOLD, flight.index, knobs.late_cqe_us),
            };
            self.held = Some((until, flight));
            return;
        }
        self.held = None;
        self.publish(turn, &flight);
    }

    /// Writes the completion of an entry, after a last check of all entries that it covers.
    fn publish(&mut self, turn: &mut Turn<'_>, flight: &Flight) {
        while self.uncovered.front().is_some_and(|(index, _)| *index <= flight.index) {
            let Some((index, ds)) = self.uncovered.pop_front() else { break };
            if let Some(what) = self.changed(turn, index, ds) {
                let blocks = u64::from(ds).div_ceil(4);
                self.record(turn.core, Rule::WqeChanged, index, blocks, what);
                self.break_down(turn, index, flight.opcode, syndrome::LOCAL_OPERATION);
                return;
            }
        }
        self.visible = flight.index + flight.blocks;
        self.entry(turn, flight.index, flight.opcode, flight.bytes, 0);
    }

    /// Returns the difference between an entry and its fetched copy, if any.
    #[inline]
    fn changed(&self, turn: &Turn<'_>, index: u64, ds: u8) -> Option<String> {
        let mut left = usize::from(ds) * 16;
        let mut block = index;
        while left > 0 {
            let slot = block & (self.setup.depth - 1);
            let bytes = left.min(64);
            let mut now = [0; 64];
            turn.core.dma.read(self.setup.sq.part(slot * 64, 64)?, &mut now).ok()?;
            let then = &self.shadow[slot as usize];
            if now[..bytes] != then[..bytes] {
                let at = now.iter().zip(then).position(|(now, then)| now != then).unwrap_or(0);
                let carries = control(&now).index;
                return Some(format!(
                    "byte {at} of block {slot} was {:#04x} and is {:#04x} (index {carries:#06x} stands there now)",
                    then[at], now[at]
                ));
            }
            (left, block) = (left - bytes, block + 1);
        }
        None
    }

    /// Writes an entry into the completion queue.
    fn entry(&mut self, turn: &mut Turn<'_>, index: u64, opcode: u8, bytes: u32, syndrome: u8) {
        let defects = turn.core.options.defects;
        if defects.has(Defect::Silent) && syndrome == 0 {
            return;
        }
        let is_misnamed = defects.has(Defect::Counter) && index >> 16 != 0;
        let is_mistold = defects.has(Defect::Syndrome) && syndrome == syndrome::REMOTE_ACCESS;
        let entry = Entry {
            qpn: self.setup.qpn,
            user_index: self.setup.user_index,
            counter: index as u16 ^ u16::from(is_misnamed),
            opcode,
            bytes,
            syndrome: if is_mistold { syndrome::REMOTE_OPERATION } else { syndrome },
            vendor: if syndrome == 0 { 0 } else { 0x80 | syndrome },
            received: None,
        };
        // Without memory nothing can be reported.
        let written = self.setup.cq.write(&turn.core.dma, &entry).unwrap_or(Written::Yes);
        if let Some((rule, what)) = self.setup.cq.broken(written)
            && !std::mem::replace(&mut self.overran, true)
        {
            self.record(turn.core, rule, index, 0, what);
            // (Has no effect on a queue that has stopped, whose entries are flushed.)
            self.break_down(turn, index, opcode, syndrome::LOCAL_OPERATION);
        }
    }

    /// Fails an entry.
    fn fail(&mut self, turn: &mut Turn<'_>, flight: &Flight, nak: Nak) {
        if let Some(rule) = nak.rule {
            self.record(turn.core, rule, flight.index, flight.blocks, nak.what);
        }
        self.break_down(turn, flight.index, flight.opcode, nak.syndrome);
    }

    /// Stops the queue with an error completion. Later entries are flushed, as hardware does: the completion of each
    /// overwrites the first error in a collapsed queue.
    pub(super) fn break_down(&mut self, turn: &mut Turn<'_>, index: u64, opcode: u8, syndrome: u8) {
        if self.stopped {
            return;
        }
        self.stopped = true;
        self.setup.state.fail();
        if let Some((_, held)) = self.held.take()
            && held.index < index
        {
            self.entry(turn, held.index, held.opcode, held.bytes, 0);
        }
        self.entry(turn, index, opcode, 0, syndrome);
        let behind = index + self.blocks_at(turn, index);
        self.flights.clear();
        self.late.clear();
        self.overtaken.clear();
        self.remote.clear();
        self.unanswered = None;
        self.flush(turn, behind);
    }

    /// Fails every entry from `index` on, because an earlier one failed.
    fn flush(&mut self, turn: &mut Turn<'_>, mut index: u64) {
        let end = self.limit.max(self.rung).min(self.visible + self.setup.depth);
        while index < end {
            let opcode = self.opcode_at(turn, index);
            self.entry(turn, index, opcode, 0, syndrome::FLUSHED);
            index += self.blocks_at(turn, index);
        }
        self.flushed = index;
    }

    /// Flushes entries that were posted after the queue stopped. Returns whether there were any.
    pub(super) fn flush_later(&mut self, turn: &mut Turn<'_>) -> bool {
        let record = turn.core.dma.load(self.setup.dbr).unwrap_or(0).to_le_bytes();
        let posted = u16::from_be_bytes([record[6], record[7]]);
        let ahead = u64::from(posted.wrapping_sub(self.flushed as u16));
        if ahead == 0 || ahead > self.setup.depth {
            return false;
        }
        let end = self.flushed + ahead;
        let mut index = self.flushed;
        while index < end {
            let opcode = self.opcode_at(turn, index);
            self.entry(turn, index, opcode, 0, syndrome::FLUSHED);
            index += self.blocks_at(turn, index);
        }
        self.flushed = index;
        true
    }

    fn control_at(&self, turn: &Turn<'_>, index: u64) -> Option<crate::decode::Control> {
        let mut block = [0; 64];
        let at = self.setup.sq.part((index & (self.setup.depth - 1)) * 64, 64)?;
        turn.core.dma.read(at, &mut block).ok()?;
        Some(control(&block))
    }

    fn blocks_at(&self, turn: &Turn<'_>, index: u64) -> u64 {
        self.control_at(turn, index).map_or(1, |control| control.blocks())
    }

    fn opcode_at(&self, turn: &Turn<'_>, index: u64) -> u8 {
        self.control_at(turn, index).map_or(0, |control| control.opcode)
    }

    /// Handles a queue pair that a command or the responder has stopped: posted entries are flushed.
    pub(super) fn stop_quietly(&mut self, turn: &mut Turn<'_>) -> bool {
        if self.setup.state.get() != state::ERR {
            return false;
        }
        // Doorbells are no longer read, so that the record announces posts.
        let record = turn.core.dma.load(self.setup.dbr).unwrap_or(0).to_le_bytes();
        let posted = u16::from_be_bytes([record[6], record[7]]);
        let next = self.flights.front().map_or(self.started, |flight| flight.index);
        let ahead = posted.wrapping_sub(next as u16);
        if ahead == 0 || u64::from(ahead) > self.setup.depth {
            // Nothing is posted yet; later posts are flushed then.
            self.start_at = None;
            return false;
        }
        self.limit = self.limit.max(next + u64::from(ahead));
        let opcode = self.opcode_at(turn, next);
        self.break_down(turn, next, opcode, syndrome::FLUSHED);
        true
    }
}

//! Fetches entries, checks them, and starts them in order.

use std::time::Instant;

use crate::check::Rule;
use crate::decode::{Fence, Operation, control, decode_of};
use crate::nic::{Nak, syndrome};

use super::Turn;
use super::queue::{Flight, Queue, Stage};

/// Purposes of draws.
mod draws {
    pub(super) const FETCH: u64 = 10;
    pub(super) const STALL: u64 = 11;
    pub(super) const PAUSE: u64 = 12;
}

/// Entries that a queue starts before the next queue has its turn.
const TURN: usize = 64;

/// Blocks of the longest entry.
const MOST_BLOCKS: u64 = 16;

impl Queue {
    /// Starts all entries that may start. Returns whether there were any.
    pub(super) fn start(&mut self, turn: &mut Turn<'_>) -> bool {
        if self.start_at.is_some_and(|at| at > turn.now) {
            return false;
        }
        self.start_at = None;
        let mut any = false;
        for _ in 0..TURN {
            let failed = matches!(self.flights.back(), Some(Flight { state: Stage::Failed(_), .. }));
            if failed
                || self.stopped
                || self.unanswered.is_some()
                || self.started >= self.limit
                || !self.start_one(turn)
            {
                break;
            }
            any = true;
        }
        any
    }

    /// Fetches the entries that the record covers, before the doorbell.
    pub(super) fn prefetch(&mut self, turn: &Turn<'_>) {
        let to = self.recorded;
        self.fetch(turn, to);
    }

    /// Fetches blocks up to index `to`.
    #[inline]
    fn fetch(&mut self, turn: &Turn<'_>, to: u64) {
        let mask = self.setup.depth - 1;
        while self.fetched < to {
            let slot = self.fetched & mask;
            if let Some(block) = self.setup.sq.part(slot * 64, 64) {
                // A failed read leaves the old contents, which are no entry of this index.
                let _ = turn.core.dma.read(block, &mut self.shadow[slot as usize]);
            }
            self.fetched += 1;
        }
    }

    /// Starts the next entry, if it may start.
    fn start_one(&mut self, turn: &mut Turn<'_>) -> bool {
        let index = self.started;
        if !turn.calm && self.drawn != Some(index) {
            self.drawn = Some(index);
            let knobs = &turn.core.options.knobs;
            let mut wait = self.draw.time(draws::FETCH, index, knobs.fetch_delay_us);
            if self.draw.happens(draws::STALL, index, knobs.stall) {
                wait += self.draw.time(draws::STALL, index, knobs.stall_us);
            }
            if self.draw.happens(draws::PAUSE, index, knobs.pause) {
                wait += self.draw.time(draws::PAUSE, index, knobs.pause_us);
            }
            if !wait.is_zero() {
                self.start_at = Some(turn.now + wait);
                return false;
            }
        }
        self.fetch(turn, index + 1);
        let slot = (index & (self.setup.depth - 1)) as usize;
        let control = control(&self.shadow[slot]);
        let blocks = control.blocks();
        if let Some((rule, what)) = self.head(index, &control) {
            self.refuse(turn, index, 1, control.opcode, rule, what);
            return true;
        }
        self.fetch(turn, index + blocks);
        // The entry borrows the blocks; no later code uses them otherwise.
        let shadow = std::mem::take(&mut self.shadow);
        let mut wrapped = Vec::new();
        let started = self.start_decoded(turn, index, Self::blocks(&shadow, index, blocks, &mut wrapped));
        self.shadow = shadow;
        match started {
            Ok(started) => started,
            Err((rule, what)) => {
                self.refuse(turn, index, blocks, control.opcode, rule, what);
                true
            }
        }
    }

    /// Returns the broken rule of an entry's first words, if any.
    #[inline]
    fn head(&self, index: u64, control: &crate::decode::Control) -> Option<(Rule, String)> {
        let blocks = control.blocks();
        if control.index != index as u16 {
            return Some((
                Rule::WqeIndex,
                format!("it says {:#06x}, its place is {:#06x}", control.index, index as u16),
            ));
        }
        if control.qpn != self.setup.qpn {
            return Some((Rule::WqeQpn, format!("it says QP {:#x}", control.qpn)));
        }
        if control.ds == 0 || blocks > MOST_BLOCKS {
            return Some((Rule::SegmentCount, format!("ds is {}", control.ds)));
        }
        if index + blocks > self.limit {
            let left = self.limit - index;
            return Some((Rule::BeyondProducer, format!("it has {blocks} blocks, and {left} were posted")));
        }
        None
    }

    /// Starts a decoded entry. Returns whether it could start, or the broken rule.
    fn start_decoded(&mut self, turn: &mut Turn<'_>, index: u64, bytes: &[u8]) -> Result<bool, (Rule, String)> {
        let request = decode_of(self.setup.service, bytes).map_err(|malformed| (malformed.rule, malformed.what))?;
        let (control, blocks) = (request.control, request.control.blocks());
        let signalled = control.signalled();
        if signalled && blocks > 1 && self.setup.cq.collapsed {
            return Err((
                Rule::MultiBlockSignalled,
                format!("it has {blocks} blocks; a NOP behind it can be signalled"),
            ));
        }
        let unsignalled = if signalled { 0 } else { self.unsignalled + blocks };
        // In a ring each entry has its own completion, and the indices need no reconstruction: libmlx5 lets a program
        // post a whole queue without any.
        if unsignalled > self.setup.depth / 2 && self.setup.depth > 2 && self.setup.cq.collapsed {
            let half = self.setup.depth / 2;
            return Err((Rule::SignalTooRare, format!("{unsignalled} blocks without, and half the depth is {half}")));
        }
        let waits = match control.fence() {
            Some(Fence::Fence | Fence::FenceAndSmall) => self.outstanding != 0,
            Some(Fence::Strong) => self.flights.iter().any(|flight| matches!(flight.state, Stage::Waiting)),
            _ => false,
        };
        if waits {
            self.hurry_late(turn.now);
        }
        let fetches = matches!(request.operation, Operation::Read { .. } | Operation::Atomic { .. });
        if waits || fetches && self.outstanding >= self.setup.credits {
            return Ok(false);
        }
        let reached = request.to.map_or(Ok(true), |to| self.turn_to(turn, &to));
        if reached == Ok(false) {
            return Ok(false);
        }
        let reached_nowhere = reached.is_err();
        self.unsignalled = unsignalled;
        self.started = index + blocks;
        self.uncovered.push_back((index, control.ds));
        let mut flight = Flight { index, blocks, opcode: control.opcode, signalled, bytes: 0, state: Stage::Done };
        if let Some(syndrome) = turn.core.faults.take(self.setup.qpn, index) {
            flight.state = Stage::Failed(Box::new(Nak::fault(syndrome, "injected")));
        } else {
            match reached.and_then(|_| self.execute(turn, index, &request)) {
                Ok((state, bytes)) => (flight.state, flight.bytes) = (state, bytes),
                // A datagram that leads nowhere is lost.
                Err(nak) if reached_nowhere && !self.setup.service.is_reliable() => drop(nak),
                Err(nak) => flight.state = self.refused(turn, index, nak),
            }
        }
        if signalled && let Err(nak) = self.land_out_of_order() {
            flight.state = Stage::Failed(Box::new(nak));
        }
        self.flights.push_back(flight);
        Ok(true)
    }

    /// Refuses the next entry, which is invalid: it fails after the started ones.
    fn refuse(&mut self, turn: &Turn<'_>, index: u64, blocks: u64, opcode: u8, rule: Rule, what: String) {
        // Recorded here, where its blocks are known to be fetched.
        self.record(turn.core, rule, index, blocks, what.clone());
        let nak = Nak::fault(syndrome::LOCAL_OPERATION, what);
        let state = Stage::Failed(Box::new(nak));
        self.flights.push_back(Flight { index, blocks, opcode, signalled: true, bytes: 0, state });
        self.started = index + blocks;
    }

    /// Returns the time at which late data arrives: not before earlier late data.
    pub(super) fn after_the_late(&self, when: Instant) -> Instant {
        self.late.back().map_or(when, |late| late.when.max(when))
    }
}

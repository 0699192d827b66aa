//! Data that arrives late, or after operations that overtook it.

use std::time::{Duration, Instant};

use super::Turn;
use super::execute::{Peer, draws};
use super::queue::{LateData, Overtaken, Queue, Stage};
use crate::nic::{Ask, Nak};

/// Delay of an overtaken write after the operation that overtook it.
const OVERTAKEN: Duration = Duration::from_millis(1);

/// Delay of late data for which a fenced entry waits: longer than completions of earlier entries take.
const HURRIED: Duration = Duration::from_micros(20);

impl Queue {
    /// Returns the time at which the data of a read or fetch arrives, if it is late.
    pub(super) fn delay(&self, turn: &Turn<'_>, index: u64) -> Option<Instant> {
        if turn.calm {
            return None;
        }
        let knobs = &turn.core.options.knobs;
        let late = self.draw.happens(draws::READ, index, knobs.read_delay);
        if !late && self.late.is_empty() {
            return None;
        }
        let delay = if late { self.draw.time(draws::READ, index, knobs.read_delay_us) } else { Default::default() };
        Some(self.after_the_late(turn.now + delay))
    }

    /// Returns the stage of an entry with late data: its completion waits for the data, or is early.
    pub(super) fn early(&self, turn: &Turn<'_>, index: u64) -> Stage {
        let options = &turn.core.options;
        if options.dump_needed && self.draw.happens(draws::EARLY, index, options.knobs.early_cqe) {
            Stage::Done
        } else {
            Stage::Waiting
        }
    }

    /// Lets late data arrive soon, since a fenced entry waits for it. A test with long delays then takes long only where
    /// the fence is missing.
    pub(super) fn hurry_late(&mut self, now: Instant) {
        self.late.iter_mut().for_each(|late| late.when = late.when.min(now + HURRIED));
    }

    /// Executes late arrivals.
    pub(super) fn land_late(&mut self, turn: &mut Turn<'_>) -> bool {
        let mut any = false;
        while self.late.front().is_some_and(|late| late.when <= turn.now) {
            let Some(late) = self.late.pop_front() else { break };
            any = true;
            let landed = match late.what {
                LateData::Read { envelope, to } => match self.peer(turn) {
                    Ok(Peer::Here(peer)) => self.read(turn, &peer, envelope, to.iter().copied()),
                    Ok(Peer::There(peer)) => {
                        // It stays outstanding until the response.
                        self.read_there(turn, late.index, &peer, envelope, to);
                        continue;
                    }
                    Err(nak) => Err(nak),
                },
                LateData::Atomic { value, what, to, extended } => self.land(turn, value, what, to, extended),
            };
            self.landed(late.index, landed);
        }
        any
    }

    /// Handles the arrival of the data of a read or an atomic, or its failure.
    pub(super) fn landed(&mut self, index: u64, landed: Result<(), Nak>) {
        self.outstanding -= 1;
        if let Some(flight) = self.flights.iter_mut().find(|flight| flight.index == index) {
            flight.state = match landed {
                Ok(()) => Stage::Done,
                Err(nak) => Stage::Failed(Box::new(nak)),
            };
        }
    }

    /// Executes the writes that were to be overtaken until `now`.
    pub(super) fn land_overtaken(&mut self, turn: &mut Turn<'_>, now: Instant) -> bool {
        let (due, rest) = std::mem::take(&mut self.overtaken).into_iter().partition(|write| write.when <= now);
        let due: Vec<Overtaken> = due;
        self.overtaken = rest;
        for write in &due {
            let landed = self.peer(turn).and_then(|peer| match peer {
                Peer::Here(peer) => peer.execute(&write.envelope, Ask::Write { data: &write.data }).map(drop),
                Peer::There(_) => Ok(()),
            });
            if let Some(flight) = self.flights.iter_mut().find(|flight| flight.index == write.index) {
                flight.state = landed.map_or_else(|nak| Stage::Failed(Box::new(nak)), |()| Stage::Done);
            }
        }
        !due.is_empty()
    }

    /// Executes the writes that a defect has put out of order, some time after the operation that overtook them.
    pub(super) fn land_out_of_order(&mut self) -> Result<(), Nak> {
        if self.out_of_order.is_empty() {
            return Ok(());
        }
        std::thread::sleep(OVERTAKEN);
        let mut out_of_order = std::mem::take(&mut self.out_of_order).into_iter();
        out_of_order
            .try_for_each(|(peer, envelope, data)| peer.execute(&envelope, Ask::Write { data: &data }).map(drop))
    }
}

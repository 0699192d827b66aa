//! Detection of new entries: doorbells and doorbell records.

use crate::check::{Rule, Violation};
use crate::knobs::PiSource;

use super::Turn;
use super::queue::Queue;

/// Purposes of draws.
mod draws {
    pub(super) const LOST: u64 = 1;
    pub(super) const RECORD: u64 = 2;
}

/// Handles a doorbell: the first 8 bytes of a control segment, with the index of the next entry and ds 0, or those of
/// the last entry.
pub(super) fn rung(turn: &mut Turn<'_>, queues: &mut [Queue], owners: &[usize], value: u64, alone: bool) {
    let bytes = value.to_le_bytes();
    let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u32::from_be_bytes(*word));
    let (index, qpn, ds) = ((word(0) >> 8) as u16, word(4) >> 8, word(4) & 0x3f);
    let next = if ds == 0 { index } else { index.wrapping_add(ds.div_ceil(4) as u16) };
    if let Some(&place) = owners.iter().find(|place| queues[**place].setup.qpn == qpn) {
        queues[place].doorbell(turn, next, alone && owners.len() == 1);
        return;
    }
    let Some(&place) = owners.first() else { return };
    let queue = &mut queues[place];
    let hint = if u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) >> 8 == queue.setup.qpn {
        ": the words are little-endian"
    } else {
        ""
    };
    let what = format!("the doorbell {:08x} {:08x} is for QP {qpn:#x}{hint}", word(0), word(4));
    queue.violate(turn, Rule::DoorbellQpn, what);
}

impl Queue {
    /// Returns the distance of a 16-bit index from a full one. A queue's depth is at most 2^15, so that a larger
    /// distance is backward.
    fn ahead(&self, of: u64, index: u16) -> Result<u64, u64> {
        let forward = index.wrapping_sub(of as u16);
        if u64::from(forward) <= self.setup.depth || (forward as i16) >= 0 {
            Ok(forward.into())
        } else {
            Err(u64::from(of as u16).wrapping_sub(index.into()) & 0xffff)
        }
    }

    /// Takes a producer index. Returns the broken rule if it is wrong.
    fn take(&mut self, index: u16, from: u64) -> Result<u64, (Rule, String)> {
        let depth = self.setup.depth;
        let next = match self.ahead(from, index) {
            Ok(ahead) => from + ahead,
            Err(back) => return Err((Rule::IndexBackward, format!("from {from} it moved {back} back, to {index:#x}"))),
        };
        // A doorbell can follow a record that the NIC has already read, and whose entries it has completed.
        let posted = next.saturating_sub(self.visible);
        if posted > depth {
            let visible = self.visible;
            return Err((
                Rule::Overrun,
                format!("{posted} blocks are posted in a queue of {depth}: next is {next}, completed is {visible}"),
            ));
        }
        Ok(next)
    }

    /// Handles a doorbell that carries the index of the next entry.
    fn doorbell(&mut self, turn: &mut Turn<'_>, next: u16, alone: bool) {
        if self.stopped || self.setup.state.get() != crate::nic::state::RTS {
            return;
        }
        self.doorbells += 1;
        // With several registers an older doorbell can be seen after a newer one.
        if !alone && self.ahead(self.rung, next).is_err() {
            return;
        }
        self.rung = match self.take(next, self.rung) {
            Ok(rung) => rung,
            Err((rule, what)) => return self.violate(turn, rule, format!("the doorbell's index: {what}")),
        };
        if self.setup.without_dbr {
            self.limit = self.rung;
            return;
        }
        if let Err((rule, what)) = self.read_record(turn) {
            return self.violate(turn, rule, what);
        }
        if self.recorded < self.rung && !turn.core.options.early_doorbells {
            let (rung, recorded) = (self.rung, self.recorded);
            let what = format!("the doorbell says {rung}, the record {recorded}");
            return self.violate(turn, Rule::DbrFirst, what);
        }
        let knobs = &turn.core.options.knobs;
        if knobs.pi != PiSource::Doorbell {
            return;
        }
        if self.draw.happens(draws::LOST, self.doorbells, knobs.lost_doorbell) {
            let recovery = std::time::Duration::from_micros(knobs.recovery_us.into());
            self.limit_at.get_or_insert(turn.now + recovery);
            return;
        }
        self.limit = self.limit.max(self.rung);
    }

    /// Reads the doorbell record. Returns the broken rule if it is wrong.
    fn read_record(&mut self, turn: &Turn<'_>) -> Result<(), (Rule, String)> {
        let Ok(record) = turn.core.dma.load(self.setup.dbr) else { return Ok(()) };
        let bytes = record.to_le_bytes();
        let word = |at: usize| bytes[at..].first_chunk().map_or(0, |word| u32::from_be_bytes(*word));
        let (receive, send) = (word(0), word(4));
        let receives = self.setup.receiver.as_ref().is_some_and(|receiver| !receiver.queue.shared);
        if receive != 0 && !receives {
            return Err((
                Rule::DbrWord,
                format!(
                    "the first word is {receive:#010x}, the second {send:#010x}; the first is the receive queue's, which has no entries"
                ),
            ));
        }
        let next = match self.ahead(self.recorded, send as u16) {
            Ok(ahead) => self.recorded + ahead,
            Err(_) => self.recorded,
        };
        if send >> 16 != 0 && send >> 16 != (next >> 16 & 0xff) as u32 {
            let hint = if send & 0xffff == 0 { ": is it little-endian?" } else { "" };
            return Err((Rule::DbrBits, format!("the record is {send:#010x}, of which 16 bits count{hint}")));
        }
        self.recorded = self
            .take(send as u16, self.recorded)
            .map_err(|(rule, what)| (rule, format!("the record's index: {what}")))?;
        Ok(())
    }

    /// Reads the record, if it is the source of new entries.
    pub(super) fn look(&mut self, turn: &mut Turn<'_>) -> bool {
        if self.setup.without_dbr || turn.calm && !self.shares {
            return false;
        }
        let knobs = &turn.core.options.knobs;
        let before = (self.recorded, self.limit);
        if (knobs.pi != PiSource::Doorbell || knobs.prefetch || self.shares)
            && let Err((rule, what)) = self.read_record(turn)
        {
            self.violate(turn, rule, what);
            return true;
        }
        match knobs.pi {
            PiSource::Doorbell if !self.shares => {}
            PiSource::Doorbell | PiSource::Record => self.limit = self.limit.max(self.recorded),
            // A doorbell reads the record too, so that the record is news until it counts.
            PiSource::LateRecord if self.recorded > self.limit => {
                let delay = self.draw.time(draws::RECORD, self.recorded, knobs.recovery_us);
                self.limit_at.get_or_insert(turn.now + delay);
            }
            PiSource::LateRecord => {}
        }
        if self.limit_at.is_some_and(|at| at <= turn.now) {
            self.limit_at = None;
            if let Err((rule, what)) = self.read_record(turn) {
                self.violate(turn, rule, what);
                return true;
            }
            self.limit = self.limit.max(self.recorded);
        }
        if knobs.prefetch {
            self.prefetch(turn);
        }
        before != (self.recorded, self.limit)
    }

    /// Stops the queue: a rule was broken that concerns no single entry.
    pub(super) fn violate(&mut self, turn: &mut Turn<'_>, rule: Rule, what: String) {
        turn.core.violations.record(Violation {
            rule,
            nic: turn.core.name.clone(),
            qpn: self.setup.qpn,
            index: self.started,
            what,
            wqe: String::new(),
        });
        self.break_down(turn, self.started, 0, crate::nic::syndrome::LOCAL_OPERATION);
    }
}

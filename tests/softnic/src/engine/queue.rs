//! A send queue as the NIC sees it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::check::{Rule, Violation};
use crate::decode::{Atomic, Sge, show};
use crate::knobs::Draw;
use crate::memory::Span;
use crate::nic::{Core, Envelope, Nak, QpState, Responder};
use crate::wire::Link;

use super::{Cq, Turn};

/// What a queue is made of, once it is connected.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) qpn: u32,
    pub(crate) state: Arc<QpState>,
    pub(crate) pd: u32,
    pub(crate) sq: Span,
    /// Basic blocks, a power of two.
    pub(crate) depth: u64,
    /// Both words of the doorbell record.
    pub(crate) dbr: Span,
    /// The doorbell alone counts; the record is not read.
    pub(crate) without_dbr: bool,
    pub(crate) uar: u32,
    pub(crate) cq: Arc<Cq>,
    pub(crate) user_index: u32,
    /// LID and queue pair of the peer.
    pub(crate) to: (u16, u32),
    pub(crate) log_msg_max: u8,
    /// Reads and atomics outstanding at most.
    pub(crate) credits: u64,
    /// Its number among the queues of the NIC, for draws.
    pub(crate) order: u64,
}

/// An entry that was started.
#[derive(Debug)]
pub(crate) struct Flight {
    pub(crate) index: u64,
    pub(crate) blocks: u64,
    pub(crate) opcode: u8,
    pub(crate) signalled: bool,
    pub(crate) bytes: u32,
    pub(crate) state: Stage,
}

/// How far it is.
#[derive(Debug)]
pub(crate) enum Stage {
    Done,
    Waiting,
    Failed(Box<Nak>),
}

/// Data that lands later.
#[derive(Debug)]
pub(crate) struct Late {
    pub(crate) index: u64,
    pub(crate) when: Instant,
    pub(crate) what: LateData,
}

#[derive(Debug)]
pub(crate) enum LateData {
    /// A read that is still to be executed.
    Read { envelope: Envelope, to: Vec<Sge> },
    /// The former value of an atomic.
    Atomic { value: u64, what: Atomic, to: Sge, extended: bool },
}

/// A write that later ones may overtake.
#[derive(Debug)]
pub(crate) struct Overtaken {
    pub(crate) index: u64,
    pub(crate) when: Instant,
    pub(crate) envelope: Envelope,
    pub(crate) data: Vec<u8>,
}

/// What was asked of another process.
#[derive(Debug)]
pub(crate) struct Remote {
    pub(crate) index: u64,
    /// Answers to come.
    pub(crate) left: u32,
    pub(crate) since: Instant,
    /// The first that was no.
    pub(crate) failed: Option<Nak>,
    pub(crate) what: RemoteData,
}

/// What its answers are for.
#[derive(Debug)]
pub(crate) enum RemoteData {
    Write,
    Read { to: Vec<Sge> },
    Atomic { what: Atomic, to: Sge, extended: bool },
}

/// A send queue. Its indices count blocks from the start and never wrap.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) setup: Setup,
    pub(crate) link: Option<Link>,
    pub(crate) draw: Draw,
    /// Producer index of the last doorbell.
    pub(crate) rung: u64,
    /// Of the doorbell record when it was last read.
    pub(crate) recorded: u64,
    /// Up to here entries may be executed.
    pub(crate) limit: u64,
    /// When `limit` follows `recorded`.
    pub(crate) limit_at: Option<Instant>,
    /// Up to here blocks were fetched.
    pub(crate) fetched: u64,
    /// Up to here entries were started.
    pub(crate) started: u64,
    /// Up to here the program knows that entries completed.
    pub(crate) visible: u64,
    /// Blocks since the last signalled entry.
    pub(crate) unsignalled: u64,
    /// Nothing is started before.
    pub(crate) start_at: Option<Instant>,
    /// The last index at which a delay was drawn.
    pub(crate) drawn: Option<u64>,
    pub(crate) doorbells: u64,
    /// Whether other queues have the same doorbell page: a register that is polled loses doorbells then.
    pub(crate) shares: bool,
    /// Blocks as they were fetched.
    pub(crate) shadow: Vec<[u8; 64]>,
    /// Index and ds of what was started and is not yet visible.
    pub(crate) uncovered: VecDeque<(u64, u8)>,
    pub(crate) flights: VecDeque<Flight>,
    pub(crate) late: VecDeque<Late>,
    pub(crate) overtaken: Vec<Overtaken>,
    /// Reads and atomics whose data did not land.
    pub(crate) outstanding: u64,
    /// What was asked of another process.
    pub(crate) remote: VecDeque<Remote>,
    /// A completion that is held back, and until when.
    pub(crate) held: Option<(Instant, Flight)>,
    /// Writes that what comes behind them overtakes.
    pub(crate) out_of_order: Vec<(Arc<Responder>, Envelope, Vec<u8>)>,
    /// Whether the error was dealt with.
    pub(crate) stopped: bool,
    /// Whether it was said that its completion queue overran.
    pub(crate) overran: bool,
}

impl Queue {
    pub(crate) fn new(setup: Setup, core: &Core) -> Self {
        let seed = Draw(core.options.knobs.seed).number(91, setup.order);
        let first = core.options.first_index;
        Self {
            link: core.port.link(setup.to.0),
            draw: Draw(seed),
            rung: first,
            recorded: first,
            limit: first,
            limit_at: None,
            fetched: first,
            started: first,
            visible: first,
            unsignalled: 0,
            start_at: None,
            drawn: None,
            doorbells: 0,
            shares: false,
            shadow: vec![[0; 64]; setup.depth as usize],
            uncovered: VecDeque::new(),
            flights: VecDeque::new(),
            late: VecDeque::new(),
            overtaken: Vec::new(),
            outstanding: 0,
            remote: VecDeque::new(),
            held: None,
            out_of_order: Vec::new(),
            stopped: false,
            overran: false,
            setup,
        }
    }

    /// Does what can be done; whether that was anything, or something is to be done at a certain time.
    pub(crate) fn serve(&mut self, turn: &mut Turn<'_>) -> bool {
        if self.stopped || turn.core.holds.has(self.setup.qpn) {
            return false;
        }
        if self.setup.state.get() != crate::nic::state::RTS {
            return self.stop_quietly(turn);
        }
        let mut busy = self.look(turn);
        if self.limit > self.started {
            busy |= self.start(turn);
        }
        if !self.remote.is_empty() {
            self.lose_patience(turn);
        }
        if !self.flights.is_empty() || !self.late.is_empty() || self.held.is_some() {
            busy |= self.finish(turn);
        }
        // (What was overtaken has a flight that waits for it.)
        busy || !self.overtaken.is_empty()
            || self.start_at.is_some()
            || self.limit_at.is_some()
            || self.held.is_some()
            || !self.late.is_empty()
    }

    /// Where the NIC is, and the program, modulo 2^16.
    pub(crate) fn counters(&self) -> (u16, u16) {
        (self.started as u16, self.limit as u16)
    }

    /// The fetched blocks of an entry, one behind the other, in `wrapped` if they are not.
    pub(crate) fn blocks<'a>(shadow: &'a [[u8; 64]], index: u64, blocks: u64, wrapped: &'a mut Vec<u8>) -> &'a [u8] {
        let (slot, blocks) = (index as usize & (shadow.len() - 1), blocks as usize);
        if slot + blocks <= shadow.len() {
            return shadow[slot..slot + blocks].as_flattened();
        }
        wrapped.clear();
        for i in 0..blocks {
            wrapped.extend_from_slice(&shadow[(slot + i) & (shadow.len() - 1)]);
        }
        wrapped
    }

    /// Keeps a violation. `blocks`: how many of the entry's were fetched.
    pub(crate) fn record(&self, core: &Core, rule: Rule, index: u64, blocks: u64, what: String) {
        let wqe =
            if blocks == 0 { String::new() } else { show(Self::blocks(&self.shadow, index, blocks, &mut Vec::new())) };
        core.violations.record(Violation { rule, nic: core.name.clone(), qpn: self.setup.qpn, index, what, wqe });
    }
}

//! A send queue as the NIC sees it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use crate::check::{Rule, Violation};
use crate::decode::{Atomic, Service, Sge, show_of};
use crate::knobs::Draw;
use crate::memory::Span;
use crate::nic::{Core, Envelope, Nak, QpState, Receiver, Responder};
use crate::wire::Link;

use super::{Cq, Turn};

/// The parts of a connected queue.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) qpn: u32,
    pub(crate) service: Service,
    pub(crate) state: Arc<QpState>,
    /// The receiving side, if there is a receive queue.
    pub(crate) receiver: Option<Arc<Receiver>>,
    /// Repetitions of a message for which the peer has no entry; 7 is without limit.
    pub(crate) rnr_retries: u8,
    pub(crate) pd: u32,
    pub(crate) sq: Span,
    /// Basic blocks, a power of two.
    pub(crate) depth: u64,
    /// Both words of the doorbell record.
    pub(crate) dbr: Span,
    /// Whether the doorbell alone counts, and the record is not read.
    pub(crate) without_dbr: bool,
    pub(crate) uar: u32,
    pub(crate) cq: Arc<Cq>,
    pub(crate) user_index: u32,
    /// LID and queue pair of the peer.
    pub(crate) to: (u16, u32),
    /// Most bytes of a message.
    pub(crate) most: u64,
    /// Most outstanding reads and atomics.
    pub(crate) credits: u64,
    /// Its number among the NIC's queues, for draws.
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

/// The progress of an entry.
#[derive(Debug)]
pub(crate) enum Stage {
    Done,
    Waiting,
    Failed(Box<Nak>),
}

/// Data that arrives later.
#[derive(Debug)]
pub(crate) struct Late {
    pub(crate) index: u64,
    pub(crate) when: Instant,
    pub(crate) what: LateData,
}

#[derive(Debug)]
pub(crate) enum LateData {
    /// A read that is not executed yet.
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

/// A message that the peer may refuse because it has no entry for it. Without packet numbers, by which a responder
/// refuses the following requests too, nothing is sent after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unanswered {
    pub(crate) index: u64,
    /// Repetitions so far.
    pub(crate) repetitions: u8,
    /// The time at which it is repeated, after the peer has refused it.
    pub(crate) again_at: Option<Instant>,
}

/// A request to another process.
#[derive(Debug)]
pub(crate) struct Remote {
    pub(crate) index: u64,
    /// Outstanding answers.
    pub(crate) left: u32,
    pub(crate) since: Instant,
    /// The first negative answer.
    pub(crate) failed: Option<Nak>,
    pub(crate) what: RemoteData,
}

/// The use of its answers.
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
    /// LID and number of the peer: of the last entry's, if each names its own.
    pub(crate) to: (u16, u32),
    /// The key of that entry.
    pub(crate) key: u64,
    pub(crate) link: Option<Link>,
    pub(crate) draw: Draw,
    /// Producer index of the last doorbell.
    pub(crate) rung: u64,
    /// Value of the doorbell record when it was last read.
    pub(crate) recorded: u64,
    /// Index up to which entries may be executed.
    pub(crate) limit: u64,
    /// Time at which `limit` becomes `recorded`.
    pub(crate) limit_at: Option<Instant>,
    /// Index up to which blocks were fetched.
    pub(crate) fetched: u64,
    /// Index up to which entries were started.
    pub(crate) started: u64,
    /// Index up to which the program has seen completions.
    pub(crate) visible: u64,
    /// Blocks since the last signalled entry.
    pub(crate) unsignalled: u64,
    /// Nothing starts before this time.
    pub(crate) start_at: Option<Instant>,
    /// Last index for which a delay was drawn.
    pub(crate) drawn: Option<u64>,
    pub(crate) doorbells: u64,
    /// Whether other queues use the same doorbell page: a polled register then loses doorbells.
    pub(crate) shares: bool,
    /// Blocks as fetched.
    pub(crate) shadow: Vec<[u8; 64]>,
    /// Index and ds of started entries that are not yet visible.
    pub(crate) uncovered: VecDeque<(u64, u8)>,
    pub(crate) flights: VecDeque<Flight>,
    pub(crate) late: VecDeque<Late>,
    pub(crate) overtaken: Vec<Overtaken>,
    /// Reads and atomics whose data has not arrived.
    pub(crate) outstanding: u64,
    /// Requests to other processes.
    pub(crate) remote: VecDeque<Remote>,
    /// A delayed completion, and its time.
    pub(crate) held: Option<(Instant, Flight)>,
    /// A message whose acknowledgement the following entries wait for.
    pub(crate) unanswered: Option<Unanswered>,
    /// Writes that later operations overtake.
    pub(crate) out_of_order: Vec<(Arc<Responder>, Envelope, Vec<u8>)>,
    /// Whether the error was handled.
    pub(crate) stopped: bool,
    /// Index after the last entry that was flushed, once the queue has stopped.
    pub(crate) flushed: u64,
    /// Whether a broken rule of its completion queue was reported.
    pub(crate) overran: bool,
}

impl Queue {
    pub(crate) fn new(setup: Setup, core: &Core) -> Self {
        let seed = Draw(core.options.knobs.seed).number(91, setup.order);
        let first = core.options.first_index;
        Self {
            to: setup.to,
            key: 0,
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
            unanswered: None,
            out_of_order: Vec::new(),
            stopped: false,
            flushed: first,
            overran: false,
            setup,
        }
    }

    /// Does all possible work. Returns whether there was any, or some is due at a certain time.
    pub(crate) fn serve(&mut self, turn: &mut Turn<'_>) -> bool {
        if turn.core.holds.has(self.setup.qpn) {
            return false;
        }
        if self.stopped {
            return self.flush_later(turn) | self.flush_receives(turn);
        }
        if self.setup.state.get() != crate::nic::state::RTS {
            return self.stop_quietly(turn) | self.flush_receives(turn);
        }
        let mut busy = self.look(turn) | self.repeat(turn);
        if self.limit > self.started {
            busy |= self.start(turn);
        }
        if !self.remote.is_empty() {
            self.lose_patience(turn);
        }
        if !self.flights.is_empty() || !self.late.is_empty() || self.held.is_some() {
            busy |= self.finish(turn);
        }
        // (An overtaken write has an entry that waits for it.)
        busy || !self.overtaken.is_empty()
            || self.start_at.is_some()
            || self.limit_at.is_some()
            || self.held.is_some()
            || self.unanswered.as_ref().is_some_and(|message| message.again_at.is_some())
            || !self.late.is_empty()
    }

    /// Returns the NIC's and the program's index, modulo 2^16.
    pub(crate) fn counters(&self) -> (u16, u16) {
        (self.started as u16, self.limit as u16)
    }

    /// Returns the fetched blocks of an entry as one range; uses `wrapped` if they wrap around.
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

    /// Records a violation. `blocks`: the number of fetched basic blocks of the entry.
    pub(crate) fn record(&self, core: &Core, rule: Rule, index: u64, blocks: u64, what: String) {
        let wqe = if blocks == 0 {
            String::new()
        } else {
            show_of(self.setup.service, Self::blocks(&self.shadow, index, blocks, &mut Vec::new()))
        };
        core.violations.record(Violation { rule, nic: core.name.clone(), qpn: self.setup.qpn, index, what, wqe });
    }
}

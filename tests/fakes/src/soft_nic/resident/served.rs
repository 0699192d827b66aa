//! A queue that is served, and its control plane's answers about it.

use std::time::{Duration, Instant};

use oxshmem_nic_kernels::resident::table::{Report, Row, flags, reason};
use oxshmem_rdma::hca::access;
use oxshmem_softnic::{PlaneQueue, Rule, Standing};

/// Intervals of the query to a peer in another process, whether it responds: until its first answer, and after it.
const ASK_NEW: Duration = Duration::from_millis(2);
const ASK: Duration = Duration::from_millis(100);

/// A queue that is served.
pub(super) struct Served {
    pub(super) queue: PlaneQueue,
    pub(super) row: Row,
    /// Time of the last query to its peer.
    pub(super) asked: Instant,
    /// Its next row, if that was found while slices ran.
    pub(super) news: Option<Row>,
    /// Whether the kernel has the order to make it fail.
    pub(super) fails: bool,
    pub(super) stopped: bool,
    /// The index at which it was parked last, and the number of times.
    pub(super) tries: (u64, u32),
}

impl Served {
    /// Reports whether its queue pair is in error, and the kernel has no order yet.
    pub(super) fn must_fail(&self) -> bool {
        !self.stopped && !self.fails && self.queue.side.standing() == Standing::Failed
    }

    /// Returns its row with the peer's answer; `None` if the next query is not due yet.
    pub(super) fn peer(&mut self, now: bool) -> Option<Row> {
        let side = &self.queue.side;
        let often = if self.row.flags & flags::READY == 0 { ASK_NEW } else { ASK };
        if self.stopped || side.is_linked() && side.is_remote() && !now && self.asked.elapsed() < often {
            return None;
        }
        self.asked = Instant::now();
        let mut row = self.row;
        row.flags &= !(flags::READY | flags::WRITE | flags::READ | flags::ATOMIC);
        if let Some(peer) = side.peer() {
            let bit = |right: u32, bit: u32| if peer.access & right != 0 { bit } else { 0 };
            row.flags |= flags::READY
                | bit(access::REMOTE_WRITE, flags::WRITE)
                | bit(access::REMOTE_READ, flags::READ)
                | bit(access::REMOTE_ATOMIC, flags::ATOMIC);
            row.peer_pd = peer.pd;
        }
        Some(row)
    }
}

/// Returns the rule that a report names, if it names one.
pub(super) fn broken(report: &Report) -> Option<(Rule, String)> {
    let rule = match report.reason {
        reason::OPCODE => Rule::Opcode,
        reason::SEGMENT_COUNT => Rule::SegmentCount,
        reason::WQE_INDEX => Rule::WqeIndex,
        reason::WQE_QPN => Rule::WqeQpn,
        reason::RESERVED_BITS => Rule::ReservedBits,
        reason::FENCE_MODE => Rule::FenceMode,
        reason::INLINE_LENGTH => Rule::InlineLength,
        reason::MESSAGE_LENGTH => Rule::MessageLength,
        reason::RESULT_LENGTH => Rule::ResultLength,
        reason::INDEX_BACKWARD => Rule::IndexBackward,
        reason::OVERRUN => Rule::Overrun,
        reason::BEYOND_PRODUCER => Rule::BeyondProducer,
        reason::RECORD_FIRST => Rule::DbrFirst,
        reason::DOORBELL_QPN => Rule::DoorbellQpn,
        reason::MULTI_BLOCK_SIGNALLED => Rule::MultiBlockSignalled,
        reason::SIGNAL_TOO_RARE => Rule::SignalTooRare,
        _ => return None,
    };
    let Report { next, limit, key, .. } = report;
    Some((rule, format!("the engine found {key:#x} at {next}; {limit} are posted")))
}

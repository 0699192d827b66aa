//! Counts reads and atomics that complete without their data: their destination still holds a mark that no answer has.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use oxshmem_rdma::fabric::{Operation, WorkRequest};

use crate::numbers::Numbers;
use crate::report::Fine;
use crate::side::{Address, Link, Side};

/// Source of the fetches, destination of the writes, and source of the writes: all zeros.
const FROM: usize = 560_000;
const TO: usize = 580_000;
const SOURCE: usize = 590_000;
/// Destination of the fetches.
const SLOTS: usize = 600_000;
/// Bytes of a read of several packets.
const LONG: usize = 9_000;
/// A bit that is set in every destination before a fetch, and in no fetched value.
const EMPTY: u64 = 1 << 63;
/// Requests of a list.
const LIST: usize = 24;

/// The other requests on the queue of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Company {
    /// Earlier writes are in flight.
    BehindWrites,
    /// All earlier writes are complete; writes follow it at once.
    AheadOfWrites,
    /// No other request is in flight.
    Alone,
}

/// Kinds of fetches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetch {
    Atomic,
    Read,
    /// Of several packets.
    LongRead,
}

/// The companies and their names.
pub(crate) const COMPANIES: [(Company, &str); 3] =
    [(Company::BehindWrites, "behind writes"), (Company::AheadOfWrites, "ahead of writes"), (Company::Alone, "alone")];

impl Fetch {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Atomic => "atomics",
            Self::Read => "reads",
            Self::LongRead => "reads of several packets",
        }
    }
}

/// Fetches that completed, and those among them whose destination still held its mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) fetches: u64,
    pub(crate) empty: u64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} without data", self.empty, self.fetches)
    }
}

/// Posts lists on all links at the same time, for this duration, and counts the fetches.
pub(crate) fn count(
    side: &Side,
    links: &[Link],
    to: &[Address],
    company: Company,
    fetch: Fetch,
    time: Duration,
) -> Fine<Counts> {
    let begun = Instant::now();
    let mut counts = Counts::default();
    let mut random = Numbers(std::process::id().into());
    let is_fetch = |at: usize| match company {
        Company::BehindWrites => at % 3 == 2,
        Company::AheadOfWrites => at < 4,
        Company::Alone => true,
    };
    let bytes = if fetch == Fetch::LongRead { LONG } else { 8 };
    // The last word is in the last packet, so it is fetched last.
    let ends = [0, bytes - 8];
    let op = if fetch == Fetch::Atomic { Operation::add(1) } else { Operation::Read };
    let slot = |link: usize, at: usize| {
        let number = if company == Company::BehindWrites { at / 3 } else { at };
        SLOTS + (8 * link + number) * bytes
    };
    for round in 0.. {
        let requests = if company == Company::Alone { 4 } else { 3 + round % (LIST - 3) };
        for (number, (link, to)) in links.iter().zip(to).enumerate() {
            let of = |offset: usize| offset + 256 * number;
            let mut list: Vec<WorkRequest> = Vec::new();
            for at in 0..requests {
                let wr = if is_fetch(at) {
                    let slot = slot(number, at);
                    for end in ends {
                        side.memory.word(slot + end).store(random.next() | EMPTY, Ordering::Release);
                    }
                    side.wr(at as u64, op, side.local(slot, bytes as u32), to, of(FROM))
                } else {
                    side.wr(at as u64, Operation::Write, side.local(of(SOURCE), 8), to, of(TO) + 8 * at)
                };
                // As a transport posts long lists: the last request's completion stands for all.
                list.push(WorkRequest { signalled: at + 1 == requests, ..wr });
            }
            side.post(link, &list)?;
        }
        for (number, link) in links.iter().enumerate() {
            side.done(link, &[], 1)?;
            for at in (0..requests).filter(|at| is_fetch(*at)) {
                let is_left =
                    |end: &usize| side.memory.word(slot(number, at) + end).load(Ordering::Acquire) & EMPTY != 0;
                counts.fetches += 1;
                counts.empty += u64::from(ends.iter().any(is_left));
            }
        }
        if begun.elapsed() > time {
            break;
        }
    }
    Ok(counts)
}

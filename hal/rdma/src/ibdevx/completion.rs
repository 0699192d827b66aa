//! A completion queue: a ring that the NIC writes, and the send queues whose completions it has.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::Ring;
use super::regions::Regions;
use super::send_queue::SendQueue;
use crate::fabric::{Completion, Status};
use crate::mlx5::{CqeTail, cqe};

/// The consumer's word of the doorbell record.
const CONSUMER_WORD: usize = 0;

/// A completion, as the NIC reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reported {
    /// The queue pair's name.
    user_index: u32,
    counter: u16,
    /// The syndrome and the vendor's syndrome of a failure.
    failure: Option<(u8, u8)>,
}

/// The ring of a completion queue.
#[derive(Debug)]
pub(super) struct CompletionRing {
    entries: Ring,
    /// The number of entries that were taken.
    next: u64,
}

impl CompletionRing {
    /// Returns the ring of a new completion queue, whose entries are filled with 0xff.
    pub(super) fn new(entries: Ring) -> Self {
        Self { entries, next: 0 }
    }

    /// Takes the next completion, if there is one.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Reported> {
        let word = |offset: usize| self.entries.word(self.next, offset);
        let tail = CqeTail(word(cqe::TAIL_OFFSET).load(Ordering::Acquire));
        // The owner bit distinguishes entries of this lap from those of the previous one.
        let lap = u8::from(self.next & self.entries.units() != 0);
        if tail.opcode() == cqe::INVALID || tail.owner() != lap {
            return None;
        }
        let be = |offset: usize| u32::from_be(word(offset).load(Ordering::Relaxed));
        let failure = (tail.opcode() != cqe::REQ).then(|| {
            let [.., vendor, syndrome] = be(cqe::ERROR_OFFSET).to_be_bytes();
            (syndrome, vendor)
        });
        let user_index = be(cqe::USER_INDEX_OFFSET) & 0xff_ffff;
        self.next += 1;
        Some(Reported { user_index, counter: tail.wqe_counter(), failure })
    }

    /// Lets the NIC use the entries that were taken again.
    pub(super) fn free(&self) {
        self.entries.dbr()[CONSUMER_WORD].store((self.next as u32 & 0xff_ffff).to_be(), Ordering::Release);
    }
}

/// The bits of a user index that number a place in the table of send queues. The upper ones count the users of the
/// place, so that a late completion of a queue pair that was destroyed is not taken for one of its successor.
const PLACE_BITS: u32 = 17;
const USES: u32 = 1 << (24 - PLACE_BITS);

/// A send queue, shared by its endpoint and its completion queue.
pub(super) type SharedSendQueue = Arc<Mutex<SendQueue>>;

/// A place in the table of send queues.
#[derive(Debug, Default)]
struct Place {
    uses: u32,
    is_taken: bool,
    /// Present when its queue pair is made.
    queue: Option<SharedSendQueue>,
}

/// A completion queue and its send queues.
#[derive(Debug)]
pub(super) struct Completions {
    ring: CompletionRing,
    places: Vec<Place>,
}

/// A completion queue, for several threads.
#[derive(Debug)]
pub(super) struct SharedCompletions(Mutex<Completions>);

impl SharedCompletions {
    pub(super) fn new(ring: CompletionRing) -> Self {
        Self(Mutex::new(Completions { ring, places: Vec::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, Completions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a user index for a new queue pair; `None` if there are too many.
    pub(super) fn reserve(&self) -> Option<u32> {
        let places = &mut self.lock().places;
        let free = places.iter().position(|place| !place.is_taken).unwrap_or(places.len());
        if free >> PLACE_BITS != 0 {
            return None;
        }
        if free == places.len() {
            places.push(Place::default());
        }
        let place = &mut places[free];
        place.is_taken = true;
        place.uses = (place.uses + 1) % USES;
        Some(place.uses << PLACE_BITS | free as u32)
    }

    /// Hands the completions with a reserved user index to `queue`.
    pub(super) fn attach(&self, user_index: u32, queue: SharedSendQueue) {
        self.lock().places[place_of(user_index)].queue = Some(queue);
    }

    /// Gives a user index back. Completions with it are dropped from now on.
    pub(super) fn release(&self, user_index: u32) {
        let place = &mut self.lock().places[place_of(user_index)];
        (place.is_taken, place.queue) = (false, None);
    }

    /// Returns whether no queue pair completes here.
    pub(super) fn is_unused(&self) -> bool {
        self.lock().places.iter().all(|place| !place.is_taken)
    }

    /// Takes completions.
    pub(super) fn poll(&self, out: &mut [Completion], regions: &Regions) -> usize {
        let Completions { ring, places } = &mut *self.lock();
        let (mut count, mut is_any) = (0, false);
        while count < out.len()
            && let Some(reported) = ring.take()
        {
            is_any = true;
            let place = places.get(place_of(reported.user_index));
            let place = place.filter(|place| place.uses == reported.user_index >> PLACE_BITS);
            let Some(queue) = place.and_then(|place| place.queue.as_ref()) else { continue };
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(id) = queue.complete(reported.counter, reported.failure.is_none(), regions) else { continue };
            out[count] = match reported.failure {
                None => Completion { id, ..Completion::default() },
                Some((syndrome, vendor)) => Completion { id, status: status(syndrome), code: vendor.into() },
            };
            count += 1;
        }
        if is_any {
            ring.free();
        }
        count
    }
}

fn place_of(user_index: u32) -> usize {
    (user_index & ((1 << PLACE_BITS) - 1)) as usize
}

/// Converts a syndrome to a fabric's status, whose numbers are those of syndromes.
pub(super) fn status(syndrome: u8) -> Status {
    use Status::*;
    let known = [
        Length,
        Endpoint,
        LocalProtection,
        Flushed,
        WindowBind,
        BadResponse,
        LocalAccess,
        RemoteRequest,
        RemoteAccess,
        RemoteOperation,
        PeerGone,
        NotReady,
        PeerAborted,
    ];
    known.into_iter().find(|status| status.syndrome() == syndrome).unwrap_or(Device)
}

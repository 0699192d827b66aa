//! One queue: its doorbell, its entries in order, its completions.

use oxshmem_raw::gpu::{order, ptx};

use super::decode::{Broken, Ring, decode, outline};
use super::execute::{Outcome, execute};
use super::keys::Parked;
use super::report::{Completion, complete, report};
use super::slice::{Lanes, Watch};
use super::table::{ResidentJob, RowAt, State, flags, reason, status};

/// Entries that a queue executes before the warp turns to the next queue.
const TURN: u32 = 64;

/// Syndromes that the engine itself reports.
mod syndrome {
    pub(crate) const LOCAL_LENGTH: u8 = 0x01;
    pub(crate) const LOCAL_OPERATION: u8 = 0x02;
    pub(crate) const FLUSHED: u8 = 0x05;
    pub(crate) const NOT_READY: u8 = 0x16;
}

/// Returns the word that announces new work of a queue, and whether it is new.
///
/// # Safety
///
/// - **live**: the queue exists, and its doorbell and record are mapped.
#[inline(always)]
pub(super) unsafe fn look(job: &ResidentJob, queue: u64) -> (u64, bool) {
    let state = job.state(queue) as *const u64;
    // SAFETY: **live**: the caller promises that the queue exists, and rows stay for a slice.
    let row = unsafe { RowAt::new(job.row(queue)) };
    let flags = row.flags();
    if flags & flags::LIVE == 0 {
        return (0, false);
    }
    // SAFETY: **live**: the words are of the queue's state, or its doorbell.
    let word = |at: *const u64| unsafe { ptx::ld_relaxed_sys_u64(at) };
    // The first words of a [`State`].
    let (status, next) = (word(state), word(state.wrapping_add(1)));
    let (limit, seen) = (word(state.wrapping_add(2)), word(state.wrapping_add(3)));
    if status == status::PARKED {
        return (seen, false);
    }
    // Doorbells of a queue in error are not read, so that the record announces its entries.
    let in_error = status & 0xff == status::FAILS || status == status::STOPPED;
    if flags & flags::BY_RECORD != 0 || in_error {
        // SAFETY: **live**: the caller promises that the record is mapped.
        let record = unsafe { ptx::ld_relaxed_sys_u32((row.record() + 4) as *const u32) };
        let index = record.swap_bytes() as u16;
        let new = if in_error { posted(row, next, index) != 0 } else { index != limit as u16 || next < limit };
        return (record as u64, new);
    }
    let now = word(row.doorbell() as *const u64);
    (now, now != seen || next < limit)
}

/// Returns the number of blocks from `next` up to the index of a record: none if that is lower, or beyond the queue.
#[inline(always)]
fn posted(row: RowAt, next: u64, index: u16) -> u64 {
    let ahead = index.wrapping_sub(next as u16) as u64;
    if ahead > row.depth() { 0 } else { ahead }
}

/// The reason why serving a queue ended.
enum Ended {
    /// There is no more work, or no more time.
    Over,
    /// The queue waits for the host.
    Parked(Parked),
    /// The next entry fails, with a syndrome.
    Failed(Broken, u8),
}

/// Copies a queue's state, word by word.
///
/// # Safety
///
/// - **live**: the queue exists.
#[inline(always)]
unsafe fn load(job: &ResidentJob, queue: u64) -> State {
    let from = job.state(queue) as *const u64;
    // SAFETY: **live**: a state has these words.
    let word = |i: usize| unsafe { ptx::ld_relaxed_sys_u64(from.wrapping_add(i)) };
    State {
        status: word(0),
        next: word(1),
        limit: word(2),
        seen: word(3),
        visible: word(4),
        produced: word(5),
        unsignalled: word(6),
        moved: word(7),
        entries: word(8),
        unused: [0; 7],
    }
}

/// Stores a queue's state, word by word.
///
/// # Safety
///
/// - **live**: the queue exists, and this thread alone writes its state.
#[inline(always)]
unsafe fn save(job: &ResidentJob, queue: u64, state: &State) {
    let to = job.state(queue) as *mut u64;
    let put = |i: usize, word: u64| {
        // SAFETY: **live**: a state has these words.
        unsafe { ptx::st_relaxed_sys_u64(to.wrapping_add(i), word) }
    };
    put(0, state.status);
    put(1, state.next);
    put(2, state.limit);
    put(3, state.seen);
    put(4, state.visible);
    put(5, state.produced);
    put(6, state.unsignalled);
    put(7, state.moved);
    put(8, state.entries);
}

/// Serves a queue whose doorbell is `word`, by all lanes of a warp together.
///
/// # Safety
///
/// - **live**: the queue exists; its parts, and everything that the key table names, are mapped.
#[inline(always)]
pub(super) unsafe fn serve(job: &ResidentJob, queue: u64, word: u64, lanes: Lanes, watch: &Watch) {
    // Like a NIC, it sees everything that was stored before the doorbell.
    order::delivered_before_later();
    // SAFETY: **live**: the caller promises that the queue exists, and rows stay for a slice.
    let row = unsafe { RowAt::new(job.row(queue)) };
    // SAFETY: **live**: as this function's own caller promises.
    let mut state = unsafe { load(job, queue) };
    let ring = Ring { at: row.sq(), bytes: 64 * row.depth() };
    if state.status == status::STOPPED {
        // SAFETY: **live**: as this function's own caller promises.
        unsafe { flush(row, ring, &mut state, word, lanes) }
        if lanes.leads() {
            // SAFETY: **live**; the leader alone writes it.
            unsafe { save(job, queue, &state) }
        }
        lanes.sync();
        return;
    }
    let ended = if state.status & 0xff == status::FAILS {
        Ended::Failed((reason::TOLD, 0), (state.status >> 8) as u8)
    } else {
        // SAFETY: **live**: as this function's own caller promises.
        match unsafe { note(row, &mut state, word, lanes) } {
            Err(broken) => Ended::Failed(broken, syndrome::LOCAL_OPERATION),
            // SAFETY: **live**: as this function's own caller promises.
            Ok(()) => unsafe { run(job, row, ring, &mut state, (lanes, watch)) },
        }
    };
    let mut why = Parked { reason: reason::TOLD, key: 0, at: 0, bytes: 0 };
    match ended {
        Ended::Over => {}
        Ended::Parked(parked) => (state.status, why) = (status::PARKED, parked),
        Ended::Failed((broken, found), syndrome) => {
            (state.status, why.reason, why.key) = (status::STOPPED, broken, found);
            if lanes.leads() {
                // SAFETY: **live**: as this function's own caller promises.
                let opcode = unsafe { ring.word(state.next, 0) } as u32;
                let opcode = opcode.swap_bytes() as u8;
                let failed = Completion { index: state.next, opcode, bytes: 0, syndrome };
                // SAFETY: **live**: as this function's own caller promises.
                unsafe { complete(row, &mut state, failed) }
            }
        }
    }
    if lanes.leads() {
        // SAFETY: **live**; the leader alone writes both.
        unsafe { report(job, queue, &state, why) }
        if state.status == status::STOPPED {
            // The report names the entry that failed. Those after it are flushed.
            // SAFETY: **live**: as this function's own caller promises.
            state.next += unsafe { outline(ring, state.next) }.1;
        }
        // SAFETY: **live**: as this function's own caller promises.
        unsafe { save(job, queue, &state) }
        if state.status != status::RUNS {
            // The report is visible before the call to the host.
            order::delivered_before_later();
            // SAFETY: **live**: the word belongs to the job, which the launching host keeps mapped.
            unsafe { ptx::st_relaxed_sys_u64(job.attention(), 1) }
        }
    }
    lanes.sync();
}

/// Fails the entries after the one that stopped the queue, up to the index of the record, with a completion each. In a
/// collapsed completion queue each overwrites the one before.
///
/// # Safety
///
/// - **live**: the row's queue is mapped.
#[inline(always)]
unsafe fn flush(row: RowAt, ring: Ring, state: &mut State, record: u64, lanes: Lanes) {
    let mut left = posted(row, state.next, (record as u32).swap_bytes() as u16);
    let mut turn = 0;
    while left > 0 && turn < TURN {
        turn += 1;
        // SAFETY: **live**: the caller promises that the queue is mapped.
        let (opcode, blocks) = unsafe { outline(ring, state.next) };
        let blocks = if blocks < left { blocks } else { left };
        if lanes.leads() {
            let flushed = Completion { index: state.next, opcode, bytes: 0, syndrome: syndrome::FLUSHED };
            // SAFETY: **live**: the caller promises that the queue is mapped.
            unsafe { complete(row, state, flushed) }
        }
        state.next += blocks;
        left -= blocks;
    }
}

/// Takes the index that a doorbell or record names.
///
/// # Safety
///
/// - **live**: the row's record is mapped.
#[inline(always)]
unsafe fn note(row: RowAt, state: &mut State, word: u64, lanes: Lanes) -> Result<(), Broken> {
    let index = if row.flags() & flags::BY_RECORD != 0 {
        (word as u32).swap_bytes() as u16
    } else if word == state.seen {
        // The doorbell is an old one, with work left to do.
        return Ok(());
    } else {
        let (index, qpn) = (((word as u32).swap_bytes() >> 8) as u16, ((word >> 32) as u32).swap_bytes() >> 8);
        if qpn != row.qpn() {
            return Err((reason::DOORBELL_QPN, qpn as u64));
        }
        // SAFETY: **live**: the caller promises that the record is mapped.
        let record = unsafe { ptx::ld_relaxed_sys_u32((row.record() + 4) as *const u32) };
        // The record may have advanced since, and differently for each lane.
        let record = lanes.share(record as u64, 0) as u32;
        if ((record.swap_bytes() as u16).wrapping_sub(index) as i16) < 0 {
            return Err((reason::RECORD_FIRST, record.swap_bytes() as u64));
        }
        index
    };
    state.seen = word;
    let ahead = index.wrapping_sub(state.limit as u16);
    if ahead as u64 > row.depth() && (ahead as i16) < 0 {
        return Err((reason::INDEX_BACKWARD, index as u64));
    }
    let limit = state.limit + ahead as u64;
    // Saturating: the program may have seen fewer completions than were executed.
    if limit > state.visible + row.depth() {
        return Err((reason::OVERRUN, limit));
    }
    state.limit = limit;
    Ok(())
}

/// Executes the posted entries, in order.
///
/// # Safety
///
/// - **live**: as [`serve`].
#[inline(always)]
unsafe fn run(job: &ResidentJob, row: RowAt, ring: Ring, state: &mut State, (lanes, watch): (Lanes, &Watch)) -> Ended {
    let mut turn = 0;
    while state.next < state.limit && turn < TURN {
        turn += 1;
        // SAFETY: **live**: as this function's own caller promises.
        let entry = match unsafe { decode(row, ring, state.next, state.limit) } {
            Ok(entry) => entry,
            Err(broken) => {
                let long = broken.0 == reason::MESSAGE_LENGTH;
                return Ended::Failed(broken, if long { syndrome::LOCAL_LENGTH } else { syndrome::LOCAL_OPERATION });
            }
        };
        let unsignalled = if entry.signalled { 0 } else { state.unsignalled + entry.blocks };
        if unsignalled > row.depth() / 2 && row.depth() > 2 {
            return Ended::Failed((reason::SIGNAL_TOO_RARE, unsignalled), syndrome::LOCAL_OPERATION);
        }
        // SAFETY: **live**: as this function's own caller promises.
        match unsafe { execute(job, row, (ring, state.next), &entry, state.moved, (lanes, watch)) } {
            Outcome::Done => {}
            Outcome::Later(moved) => {
                state.moved = moved;
                return Ended::Over;
            }
            Outcome::Parked(parked) => return Ended::Parked(parked),
        }
        if entry.immediate {
            return Ended::Failed((reason::IMMEDIATE, 0), syndrome::NOT_READY);
        }
        if entry.signalled {
            if lanes.leads() {
                let done = Completion { index: state.next, opcode: entry.opcode, bytes: entry.bytes, syndrome: 0 };
                // SAFETY: **live**: as this function's own caller promises.
                unsafe { complete(row, state, done) }
            }
            state.visible = state.next + entry.blocks;
        }
        (state.unsignalled, state.moved) = (unsignalled, 0);
        state.next += entry.blocks;
        state.entries += 1;
    }
    Ended::Over
}

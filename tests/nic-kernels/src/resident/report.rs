//! Completions for the program, and reports for the host.

use oxshmem_raw::gpu::{order, ptx};

use super::keys::Parked;
use super::table::{ResidentJob, RowAt, State, flags};

/// The data of a completion.
#[derive(Clone, Copy)]
pub(super) struct Completion {
    pub(super) index: u64,
    pub(super) opcode: u8,
    pub(super) bytes: u64,
    /// 0 for success.
    pub(super) syndrome: u8,
}

/// Writes a completion, by the leader: the tail with counter and opcode is written last, in one store.
///
/// # Safety
///
/// - **live**: the row's completion queue is mapped.
#[inline(always)]
pub(super) unsafe fn complete(row: RowAt, state: &mut State, done: Completion) {
    let (place, owner) = if row.flags() & flags::COLLAPSED != 0 {
        (0, 0)
    } else {
        (state.produced & (row.cqes() - 1), (state.produced & row.cqes() != 0) as u32)
    };
    state.produced += 1;
    let at = row.cqe() + 64 * place;
    let failed = done.syndrome != 0;
    let count = if failed { 0 } else { done.bytes as u32 };
    // An error's syndromes replace a successful completion's time stamp.
    let time = if failed {
        (done.syndrome as u64) << 56 | (0x80 | done.syndrome as u64) << 48
    } else {
        state.produced.swap_bytes()
    };
    let whose = (done.opcode as u32) << 24 | row.qpn();
    let put = |offset: u64, word: u64| {
        // SAFETY: **live**: the caller promises that the completion queue is mapped.
        unsafe { ptx::st_relaxed_sys_u64((at + offset) as *mut u64, word) }
    };
    put(0, 0);
    put(8, 0);
    put(16, 0);
    put(24, 0);
    put(32, row.user_index().swap_bytes() as u64);
    put(40, (count.swap_bytes() as u64) << 32);
    put(48, time);
    // SAFETY: **live**: the caller promises that the completion queue is mapped.
    unsafe { ptx::st_relaxed_sys_u32((at + 56) as *mut u32, whose.swap_bytes()) }
    let opcode = if failed { 0xd } else { 0 };
    let tail = (done.index as u16 as u32) << 16 | opcode << 4 | owner;
    order::delivered_before_later();
    // SAFETY: **live**: the caller promises that the completion queue is mapped.
    unsafe { ptx::st_relaxed_sys_u32((at + 60) as *mut u32, tail.swap_bytes()) }
}

/// Reports the state of a queue to the host, by one thread.
///
/// # Safety
///
/// - **live**: the report exists, and this thread alone writes it.
#[inline(always)]
pub(super) unsafe fn report(job: &ResidentJob, queue: u64, state: &State, why: Parked) {
    let Parked { reason, key, at, bytes } = why;
    let to = job.report(queue) as *mut u64;
    let put = |i: usize, word: u64| {
        // SAFETY: **live**: a report has these words.
        unsafe { ptx::st_relaxed_sys_u64(to.wrapping_add(i), word) }
    };
    put(0, state.status);
    put(1, reason);
    put(2, state.next);
    put(3, state.limit);
    put(4, key);
    put(5, at);
    put(6, bytes);
    put(7, state.entries);
}

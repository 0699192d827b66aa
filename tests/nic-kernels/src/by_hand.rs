//! Posting with almost no code: one thread for each queue, which it shares with no other. It measures the engine's
//! own rate.

use oxshmem_device::KernelArg;
use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::table::SinkQueue;
use crate::time::{begin, end};
use crate::wire;

/// The work of a launch.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct HandJob {
    /// `queues` of [`SinkQueue`].
    pub table: u64,
    /// Start and end time of each block, in ns: two words for each.
    pub slots: u64,
    /// Doorbells for each queue.
    pub rings: u64,
    /// Basic blocks posted to each queue by earlier launches.
    pub posted: u64,
    /// A wait of this length ends the thread's work, also the rest of its posts.
    pub limit_ns: u64,
    /// Queues; as many threads are needed.
    pub queues: u32,
    /// Basic blocks for each doorbell.
    pub batch: u32,
    /// 1: writes entries, each an inline write of 8 bytes. 0: rings the doorbell as if it had.
    pub written: u32,
    /// For tests of the engine: the rule of [`rule`](crate::table::rule) that the first batch breaks, or 0.
    pub broken: u32,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for HandJob {
    const NAME: (&'static str, &'static str) = ("nic::HandJob", "");
}
const _: () = assert!(size_of::<HandJob>() == 56);

/// Returns the value in the entry at `index`.
pub const fn value(index: u64) -> u64 {
    index << 32 | 0x5eed
}

/// Returns the address to which the entry at `index` writes.
pub const fn place(index: u64) -> u64 {
    index % 4096 * 8
}

/// Writes the entry at `index`. It breaks the rule of number `broken`, if there is one.
///
/// # Safety
///
/// - **live**: the row's send queue is mapped, and this thread alone writes to it.
#[inline(always)]
unsafe fn write_entry(row: &SinkQueue, index: u64, signalled: bool, broken: u32) {
    use crate::table::rule;
    let is = |rule: u64| broken as u64 == rule;
    let at = (row.sq + index % row.depth.max(1) as u64 * 64) as *mut u64;
    let opcode = if is(rule::OPCODE) { 0x11 } else { 0x08 };
    let number = (index + is(rule::INDEX) as u64) as u16;
    let qpn = row.qpn ^ is(rule::QPN) as u32;
    let size = 3 + is(rule::SIZE) as u32;
    let flags = if signalled && !is(rule::UNSIGNALLED) { 8 << 24 } else { 0 };
    let inline = if is(rule::LENGTH) { 8 } else { 0x8000_0008u32 };
    let pair = |low: u32, high: u32| low.swap_bytes() as u64 | (high.swap_bytes() as u64) << 32;
    let value = value(index);
    let words = [
        pair((number as u32) << 8 | opcode, qpn << 8 | size),
        flags,
        place(index).swap_bytes(),
        0,
        inline.swap_bytes() as u64 | value << 32,
        value >> 32,
    ];
    // SAFETY: **live**: the caller promises that the send queue is mapped, and this thread's alone.
    unsafe {
        ptx::st_relaxed_sys_u64(at, words[0]);
        ptx::st_relaxed_sys_u64(at.wrapping_add(1), words[1]);
        ptx::st_relaxed_sys_u64(at.wrapping_add(2), words[2]);
        ptx::st_relaxed_sys_u64(at.wrapping_add(3), words[3]);
        ptx::st_relaxed_sys_u64(at.wrapping_add(4), words[4]);
        ptx::st_relaxed_sys_u64(at.wrapping_add(5), words[5]);
    }
}

/// Waits until `index` blocks are complete or the limit is reached. Returns the number of complete blocks.
///
/// # Safety
///
/// - **live**: the row's completion is mapped.
#[inline(always)]
unsafe fn wait(row: &SinkQueue, mut done: u64, index: u64, limit_ns: u64) -> Option<u64> {
    let began = ptx::global_timer_ns();
    let mut reads = 0u32;
    while done < index {
        // SAFETY: **live**: the caller promises that the completion is mapped.
        let tail = unsafe { ptx::ld_relaxed_sys_u32((row.cqe + wire::COMPLETION_AT) as *const u32) };
        // The tail is all ones before the first completion: the index before the first.
        let behind = (tail as u16).swap_bytes().wrapping_add(1);
        let further = behind.wrapping_sub(done as u16) as i16;
        if tail != u32::MAX && further > 0 {
            done += further as u64;
            ptx::poll_done();
            continue;
        }
        ptx::poll_pause();
        reads += 1;
        if reads.is_multiple_of(1024) && ptx::global_timer_ns().wrapping_sub(began) > limit_ns {
            return None;
        }
    }
    Some(done)
}

kernel! {
    /// Posts to each queue by one thread, never more than fits: entries if requested, the record, the doorbell.
    pub fn by_hand(shmem: Shmem, job: HandJob) {
        let _ = shmem;
        begin(job.slots);
        let queue = thread_in_grid();
        if queue < job.queues as usize {
            // SAFETY: the table has `queues` rows, which do not change.
            let row = unsafe { (job.table as *const SinkQueue).wrapping_add(queue).read() };
            let mut index = row.start + job.posted;
            let (mut done, mut rings) = (index, 0);
            let batch = job.batch as u64;
            while rings < job.rings {
                let next = index + batch;
                // SAFETY: **live**: the launching host keeps the queue mapped.
                let room = unsafe { wait(&row, done, next.saturating_sub(row.depth as u64), job.limit_ns) };
                let Some(room) = room else { break };
                done = room;
                if job.written != 0 {
                    while index < next {
                        // The last entry of the first batch is the one whose missing completion the engine finds.
                        let unsignalled = job.broken as u64 == crate::table::rule::UNSIGNALLED;
                        let which = if unsignalled { row.start + batch - 1 } else { row.start };
                        let broken = if index == which { job.broken } else { 0 };
                        // SAFETY: **live**: this thread alone posts to this queue.
                        unsafe { write_entry(&row, index, index + 1 == next, broken) }
                        index += 1;
                    }
                }
                index = next;
                use crate::table::rule::{DOORBELL_QPN, RECORD};
                let first = rings == 0 && job.posted == 0;
                let record = if first && job.broken as u64 == RECORD { index - 1 } else { index };
                let qpn = row.qpn ^ (first && job.broken as u64 == DOORBELL_QPN) as u32;
                ptx::fence_acq_rel_gpu();
                // SAFETY: the record's word is live, and this thread's to write.
                unsafe { ptx::st_relaxed_sys_u32(row.dbr as *mut u32, (record as u32 & 0xffff).swap_bytes()) }
                ptx::fence_acq_rel_gpu();
                let bell = ((index as u32 & 0xffff) << 8).swap_bytes() as u64 | ((qpn << 8).swap_bytes() as u64) << 32;
                // SAFETY: the doorbell's word is live, and this thread's to write.
                unsafe { ptx::st_relaxed_sys_u64(row.doorbell as *mut u64, bell) }
                rings += 1;
            }
            // SAFETY: **live**: the launching host keeps the queue mapped.
            let _ = unsafe { wait(&row, done, index, job.limit_ns) };
        }
        end(job.slots);
    }
}
oxshmem_device::launch_bounds!(by_hand, threads = 256);

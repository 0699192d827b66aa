//! The engine that also checks the entries it completes.

use oxshmem_device::prelude::*;
use oxshmem_raw::gpu::ptx;

use crate::sink::Watch;
use crate::table::{SinkJob, SinkQueue, SinkReport, rule};
use crate::wire;

/// The findings so far.
struct Findings {
    report: SinkReport,
}

impl Findings {
    #[inline(always)]
    fn broken(&mut self, rule: u64, index: u64, found: u64) {
        if self.report.violations == 0 {
            (self.report.rule, self.report.index, self.report.found) = (rule, index, found);
        }
        self.report.violations += 1;
    }
}

/// A work queue entry's first 16 bytes.
struct Control {
    opmod_opcode: u32,
    index: u16,
    qpn: u32,
    /// Units of 16 bytes.
    size: u32,
    flags: u8,
}

/// Returns the word of the send queue at `byte` bytes after the start of basic block `index`. Wraps at the end of the
/// queue.
///
/// # Safety
///
/// - **live**: the row's send queue is mapped, and `byte` is a multiple of 8.
#[inline(always)]
unsafe fn word(row: &SinkQueue, index: u64, byte: u64) -> u64 {
    let at = row.sq + ((index * 64 + byte) & (row.depth as u64 * 64 - 1));
    // SAFETY: **live**; inside the queue, and aligned like it.
    unsafe { ptx::ld_relaxed_sys_u64(at as *const u64) }
}

/// Reads the control segment of the entry at `index`.
///
/// # Safety
///
/// - **live**: the row's send queue is mapped.
#[inline(always)]
unsafe fn control(row: &SinkQueue, index: u64) -> Control {
    // SAFETY: **live**: the caller promises that the send queue is mapped; offsets are multiples of 8.
    let (first, second) = unsafe { (word(row, index, 0), word(row, index, 8)) };
    let (what, whose) = ((first as u32).swap_bytes(), ((first >> 32) as u32).swap_bytes());
    Control {
        opmod_opcode: what & 0xff00_00ff,
        index: (what >> 8) as u16,
        qpn: whose >> 8,
        size: whose & 0x3f,
        flags: (second >> 24) as u8,
    }
}

impl Control {
    const NOTHING: u32 = 0x00;
    const RDMA_WRITE: u32 = 0x08;

    #[inline(always)]
    fn signalled(&self) -> bool {
        self.flags & 0x0c == 0x08
    }

    #[inline(always)]
    fn blocks(&self) -> u64 {
        self.size.div_ceil(4) as u64
    }
}

/// Adds the payload of an inline write to the report. Returns the entry's size in units of 16 bytes, or the invalid
/// length word.
///
/// # Safety
///
/// - **live**: the row's send queue is mapped.
#[inline(always)]
unsafe fn write(row: &SinkQueue, index: u64, report: &mut SinkReport) -> Result<u32, u64> {
    // SAFETY: **live**: the caller promises that the send queue is mapped; offsets are multiples of 8.
    let (place, head) = unsafe { (word(row, index, 16).swap_bytes(), word(row, index, 32)) };
    let length = (head as u32).swap_bytes();
    let bytes = length & 0x7fff_ffff;
    if length >> 31 == 0 || bytes == 0 || !bytes.is_multiple_of(8) || bytes > 1024 {
        return Err(length as u64);
    }
    let elements = bytes as u64 / 8;
    // Elements begin in the middle of a word: the lower half of each is the upper half of one word.
    let (mut k, mut before) = (0, head);
    while k < elements {
        // SAFETY: **live**: the caller promises that the send queue is mapped; offsets are multiples of 8.
        let next = unsafe { word(row, index, 40 + 8 * k) };
        report.values = report.values.wrapping_add(before >> 32 | next << 32);
        before = next;
        k += 1;
    }
    report.elements += elements;
    let places = elements.wrapping_mul(place).wrapping_add(4 * elements * (elements - 1));
    report.places = report.places.wrapping_add(places);
    Ok(2 + (4 + bytes).div_ceil(16))
}

/// Checks all entries from `done` to `end`. Returns the index after the last one that requests a completion.
///
/// # Safety
///
/// - **live**: the row's send queue is mapped.
#[inline(always)]
unsafe fn entries(row: &SinkQueue, done: u64, end: u64, findings: &mut Findings) -> u64 {
    let (mut index, mut signalled, mut flags) = (done, done, 0);
    while index < end {
        // SAFETY: **live**: the caller promises that the send queue is mapped; offsets are multiples of 8.
        let entry = unsafe { control(row, index) };
        findings.report.entries += 1;
        if entry.index != index as u16 {
            findings.broken(rule::INDEX, index, entry.index as u64);
        }
        if entry.qpn != row.qpn {
            findings.broken(rule::QPN, index, entry.qpn as u64);
        }
        let blocks = entry.blocks();
        let due = match entry.opmod_opcode {
            // SAFETY: **live**: the caller promises that the send queue is mapped; offsets are multiples of 8.
            Control::RDMA_WRITE => match unsafe { write(row, index, &mut findings.report) } {
                Ok(size) => size,
                Err(length) => {
                    findings.broken(rule::LENGTH, index, length);
                    entry.size
                }
            },
            // NVSHMEM's empty entry has a second unit.
            Control::NOTHING if entry.size == 2 => 2,
            Control::NOTHING => 1,
            other => {
                findings.broken(rule::OPCODE, index, other as u64);
                entry.size
            }
        };
        if entry.size != due || blocks == 0 || blocks > end - index {
            findings.broken(rule::SIZE, index, entry.size as u64);
        }
        flags = entry.flags;
        // An entry of size 0 counts as one block.
        index += if blocks == 0 { 1 } else { blocks };
        if entry.signalled() {
            signalled = index;
            if blocks > 1 {
                findings.broken(rule::SIGNALLED_LONG, index - blocks, entry.size as u64);
            }
        }
    }
    if signalled != end {
        findings.broken(rule::UNSIGNALLED, end - 1, flags as u64);
    }
    if signalled > end { end } else { signalled }
}

kernel! {
    /// Performs [`sink`](fn@crate::sink::sink) with checks: decodes every entry before it completes it, compares the
    /// doorbell record with the doorbell, and completes up to the last entry that requests a completion. One block.
    pub fn sink_checked(shmem: Shmem, job: SinkJob) {
        let _ = shmem;
        let Some(queue) = job.queue_of(thread_in_block() as u32, block_dim()[0]) else { return };
        // SAFETY: the table has `queues` rows, which do not change.
        let row = unsafe { job.row(queue).read() };
        let tail = (row.cqe + wire::COMPLETION_AT) as *mut u32;
        let mut findings = Findings { report: SinkReport { done: row.start, ..SinkReport::default() } };
        let mut seen = 0;
        let mut watch = Watch::new();
        let late = loop {
            // SAFETY: the launching host keeps the doorbell's word mapped.
            let word = unsafe { ptx::ld_relaxed_sys_u64(row.doorbell as *const u64) };
            if word == seen {
                match watch.over(&job) {
                    Some(late) => break late,
                    None => continue,
                }
            }
            seen = word;
            // Like a NIC, it sees everything that was stored before the doorbell.
            ptx::fence_acq_rel_sys();
            let done = findings.report.done;
            let index = wire::doorbell_index(word);
            let ahead = index.wrapping_sub(done as u16) as u32;
            findings.report.rings += 1;
            if wire::doorbell_qpn(word) != row.qpn {
                findings.broken(rule::DOORBELL_QPN, done, wire::doorbell_qpn(word) as u64);
            }
            // SAFETY: the launching host keeps the record mapped.
            let record = unsafe { ptx::ld_relaxed_sys_u32(row.dbr as *const u32) }.swap_bytes();
            if ((record as u16).wrapping_sub(index) as i16).is_negative() {
                findings.broken(rule::RECORD, done, record as u64);
            }
            if ahead.wrapping_sub(1) < row.depth {
                let end = done + ahead as u64;
                // SAFETY: **live**: the launching host keeps the queue mapped.
                let signalled = unsafe { entries(&row, done, end, &mut findings) };
                if signalled != done {
                    // SAFETY: the completion is mapped, and the engine alone writes it.
                    unsafe { ptx::st_relaxed_sys_u32(tail, wire::completion(signalled - 1)) }
                }
                findings.report.done = end;
            } else {
                findings.report.astray += 1;
                findings.broken(rule::DOORBELL, done, index as u64);
            }
            ptx::poll_done();
        };
        findings.report.late = late as u64;
        // SAFETY: `reports` has `queues` of them, and this thread alone writes this one.
        unsafe { job.report(queue).write(findings.report) }
    }
}
oxshmem_device::launch_bounds!(sink_checked, threads = 256);

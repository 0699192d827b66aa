//! The engine's input, which describes queues, and its reports.

use oxshmem_device::KernelArg;

/// A queue, by the addresses of its parts, all of them in the memory of the engine's GPU.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SinkQueue {
    /// The 8-byte word that replaces the doorbell register. Initially 0, or the doorbell of `start`.
    pub doorbell: u64,
    /// The send queue's 4-byte word of the doorbell record.
    pub dbr: u64,
    /// The one entry of the collapsed completion queue: 64 bytes, initially 0xff.
    pub cqe: u64,
    /// The send queue: `depth` basic blocks of 64 bytes.
    pub sq: u64,
    /// Index of the first basic block to be posted.
    pub start: u64,
    /// Basic blocks, a power of two up to 32768.
    pub depth: u32,
    /// Number of the queue pair.
    pub qpn: u32,
    /// Padding.
    pub unused: [u64; 2],
}
const _: () = assert!(size_of::<SinkQueue>() == 64);

/// The engine's observations of a queue, written when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SinkReport {
    /// Index after the last completed basic block.
    pub done: u64,
    /// Number of observed changes of the doorbell.
    pub rings: u64,
    /// Doorbells that went backward, or further ahead than the queue has room for.
    pub astray: u64,
    /// 1 if the engine reached its time limit before it was stopped.
    pub late: u64,
    /// Work queue entries that were decoded. This and the following fields are the checking engine's.
    pub entries: u64,
    /// Elements of 8 bytes that the entries wrote.
    pub elements: u64,
    /// Sum of the elements, wrapping.
    pub values: u64,
    /// Sum of the elements' destination addresses, wrapping.
    pub places: u64,
    /// Number of broken rules.
    pub violations: u64,
    /// The first broken rule: one of [`rule`].
    pub rule: u64,
    /// The index at which it was broken.
    pub index: u64,
    /// The value that was found there.
    pub found: u64,
    /// Padding.
    pub unused: [u64; 4],
}
const _: () = assert!(size_of::<SinkReport>() == 128);

/// Values of [`SinkReport::rule`].
pub mod rule {
    /// The doorbell went backward, or further ahead than the queue is deep. Found: its index.
    pub const DOORBELL: u64 = 1;
    /// The doorbell names another queue pair. Found: its number.
    pub const DOORBELL_QPN: u64 = 2;
    /// The doorbell record is older than the doorbell. Found: the index in the record.
    pub const RECORD: u64 = 3;
    /// The entry has another index. Found: this index.
    pub const INDEX: u64 = 4;
    /// The entry is of another queue pair. Found: its number.
    pub const QPN: u64 = 5;
    /// The operation is neither an inline RDMA write nor a no-op. Found: opmod and opcode.
    pub const OPCODE: u64 = 6;
    /// The entry's size does not fit its data. Found: the size in units of 16 bytes.
    pub const SIZE: u64 = 7;
    /// The data is not inline, or not of whole elements. Found: the length word.
    pub const LENGTH: u64 = 8;
    /// The last entry before the doorbell's index requests no completion. Found: its flags.
    pub const UNSIGNALLED: u64 = 9;
    /// An entry of more than one basic block requests a completion. Found: its size in units of 16 bytes.
    pub const SIGNALLED_LONG: u64 = 10;

    /// Describes a rule.
    pub const fn text(rule: u64) -> &'static str {
        match rule {
            DOORBELL => "a doorbell goes forward, and not beyond the queue's depth",
            DOORBELL_QPN => "a doorbell names its own queue pair",
            RECORD => "the doorbell record is stored before the doorbell",
            INDEX => "an entry carries its index",
            QPN => "an entry names its own queue pair",
            OPCODE => "an entry is an RDMA write, or nothing",
            SIZE => "an entry is as long as its data needs",
            LENGTH => "the data is inline, in elements of 8 bytes",
            UNSIGNALLED => "the last entry before the doorbell's index asks for a completion",
            SIGNALLED_LONG => "only entries of one basic block ask for a completion",
            _ => "no such rule",
        }
    }
}

/// The engine's launch argument.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SinkJob {
    /// `queues` of [`SinkQueue`].
    pub table: u64,
    /// `queues` of [`SinkReport`].
    pub reports: u64,
    /// A 4-byte word in GPU memory. A value other than 0 ends the engine.
    pub stop: u64,
    /// The engine ends by itself after this time.
    pub limit_ns: u64,
    /// Number of queues, at most that of the block's threads.
    pub queues: u32,
    /// Padding.
    pub unused: u32,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for SinkJob {
    const NAME: (&'static str, &'static str) = ("nic::SinkJob", "");
}
const _: () = assert!(size_of::<SinkJob>() == 40);

impl SinkJob {
    /// Returns the queue that a thread of the block serves, if any. Adjacent queues are in different warps, so that
    /// each of a few queues has a warp of its own.
    #[inline(always)]
    pub(crate) fn queue_of(&self, thread: u32, threads: u32) -> Option<u32> {
        let warps = threads / 32;
        let queue = thread % 32 * warps + thread / 32;
        (queue < self.queues).then_some(queue)
    }

    #[inline(always)]
    pub(crate) fn row(&self, queue: u32) -> *const SinkQueue {
        (self.table as *const SinkQueue).wrapping_add(queue as usize)
    }

    #[inline(always)]
    pub(crate) fn report(&self, queue: u32) -> *mut SinkReport {
        (self.reports as *mut SinkReport).wrapping_add(queue as usize)
    }
}

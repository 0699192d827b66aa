//! What the engine is told of queues, and what it tells of them.

use oxshmem_device::KernelArg;

/// A queue, by the addresses of its parts. All of it is memory of the engine's GPU.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SinkQueue {
    /// The word of 8 bytes that stands in for the doorbell register, 0 or the doorbell of `start` at the beginning.
    pub doorbell: u64,
    /// The send queue's word of 4 bytes in the doorbell record.
    pub dbr: u64,
    /// The one entry of the collapsed completion queue: 64 bytes, 0xff at the beginning.
    pub cqe: u64,
    /// The send queue: `depth` basic blocks of 64 bytes.
    pub sq: u64,
    /// Index of the first basic block that will be posted.
    pub start: u64,
    /// Basic blocks, a power of two up to 32768.
    pub depth: u32,
    /// Number of the queue pair.
    pub qpn: u32,
    /// Nothing.
    pub unused: [u64; 2],
}
const _: () = assert!(size_of::<SinkQueue>() == 64);

/// What the engine has seen of a queue, written when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SinkReport {
    /// Index behind the last basic block that was completed.
    pub done: u64,
    /// Times the doorbell was seen to have changed.
    pub rings: u64,
    /// Doorbells that went back, or ahead of what fits into the queue.
    pub astray: u64,
    /// 1: the engine's time was over before it was told to stop.
    pub late: u64,
    /// The rest is of the engine that checks. Work queue entries that it decoded.
    pub entries: u64,
    /// Elements of 8 bytes that they wrote.
    pub elements: u64,
    /// The sum of those, wrapping.
    pub values: u64,
    /// The sum of the addresses that they went to, wrapping.
    pub places: u64,
    /// Rules that were broken, in all.
    pub violations: u64,
    /// The first of them: one of [`rule`].
    pub rule: u64,
    /// The index at which it was.
    pub index: u64,
    /// What was found there.
    pub found: u64,
    /// Nothing.
    pub unused: [u64; 4],
}
const _: () = assert!(size_of::<SinkReport>() == 128);

/// What [`SinkReport::rule`] names.
pub mod rule {
    /// The doorbell went back, or further ahead than the queue is deep. Found: the index in it.
    pub const DOORBELL: u64 = 1;
    /// The doorbell names another queue pair. Found: its number.
    pub const DOORBELL_QPN: u64 = 2;
    /// The doorbell record is behind the doorbell. Found: the index in the record.
    pub const RECORD: u64 = 3;
    /// The entry has another index. Found: that.
    pub const INDEX: u64 = 4;
    /// The entry is of another queue pair. Found: its number.
    pub const QPN: u64 = 5;
    /// No operation that is expected here: an RDMA write with its data inline, or nothing. Found: opmod and opcode.
    pub const OPCODE: u64 = 6;
    /// The entry's size is not the one that its data needs. Found: the size in units of 16 bytes.
    pub const SIZE: u64 = 7;
    /// The data is not inline, or not of whole elements. Found: the word of its length.
    pub const LENGTH: u64 = 8;
    /// The last entry before the doorbell's index asks for no completion. Found: its flags.
    pub const UNSIGNALLED: u64 = 9;
    /// An entry of more than one basic block asks for a completion. Found: its size in units of 16 bytes.
    pub const SIGNALLED_LONG: u64 = 10;

    /// What a rule says.
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

/// What the engine is launched with.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SinkJob {
    /// `queues` of [`SinkQueue`].
    pub table: u64,
    /// `queues` of [`SinkReport`].
    pub reports: u64,
    /// A word of 4 bytes in the GPU's memory that is not 0 once the engine is to end.
    pub stop: u64,
    /// After so long it ends by itself.
    pub limit_ns: u64,
    /// Queues: at most as many as the block has threads.
    pub queues: u32,
    /// Nothing.
    pub unused: u32,
}

// SAFETY: **plain**: addresses and numbers, `repr(C)`, without gaps.
unsafe impl KernelArg for SinkJob {
    const NAME: (&'static str, &'static str) = ("nic::SinkJob", "");
}
const _: () = assert!(size_of::<SinkJob>() == 40);

impl SinkJob {
    /// The queue that a thread of the block serves; `None`: it has none. Neighbours are in different warps, so that a
    /// few queues are each watched by a warp of its own.
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

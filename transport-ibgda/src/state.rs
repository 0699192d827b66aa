//! The state of a NIC's queues, which the host sets up and kernels use.
//!
//! Queue `row * n_pes + pe` leads to `pe`. The rows of the default queues come first; arithmetic gives the row of a
//! custom handle, since handles are `n_pes` apart (see [`queue_number`](oxshmem_raw::queue::rows::queue_number)).

use core::mem::{offset_of, size_of};

use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;
use oxshmem_raw::state::abi::layout_of;

/// Maximum number of heap extents of a NIC.
pub const MAX_EXTENTS: u32 = 256;

/// Maximum number of user buffers registered at the same time.
pub const MAX_LOCALS: u32 = 256;

/// The state shared by a PE's queues that are on one of its NICs and lead to one NIC of each peer, since memory keys
/// belong to a NIC. [`QueueState::nic`] names a queue's own. The first one (local NIC 0, each peer's NIC 0) is named by
/// the world's state, and also holds the state that all queues share. Lies in memory of the PE's device, or in pinned
/// memory of the host.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct NicState {
    /// Heap extents, with the local NIC's keys: [`MAX_EXTENTS`] of [`ExtentKeys`], in the order of the heap; set before
    /// `n_extents` counts them.
    pub extents: u64,
    /// Keys of the peers' extents on their NIC, as on the wire: `u32` number `extent * n_pes + pe`.
    pub rkeys: u64,
    /// Registered user buffers, with the local NIC's keys: [`MAX_LOCALS`] of [`LocalKeys`]; an empty entry has `end` 0.
    pub locals: u64,
    /// Maximum bytes of a message of the local NIC, a power of two.
    pub max_message: u64,
    /// Number of valid extents. Changes while kernels run.
    pub n_extents: u32,
    /// Number of entries of `locals` that may be in use. Changes while kernels run.
    pub n_locals: u32,
    /// Number of published rows of queues, default and custom, on all NICs. Changes while kernels run.
    pub rows: u32,
    /// 1 if writes to the heap of this PE or of a peer may arrive in any order, so that a fence is a quiet; else 0. Set
    /// before the first kernel runs.
    pub relaxed_ordering: u32,
}
const _: () = assert!(size_of::<NicState>() == 64);

/// An extent of this PE's heap, as the local end of operations.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ExtentKeys {
    /// Heap offset after its last byte.
    pub end: u64,
    /// lkey, as on the wire.
    pub lkey: u32,
    /// Unused.
    pub unused: u32,
}
const _: () = assert!(size_of::<ExtentKeys>() == 16);

/// A registered user buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LocalKeys {
    /// First address, in the address space of the kernels.
    pub start: u64,
    /// Address after its last byte; 0 for an empty entry.
    pub end: u64,
    /// lkey, as on the wire.
    pub lkey: u32,
    /// Unused.
    pub unused: u32,
    /// The NIC's address of the first byte.
    pub iova: u64,
}
const _: () = assert!(size_of::<LocalKeys>() == 32);

/// A queue: the send queue of an RC queue pair, its completion queue of one entry, and the words that coordinate
/// threads.
///
/// The first half is set once, before the queue's row is published, except for the flags. The flags change when a
/// buffer on the host is registered for a GPU's kernels, and running kernels may not see the change. The second half
/// changes.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct QueueState {
    /// The send queue: `depth` basic blocks of 64 bytes. 0 if the queue does not exist (its PE is reached by another
    /// path).
    pub sq: u64,
    /// The one entry of the collapsed completion queue, 64 bytes.
    pub cqe: u64,
    /// The send queue's word of the doorbell record.
    pub dbr: u64,
    /// The doorbell register, or the word that a host thread watches for it.
    pub doorbell: u64,
    /// Marks of written entries, `depth` words: the word of an entry's first block holds the index after the entry.
    pub marks: u64,
    /// Results of fetching operations: `depth + 1` of [`FetchSlot`]. The last one takes results that are not read.
    pub fetch: u64,
    /// The NIC's address of the first byte of `fetch`.
    pub fetch_iova: u64,
    /// End of the first extent of the heap.
    pub first_end: u64,
    /// lkey of the first extent of the heap, as on the wire.
    pub lkey: u32,
    /// rkey of the first extent of the peer's heap, as on the wire.
    pub rkey: u32,
    /// lkey of `fetch`, as on the wire.
    pub fetch_lkey: u32,
    /// Number of the queue pair.
    pub qpn: u32,
    /// Basic blocks, a power of two.
    pub depth: u32,
    /// Maximum number of outstanding blocks: `depth`, but less than 2^15.
    pub room: u32,
    /// The PE to which it leads.
    pub pe: u32,
    /// Its handle's raw value, [`DEFAULT_RAW`](Self::DEFAULT_RAW) for a default queue.
    pub handle: i32,
    /// Bits of [`flags`].
    pub flags: u32,
    /// Number of other threads' blocks that the holder of the baton announces before it offers the baton.
    pub most_served: u32,
    /// The address of a copy of the world's state. Posting functions are not inlined and read the state here instead of
    /// taking it as an argument. `heap_bytes` of the copy has the value from when the copy was written.
    pub world: u64,
    /// The [`NicState`] with its keys.
    pub nic: u64,
    /// Unused.
    pub unused1: u64,

    /// Number of blocks reserved by threads. All indices count from the start and never wrap.
    pub reserved: u64,
    /// Number of blocks known to be complete.
    pub done: u64,
    /// Bytes of data posted.
    pub bytes: u64,
    /// Number of times that a thread found the queue full.
    pub stalls: u64,
    /// Number of blocks announced to the NIC.
    pub posted: u64,
    /// The claim of the baton: equal to `posted` if no thread has claimed it, one more if a thread has.
    pub claim: u64,
    /// Doorbells rung.
    pub doorbells: u64,
    /// 0, or the reason why the queue stopped: see [`Stopped`](oxshmem_raw::queue::stopped::Stopped).
    pub stopped: u64,
    /// 0, or 1 more than the index at which a holder that has announced many other threads' entries offers the baton.
    pub offered: u64,
    /// In a block's copy in its shared memory: the address of the queue itself.
    pub home: u64,
    /// Unused.
    pub unused2: [u64; 6],
}
const _: () = assert!(size_of::<QueueState>() == 256);
const _: () = assert!(offset_of!(QueueState, reserved) == 128);
const _: () = assert!(size_of::<QueueState>() == EXCLUSIVE_BYTES as usize);

impl QueueState {
    /// [`QueueState::handle`] of a default queue.
    pub const DEFAULT_RAW: i32 = 1;
}

/// Abilities and needs of a queue: [`QueueState::flags`].
pub mod flags {
    /// The queue or its payload is in host memory: fences before the doorbell have system scope.
    pub const WIDE_FENCES: u32 = 1;
    /// Reads and fetches need a dump after them before their data is valid.
    pub const DUMP: u32 = 2;
    /// The NIC has masked atomics of 4 bytes.
    pub const MASKED_32: u32 = 4;
    /// The NIC has masked atomics of 8 bytes.
    pub const MASKED_64: u32 = 8;
}

/// A slot for the result of a fetch. A thread owns it from the writing of its WQE until it has read the result.
#[derive(Debug)]
#[repr(C)]
pub struct FetchSlot {
    /// The result, which the NIC writes.
    pub value: u64,
    /// 1 while the previous owner has not yet read its result; else 0.
    pub busy: u64,
}
const _: () = assert!(size_of::<FetchSlot>() == 16);

/// Hash of every size and offset that both halves use.
pub const LAYOUT: u64 = layout_of(&[
    size_of::<NicState>(),
    offset_of!(NicState, extents),
    offset_of!(NicState, rkeys),
    offset_of!(NicState, locals),
    offset_of!(NicState, max_message),
    offset_of!(NicState, n_extents),
    offset_of!(NicState, n_locals),
    offset_of!(NicState, rows),
    offset_of!(NicState, relaxed_ordering),
    size_of::<ExtentKeys>(),
    offset_of!(ExtentKeys, end),
    offset_of!(ExtentKeys, lkey),
    size_of::<LocalKeys>(),
    offset_of!(LocalKeys, start),
    offset_of!(LocalKeys, end),
    offset_of!(LocalKeys, lkey),
    offset_of!(LocalKeys, iova),
    size_of::<QueueState>(),
    offset_of!(QueueState, sq),
    offset_of!(QueueState, cqe),
    offset_of!(QueueState, dbr),
    offset_of!(QueueState, doorbell),
    offset_of!(QueueState, marks),
    offset_of!(QueueState, fetch),
    offset_of!(QueueState, fetch_iova),
    offset_of!(QueueState, first_end),
    offset_of!(QueueState, lkey),
    offset_of!(QueueState, rkey),
    offset_of!(QueueState, fetch_lkey),
    offset_of!(QueueState, qpn),
    offset_of!(QueueState, depth),
    offset_of!(QueueState, room),
    offset_of!(QueueState, pe),
    offset_of!(QueueState, handle),
    offset_of!(QueueState, flags),
    offset_of!(QueueState, most_served),
    offset_of!(QueueState, world),
    offset_of!(QueueState, nic),
    offset_of!(QueueState, reserved),
    offset_of!(QueueState, done),
    offset_of!(QueueState, bytes),
    offset_of!(QueueState, stalls),
    offset_of!(QueueState, posted),
    offset_of!(QueueState, claim),
    offset_of!(QueueState, doorbells),
    offset_of!(QueueState, stopped),
    offset_of!(QueueState, offered),
    offset_of!(QueueState, home),
    size_of::<FetchSlot>(),
]);

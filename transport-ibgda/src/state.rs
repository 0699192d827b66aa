//! The queues of a NIC, as the host sets them up and kernels use them.
//!
//! Queue `row * n_pes + pe` leads to `pe`. The rows of the default queues come first; the row of a custom handle is
//! found by arithmetic, since handles are `n_pes` apart (see
//! [`queue_number`](oxshmem_raw::queue::rows::queue_number)).

use core::mem::{offset_of, size_of};

use oxshmem_raw::queue::rows::EXCLUSIVE_BYTES;
use oxshmem_raw::state::abi::layout_of;

/// Extents of the heap that a NIC can know.
pub const MAX_EXTENTS: u32 = 256;

/// User buffers that can be registered at once.
pub const MAX_LOCALS: u32 = 256;

/// What queues of a PE share that are on one of its NICs and lead to one NIC of each peer: memory keys are per NIC.
/// [`QueueState::nic`] names a queue's own. The first of them (local NIC 0, each peer's NIC 0) is what the world's state
/// names, and has what all queues share. In memory of the PE's device, or in pinned memory of the host.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct NicState {
    /// Heap extents, with the local NIC's keys: [`MAX_EXTENTS`] of [`ExtentKeys`], in the order of the heap; set before
    /// `n_extents` counts them.
    pub extents: u64,
    /// Keys of the peers' extents on their NIC, as on the wire: `u32` number `extent * n_pes + pe`.
    pub rkeys: u64,
    /// Registered user buffers, with the local NIC's keys: [`MAX_LOCALS`] of [`LocalKeys`]; an empty one has `end` 0.
    pub locals: u64,
    /// The most bytes of one message of the local NIC: a power of two.
    pub max_message: u64,
    /// Extents that count. Changes while kernels run.
    pub n_extents: u32,
    /// Places of `locals` that may be in use. Changes while kernels run.
    pub n_locals: u32,
    /// Rows of queues that are there, default and custom, of whichever NIC. Changes while kernels run.
    pub rows: u32,
    /// 0, or 1: writes to the heap of this PE or of a peer may arrive in any order, so that a fence is a quiet. Set
    /// before the first kernel runs.
    pub relaxed_ordering: u32,
}
const _: () = assert!(size_of::<NicState>() == 64);

/// An extent of the heap, as this PE's own operations name it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ExtentKeys {
    /// Heap offset behind its last byte.
    pub end: u64,
    /// lkey, as on the wire.
    pub lkey: u32,
    /// Nothing.
    pub unused: u32,
}
const _: () = assert!(size_of::<ExtentKeys>() == 16);

/// A registered user buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LocalKeys {
    /// First address, in the address space of the kernels.
    pub start: u64,
    /// Address behind its last byte; 0: none.
    pub end: u64,
    /// lkey, as on the wire.
    pub lkey: u32,
    /// Nothing.
    pub unused: u32,
    /// What the NIC calls the first byte.
    pub iova: u64,
}
const _: () = assert!(size_of::<LocalKeys>() == 32);

/// A queue: a send queue of an RC queue pair, its completion queue of one entry, and what threads share to use it.
///
/// The first half is set once, before the queue's row is published, but for the flags: those change when a buffer on the
/// host is registered for a GPU's kernels, and kernels that run meanwhile may not see it. The second half changes.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct QueueState {
    /// The send queue: `depth` basic blocks of 64 bytes. 0: there is no such queue (its PE is reached otherwise).
    pub sq: u64,
    /// The one entry of the collapsed completion queue, 64 bytes.
    pub cqe: u64,
    /// The send queue's word of the doorbell record.
    pub dbr: u64,
    /// The doorbell register, or the word that a host thread watches for it.
    pub doorbell: u64,
    /// Marks of written entries, `depth` words: the word of an entry's first block is the index behind it.
    pub marks: u64,
    /// Results of fetching operations: `depth + 1` of [`FetchSlot`]; the last takes what nobody reads.
    pub fetch: u64,
    /// What the NIC calls the first byte of `fetch`.
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
    /// The most blocks outstanding: `depth`, and less than 2^15.
    pub room: u32,
    /// Where it leads.
    pub pe: u32,
    /// Its handle's raw value, [`DEFAULT_RAW`](Self::DEFAULT_RAW) for a default queue.
    pub handle: i32,
    /// Bits of [`flags`].
    pub flags: u32,
    /// So many blocks of others' entries a thread tells the NIC of before it offers to leave that to another.
    pub most_served: u32,
    /// The world's state, as a copy that is near the queue: what posts on it is called, and takes no state along. Its
    /// `heap_bytes` are those of the time when it was set.
    pub world: u64,
    /// The [`NicState`] that has its keys.
    pub nic: u64,
    /// Nothing.
    pub unused1: u64,

    /// Blocks handed out to threads. All indices count from the start and never wrap.
    pub reserved: u64,
    /// Blocks known to be complete.
    pub done: u64,
    /// Bytes of data that were posted.
    pub bytes: u64,
    /// How often a thread found the queue full.
    pub stalls: u64,
    /// Blocks that the NIC was told of.
    pub posted: u64,
    /// Who may tell the NIC of more: equal to `posted` when nobody is about to.
    pub claim: u64,
    /// Doorbells rung.
    pub doorbells: u64,
    /// 0, or what stopped the queue: see [`Stopped`](oxshmem_raw::queue::stopped::Stopped).
    pub stopped: u64,
    /// 0, or 1 more than the index at which somebody who has told the NIC of many others' entries offers to leave the
    /// rest to another thread.
    pub offered: u64,
    /// Of a block's own copy in its shared memory: where the queue itself is.
    pub home: u64,
    /// Nothing.
    pub unused2: [u64; 6],
}
const _: () = assert!(size_of::<QueueState>() == 256);
const _: () = assert!(offset_of!(QueueState, reserved) == 128);
const _: () = assert!(size_of::<QueueState>() == EXCLUSIVE_BYTES as usize);

impl QueueState {
    /// [`QueueState::handle`] of a default queue.
    pub const DEFAULT_RAW: i32 = 1;
}

/// What a queue can and needs: [`QueueState::flags`].
pub mod flags {
    /// Queue or payload is in host memory: fences before the doorbell have system scope.
    pub const WIDE_FENCES: u32 = 1;
    /// Reads and fetches need a dump behind them before their data can be trusted.
    pub const DUMP: u32 = 2;
    /// The NIC has masked atomics of 4 bytes.
    pub const MASKED_32: u32 = 4;
    /// The NIC has masked atomics of 8 bytes.
    pub const MASKED_64: u32 = 8;
}

/// A place for the result of a fetch. It is a thread's from its WQE until it has read the result.
#[derive(Debug)]
#[repr(C)]
pub struct FetchSlot {
    /// The result, as the NIC writes it.
    pub value: u64,
    /// 1 while a thread has still to read the result of before.
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

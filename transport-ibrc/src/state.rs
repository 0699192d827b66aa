//! The state of rings and queues, which the host sets up and kernels use.
//!
//! A request is a line of 64 bytes in memory of the host, and one progress thread serves a ring. Each queue uses one
//! ring, and its requests are served in the order of their slots. A slot's index counts from the start of the ring and
//! never wraps. Queue `row * n_pes + pe` leads to `pe`; [`queue_number`](oxshmem_raw::queue::rows::queue_number) gives
//! the numbers of custom handles.

use core::mem::{offset_of, size_of};

use oxshmem_raw::state::abi::layout_of;

/// Version of the requests' form, which must be the same in both halves of the transport.
pub const REQUEST_FORM: usize = 2;

/// Set in [`QueueProgress::done`] when the queue has stopped, and in [`ConsumerHead::head`] when the progress thread
/// has ended.
pub const ENDED: u64 = 1 << 63;

/// The state shared by all queues of a PE. Lies in memory of the PE's device.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ProxyState {
    /// Number of published rows of queues, default and custom. Changes while kernels run.
    pub rows: u32,
    /// Number of entries of `buffers` that may be in use. Changes while kernels run.
    pub n_buffers: u32,
    /// Buffers that the program registered: [`MAX_BUFFERS`] of [`BufferRange`].
    pub buffers: u64,
    /// Unused.
    pub unused: [u32; 12],
}
const _: () = assert!(size_of::<ProxyState>() == 64);

/// Maximum number of registered buffers of a PE.
pub const MAX_BUFFERS: u32 = 256;

/// A buffer that the program registered. An empty entry has `end` 0.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct BufferRange {
    /// Its first address, in the address space of kernels.
    pub start: u64,
    /// The address after its last byte.
    pub end: u64,
}
const _: () = assert!(size_of::<BufferRange>() == 16);

/// Bytes of a landing: memory of the host, one for each slot of a ring, into which a get to memory that is not
/// registered brings its data. A power of two, and no larger than any extent's alignment.
pub const LANDING_BYTES: u64 = 1024;

/// A ring's state for the threads that write requests. Lies in memory of the PE's device.
///
/// The first half is set once, the second changes.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct RingState {
    /// Replies to requests that return a word: one [`Reply`] for each slot, in memory of the host, all 0 at first.
    pub replies: u64,
    /// Ownership words of the replies, one for each, all 0 at first. Even: the reply slot is free; odd: a thread owns
    /// it and will read the reply. Half of the word is the number of earlier uses of the slot.
    pub turns: u64,
    /// The [`ConsumerHead`] that the ring's progress thread writes, in memory of the host.
    pub consumer_head: u64,
    /// Landings: [`LANDING_BYTES`] for each slot, in memory of the host. A landing belongs to the owner of the reply
    /// slot of the same number.
    pub landings: u64,
    /// Unused.
    pub unused: [u64; 4],

    /// Number of reserved slots.
    pub reserved: u64,
    /// The highest value of [`ConsumerHead::head`] that a thread of the device has read.
    pub head: u64,
    /// Number of times that a thread found the ring full.
    pub stalls: u64,
    /// Unused.
    pub unused1: [u64; 5],
}
const _: () = assert!(size_of::<RingState>() == 128);
const _: () = assert!(offset_of!(RingState, reserved) == 64);

/// The words that a ring's progress thread writes for the threads that write requests. Lies in memory of the host.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ConsumerHead {
    /// Slots below this index are free again; with [`ENDED`], the progress thread has ended.
    pub head: u64,
    /// Unused.
    pub unused: [u64; 7],
}
const _: () = assert!(size_of::<ConsumerHead>() == 64);

/// The reply to a request that returns a word. Lies in memory of the host.
///
/// Bit 63 of each word changes when the word arrives: it is 1 at the first use of the slot, and alternates.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Reply {
    /// The low 63 bits of the value.
    pub low: u64,
    /// Bit 0: the highest bit of the value. Bit 1: there is no value, because the queue has stopped.
    pub high: u64,
}
const _: () = assert!(size_of::<Reply>() == 16);

impl Reply {
    /// Bit 63 of both words.
    pub const TURN: u64 = 1 << 63;
    /// In [`high`](Self::high): there is no value.
    pub const FAILED: u64 = 2;
}

/// A queue's state for the threads that use it. Lies in memory of the PE's device.
///
/// The first half is set once, before the queue's row is published. The second changes.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ProxyQueue {
    /// Its [`RingState`]. 0 if the queue does not exist (its PE is reached by another path).
    pub ring: u64,
    /// Its [`QueueProgress`], in memory of the host.
    pub progress: u64,
    /// The address of a copy of the world's state. `heap_bytes` of the copy has the value from when the copy was
    /// written.
    pub world: u64,
    /// Its number in requests.
    pub number: u32,
    /// The PE to which it leads.
    pub pe: u32,
    /// Its handle's raw value.
    pub handle: i32,
    /// 1 if requests may name memory of the host, so that writes to it are ordered before the request at system scope;
    /// else 0.
    pub wide: u32,
    /// The ring's requests: `depth` lines of 64 bytes in memory of the host, all 0 at first.
    pub requests: u64,
    /// Number of slots of the ring, a power of two.
    pub depth: u32,
    /// Unused.
    pub unused: u32,
    /// The [`ProxyState`].
    pub shared: u64,

    /// Index after its last request.
    pub last: u64,
    /// The highest value of [`QueueProgress::done`] that a thread of the device has read.
    pub done: u64,
    /// Unused.
    pub unused1: [u64; 6],
}
const _: () = assert!(size_of::<ProxyQueue>() == 128);
const _: () = assert!(offset_of!(ProxyQueue, last) == 64);

/// The words that a queue's progress thread writes for the threads that use the queue. Lies in memory of the host.
#[derive(Debug)]
#[repr(C, align(32))]
pub struct QueueProgress {
    /// Its requests below this index are complete; with [`ENDED`], it has stopped.
    pub done: u64,
    /// The reason why it stopped: see [`Stopped`](oxshmem_raw::queue::stopped::Stopped). The syndrome may be one of
    /// [`stopped`].
    pub stopped: u64,
    /// The address that a refused request named.
    pub at: u64,
    /// The number of bytes that the refused request named at that address.
    pub bytes: u64,
}
const _: () = assert!(size_of::<QueueProgress>() == 32);

/// Syndromes that no NIC reports.
pub mod stopped {
    /// The progress thread that served the queue has ended.
    pub const PROXY_ENDED: u8 = 0xe0;
    /// A request named memory of this PE that is not registered.
    pub const NOT_REGISTERED: u8 = 0xe1;
    /// A malformed request: of an unknown kind, or outside of the peer's heap.
    pub const BAD_REQUEST: u8 = 0xe2;
    /// A read or an atomic completed successfully but without its data.
    pub const NO_DATA: u8 = 0xe3;
    /// The queue was to be connected at its first request, and could not be.
    pub const NOT_CONNECTED: u8 = 0xe4;
}

/// Hash of every size and offset that both halves use.
pub const LAYOUT: u64 = layout_of(&[
    REQUEST_FORM,
    size_of::<ProxyState>(),
    offset_of!(ProxyState, rows),
    offset_of!(ProxyState, n_buffers),
    offset_of!(ProxyState, buffers),
    MAX_BUFFERS as usize,
    size_of::<BufferRange>(),
    offset_of!(BufferRange, start),
    offset_of!(BufferRange, end),
    LANDING_BYTES as usize,
    size_of::<RingState>(),
    offset_of!(RingState, replies),
    offset_of!(RingState, turns),
    offset_of!(RingState, consumer_head),
    offset_of!(RingState, landings),
    offset_of!(RingState, reserved),
    offset_of!(RingState, head),
    offset_of!(RingState, stalls),
    size_of::<ConsumerHead>(),
    offset_of!(ConsumerHead, head),
    size_of::<Reply>(),
    offset_of!(Reply, low),
    offset_of!(Reply, high),
    Reply::FAILED as usize,
    size_of::<ProxyQueue>(),
    offset_of!(ProxyQueue, ring),
    offset_of!(ProxyQueue, progress),
    offset_of!(ProxyQueue, world),
    offset_of!(ProxyQueue, number),
    offset_of!(ProxyQueue, pe),
    offset_of!(ProxyQueue, handle),
    offset_of!(ProxyQueue, wide),
    offset_of!(ProxyQueue, requests),
    offset_of!(ProxyQueue, depth),
    offset_of!(ProxyQueue, shared),
    offset_of!(ProxyQueue, last),
    offset_of!(ProxyQueue, done),
    size_of::<QueueProgress>(),
    offset_of!(QueueProgress, done),
    offset_of!(QueueProgress, stopped),
    offset_of!(QueueProgress, at),
    offset_of!(QueueProgress, bytes),
    stopped::PROXY_ENDED as usize,
    stopped::NOT_REGISTERED as usize,
    stopped::BAD_REQUEST as usize,
    stopped::NO_DATA as usize,
    stopped::NOT_CONNECTED as usize,
    ENDED.trailing_zeros() as usize,
]);

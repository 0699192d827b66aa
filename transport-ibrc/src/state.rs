//! Rings of requests to proxy threads, as the host sets them up and kernels use them.
//!
//! A request is a line of 64 bytes in memory of the host, and one thread of the host serves a ring. Each queue stands
//! on one ring, so that its requests are served in the order of their places there: a place (`index`) counts from the
//! start of the ring and never wraps. Queue `row * n_pes + pe` leads to `pe`; custom handles have the
//! numbers that [`queue_number`](oxshmem_raw::queue::rows::queue_number) gives them.

use core::mem::{offset_of, size_of};

use oxshmem_raw::state::abi::layout_of;

/// Version of the requests' form, which both halves of the transport must have in common.
pub const REQUEST_FORM: usize = 1;

/// Set in [`Told::done`] and [`Served::head`] once nothing more will come of them.
pub const ENDED: u64 = 1 << 63;

/// What all queues of a PE share. In memory of the PE's device.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ProxyState {
    /// Rows of queues that are there, default and custom. Changes while kernels run.
    pub rows: u32,
    /// Nothing.
    pub unused: [u32; 15],
}
const _: () = assert!(size_of::<ProxyState>() == 64);

/// A ring, as the threads that write requests have it. In memory of the PE's device.
///
/// The first half is set once, the second changes.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct RingState {
    /// Answers to requests that bring a word: one [`Reply`] for each place, in memory of the host, all 0 at first.
    pub replies: u64,
    /// Whose those are: a word for each, all 0 at first. Even: nobody's; odd: somebody will read the answer. Half of it
    /// is how often the place was used.
    pub turns: u64,
    /// The [`Served`] that the ring's thread writes, in memory of the host.
    pub served: u64,
    /// Nothing.
    pub unused: [u64; 5],

    /// Places that were handed out.
    pub reserved: u64,
    /// What [`Served::head`] was when somebody looked.
    pub head: u64,
    /// How often a thread found the ring full.
    pub stalls: u64,
    /// Nothing.
    pub unused1: [u64; 5],
}
const _: () = assert!(size_of::<RingState>() == 128);
const _: () = assert!(offset_of!(RingState, reserved) == 64);

/// What a ring's thread tells those who write requests. In memory of the host.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Served {
    /// Places below this are free again; with [`ENDED`], the thread is gone.
    pub head: u64,
    /// Nothing.
    pub unused: [u64; 7],
}
const _: () = assert!(size_of::<Served>() == 64);

/// The answer to a request that brings a word. In memory of the host.
///
/// Bit 63 of both words says by its change that the word is there: it is 1 when the place is used for the first time.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Reply {
    /// The low 63 bits of the answer.
    pub low: u64,
    /// Bit 0: the highest bit of the answer. Bit 1: there is none, since the queue has stopped.
    pub high: u64,
}
const _: () = assert!(size_of::<Reply>() == 16);

impl Reply {
    /// Bit 63 of both words.
    pub const TURN: u64 = 1 << 63;
    /// In [`high`](Self::high): there is no answer.
    pub const FAILED: u64 = 2;
}

/// A queue, as the threads that use it have it. In memory of the PE's device.
///
/// The first half is set once, before the queue's row is published. The second changes.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ProxyQueue {
    /// Its [`RingState`]. 0: there is no such queue (its PE is reached otherwise).
    pub ring: u64,
    /// Its [`Told`], in memory of the host.
    pub told: u64,
    /// The world's state, as a copy that is near the queue. Its `heap_bytes` are those of the time when it was set.
    pub world: u64,
    /// What requests call it.
    pub number: u32,
    /// Where it leads.
    pub pe: u32,
    /// Its handle's raw value.
    pub handle: i32,
    /// 0, or 1: requests may name memory of the host, so that what they name is ordered ahead of them for the system.
    pub wide: u32,
    /// The ring's requests: `depth` lines of 64 bytes in memory of the host, all 0 at first.
    pub requests: u64,
    /// Places of the ring: a power of two.
    pub depth: u32,
    /// Nothing.
    pub unused: [u32; 3],

    /// Index behind its last request.
    pub last: u64,
    /// What [`Told::done`] was when somebody looked.
    pub done: u64,
    /// Nothing.
    pub unused1: [u64; 6],
}
const _: () = assert!(size_of::<ProxyQueue>() == 128);
const _: () = assert!(offset_of!(ProxyQueue, last) == 64);

/// What a queue's thread tells those who use it. In memory of the host.
#[derive(Debug)]
#[repr(C, align(32))]
pub struct Told {
    /// Its requests at places below this are complete; with [`ENDED`], it has stopped.
    pub done: u64,
    /// What stopped it: see [`Stopped`](oxshmem_raw::queue::stopped::Stopped), whose syndrome may be one of
    /// [`stopped`].
    pub stopped: u64,
    /// Of a request that was refused: the address that it named.
    pub at: u64,
    /// How many bytes it named there.
    pub bytes: u64,
}
const _: () = assert!(size_of::<Told>() == 32);

/// Syndromes that are no NIC's.
pub mod stopped {
    /// The thread that served the queue is gone.
    pub const PROXY_ENDED: u8 = 0xe0;
    /// A request named memory of this PE that is not registered.
    pub const NOT_REGISTERED: u8 = 0xe1;
    /// A request that can't be: of an unknown kind, or outside of the peer's heap.
    pub const BAD_REQUEST: u8 = 0xe2;
    /// A read or an atomic completed with success and without its data.
    pub const NO_DATA: u8 = 0xe3;
}

/// Hash of every size and offset that both halves use.
pub const LAYOUT: u64 = layout_of(&[
    REQUEST_FORM,
    size_of::<ProxyState>(),
    offset_of!(ProxyState, rows),
    size_of::<RingState>(),
    offset_of!(RingState, replies),
    offset_of!(RingState, turns),
    offset_of!(RingState, served),
    offset_of!(RingState, reserved),
    offset_of!(RingState, head),
    offset_of!(RingState, stalls),
    size_of::<Served>(),
    offset_of!(Served, head),
    size_of::<Reply>(),
    offset_of!(Reply, low),
    offset_of!(Reply, high),
    Reply::FAILED as usize,
    size_of::<ProxyQueue>(),
    offset_of!(ProxyQueue, ring),
    offset_of!(ProxyQueue, told),
    offset_of!(ProxyQueue, world),
    offset_of!(ProxyQueue, number),
    offset_of!(ProxyQueue, pe),
    offset_of!(ProxyQueue, handle),
    offset_of!(ProxyQueue, wide),
    offset_of!(ProxyQueue, requests),
    offset_of!(ProxyQueue, depth),
    offset_of!(ProxyQueue, last),
    offset_of!(ProxyQueue, done),
    size_of::<Told>(),
    offset_of!(Told, done),
    offset_of!(Told, stopped),
    offset_of!(Told, at),
    offset_of!(Told, bytes),
    stopped::PROXY_ENDED as usize,
    stopped::NOT_REGISTERED as usize,
    stopped::BAD_REQUEST as usize,
    stopped::NO_DATA as usize,
    ENDED.trailing_zeros() as usize,
]);

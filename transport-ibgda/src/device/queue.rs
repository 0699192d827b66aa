//! A queue with its constants in registers, and its words.

use core::mem::offset_of;

use crate::state::{NicState, QueueState, flags};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::state::WorldState;

use super::queue_ref::{QueueRef, stopped};
use super::sharing::{Shared, Sharing};

// The order of the fields is the one in which `open` takes them.
const _: () = {
    assert!(offset_of!(QueueState, cqe) == 8 && offset_of!(QueueState, dbr) == 16);
    assert!(offset_of!(QueueState, doorbell) == 24 && offset_of!(QueueState, marks) == 32);
    assert!(offset_of!(QueueState, fetch) == 40 && offset_of!(QueueState, fetch_iova) == 48);
    assert!(offset_of!(QueueState, first_end) == 56 && offset_of!(QueueState, lkey) == 64);
    assert!(offset_of!(QueueState, rkey) == 68 && offset_of!(QueueState, fetch_lkey) == 72);
    assert!(offset_of!(QueueState, qpn) == 76 && offset_of!(QueueState, depth) == 80);
    assert!(offset_of!(QueueState, room) == 84 && offset_of!(QueueState, pe) == 88);
    assert!(offset_of!(QueueState, handle) == 92 && offset_of!(QueueState, flags) == 96);
    assert!(offset_of!(QueueState, most_served) == 100 && offset_of!(QueueState, world) == 104);
    assert!(offset_of!(QueueState, nic) == 7 * size_of::<ptx::V2>());
};

/// The queue to one PE, with its constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue<S = Shared> {
    queue_ref: QueueRef<S>,
    sq: u64,
    cqe: u64,
    dbr: u64,
    doorbell: u64,
    marks: u64,
    fetch: u64,
    fetch_iova: u64,
    first_end: u64,
    lkey: u32,
    rkey: u32,
    fetch_lkey: u32,
    qpn: u32,
    depth: u32,
    room: u32,
    pe: u32,
    handle: i32,
    flags: u32,
    most_served: u32,
    world: u64,
}

impl<S: Sharing> QueueRef<S> {
    /// Loads all constants of the queue into registers: after a fence each would have to be loaded again.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn open(self) -> Queue<S> {
        // SAFETY: **live**; the first half of a queue is set before the queue is published, and never changes, but for the
        // flags, of which kernels that run meanwhile may have the old ones.
        let [a, b, c, d, e, f, g] = unsafe {
            [
                S::set_once(self.part(0)),
                S::set_once(self.part(1)),
                S::set_once(self.part(2)),
                S::set_once(self.part(3)),
                S::set_once(self.part(4)),
                S::set_once(self.part(5)),
                S::set_once(self.part(6)),
            ]
        };
        Queue {
            queue_ref: self,
            sq: a[0],
            cqe: a[1],
            dbr: b[0],
            doorbell: b[1],
            marks: c[0],
            fetch: c[1],
            fetch_iova: d[0],
            first_end: d[1],
            lkey: e[0] as u32,
            rkey: (e[0] >> 32) as u32,
            fetch_lkey: e[1] as u32,
            qpn: (e[1] >> 32) as u32,
            depth: f[0] as u32,
            room: (f[0] >> 32) as u32,
            pe: f[1] as u32,
            handle: (f[1] >> 32) as i32,
            flags: g[0] as u32,
            most_served: (g[0] >> 32) as u32,
            world: g[1],
        }
    }
}

macro_rules! set_once {
    ($($(#[$doc:meta])* $name:ident: $t:ty;)*) => { $(
        $(#[$doc])*
        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        pub(super) fn $name(self) -> $t {
            self.$name
        }
    )* };
}

impl<S: Sharing> Queue<S> {
    set_once! {
        /// Where its first block is.
        sq: u64;
        /// Where its completion is.
        cqe: u64;
        /// Where its doorbell record is.
        dbr: u64;
        /// Where its doorbell is.
        doorbell: u64;
        /// Where its marks are.
        marks: u64;
        /// Where results go.
        fetch: u64;
        /// What the NIC calls that.
        fetch_iova: u64;
        /// Where the first extent of the heap ends.
        first_end: u64;
        /// The first extent's local key.
        lkey: u32;
        /// The first extent's remote key.
        rkey: u32;
        /// The results' key.
        fetch_lkey: u32;
        /// The queue pair's number.
        qpn: u32;
        /// Its blocks.
        depth: u32;
        /// The most that may be outstanding.
        room: u32;
        /// Where it leads.
        pe: u32;
        /// Its handle.
        handle: i32;
        /// What it can and needs.
        flags: u32;
        /// Blocks of others that a thread tells of before it offers to leave that to another.
        most_served: u32;
    }

    /// Its place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn queue_ref(self) -> QueueRef<S> {
        self.queue_ref
    }

    /// Returns a view of the queue that exposes its constants alone.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn constants(self) -> Queue {
        // By fields, and without `..self`, whose type is another.
        let Self { sq, cqe, dbr, doorbell, marks, fetch, fetch_iova, first_end, lkey, rkey, .. } = self;
        let Self { fetch_lkey, qpn, depth, room, pe, handle, flags, most_served, world, .. } = self;
        Queue {
            queue_ref: self.queue_ref.seen_by_all(),
            sq,
            cqe,
            dbr,
            doorbell,
            marks,
            fetch,
            fetch_iova,
            first_end,
            lkey,
            rkey,
            fetch_lkey,
            qpn,
            depth,
            room,
            pe,
            handle,
            flags,
            most_served,
            world,
        }
    }

    /// Whether it has this flag.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn has(self, flag: u32) -> bool {
        self.flags() & flag != 0
    }

    /// The world, as the queue has it: constant but for the size of the heap.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn world<'a>(self) -> &'a WorldState {
        // SAFETY: **live**: set before the queue was published, and there for as long as it.
        unsafe { &*(self.world as *const WorldState) }
    }

    /// Returns the table with the keys beyond those of the first extent. It is loaded on demand, which is rare.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn nic(self) -> *const NicState {
        // SAFETY: **live**: set before the queue was published, and never changed.
        let [nic, _] = unsafe { S::set_once(self.queue_ref.part(7)) };
        nic as *const NicState
    }

    /// Returns a number that no other queue has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn key(self) -> u64 {
        self.queue_ref.part(0) as u64
    }

    /// Returns the slot of block `index` in the ring.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn slot(self, index: u64) -> u64 {
        index & (self.depth() as u64 - 1)
    }

    /// Reserves `blocks` blocks; returns the index of the first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn take(self, blocks: u64) -> u64 {
        // SAFETY: **live**.
        unsafe { S::add(self.queue_ref.word(offset_of!(QueueState, reserved)), blocks) }
    }

    /// Adds blocks that were reserved in a block's copy to the queue itself, for threads that wait for this queue.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn tell_taken(self, blocks: u64) {
        if let Some(home) = self.queue_ref.home() {
            // SAFETY: **live**.
            unsafe { ptx::red_add_relaxed_gpu_u64(home.word(offset_of!(QueueState, reserved)), blocks) }
        }
    }

    /// Whether no block from `end` on is reserved, as far as that is known without reading the GPU's memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn ends_at(self, end: u64) -> bool {
        S::NEAR && self.queue_ref.reserved() == end
    }

    /// Blocks known to be complete; their effects are visible.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn done(self) -> u64 {
        self.queue_ref.done()
    }

    /// Returns the number of blocks known to be complete, for callers that need their room and not their effects: the NIC has
    /// read them, and stores after a branch on this value are later.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn free_up_to(self) -> u64 {
        // SAFETY: **live**.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, done))) }
    }

    /// Returns the number of blocks announced to the NIC.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn posted(self) -> u64 {
        // SAFETY: **live**.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, posted))) }
    }

    /// Records that `end` blocks are announced, and thereby passes the baton on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn hand_on(self, end: u64) {
        // SAFETY: **live**; the counter is the queue's own.
        unsafe { ptx::red_add_relaxed_gpu_u64(self.queue_ref.seen_by_all().word(offset_of!(QueueState, doorbells)), 1) }
        let (claim, posted) = (offset_of!(QueueState, claim), offset_of!(QueueState, posted));
        if let Some(home) = self.queue_ref.home() {
            // For other threads that will post on the queue later.
            // SAFETY: **live**; only the holder of the baton writes the two, here and below.
            unsafe {
                ptx::st_relaxed_gpu_u64(home.word(claim), end);
                ptx::st_relaxed_gpu_u64(home.word(posted), end);
            }
        }
        // SAFETY: **live**.
        unsafe {
            S::store(self.queue_ref.word(claim), end);
            S::store_release(self.queue_ref.word(posted), end);
        }
    }

    /// Takes the baton that was passed on at `index`, if no other thread has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn claim(self, index: u64) -> bool {
        // SAFETY: **live**.
        unsafe { S::swap_acq_rel(self.queue_ref.word(offset_of!(QueueState, claim)), index, index + 1) == index }
    }

    /// Whether no thread has taken the baton that was passed on at `index`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn is_unclaimed(self, index: u64) -> bool {
        // SAFETY: **live**.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, claim))) == index }
    }

    /// Offers the baton, which was passed on at `index`, to any thread that looks for an offer.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn offer(self, index: u64) {
        // SAFETY: **live**; only the holder of the baton writes it.
        unsafe { S::store(self.queue_ref.word(offset_of!(QueueState, offered)), index + 1) }
    }

    /// Returns the index of the last offer of the baton; `None` if there was none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn offered(self) -> Option<u64> {
        // SAFETY: **live**.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, offered))) }.checked_sub(1)
    }

    /// Marks the entries from `first` to `end` as written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn mark(self, first: u64, end: u64) {
        let word = (self.marks() + 8 * self.slot(first)) as *mut u64;
        // SAFETY: **live**: a word for each block.
        unsafe { S::store_mark(word, end) }
    }

    /// Returns the raw mark word for the entries that begin at `first`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn mark_at(self, first: u64) -> u64 {
        let word = (self.marks() + 8 * self.slot(first)) as *const u64;
        // SAFETY: **live**: a word for each block.
        unsafe { S::load_mark(word) }
    }

    /// Whether this mark word does not mark the entries that begin at `first`. A mark of a later lap means that they were
    /// announced long ago.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn is_unmarked(self, first: u64, mark: u64) -> bool {
        let ahead = mark.wrapping_sub(first);
        ahead == 0 || ahead > self.depth() as u64
    }

    /// Returns the index after the entries that begin at `first` if they are marked, else `first`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn marked(self, first: u64) -> u64 {
        let end = self.mark_at(first);
        if self.is_unmarked(first, end) { first } else { end }
    }

    /// Counts data that was posted.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_bytes(self, bytes: u64) {
        // SAFETY: **live**.
        unsafe { ptx::red_add_relaxed_gpu_u64(self.queue_ref.seen_by_all().word(offset_of!(QueueState, bytes)), bytes) }
    }

    /// Counts a thread that found no room.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_stall(self) {
        // SAFETY: **live**.
        unsafe { ptx::red_add_relaxed_gpu_u64(self.queue_ref.seen_by_all().word(offset_of!(QueueState, stalls)), 1) }
    }

    /// Returns what stopped it, as far as its posting threads know.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn known_stopped(self) -> Option<Stopped> {
        self.queue_ref.known_stopped()
    }

    /// Stops it and returns the reason: the first one stays.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stop(self, why: Stopped) -> Stopped {
        let home = self.queue_ref.seen_by_all().word(offset_of!(QueueState, stopped));
        // SAFETY: **live**.
        let first = unsafe { ptx::atom_cas_acq_rel_gpu_u64(home, 0, why.word()) };
        let why = stopped(first).unwrap_or(why);
        if S::NEAR {
            // SAFETY: **live**: all threads that come here write the same value.
            unsafe { S::store(self.queue_ref.word(offset_of!(QueueState, stopped)), why.word()) }
        }
        why
    }

    /// Whether writes that the NIC reads need system scope to be ordered.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn wide(self) -> bool {
        self.has(flags::WIDE_FENCES)
    }
}

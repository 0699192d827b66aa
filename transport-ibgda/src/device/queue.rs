//! A queue with its constants in registers, and accesses to its words.

use core::mem::offset_of;

use crate::state::{NicState, QueueState, flags};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::state::WorldState;

use super::queue_ref::{QueueRef, stopped};
use super::sharing::{Shared, Sharing};

// `open` relies on this order of the fields.
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
    /// Loads all constants of the queue into registers. Otherwise each would be loaded again after a fence.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn open(self) -> Queue<S> {
        // SAFETY: **live** keeps the queue mapped. Its first half is set before the queue is published and never
        // changes, except for the flags, of which running kernels may read the old value.
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
        /// Returns the address of its first block.
        sq: u64;
        /// Returns the address of its completion entry.
        cqe: u64;
        /// Returns the address of its doorbell record.
        dbr: u64;
        /// Returns the address of its doorbell.
        doorbell: u64;
        /// Returns the address of its marks.
        marks: u64;
        /// Returns the address of its result slots.
        fetch: u64;
        /// Returns the NIC's address of its result slots.
        fetch_iova: u64;
        /// Returns the end of the heap's first extent.
        first_end: u64;
        /// Returns the first extent's local key.
        lkey: u32;
        /// Returns the first extent's remote key.
        rkey: u32;
        /// Returns the local key of the result slots.
        fetch_lkey: u32;
        /// Returns the queue pair's number.
        qpn: u32;
        /// Returns its number of blocks.
        depth: u32;
        /// Returns the maximum number of outstanding blocks.
        room: u32;
        /// Returns the number of its PE.
        pe: u32;
        /// Returns its handle's raw value.
        handle: i32;
        /// Returns its [`flags`].
        flags: u32;
        /// Returns the number of other threads' blocks that a holder announces before it offers the baton.
        most_served: u32;
    }

    /// Returns the reference to the queue.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn queue_ref(self) -> QueueRef<S> {
        self.queue_ref
    }

    /// Returns a view of the queue that exposes its constants alone.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn constants(self) -> Queue {
        // Field by field, because `..self` has another type.
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

    /// Reports whether it has this flag.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn has(self, flag: u32) -> bool {
        self.flags() & flag != 0
    }

    /// Returns the copy of the world's state that the queue names. It is current except for the size of the heap.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn world<'a>(self) -> &'a WorldState {
        // SAFETY: **live**: the copy is written before the queue is published, and stays mapped as long as the queue.
        unsafe { &*(self.world as *const WorldState) }
    }

    /// Returns the table of the keys of later extents and of buffers. It is loaded on demand, which is rare.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn nic(self) -> *const NicState {
        // SAFETY: **live** keeps the queue mapped; the field is set before the queue is published and never changes.
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
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::add(self.queue_ref.word(offset_of!(QueueState, reserved)), blocks) }
    }

    /// Adds blocks that were reserved in a block's copy to the queue itself, for threads that wait for this queue.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn add_reserved_at_home(self, blocks: u64) {
        if let Some(home) = self.queue_ref.home() {
            // SAFETY: **live** keeps the queue mapped, and this is one of its words.
            unsafe { ptx::red_add_relaxed_gpu_u64(home.word(offset_of!(QueueState, reserved)), blocks) }
        }
    }

    /// Reports whether no block from `end` on is reserved. Returns false if that can't be known without reading the
    /// GPU's memory.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn ends_at(self, end: u64) -> bool {
        S::IN_SHARED_MEMORY && self.queue_ref.reserved() == end
    }

    /// Returns the number of blocks known to be complete; their effects are visible.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn done(self) -> u64 {
        self.queue_ref.done()
    }

    /// Returns the number of blocks known to be complete, for callers that need their room and not their effects. The
    /// NIC has read these blocks, and stores after a branch on this value come later.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn free_up_to(self) -> u64 {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, done))) }
    }

    /// Returns the number of blocks announced to the NIC.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn posted(self) -> u64 {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, posted))) }
    }

    /// Records that `end` blocks are announced, and thereby passes the baton on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn hand_on(self, end: u64) {
        // SAFETY: **live** keeps the queue mapped; the counter is one of its words.
        unsafe { ptx::red_add_relaxed_gpu_u64(self.queue_ref.seen_by_all().word(offset_of!(QueueState, doorbells)), 1) }
        let (claim, posted) = (offset_of!(QueueState, claim), offset_of!(QueueState, posted));
        if let Some(home) = self.queue_ref.home() {
            // For the threads that post on the queue after the block has ended its use.
            // SAFETY: **live** keeps the queue mapped; only the holder of the baton writes these two words, here and
            // below.
            unsafe {
                ptx::st_relaxed_gpu_u64(home.word(claim), end);
                ptx::st_relaxed_gpu_u64(home.word(posted), end);
            }
        }
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe {
            S::store(self.queue_ref.word(claim), end);
            S::store_release(self.queue_ref.word(posted), end);
        }
    }

    /// Takes the baton that was passed on at `index` if no other thread has taken it. Reports whether this thread now
    /// holds it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn claim(self, index: u64) -> bool {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::swap_acq_rel(self.queue_ref.word(offset_of!(QueueState, claim)), index, index + 1) == index }
    }

    /// Reports whether no thread has taken the baton that was passed on at `index`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn is_unclaimed(self, index: u64) -> bool {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, claim))) == index }
    }

    /// Offers the baton, which was passed on at `index`, to any thread that looks for an offer.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn offer(self, index: u64) {
        // SAFETY: **live** keeps the queue mapped; only the holder of the baton writes the word.
        unsafe { S::store(self.queue_ref.word(offset_of!(QueueState, offered)), index + 1) }
    }

    /// Returns the index of the last offer of the baton; `None` if there was none.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn offered(self) -> Option<u64> {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::load(self.queue_ref.word(offset_of!(QueueState, offered))) }.checked_sub(1)
    }

    /// Marks the entries from `first` to `end` as written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn mark(self, first: u64, end: u64) {
        let word = (self.marks() + 8 * self.slot(first)) as *mut u64;
        // SAFETY: **live** keeps the marks mapped, one word for each block; `slot` is less than `depth`.
        unsafe { S::store_mark(word, end) }
    }

    /// Returns the raw mark word for the entries that begin at `first`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn mark_at(self, first: u64) -> u64 {
        let word = (self.marks() + 8 * self.slot(first)) as *const u64;
        // SAFETY: **live** keeps the marks mapped, one word for each block; `slot` is less than `depth`.
        unsafe { S::load_mark(word) }
    }

    /// Reports whether this mark word does not mark the entries that begin at `first`. A mark of a later lap means that
    /// they were announced long ago.
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

    /// Adds to the counter of posted bytes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_bytes(self, bytes: u64) {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { ptx::red_add_relaxed_gpu_u64(self.queue_ref.seen_by_all().word(offset_of!(QueueState, bytes)), bytes) }
    }

    /// Adds to the counter of threads that found no room.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_stall(self) {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { ptx::red_add_relaxed_gpu_u64(self.queue_ref.seen_by_all().word(offset_of!(QueueState, stalls)), 1) }
    }

    /// Returns the reason why it stopped, if its posting threads know of one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn known_stopped(self) -> Option<Stopped> {
        self.queue_ref.known_stopped()
    }

    /// Stops it and returns the reason. The first reason stays.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stop(self, why: Stopped) -> Stopped {
        let home = self.queue_ref.seen_by_all().word(offset_of!(QueueState, stopped));
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        let first = unsafe { ptx::atom_cas_acq_rel_gpu_u64(home, 0, why.word()) };
        let why = stopped(first).unwrap_or(why);
        if S::IN_SHARED_MEMORY {
            // SAFETY: **live** keeps the copy mapped; all threads that stop the queue store the same value.
            unsafe { S::store(self.queue_ref.word(offset_of!(QueueState, stopped)), why.word()) }
        }
        why
    }

    /// Reports whether writes that the NIC reads must be ordered at system scope.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn wide(self) -> bool {
        self.has(flags::WIDE_FENCES)
    }
}

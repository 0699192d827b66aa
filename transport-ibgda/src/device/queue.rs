//! A queue's state, word by word.

use core::mem::offset_of;
use core::ptr::{addr_of, addr_of_mut};

use oxshmem_raw::ptx;
use oxshmem_raw::state::WorldState;
use oxshmem_raw::state::nic::{NicState, QueueState, Stopped, flags};

/// A queue that leads to one PE, by its place.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct Place(*mut QueueState);

impl Place {
    /// The queue with this state.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is a queue of this world's table, whose memory stays mapped while kernels run; who opens it has
    ///   seen that it is published.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn at(at: *mut QueueState) -> Self {
        Self(at)
    }

    /// The queue with all that was set once, in registers: behind a fence each would have to be fetched again.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn open(self) -> Queue {
        let at = self.0 as *const ptx::V2;
        // SAFETY: **live**; the first half of a queue is set before the queue is published, and never changes, but for the
        // flags, of which kernels that run meanwhile may have the old ones.
        let [a, b, c, d, e, f, g] = unsafe {
            [
                ptx::ld_nc_v2(at),
                ptx::ld_nc_v2(at.add(1)),
                ptx::ld_nc_v2(at.add(2)),
                ptx::ld_nc_v2(at.add(3)),
                ptx::ld_nc_v2(at.add(4)),
                ptx::ld_nc_v2(at.add(5)),
                ptx::ld_nc_v2(at.add(6)),
            ]
        };
        Queue {
            state: self.0,
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
            world: g[1],
        }
    }

    /// Blocks that were handed out.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn reserved(self) -> u64 {
        // SAFETY: **live**.
        unsafe { ptx::ld_relaxed_gpu_u64(addr_of!((*self.0).reserved)) }
    }

    /// Blocks known to be complete; their effects are visible.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn done(self) -> u64 {
        // SAFETY: **live**.
        unsafe { ptx::ld_acquire_gpu_u64(addr_of!((*self.0).done)) }
    }

    /// What stopped it, if it has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stopped(self) -> Option<Stopped> {
        // SAFETY: **live**.
        match unsafe { ptx::ld_relaxed_gpu_u64(addr_of!((*self.0).stopped)) } {
            0 => None,
            word => Some(Stopped::from_word(word)),
        }
    }
}

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
    assert!(offset_of!(QueueState, world) == 104 && offset_of!(QueueState, nic) == 7 * size_of::<ptx::V2>());
};

/// A queue that leads to one PE, with what was set once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    state: *mut QueueState,
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
    world: u64,
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

impl Queue {
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
    }

    /// Its place.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn place(self) -> Place {
        Place(self.state)
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

    /// What has the keys beyond those of the first extent. It is fetched where it is needed, which is seldom.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn nic(self) -> *const NicState {
        // SAFETY: **live**: set before the queue was published, and never changed.
        let [nic, _] = unsafe { ptx::ld_nc_v2((self.state as *const ptx::V2).add(7)) };
        nic as *const NicState
    }

    /// What tells it from every other queue.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn key(self) -> u64 {
        self.state as u64
    }

    /// The place of block `index` in the ring.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn slot(self, index: u64) -> u64 {
        index & (self.depth() as u64 - 1)
    }

    /// Takes `blocks` blocks; the index of the first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn take(self, blocks: u64) -> u64 {
        // SAFETY: **live**.
        unsafe { ptx::atom_add_relaxed_gpu_u64(addr_of_mut!((*self.state).reserved), blocks) }
    }

    /// Blocks known to be complete; their effects are visible.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn done(self) -> u64 {
        self.place().done()
    }

    /// Blocks known to be complete, for who wants their room and not their effects: the NIC has read them, and what is
    /// stored behind a branch on this is stored later.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn free_up_to(self) -> u64 {
        // SAFETY: **live**.
        unsafe { ptx::ld_relaxed_gpu_u64(addr_of!((*self.state).done)) }
    }

    /// At least `done` blocks are complete, which this thread has seen.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn raise_done(self, done: u64) {
        // SAFETY: **live**.
        unsafe { ptx::red_max_release_gpu_u64(addr_of_mut!((*self.state).done), done) }
    }

    /// Blocks that the NIC was told of.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn posted(self) -> u64 {
        // SAFETY: **live**.
        unsafe { ptx::ld_relaxed_gpu_u64(addr_of!((*self.state).posted)) }
    }

    /// The NIC was told of `end` blocks: who holds the baton says so, and gives it away with it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn hand_on(self, end: u64) {
        // SAFETY: **live**; only who holds the baton writes the two stored.
        unsafe {
            ptx::red_add_relaxed_gpu_u64(addr_of_mut!((*self.state).doorbells), 1);
            ptx::st_relaxed_gpu_u64(addr_of_mut!((*self.state).claim), end);
            ptx::st_release_gpu_u64(addr_of_mut!((*self.state).posted), end);
        }
    }

    /// Takes the baton that was handed on at `index`, if nobody else has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn claim(self, index: u64) -> bool {
        // SAFETY: **live**.
        unsafe { ptx::atom_cas_acq_rel_gpu_u64(addr_of_mut!((*self.state).claim), index, index + 1) == index }
    }

    /// Marks the entries from `first` to `end` as written.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn mark(self, first: u64, end: u64) {
        let word = (self.marks() + 8 * self.slot(first)) as *mut u64;
        // SAFETY: **live**: a word for each block.
        unsafe { ptx::st_relaxed_gpu_u64(word, end) }
    }

    /// The index behind the entries that begin at `first`, if they are marked; else no more than `first`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn marked(self, first: u64) -> u64 {
        let word = (self.marks() + 8 * self.slot(first)) as *const u64;
        // SAFETY: **live**: a word for each block.
        let end = unsafe { ptx::ld_relaxed_gpu_u64(word) };
        // A mark of a later lap says that these entries were told of long ago.
        if end.wrapping_sub(first) > self.depth() as u64 { first } else { end }
    }

    /// Counts data that was posted.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_bytes(self, bytes: u64) {
        // SAFETY: **live**.
        unsafe { ptx::red_add_relaxed_gpu_u64(addr_of_mut!((*self.state).bytes), bytes) }
    }

    /// Counts a thread that found no room.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_stall(self) {
        // SAFETY: **live**.
        unsafe { ptx::red_add_relaxed_gpu_u64(addr_of_mut!((*self.state).stalls), 1) }
    }

    /// What stopped it, if it has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stopped(self) -> Option<Stopped> {
        self.place().stopped()
    }

    /// Stops it; the first reason stays.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stop(self, why: Stopped) -> Stopped {
        // SAFETY: **live**.
        match unsafe { ptx::atom_cas_acq_rel_gpu_u64(addr_of_mut!((*self.state).stopped), 0, why.word()) } {
            0 => why,
            word => Stopped::from_word(word),
        }
    }

    /// Whether writes that the NIC reads need system scope to be ordered.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn wide(self) -> bool {
        self.has(flags::WIDE_FENCES)
    }
}

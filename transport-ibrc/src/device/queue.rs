//! A queue and its ring, and accesses to their words.

use core::mem::{offset_of, size_of};
use core::ptr::{addr_of, addr_of_mut};

use crate::state::{
    BufferRange, ConsumerHead, ENDED, LANDING_BYTES, ProxyQueue, ProxyState, QueueProgress, Reply, RingState, stopped,
};
use oxshmem_core::{Fault, FaultStep, Pe};
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::state::wait::{self, WaitBudget};
use oxshmem_raw::state::{WorldState, fault};

use crate::request::LINE_BYTES;

/// A reference to the queue to one PE.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct QueueRef(*mut ProxyQueue);

impl QueueRef {
    /// Returns the reference to the queue with this state.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is a queue of this world's table, whose memory and whose ring stay mapped while kernels run;
    ///   the caller has seen that the queue's row is published.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn at(at: *mut ProxyQueue) -> Self {
        Self(at)
    }

    /// Loads all constants of the queue into registers.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn open(self) -> Queue {
        let at = self.0 as *const ptx::V2;
        // SAFETY: **live** keeps the queue mapped; its first half is set before the queue is published and never
        // changes.
        let [a, b, c, d] = unsafe {
            [ptx::ld_nc_v2(at), ptx::ld_nc_v2(at.add(1)), ptx::ld_nc_v2(at.add(2)), ptx::ld_nc_v2(at.add(3))]
        };
        Queue {
            state: self.0,
            ring: a[0] as *mut RingState,
            progress: a[1],
            world: b[0],
            number: b[1] as u32,
            pe: (b[1] >> 32) as u32,
            handle: c[0] as i32,
            wide: c[0] >> 32 != 0,
            requests: c[1],
            depth: d[0] as u32,
            shared: d[1],
        }
    }

    /// Returns the index after its last request.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn last(self) -> u64 {
        // SAFETY: **live** keeps the queue and its ring mapped, and this is one of their words.
        unsafe { ptx::ld_relaxed_gpu_u64(addr_of!((*self.0).last)) }
    }

    /// Returns the index up to which requests are known to be complete, with [`ENDED`] once the queue has stopped. The
    /// effects of complete requests are visible.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn done(self) -> u64 {
        // SAFETY: **live** keeps the queue and its ring mapped, and this is one of their words.
        unsafe { ptx::ld_acquire_gpu_u64(addr_of!((*self.0).done)) }
    }

    /// Reports whether it is known to have stopped.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn is_known_stopped(self) -> bool {
        // SAFETY: **live** keeps the queue and its ring mapped, and this is one of their words.
        unsafe { ptx::ld_relaxed_gpu_u64(addr_of!((*self.0).done)) & ENDED != 0 }
    }
}

// `open` relies on this order of the fields.
const _: () = {
    assert!(offset_of!(ProxyQueue, progress) == 8 && offset_of!(ProxyQueue, world) == 16);
    assert!(offset_of!(ProxyQueue, number) == 24 && offset_of!(ProxyQueue, pe) == 28);
    assert!(offset_of!(ProxyQueue, handle) == 32 && offset_of!(ProxyQueue, wide) == 36);
    assert!(offset_of!(ProxyQueue, requests) == 40 && offset_of!(ProxyQueue, depth) == 48);
    assert!(offset_of!(ProxyQueue, shared) == 56);
    assert!(offset_of!(RingState, replies) == 0 && offset_of!(RingState, turns) == 8);
    assert!(offset_of!(RingState, consumer_head) == 16 && offset_of!(RingState, landings) == 24);
    assert!(offset_of!(BufferRange, start) == 0 && offset_of!(BufferRange, end) == 8);
};

/// The reply slots of a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answers {
    replies: u64,
    turns: u64,
}

/// The queue to one PE, with its constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queue {
    state: *mut ProxyQueue,
    ring: *mut RingState,
    progress: u64,
    world: u64,
    /// Its number in requests.
    pub(super) number: u32,
    /// The PE to which it leads.
    pub(super) pe: u32,
    /// Its handle.
    pub(super) handle: i32,
    /// Whether requests may name memory of the host.
    pub(super) wide: bool,
    requests: u64,
    /// Number of slots of its ring.
    pub(super) depth: u32,
    shared: u64,
}

impl Queue {
    /// Returns the reference to the queue.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn queue_ref(self) -> QueueRef {
        QueueRef(self.state)
    }

    /// Returns the copy of the world's state that the queue names. It is current except for the size of the heap.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn world<'a>(self) -> &'a WorldState {
        // SAFETY: **live**: the copy is written before the queue is published, and stays mapped as long as the queue.
        unsafe { &*(self.world as *const WorldState) }
    }

    /// Reports whether a request may name memory of this PE from `at` on: it is in the symmetric heap or in a buffer that
    /// the program registered, and `bytes` bytes are in the same buffer.
    ///
    /// A reply that comes after its call has failed still writes to the memory that the request names. Any other memory
    /// may be in use for something else by then, or gone.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn may_name(self, at: u64, bytes: u64) -> bool {
        if self.world().is_own(at) {
            return true;
        }
        let shared = self.shared as *const ProxyState;
        // SAFETY: **live** keeps the ProxyState and its table of buffers mapped; the table's address is set once.
        unsafe {
            let (count, buffers) = (ptx::ld_acquire_gpu_u32(addr_of!((*shared).n_buffers)), (*shared).buffers);
            let mut slot = 0;
            while slot < count {
                let word = buffers + slot as u64 * size_of::<BufferRange>() as u64;
                // The host clears the end before it changes the start, and writes the end last.
                let end = ptx::ld_acquire_gpu_u64((word + 8) as *const u64);
                let start = ptx::ld_relaxed_gpu_u64(word as *const u64);
                if at >= start && at < end && bytes <= end - at {
                    return true;
                }
                slot += 1;
            }
        }
        false
    }

    /// Waits until `poll`, which loads this many `words`, has a result. The fault of a wait that reaches the limit says
    /// that entry `asked` was waited for, and how far the queue had `come`. The death of another PE than the queue's
    /// ends no wait.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn wait<T>(
        self,
        words: usize,
        poll: impl FnMut() -> Option<T>,
        asked: u64,
        come: impl FnOnce() -> u64,
    ) -> Result<T, Fault> {
        let leads_to = |dead: Pe| self.pe == dead.number();
        wait::until_among(self.world(), &mut WaitBudget::new(), words, leads_to, poll, || {
            let mut fault = Fault::new(FaultStep::Queue);
            (fault.pe, fault.qp, fault.asked, fault.seen) = (self.pe, self.handle, asked, come());
            fault
        })
    }

    /// Returns a number that no other queue has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn key(self) -> u64 {
        self.state as u64
    }

    /// Returns the slot of `index` in the ring.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn slot(self, index: u64) -> u64 {
        index & (self.depth as u64 - 1)
    }

    /// Takes `count` slots of the ring; returns the index of the first.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn take(self, count: u64) -> u64 {
        // SAFETY: **live** keeps the queue and its ring mapped, and this is one of their words.
        unsafe { ptx::atom_add_relaxed_gpu_u64(addr_of_mut!((*self.ring).reserved), count) }
    }

    /// Records that requests of this queue end at `end` or later.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn note(self, end: u64) {
        // SAFETY: **live** keeps the queue and its ring mapped, and this is one of their words.
        unsafe { ptx::red_max_relaxed_gpu_u64(addr_of_mut!((*self.state).last), end) }
    }

    /// Returns the last value of [`ConsumerHead::head`] that a thread of this GPU has read: slots below it are free.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn head(self) -> u64 {
        // SAFETY: **live** keeps the queue and its ring mapped, and this is one of their words.
        unsafe { ptx::ld_acquire_gpu_u64(addr_of!((*self.ring).head)) }
    }

    /// Reads [`ConsumerHead::head`] from memory of the host, and stores it for the other threads if it is above
    /// `known`, the value that they have.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn look_at_head(self, known: u64) -> u64 {
        // SAFETY: **live** keeps the ring and its [`ConsumerHead`] mapped.
        unsafe {
            let [consumer_head, _] = ptx::ld_nc_v2((self.ring as *const ptx::V2).add(1));
            let head = ptx::ld_acquire_sys_u64((consumer_head + offset_of!(ConsumerHead, head) as u64) as *const u64);
            if head > known {
                ptx::red_max_release_gpu_u64(addr_of_mut!((*self.ring).head), head);
            }
            head
        }
    }

    /// Reads [`QueueProgress::done`] from memory of the host, and stores it for the other threads if it is above
    /// `known`, the value that they have.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn look_at_done(self, known: u64) -> u64 {
        // SAFETY: **live** keeps the queue and its [`QueueProgress`] mapped.
        unsafe {
            let done = ptx::ld_acquire_sys_u64((self.progress + offset_of!(QueueProgress, done) as u64) as *const u64);
            // A release waits for this thread's earlier stores, so it is not done on each read.
            if done > known {
                ptx::red_max_release_gpu_u64(addr_of_mut!((*self.state).done), done);
            }
            done
        }
    }

    /// Returns the words of [`QueueProgress`] that hold the reason why it has stopped.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn why(self) -> [u64; 3] {
        let word = |field: usize| {
            // SAFETY: **live** keeps the queue's [`QueueProgress`] mapped; the words are set before `done` reports that
            // the queue has stopped.
            unsafe { ptx::ld_relaxed_sys_u64((self.progress + field as u64) as *const u64) }
        };
        [
            word(offset_of!(QueueProgress, stopped)),
            word(offset_of!(QueueProgress, at)),
            word(offset_of!(QueueProgress, bytes)),
        ]
    }

    /// Adds to the counter of threads that found the ring full.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn count_stall(self) {
        // SAFETY: **live** keeps the queue and its ring mapped, and this is one of their words.
        unsafe { ptx::red_add_relaxed_gpu_u64(addr_of_mut!((*self.ring).stalls), 1) }
    }

    /// Returns the address of the request's line at `index`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn line(self, index: u64) -> *mut ptx::V2 {
        (self.requests + LINE_BYTES * self.slot(index)) as *mut ptx::V2
    }

    /// Returns its ring's reply slots.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn answers(self) -> Answers {
        // SAFETY: **live** keeps the ring mapped; its first half is set before any queue uses it.
        let [replies, turns] = unsafe { ptx::ld_nc_v2(self.ring as *const ptx::V2) };
        Answers { replies, turns }
    }

    /// Returns the address of the reply to the request at `index`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn reply(self, of: Answers, index: u64) -> *const ptx::V2 {
        (of.replies + size_of::<Reply>() as u64 * self.slot(index)) as *const ptx::V2
    }

    /// Returns the address of the landing for the request at `index`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn landing(self, index: u64) -> u64 {
        // SAFETY: **live** keeps the ring mapped; its first half is set before any queue uses it.
        let [_, landings] = unsafe { ptx::ld_nc_v2((self.ring as *const ptx::V2).add(1)) };
        landings + LANDING_BYTES * self.slot(index)
    }

    /// Returns the address of the ownership word of that reply slot.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn turn(self, of: Answers, index: u64) -> *mut u64 {
        (of.turns + 8 * self.slot(index)) as *mut u64
    }
}

/// Returns the fault of a call on this queue that failed.
#[cold]
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn reason(queue: QueueRef) -> Fault {
    let open = queue.open();
    if open.look_at_done(0) & ENDED == 0 {
        // The queue has not stopped, so the PE's first fault is the reason.
        return fault::first_or_aborted(open.world());
    }
    let [word, at, bytes] = open.why();
    why(Stopped::from_word(word), at, bytes, open.pe, open.handle)
}

/// Returns the reason in [`QueueProgress`](crate::state::QueueProgress) as a fault of the queue with this handle to
/// this PE.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn why(because: Stopped, at: u64, bytes: u64, pe: u32, handle: i32) -> Fault {
    let step = match because.syndrome {
        stopped::PROXY_ENDED => FaultStep::HostThread,
        stopped::NOT_REGISTERED => FaultStep::NotRegistered,
        _ => FaultStep::Completion,
    };
    let mut fault = Fault::new(step);
    (fault.pe, fault.qp, fault.at) = (pe, handle, because.index);
    match step {
        FaultStep::NotRegistered => (fault.at, fault.asked) = (at, bytes),
        _ => fault.detail = Fault::completion_detail(because.syndrome, because.vendor, because.opcode),
    }
    fault
}

//! Where a queue is, and its words that are asked for one by one.

use core::marker::PhantomData;
use core::mem::offset_of;

use crate::state::QueueState;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::state::WorldState;

use super::sharing::{Shared, Sharing};

/// A queue that leads to one PE, by its place: where all kernels find it, or a block has it in its shared memory.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct QueueRef<S = Shared>(*mut QueueState, PhantomData<S>);

impl<S: Sharing> QueueRef<S> {
    /// The queue with this state.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is a queue of this world's table, whose memory stays mapped while kernels run, or a block's copy of
    ///   one in its shared memory, which has met since; who opens it has seen that it is published.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn at(at: *mut QueueState) -> Self {
        Self(at, PhantomData)
    }

    /// The word at this offset.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn word(self, offset: usize) -> *mut u64 {
        self.0.wrapping_byte_add(offset).cast()
    }

    /// Where this part is of what was set once.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn part(self, part: usize) -> *const ptx::V2 {
        self.0.cast::<ptx::V2>().wrapping_add(part).cast_const()
    }

    /// The queue itself, if this is a block's copy of it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn home(self) -> Option<QueueRef> {
        if !S::NEAR {
            return None;
        }
        // SAFETY: **live**: set when the copy was made.
        let home = unsafe { S::load(self.word(offset_of!(QueueState, home))) };
        Some(QueueRef(home as *mut QueueState, PhantomData))
    }

    /// Where all kernels and the host look: the queue itself.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn seen_by_all(self) -> QueueRef {
        self.home().unwrap_or(QueueRef(self.0, PhantomData))
    }

    /// Where its completion is.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn cqe(self) -> u64 {
        // SAFETY: **live**: set before the queue was published, and never changed.
        let [_, cqe] = unsafe { S::set_once(self.part(0)) };
        cqe
    }

    /// The world, as the queue has it: constant but for the size of the heap.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn world<'a>(self) -> &'a WorldState {
        // SAFETY: **live**: set before the queue was published, and there for as long as it; never changed.
        unsafe {
            let [_, world] = S::set_once(self.part(6));
            &*(world as *const WorldState)
        }
    }

    /// At least `done` blocks are complete, which this thread has seen.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn raise_done(self, done: u64) {
        if let Some(home) = self.home() {
            // SAFETY: **live**.
            unsafe { ptx::red_max_release_gpu_u64(home.word(offset_of!(QueueState, done)), done) }
        }
        // SAFETY: **live**.
        unsafe { S::raise_release(self.word(offset_of!(QueueState, done)), done) }
    }

    /// Blocks that were handed out.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn reserved(self) -> u64 {
        // SAFETY: **live**.
        unsafe { S::load(self.word(offset_of!(QueueState, reserved))) }
    }

    /// Blocks known to be complete; their effects are visible.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn done(self) -> u64 {
        // SAFETY: **live**.
        unsafe { S::load_acquire(self.word(offset_of!(QueueState, done))) }
    }

    /// What stopped it, as far as who posts on it knows.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn known_stopped(self) -> Option<Stopped> {
        // SAFETY: **live**.
        stopped(unsafe { S::load(self.word(offset_of!(QueueState, stopped))) })
    }

    /// What stopped it, if it has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stopped(self) -> Option<Stopped> {
        self.seen_by_all().known_stopped()
    }
}

/// What a word of a queue's state says.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn stopped(word: u64) -> Option<Stopped> {
    if word == 0 { None } else { Some(Stopped::from_word(word)) }
}

//! References to queues, and accesses to single words of a queue.

use core::marker::PhantomData;
use core::mem::offset_of;

use crate::state::QueueState;
use oxshmem_raw::gpu::ptx;
use oxshmem_raw::queue::stopped::Stopped;
use oxshmem_raw::state::WorldState;

use super::sharing::{Shared, Sharing};

/// A reference to the queue to one PE: the queue itself, or a block's copy in its shared memory.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct QueueRef<S = Shared>(*mut QueueState, PhantomData<S>);

impl<S: Sharing> QueueRef<S> {
    /// Returns the reference to the queue with this state.
    ///
    /// # Safety
    ///
    /// - **live**: `at` is a queue of this world's table, whose memory stays mapped while kernels run, or a block's
    ///   copy of one in its shared memory, after the block has met; the caller has seen that the queue's row is
    ///   published.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn at(at: *mut QueueState) -> Self {
        Self(at, PhantomData)
    }

    /// Returns the address of the word at this offset.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn word(self, offset: usize) -> *mut u64 {
        self.0.wrapping_byte_add(offset).cast()
    }

    /// Returns the address of a 16-byte part of the constants.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn part(self, part: usize) -> *const ptx::V2 {
        self.0.cast::<ptx::V2>().wrapping_add(part).cast_const()
    }

    /// Returns the queue itself, if this is a block's copy of it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn home(self) -> Option<QueueRef> {
        if !S::IN_SHARED_MEMORY {
            return None;
        }
        // SAFETY: **live** keeps the copy mapped; the word was set when the copy was made.
        let home = unsafe { S::load(self.word(offset_of!(QueueState, home))) };
        Some(QueueRef(home as *mut QueueState, PhantomData))
    }

    /// Returns the queue itself, which all kernels and the host read.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn seen_by_all(self) -> QueueRef {
        self.home().unwrap_or(QueueRef(self.0, PhantomData))
    }

    /// Returns the address of its completion entry.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn cqe(self) -> u64 {
        // SAFETY: **live** keeps the queue mapped; the field is set before the queue is published and never changes.
        let [_, cqe] = unsafe { S::set_once(self.part(0)) };
        cqe
    }

    /// Returns the copy of the world's state that the queue names. It is current except for the size of the heap.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn world<'a>(self) -> &'a WorldState {
        // SAFETY: **live**: the copy is written before the queue is published and stays mapped as long as the queue;
        // the queue's address of it never changes.
        unsafe {
            let [_, world] = S::set_once(self.part(6));
            &*(world as *const WorldState)
        }
    }

    /// Records that at least `done` blocks are complete, which this thread has observed.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn raise_done(self, done: u64) {
        if let Some(home) = self.home() {
            // SAFETY: **live** keeps the queue mapped, and this is one of its words.
            unsafe { ptx::red_max_release_gpu_u64(home.word(offset_of!(QueueState, done)), done) }
        }
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::raise_release(self.word(offset_of!(QueueState, done)), done) }
    }

    /// Returns the number of reserved blocks.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn reserved(self) -> u64 {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::load(self.word(offset_of!(QueueState, reserved))) }
    }

    /// Returns the number of blocks known to be complete; their effects are visible.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn done(self) -> u64 {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        unsafe { S::load_acquire(self.word(offset_of!(QueueState, done))) }
    }

    /// Returns the reason why it stopped, if its posting threads know of one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn known_stopped(self) -> Option<Stopped> {
        // SAFETY: **live** keeps the queue mapped, and this is one of its words.
        stopped(unsafe { S::load(self.word(offset_of!(QueueState, stopped))) })
    }

    /// Returns the reason why it stopped, if it has.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn stopped(self) -> Option<Stopped> {
        self.seen_by_all().known_stopped()
    }
}

/// Decodes the `stopped` word of a queue.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn stopped(word: u64) -> Option<Stopped> {
    if word == 0 { None } else { Some(Stopped::from_word(word)) }
}

//! Groups of threads that make one call together.

use crate::{Element, Width};

/// The extent of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One thread.
    Thread,
    /// The threads of one warp.
    Warp,
    /// The threads of one block.
    Block,
}

/// Threads that call together: every thread of the group makes the call, with the same arguments.
///
/// `Thread`, `Warp` and `Block` of `oxshmem-raw` implement it; a transport is written for any `Group`.
///
/// # Safety
///
/// Calls divide memory among the threads of a group by these answers, and pass it from one thread to another.
///
/// - **counted**: [`rank`](Group::rank) numbers the threads of the group from 0 to [`size`](Group::size) - 1, each by
///   another number, and neither changes during a call. One thread [leads](Group::leads).
/// - **alike**: [`scope`](Group::scope), [`size`](Group::size), [`any`](Group::any) and
///   [`broadcast_bits`](Group::broadcast_bits) answer alike on all threads. A
///   group has no more threads than its scope, and all of them are in one instance of it: in one warp, or in one block.
/// - **meets**: [`sync`](Group::sync), [`any`](Group::any) and [`broadcast_bits`](Group::broadcast_bits) return after all
///   threads of the group have called, and order memory as `sync` says.
#[expect(unsafe_code, reason = "a declaration: memory safety rests on the implementations")]
pub unsafe trait Group: Copy {
    /// The extent of this group.
    const SCOPE: Scope;
    /// Returns the extent of this group, for transfers by queues. A group whose extent is chosen while the program runs
    /// differs from [`SCOPE`](Group::SCOPE) here.
    #[inline(always)]
    fn scope(self) -> Scope {
        Self::SCOPE
    }
    /// Returns this thread's index in the group, from 0.
    fn rank(self) -> u32;
    /// Returns the number of threads in the group.
    fn size(self) -> u32;
    /// Waits until every thread of the group has arrived. Writes of each thread before the call are visible to all of
    /// them after it.
    fn sync(self);
    /// Waits at the start of a call until every thread of the group has come to it. Data that a thread wrote, or waited
    /// for, before its call is then part of the group's call. [`Met`] leaves the meeting out.
    #[inline(always)]
    fn begin(self) {
        self.sync();
    }
    /// Performs [`sync`](Group::sync), and returns whether `yes` is true on any thread.
    fn any(self, yes: bool) -> bool;
    /// Performs [`sync`](Group::sync), and returns whether `yes` is true on every thread.
    #[inline(always)]
    fn all(self, yes: bool) -> bool {
        !self.any(!yes)
    }
    /// Performs [`sync`](Group::sync), and returns the value of the thread that [leads](Group::leads) to every thread. The
    /// values of the others have no effect.
    #[inline(always)]
    fn broadcast<T: Element>(self, value: T) -> T {
        T::from_bits64(self.broadcast_bits(value.to_bits64(), T::WIDTH))
    }
    /// Performs [`broadcast`](Group::broadcast) for the bits of an element of this width.
    fn broadcast_bits(self, bits: u64, width: Width) -> u64;
    /// Reports whether this thread is the one that works on behalf of the whole group.
    #[inline(always)]
    fn leads(self) -> bool {
        self.rank() == 0
    }
}

/// A group whose threads have met since the last access of any of them to memory that the next call reads or writes. The
/// call does not meet at its start. If they have not, the call may send old data, or write memory that a thread still
/// reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met<G>(pub G);

// SAFETY: **counted**, **alike**, **meets**: those of `G`, to which every call goes but `begin`, which promises nothing.
#[expect(unsafe_code, reason = "it passes calls on to the group inside")]
unsafe impl<G: Group> Group for Met<G> {
    const SCOPE: Scope = G::SCOPE;

    #[inline(always)]
    fn scope(self) -> Scope {
        self.0.scope()
    }

    #[inline(always)]
    fn rank(self) -> u32 {
        self.0.rank()
    }

    #[inline(always)]
    fn size(self) -> u32 {
        self.0.size()
    }

    #[inline(always)]
    fn sync(self) {
        self.0.sync();
    }

    #[inline(always)]
    fn begin(self) {}

    #[inline(always)]
    fn any(self, yes: bool) -> bool {
        self.0.any(yes)
    }

    #[inline(always)]
    fn broadcast_bits(self, bits: u64, width: Width) -> u64 {
        self.0.broadcast_bits(bits, width)
    }

    #[inline(always)]
    fn leads(self) -> bool {
        self.0.leads()
    }
}

//! Groups of threads that make one call together.

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
pub trait Group: Copy {
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
    /// Performs [`sync`](Group::sync), and returns whether `yes` is true on any thread.
    fn any(self, yes: bool) -> bool;
    /// Reports whether this thread is the one that works on behalf of the whole group.
    #[inline(always)]
    fn leads(self) -> bool {
        self.rank() == 0
    }
}

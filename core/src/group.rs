//! Groups of threads that make one call together.

/// How far a group reaches.
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
/// Implemented by the layer that knows the machine; a transport is written for any `Group`.
pub trait Group: Copy {
    /// Which group this is.
    const SCOPE: Scope;
    /// This thread's number in the group, from 0.
    fn rank(self) -> u32;
    /// How many threads the group has.
    fn size(self) -> u32;
    /// Waits until every thread of the group has arrived; what each wrote before is visible to all after.
    fn sync(self);
    /// [`sync`](Group::sync), and whether `yes` is true on any thread.
    fn any(self, yes: bool) -> bool;
    /// Whether this thread does what one thread of the group must do.
    #[inline(always)]
    fn leads(self) -> bool {
        self.rank() == 0
    }
}

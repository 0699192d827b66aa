//! The end of a world.

use oxshmem_core::host::Result;

use super::World;

impl World {
    /// Ends the world in good order: waits for this PE's kernels and for every PE, then gives everything
    /// back. Collective. A program may make another world after it.
    ///
    /// # Errors
    /// A kernel reported a fault, or a PE did not come or died; everything of this PE is given back all the same.
    pub fn finalize(mut self) -> Result<()> {
        let finished = self.finish_own_work();
        // Before the others free what it is open to, and that they do behind the barrier.
        if finished.is_ok() {
            // SAFETY: **unused**: this PE's kernels have ended.
            unsafe { self.windows().close_peers() }
        }
        // A PE that goes first takes its memory away from kernels of the others that still run.
        let left = finished.and_then(|()| self.control.barrier("finalize"));
        self.over = left.is_ok();
        let control = self.control.clone();
        drop(self);
        left.and_then(|()| control.leave())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !self.over {
            // Now, and not when the last kernel has ended: the others wait for this PE to no purpose.
            self.control.fail("it ended its world without finalize");
        }
        // Memory must not go away under this PE's own kernels, and none of those that still run has anything
        // left to wait for.
        self.abort();
        let _ = self.quiesce();
        if !self.over {
            // SAFETY: **unused**: this PE's kernels have ended.
            unsafe { self.windows().abandon() }
        }
    }
}

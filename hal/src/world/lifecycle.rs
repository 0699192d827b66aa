//! The end of a world.

use oxshmem_core::host::Result;

use super::World;

impl World {
    /// Ends the world in good order: waits for this PE's kernels and for every PE, then gives everything
    /// back. Collective. A program may make another world after it.
    ///
    /// # Errors
    /// A kernel reported a fault, or a PE did not come or died; everything of this PE is given back all the same.
    pub fn finalize(self) -> Result<()> {
        let finished = self.finish_own_work();
        // A PE that goes first takes its memory away from kernels of the others that still run.
        let left = finished.and_then(|()| self.control.barrier("finalize"));
        let control = self.control.clone();
        drop(self);
        left.and_then(|()| control.leave())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Memory must not go away under this PE's own kernels. They end: each wait has a limit, and where there
        // is none the notice ends it.
        if self.config.wait_limit.is_none() {
            self.abort();
        }
        let _ = self.quiesce();
    }
}

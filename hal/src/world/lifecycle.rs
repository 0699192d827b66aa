//! The end of a world.

use oxshmem_core::host::Result;

use super::World;

impl World {
    /// Ends the world in good order: waits for this PE's kernels and for every PE, then frees everything. Collective. A
    /// program may make another world after it.
    ///
    /// # Errors
    /// A kernel reported a fault, or a PE did not arrive or died; this PE's resources are freed in any case.
    pub fn finalize(mut self) -> Result<()> {
        let finished = self.finish_own_work();
        // The others free their memory after the barrier, so this PE must close it before.
        if finished.is_ok() {
            // SAFETY: **unused**: this PE's kernels have ended, and no call on the world can follow.
            unsafe { self.windows().close_peers() }
        }
        // A PE that left first would free memory that kernels of the others still use.
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
            // At once, without waiting for the last kernel: the others would wait for this PE in vain.
            self.control.fail("it ended its world without finalize");
        }
        // The memory must outlive this PE's own kernels. They are stopped, because none of them has anything left to
        // wait for.
        self.abort();
        let _ = self.quiesce();
        if !self.over {
            // SAFETY: **unused**: this PE's kernels have ended, and no call on the world can follow.
            unsafe { self.windows().abandon() }
        }
    }
}

//! The end of a world.

use oxshmem_core::host::{Error, ErrorKind, Result};

use super::World;

impl World {
    /// Ends the world in good order: waits for this PE's kernels and for every PE, then frees everything. Collective. A
    /// program may create another world afterwards.
    ///
    /// # Errors
    /// A kernel reported a fault, or a PE did not arrive or died; this PE's resources are freed in any case.
    pub fn finalize(mut self) -> Result<()> {
        let finished = self.finish_own_work().map_err(|error| self.name_first_death(error));
        // The other PEs free their memory after the barrier, so this PE must unmap it before.
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

    /// Names the PE that died first, if one did: after it others end their worlds without waiting for each other, so that
    /// requests to them fail too.
    fn name_first_death(&self, error: Error) -> Error {
        match self.control.death() {
            Some((first, reason)) if error.pe() != Some(first) => Error::new(ErrorKind::PeerDied, "finalize")
                .because(format!("{first} died: {reason}; and {error}"))
                .about(first),
            _ => error,
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if !self.over {
            // Announced at once, without waiting for the last kernel: otherwise the others would wait for this PE until
            // their limit.
            self.control.fail("it ended its world without finalize");
        }
        // The memory must outlive this PE's own kernels. They are stopped, because no peer will answer their waits.
        self.abort();
        let _ = self.quiesce();
        if !self.over {
            // SAFETY: **unused**: this PE's kernels have ended, and no call on the world can follow.
            unsafe { self.windows().abandon() }
        }
    }
}

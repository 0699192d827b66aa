//! The world's remote paths, for kernels and for this PE's own threads. The number of a path is the index of its
//! transport among the world's transports; load/store is the first.

use oxshmem_core::host::Result;
use oxshmem_raw::memory::Memory;
use oxshmem_raw::memory::world_copy::WorldCopy;
use oxshmem_raw::queue::host_path::HostPaths;
use oxshmem_raw::state::WorldState;

use super::World;
use crate::host_queue::HostQueue;
use crate::transports;

/// Returns the copy of the state of a world with remote transports.
pub(super) fn copy(memory: &Memory, paths: &[usize], transports: usize) -> Result<Option<WorldCopy>> {
    if transports > 1 { WorldCopy::new(memory, paths).map(Some) } else { Ok(None) }
}

impl World {
    /// Adds the paths and the choice of a default row to a state.
    pub(super) fn set_paths(&self, state: &mut WorldState) {
        let Some(copy) = &self.copy else { return };
        copy.set_numbers(state);
        self.inner().rows.set(state);
        for number in self.remote_transports() {
            if let Some(one) = self.transport(number) {
                state.set_path(number, &one.path_view());
            }
        }
    }

    /// Returns whether operations may be on queues: whether the world has a remote path with queues.
    pub(super) fn has_queues(&self) -> bool {
        self.transports().skip(1).any(|one| one.path_view().queues != 0)
    }

    /// Returns the queues of this PE's own threads, for a PE on host threads.
    pub(super) fn host_queue(&self) -> HostQueue {
        let mut paths = HostPaths::default();
        for (number, name) in self.transports_used().iter().enumerate().skip(1) {
            paths.0[number - 1] = transports::host_path(name);
        }
        // SAFETY: **live**: the world ends after the work of its streams, so its memory is mapped meanwhile; each of
        // its remote paths is in `paths` at its number less 1.
        unsafe { HostQueue::new(self.state(), paths) }
    }
}

//! The kernels of the collectives on streams and on the host. `oxshmem-hal` loads them as the module
//! `oxshmem_collectives` at the first such call: on a GPU from its PTX, for host PEs from the program, which links them
//! by `use oxshmem_collectives as _;`.
//!
//! A collective has a kernel that moves data by packets, which also serves teams with remote members, and one that
//! moves it directly. Each block takes a share of the elements, with the slot of its own number. A kernel may be
//! launched before the preceding work of its stream has ended; the team's call waits for it
//! ([`dependent`](oxshmem_device::team::Team::dependent)).

#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx))]

mod copies;
mod maxloc;
mod reductions;

use oxshmem_device::team::{Lists, Way};
use oxshmem_device::{block_idx, block_share, grid_dim, kernel, launch_bounds, prelude::*};
use oxshmem_device::{copying_kernels, maxloc_kernels, reducing_kernels};

/// The largest blocks of the kernels that use packets. Those that reach all members by loads and stores fit in the 64 registers
/// that so many threads have; with remote paths they would keep a hundred values on the stack.
const PACKET_THREADS: u32 = if Shmem::HAS_REMOTE_PATHS || cfg!(feature = "checked") { 256 } else { 1024 };

/// Returns the largest blocks of the kernels of a way of the data.
const fn most_threads(way: Way) -> u32 {
    if matches!(way, Way::Packets) { PACKET_THREADS } else { 512 }
}

/// Returns the first element and the number of elements of this block's share of `count` elements of `width` bytes.
#[inline(always)]
fn share(count: usize, width: usize) -> (usize, usize) {
    block_share(count, width, block_idx()[0] as usize, grid_dim()[0] as usize)
}

kernel! {
    /// Performs a barrier of a team, by one block. `complete`: 1 completes earlier operations, 0 does not.
    pub fn team_barrier(shmem: Shmem, team: TeamHandle, complete: u32) -> Result<(), Fault> {
        let team = shmem.team(team).dependent();
        if complete == 1 { team.barrier(Block) } else { team.sync(Block) }
    }
}
launch_bounds!(team_barrier, threads = 256);

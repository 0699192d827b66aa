//! Reductions to the largest value and its index.

use super::*;

/// The bytes of an element: a value and an index.
const ELEMENT: usize = 16;

/// Defines the kernel of each type of values.
macro_rules! maxloc {
    ($($of:ident $type:ident: $name:ident;)*) => { $(
        kernel! {
            /// Finds the largest values of `count` elements, two words each, and their indices.
            pub fn $name(
                shmem: Shmem, team: TeamHandle, dest: SymPtr<u64>, source: SymPtr<u64>, count: usize,
            ) -> Result<(), Fault> {
                let (start, part) = share(count, ELEMENT);
                let team = shmem.team(team).slot(block_idx()[0]).dependent().share_of(count * ELEMENT);
                team.reduce_maxloc::<$type, u64, Block>(Block, dest.add(2 * start), source.add(2 * start), part)
            }
        }
        launch_bounds!($name, threads = PACKET_THREADS);
    )* };
}
maxloc_kernels!(maxloc);

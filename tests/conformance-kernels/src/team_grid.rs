//! Reductions to the largest value.

use crate::kernel;
use oxshmem_device::prelude::*;

use crate::place::{BLOCK, THREAD, WARP};

/// Defines the kernels of a type of values.
macro_rules! maxloc {
    ($($type:ty: $by_group:ident;)*) => { kernel! { $(
        /// Finds the largest values and their indices, `rounds` times in place after the first time, by a thread, a warp or a
        /// block.
        pub fn $by_group(
            shmem: Shmem, team: TeamHandle, scope: u32, dest: SymPtr<u64>, source: SymPtr<u64>, count: usize, rounds: usize,
        ) -> Result<(), Fault> {
            let (team, mut round) = (shmem.team(team), 0);
            while round < rounds {
                let from = if round == 0 { source } else { dest };
                match scope {
                    THREAD if thread_in_block() == 0 => team.reduce_maxloc::<$type, u64, Thread>(Thread, dest, from, count)?,
                    WARP if thread_in_block() < 32 => team.reduce_maxloc::<$type, u64, Warp>(Warp, dest, from, count)?,
                    BLOCK => team.reduce_maxloc::<$type, u64, Block>(Block, dest, from, count)?,
                    _ => {}
                }
                round += 1;
            }
            Ok(())
        }
    )* } };
}
maxloc! {
    f64: team_maxloc_f64;
    i32: team_maxloc_i32;
}

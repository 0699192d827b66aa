//! Messages between PEs while other blocks of the same kernels make collectives.

use oxshmem_device::prelude::*;

use crate::call::Mix;
use crate::collectives::{Sequence, sequence};
use crate::message::{Messages, PUT_QUIET_SIGNAL, in_last_warp, pass};
use crate::place::{PAD, block};

/// Payloads of a block that may be in flight at once.
pub const SLOTS: usize = 2;

/// Returns the bytes of one of the three areas of payloads: of arriving ones, of sent ones, and for gets.
pub const fn area(blocks: usize, most: usize) -> usize {
    SLOTS * blocks * (most + PAD)
}

kernel! {
    /// Blocks of even numbers make random collectives, each on the slot of its number; those of odd numbers pass
    /// payloads around the ring of all PEs, each in a way of its own. All check every byte that they receive.
    pub fn beside_block(
        shmem: Shmem, first_team: TeamHandle, second_team: TeamHandle, most: usize, memory: SymPtr<u8>,
        payloads: SymPtr<u8>, words: SymPtr<u64>, late_ns: u32, first: u64, rounds: u64, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        if block().is_multiple_of(2) {
            let teams = (first_team, second_team);
            let s = Sequence { teams, most, memory, late_ns, first, rounds, seed, record };
            return sequence(&shmem, block(), Block, Mix::ROOTED, s);
        }
        let how = (block() as u32 / 2) % (PUT_QUIET_SIGNAL + 1);
        let area = area(grid_dim()[0] as usize, most);
        let (inbox, outbox, scratch) = (payloads, payloads.add(area), payloads.add(2 * area));
        let m = Messages { how, most, slots: SLOTS, inbox, outbox, scratch, words, first, rounds, seed, record };
        pass(&shmem, block(), Block, (Block, true), (Warp, in_last_warp()), m)
    }
}
oxshmem_device::launch_bounds!(beside_block, threads = 256);

//! The kernels before and after a program's collectives on a stream. A block serves one call; the number of the replay
//! is in memory, so that a graph may repeat both.

use oxshmem_device::griddepcontrol_launch_dependents;
use oxshmem_device::prelude::*;

use crate::call::{Call, Mix, Room};
use crate::draw::bits;
use crate::place::block;
use crate::trial::{Trial, delay};

/// Returns this block's call of the program whose calls are numbered from `first` on. `memory` is the program's.
#[inline(always)]
fn trial(
    shmem: &Shmem,
    team: TeamHandle,
    (first, most): (usize, usize),
    (memory, round): (SymPtr<u8>, u64),
    seed: u64,
    record: SymPtr<u64>,
) -> Trial {
    let (room, group) = (Room { n: shmem.n_pes() as usize, most }, first + block());
    let call = Call::of(Mix::ALL, seed, group, 0, most);
    Trial { mix: Mix::ALL, call, room, memory: memory.add(block() * room.bytes()), team, seed, group, round, record }
}

kernel! {
    /// Begins the next replay of a program: writes the sources of its calls, after a delay by up to `late_ns` in one of
    /// `one_in` replays. Permits the next kernel of the stream to be placed before that; it must itself wait for the
    /// sources.
    pub fn replay_fill(
        shmem: Shmem, team: TeamHandle, first: usize, most: usize, memory: SymPtr<u8>, replays: SymPtr<u64>,
        late_ns: u32, one_in: u32, seed: u64, record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        griddepcontrol_launch_dependents();
        let word = shmem.local(replays.add(block()), 1);
        let round = word.read(0) + 1;
        Block.sync();
        if Block.leads() {
            word.write(0, round);
        }
        let draw = bits(bits(seed ^ shmem.my_pe().number() as u64) ^ bits((round << 24) ^ (first + block()) as u64));
        delay(Block, draw, one_in as usize, late_ns);
        Block.sync();
        trial(&shmem, team, (first, most), (memory, round), seed, record).fill(&shmem, Block);
        Ok(())
    }

    /// Ends a replay: checks the results of the program's calls.
    pub fn replay_check(
        shmem: Shmem, team: TeamHandle, first: usize, most: usize, memory: SymPtr<u8>, replays: SymPtr<u64>, seed: u64,
        record: SymPtr<u64>,
    ) -> Result<(), Fault> {
        let round = shmem.local(replays.add(block()), 1).read(0);
        trial(&shmem, team, (first, most), (memory, round), seed, record).check(&shmem, Block)
    }
}
oxshmem_device::launch_bounds!(replay_fill, threads = 256);
oxshmem_device::launch_bounds!(replay_check, threads = 256);

//! The options and the grids of the collectives on streams: the way of the data, and how many blocks and threads move it.

use oxshmem_core::Collective;
use oxshmem_core::host::Result;
use oxshmem_raw::state::collective::DataWay;

use crate::world::World;
use crate::world::teams::Team;

/// Packets are used if a member sends at most this many bytes more than it does directly, which takes the time of the
/// two meetings that packets save.
const MOST_BY_PACKETS: usize = 768 << 10;
/// The largest usual blocks of the kernels that use packets. Larger blocks, where the kernels allow them, are for data
/// of more than one unit for each thread of these.
const PACKET_THREADS: usize = 256;
/// The most rounds of packets of a block. A team with a payload of less than one unit for each thread of a warp has
/// several.
const MOST_ROUNDS: usize = 4;
/// The bytes that a thread moves by packets: one unit.
const UNIT: usize = 8;

/// The largest blocks of the kernels that move data directly, and the least bytes for which they have another thread.
const DIRECT_THREADS: usize = 512;
const DIRECT_BYTES: usize = 32;
/// Without packets `ENOUGH_BLOCKS` blocks keep the links busy. More blocks, each with meetings of its own, help if each
/// sends `BYTES_OF_MORE_BLOCKS` bytes or more. Reductions of more than two members read from several at a time: if a member
/// reduces more than `SMALL_PART` bytes, fewer blocks are faster (four H200s, 64 MiB: 356 us by 127 blocks, 326 by 32;
/// 4 MiB: 26 by 32, 25 by 64).
const ENOUGH_BLOCKS: usize = 64;
const BYTES_OF_MORE_BLOCKS: usize = 128 << 10;
const SMALL_PART: usize = 1 << 20;
const REDUCING_BLOCKS: usize = 32;

/// The grid of an all-to-all with a count for each pair, whose amount of data is unknown on the host.
const VARIED_BLOCKS: u32 = 16;
const VARIED_THREADS: u32 = 512;

/// How a collective moves its data. Every member passes the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Algorithm {
    /// As size and team suggest.
    #[default]
    Auto,
    /// Data and flags in one store: the shortest time for small data.
    Packets,
    /// The peers' own memory between two barriers: the highest rate.
    Direct,
}

/// How a collective runs on a stream. Every member passes the same values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectiveOptions {
    /// The way of the data between load/store members.
    pub algorithm: Algorithm,
    /// The largest number of blocks. `None`: as many as help, up to the team's slots.
    pub blocks: Option<u32>,
}

impl CollectiveOptions {
    /// Returns the options of a usual call.
    pub const fn new() -> Self {
        Self { algorithm: Algorithm::Auto, blocks: None }
    }

    /// Chooses the way of the data.
    pub const fn with_algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Limits the number of blocks.
    pub const fn with_blocks(mut self, blocks: u32) -> Self {
        self.blocks = Some(blocks);
        self
    }
}

impl Team<'_> {
    /// Returns the number of blocks and the threads of each that run a collective of the team on a stream. `bytes` is
    /// its size for each pair of members. An all-to-all with a count for each pair runs with other numbers.
    ///
    /// # Errors
    /// The kernels of collectives are missing.
    pub fn grid(&self, options: CollectiveOptions, collective: Collective, bytes: usize) -> Result<(u32, u32)> {
        Ok(self.world.grid_of(self, options, collective, bytes)?.0)
    }
}

impl World {
    /// Returns the grid as [`Team::grid`], and the way of the data.
    pub(super) fn grid_of(
        &self,
        team: &Team<'_>,
        options: CollectiveOptions,
        collective: Collective,
        bytes: usize,
    ) -> Result<((u32, u32), DataWay)> {
        let most_threads = self.packet_threads(team)? as usize;
        let most_blocks =
            |threads: usize| options.blocks.unwrap_or(u32::MAX).min(most_blocks(team, threads as u32)).max(1);
        let payload = team.handle().payload as usize;
        let one_unit = || one_unit_each(bytes, most_threads.min(payload / UNIT), most_blocks);
        let is_few_rounds = |grid: &(u32, u32)| bytes.div_ceil(grid.0 as usize) <= MOST_ROUNDS * payload;
        let n_pes = team.n_pes() as usize;
        let by_packets = match options.algorithm {
            // With remote members, the kernels of packets exchange operands through the areas.
            _ if !team.is_load_store() => is_reduction(collective).then(one_unit),
            Algorithm::Auto if bytes <= most_by_packets(n_pes, is_reduction(collective)) => {
                one_unit().filter(is_few_rounds).map(Some)
            }
            Algorithm::Packets => Some(one_unit()),
            _ => None,
        };
        Ok(match by_packets {
            // Threads with several units, and several rounds if need be.
            Some(grid) => (grid.unwrap_or((most_blocks(PACKET_THREADS), PACKET_THREADS as u32)), DataWay::Packets),
            None => (directly(bytes, n_pes, collective, most_blocks), DataWay::Direct),
        })
    }
}

fn is_reduction(collective: Collective) -> bool {
    use Collective::*;
    match collective {
        Broadcast | Fcollect | Alltoall | Alltoallv => false,
        Reduce | Reducescatter | ReduceHeld | ReduceMaxloc => true,
    }
}

/// Returns the largest size, in bytes for each pair of members, that goes by packets.
fn most_by_packets(n_pes: usize, is_reduction: bool) -> usize {
    let others = n_pes.saturating_sub(1).max(1);
    // Each member sends a copy to every other one; packets double its bytes. A direct reduction sends two of `n_pes`
    // parts to each.
    let more_bytes = if is_reduction { 2 * others * others / n_pes } else { others };
    MOST_BY_PACKETS / more_bytes.max(1)
}

/// Returns the smallest grid in which each thread has at most one unit: blocks and threads.
fn one_unit_each(bytes: usize, most_threads: usize, most_blocks: impl Fn(usize) -> u32) -> Option<(u32, u32)> {
    let units = bytes.div_ceil(UNIT).max(1);
    let mut threads = units.next_multiple_of(32).min(PACKET_THREADS).min(most_threads / 32 * 32).max(32);
    loop {
        let blocks = units.div_ceil(threads);
        if blocks <= most_blocks(threads) as usize {
            return Some((blocks as u32, threads as u32));
        }
        threads *= 2;
        if threads > most_threads {
            return None;
        }
    }
}

/// Returns the grid that moves data directly.
fn directly(bytes: usize, n_pes: usize, collective: Collective, most_blocks: impl Fn(usize) -> u32) -> (u32, u32) {
    let threads = bytes.div_ceil(DIRECT_BYTES).next_multiple_of(32).clamp(32, DIRECT_THREADS);
    let sent = bytes * n_pes.saturating_sub(1).max(1);
    let part = if collective == Collective::Reduce { bytes / n_pes.max(1) } else { bytes };
    let useful = match is_reduction(collective) && n_pes > 2 {
        true if part > SMALL_PART => REDUCING_BLOCKS,
        true => ENOUGH_BLOCKS,
        false => ENOUGH_BLOCKS.max(sent / BYTES_OF_MORE_BLOCKS),
    };
    let most = useful.min(most_blocks(threads) as usize);
    (bytes.div_ceil(DIRECT_BYTES * threads).clamp(1, most) as u32, threads as u32)
}

/// Returns the grid of an all-to-all with a count for each pair.
pub(super) fn varied(team: &Team<'_>, options: CollectiveOptions) -> (u32, u32) {
    let blocks = options.blocks.unwrap_or(VARIED_BLOCKS).min(most_blocks(team, VARIED_THREADS)).max(1);
    (blocks, VARIED_THREADS)
}

/// Returns the largest number of blocks of `threads` threads: each has a slot, and all are resident, because they wait
/// for other members' blocks.
fn most_blocks(team: &Team<'_>, threads: u32) -> u32 {
    team.slots().min(team.resident_blocks(threads))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: fn(usize) -> u32 = |_| 128;

    #[test]
    fn blocks_of_packets_grow_only_where_the_usual_ones_are_too_few() {
        let grid = |bytes, most_threads| one_unit_each(bytes, most_threads, SLOTS);
        assert_eq!(grid(0, 1024), Some((1, 32)));
        assert_eq!(grid(8, 1024), Some((1, 32)));
        assert_eq!(grid(64 << 10, 1024), Some((32, 256)));
        assert_eq!(grid(256 << 10, 1024), Some((128, 256)));
        assert_eq!(grid((256 << 10) + 1, 1024), Some((65, 512)));
        assert_eq!(grid(1 << 20, 1024), Some((128, 1024)));
        assert_eq!(grid((1 << 20) + 1, 1024), None);
        assert_eq!(grid(256 << 10, 256), Some((128, 256)));
        assert_eq!(grid((256 << 10) + 1, 256), None);
    }

    #[test]
    fn blocks_of_packets_are_no_larger_than_the_payload_of_a_slot() {
        assert_eq!(one_unit_each(32 << 10, 100, SLOTS), Some((43, 96)));
        assert_eq!(one_unit_each(64 << 10, 2, SLOTS), None);
    }

    #[test]
    fn with_more_members_fewer_bytes_go_by_packets() {
        assert_eq!([2, 4, 8].map(|n| most_by_packets(n, true) >> 10), [768, 192, 64]);
        assert_eq!([2, 4, 8].map(|n| most_by_packets(n, false) >> 10), [768, 256, 109]);
    }

    #[test]
    fn a_few_mebibytes_go_directly_by_a_block_for_each_of_the_first_64_slots() {
        for collective in [Collective::Reduce, Collective::Fcollect] {
            assert_eq!(directly(4 << 20, 2, collective, SLOTS), (64, 512));
            assert_eq!(directly(64 << 20, 2, collective, SLOTS), (128, 512));
            assert_eq!(directly(1, 2, collective, SLOTS), (1, 32));
        }
    }

    #[test]
    fn with_more_members_copies_have_more_blocks_and_large_reductions_fewer() {
        assert_eq!(directly(4 << 20, 4, Collective::Alltoall, SLOTS), (96, 512));
        assert_eq!(directly(4 << 20, 4, Collective::Reduce, SLOTS), (64, 512));
        assert_eq!(directly(4 << 20, 4, Collective::Reducescatter, SLOTS), (32, 512));
        assert_eq!(directly(64 << 20, 4, Collective::Reduce, SLOTS), (32, 512));
    }
}

//! Sorts keys that are spread over all PEs. PE 0 gets the smallest keys, the last PE the largest.
//!
//! 1. Each PE sorts its own keys, and takes samples of them at equal distances.
//! 2. An all-gather brings all samples to every PE. They give the splitters, the least key of each PE but the first.
//! 3. All-to-alls tell each PE how many keys it gets from each other one, and each sender where its keys belong.
//! 4. A kernel sends the keys by puts with signal on three queues in turn, and each PE sorts those that have arrived.
//!
//! ```sh
//! cargo run -p oxshmem-hal --example 05-sample-sort
//! cargo xtask run -n 2 -- 05-sample-sort
//! ```
//! (For GPUs, first: `cargo xtask ptx -p oxshmem-example-kernels -p oxshmem-collectives`.)

// The kernels of collectives.
use oxshmem_collectives as _;
use oxshmem_example_kernels::sample_sort::send_buckets;
use oxshmem_hal::{Config, Error, ErrorKind, Launch, Result, World};

/// Keys of each PE.
const N: usize = 20_000;

fn main() -> Result<()> {
    World::run(4, &Config::from_env()?, sort)?;
    Ok(())
}

/// Sorts the keys of all PEs, and compares the result on PE 0 with a serial sort.
fn sort(world: &World) -> Result<()> {
    let (me, n_pes) = (world.my_pe().number(), world.n_pes() as usize);
    let (team, qps) = (world.team_world()?, world.qps().create(3)?);
    // Samples at equal distances leave each PE with less than 2 * N keys, if keys differ.
    let (keys, inbox) = (world.alloc::<u64>(N)?, world.alloc::<u64>(2 * N)?);
    let (samples, all_samples) = (world.alloc::<u64>(n_pes)?, world.alloc::<u64>(n_pes * n_pes)?);
    let cuts = world.alloc::<u64>(n_pes + 1)?;
    let list = || world.alloc_zeroed::<u64>(n_pes);
    let (counts, incoming, starts, places, arrived) = (list()?, list()?, list()?, list()?, list()?);

    let mut mine = keys_of(me);
    mine.sort_unstable();
    world.write(keys, &mine)?;

    let distances: Vec<u64> = (0..n_pes).map(|i| mine[i * N / n_pes]).collect();
    world.write(samples, &distances)?;
    team.fcollect(all_samples, samples, ..)?;
    let mut all = world.read_vec(all_samples)?;
    all.sort_unstable();
    let splitters = (1..n_pes).map(|i| all[i * n_pes + n_pes / 2 - 1]);

    // Bucket i lies between cut i and cut i + 1.
    let mut ends = vec![0];
    ends.extend(splitters.map(|least| mine.partition_point(|&key| key < least) as u64));
    ends.push(N as u64);
    world.write(cuts, &ends)?;
    world.write(counts, &ends.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>())?;
    team.alltoall(incoming, counts, ..)?;

    // The buckets of the PEs follow one another in the inbox.
    let mut total = 0;
    let mut firsts = Vec::new();
    for count in world.read_vec(incoming)? {
        firsts.push(total);
        total += count;
    }
    world.write(starts, &firsts)?;
    team.alltoall(places, starts, ..)?;

    let (qp_a, qp_b, qp_c) = (qps[0], qps[1], qps[2]);
    let send = send_buckets { keys, inbox, cuts, places, arrived, qp_a, qp_b, qp_c };
    let stream = world.own_stream();
    stream.launch(Launch::new(1, 256).collective(), send)?;
    stream.synchronize()?;

    let sorted = inbox.try_range(..total as usize)?;
    let mut result = world.read_vec(sorted)?;
    result.sort_unstable();
    world.write(sorted, &result)?;
    // Tells PE 0 how many keys there are; it has no further use for the list.
    world.p(counts.try_at(0)?, total, world.my_pe())?;
    world.barrier_all()?;

    if me == 0 {
        let mut whole = Vec::new();
        for pe in world.pes() {
            let count = world.g(counts.try_at(0)?, pe)? as usize;
            println!("{pe} (on {}): {count} of {} keys", world.machine(), n_pes * N);
            whole.extend(world.get_vec(inbox.try_range(..count)?, pe)?);
        }
        let mut expected: Vec<u64> = (0..n_pes as u32).flat_map(keys_of).collect();
        expected.sort_unstable();
        if whole != expected {
            return Err(Error::new(ErrorKind::Mismatch, "sort").because("a serial sort gives other keys"));
        }
    }
    // The others' keys must stay until PE 0 has read them.
    world.barrier_all()?;
    world.qps().destroy(&qps)
}

/// Returns the keys of a PE: SplitMix64 from a seed of its own.
fn keys_of(pe: u32) -> Vec<u64> {
    let mut state = u64::from(pe) << 32;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    (0..N).map(|_| next()).collect()
}

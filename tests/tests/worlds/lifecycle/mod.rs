//! Worlds start, end, grow and coexist, and leave no resources.

mod coming;
mod descriptors;
mod ending;
mod growing;
mod left_behind;
mod side_by_side;

use oxshmem_hal::{Launch, Result, World};
use oxshmem_test_kernels as _;
use oxshmem_tests::worlds::Body;

pub(crate) const BODIES: &[Body] = &[
    ("hundred", left_behind::a_hundred_worlds),
    ("hundred over a NIC", left_behind::a_hundred_worlds_over_a_nic),
    ("survivor", left_behind::surviving_twenty_deaths),
    ("partner", left_behind::a_partner),
    ("one after the other", coming::one_after_the_other),
    ("ring", coming::one_ring),
    ("short", growing::short_of_descriptors),
    ("descriptors", descriptors::counted),
    ("exits", coming::threads_and_a_world_of_one),
];

const MIB: usize = 1 << 20;

/// Sends a block around the ring with a kernel and checks it, including the last byte of the allocation.
fn ring(world: &World, n: usize) -> Result<()> {
    ring_by(world, n, 64)
}

/// Does the same with a kernel of this many threads.
fn ring_by(world: &World, n: usize, threads: u32) -> Result<()> {
    let (block, inbox, flag) = (world.alloc::<f32>(n)?, world.alloc::<f32>(n)?, world.calloc::<u64>(1)?);
    let of = |pe: u32| (0..n).map(|i| pe as f32 * 1000.0 + i as f32).collect::<Vec<_>>();
    world.write(block, &of(world.my_pe().number()))?;
    world.barrier_all()?;
    let kernel = world.modules().load("oxshmem-test-kernels")?.kernel("ring")?;
    world.own_stream().launch_kernel(&kernel, Launch::new(1, threads).collective(), (block, inbox, flag))?;
    world.barrier_all()?;
    assert_eq!(world.read_vec(inbox)?, of(world.pe_after(world.n_pes() - 1).number()));
    world.free(flag)?;
    world.free(inbox)?;
    world.free(block)
}

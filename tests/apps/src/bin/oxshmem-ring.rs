//! The smallest program of several PEs: sends a block around the ring and prints the time of a round. Run it first on
//! a new machine: `cargo xtask run -n 2 -- oxshmem-ring`.

use std::time::Instant;

use oxshmem_hal::{Launch, Result, World};
use oxshmem_test_kernels::ring::ring;

const ELEMENTS: usize = 1 << 20;

fn main() -> Result<()> {
    let started = Instant::now();
    let world = World::init()?;
    let joined = started.elapsed();
    world.modules().load_of::<ring>()?;
    let (block, inbox, flag) = (world.alloc::<f32>(ELEMENTS)?, world.alloc::<f32>(ELEMENTS)?, world.calloc::<u64>(1)?);
    let me = world.my_pe().number();
    let value = |pe: u32, i: usize| (pe * 1000 + i as u32 % 997) as f32;
    world.write(block, &(0..ELEMENTS).map(|i| value(me, i)).collect::<Vec<_>>())?;
    world.barrier_all()?;
    let round = Instant::now();
    world.own_stream().launch(Launch::new(1, 256).collective(), ring { block, inbox, flag })?;
    world.barrier_all()?;
    let round = round.elapsed();
    let got = world.read_vec(inbox)?;
    let left = world.pe_after(world.n_pes() - 1).number();
    let wrong = got.iter().enumerate().filter(|&(i, &v)| v != value(left, i)).count();
    world.own_stream().barrier_all()?;
    world.own_stream().synchronize()?;
    println!(
        "PE {me} of {} on {}: {} MiB from PE {left} in {round:.2?}, {wrong} wrong; joined in {joined:.2?}",
        world.n_pes(),
        world.machine(),
        (ELEMENTS * 4) >> 20,
    );
    world.finalize()?;
    std::process::exit(i32::from(wrong > 0));
}

//! The smallest complete program: a Rust kernel moves data between PEs.

use oxshmem_hal::{Config, DeviceChoice, Launch, World};
use oxshmem_test_kernels::ring::ring;

#[test]
fn a_block_goes_around_the_ring_on_host_pes() {
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20);
    World::threads(3, &config, |world| {
        let n = 1000;
        let (block, inbox, flag) = (world.alloc::<f32>(n)?, world.alloc::<f32>(n)?, world.calloc::<u64>(1)?);
        let me = world.my_pe().number() as f32;
        let mine: Vec<f32> = (0..n).map(|i| me * 10_000.0 + i as f32).collect();
        world.write(block, &mine)?;
        world.own_stream().launch(Launch::new(1, 128).collective(), ring { block, inbox, flag })?;
        world.barrier_all()?;
        let got = world.read_vec(inbox)?;
        let left = world.pe_after(world.n_pes() - 1).number() as f32;
        assert!(got.iter().enumerate().all(|(i, &v)| v == left * 10_000.0 + i as f32));
        Ok(())
    })
    .unwrap();
}

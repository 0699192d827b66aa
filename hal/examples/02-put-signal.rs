//! A kernel sends data and a signal in one call; the receiver's kernel waits for the signal and continues to compute.
//! There is no barrier: each PE waits only for its one neighbour, inside the kernel.
//!
//! ```sh
//! cargo run -p oxshmem-hal --example 02-put-signal
//! cargo xtask run -n 2 -- 02-put-signal
//! ```

use oxshmem_example_kernels::put_signal::send_and_double;
use oxshmem_hal::{Config, Launch, Result, World};

/// Elements of a row.
const N: usize = 1000;

fn main() -> Result<()> {
    World::run(4, &Config::from_env()?, |world| {
        let me = world.my_pe().number();
        let (row, inbox, doubled) = (world.alloc::<f32>(N)?, world.alloc::<f32>(N)?, world.alloc::<f32>(N)?);
        // A signal is a word of symmetric memory. `calloc` zeroes it on every PE before it returns on any PE, so a fast
        // neighbour can't signal a word that is zeroed afterwards.
        let flag = world.calloc::<u64>(1)?;

        let value = |pe: u32, i: usize| (pe * 1000) as f32 + i as f32;
        let mine: Vec<f32> = (0..N).map(|i| value(me, i)).collect();
        world.write(row, &mine)?;

        // A kernel that waits for other PEs is launched collectively: all its blocks run at once, so the sending block
        // is never queued behind a waiting block.
        let stream = world.own_stream();
        stream.launch(Launch::new(1, 128).collective(), send_and_double { row, inbox, doubled, flag })?;
        // Waits for this PE's kernel only.
        stream.synchronize()?;

        let got = world.read_vec(doubled)?;
        let left = world.pe_after(world.n_pes() - 1);
        for (i, &element) in got.iter().enumerate() {
            assert_eq!(element, 2.0 * value(left.number(), i), "element {i}");
        }
        println!("PE {me} (on {}): the row from {left}, doubled: {} to {}", world.machine(), got[0], got[N - 1]);
        Ok(())
    })?;
    Ok(())
}

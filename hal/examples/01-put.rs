//! A kernel writes into another PE's memory.
//!
//! ```sh
//! cargo run -p oxshmem-hal --example 01-put    # 4 PEs as threads of this process
//! cargo xtask run -n 2 -- 01-put               # 2 processes, on GPUs if there are two
//! ```
//! (For GPUs, run `cargo xtask ptx` first: it compiles the kernels in `kernels/` to PTX.)

use oxshmem_example_kernels::put::put_row;
use oxshmem_hal::{Config, Launch, Result, World};

/// Elements of a row.
const N: usize = 1000;

fn main() -> Result<()> {
    // A PE ("processing element") is one GPU, or one group of host threads in place of a GPU. Under a launcher this
    // process is one PE; without one, it runs 4 PEs as threads. The closure runs on each PE.
    World::run(4, &Config::from_env()?, |world| {
        let me = world.my_pe().number();

        // Symmetric memory: every PE allocates the same amount, so one slice is valid on all of them.
        let row = world.alloc::<f32>(N)?;
        let inbox = world.alloc_zeroed::<f32>(N)?;

        // PE 1's row is 1000, 1001, 1002, ...
        let value = |pe: u32, i: usize| (pe * 1000) as f32 + i as f32;
        let mine: Vec<f32> = (0..N).map(|i| value(me, i)).collect();
        world.write(row, &mine)?;

        // One block of 128 threads puts the row into the right neighbour's inbox; no CPU is involved.
        world.own_stream().launch(Launch::new(1, 128), put_row { row, inbox })?;

        // After the barrier, every PE's kernel has ended and its puts have arrived.
        world.barrier_all()?;

        let got = world.read_vec(inbox)?;
        let left = world.pe_after(world.n_pes() - 1);
        for (i, &element) in got.iter().enumerate() {
            assert_eq!(element, value(left.number(), i), "element {i}");
        }
        println!("PE {me} (on {}): {N} elements from {left}, {} to {}", world.machine(), got[0], got[N - 1]);

        world.free(inbox)?;
        world.free(row)
    })?;
    Ok(())
}

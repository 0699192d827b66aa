//! Two queues: long and short messages that don't wait for each other. `quiet` completes only the queue that it names,
//! so the short messages complete without waiting for the long one.
//!
//! ```sh
//! cargo run -p oxshmem-hal --example 03-quiet-on-two-qps
//! cargo xtask run -n 2 -- 03-quiet-on-two-qps
//! ```

use oxshmem_example_kernels::two_queues::words_before_bulk;
use oxshmem_hal::{Config, Launch, QpHandle, Result, World};

/// Elements of the long message.
const N: usize = 1 << 18;
/// Elements of the short message.
const M: usize = 8;

fn main() -> Result<()> {
    World::run(4, &Config::from_env()?, |world| {
        let me = world.my_pe().number();
        // Queue pairs ("QPs") are the queues that a NIC serves. All PEs create the same ones, and each QP reaches every
        // PE.
        let qps = world.qps().create(2)?;
        let (bulk_qp, words_qp) = (qps[0], qps[1]);
        if me == 0 && qps == [QpHandle::DEFAULT; 2] {
            // Loads and stores have no queues; with a NIC in between, the same program uses two real ones.
            println!("every PE is reached by load and store (NVLink): both handles are the default queue");
        }

        let (bulk, bulk_in) = (world.alloc::<f32>(N)?, world.alloc::<f32>(N)?);
        let (words, words_in, early) = (world.alloc::<u64>(M)?, world.alloc::<u64>(M)?, world.alloc::<u64>(M)?);
        let flag = world.calloc::<u64>(1)?;
        world.write(bulk, &vec![me as f32; N])?;
        world.write(words, &[u64::from(me) + 100; M])?;

        let send = words_before_bulk { bulk, bulk_in, bulk_qp, words, words_in, early, words_qp, flag };
        let stream = world.own_stream();
        stream.launch(Launch::new(1, 256).collective(), send)?;
        stream.synchronize()?;

        // `early` holds the words that had arrived when the neighbour had completed only the short queue.
        let left = world.pe_after(world.n_pes() - 1);
        let (got_words, got_bulk) = (world.read_vec(early)?, world.read_vec(bulk_in)?);
        assert_eq!(got_words, [u64::from(left.number()) + 100; M]);
        assert!(got_bulk.iter().all(|&element| element == left.number() as f32));
        println!("PE {me} (on {}): {M} words from {left} first, then {N} elements", world.machine());

        world.qps().destroy(&qps)
    })?;
    Ok(())
}

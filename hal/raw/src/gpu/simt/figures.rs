//! Measures the speed of grids; checks nothing.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use std::time::Instant;

use super::tests::line;
use super::*;

/// `cargo test -p oxshmem-raw --features host simt -- --ignored --nocapture figures`
#[test]
#[ignore = "measures speed"]
fn figures() {
    let time = |what: &str, unit: &str, count: u64, body: &mut dyn FnMut()| {
        body();
        let begin = Instant::now();
        body();
        let ns = begin.elapsed().as_nanos() as f64;
        println!("{what:48} {:9.2} M {unit}/s {:8.1} ns each", count as f64 * 1e3 / ns, ns / count as f64);
    };
    let schedule = Schedule::default();
    let sum = AtomicU64::new(0);
    let go = |grid: &Grid, body: &dyn Fn()| _ = run(grid, &schedule, body).unwrap();
    time("threads with a trivial body", "threads", 4000 * 1024, &mut || {
        go(&line(4000, 1024), &|| sum.store(u64::from(thread_idx()[0]), Relaxed))
    });
    time("waits that find nothing, 64 threads", "polls", 64 * 20_000, &mut || {
        go(&line(1, 64), &|| {
            (0..20_000).for_each(|_| {
                progress_point();
                wait_point();
            })
        })
    });
    time("system-scope accesses, 1 in 16 yields", "accesses", 64 * 200_000, &mut || {
        go(&line(1, 64), &|| (0..200_000).for_each(|_| yield_point()))
    });
    for threads in [32, 1024] {
        time(&format!("block barrier, {threads} threads"), "arrivals", u64::from(threads) * 500, &mut || {
            go(&line(1, threads), &|| (0..500).for_each(|_| block_barrier(0)))
        });
    }
    time("warp shuffle, 1024 threads", "shuffles", 1024 * 500, &mut || {
        go(&line(1, 1024), &|| (0..500).for_each(|at| _ = warp_shuffle(u32::MAX, at, 0)))
    });
    time("one barrier a thread, 1000 blocks of 1024", "threads", 1000 * 1024, &mut || {
        go(&line(1000, 1024), &|| block_barrier(0))
    });
    for blocks in [1, 8, most_resident_threads() as u32 / 1024] {
        let begin = Instant::now();
        std::thread::spawn(move || {
            let begin = Instant::now();
            let grid = Grid { collective: true, ..line(blocks, 1024) };
            let arrived = AtomicU32::new(0);
            let stats = run(&grid, &Schedule::default(), &|| {
                arrived.fetch_add(1, Relaxed);
                while arrived.load(Relaxed) < blocks * 1024 {
                    wait_point();
                }
            });
            println!("{} threads suspended at once: {:?} {stats:?}", blocks * 1024, begin.elapsed());
        })
        .join()
        .unwrap();
        println!("  with the end of the OS thread: {:?}", begin.elapsed());
    }
}

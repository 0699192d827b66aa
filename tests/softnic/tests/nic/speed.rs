//! The number of WQEs that a NIC's thread executes in a second. Run it alone: `cargo test --release -p oxshmem-softnic
//! --test nic speed -- --ignored --nocapture`.

use std::time::Instant;

use crate::driver::*;
use oxshmem_softnic::Options;

/// Returns the processor time of the engine's thread, in seconds: the only fair clock on a machine with other users.
fn engine_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let engine = tasks
        .map(|task| task.path())
        .find(|task| std::fs::read_to_string(task.join("comm")).is_ok_and(|name| name.trim() == "softnic mlx5_0"));
    let stat = std::fs::read_to_string(engine.unwrap().join("schedstat")).unwrap();
    stat.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

#[test]
#[ignore = "measures"]
fn a_nic_executes_four_million_wqes_a_second() {
    let shape = Shape { log_depth: 14, ..Shape::default() };
    let mut pair = Pair::shaped(Options::default(), shape);
    let (lkey, rkey) = (pair.mr_a.lkey, pair.mr_b.rkey);
    for (what, inline) in [("8 bytes inline", true), ("8 bytes from memory", false)] {
        let rounds = 1024;
        // The driver's time is not included: the entries stay, except for their index.
        let (mut wall, ran) = (0.0, engine_seconds());
        for _ in 0..rounds {
            let mut last = 0;
            for i in 0..4096 {
                let flags = if i == 4095 { SIGNALLED } else { 0 };
                let payload = if inline { [1 << 31 | 8, 1, 2, 0] } else { data(8, lkey, 0) };
                last = pair.qa.write(&[ctrl(0, 8, flags), raddr(i * 8, rkey), payload]);
            }
            let began = Instant::now();
            pair.qa.ring();
            assert_eq!(pair.qa.wait(last), 0);
            wall += began.elapsed().as_secs_f64();
        }
        let millions = f64::from(rounds) * 4096.0 / 1e6;
        let rate = millions / (engine_seconds() - ran);
        println!(
            "{what}: {rate:.2} million WQEs in a second of the thread, {:.2} in a second of the clock",
            millions / wall
        );
        assert!(rate > 4.0 || cfg!(debug_assertions), "{rate}");
    }
    assert_eq!(pair.broken_rules(), [""; 0]);
}

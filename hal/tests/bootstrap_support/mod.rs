//! Worlds for the tests: PEs as threads, each with a connection of its own.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oxshmem_core::{Pe, Result};
use oxshmem_hal::bootstrap::{BootstrapConfig, FAN_OUT, RootAt, UniqueId};
use oxshmem_hal::control::Control;

/// Enough for every call that should succeed, even on a busy machine.
pub const LIMIT: Duration = Duration::from_secs(20);

/// Returns the configurations of the PEs of one world, indexed by PE.
pub fn configs(n_pes: u32, limit: Duration) -> Vec<BootstrapConfig> {
    let (id, listener) = UniqueId::listen(Ipv4Addr::LOCALHOST.into()).unwrap();
    let listener = Arc::new(listener);
    (0..n_pes)
        .map(|pe| BootstrapConfig {
            pe: Pe::new(pe),
            n_pes,
            root: RootAt::Id { id: id.clone(), listener: (pe == 0).then(|| listener.clone()) },
            limit: Some(limit),
            host: None,
        })
        .collect()
}

/// Connects all PEs concurrently and returns the results in the same order.
pub fn connect(configs: Vec<BootstrapConfig>) -> Vec<Result<Control>> {
    connect_in_tree(configs, FAN_OUT)
}

/// Connects all PEs as [`connect`], in a tree of this fan-out.
pub fn connect_in_tree(configs: Vec<BootstrapConfig>, fan_out: u32) -> Vec<Result<Control>> {
    let connect = |config: BootstrapConfig| std::thread::spawn(move || Control::connect_in_tree(&config, fan_out));
    let threads: Vec<_> = configs.into_iter().map(connect).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Creates a world over TCP in which each PE passes calls on for the next one: the deepest tree.
pub fn chain(n_pes: u32, limit: Duration) -> Vec<Control> {
    connect_in_tree(configs(n_pes, limit), 1).into_iter().map(Result::unwrap).collect()
}

/// Creates a world over TCP.
pub fn tcp(n_pes: u32, limit: Duration) -> Vec<Control> {
    connect(configs(n_pes, limit)).into_iter().map(Result::unwrap).collect()
}

/// Creates a world of each kind.
pub fn each_kind(n_pes: u32, limit: Duration) -> [Vec<Control>; 3] {
    [Control::in_process(n_pes, Some(limit)).unwrap(), tcp(n_pes, limit), chain(n_pes, limit)]
}

/// Runs `body` on every PE concurrently and returns the results, indexed by PE.
pub fn on_all<T: Send>(world: Vec<Control>, body: impl Fn(Control) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let body = &body;
        let threads: Vec<_> = world.into_iter().map(|control| scope.spawn(move || body(control))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Waits until `holds`, up to [`LIMIT`].
pub fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LIMIT, "{what}: not within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until the children of the root are connected to each other.
pub fn until_siblings_met(world: &[Control]) {
    eventually("siblings meet", || world.iter().all(Control::is_settled));
}

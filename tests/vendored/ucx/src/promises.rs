//! The provider keeps the promises of a fabric, over sockets and over shared memory.

use std::sync::Arc;

use oxshmem_kit::fabric::{CountingAllocator, Options, check};
use oxshmem_raw::settings::Settings;

use crate::provider::{LIMIT, TLS, Ucx};
use crate::ucp::library::Library;

/// Counts allocations, so that the kit can check that posting and polling make none.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The promise that UCX can't keep where the peer's poll executes requests.
const UNCHECKED: &str =
    "failure: a request to memory whose registration ended fails and stops its endpoint: request 2 succeeded";

/// Checks the promises over UCX's `transports`, and that no other check fails than `failed`. A peer that is gone is
/// noticed within 3 seconds.
fn keeps_every_promise(transports: &str, failed: &[&str]) {
    if let Err(error) = Library::get() {
        println!("skipped: {}", error.to_string().replace('\n', " "));
        return;
    }
    let mut settings = Settings::default();
    settings.set(&TLS, transports).unwrap();
    settings.set(&LIMIT, "3").unwrap();
    let report = check(move |_| Arc::new(Ucx::with(&settings)), &Options::default());
    assert_eq!(report.failed, failed);
    // This device states that it has no order, and that its PE must poll.
    let skipped = |name: &String| name.starts_with("order: ") || name.contains("a peer that makes no call is reached");
    assert!(report.skipped.iter().all(skipped), "{:?}", report.skipped);
}

#[test]
fn the_provider_keeps_every_promise_over_tcp() {
    keeps_every_promise("tcp", &[UNCHECKED]);
}

#[test]
fn the_provider_keeps_every_promise_over_shared_memory() {
    keeps_every_promise("sm", &[UNCHECKED]);
}

#[test]
#[ignore = "needs a ConnectX, which UCX_NET_DEVICES names"]
fn the_provider_keeps_every_promise_over_a_nic() {
    keeps_every_promise("rc_mlx5,ud_mlx5:aux", &[]);
}

//! The provider keeps the promises of a fabric, over the loopback.

use std::sync::Arc;

use oxshmem_kit::fabric::{CountingAllocator, Options, check};
use oxshmem_raw::settings::Settings;

use crate::libfabric::library::Library;
use crate::provider::{DOMAIN, LIMIT, LibFabric, PROVIDER};

/// Counts allocations, so that the kit can check that posting and polling make none.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_provider_keeps_every_promise_over_tcp() {
    if let Err(error) = Library::get() {
        println!("skipped: {}", error.to_string().replace('\n', " "));
        return;
    }
    let mut settings = Settings::default();
    // A peer that is gone is noticed within 3 seconds.
    for (variable, value) in [(&PROVIDER, "tcp"), (&DOMAIN, "lo"), (&LIMIT, "3")] {
        settings.set(variable, value).unwrap();
    }
    let report = check(move |_| Arc::new(LibFabric::with(&settings)), &Options::default());
    assert_eq!(report.failed, [""; 0]);
    // This device states that it has no order, and that its PE must poll.
    let skipped = |name: &String| name.starts_with("order: ") || name.contains("a peer that makes no call is reached");
    assert!(report.skipped.iter().all(skipped), "{:?}", report.skipped);
}

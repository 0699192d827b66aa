//! The provider keeps the promises of a fabric, over the loopback.

use std::sync::Arc;

use oxshmem_kit::fabric::{CountingAllocator, Options, check};
use oxshmem_raw::settings::Settings;

use crate::libfabric::library::Library;
use crate::provider::{ATOMICS, DOMAIN, LIMIT, LibFabric, PROVIDER};

/// Counts allocations, so that the kit can check that posting and polling make none.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Returns the settings of a PE over the loopback, whose atomics go by `way`. A peer that is gone is noticed within 3
/// seconds.
pub(crate) fn settings(way: &str) -> Settings {
    let mut settings = Settings::default();
    for (variable, value) in [(&PROVIDER, "tcp"), (&DOMAIN, "lo"), (&LIMIT, "3"), (&ATOMICS, way)] {
        settings.set(variable, value).unwrap();
    }
    settings
}

/// Reports whether libfabric is missing, so that a test can't run.
pub(crate) fn is_missing() -> bool {
    let missing = Library::get().err();
    if let Some(error) = &missing {
        println!("skipped: {}", error.to_string().replace('\n', " "));
    }
    missing.is_some()
}

fn keeps_every_promise(way: &str) {
    if is_missing() {
        return;
    }
    let settings = settings(way);
    let report = check(move |_| Arc::new(LibFabric::with(&settings)), &Options::default());
    assert_eq!(report.failed, [""; 0]);
    // This device states that it has no order, and that its PE must poll.
    let skipped = |name: &String| name.starts_with("order: ") || name.contains("a peer that makes no call is reached");
    assert!(report.skipped.iter().all(skipped), "{:?}", report.skipped);
}

#[test]
fn the_provider_keeps_every_promise_over_tcp() {
    keeps_every_promise("native");
}

#[test]
fn the_provider_keeps_every_promise_over_tcp_with_atomics_as_messages() {
    keeps_every_promise("messages");
}

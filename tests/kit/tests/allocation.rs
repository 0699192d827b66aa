//! Allocations are counted: verbs in software allocate in each poll, which the check finds.

use std::sync::Arc;

use oxshmem_kit::fabric::{CountingAllocator, Options, check};
use oxshmem_softrc::Network;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_provider_that_allocates_for_each_list_is_caught() {
    let network = Network::new(oxshmem_softrc::Options::default());
    let options = Options { only: Some("allocate nothing".into()), ..Options::default() };
    let report = check(move |pe| Arc::new(network.provider(pe.number())), &options);
    assert_eq!(report.failed.len(), 1, "{report:?}");
    assert!(report.failed[0].contains("allocations in 600 lists"), "{report:?}");
}

//! `ibdevx` over software NICs: it keeps the promises of a fabric in any order, and breaks no rule of the NIC.

use std::sync::Arc;
use std::time::Duration;

use oxshmem_kit::fabric::{self, check};
use oxshmem_rdma::hca::LinkLayer;
use oxshmem_rdma::ibdevx::Ibdevx;
use oxshmem_rdma::wire::WireParams;
use oxshmem_softnic::{Knobs, Options, Profile, Rule, SoftProvider};

/// Checks all promises over NICs with these options.
#[track_caller]
fn keeps(options: Options, blue_flame: bool) {
    // Requests of the checks fail in these ways.
    let broken_on_purpose = vec![Rule::RemoteKey, Rule::RemoteBounds];
    let nics = Arc::new(SoftProvider::new(Options { nics: 2, broken_on_purpose, ..options }).unwrap());
    let fabric = fabric::Options {
        time: Duration::from_millis(20),
        limit: Duration::from_secs(30),
        wire: WireParams { ack_timeout: 14, retry_count: 2, ..WireParams::default() },
        ..fabric::Options::default()
    };
    let provider = nics.clone();
    let report = check(move |_| Arc::new(Ibdevx::new(provider.clone()).with_blue_flame(blue_flame)), &fabric);
    assert_eq!(report.failed, [""; 0]);
    assert_eq!(report.skipped, [""; 0]);
    assert!(report.passed.len() > 20, "{:?}", report.passed);
    assert_eq!(nics.violations(), []);
}

#[test]
fn it_keeps_all_promises_in_order_and_in_any_order() {
    keeps(Options::default(), true);
    for seed in [3, 4] {
        keeps(Options { knobs: Knobs::from_seed(seed), ..Options::default() }, true);
    }
}

#[test]
fn it_keeps_all_promises_on_ethernet_and_by_plain_doorbells() {
    let options = Options { link: LinkLayer::Ethernet, profile: Profile::ConnectX6, ..Options::default() };
    keeps(options.clone(), false);
    keeps(Options { knobs: Knobs::from_seed(8), ..options }, false);
}

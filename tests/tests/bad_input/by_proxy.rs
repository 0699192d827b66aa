//! Worlds whose PEs reach each other by proxies.

use super::config;
use oxshmem_fakes::soft_verbs;
use oxshmem_hal::config::{HcaList, NicCount};
use oxshmem_hal::{Config, ErrorKind};

use super::{each, says};

/// Checks that both PEs are refused with this error before any resource is created.
#[track_caller]
fn refused(change: impl FnOnce(&mut Config), kind: ErrorKind, words: &[&str]) {
    let mut config = soft_verbs::by_proxy(config());
    change(&mut config);
    let outcomes = each(2, &config, |_| Ok(()));
    assert!(outcomes.iter().any(|outcome| outcome.as_ref().is_err_and(|error| error.kind() == kind)), "{outcomes:?}");
    for error in outcomes.into_iter().map(Result::unwrap_err) {
        // A PE with a usable device gets the reason of the other PE's device.
        words.iter().for_each(|word| assert!(error.to_string().contains(word), "`{word}` is not in: {error}"));
    }
}

#[test]
fn a_world_by_proxies_is_refused_on_every_pe_with_what_is_wrong_and_starts_when_it_is_put_right() {
    soft_verbs::install(1);
    let named = |list: &str| {
        let list = HcaList::parse(list).unwrap();
        move |config: &mut Config| config.nic.nics.hcas = list
    };
    refused(named("mlx5_9"), ErrorKind::NotFound, &["mlx5_9 of OXSHMEM_HCA_LIST", "this machine has soft"]);
    refused(named("soft0:2,soft1:2"), ErrorKind::NotFound, &["it has no port 2: it has 1"]);
    refused(|config| config.nic.nics.count = NicCount::Count(2), ErrorKind::Exhausted, &["2 NICs asked, 1 available"]);
    // Settings of the wire are refused where verbs devices are opened: `transport-ibrc/src/host/tests/choice.rs`.
    for (name, value, words) in [
        ("OXSHMEM_PROXY_THREADS", "65", &["OXSHMEM_PROXY_THREADS", "1 to 64"][..]),
        ("OXSHMEM_PROXY_RING_DEPTH", "100", &["OXSHMEM_PROXY_RING_DEPTH"]),
        ("OXSHMEM_IB_MTU", "1500", &["OXSHMEM_IB_MTU", "1500 bytes"]),
    ] {
        says(&config().with_setting(name, value).unwrap_err(), ErrorKind::OutOfRange, words);
    }
    let right = soft_verbs::by_proxy(config())
        .with_setting("OXSHMEM_PROXY_THREADS", "2")
        .and_then(|config| config.with_setting("OXSHMEM_PROXY_RING_DEPTH", "64"))
        .unwrap();
    for outcome in each(2, &right, |world| world.barrier_all()) {
        outcome.unwrap();
    }
    for outcome in each(2, &right, |world| world.qps().create(100).map(drop)) {
        says(
            &outcome.unwrap_err(),
            ErrorKind::Exhausted,
            &["100 queue pairs asked, 64 available", "OXSHMEM_SPARE_QPS"],
        );
    }
}

//! The NIC self test on software NICs: all of it passes, and each defect of a NIC is found and named.

use std::sync::Arc;

use oxshmem_kit::Report;
use oxshmem_kit::nic::SelfTest;
use oxshmem_rdma::hca::LinkLayer;
use oxshmem_softnic::{Defect, Fault, Knobs, Options, Profile, Rule, SoftProvider};
use oxshmem_transport_ibgda::host::IbgdaConfig;

/// Rules that the self test itself breaks, to see the NIC's answer.
const ON_PURPOSE: [Rule; 4] = [Rule::RemoteKey, Rule::RemoteAccess, Rule::RemoteBounds, Rule::LocalKey];

/// Runs the self test on a NIC with these options.
fn tested(laps: u32, options: Options) -> Report {
    let config = IbgdaConfig { depth: 256, ..SelfTest::default().config };
    let test = SelfTest { laps, config, ..SelfTest::default() };
    let options = Options { broken_on_purpose: ON_PURPOSE.to_vec(), ..options };
    let provider = Arc::new(SoftProvider::new(options).unwrap());
    let report = test.run(&*provider, |line| println!("{line}"));
    assert_eq!(provider.violations(), []);
    report
}

#[test]
fn every_check_passes_on_every_profile_and_both_wires() {
    for profile in [Profile::ConnectX6, Profile::ConnectX7, Profile::ConnectX8] {
        for link in [LinkLayer::InfiniBand, LinkLayer::Ethernet] {
            let Report { passed, failed, skipped, .. } = tested(3, Options { profile, link, ..Options::default() });
            assert_eq!(failed, [""; 0], "{profile:?} {link:?}");
            assert!(passed.len() > 40, "{passed:?}");
            assert!(skipped.iter().all(|line| line.contains("GPU memory")), "{skipped:?}");
        }
    }
}

/// The checks that must fail on a NIC with a defect, by a part of their lines, and a part of their advice.
const FOUND: &[(Defect, &[&str], &str)] = &[
    (Defect::Write, &["host memory: write by pointer", "host memory: put with a signal"], "byte 0 of 1: expected"),
    (Defect::Spill, &["host memory: write by pointer", "host memory: write from within"], "outside of what was meant"),
    (Defect::Read, &["host memory: read:", "host memory: dump", "verbs queue pair: reads at once"], "expected"),
    (Defect::Fetch, &["host memory: fetch-add of 8 bytes: fetch-add of 8 bytes, the old value"], "own memory at"),
    (Defect::Endian, &["host memory: masked atomics of 4 bytes"], "its bytes come in the other order"),
    (Defect::Order, &["host memory: put with a signal"], "when its signal was seen"),
    (Defect::Counter, &["host memory: index of 16 bits"], "counter of the completion behind entry 65"),
    (Defect::Keys, &["host memory: bad key"], "expected an error completion, found success"),
    (Defect::Syndrome, &["host memory: bad key", "host memory: beyond"], "found remote operation error (syndrome 0x14"),
    (Defect::State, &["host memory: bad key", "verbs queue pair: no right"], "expected state 6 (error), found state 3"),
    (Defect::Asked, &["QUERY_QP beside verbs: QUERY_QP, retry_count"], "expected 0x7, found 0x6"),
    (Defect::Twin, &["QUERY_QP beside verbs"], "found min_rnr_nak: 0xc by commands, 0xd by verbs;"),
    (
        Defect::Silent,
        &["host memory: nop", "verbs queue pair: nop"],
        "completion of entry 0: expected within 10s, found none",
    ),
];

#[test]
fn each_thing_that_a_nic_does_wrongly_fails_its_checks_with_what_was_expected_and_found() {
    assert_eq!(FOUND.len(), Defect::ALL.len());
    // At once, because most of them wait for completions that do not come.
    std::thread::scope(|threads| {
        for found in FOUND {
            threads.spawn(|| fails(found));
        }
    });
}

/// Asserts that a NIC with this defect fails these checks, one of them with these words.
fn fails((defect, checks, says): &(Defect, &[&str], &str)) {
    let options = Options { defects: (*defect).into(), ..Options::default() };
    let failed = tested(2, options).failed;
    for check in *checks {
        assert!(failed.iter().any(|line| line.contains(check)), "{defect:?}: no {check:?} in {failed:#?}");
    }
    assert!(failed.iter().any(|line| line.contains(says)), "{defect:?}: no {says:?} in {failed:#?}");
    // The advice follows the last semicolon.
    assert!(failed.iter().all(|line| line.contains("; ")), "{failed:#?}");
}

#[test]
fn an_error_that_comes_by_itself_is_told_in_words_and_the_checks_behind_it_go_on() {
    for (syndrome, words) in [(0x15, "transport retries exceeded"), (0x12, "remote invalid request"), (0x99, "unknown")]
    {
        let fault = Fault { qpn: None, wqe: 220, syndrome };
        let failed = tested(1, Options { faults: vec![fault], ..Options::default() }).failed;
        assert_eq!(failed.len(), 1, "{failed:#?}");
        let code = format!("(syndrome {syndrome:#04x}, the vendor's");
        assert!(failed[0].contains(words) && failed[0].contains(&code), "{failed:?}");
    }
}

#[test]
fn a_nic_that_does_everything_late_and_in_any_order_that_it_may_passes() {
    for seed in 1..=4 {
        let link = if seed % 2 == 0 { LinkLayer::InfiniBand } else { LinkLayer::Ethernet };
        let options = Options { knobs: Knobs::from_seed(seed), link, ..Options::default() };
        assert_eq!(tested(1, options).failed, [""; 0], "seed {seed}");
    }
}

#[test]
fn without_a_nic_nothing_is_tested_which_fails_where_one_was_expected() {
    let provider = SoftProvider::new(Options::default()).unwrap();
    provider.set_link("mlx5_0", false).unwrap();
    for least in [0, 1] {
        let report = SelfTest { least, ..SelfTest::default() }.run(&provider, |line| println!("{line}"));
        let Report { failed, skipped, .. } = &report;
        assert_eq!(failed.len(), least as usize, "{report:?}");
        assert!(skipped.contains(&"mlx5_0 port 1: all: it is down, not active".into()), "{report:?}");
        let (list, begin) =
            [(skipped, "active ports: none: nothing was tested"), (failed, "active ports")][least as usize];
        assert!(list.iter().any(|line| line.starts_with(begin)), "{report:?}");
    }
}

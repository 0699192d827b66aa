//! The self test of NICs on software ones: all of it passes, and each thing that a NIC does wrongly is found and named.

use std::sync::Arc;

use oxshmem_raw::hca::LinkLayer;
use oxshmem_softnic::{Fault, Knobs, Options, Profile, SoftProvider};
use oxshmem_transport_ibgda::host::IbgdaConfig;
use oxshmem_transport_ibgda::host::selftest::{SelfTest, Tally};

/// Runs the self test on a NIC that is made like this: its lines, and the counts.
fn tested(options: Options) -> (Vec<String>, Tally) {
    let test = SelfTest { config: IbgdaConfig { depth: 256, ..IbgdaConfig::default() }, ..SelfTest::default() };
    let provider = Arc::new(SoftProvider::new(options).unwrap());
    let mut lines = Vec::new();
    let tally = test.run(&*provider, &mut |line| {
        println!("{line}");
        lines.push(line.to_string());
    });
    (lines, tally)
}

#[test]
fn every_check_passes_on_every_profile_and_both_wires() {
    for profile in [Profile::ConnectX6, Profile::ConnectX7, Profile::ConnectX8] {
        for link in [LinkLayer::InfiniBand, LinkLayer::Ethernet] {
            let (lines, tally) = tested(Options { profile, link, ..Options::default() });
            assert_eq!(tally.failed, 0, "{profile:?} {link:?}");
            assert!(tally.passed > 40, "{tally}");
            let skipped: Vec<_> = lines.iter().filter(|line| line.starts_with("skipped")).collect();
            assert!(skipped.iter().all(|line| line.contains("GPU memory")), "{skipped:?}");
        }
    }
}

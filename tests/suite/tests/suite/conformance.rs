//! The conformance suite on host PEs. The tests run the program, so that its output and exit code are tested with it.

use std::process::{Command, Output};

fn suite(args: &[&str]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxshmem-conformance"));
    command.args(args).env_remove("OXSHMEM_PE").env_remove("OXSHMEM_N_PES");
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

fn closing(said: &str) -> &str {
    said.lines().last().unwrap_or_default()
}

#[test]
fn every_case_but_one_for_gpus_alone_holds_on_three_host_pes() {
    let (output, said) = suite(&["--pes", "3", "--rounds", "0.1"]);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(closing(&said).ends_with(" passed, 0 failed, 1 skipped"), "{said}");
}

#[test]
fn every_case_that_needs_no_loads_and_stores_holds_by_proxies_over_verbs_in_software() {
    let (output, said) = suite(&["--pes", "3", "--rounds", "0.05", "--soft-verbs"]);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(closing(&said).ends_with(" passed, 0 failed, 2 skipped"), "{said}");
}

#[test]
fn a_world_of_one_pe_skips_what_needs_two_and_says_so() {
    let (output, said) = suite(&["--pes", "1", "--rounds", "0.1", "order::of_two_pes"]);
    assert!(output.status.success(), "{said}");
    let name = "order::of_two_pes_that_write_quiet_and_read_one_sees_the_other";
    assert!(said.contains(&format!("skipped {name}: it needs 2 PEs, and the world has 1")), "{said}");
    assert_eq!(closing(&said), "0 passed, 0 failed, 1 skipped");
}

#[test]
fn a_list_of_what_would_run_is_that_and_no_more() {
    let (output, said) = suite(&["--list", "rma::a_put"]);
    assert!(output.status.success());
    assert_eq!(said.trim(), "rma::a_put_of_any_type_and_group_lands_where_it_was_sent_and_nowhere_else");
}

#[test]
fn every_name_is_a_sentence_of_its_own() {
    let mut names: Vec<&str> = oxshmem_conformance::cases().iter().map(|case| case.name).collect();
    let all = names.len();
    assert!(names.iter().all(|name| name.split("::").count() == 2 && name.matches('_').count() >= 3), "{names:?}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn a_repeat_runs_every_case_as_often_as_asked() {
    let (output, said) = suite(&["--pes", "2", "--repeat", "3", "--seed", "77", "heap::"]);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("seed 77"), "{said}");
    let heap = oxshmem_conformance::cases().iter().filter(|case| case.name.starts_with("heap::")).count();
    assert_eq!(closing(&said), format!("{} passed, 0 failed, 0 skipped", 3 * heap));
}

#[test]
fn a_run_that_did_not_use_the_expected_transport_fails_and_says_what_it_used() {
    let (output, said) = suite(&["--pes", "2", "--soft-verbs", "--expect-transport", "ibrc", "rma::a_put"]);
    assert!(output.status.success(), "{said}");
    assert_eq!(closing(&said), "2 passed, 0 failed, 0 skipped");
    for (by, why) in [
        (&["--soft-verbs"][..], "PE 1 is reached by ibrc, and tcp was expected"),
        (&[], "no PE is reached by tcp: load and store reach them all"),
    ] {
        let (output, said) = suite(&[&["--pes", "2", "--expect-transport", "tcp", "rma::a_put"], by].concat());
        assert!(!output.status.success() && said.contains(why), "{said}");
        assert_eq!(closing(&said), "1 passed, 1 failed, 0 skipped");
    }
}

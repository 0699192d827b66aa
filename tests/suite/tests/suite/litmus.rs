//! The litmus tests on host PEs, in few rounds. The tests run the program, so that its output and exit code are
//! tested with it.

use std::process::{Command, Output};

fn litmus(args: &[&str]) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxshmem-litmus"));
    command.args(args).env_remove("OXSHMEM_PE").env_remove("OXSHMEM_N_PES").env("OXSHMEM_DEVICE", "host");
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, said)
}

fn closing(said: &str) -> &str {
    said.lines().last().unwrap_or_default()
}

#[test]
fn every_ordering_holds_on_three_host_pes_one_of_which_has_no_partner() {
    let (output, said) = litmus(&["--pes", "3", "--rounds", "60", "--seed", "5"]);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.starts_with("litmus: 3 PEs on host threads, seed 5\n"), "{said}");
    let all = oxshmem_conformance::litmus::tests().len();
    assert!(said.contains("skipped write late, collective placed before: two streams: kernels of host PEs"), "{said}");
    assert_eq!(closing(&said), format!("{} passed, 0 failed, 1 skipped", all - 1));
}

#[test]
fn one_pe_alone_skips_what_two_race_for_and_says_so() {
    let (output, said) = litmus(&["--pes", "1", "--rounds", "40", "--only", "quiet, g"]);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("it needs 2 PEs, and the world has 1"), "{said}");
    assert_eq!(closing(&said), "0 passed, 0 failed, 4 skipped");
}

#[test]
fn a_test_that_goes_by_the_clock_ends_on_all_pes_alike() {
    let (output, said) = litmus(&["--pes", "2", "--seconds", "0.2", "--only", "p after p"]);
    assert!(output.status.success(), "{said}");
    assert_eq!(closing(&said), "1 passed, 0 failed, 0 skipped");
}

#[test]
fn every_test_has_a_name_of_its_own_and_the_list_is_of_them() {
    let (output, said) = litmus(&["--list"]);
    assert!(output.status.success());
    let mut names: Vec<&str> = said.lines().collect();
    assert_eq!(names.len(), oxshmem_conformance::litmus::tests().len());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), oxshmem_conformance::litmus::tests().len());
}

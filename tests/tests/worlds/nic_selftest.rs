//! The self test of NICs, as a program over unmodified libibverbs and libmlx5 with the software ConnectX under them.

use std::process::Command;

use oxshmem_fakes::under_verbs::{libraries, preloaded};
use oxshmem_raw::os::private::Scratch;

/// Rules that the self test breaks to see the NIC's answer.
const ON_PURPOSE: &str = "remote-key,remote-access,remote-bounds,local-key";

/// The outcome of a run.
struct Run {
    lines: Vec<String>,
    succeeded: bool,
    /// Rules that were broken by mistake.
    violations: String,
}

impl Run {
    fn failed(&self) -> Vec<&String> {
        self.lines.iter().filter(|line| line.starts_with("FAILED")).collect()
    }
}

/// Runs the program with these arguments on a NIC with these variables. `None` if this machine can't run it.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Option<Run> {
    let libraries = libraries(env!("CARGO_TARGET_TMPDIR"))?;
    let wire = Scratch::new("selftest").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_oxshmem-nic-selftest"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("OXSHMEM_")) {
        command.env_remove(name);
    }
    if !libraries.is_empty() {
        command.env("LD_LIBRARY_PATH", std::env::join_paths(libraries).unwrap());
    }
    command.env("LD_PRELOAD", preloaded()).env("OXSHMEM_SOFTNIC_WIRE", &*wire);
    command.env("OXSHMEM_SOFTNIC_ON_PURPOSE", ON_PURPOSE).envs(variables.iter().copied());
    let output = command.args(["--depth", "256"]).args(arguments).output().unwrap();
    let violations = std::fs::read_to_string(wire.join("violations")).unwrap_or_default();
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect();
    println!("{variables:?}\n{}\n{}", lines.join("\n"), String::from_utf8_lossy(&output.stderr));
    Some(Run { lines, succeeded: output.status.success(), violations })
}

#[test]
fn every_check_passes_on_every_profile_and_both_wires() {
    for profile in ["cx6", "cx7", "cx8"] {
        for link in ["ib", "roce"] {
            let Some(run) = run(&["mlx5_0:1"], &[("OXSHMEM_SOFTNIC_PROFILE", profile), ("OXSHMEM_SOFTNIC_LINK", link)])
            else {
                return;
            };
            assert_eq!(run.failed(), Vec::<&String>::new(), "{profile} {link}");
            assert!(run.succeeded && run.violations.is_empty(), "{}", run.violations);
            let skipped: Vec<_> = run.lines.iter().filter(|line| line.starts_with("skipped")).collect();
            assert!(skipped.iter().all(|line| line.contains("GPU memory")), "{skipped:?}");
            for check in
                ["QUERY_QP beside verbs", "host memory: index of 16 bits", "verbs queue pair: put with a signal"]
            {
                assert!(
                    run.lines.iter().any(|line| line.starts_with("ok mlx5_0 port 1") && line.contains(check)),
                    "{check}"
                );
            }
        }
    }
}

#[test]
fn what_a_nic_does_wrongly_fails_its_check_and_the_program() {
    for (defect, check, says) in [
        ("write", "host memory: write by pointer", "byte 0 of 1: expected"),
        ("spill", "verbs queue pair: write by pointer", "outside of what was meant"),
        ("counter", "host memory: index of 16 bits", "counter of the completion behind entry 65"),
        ("keys", "host memory: bad key", "expected an error completion, found success"),
        ("asked", "QUERY_QP beside verbs", "QUERY_QP, retry_count: expected 0x7, found 0x6"),
        ("twin", "QUERY_QP beside verbs", "found min_rnr_nak: 0xc by commands, 0xd by verbs;"),
    ] {
        let Some(run) = run(&["--laps", "2"], &[("OXSHMEM_SOFTNIC_DEFECT", defect)]) else { return };
        let failed = run.failed();
        assert!(!run.succeeded && !failed.is_empty(), "{defect}");
        assert!(failed.iter().any(|line| line.contains(check) && line.contains(says)), "{defect}: {failed:#?}");
        let counts = format!(" {} failed, ", failed.len());
        assert!(run.lines.last().unwrap().contains(&counts), "{:?}", run.lines.last());
    }
}

#[test]
fn an_error_completion_that_nobody_asked_for_is_decoded() {
    let fault = "qp=*,wqe=220,syndrome=0x15";
    let Some(run) = run(&["--laps", "1"], &[("OXSHMEM_SOFTNIC_FAULT", fault)]) else { return };
    let failed = run.failed();
    assert!(!run.succeeded && failed.len() == 1, "{failed:#?}");
    assert!(failed[0].contains("entry 220: expected success, found transport retries exceeded (syndrome 0x15"));
}

#[test]
fn a_nic_that_is_named_and_not_there_is_a_failure_and_one_that_nobody_named_is_not() {
    let Some(run_of_none) = run(&["mlx5_7"], &[]) else { return };
    let failed = run_of_none.failed();
    assert!(!run_of_none.succeeded && failed.len() == 1, "{failed:#?}");
    assert!(failed[0].contains("active ports: ports that were tested: expected 1 at least, found 0"), "{failed:?}");
    let nothing = run(&[], &[("OXSHMEM_SOFTNIC_ABSENT", "1")]).unwrap();
    assert!(nothing.succeeded && nothing.lines.iter().any(|line| line.contains("nothing was tested")));
    let closed = run(&[], &[("OXSHMEM_SOFTNIC_DENY", "open")]).unwrap();
    assert!(!closed.succeeded && closed.failed()[0].contains("Permission denied"), "{:?}", closed.failed());
}

//! `cargo oxshmem` in the folder of a program that depends on oxshmem by path.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the program as cargo runs a subcommand.
fn cargo_oxshmem(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-oxshmem"));
    // Cargo sets this for a program that it runs; a subcommand that was installed does not have it.
    command.env_remove("CARGO_MANIFEST_DIR").arg("oxshmem").args(args).current_dir(folder);
    command.output().unwrap()
}

fn heat() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("tests/vendored/heat")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_program_is_run_from_its_own_folder_with_its_own_ptx() {
    let output = cargo_oxshmem(&heat(), &["run", "-n", "1", "--", "sh", "-c", "echo $OXSHMEM_N_PES $OXSHMEM_PTX_PATH"]);
    assert!(output.status.success(), "{}", said(&output));
    let ptx = heat().join("target/ptx");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), format!("1 {}", ptx.display()));
}

#[test]
fn a_program_that_is_not_there_is_told_apart_from_those_of_the_program_and_of_the_checkout() {
    let output = cargo_oxshmem(&heat(), &["run", "--", "heta"]);
    let text = said(&output);
    assert!(!output.status.success() && text.contains("`heta`"), "{text}");
    assert!(text.contains("(heat, ") && text.contains("oxshmem-conformance"), "{text}");
}

#[test]
fn a_folder_without_a_program_is_an_error_that_says_what_to_do() {
    let output = cargo_oxshmem(Path::new("/"), &["ptx"]);
    let text = said(&output);
    assert!(!output.status.success() && text.contains("no Cargo.toml in / or above"), "{text}");
    assert!(text.contains("depends on oxshmem-hal or oxshmem-device"), "{text}");
}

#[test]
fn a_remedy_has_the_name_by_which_the_tasks_were_called() {
    let output = cargo_oxshmem(&heat(), &["run", "-n", "1", "--", "false"]);
    let text = said(&output);
    assert!(!output.status.success() && text.contains("cargo oxshmem run: PE 0 failed first"), "{text}");
}

//! Starts by an MPI communicator.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::programs::{build, build_by, command, end, folder};

/// Returns the launcher of Open MPI with its environment: the one that `cargo xtask test` unpacks, or the system's.
fn mpirun() -> Option<Command> {
    let root = folder().parent().unwrap().join("mpi/root");
    let unpacked = root.join("usr/bin/orterun");
    if !unpacked.is_file() {
        let found = Command::new("mpirun").arg("--version").stdout(Stdio::null()).status();
        return found.is_ok().then(|| command(Path::new("mpirun"), &[]));
    }
    let of = |folder: &str| root.join(folder).join(format!("{}-linux-gnu", std::env::consts::ARCH));
    let mut launcher = command(&unpacked, &[]);
    launcher.env("LD_LIBRARY_PATH", std::env::join_paths([of("usr/lib"), of("lib")]).unwrap());
    launcher.env("OPAL_PREFIX", root.join("usr")).env("PMIX_MCA_pcompress_base_silence_warning", "1");
    Some(launcher)
}

const ARGS: [&str; 6] = ["-n", "3", "--oversubscribe", "--bind-to", "none", "--allow-run-as-root"];

#[test]
fn without_a_loaded_mpi_library_the_start_says_so() {
    let program = build_by("cc", "mpi", "mpi", &["-ldl"]);
    let ended = end(command(&program, &["without"]).spawn().unwrap());
    assert_eq!(ended.status.code(), Some(3), "{}", ended.complained);
    assert!(ended.complained.contains("no MPI library is loaded in this process"), "{}", ended.complained);
}

#[test]
fn ranks_of_a_communicator_are_pes_whether_the_librarys_symbols_are_visible_or_hidden() {
    if mpirun().is_none() {
        println!("skipped: there is no mpirun (Open MPI); `cargo xtask mpi` fetches one");
        return;
    }
    let Some(mut mpirun_alone) = mpirun() else { return };
    mpirun_alone.args(ARGS).arg(build("basic"));
    let ended = end(mpirun_alone.spawn().unwrap());
    assert!(ended.status.success() && ended.said.contains("PE 2 of 3"), "by the launcher: {}", ended.complained);
    let program = build_by("cc", "mpi", "mpi-ranks", &["-ldl"]);
    for how in ["visible", "hidden"] {
        let Some(mut mpirun) = mpirun() else { return };
        mpirun.args(ARGS).arg(&program).arg(how);
        let ended = end(mpirun.spawn().unwrap());
        assert!(ended.status.success(), "{how}: {}", ended.complained);
        let mut said: Vec<&str> = ended.said.lines().collect();
        said.sort_unstable();
        assert_eq!(said, ["rank 0 of 3", "rank 1 of 3", "rank 2 of 3"], "{how}");
    }
}

#[test]
fn ranks_of_a_communicator_that_is_a_number_are_pes() {
    let program = build_by("cc", "numbers", "numbers", &["-rdynamic"]);
    let ended = end(command(&program, &[]).spawn().unwrap());
    assert!(ended.status.success() && ended.complained.is_empty(), "{}", ended.complained);
}

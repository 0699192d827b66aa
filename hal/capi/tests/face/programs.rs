//! Builds the programs of the tests, and runs each as the PEs of a world.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, Once, PoisonError};

use oxshmem_hal::Pe;
use oxshmem_hal::launcher::Launcher;

/// The end of one process.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) status: ExitStatus,
    pub(crate) said: String,
    pub(crate) complained: String,
}

/// Returns the shared object, which cargo builds beside the tests.
pub(crate) fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.with_file_name("liboxshmem_host.so")
}

/// Returns the folder of the programs, with the library under the name that they look for.
pub(crate) fn folder() -> &'static Path {
    static LINKED: Once = Once::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    LINKED.call_once(|| {
        let link = folder.join("libnvshmem_host.so.3");
        let _ = std::fs::remove_file(&link);
        symlink(library(), link).unwrap();
    });
    folder
}

/// Compiles a program with these options under another name, and returns its path.
pub(crate) fn build_by(compiler: &str, name: &str, called: &str, options: &[&str]) -> PathBuf {
    let program = folder().join(called);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    let mut cc = Command::new(compiler);
    cc.args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1"]).arg(&source);
    cc.arg("-o").arg(&program).arg(library()).args(options).arg(format!("-Wl,-rpath,{}", folder().display()));
    let built = cc.output().unwrap_or_else(|error| panic!("{compiler} can't be started: {error}"));
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    program
}

/// Compiles a program, once: no test may run it while another one writes it.
pub(crate) fn build(name: &'static str) -> PathBuf {
    static BUILT: Mutex<BTreeMap<&str, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    built.entry(name).or_insert_with(|| build_by("cc", name, name, &[])).clone()
}

/// Returns a command that runs a program on host PEs.
pub(crate) fn command(program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env("OXSHMEM_DEVICE", "host").env("OXSHMEM_SYMMETRIC_SIZE", "64M");
    command.env("OXSHMEM_WAIT_LIMIT", "30s").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program as `n` PEs.
pub(crate) fn run(program: &Path, n: u32, args: &[&str]) -> Vec<End> {
    let launcher = Launcher::new(n).unwrap();
    let start = |pe| {
        let mut command = command(program, args);
        launcher.prepare(Pe::new(pe), &mut command);
        command.spawn().unwrap()
    };
    let started: Vec<Child> = (0..n).map(start).collect();
    drop(launcher);
    started.into_iter().map(end).collect()
}

/// Waits for a process.
pub(crate) fn end(child: Child) -> End {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    End { status: output.status, said: text(output.stdout), complained: text(output.stderr) }
}

/// Runs a program as `n` PEs that must all succeed without a complaint, and returns their outputs.
pub(crate) fn run_well(name: &'static str, n: u32) -> Vec<String> {
    let ends = run(&build(name), n, &[]);
    for (pe, end) in ends.iter().enumerate() {
        assert!(end.status.success() && end.complained.is_empty(), "PE {pe} of {name}: {}", end.complained);
    }
    ends.into_iter().map(|end| end.said).collect()
}

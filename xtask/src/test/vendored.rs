//! Steps of programs and transports outside the workspace, each built and run in its own folder as users do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{CARGO_LIMIT, Counted, EXAMPLE_LIMIT, TIMES, counted_tests, counting, every_shape, left_out, succeeds};
use crate::libfabric;
use crate::place::{Place, target_dir};
use crate::run::Device;
use crate::shell;
use crate::steps::{Done, Step};

/// A program that uses the library from outside: its folder and its name.
const HEAT: (&str, &str) = ("tests/vendored/heat", "heat");
/// PEs of that program.
pub(super) const HEAT_PES: u32 = 3;

/// A transport over libfabric, posted by the CPU, and its programs.
const LIBFABRIC: &str = "tests/vendored/libfabric";
const OVER_LIBFABRIC: Over = Over { transport: "libfabric", program: "conformance" };
const JACOBI: &str = "jacobi";

/// The smallest transport, which authors copy.
const SKELETON: &str = "tests/vendored/skeleton";

/// A transport with a device half of its own, and its program.
const COURIER: &str = "tests/vendored/courier";
const OVER_COURIER: Over = Over { transport: "courier", program: "courier-conformance" };

/// Factor of the suite's rounds: each operation passes several threads, which share the machine's cores.
const ROUNDS: &str = "0.003";

/// Cases in which all PEs take part, for worlds of more than two PEs without `--full`: their threads share two cores.
const OF_MANY: [&str; 6] = ["rma::calls", "signal::", "order::", "barrier::", "reach::", "amo::tickets"];

/// Returns the steps of a checkout; with `full` every case in worlds of three and four PEs, and also PTX of the whole
/// suite for the transport with a device half.
pub(super) fn steps<'a>(place: &'a Place, root: &'a Path, full: bool) -> Vec<Step<'a>> {
    let mut steps = vec![
        Step::new("vendored: the program builds by itself", || build(root, HEAT.0, &shared_env(root))),
        Step::new("vendored: PTX of its kernels", || {
            succeeds(cargo_oxshmem(root)?.arg("ptx"), &root.join(HEAT.0), CARGO_LIMIT)
        }),
        Step::new(format!("vendored: {HEAT_PES} host PEs"), || heat(root, Device::Host)),
        Step::new("vendored: the skeleton of a transport keeps its promises", || {
            tests_of(root, SKELETON, shared_env(root))
        }),
        Step::new("vendored: libfabric, tests of the provider, and a killed PE is named", || libfabric_tests(root)),
    ];
    let every = every_shape(full);
    let of_many = if full { every } else { &OF_MANY[..] };
    for (n, cases) in [(2, every), (3, of_many), (4, of_many)] {
        let name = format!("vendored: libfabric, conformance, {n} PEs as processes");
        steps.push(Step::new(name, move || over_libfabric(place, root, n, cases)));
    }
    steps.extend([
        Step::new("vendored: libfabric, conformance, 2 nodes of 2 PEs", move || {
            over_libfabric(place, root, 4, &[&["--pes-per-node", "2"], of_many].concat())
        }),
        Step::new("vendored: libfabric, conformance, 2 PEs as processes, atomics as messages", || {
            by_messages(place, root)
        }),
        Step::new("vendored: libfabric, the demo, 4 PEs", || libfabric_demo(root)),
        Step::new("vendored: courier, builds by itself and passes its tests", || courier_tests(root)),
        Step::new("vendored: courier, PTX of the examples' kernels", || courier_ptx(root, "example-kernels")),
    ]);
    if full {
        steps.push(Step::new("vendored: courier, PTX of the suite's kernels", || courier_ptx(root, "kernels")));
    }
    let half = |part: &'static str| ["--part", if full { "1/1" } else { part }];
    for (n, part) in [(2, ["--part", "1/1"]), (3, half("1/2"))] {
        let name = format!("vendored: courier, conformance, {n} PEs as threads");
        steps.push(Step::new(name, move || {
            let n = n.to_string();
            let args = [&["--threads", &n, "--device", "host"], &part[..], every].concat();
            OVER_COURIER.suite(place, root, 1, None, &args, Vec::new())
        }));
    }
    let part = half("2/2");
    steps.push(Step::new("vendored: courier, conformance, 2 PEs as processes", move || {
        let args = [&part[..], every].concat();
        OVER_COURIER.suite(place, root, 2, Some(Device::Host), &args, Vec::new())
    }));
    steps
}

/// Returns the step of the program on GPUs.
pub(super) fn on_gpus(root: &Path) -> Step<'_> {
    Step::new(format!("vendored: {HEAT_PES} PEs on GPUs"), || heat(root, Device::Gpu))
}

/// Builds the programs of a folder.
fn build(root: &Path, folder: &str, env: &[(&str, OsString)]) -> Result<Done> {
    succeeds(
        shell::cargo().arg("build").args(["--workspace"]).envs(env.iter().cloned()),
        &root.join(folder),
        CARGO_LIMIT,
    )
}

/// Runs the program by `cargo oxshmem`, by its name.
fn heat(root: &Path, device: Device) -> Result<Done> {
    let mut run = cargo_oxshmem(root)?;
    run.args(["run", "-n", &HEAT_PES.to_string(), "--device", device.word(), "--", HEAT.1]);
    run.envs(shared_env(root));
    succeeds(&mut run, &root.join(HEAT.0), EXAMPLE_LIMIT)
}

/// Builds the subcommand, and returns the command as cargo starts it.
fn cargo_oxshmem(root: &Path) -> Result<Command> {
    const PROGRAM: &str = "cargo-oxshmem";
    let mut cargo = shell::cargo();
    cargo.args(["build", "--quiet", "--profile", "xtask", "--package", "xtask", "--bin", PROGRAM]).current_dir(root);
    shell::capture(&mut cargo)?;
    let mut command = Command::new(target_dir(root).join("xtask").join(PROGRAM));
    command.arg("oxshmem");
    Ok(command)
}

/// Returns the target folder of the transports, which have most crates in common.
fn shared_target(root: &Path) -> PathBuf {
    target_dir(root).join("vendored")
}

fn shared_env(root: &Path) -> Vec<(&'static str, OsString)> {
    vec![("CARGO_TARGET_DIR", shared_target(root).into_os_string())]
}

/// The suite over a transport.
struct Over {
    transport: &'static str,
    program: &'static str,
}

impl Over {
    fn suite(
        &self,
        place: &Place,
        root: &Path,
        n: u32,
        world: Option<Device>,
        args: &[&str],
        env: Vec<(&'static str, OsString)>,
    ) -> Result<Done> {
        let program = shared_target(root).join("debug").join(self.program).display().to_string();
        let args = [&["--expect-transport", self.transport, "--rounds", ROUNDS, TIMES], args].concat();
        let mut env = texts(env);
        env.push(("OXSHMEM_REMOTE_TRANSPORT".into(), self.transport.into()));
        if !args.contains(&"--pes-per-node") {
            env.push(("OXSHMEM_DISABLE_P2P".into(), "1".into()));
        }
        counting(place, &program, Counted { world, env, ..Counted::of(n, Device::Host, &args) })
    }
}

fn texts(env: Vec<(&'static str, OsString)>) -> Vec<(String, String)> {
    env.into_iter().map(|(name, value)| (name.into(), value.to_string_lossy().into_owned())).collect()
}

/// Runs the step with the variables by which libfabric is found. A missing library is a failure in CI alone.
fn with_libfabric(root: &Path, step: impl FnOnce(Vec<(&'static str, OsString)>) -> Result<Done>) -> Result<Done> {
    match libfabric::environment(root) {
        Ok(environment) => step(environment),
        Err(why) => Ok(left_out(format!("{why:#}"))),
    }
}

fn libfabric_tests(root: &Path) -> Result<Done> {
    with_libfabric(root, |mut env| {
        env.extend(shared_env(root));
        // The provider alone has only the features that it names. Its tests add features and need the programs, which
        // are therefore not built here, for all crates would then be compiled twice.
        let mut alone = shell::cargo();
        alone.args(["check", "--package", "oxshmem-libfabric"]).envs(env.iter().cloned());
        match succeeds(&mut alone, &root.join(LIBFABRIC), CARGO_LIMIT)? {
            Done::Passed => tests_of(root, LIBFABRIC, env),
            failed => Ok(failed),
        }
    })
}

/// Runs the tests of a folder.
fn tests_of(root: &Path, folder: &str, env: Vec<(&'static str, OsString)>) -> Result<Done> {
    let mut tests = shell::cargo();
    tests.args(["test", "--workspace", "--no-fail-fast", "--", "--show-output"]).envs(env);
    counted_tests(&root.join(folder), &tests, CARGO_LIMIT)
}

fn over_libfabric(place: &Place, root: &Path, n: u32, args: &[&str]) -> Result<Done> {
    with_libfabric(root, |env| OVER_LIBFABRIC.suite(place, root, n, Some(Device::Host), args, env))
}

/// Runs the cases in which atomics matter, without the provider's own atomics.
fn by_messages(place: &Place, root: &Path) -> Result<Done> {
    with_libfabric(root, |mut env| {
        env.push(("OXSHMEM_LIBFABRIC_ATOMICS", "messages".into()));
        OVER_LIBFABRIC.suite(place, root, 2, Some(Device::Host), &["amo::", "signal::", "order::", "host::"], env)
    })
}

fn libfabric_demo(root: &Path) -> Result<Done> {
    with_libfabric(root, |env| {
        let mut demo = cargo_oxshmem(root)?;
        demo.args(["run", "-n", "4", "--device", "host", "--"]).arg(shared_target(root).join("debug").join(JACOBI));
        demo.args(["--nx", "64", "-i", "60", "--no-picture"]).envs(env);
        demo.env("OXSHMEM_REMOTE_TRANSPORT", OVER_LIBFABRIC.transport).env("OXSHMEM_DISABLE_P2P", "1");
        succeeds(&mut demo, &root.join(LIBFABRIC), EXAMPLE_LIMIT)
    })
}

fn courier_tests(root: &Path) -> Result<Done> {
    match build(root, COURIER, &shared_env(root))? {
        Done::Passed => tests_of(root, COURIER, shared_env(root)),
        failed => Ok(failed),
    }
}

fn courier_ptx(root: &Path, kernels: &str) -> Result<Done> {
    let mut ptx = cargo_oxshmem(root)?;
    let manifest = format!("{kernels}/Cargo.toml");
    ptx.args(["ptx", "--manifest-path", &manifest, "--out"]).arg(shared_target(root).join("ptx"));
    succeeds(&mut ptx, &root.join(COURIER), CARGO_LIMIT)
}

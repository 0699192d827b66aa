//! Steps of programs and transports outside the workspace, each built and run in its own folder as users do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{CARGO_LIMIT, Counted, EXAMPLE_LIMIT, TIMES, counted_tests, counting, every_shape, left_out, succeeds};
use crate::fabrics::{self, Fabric};
use crate::place::{Place, target_dir};
use crate::run::nic::{Link, Options};
use crate::run::{Device, SoftNic};
use crate::shell;
use crate::steps::{Done, Step};

/// A program that uses the library from outside: its folder and its name.
const HEAT: (&str, &str) = ("tests/vendored/heat", "heat");
/// PEs of that program.
pub(super) const HEAT_PES: u32 = 3;

/// A transport over a library that posts from the CPU: its folder, its package, and its programs.
struct Provider {
    fabric: Fabric,
    folder: &'static str,
    package: &'static str,
    over: Over,
}

const LIBFABRIC: Provider = Provider {
    fabric: fabrics::LIBFABRIC,
    folder: "tests/vendored/libfabric",
    package: "oxshmem-libfabric",
    over: Over { transport: fabrics::LIBFABRIC.name, program: "conformance" },
};
const JACOBI: &str = "jacobi";

const UCX: Provider = Provider {
    fabric: fabrics::UCX,
    folder: "tests/vendored/ucx",
    package: "oxshmem-ucx",
    over: Over { transport: fabrics::UCX.name, program: "ucx-conformance" },
};

/// A run of the suite over a provider.
struct Run {
    of: &'static Provider,
    name: &'static str,
    n: u32,
    args: Vec<&'static str>,
    /// Variables of the PEs.
    env: &'static [(&'static str, &'static str)],
    /// The link of a software NIC that connects them, if any.
    link: Option<Link>,
}

impl Run {
    fn of(of: &'static Provider, name: &'static str, n: u32, args: &[&'static str]) -> Self {
        Self { of, name, n, args: args.to_vec(), env: &[], link: None }
    }
}

/// The smallest transport, which authors copy.
const SKELETON: &str = "tests/vendored/skeleton";

/// A transport with a device half of its own, and its program.
const COURIER: &str = "tests/vendored/courier";
const OVER_COURIER: Over = Over { transport: "courier", program: "courier-conformance" };

/// UCX's transports of NICs, each with the one that connects its endpoints.
const OVER_RC_MLX5: [(&str, &str); 2] = [("OXSHMEM_UCX_TLS", "rc_mlx5,ud_mlx5:aux"), UCX_NIC];
const OVER_DC_MLX5: [(&str, &str); 2] = [("OXSHMEM_UCX_TLS", "dc_mlx5,ud_mlx5:aux"), UCX_NIC];
const UCX_NIC: (&str, &str) = ("OXSHMEM_UCX_NET_DEVICES", "mlx5_0:1");

/// Factor of the suite's rounds: each operation passes several threads, which share the machine's cores.
const ROUNDS: &str = "0.003";

/// Cases in which atomics matter.
const OF_ATOMICS: [&str; 4] = ["amo::", "signal::", "order::", "host::"];

/// Cases of a provider's further transports: each kind of operation, and orders.
const OF_OPERATIONS: [&str; 5] =
    ["rma::a_nonblocking", "amo::tickets", "signal::", "order::a_flag_behind_a_fence_never", "order::of_two"];

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
    ];
    for of in [&LIBFABRIC, &UCX] {
        let name = format!("vendored: {}, tests of the provider, and a killed PE is named", of.fabric.name);
        steps.push(Step::new(name, move || provider_tests(root, of)));
    }
    steps.extend(runs(full).into_iter().map(|run| {
        let name = format!("vendored: {}, conformance, {}", run.of.fabric.name, run.name);
        Step::new(name, move || run.suite(place, root))
    }));
    steps.extend([
        Step::new("vendored: libfabric, the demo, 4 PEs", || libfabric_demo(root)),
        Step::new("vendored: courier, builds by itself and passes its tests", || courier_tests(root)),
        Step::new("vendored: courier, PTX of the examples' kernels", || courier_ptx(root, "example-kernels")),
    ]);
    if full {
        steps.push(Step::new("vendored: courier, PTX of the suite's kernels", || courier_ptx(root, "kernels")));
    }
    let every = every_shape(full);
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

/// Returns the runs of the suite over providers.
fn runs(full: bool) -> Vec<Run> {
    let every = every_shape(full);
    let of_many = if full { every } else { &OF_MANY[..] };
    let nodes = [&["--pes-per-node", "2"], of_many].concat();
    let messages = &[("OXSHMEM_LIBFABRIC_ATOMICS", "messages")];
    let by_messages = "2 PEs as processes, atomics as messages";
    let mut runs = vec![
        Run::of(&LIBFABRIC, "2 PEs as processes", 2, every),
        Run::of(&LIBFABRIC, "3 PEs as processes", 3, of_many),
        Run::of(&LIBFABRIC, "4 PEs as processes", 4, of_many),
        Run::of(&LIBFABRIC, "2 nodes of 2 PEs", 4, &nodes),
        Run { env: messages, ..Run::of(&LIBFABRIC, by_messages, 2, &OF_ATOMICS) },
    ];
    let part = ["--part", if full { "1/1" } else { "1/6" }];
    let over_tcp = Run::of(&UCX, "2 PEs as processes, over tcp", 2, &[&part[..], every].concat());
    let over = |name, env, link| Run { env, link, ..Run::of(&UCX, name, 2, &OF_OPERATIONS) };
    runs.extend([
        Run { env: &[("OXSHMEM_UCX_TLS", "tcp")], ..over_tcp },
        over("2 PEs as processes, over shared memory", &[("OXSHMEM_UCX_TLS", "sm")], None),
        over("2 PEs as processes, over rc_mlx5 and the software NIC", &OVER_RC_MLX5, Some(Link::Roce)),
        over("2 PEs as processes, over dc_mlx5 and the software NIC", &OVER_DC_MLX5, Some(Link::Ib)),
    ]);
    runs
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
        mut env: Vec<(String, String)>,
    ) -> Result<Done> {
        let program = shared_target(root).join("debug").join(self.program).display().to_string();
        let args = [&["--expect-transport", self.transport, "--rounds", ROUNDS, TIMES], args].concat();
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

impl Run {
    fn suite(&self, place: &Place, root: &Path) -> Result<Done> {
        with_fabric(root, &self.of.fabric, |mut env| {
            env.extend(self.env.iter().map(|(name, value)| (*name, value.into())));
            match self.link {
                None => self.start(place, root, env),
                Some(link) => self.start_with_nic(place, root, env, link),
            }
        })
    }

    fn start(&self, place: &Place, root: &Path, env: Vec<(&'static str, OsString)>) -> Result<Done> {
        self.of.over.suite(place, root, self.n, Some(Device::Host), &self.args, texts(env))
    }

    /// Runs the suite with a software NIC for each PE, whose rules must be kept.
    fn start_with_nic(
        &self,
        place: &Place,
        root: &Path,
        env: Vec<(&'static str, OsString)>,
        link: Link,
    ) -> Result<Done> {
        if let Err(why) = SoftNic::libraries(place) {
            return Ok(left_out(format!("{why:#}")));
        }
        let options = Options { nic_link: Some(link), ..Options::soft(0) };
        let wire = SoftNic::prepare(place, &options)?.context("no software NIC")?.wire()?;
        let mut env = texts(env);
        for (name, value) in wire.environment() {
            let value = value.to_string_lossy().into_owned();
            match env.iter_mut().find(|(known, _)| known == name) {
                // The NIC's libibverbs and libmlx5 are of one build.
                Some((_, paths)) if name == "LD_LIBRARY_PATH" => *paths = format!("{value}:{paths}"),
                Some(_) => {}
                None => env.push((name.clone(), value)),
            }
        }
        let done = self.of.over.suite(place, root, self.n, Some(Device::Host), &self.args, env)?;
        let broken = wire.violations();
        Ok(if broken.is_empty() { done } else { Done::Failed(format!("rules were broken:\n{}", broken.join("\n"))) })
    }
}

/// Runs the step with the variables by which a library is found. A missing library is a failure in CI alone.
fn with_fabric(
    root: &Path,
    fabric: &Fabric,
    step: impl FnOnce(Vec<(&'static str, OsString)>) -> Result<Done>,
) -> Result<Done> {
    match fabric.environment(root) {
        Ok(environment) => step(environment),
        Err(why) => Ok(left_out(format!("{why:#}"))),
    }
}

fn provider_tests(root: &Path, of: &Provider) -> Result<Done> {
    with_fabric(root, &of.fabric, |mut env| {
        env.extend(shared_env(root));
        // The provider alone has only the features that it names. Its tests add features and need the programs, which
        // are therefore not built here, for all crates would then be compiled twice.
        let mut alone = shell::cargo();
        alone.args(["check", "--package", of.package]).envs(env.iter().cloned());
        match succeeds(&mut alone, &root.join(of.folder), CARGO_LIMIT)? {
            Done::Passed => tests_of(root, of.folder, env),
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

fn libfabric_demo(root: &Path) -> Result<Done> {
    with_fabric(root, &LIBFABRIC.fabric, |env| {
        let mut demo = cargo_oxshmem(root)?;
        demo.args(["run", "-n", "4", "--device", "host", "--"]).arg(shared_target(root).join("debug").join(JACOBI));
        demo.args(["--nx", "64", "-i", "60", "--no-picture"]).envs(env);
        demo.env("OXSHMEM_REMOTE_TRANSPORT", LIBFABRIC.over.transport).env("OXSHMEM_DISABLE_P2P", "1");
        succeeds(&mut demo, &root.join(LIBFABRIC.folder), EXAMPLE_LIMIT)
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

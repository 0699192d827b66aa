//! Other people's verbs programs over libmlx5 and the software NIC: Debian's `ibverbs-utils`, `perftest` and UCX,
//! unmodified.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use oxshmem_raw::os::private::Scratch;

use super::left_out;
use crate::fetch::debian;
use crate::place::Place;
use crate::run::SoftNic;
use crate::run::nic::{Link, Options, Wire};
use crate::shell;
use crate::steps::{Count, Done, Step};

/// Time for both processes of a run. The longest takes a second on two idle cores.
const LIMIT: Duration = Duration::from_secs(30);

/// A seed by which completions, events and fetches are late, and messages are refused at first.
const SEED: u64 = 3;

/// Words that a run prints if it measured something.
const MEASURED: [&str; 3] = ["bytes in", "#bytes", "Final:"];

/// A run: link, program, and the arguments of both processes.
type Run = (Link, &'static str, &'static [&'static str]);

use Link::{Ib, Roce};

/// Programs of `ibverbs-utils`. `-c` compares the received data.
const PINGPONGS: &[Run] = &[
    (Roce, "ibv_rc_pingpong", &["-g", "0", "-c", "-n", "300"]),
    (Ib, "ibv_rc_pingpong", &["-c", "-n", "300"]),
    (Ib, "ibv_rc_pingpong", &["-g", "0", "-e", "-c", "-n", "300"]),
    // Messages of several packets of the wire.
    (Roce, "ibv_rc_pingpong", &["-g", "0", "-c", "-n", "50", "-s", "200000"]),
    (Roce, "ibv_srq_pingpong", &["-g", "0", "-c", "-n", "300"]),
    (Ib, "ibv_srq_pingpong", &["-e", "-c", "-n", "300"]),
    (Roce, "ibv_uc_pingpong", &["-g", "0", "-c", "-n", "300"]),
    (Ib, "ibv_uc_pingpong", &["-c", "-n", "300"]),
    (Roce, "ibv_ud_pingpong", &["-g", "0", "-c", "-n", "300", "-s", "1000"]),
    (Ib, "ibv_ud_pingpong", &["-c", "-n", "300"]),
];

/// Programs of `perftest`.
const BENCHMARKS: &[Run] = &[
    (Roce, "ib_write_bw", &["-F", "-n", "200"]),
    (Roce, "ib_write_lat", &["-F", "-n", "200"]),
    (Roce, "ib_read_bw", &["-F", "-n", "200"]),
    (Roce, "ib_read_lat", &["-F", "-n", "200"]),
    (Roce, "ib_send_bw", &["-F", "-n", "200"]),
    (Roce, "ib_send_lat", &["-F", "-n", "200"]),
    (Roce, "ib_atomic_bw", &["-F", "-n", "200", "-A", "FETCH_AND_ADD"]),
    (Ib, "ib_atomic_bw", &["-F", "-n", "200", "-A", "CMP_AND_SWAP"]),
    (Ib, "ib_write_bw", &["-F", "-n", "200", "-q", "4"]),
    (Ib, "ib_write_bw", &["-F", "-n", "200", "-s", "64", "-I", "64"]),
    (Ib, "ib_write_bw", &["-F", "-D", "1"]),
    (Ib, "ib_write_bw", &["-F", "-n", "200", "-b"]),
    (Ib, "ib_send_bw", &["-F", "-n", "200", "-e"]),
    (Ib, "ib_send_bw", &["-F", "-n", "200", "-c", "UC"]),
    (Ib, "ib_send_lat", &["-F", "-n", "200", "-c", "UD", "-s", "1024"]),
    (Ib, "ib_write_bw", &["-F", "-n", "200", "-c", "DC", "-q", "2"]),
    (Roce, "ib_send_lat", &["-F", "-n", "200", "-c", "DC"]),
    (Ib, "ib_atomic_bw", &["-F", "-n", "200", "-c", "DC"]),
];

/// UCX's transports, each with the one that connects its endpoints.
const TRANSPORTS: [&str; 5] =
    ["ud_verbs", "ud_mlx5", "rc_verbs,ud_verbs:aux", "rc_mlx5,ud_mlx5:aux", "dc_mlx5,ud_mlx5:aux"];

/// The benchmark of UCX, for each of its transports: tagged messages, put, get, atomics.
const UCX: &[Run] = &[
    (Roce, "ucx_perftest", &["-t", "tag_lat", "-s", "64", "-n", "200"]),
    (Ib, "ucx_perftest", &["-t", "tag_bw", "-s", "300000", "-n", "50"]),
    (Ib, "ucx_perftest", &["-t", "ucp_put_lat", "-s", "64", "-n", "200"]),
    (Roce, "ucx_perftest", &["-t", "ucp_get", "-s", "20000", "-n", "100"]),
    (Ib, "ucx_perftest", &["-t", "ucp_fadd", "-s", "8", "-n", "200"]),
    (Roce, "ucx_perftest", &["-t", "ucp_cswap", "-s", "4", "-n", "200"]),
];

/// Returns the steps.
pub(super) fn steps(place: &Place) -> Vec<Step<'_>> {
    if let Place::Packed(_) = place {
        let why = "the software NIC is built from sources, which a packed folder has not";
        return vec![Step::skipped("verbs programs over libmlx5 and the software NIC", why)];
    }
    vec![
        Step::new("programs of ibverbs-utils over libmlx5 and the software NIC", move || ibverbs_utils(place)),
        Step::new("programs of perftest over libmlx5 and the software NIC", move || perftest(place)),
        Step::new("programs of UCX over libmlx5 and the software NIC", move || ucx(place)),
    ]
}

fn ibverbs_utils(place: &Place) -> Result<Done> {
    let rdma = match SoftNic::libraries(place) {
        Ok(rdma) => rdma,
        Err(why) => return Ok(left_out(format!("{why:#}"))),
    };
    let folder = rdma.devinfo().parent().unwrap_or(Path::new("/usr/bin")).to_path_buf();
    if !shell::is_program(&folder.join("ibv_rc_pingpong")) {
        return Ok(left_out(format!("{} has no ibv_rc_pingpong, which ibverbs-utils has", folder.display())));
    }
    let all = Programs { place, folder, libraries: Vec::new(), env: Vec::new() };
    let mut tally = Tally::default();
    tally.add("ibv_asyncwatch".into(), all.watches_events());
    all.run(PINGPONGS, &mut tally);
    Ok(tally.done())
}

fn perftest(place: &Place) -> Result<Done> {
    if let Err(why) = SoftNic::libraries(place) {
        return Ok(left_out(format!("{why:#}")));
    }
    let (folder, libraries) = match benchmarks(place.checkout("test")?) {
        Ok(found) => found,
        Err(why) => return Ok(left_out(format!("{why:#}"))),
    };
    let mut tally = Tally::default();
    Programs { place, folder, libraries, env: Vec::new() }.run(BENCHMARKS, &mut tally);
    Ok(tally.done())
}

fn ucx(place: &Place) -> Result<Done> {
    let found = SoftNic::libraries(place).and_then(|_| debian::UCX.find(place.checkout("test")?));
    let found = match found {
        Ok(found) => found,
        Err(why) => return Ok(left_out(format!("{why:#}"))),
    };
    let modules = found.file("lib/ucx/libuct_ib.so.0")?.parent().context("a file without a folder")?.to_path_buf();
    let mut tally = Tally::default();
    for transports in TRANSPORTS {
        let env = vec![
            ("UCX_MODULE_DIR", modules.clone().into()),
            ("UCX_TLS", transports.into()),
            ("UCX_NET_DEVICES", "mlx5_0:1".into()),
        ];
        let (folder, libraries) = (found.root.join("usr/bin"), found.libraries.clone());
        Programs { place, folder, libraries, env }.run(UCX, &mut tally);
    }
    Ok(tally.done())
}

/// The outcomes of runs.
#[derive(Default)]
struct Tally {
    count: Count,
    failed: Vec<String>,
}

impl Tally {
    fn add(&mut self, name: String, done: Result<()>) {
        match done {
            Ok(()) => {
                println!("ok      {name}");
                self.count.passed += 1;
            }
            Err(why) => {
                println!("FAILED  {name}\n{why:#}");
                self.count.failed += 1;
                self.failed.push(name);
            }
        }
    }

    fn done(self) -> Done {
        Done::Counted(self.count, self.failed)
    }
}

/// Returns the folder of perftest's programs, the system's or fetched, and the folders of their libraries.
fn benchmarks(root: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    if let Some(program) = shell::on_path("ib_write_bw") {
        let folder = program.parent().context("a program without a folder")?;
        return Ok((folder.to_path_buf(), Vec::new()));
    }
    let found = debian::PERFTEST.find(root)?;
    Ok((found.root.join("usr/bin"), found.libraries))
}

/// Programs over the software NIC.
pub(super) struct Programs<'a> {
    pub(super) place: &'a Place,
    pub(super) folder: PathBuf,
    /// Folders of libraries besides those of `rdma`.
    pub(super) libraries: Vec<PathBuf>,
    /// Further variables.
    pub(super) env: Vec<(&'static str, OsString)>,
}

impl Programs<'_> {
    /// Runs all.
    fn run(&self, runs: &[Run], tally: &mut Tally) {
        let with: Vec<_> = self.env.iter().filter(|(name, _)| *name == "UCX_TLS").collect();
        for (link, program, args) in runs {
            let start = Instant::now();
            let done = self.pair(*link, program, args);
            let over: String = with.iter().map(|(_, value)| format!(", {}", value.to_string_lossy())).collect();
            let took = start.elapsed().as_secs_f64();
            tally.add(format!("{program} {} ({link:?}{over}, {took:.1} s)", args.join(" ")), done);
        }
    }

    /// Starts the wire of two processes. On RoCE the NIC uses its freedom.
    pub(super) fn wire(&self, link: Link) -> Result<Wire> {
        let seed = if link == Roce { SEED } else { 0 };
        let options = Options { nic_link: Some(link), ..Options::soft(seed) };
        SoftNic::prepare(self.place, &options)?.context("no software NIC")?.wire()
    }

    pub(super) fn command(&self, wire: &Wire, program: &str) -> Command {
        let mut command = Command::new(self.folder.join(program));
        for (name, value) in wire.environment() {
            let mut value = value.clone();
            if name == "LD_LIBRARY_PATH" && !self.libraries.is_empty() {
                let folders = std::env::split_paths(&value).chain(self.libraries.iter().cloned());
                // (The folders have been joined before, so that none has a colon.)
                value = std::env::join_paths(folders).unwrap_or(value);
            }
            command.env(name, value);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value))).stdin(Stdio::null());
        command
    }

    /// Runs a program as server and client, which must both end well and measure something.
    fn pair(&self, link: Link, program: &str, args: &[&str]) -> Result<()> {
        let wire = self.wire(link)?;
        let scratch = Scratch::new("verbs-programs")?;
        let port = TcpListener::bind("0.0.0.0:0")?.local_addr()?.port();
        let start = |who: &str, more: &[&str]| -> Result<(Running, PathBuf)> {
            let said = scratch.join(who);
            let mut command = self.command(&wire, program);
            command.args(args).args(["-p", &port.to_string()]).args(more);
            Ok((Running::start(command, &said)?, said))
        };
        let end = Instant::now() + LIMIT;
        let (mut server, server_said) = start("server", &[])?;
        while !listens(port)? && server.ended()?.is_none() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        let (mut client, client_said) = start("client", &["127.0.0.1"])?;
        let (client, server) = (client.wait_until(end)?, server.wait_until(end)?);
        let [client_said, server_said] =
            [client_said, server_said].map(|said| std::fs::read_to_string(said).unwrap_or_default());
        let broken = wire.violations();
        let measured = MEASURED.iter().any(|words| client_said.contains(words));
        let well = |status: Option<ExitStatus>| status.is_some_and(|status| status.success());
        if well(client) && well(server) && measured && broken.is_empty() {
            return Ok(());
        }
        let mut why = String::new();
        for (who, status, said) in [("server", server, server_said), ("client", client, client_said)] {
            let status = status.map_or("not over in time".to_string(), |status| status.to_string());
            let _ = writeln!(why, "  {who}: {status}\n{}", shell::tail(&said, 20));
        }
        if !measured {
            why.push_str("  the client measured nothing\n");
        }
        broken.iter().for_each(|rule| why.push_str(&format!("  {rule}\n")));
        bail!("{why}");
    }

    /// Starts the program that prints asynchronous events, and waits until it waits for one.
    fn watches_events(&self) -> Result<()> {
        let wire = self.wire(Ib)?;
        let scratch = Scratch::new("verbs-programs")?;
        let said = scratch.join("asyncwatch");
        // Into a file, it would print only when its buffer is full.
        let mut command = self.command(&wire, "ibv_asyncwatch");
        let program = std::mem::replace(&mut command, Command::new("stdbuf"));
        command.args(["-oL".as_ref(), program.get_program()]).stdin(Stdio::null());
        command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut running = Running::start(command, &said)?;
        let end = Instant::now() + LIMIT;
        loop {
            let text = std::fs::read_to_string(&said).unwrap_or_default();
            if text.contains("async event FD") {
                return Ok(());
            }
            if running.ended()?.is_some() || Instant::now() > end {
                bail!("it has not begun to wait:\n{}", shell::tail(&text, 20));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A process that ends with this value.
pub(super) struct Running(Child);

impl Running {
    pub(super) fn start(mut command: Command, said: &Path) -> Result<Self> {
        let file = File::create(said)?;
        command.stdout(file.try_clone()?).stderr(file);
        let typed = shell::typed(&command);
        Ok(Self(command.spawn().with_context(|| format!("cannot start `{typed}`"))?))
    }

    fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }

    /// Waits for the process until a time; `None` if it has not ended.
    pub(super) fn wait_until(&mut self, end: Instant) -> Result<Option<ExitStatus>> {
        while Instant::now() < end {
            if let Some(status) = self.ended()? {
                return Ok(Some(status));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(None)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns whether a process of this machine listens on a TCP port.
fn listens(port: u16) -> Result<bool> {
    /// The state in the kernel's table.
    const LISTENS: &str = "0A";
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| std::fs::read_to_string(table).unwrap_or_default());
    let own = format!(":{port:04X}");
    Ok(tables.iter().flat_map(|table| table.lines().skip(1)).any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let (local, state) = (words.next(), words.nth(1));
        local.is_some_and(|local| local.ends_with(&own)) && state == Some(LISTENS)
    }))
}

//! Worlds of processes for the tests: the test binary starts itself, once for each PE.
//!
//! A test binary has one entry for its PEs, which is not a test, and tables of bodies:
//!
//! ```ignore
//! const BODIES: &[Body] = &[("barriers", barriers)];
//!
//! #[test]
//! #[ignore = "process entry"]
//! fn enter() {
//!     worlds::enter(&[BODIES]);
//! }
//!
//! #[test]
//! fn a_world_of_processes_has_barriers() {
//!     Processes::start("barriers", 4, &[]).all_succeed();
//! }
//! ```
//!
//! `cargo xtask test` counts an entry neither as a test nor as skipped.
//!
//! No process outlives a test: every PE ends itself at [`DEADLINE`], and is killed when its [`Processes`] are dropped.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use oxshmem_hal::bootstrap::{BootstrapConfig, RootAt};
use oxshmem_hal::launcher::Launcher;
use oxshmem_hal::{Config, DeviceChoice, Pe};
use oxshmem_raw::os::private::Scratch;

/// The time after which a PE ends itself. Longer than any test takes on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// The name and the function of a PE's body.
pub type Body = (&'static str, fn());

const BODY: &str = "WORLDS_TEST_BODY";
const ENTRANCE: &str = "enter";
/// The beginning of a line on standard error that a PE sends to its test.
const SAYS: &str = "says: ";

/// Returns whether this process is a PE that [`Processes`] started.
pub fn is_started() -> bool {
    std::env::var_os(BODY).is_some()
}

/// Runs the body that the environment names. Does nothing in the process that the user started.
///
/// # Panics
/// The body panics, or no body has the name.
pub fn enter(tables: &[&[Body]]) {
    let Ok(name) = std::env::var(BODY) else { return };
    std::thread::spawn(|| {
        std::thread::sleep(DEADLINE);
        eprintln!("{SAYS}the deadline of {DEADLINE:?} has passed");
        std::process::exit(86);
    });
    let Some((_, body)) = tables.iter().copied().flatten().find(|(known, _)| *known == name) else {
        panic!("there is no body {name}");
    };
    body();
}

/// Sends a line to the test that started this PE, in one write, so that it stays whole.
pub fn say(line: impl std::fmt::Display) {
    let text = format!("{SAYS}{}\n", line.to_string().replace('\n', " / "));
    // The test may be gone; then the line is not needed.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Returns how this process joins a launcher's world of `n_pes` as `pe`.
///
/// # Panics
/// The launcher's socket can't be duplicated.
pub fn join_as(launcher: &Launcher, pe: u32, n_pes: u32) -> BootstrapConfig {
    let listener = (pe == 0).then(|| match launcher.listener().try_clone_to_owned() {
        Ok(socket) => Arc::new(TcpListener::from(socket)),
        Err(error) => panic!("duplicate the launcher's socket: {error}"),
    });
    let root = RootAt::Id { id: launcher.id().clone(), listener };
    BootstrapConfig { pe: Pe::new(pe), n_pes, root, limit: Some(DEADLINE / 2), host: None }
}

/// The memory of teams in [`config`]: little, so that teams have small slots and collectives several rounds.
pub const TEAM_BYTES: u64 = 128 << 10;

/// Returns the configuration for tests of faults: host PEs, 1 MiB of heap, and a limit that no wait should reach.
pub fn config() -> Config {
    let config = Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20).with_team_bytes(TEAM_BYTES);
    config.with_wait_limit(DEADLINE / 2)
}

/// The PEs of one world, as processes of this machine.
#[derive(Debug)]
pub struct Processes {
    pes: Vec<Process>,
    folder: Scratch,
}

#[derive(Debug)]
struct Process {
    child: Child,
    heard: Arc<Heard>,
    reader: Option<std::thread::JoinHandle<()>>,
}

/// The lines that a PE has written to its standard error.
#[derive(Debug, Default)]
struct Heard {
    lines: Mutex<Vec<String>>,
    came: Condvar,
}

/// The end of a PE's process.
#[derive(Debug)]
pub struct End {
    /// Its exit status.
    pub status: ExitStatus,
    /// The lines that it sent by [`say`], in order.
    pub said: Vec<String>,
    /// Everything that it wrote to standard error.
    pub stderr: String,
}

impl Processes {
    /// Starts `n_pes` processes of this binary with the body `name` and these variables.
    ///
    /// # Panics
    /// A process can't be started.
    pub fn start(name: &str, n_pes: u32, variables: &[(&str, &str)]) -> Self {
        let launcher = Launcher::new(n_pes).unwrap_or_else(|error| panic!("{error}"));
        Self::start_with(name, 0..n_pes, variables, |pe, command| launcher.prepare(Pe::new(pe), command))
    }

    /// Starts some of a world's PEs, whose meeting point `prepare` sets. The calls below count them from 0.
    ///
    /// # Panics
    /// A process can't be started.
    pub fn start_with(
        name: &str,
        pes: Range<u32>,
        variables: &[(&str, &str)],
        prepare: impl Fn(u32, &mut Command),
    ) -> Self {
        let folder = Scratch::new("worlds").unwrap_or_else(|error| panic!("{error}"));
        let mut world = Self { pes: Vec::new(), folder };
        for pe in pes {
            let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
            let mut command = Command::new(program);
            command.args(["--ignored", "--exact", ENTRANCE, "--nocapture", "--test-threads=1"]).env(BODY, name);
            // Files that PEs leave must be where the test looks.
            command.env("TMPDIR", &*world.folder).env("XDG_RUNTIME_DIR", &*world.folder);
            command.env("OXSHMEM_DEVICE", "host").env("OXSHMEM_SYMMETRIC_SIZE", "1M");
            command.env("OXSHMEM_TEAM_MEMORY", TEAM_BYTES.to_string());
            command.env_remove("RUST_BACKTRACE").envs(variables.iter().copied());
            prepare(pe, &mut command);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap_or_else(|error| panic!("{error}"));
            let heard: Arc<Heard> = Arc::default();
            let reader = child.stderr.take().map(|stderr| {
                let heard = heard.clone();
                std::thread::spawn(move || {
                    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                        lock(&heard.lines).push(line);
                        heard.came.notify_all();
                    }
                })
            });
            world.pes.push(Process { child, heard, reader });
        }
        world
    }

    /// Returns the temporary folder of the PEs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Waits until this PE has sent a line that begins with `begins`.
    ///
    /// # Panics
    /// The PE ends without it, or has not sent it within [`DEADLINE`].
    pub fn until_said(&mut self, pe: u32, begins: &str) {
        let process = &mut self.pes[pe as usize];
        let wanted = format!("{SAYS}{begins}");
        let start = Instant::now();
        loop {
            // Checked before the lines, so that the last lines are seen.
            let ended = process.child.try_wait().unwrap_or(None).is_some();
            let lines = lock(&process.heard.lines);
            if lines.iter().any(|line| line.starts_with(&wanted)) {
                return;
            }
            assert!(!ended || process.reader.as_ref().is_some_and(|r| !r.is_finished()), "PE {pe} ended: {lines:#?}");
            assert!(start.elapsed() < DEADLINE, "PE {pe} has not said {begins}: {lines:#?}");
            drop(process.heard.came.wait_timeout(lines, Duration::from_millis(20)));
        }
    }

    /// Kills a PE as the system would, without a chance to react.
    ///
    /// # Panics
    /// The PE has ended already.
    pub fn kill(&mut self, pe: u32) {
        let child = &mut self.pes[pe as usize].child;
        assert!(matches!(child.try_wait(), Ok(None)), "PE {pe} has ended by itself");
        // Its launcher reaps a PE that has ended. Until then the kernel reports a process that is there.
        let killed = child.kill().and_then(|()| child.wait());
        killed.unwrap_or_else(|error| panic!("kill PE {pe}: {error}"));
    }

    /// Waits for all PEs to end, and returns their ends by PE.
    ///
    /// # Panics
    /// A PE has not ended within [`DEADLINE`], or a process or a file is left behind.
    pub fn ends(mut self) -> Vec<End> {
        let start = Instant::now();
        let mut ends = Vec::new();
        for (pe, process) in self.pes.iter_mut().enumerate() {
            let status = loop {
                if let Some(status) = process.child.try_wait().unwrap_or_else(|error| panic!("PE {pe}: {error}")) {
                    break status;
                }
                let heard = lock(&process.heard.lines).join("\n");
                assert!(start.elapsed() < DEADLINE, "PE {pe} has not ended within {DEADLINE:?}: {heard}");
                std::thread::sleep(Duration::from_millis(2));
            };
            // Standard error stays open if the PE left a process behind.
            if let Some(reader) = process.reader.take() {
                while !reader.is_finished() {
                    assert!(start.elapsed() < DEADLINE, "PE {pe} left a process behind");
                    std::thread::sleep(Duration::from_millis(2));
                }
                let _ = reader.join();
            }
            let lines = lock(&process.heard.lines);
            let said = lines.iter().filter_map(|line| line.strip_prefix(SAYS).map(str::to_owned)).collect();
            ends.push(End { status, said, stderr: lines.join("\n") });
        }
        let left: Vec<_> = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|f| f.path()).collect();
        assert!(left.iter().all(|path| is_empty_folder(path)), "left behind: {left:?}");
        ends
    }

    /// Waits for all PEs to end well, and returns the lines that each sent.
    ///
    /// # Panics
    /// A PE fails; and as [`ends`](Self::ends).
    pub fn all_succeed(self) -> Vec<Vec<String>> {
        let ends = self.ends();
        for (pe, end) in ends.iter().enumerate() {
            assert!(end.status.success(), "PE {pe} ended with {}:\n{}", end.status, end.stderr);
        }
        ends.into_iter().map(|end| end.said).collect()
    }
}

impl End {
    /// Returns whether it was killed.
    pub fn was_killed(&self) -> bool {
        self.status.signal() == Some(9)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for process in &mut self.pes {
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Reports whether the path is an empty folder: a folder of the user's own, for files that come and go, may stay.
fn is_empty_folder(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut inside| inside.next().is_none())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

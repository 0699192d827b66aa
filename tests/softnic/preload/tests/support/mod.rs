//! Paths of the tests, and programs run with a limit.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Limit of a program's run.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the shared object, which cargo builds beside the test.
pub(crate) fn preloaded() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let name = "liboxshmem_softnic_preload.so";
    let places = [test.with_file_name(name), test.parent().unwrap().with_file_name(name)];
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| panic!("no {name} beside {}", test.display()))
}

/// Returns an empty folder of this test.
pub(crate) fn private_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("preload-{name}-{}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    folder
}

/// The userspace libraries of InfiniBand.
pub(crate) struct Rdma {
    root: PathBuf,
    libraries: Vec<PathBuf>,
}

impl Rdma {
    /// Finds the system's, or those that `cargo xtask rdma` unpacked. Prints a message if there are none.
    pub(crate) fn find() -> Option<Self> {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let found = [PathBuf::from("/"), target.join("rdma/root")].into_iter().find_map(Self::of);
        if found.is_none() {
            eprintln!("skipped: no libibverbs and libmlx5 with headers here; `cargo xtask rdma` fetches them");
        }
        found
    }

    fn of(root: PathBuf) -> Option<Self> {
        let arch = std::env::consts::ARCH;
        let names = ["usr/lib", "lib"].map(|above| root.join(above).join(format!("{arch}-linux-gnu")));
        let libraries: Vec<PathBuf> = names.into_iter().filter(|folder| folder.is_dir()).collect();
        let has = libraries.first()?.join("libmlx5.so.1").exists()
            && root.join("usr/include/infiniband/mlx5dv.h").exists()
            && root.join("usr/bin/ibv_devinfo").exists();
        has.then_some(Self { root, libraries })
    }

    /// Returns the path of `ibv_devinfo`.
    pub(crate) fn devinfo(&self) -> PathBuf {
        self.root.join("usr/bin/ibv_devinfo")
    }

    /// Folders of the libraries, if they are not the system loader's.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        if self.root == Path::new("/") { &[] } else { &self.libraries }
    }

    /// Returns a program that runs with these libraries and the software NIC.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if !self.folders().is_empty() {
            command.env("LD_LIBRARY_PATH", std::env::join_paths(self.folders()).unwrap());
        }
        command.env("LD_PRELOAD", preloaded());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("OXSHMEM_SOFTNIC")) {
            command.env_remove(name);
        }
        command
    }

    /// Compiles the program of `programs` with these headers, once. Prints a message if there is no compiler.
    pub(crate) fn compile(&self, name: &str) -> Option<PathBuf> {
        static COMPILED: Mutex<BTreeMap<String, Option<PathBuf>>> = Mutex::new(BTreeMap::new());
        let mut compiled = COMPILED.lock().unwrap_or_else(|e| e.into_inner());
        compiled.entry(name.into()).or_insert_with(|| self.compiled(name)).clone()
    }

    fn compiled(&self, name: &str) -> Option<PathBuf> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name).with_extension("c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("preload-{name}"));
        // Another run of these tests may be using the earlier file.
        let fresh = program.with_extension(std::process::id().to_string());
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"]).arg(self.root.join("usr/include"));
        compiler.arg("-o").arg(&fresh).arg(source).arg("-L").arg(&self.libraries[0]);
        compiler.args(["-libverbs", "-lmlx5", "-ldl", "-Wl,--allow-shlib-undefined"]);
        match compiler.output() {
            Ok(output) if output.status.success() => {
                std::fs::rename(&fresh, &program).unwrap();
                Some(program)
            }
            Ok(output) => panic!("{name}.c does not compile: {}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => {
                eprintln!("skipped: there is no C compiler: {error}");
                None
            }
        }
    }
}

/// Runs a program that must succeed. Returns its output.
pub(crate) fn lines(command: &mut Command) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let readers = (
        std::thread::spawn(move || {
            let mut text = String::new();
            out.read_to_string(&mut text).map(|_| text)
        }),
        std::thread::spawn(move || {
            let mut text = String::new();
            err.read_to_string(&mut text).map(|_| text)
        }),
    );
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > LIMIT {
            child.kill().unwrap();
            let status = child.wait().unwrap();
            eprintln!("{command:?} was killed after {LIMIT:?}");
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let (out, err) = (readers.0.join().unwrap().unwrap(), readers.1.join().unwrap().unwrap());
    assert!(status.success(), "{command:?} ended with {:?}, signal {:?}\n{out}\n{err}", status.code(), status.signal());
    out
}

/// A program with which a test exchanges lines.
pub(crate) struct Spoken {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Spoken {
    pub(crate) fn new(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let reader = BufReader::new(child.stdout.take().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for line in reader.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, input, output }
    }

    /// Returns the next line of its output, within the limit.
    pub(crate) fn line(&mut self) -> String {
        self.output.recv_timeout(LIMIT).expect("the program ended, or says nothing")
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// Waits for its end, which must be a success.
    pub(crate) fn end(&mut self) {
        assert!(self.output.recv_timeout(LIMIT).is_err(), "it says more");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

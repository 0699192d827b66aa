//! NICs of several processes, which meet in a folder.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::driver::*;
use oxshmem_raw::os::private::Scratch;
use oxshmem_softnic::{Knobs, Options, SoftProvider};

/// A process that is the peer: this program again, as the test `a_peer`.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Peer {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::a_peer", "--nocapture", "--include-ignored"])
            .env("SOFTNIC_TEST_PEER", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from }
    }

    fn tell(&mut self, numbers: &[u64]) {
        let line: Vec<_> = numbers.iter().map(u64::to_string).collect();
        writeln!(self.to, "peer {}", line.join(" ")).unwrap();
    }

    fn hear(&mut self) -> Vec<u64> {
        heard(&mut self.from)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the next line that begins with "peer"; the test's own lines are in between.
fn heard(from: &mut impl BufRead) -> Vec<u64> {
    loop {
        let mut line = String::new();
        assert_ne!(from.read_line(&mut line).unwrap(), 0, "the other process went away");
        if let Some((_, numbers)) = line.split_once("peer ") {
            return numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
        }
    }
}

fn options(folder: &Path) -> Options {
    Options { wire: Some(folder.to_owned()), ..Options::default() }
}

/// Acts as the other side: creates a queue pair, adds 1 to word 100 of the requester when its own word 7 becomes 7, and
/// ends on request.
#[test]
#[ignore = "process entry"]
fn a_peer() {
    let Ok(folder) = std::env::var("SOFTNIC_TEST_PEER") else { return };
    let provider = provider(options(Path::new(&folder)));
    let port = Port::open(&provider, "mlx5_0");
    let mut qp = Qp::new(&port, Shape::default());
    let memory = Words::new(WORDS);
    let mr = port.register(&memory, WORDS, 0, ALL);
    println!("\npeer {} {} {}", port.lid, qp.qpn, mr.rkey);
    let mut input = std::io::stdin().lock();
    let [lid, qpn, rkey] = heard(&mut input)[..] else { panic!("three numbers") };
    qp.connect(qpn as u32, lid as u16);
    println!("\npeer 1");
    wait_for("word 7", || memory.get(7) == 7);
    let add = [ctrl(0, 0x12, SIGNALLED), raddr(800, rkey as u32), words64(1, 0), data(8, mr.lkey, 0)];
    let index = qp.write(&add);
    qp.ring();
    assert_eq!(qp.wait(index), 0);
    heard(&mut input);
}

struct World {
    peer: Peer,
    qp: Qp,
    memory: Words,
    lkey: u32,
    rkey: u32,
    provider: oxshmem_softnic::SoftProvider,
    _port: Port,
    _folder: Scratch,
}

fn world(name: &str, knobs: Knobs) -> World {
    let folder = Scratch::new(name).unwrap();
    let mut peer = Peer::start(&folder);
    let provider = provider(Options { knobs, ..options(&folder) });
    let port = Port::open(&provider, "mlx5_0");
    let qp = Qp::new(&port, Shape::default());
    let memory = Words::new(WORDS);
    let mr = port.register(&memory, WORDS, 0, ALL);
    let [lid, qpn, rkey] = peer.hear()[..] else { panic!("three numbers") };
    assert_ne!(lid, u64::from(port.lid), "LIDs are unique in a folder");
    peer.tell(&[port.lid.into(), qp.qpn.into(), mr.rkey.into()]);
    peer.hear();
    qp.connect(qpn as u32, lid as u16);
    World { peer, qp, memory, lkey: mr.lkey, rkey: rkey as u32, provider, _port: port, _folder: folder }
}

fn everything_between_processes(name: &str, knobs: Knobs) {
    let mut w = world(name, knobs);
    let (lkey, rkey) = (w.lkey, w.rkey);
    (200..3200).for_each(|i| w.memory.set(i, i as u64 * 3));
    // 24000 bytes there and back, an atomic, and a flag after them.
    w.qp.write(&[ctrl(0, 8, 0), raddr(16_000, rkey), data(24_000, lkey, 1600)]);
    w.qp.write(&[ctrl(0, 0x12, 0), raddr(16_000, rkey), words64(5, 0), data(8, lkey, 0)]);
    w.qp.write(&[ctrl(0, 0x10, 0), raddr(16_000, rkey), data(24_000, lkey, 32_000)]);
    w.qp.write(&[ctrl(0, 8, FENCE), raddr(56, rkey), [1 << 31 | 8, 7_u32.swap_bytes(), 0, 0]]);
    let last = w.qp.write(&[ctrl(0, 0, SIGNALLED)]);
    w.qp.ring();
    assert_eq!(w.qp.wait(last), 0);
    assert_eq!(w.memory.get(0), 600, "what the atomic found");
    assert_eq!(w.memory.get(4000), 605, "what it made of it");
    (1..3000).for_each(|i| assert_eq!(w.memory.get(4000 + i), (200 + i as u64) * 3));
    wait_for("the peer's answer", || w.memory.get(100) == 1);
    assert!(w.provider.violations().is_empty());
    w.peer.tell(&[]);
    assert!(w.peer.child.wait().unwrap().success());
}

#[test]
fn processes_write_read_and_change_each_others_memory() {
    everything_between_processes("all", Knobs::calm());
}

#[test]
fn late_and_scattered_data_is_right_in_the_end_between_processes_too() {
    let knobs = Knobs { read_delay: 512, read_delay_us: 3000, scatter: 1024, seed: 3, ..Knobs::calm() };
    everything_between_processes("late", knobs);
}

#[test]
fn bad_keys_are_refused_by_the_other_process_and_named_here() {
    let mut w = world("keys", Knobs::calm());
    let index = w.qp.write(&[ctrl(0, 8, SIGNALLED), raddr(0, w.rkey + 0x700), data(8, w.lkey, 0)]);
    w.qp.ring();
    assert_eq!(w.qp.wait(index), 0x13);
    assert_eq!(w.provider.violations()[0].rule.name(), "remote-key");
}

#[test]
fn a_peer_that_is_killed_ends_what_is_asked_of_it_in_bounded_time() {
    let mut w = world("killed", Knobs::calm());
    let (lkey, rkey) = (w.lkey, w.rkey);
    let put = |w: &mut World| {
        for _ in 0..15 {
            w.qp.write(&[ctrl(0, 8, 0), raddr(16_000, rkey), data(32_000, lkey, 1600)]);
        }
        let last = w.qp.write(&[ctrl(0, 0, SIGNALLED)]);
        w.qp.ring();
        last
    };
    let first = put(&mut w);
    assert_eq!(w.qp.wait(first), 0);
    let last = put(&mut w);
    w.peer.child.kill().unwrap();
    let begun = Instant::now();
    let mut syndrome = w.qp.wait(last);
    if syndrome == 0 {
        // All of it was faster than the kill.
        let last = put(&mut w);
        syndrome = w.qp.wait(last);
    }
    // The flush of the last entry may have overwritten the first error.
    assert!([0x15, 0x05].contains(&syndrome), "{syndrome:#x}");
    assert!(begun.elapsed() < Duration::from_secs(12));
    assert!(w.provider.violations().is_empty(), "a death breaks no rule");
}

#[test]
fn a_nic_of_another_process_is_refused_as_a_peer_without_a_folder() {
    let provider = provider(Options::default());
    let port = Port::open(&provider, "mlx5_0");
    let qp = Qp::new(&port, Shape::default());
    qp.modify(&rst2init(qp.qpn)).unwrap();
    // Other tests of this process have LIDs that are near.
    let elsewhere = 1 + (port.lid + 0x5000) % 0xbfff;
    let error = qp.modify(&init2rtr(qp.qpn, 7, elsewhere)).unwrap_err().to_string();
    assert!(error.contains(&format!("LID {elsewhere}")) && error.contains("OXSHMEM_SOFTNIC_WIRE"), "{error}");
}

#[test]
fn the_socket_of_a_dead_process_is_taken_over() {
    let folder = Scratch::new("stale").unwrap();
    drop(std::os::unix::net::UnixListener::bind(folder.join("lid-1.sock")).unwrap());
    let provider = provider(options(&folder));
    assert_eq!(Port::open(&provider, "mlx5_0").lid, 1);
    let second = crate::driver::provider(options(&folder));
    assert_eq!(Port::open(&second, "mlx5_0").lid, 2, "another in the same process");
    drop((provider, second));
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["lock"], "sockets go with their NICs");
}

/// Breaks a rule, with options from the environment.
#[test]
#[ignore = "process entry"]
fn a_program_that_breaks_a_rule() {
    if std::env::var("OXSHMEM_SOFTNIC_STRICT").is_err() {
        return;
    }
    let provider = provider(Options::from_env().unwrap());
    let port = Port::open(&provider, "mlx5_0");
    let mut qp = Qp::new(&port, Shape::default());
    qp.connect(qp.qpn, port.lid);
    let index = qp.write(&[ctrl(0, 0x77, SIGNALLED)]);
    qp.ring();
    qp.wait(index);
}

#[test]
fn where_it_is_asked_for_the_first_violation_ends_the_program_and_is_told() {
    use std::os::unix::process::ExitStatusExt;
    for (strict, signal) in [("abort", Some(libc::SIGABRT)), ("record", None)] {
        let ran = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::a_program_that_breaks_a_rule", "--nocapture", "--include-ignored"])
            .env("OXSHMEM_SOFTNIC_STRICT", strict)
            .env("OXSHMEM_SOFTNIC_SEED", "6")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.signal(), signal, "{text}");
        assert!(text.contains("breaks the rule opcode at index 0") && text.contains("0x77"), "{text}");
        assert!(text.contains("OXSHMEM_SOFTNIC_SEED=6"), "the seed is said: {text}");
    }
}

#[test]
fn a_folder_that_another_user_has_prepared_is_no_wire_and_no_file_of_this_user_is_emptied() {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    let base = Scratch::new("strangers").unwrap();
    if std::fs::metadata(&base).unwrap().uid() != 0 {
        return println!("skipped: only root can start a process of another user");
    }
    let (shared, victim) = (base.join("shared"), base.join("victim"));
    std::fs::write(&victim, "precious").unwrap();
    for (folder, mode) in [(&*base, 0o711), (&shared, 0o1777)] {
        let _ = std::fs::create_dir(folder);
        std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    }
    let prepare = "umask 0; mkdir wire && ln -s ../../victim wire/lock";
    let mut stranger = Command::new("sh");
    let prepared = stranger.args(["-c", prepare]).current_dir(&shared).uid(65534).gid(65534).status();
    if !prepared.is_ok_and(|prepared| prepared.success()) {
        return println!("skipped: another user can't make a folder in {}", shared.display());
    }
    let error = SoftProvider::new(options(&shared.join("wire"))).map(drop).unwrap_err().to_string();
    assert!(error.contains("belongs to user 65534"), "{error}");
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
}

//! The behaviour of the control plane between processes, which can die, stop, and run out of descriptors.

mod bootstrap_support;

use std::fs::File;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bootstrap_support::LIMIT;
use nix::sys::resource::{Resource, setrlimit};
use oxshmem_core::Pe;
use oxshmem_hal::bootstrap::{BootstrapConfig, FAN_OUT, RootAt, Secret, UniqueId};
use oxshmem_hal::config::BootstrapChoice;
use oxshmem_hal::control::Control;
use oxshmem_hal::launcher::Launcher;

/// The entry of the processes that the following tests start.
#[test]
#[ignore = "process entry"]
fn as_a_process_of_its_own() {
    let Ok(part) = std::env::var("OXSHMEM_TEST_CHILD") else { return };
    let limit = if part == "is stopped" { Duration::from_secs(1) } else { LIMIT };
    let fan_out = std::env::var("OXSHMEM_TEST_FAN_OUT").unwrap().parse().unwrap();
    let connect = |config: &BootstrapConfig| Control::connect_in_tree(config, fan_out);
    let from_env = || BootstrapConfig::from_env(BootstrapChoice::Auto, Some(limit)).unwrap().unwrap();
    // The same environment serves several worlds in a row, whether it is read once or for each.
    let config = from_env();
    for config in [config.clone(), config.clone(), from_env()] {
        let control = connect(&config).unwrap();
        if let (RootAt::Id { id, .. }, 1) = (&config.root, control.pe().number()) {
            let refused = TcpStream::connect(id.address()).unwrap_err();
            assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused, "the launcher has a copy of the socket");
        }
        control.barrier("first").unwrap();
        control.leave().unwrap();
    }
    if part == "is stopped" {
        let connected = connect(&config);
        if connected.as_ref().is_ok_and(|control| control.pe().number() == 0) {
            println!("\nseen: I stop");
            // SAFETY: it stops this process, as a debugger would; no state of the program depends on it.
            unsafe { libc::raise(libc::SIGSTOP) };
        }
        // The root may have stopped before it announced that all PEs are connected.
        let seen = match &connected {
            Ok(control) => control.barrier("after").unwrap_err(),
            Err(error) => error.clone(),
        };
        println!("\nseen: {seen}");
        // A PE that ended here would be named by the next one in a chain, if it was the first to reach its limit.
        std::io::read_to_string(std::io::stdin()).unwrap();
        if let Ok(control) = connected {
            control.fail("it ends");
        }
        return;
    }
    let control = connect(&config).unwrap();
    control.barrier("before").unwrap();
    let me = control.pe().number();
    let seen = match part.as_str() {
        "aborts" => {
            if me == 1 {
                std::process::abort();
            }
            control.barrier("after").unwrap_err()
        }
        "has few descriptors" => {
            let file = File::open("/dev/null").unwrap();
            if me == 1 {
                let own = file.as_raw_fd() as u64;
                setrlimit(Resource::RLIMIT_NOFILE, own + 40, own + 40).unwrap();
            }
            let mine = if me == 1 { vec![] } else { vec![file.as_fd(); 30] };
            let error = control.exchange_fds("chunks", &mine).unwrap_err();
            control.barrier("goes on").unwrap();
            control.leave().unwrap();
            error
        }
        other => panic!("no such part: {other}"),
    };
    println!("\nseen: {seen}");
}

/// The entry of the process that the following test starts.
#[test]
#[ignore = "process entry"]
fn in_a_network_of_its_own() {
    let Ok(expected) = std::env::var("OXSHMEM_TEST_NETWORK") else { return };
    let (id, listener) = UniqueId::listen_to_others((expected != "::1").then_some("lo")).unwrap();
    let address = id.address();
    let shown = if expected == "::1" { "[::1]:" } else { "[fe80::77%1]:" };
    assert!(address.to_string().starts_with(shown), "{address}");
    // As another host would announce it, where the interface has another number.
    let elsewhere = address.to_string().replace("%1", "%7").parse().unwrap();
    let elsewhere = UniqueId::new(elsewhere, &Secret::from_bytes(id.to_bytes()[28..60].try_into().unwrap()));
    let listener = Arc::new(listener);
    // PE 1 passes calls on for PE 2, which connects to it by an address that PE 1 announces.
    let world: Vec<_> = (0..3)
        .map(|pe| {
            let listener = (pe == 0).then(|| listener.clone());
            let id = if pe == 0 { id.clone() } else { elsewhere.clone() };
            let root = RootAt::Id { id, listener };
            let config = BootstrapConfig { pe: Pe::new(pe), n_pes: 3, root, limit: Some(LIMIT), host: None };
            std::thread::spawn(move || {
                let control = Control::connect_in_tree(&config, 1).unwrap();
                control.barrier("met").unwrap();
                control.leave().unwrap();
            })
        })
        .collect();
    world.into_iter().for_each(|pe| pe.join().unwrap());
    // PEs of one host meet on the loopback interface, if it has an address.
    if expected == "::1" {
        Launcher::new(1).unwrap();
    }
    println!("\nseen: they met");
}

#[test]
fn hosts_with_a_link_local_address_or_the_loopback_of_ipv6_alone_meet_there() {
    let link_local =
        "ip addr add fe80::77/64 dev lo nodad && ip addr del 127.0.0.1/8 dev lo && ip addr del ::1/128 dev lo";
    for (address, setup) in [("::1", "ip addr del 127.0.0.1/8 dev lo"), ("fe80::77", link_local)] {
        let in_network = |then: &str| {
            let mut command = Command::new("unshare");
            command.args(["-rn", "sh", "-c", &format!("ip link set lo up && {setup} && {then}")]);
            command.arg(std::env::current_exe().unwrap()).env("OXSHMEM_TEST_NETWORK", address).output()
        };
        match in_network("true") {
            Ok(made) if made.status.success() => {}
            not_made => {
                println!("not tested: this system lets the test make no network of its own: {not_made:?}");
                return;
            }
        }
        let output = in_network("exec \"$0\" --exact in_a_network_of_its_own --ignored --nocapture").unwrap();
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(output.status.success() && text.contains("seen: they met"), "{address}: {text}");
    }
}

/// Starts three processes with this part, in a star or in a chain.
fn play(part: &str, fan_out: u32) -> Vec<Child> {
    let launcher = Launcher::new(3).unwrap();
    (0..3)
        .map(|pe| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "as_a_process_of_its_own", "--ignored", "--nocapture"]);
            command.env("OXSHMEM_TEST_CHILD", part).env("OXSHMEM_TEST_FAN_OUT", fan_out.to_string());
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            launcher.prepare(Pe::new(pe), &mut command);
            command.spawn().unwrap()
        })
        .collect()
}

/// Closes a process's standard input, and returns its exit status and output.
fn end(child: Child) -> (ExitStatus, String) {
    let output = child.wait_with_output().unwrap();
    (output.status, [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat())
}

#[test]
fn a_process_that_dies_is_named_by_the_others() {
    let start = Instant::now();
    for fan_out in [FAN_OUT, 1] {
        for (pe, child) in play("aborts", fan_out).into_iter().enumerate() {
            let (status, text) = end(child);
            if pe == 1 {
                assert!(status.signal().is_some(), "{text}");
            } else {
                assert!(status.success(), "PE {pe}: {text}");
                assert!(text.contains("seen: cannot complete `after`: PE 1 died: its connection"), "PE {pe}: {text}");
            }
        }
    }
    assert!(start.elapsed() < LIMIT, "no wait went to its limit: {:?}", start.elapsed());
}

#[test]
fn too_few_descriptors_on_one_pe_are_an_error_on_all_and_the_world_goes_on() {
    let start = Instant::now();
    for (pe, child) in play("has few descriptors", FAN_OUT).into_iter().enumerate() {
        let (status, text) = end(child);
        assert!(status.success(), "PE {pe}: {text}");
        assert!(
            text.contains("seen: cannot complete `chunks`: PE 1 could not pass file descriptors: "),
            "PE {pe}: {text}"
        );
        assert!(text.contains("ulimit -n"), "PE {pe}: {text}");
    }
    assert!(start.elapsed() < LIMIT, "no wait went to its limit: {:?}", start.elapsed());
}

#[test]
fn a_root_that_is_stopped_is_named_by_the_others_within_the_limit_and_learns_why_they_left() {
    for fan_out in [FAN_OUT, 1] {
        let mut children = play("is stopped", fan_out);
        for pe in (1..3).rev() {
            let (status, text) = end(children.remove(pe));
            assert!(status.success(), "{text}");
            let expected = match (fan_out, pe) {
                (1, 2) => "no answer of the root, PE 0, has come through PE 1 within 1s",
                _ => "the root, PE 0, has not answered within 1s",
            };
            assert!(text.contains(expected), "{text}");
        }
        let root = children.remove(0);
        // SAFETY: it resumes a process of this test.
        assert_eq!(unsafe { libc::kill(root.id() as i32, libc::SIGCONT) }, 0);
        let (status, text) = end(root);
        assert!(status.success() && text.contains("I stop"), "{text}");
        let told = text.lines().rfind(|line| line.starts_with("seen: ")).unwrap_or_default();
        assert!(told.contains("died: it said: it ends; before, "), "{told}");
        assert!(told.contains("PE 0, has"), "{told}");
    }
}

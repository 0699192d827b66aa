//! The replacement of the kernel, under Debian's own libibverbs, libmlx5 and ibv_devinfo.

mod support;

use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::Command;

use support::{Rdma, Spoken, lines, preloaded, private_folder};

/// Runs a step of `programs/stands.c` with these variables. Returns its output, or `None` if it can't run here.
fn step(step: &str, variables: &[(&str, &str)]) -> Option<String> {
    let rdma = Rdma::find()?;
    let program = rdma.compile("stands")?;
    let mut command = rdma.command(&program);
    command.arg(step);
    command.envs(variables.iter().copied());
    Some(lines(&mut command))
}

#[test]
fn ibv_devinfo_shows_the_device_with_its_port_active() {
    let Some(rdma) = Rdma::find() else { return };
    let said = lines(rdma.command(&rdma.devinfo()).arg("-v"));
    for wanted in ["hca_id:\tmlx5_0", "PORT_ACTIVE (4)", "LINK_UP (5)", "vendor_part_id:\t\t\t4129", "ATOMIC_HCA"] {
        assert!(said.contains(wanted), "no {wanted:?} in {said}");
    }
    let said = lines(rdma.command(&rdma.devinfo()).arg("-l").env("OXSHMEM_SOFTNIC_NICS", "3"));
    assert!(said.contains("3 HCAs found") && said.contains("mlx5_2"), "{said}");
}

#[test]
fn commands_make_change_and_destroy_queues_and_refusals_stand_in_the_answer() {
    let Some(said) = step("devx", &[]) else { return };
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said[0], "caps: status 0");
    assert_eq!(said[1], "state 1", "RST2INIT leads to INIT");
    assert!(said[2].starts_with(&format!("refused {} status 0x", libc::EREMOTEIO)), "{said:?}");
    assert!(!said[2].ends_with("status 0"), "{said:?}");
    assert!(said[3].starts_with("umem in use ") && said[3] != "umem in use 0", "{said:?}");
}

#[test]
fn queues_of_verbs_carry_writes_reads_and_atomics_and_their_errors() {
    for link in ["ib", "roce"] {
        let Some(said) = step("verbs", &[("OXSHMEM_SOFTNIC_LINK", link)]) else { return };
        assert_eq!(
            said.lines().collect::<Vec<_>>(),
            [
                "state 3 of peer 1 timeout 14 retries 7",
                "beyond its memory: remote access error",
                "behind an error: Work Request Flushed Error",
                "state 6",
            ],
            "{link}"
        );
    }
}

#[test]
fn messages_take_entries_in_order_carry_immediate_values_and_raise_the_events_that_were_asked_for() {
    let Some(rdma) = Rdma::find() else { return };
    let Some(program) = rdma.compile("messages") else { return };
    for link in ["ib", "roce"] {
        let said = lines(rdma.command(&program).env("OXSHMEM_SOFTNIC_LINK", link));
        assert_eq!(
            said.lines().collect::<Vec<_>>(),
            [
                "no entry: RNR retry counter exceeded",
                "no entry, unreliable: success",
                "two events",
                "too long: remote invalid request error",
                "at the responder: local length error",
                "behind it: Work Request Flushed Error of 2",
            ],
            "{link}"
        );
    }
}

#[test]
fn the_host_half_sees_the_same_nic_through_libmlx5_and_without_it() {
    let Some(rdma) = Rdma::find() else { return };
    let program = Path::new(env!("CARGO_BIN_EXE_oxshmem-softnic-story"));
    for variables in [
        [("OXSHMEM_SOFTNIC_LINK", "ib"), ("OXSHMEM_SOFTNIC_SEED", "0"), ("OXSHMEM_SOFTNIC_PROFILE", "cx7")],
        [("OXSHMEM_SOFTNIC_LINK", "roce"), ("OXSHMEM_SOFTNIC_SEED", "7"), ("OXSHMEM_SOFTNIC_PROFILE", "cx6")],
        [("OXSHMEM_SOFTNIC_LINK", "ib"), ("OXSHMEM_SOFTNIC_SEED", "11"), ("OXSHMEM_SOFTNIC_PROFILE", "cx8")],
    ] {
        // Each has a wire of its own, and so the first LID of it.
        let wire = || ("OXSHMEM_SOFTNIC_WIRE", private_folder("story"));
        let direct = lines(Command::new(program).arg("direct").envs(variables).envs([wire()]));
        let mut command = rdma.command(program);
        let through = lines(command.args(rdma.folders()).envs(variables).envs([wire()]));
        assert!(direct.ends_with("all given back\n"), "{direct}");
        for (direct, through) in direct.lines().zip(through.lines()) {
            assert_eq!(direct, through, "{variables:?}");
        }
        assert_eq!(direct.lines().count(), through.lines().count());
    }
}

#[test]
fn a_proxy_gets_all_that_it_needs_of_libibverbs() {
    let Some(rdma) = Rdma::find() else { return };
    // Most of a self test's time is waiting.
    std::thread::scope(|scope| {
        for (nics, link, seed) in [("1", "ib", "0"), ("1", "roce", "3"), ("2", "ib", "7")] {
            let mut command = rdma.command(Path::new(env!("CARGO_BIN_EXE_oxshmem-rc-selftest")));
            for folder in rdma.folders() {
                command.arg("--from").arg(folder);
            }
            command.env("OXSHMEM_SOFTNIC_NICS", nics).env("OXSHMEM_SOFTNIC_LINK", link);
            command.env("OXSHMEM_SOFTNIC_SEED", seed).env("OXSHMEM_SOFTNIC_WIRE", private_folder("rc"));
            scope.spawn(move || {
                let said = lines(&mut command);
                assert!(said.contains("0 failed, 1 skipped"), "{nics} NICs, {link}, seed {seed}: {said}");
            });
        }
    });
}

#[test]
fn processes_that_share_a_wire_reach_each_other_by_verbs() {
    let Some(rdma) = Rdma::find() else { return };
    let Some(program) = rdma.compile("stands") else { return };
    let wire = private_folder("wire");
    let mut sides = [0, 1].map(|_| {
        let mut command = rdma.command(&program);
        Spoken::new(command.arg("pair").env("OXSHMEM_SOFTNIC_WIRE", &wire))
    });
    let addresses = sides.each_mut().map(Spoken::line);
    sides[0].say(&addresses[1]);
    sides[1].say(&addresses[0]);
    for word in ["ready", "got it"] {
        let said = sides.each_mut().map(Spoken::line);
        assert_eq!(said, [word, word]);
        // One word: the programs read words, and the last one must wait for the last line.
        sides.iter_mut().for_each(|side| side.say("go"));
    }
    sides.iter_mut().for_each(Spoken::end);
}

#[test]
fn what_is_denied_has_the_errno_that_the_kernel_has_for_it() {
    let nothing: &[(&str, i32)] = &[];
    for (deny, other) in [
        ("", nothing),
        ("devx", &[("general_cmd", libc::EINVAL), ("umem_reg", libc::EINVAL), ("umem_reg_ex", libc::EINVAL)]),
        ("umem", &[("umem_reg", libc::EFAULT)]),
        ("dmabuf", &[("reg_dmabuf_mr", libc::EOPNOTSUPP), ("umem_reg_ex", libc::EPROTONOSUPPORT)]),
        ("mr", &[("reg_mr", libc::ENOMEM), ("reg_dmabuf_mr", libc::ENOMEM)]),
        ("mr,umem", &[("reg_mr", libc::ENOMEM), ("reg_dmabuf_mr", libc::ENOMEM), ("umem_reg", libc::EFAULT)]),
    ] {
        let Some(said) = step("denied", &[("OXSHMEM_SOFTNIC_DENY", deny)]) else { return };
        for line in said.lines() {
            let (call, code) = line.split_once(": ").unwrap();
            let wanted = other.iter().find(|(name, _)| *name == call).map(|(_, code)| *code);
            // The NIC's own answer to a descriptor that is no DMA buffer is not tested here.
            if wanted.is_none() && matches!(call, "reg_dmabuf_mr" | "umem_reg_ex") {
                continue;
            }
            assert_eq!(code, wanted.unwrap_or(0).to_string(), "{call} with {deny:?} denied");
        }
    }
    let Some(said) = step("denied", &[("OXSHMEM_SOFTNIC_DENY", "open")]) else { return };
    assert_eq!(said.trim(), format!("open: errno {}", libc::EACCES));
    assert_eq!(step("access", &[]).unwrap(), "access: 0\n");
    let said = step("access", &[("OXSHMEM_SOFTNIC_DENY", "open")]).unwrap();
    assert_eq!(said, format!("access: {}\n", libc::EACCES));
}

#[test]
fn without_a_device_the_list_is_empty_and_without_a_driver_there_is_no_list() {
    let Some(said) = step("list", &[]) else { return };
    assert_eq!(said, "devices: 1\ndevice mlx5_0 mlx5 1\n");
    assert_eq!(step("list", &[("OXSHMEM_SOFTNIC_ABSENT", "1")]).unwrap(), "devices: 0\n");
    let said = step("list", &[("OXSHMEM_SOFTNIC_ABSENT", "driver")]).unwrap();
    assert_eq!(said.trim(), format!("no list: errno {}", libc::ENOSYS));
}

#[test]
fn an_event_wakes_the_poll_that_waits_for_it() {
    let Some(said) = step("events", &[]) else { return };
    assert_eq!(said, "one event\n");
}

#[test]
fn a_child_of_fork_has_no_access_to_its_parents_context_opens_its_own_and_the_parent_goes_on() {
    let Some(said) = step("children", &[]) else { return };
    assert_eq!(said, "parent goes on\n");
}

#[test]
fn a_process_leaves_nothing_in_the_temporary_folder_not_even_for_one_that_was_killed() {
    let Some(rdma) = Rdma::find() else { return };
    let folder = private_folder("left");
    // No process has this number: it exceeds Linux's highest.
    let of_the_dead = folder.join("oxshmem-softnic-sysfs-4194305-abcdef");
    std::fs::DirBuilder::new().mode(0o700).recursive(true).create(of_the_dead.join("sys")).unwrap();
    let said = lines(rdma.command(&rdma.devinfo()).env("TMPDIR", &folder));
    assert!(said.contains("mlx5_0"), "{said}");
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Runs a program with the layer and without it, and compares.
fn runs_unchanged_and_makes_no_file(words: &[&str]) {
    let folder = private_folder(&format!("others-{}", words[0]));
    let run = |preload: bool| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("TMPDIR", &folder);
        if preload {
            command.env("LD_PRELOAD", preloaded());
        }
        command.output().map(|output| (output.status.code(), output.stdout, output.stderr))
    };
    match (run(false), run(true)) {
        (Ok(alone), Ok(with)) => assert_eq!(alone, with, "{words:?}"),
        (Err(error), _) => return println!("skipped: {} does not start: {error}", words[0]),
        (Ok(_), Err(error)) => panic!("{words:?}: {error}"),
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "a program that asks for no NIC makes no file");
}

#[test]
fn ls_lists_the_same_files() {
    // The layer has an /etc/libibverbs.d of its own, with another date than the machine's (rdma-core).
    runs_unchanged_and_makes_no_file(&["ls", "-la", "--ignore=libibverbs.d", "/etc"]);
}

#[test]
fn cargo_runs_unchanged() {
    runs_unchanged_and_makes_no_file(&["cargo", "--version"]);
}

#[test]
fn python_maps_memory_and_lists_the_same_files() {
    let program = "import os, subprocess, mmap; m = mmap.mmap(-1, 8192); m.close(); print(os.listdir('/etc'))";
    runs_unchanged_and_makes_no_file(&["python3", "-c", program]);
}

#[test]
fn programs_in_a_pipe_run_unchanged() {
    let script = "cat /etc/passwd | sort | head -3; ls /sys/class; ls /dev | head; exit 7";
    runs_unchanged_and_makes_no_file(&["sh", "-c", script]);
}

#[test]
fn a_shell_duplicates_and_closes_descriptors_as_ever() {
    let script = "exec 7</dev/null 7<&-; mkdir -p $TMPDIR/x; rmdir $TMPDIR/x; (exit 3)";
    runs_unchanged_and_makes_no_file(&["bash", "-c", script]);
}

/// Run it alone: `cargo test --release -p oxshmem-softnic-preload posting -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn posting_costs_less_where_the_thread_writes_the_entries_itself() {
    let Some(rdma) = Rdma::find() else { return };
    let mut command = rdma.command(Path::new(env!("CARGO_BIN_EXE_oxshmem-post-rates")));
    for folder in rdma.folders() {
        command.arg("--from").arg(folder);
    }
    println!("{}", lines(command.env("OXSHMEM_SOFTNIC_WIRE", private_folder("posts"))));
}

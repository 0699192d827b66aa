//! Start, end, and wrong calls.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;

use crate::programs::{End, build, command, end, run, run_well};

/// Runs the program with one wrong call as two PEs; `on` is the PE that makes it, or all.
fn wrong(what: &str, on: Option<u32>) -> Vec<End> {
    let on = on.map(|pe| pe.to_string());
    let args: Vec<&str> = [what].into_iter().chain(on.as_deref()).collect();
    run(&build("wrong"), 2, &args)
}

/// Runs it without a launcher.
fn wrong_alone(what: &str) -> End {
    end(command(&build("wrong"), &[what]).spawn().unwrap())
}

/// Returns the lines of an error stream that are this library's.
fn lines(end: &End) -> Vec<&str> {
    end.complained.lines().filter(|line| line.starts_with("oxshmem: ")).collect()
}

#[test]
fn starts_nest_and_a_world_follows_a_world() {
    for n in [1, 3] {
        run_well("again", n);
    }
}

#[test]
fn processes_meet_by_a_unique_id() {
    let ended = end(command(&build("uid"), &[]).spawn().unwrap());
    assert!(ended.status.success() && ended.complained.is_empty(), "{}", ended.complained);
}

#[test]
fn a_call_before_the_start_is_reported_and_answered() {
    let ended = wrong_alone("early");
    let lines = lines(&ended);
    let names =
        ["nvshmem_my_pe", "nvshmem_malloc", "nvshmem_int_sum_reduce", "nvshmem_finalize", "nvshmem_barrier_all"];
    assert_eq!(lines.len(), names.len(), "{}", ended.complained);
    for (line, name) in lines.iter().zip(names) {
        assert!(line.starts_with(&format!("oxshmem: {name}: ")) && line.contains("not initialised"), "{line}");
    }
    assert_eq!(ended.status.code(), Some(255), "a call that can't report an error ends the process");
}

#[test]
fn a_call_after_the_end_is_reported_and_answered() {
    let ended = &wrong("over", None)[0];
    assert!(ended.status.success(), "{}", ended.complained);
    let lines = lines(ended);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("finalised")), "{lines:?}");
}

#[test]
fn a_call_after_the_end_that_can_not_report_an_error_ends_the_process() {
    for ended in wrong("late", None) {
        assert_eq!(ended.status.code(), Some(255), "{}", ended.complained);
        let lines = lines(&ended);
        let is_own =
            lines.len() == 1 && lines[0].starts_with("oxshmem: PE ") && lines[0].contains("nvshmem_barrier_all: ");
        assert!(is_own && lines[0].contains("finalised"), "{lines:?}");
    }
}

#[test]
fn the_end_of_a_module_or_library_after_that_of_the_world_succeeds() {
    for ended in wrong("unloaded", None) {
        assert!(ended.status.success() && lines(&ended).is_empty(), "{}", ended.complained);
    }
}

#[test]
fn a_start_on_a_gpu_where_there_is_none_has_the_code_for_it() {
    let ended = end(command(&build("wrong"), &["gpu"]).env("OXSHMEM_DEVICE", "gpu").spawn().unwrap());
    if ended.said.starts_with('0') {
        println!("skipped: this machine has a GPU");
        return;
    }
    assert_eq!(ended.said.trim(), "5 NVSHMEMX_ERROR_GPU_NOT_SELECTED", "{}", ended.complained);
    let lines = lines(&ended);
    assert!(lines.len() == 1 && lines[0].contains("OXSHMEM_DEVICE=host"), "{lines:?}");
}

#[test]
fn a_start_within_the_world_waits_for_no_call_of_another_thread() {
    run_well("nested", 1);
}

#[test]
fn a_start_with_wrong_arguments_is_an_error_with_its_code() {
    for (what, code, reason) in [
        ("version", "1 NVSHMEMX_ERROR_INVALID_VALUE", "it is of version 3"),
        ("flags", "3 NVSHMEMX_ERROR_NOT_SUPPORTED", "NVSHMEMX_INIT_WITH_SHMEM"),
        ("null", "1 NVSHMEMX_ERROR_INVALID_VALUE", "null pointer"),
        ("level", "1 NVSHMEMX_ERROR_INVALID_VALUE", "thread level 4"),
    ] {
        let ended = wrong_alone(what);
        assert_eq!(ended.said.trim(), code, "{what}: {}", ended.complained);
        let lines = lines(&ended);
        assert!(lines.len() == 1 && lines[0].contains(reason), "{what}: {lines:?}");
    }
}

#[test]
fn a_wrong_call_that_returns_a_status_reports_it_and_the_world_goes_on() {
    for (what, code, name) in [
        ("split", 1, "nvshmem_team_split_strided"),
        ("id", 1, "nvshmemx_team_init"),
        ("config", 1, "nvshmem_team_split_strided"),
        ("team", 1, "nvshmem_int_sum_reduce"),
        ("gone", 1, "nvshmem_int_sum_reduce"),
        ("root", 1, "nvshmem_int_broadcast"),
        ("heap", 1, "nvshmem_int_sum_reduce"),
        ("module", 1, "nvshmemx_cumodule_init"),
        ("library", 1, "nvshmemx_culibrary_init"),
        ("no-module", 1, "nvshmemx_cumodule_finalize"),
        ("no-library", 1, "nvshmemx_culibrary_finalize"),
        ("launch", 6, "nvshmemx_collective_launch"),
        ("apart", 1, "nvshmemx_collective_launch_attr"),
        ("doubled", 1, "nvshmemx_collective_launch_attr"),
        ("unlisted", 1, "nvshmemx_collective_launch_attr"),
        ("attributes", 6, "nvshmemx_collective_launch_attr"),
        ("queues", 1, "nvshmemx_qp_create"),
        ("counts", 4, "nvshmemx_qp_create"),
        ("handles", 1, "nvshmemx_qp_create"),
        ("negative", 1, "nvshmemx_qp_create"),
        ("region", 1, "nvshmemx_region_stop"),
        ("nested", 1, "nvshmemx_region_start"),
        ("other", 1, "nvshmemx_region_stop"),
        ("hint", 1, "nvshmemx_region_start"),
        ("nowhere", 1, "nvshmemx_region_start"),
        ("asked", 1, "nvshmemx_region_is_active"),
        ("unasked", 1, "nvshmemx_region_is_active"),
    ] {
        for (pe, ended) in wrong(what, None).iter().enumerate() {
            assert!(ended.status.success(), "{what}: {}", ended.complained);
            assert!(ended.said.starts_with(&format!("{code} ")), "{what}: {} {}", ended.said, ended.complained);
            let lines = lines(ended);
            assert!(
                lines.len() == 1 && lines[0].starts_with(&format!("oxshmem: PE {pe}: {name}: ")),
                "{what}: {lines:?}"
            );
        }
    }
}

#[test]
fn attributes_of_a_launch_that_contradict_it_are_named() {
    for (what, reason) in [
        ("apart", "the attribute `cooperative` is 0"),
        ("doubled", "the attribute `cooperative` is there twice"),
        ("unlisted", "the list of attributes is a null pointer"),
        // The attributes are right: the launch itself is refused, since there is no GPU.
        ("attributes", "find the kernel"),
    ] {
        for ended in wrong(what, None) {
            let lines = lines(&ended);
            assert!(lines.len() == 1 && lines[0].contains(reason), "{what}: {lines:?}");
        }
    }
}

#[test]
fn a_wrong_argument_is_named() {
    for (what, reason) in [
        ("gone", "there is no such team"),
        ("config", "it is of version 3"),
        ("negative", "create -1 queue pairs"),
        ("nested", "regions do not nest"),
    ] {
        for ended in wrong(what, None) {
            let lines = lines(&ended);
            assert!(lines.len() == 1 && lines[0].contains(reason), "{what}: {lines:?}");
        }
    }
}

#[test]
fn different_sizes_of_memory_are_an_error_on_every_pe_and_name_both() {
    for ended in wrong("size", None) {
        assert!(ended.status.success(), "{}", ended.complained);
        let lines = lines(&ended);
        assert!(
            lines.len() == 1 && lines[0].contains("nvshmem_malloc") && lines[0].contains("PE 1 gave 9"),
            "{lines:?}"
        );
    }
}

#[test]
fn a_wrong_call_without_a_status_ends_the_process_and_the_others_learn_why() {
    for (what, reason) in [
        ("outside", "not in the symmetric heap"),
        ("end", "outside the symmetric heap"),
        ("pe", "the world has PEs 0 to 1"),
        ("op", "NVSHMEM_SIGNAL_SET"),
        ("cmp", "NVSHMEM_CMP_EQ"),
        ("stride", "a stride is at least 1"),
        ("indices", "the list of indices is a null pointer"),
        ("words", "use 1152921504606846976 elements"),
        ("listed", "use 1152921504606846976 elements"),
        ("source", "this PE's end of the copy is a null pointer"),
        ("stream", "oxshmem_stream_create did not make it"),
        ("destroy", "predefined team"),
        ("twice", "there is no such team"),
    ] {
        // PE 0's process passes the messages of all PEs on.
        for pe in [0, 1] {
            let (ends, me) = (wrong(what, Some(pe)), format!("PE {pe}"));
            let (own, other) = (&ends[pe as usize], &ends[1 - pe as usize]);
            assert_eq!([own, other].map(|end| end.status.code()), [Some(255); 2], "{what}: {}", own.complained);
            let line = lines(own);
            let is_own = line.len() == 1 && line[0].starts_with(&format!("oxshmem: {me}: "));
            assert!(is_own && line[0].contains(reason), "{what}: {line:?}");
            let line = lines(other);
            assert!(line.len() == 1 && line[0].contains(&me) && line[0].contains(reason), "{what}: {line:?}");
        }
    }
}

#[test]
fn memory_that_was_not_allocated_is_not_freed() {
    for ended in wrong("free", None) {
        assert_eq!(ended.status.code(), Some(255), "{}", ended.complained);
        assert!(lines(&ended).iter().all(|line| line.contains("inside the 64 bytes")), "{}", ended.complained);
    }
}

#[test]
fn one_pe_ends_the_program_with_its_status() {
    for pe in [0, 1] {
        for (at, ended) in wrong("exit", Some(pe)).iter().enumerate() {
            assert_eq!(ended.status.code(), Some(7), "PE {at}, ended by PE {pe}: {}", ended.complained);
        }
    }
}

#[test]
fn an_end_that_fails_names_the_pe() {
    for ended in wrong("alone", Some(1)).iter().take(1) {
        let lines = lines(ended);
        assert!(lines.len() == 1 && lines[0].starts_with("oxshmem: PE 0: nvshmem_finalize: "), "{}", ended.complained);
    }
}

#[test]
fn a_forked_child_leaves_the_world_of_its_parent_alone() {
    for (what, code, name) in [
        ("end", 0, None),
        ("status", 0, Some("nvshmem_malloc")),
        ("put", 255, Some("nvshmem_putmem")),
        ("start", 255, Some("nvshmem_init")),
        ("stop", 255, None),
    ] {
        let ends = run(&build("forks"), 2, &[what]);
        assert!(ends.iter().all(|end| end.status.success()), "{what}: {}", ends[0].complained);
        assert!(ends[0].said.starts_with(&format!("{code}\n")), "{what}: {}", ends[0].said);
        let complaints: Vec<&str> = ends.iter().flat_map(|end| end.complained.lines()).collect();
        let expected = name.map(|name| format!("oxshmem: {name}: cannot make the call: this process is a fork"));
        assert_eq!(complaints.len(), usize::from(name.is_some()), "{what}: {complaints:?}");
        assert!(
            complaints.iter().zip(expected).all(|(line, start)| line.starts_with(&start)),
            "{what}: {complaints:?}"
        );
    }
}

#[test]
fn a_message_is_written_at_once() {
    // Each write to the socket is a datagram of its own.
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    let mut command = command(&build("wrong"), &["over"]);
    command.stderr(OwnedFd::from(theirs));
    assert!(command.spawn().unwrap().wait().unwrap().success());
    ours.set_nonblocking(true).unwrap();
    let mut messages = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(bytes) = ours.recv(&mut buffer) {
        messages.push(String::from_utf8_lossy(&buffer[..bytes]).into_owned());
    }
    assert_eq!(messages.len(), 3, "{messages:?}");
    let is_line = |text: &String| text.starts_with("oxshmem: ") && text.find('\n') == Some(text.len() - 1);
    assert!(messages.iter().all(is_line), "{messages:?}");
}

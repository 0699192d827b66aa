//! Memory, copies and barriers.

use crate::programs::{End, build, run, run_well};

#[test]
fn the_data_of_each_pe_reaches_its_neighbour() {
    for n in [1, 2, 4] {
        let said = run_well("basic", n);
        let expected: Vec<String> = (0..n).map(|pe| format!("PE {pe} of {n}\n")).collect();
        assert_eq!(said, expected);
    }
}

#[test]
fn a_program_for_gpus_and_host_pes_reaches_symmetric_memory_by_calls_alone() {
    for n in [1, 2, 4] {
        run_well("anywhere", n);
    }
}

#[test]
fn every_type_is_copied_combined_and_waited_for() {
    for n in [2, 3] {
        run_well("typed", n);
    }
}

#[test]
fn of_several_satisfied_words_each_is_found_again_and_again() {
    run_well("fair", 1);
}

/// Returns the complaint of each wrong call of a PE, in order.
fn complaints(end: &End) -> Vec<&str> {
    end.complained.lines().filter(|line| line.starts_with("oxshmem: ")).collect()
}

#[test]
fn memory_that_the_program_mapped_is_symmetric_while_it_is_registered() {
    for n in [1, 3] {
        for (pe, end) in run(&build("registered"), n, &[]).iter().enumerate() {
            assert!(end.status.success(), "PE {pe}: {}", end.complained);
            let complaints = complaints(end);
            let mut expected = vec![
                ("register_symmetric", "the address is null"),
                ("register_symmetric", "positive multiple of"),
                ("register_symmetric", "positive multiple of"),
                ("register_symmetric", "private memory of this process alone"),
                ("register_symmetric", "in the symmetric heap"),
                ("register_symmetric", "flags 0x1"),
                ("register_symmetric", "registered already"),
                ("unregister_symmetric", "65536 bytes are registered there"),
                ("unregister_symmetric", "not in the symmetric heap of this PE"),
                ("unregister_symmetric", "no memory of the program is registered there"),
                ("unregister_symmetric", "not in the symmetric heap of this PE"),
            ];
            if n > 1 {
                expected.push(("register_symmetric", "the size in bytes"));
                expected.push(("register_symmetric", if pe == 1 { "the address is null" } else { "PE 1 " }));
                let flags = "PE 1 cannot register memory with flags 0x4";
                expected.push((
                    "register_symmetric",
                    if pe == 1 { "cannot register memory with flags 0x4" } else { flags },
                ));
                expected.push(("unregister_symmetric", if pe == 1 { "use 0x" } else { "PE 1 " }));
            }
            assert_eq!(complaints.len(), expected.len(), "{complaints:#?}");
            for (line, (name, reason)) in complaints.iter().zip(expected) {
                assert!(line.contains(&format!("PE {pe}: nvshmemx_buffer_{name}")), "{line}");
                assert!(line.contains(reason), "`{reason}` is not in: {line}");
            }
        }
    }
}

//! Memory, copies and barriers.

use crate::programs::run_well;

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

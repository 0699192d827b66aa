use std::time::Duration;

use oxshmem_apps::table::{Row, table, time};

fn row(variant: &str, micros: u64) -> Row {
    Row {
        variant: variant.into(),
        iterations: 1000,
        elapsed: Duration::from_micros(micros * 1000),
        communication: Some(Duration::from_micros(micros * 250)),
        residual: 1.5e-4,
        max_error: Some(0.0),
    }
}

#[test]
fn a_table_has_a_line_a_variant_with_units_and_aligned_columns() {
    let mut unmeasured = row("persistent, put_signal", 42);
    (unmeasured.communication, unmeasured.max_error) = (None, None);
    let text = table(&[row("p per thread", 100), unmeasured]);
    let line =
        |name: &str| text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{text}")).to_owned();
    for part in ["10000", "100 us", "25.0 us (25 %)", "1.500e-4"] {
        assert!(line("p per thread").contains(part), "{part} is missing in\n{text}");
    }
    assert!(line("persistent").contains(" - "), "{text}");
    assert_eq!(text.lines().count(), 6, "three rules, the head and the two variants:\n{text}");
    let ends = |line: String, word: &str| line.find(word).map(|at| line[..at].chars().count() + word.chars().count());
    assert_eq!(ends(line("p per thread"), "us"), ends(line("persistent"), "us"), "{text}");
}

#[test]
fn a_time_takes_the_unit_that_suits_it() {
    assert_eq!([2.5, 0.0314, 1.0e-5, 7.6e-7].map(time), ["2.50 s", "31.4 ms", "10.0 us", "760 ns"].map(String::from));
}

#[test]
fn a_run_of_no_time_at_all_divides_by_nothing() {
    let mut nothing = row("none", 0);
    nothing.iterations = 0;
    assert!(!table(&[nothing]).contains("NaN"));
}

//! Programs without unsafe code that would access memory that is not theirs do not compile, each for the reason in the
//! file beside it. `TRYBUILD=overwrite` writes these files anew, for another compiler.

#[test]
fn safe_code_can_neither_choose_addresses_nor_answer_for_memory() {
    trybuild::TestCases::new().compile_fail("tests/programs/*.rs");
}

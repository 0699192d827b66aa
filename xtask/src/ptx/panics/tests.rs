use super::*;

/// As LLVM writes it with line tables: a kernel that divides, one that calls a function which reads an array, and one
/// that can't panic.
const PTX: &str = r#"
.func _ZN4core9panicking11panic_const23panic_const_div_by_zero17h0123456789abcdefE
()
.noreturn;
.func  (.param .b32 func_retval0) _RNvCs1_7kernels4pick
(
	.param .b32 _RNvCs1_7kernels4pick_param_0
)
;
.visible .entry shares(
	.param .u64 shares_param_0
)
{
	.reg .b64 	%rd<3>;
	.loc	1 7 5
	@%p1 bra 	$L__BB0_2;
	.loc	2 300 9
	{ // callseq 0, 0
	call.uni 
	_ZN4core9panicking11panic_const23panic_const_div_by_zero17h0123456789abcdefE, 
	(
	);
	} // callseq 0
}
.visible .entry picks(
	.param .u64 picks_param_0
)
{
	.loc	1 20 5
	call.uni (retval0), _RNvCs1_7kernels4pick, (param0);
	ret;
}
.visible .entry copies(
	.param .u64 copies_param_0
)
{
	.loc	1 40 5
	ret;
}
.func  (.param .b32 func_retval0) _RNvCs1_7kernels4pick(
	.param .b32 _RNvCs1_7kernels4pick_param_0
)
{
	.loc	1 31 9
	call.uni _RNvNtCsanIojcP8aaR_4core9panicking18panic_bounds_check, (param0);
	trap;
}
.func _RNvNtCsanIojcP8aaR_4core9panicking18panic_bounds_check()
.noreturn
{
	trap;
}
	.file	1 "/p/kernels/src/lib.rs"
	.file	2 "/toolchain/library/core/src/num/mod.rs"
"#;

#[test]
fn a_kernel_that_can_panic_is_named_with_the_way_and_the_line() {
    let lines: Vec<String> = of(PTX).iter().map(Panic::line).collect();
    assert_eq!(
        lines,
        [
            "`picks`: pick -> panic_bounds_check, at /p/kernels/src/lib.rs:31",
            "`shares`: panic_const_div_by_zero, at /p/kernels/src/lib.rs:7",
        ]
    );
}

#[test]
fn without_line_tables_the_kernel_is_named_all_the_same() {
    let text: String =
        PTX.lines().filter(|line| !line.trim().starts_with('.')).map(|line| format!("{line}\n")).collect();
    assert!(of(&text).is_empty(), "without headers there is no kernel");
    let text: String = PTX.lines().filter(|line| !line.contains(".loc")).map(|line| format!("{line}\n")).collect();
    assert_eq!(of(&text)[1].line(), "`shares`: panic_const_div_by_zero");
}

#[test]
fn a_panic_that_no_kernel_reaches_is_none() {
    let text = PTX.replace(".entry shares", ".entry copied").replace("call.uni", "// call");
    let text: String = text.lines().filter(|line| !line.starts_with("\t_ZN")).map(|line| format!("{line}\n")).collect();
    assert_eq!(of(&text).iter().map(Panic::line).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn a_mangled_name_is_read_as_its_function() {
    assert_eq!(readable("_ZN4core6option13unwrap_failed17h0123456789abcdefE"), "unwrap_failed");
    assert_eq!(readable("_RNvNtCsanIojcP8aaR_4core9panicking18panic_bounds_check"), "panic_bounds_check");
    assert_eq!(readable("my_kernel2"), "my_kernel2");
}

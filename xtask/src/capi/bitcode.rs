//! Bitcode that older compilers read as well.
//!
//! The PTX toolchain's rustc writes bitcode of its own LLVM (22), which Triton up to 3.6 refuses. Its text form,
//! without the few words that LLVM 20 does not know, is written as bitcode by LLVM 20, which every later LLVM reads.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::fetch::wheels::python_with;
use crate::files;
use crate::place::target_dir;
use crate::shell;

/// The Python package with LLVM 20.
const WRITER: &str = "llvmlite==0.46.0";

/// Reads text from the first file, and writes bitcode to the second one.
const SCRIPT: &str = "import sys, llvmlite.binding as llvm\n\
    module = llvm.parse_assembly(open(sys.argv[1]).read())\n\
    module.verify()\n\
    open(sys.argv[2], 'wb').write(module.as_bitcode())\n";

/// Builds bitcode by `build`, which takes the form that the compiler emits, and returns the file. Where the package
/// with LLVM 20 can't be had, a note says that the bitcode is for the toolchain's LLVM and later ones.
///
/// # Errors
/// It can't be built, or LLVM 20 refuses the text.
pub(super) fn make(root: &Path, build: impl Fn(&str) -> Result<PathBuf>) -> Result<PathBuf> {
    let mut python = match writer(root) {
        Ok(python) => python,
        Err(why) => {
            eprintln!("note: the bitcode is for LLVM 22 and later, as {WRITER} is not to be had: {why:#}");
            return build("llvm-bc");
        }
    };
    let made = build("llvm-ir")?;
    let (text, file) = (made.with_extension("ll"), made.with_extension("bc"));
    let ir = files::read(&made)?;
    write(&text, &for_llvm_20(&ir))?;
    shell::capture(python.args(["-c", SCRIPT]).arg(&text).arg(&file))
        .with_context(|| format!("LLVM 20 refuses {}", text.display()))?;
    Ok(file)
}

/// Fetches the package with LLVM 20 if this system lacks it.
///
/// # Errors
/// It can't be fetched.
pub(crate) fn fetch_writer(root: &Path) -> Result<()> {
    writer(root).map(drop)
}

fn writer(root: &Path) -> Result<Command> {
    python_with(&target_dir(root).join("toolchain/llvm20"), WRITER, "llvmlite.binding", || Ok(()))
}

fn write(file: &Path, text: &str) -> Result<()> {
    files::write(file, text)
}

/// The reduction of a block's barrier, and its former name.
const BARRIER: &str = "i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32";
const FORMER_BARRIER: &str = "i32 @llvm.nvvm.barrier0.or(i32";

/// Functions whose calls are hints to the optimizer.
const HINTS_BY_CALLS: [&str; 2] = ["@llvm.lifetime.", "@llvm.experimental.noalias.scope.decl"];

/// Returns a module's text without hints to the optimizer that LLVM 20 does not know or that are large, and with the
/// former names of renamed functions. The code is optimized already.
fn for_llvm_20(ir: &str) -> String {
    let mut text = String::with_capacity(ir.len());
    for line in ir.lines().filter(|line| !HINTS_BY_CALLS.iter().any(|hint| line.contains(hint))) {
        match line.split_once(BARRIER) {
            Some((start, _)) if start.trim() == "declare" => text.push_str(&format!("declare {FORMER_BARRIER})")),
            Some((start, args)) => text.push_str(&former_barrier(start, args).unwrap_or_else(|| line.into())),
            None => text.push_str(&without_scopes(&without_hints(line))),
        }
        text.push('\n');
    }
    text
}

/// Returns a call of the barrier by its former name, which takes and returns an `i32` in place of an `i1`. `start` is
/// `%1 = tail call `, `args` ` 0, i1 %2), ...`.
fn former_barrier(start: &str, args: &str) -> Option<String> {
    let (result, _) = start.trim().split_once(" = ")?;
    let (_, yes) = args.split_once("i1 ")?;
    let (yes, _) = yes.split_once(')')?;
    let name = format!("%barrier.{}", result.trim_start_matches('%'));
    Some(format!(
        "  {name}.in = zext i1 {yes} to i32\n  {name}.out = call {FORMER_BARRIER} {name}.in)\n  \
         {result} = icmp ne i32 {name}.out, 0"
    ))
}

/// Attributes that LLVM 20 does not know, and a space after them.
const HINTS: [&str; 3] = ["captures", "dead_on_return", "nocreateundeforpoison"];
/// Parts of another attribute.
const MEMORIES: [&str; 2] = [", target_mem0: none", ", target_mem1: none"];

fn without_hints(line: &str) -> String {
    let mut line = MEMORIES.iter().fold(line.to_string(), |line, memory| line.replace(memory, ""));
    for hint in HINTS {
        while let Some(at) = position_of_word(&line, hint) {
            let after = at + hint.len();
            let end = match line[after..].starts_with('(') {
                true => line[after..].find(')').map_or(line.len(), |end| after + end + 1),
                false => after,
            };
            // One of the two spaces beside it is removed too.
            let (at, end) = match (line[end..].starts_with(' '), line[..at].ends_with(' ')) {
                (true, _) => (at, end + 1),
                (false, true) => (at - 1, end),
                (false, false) => (at, end),
            };
            line.replace_range(at..end, "");
        }
    }
    line
}

/// The attachments by which accesses name the scopes of their aliases. They took two fifths of the bitcode.
const SCOPES: [&str; 2] = [", !noalias !", ", !alias.scope !"];

fn without_scopes(line: &str) -> String {
    let mut line = line.to_string();
    for scopes in SCOPES {
        while let Some(at) = line.find(scopes) {
            let number = at + scopes.len();
            let end = line[number..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |end| number + end);
            line.replace_range(at..end, "");
        }
    }
    line
}

/// Returns where a word begins that is no part of a longer one.
fn position_of_word(line: &str, word: &str) -> Option<usize> {
    let inside = |c: char| c.is_ascii_alphanumeric() || "_.@%\"".contains(c);
    line.match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !line[..*at].ends_with(inside) && !line[at + word.len()..].starts_with(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_that_llvm_20_does_not_know_are_left_out() {
        let line = "define void @f(ptr dead_on_return(40) noalias captures(none) %0, ptr captures(address) %1) #5 {";
        assert_eq!(for_llvm_20(line), "define void @f(ptr noalias %0, ptr %1) #5 {\n");
        let line =
            "attributes #13 = { nocallback nocreateundeforpoison memory(read, target_mem0: none, target_mem1: none) }";
        assert_eq!(for_llvm_20(line), "attributes #13 = { nocallback memory(read) }\n");
        assert_eq!(for_llvm_20("declare void @g(ptr captures(none))"), "declare void @g(ptr)\n");
    }

    #[test]
    fn words_inside_names_stay() {
        let line = "  call void @captures(ptr %captures.1, ptr %dead_on_return)";
        assert_eq!(for_llvm_20(line), format!("{line}\n"));
    }

    #[test]
    fn lifetimes_of_stack_slots_are_left_out() {
        assert_eq!(for_llvm_20("  call void @llvm.lifetime.start.p0(ptr nonnull %17), !noalias !7"), "");
    }

    #[test]
    fn scopes_of_aliases_are_left_out_and_other_attachments_stay() {
        let line = "  %7 = load i64, ptr %6, align 8, !alias.scope !12, !noalias !345, !noundef !3";
        assert_eq!(for_llvm_20(line), "  %7 = load i64, ptr %6, align 8, !noundef !3\n");
        assert_eq!(for_llvm_20("  store i64 %1, ptr %2, align 8, !noalias !66"), "  store i64 %1, ptr %2, align 8\n");
        assert_eq!(for_llvm_20("  tail call void @llvm.experimental.noalias.scope.decl(metadata !5)"), "");
    }

    #[test]
    fn a_barrier_that_reduces_has_its_former_name() {
        let call = "  %560 = tail call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %538), !noalias !66";
        let expected = "  %barrier.560.in = zext i1 %538 to i32\n  \
            %barrier.560.out = call i32 @llvm.nvvm.barrier0.or(i32 %barrier.560.in)\n  \
            %560 = icmp ne i32 %barrier.560.out, 0\n";
        assert_eq!(for_llvm_20(call), expected);
        let declared = "declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1) #15";
        assert_eq!(for_llvm_20(declared), "declare i32 @llvm.nvvm.barrier0.or(i32)\n");
    }
}

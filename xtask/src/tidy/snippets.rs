//! Code in the documentation compiles: each block of Rust is a part of a source of the workspace, which the checks
//! compile.

use std::path::Path;

use anyhow::{Context, Result};

use super::Finding;
use super::source;

/// The line that begins a block of Rust.
const FENCE: &str = "```rust";
/// A line in a block that stands for code left out.
const GAP: &str = "// ...";

/// Returns a finding for each block that is in no source.
pub(super) fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "docs/internals"] {
        let entries = std::fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))?;
        pages
            .extend(entries.flatten().map(|entry| entry.path()).filter(|file| file.extension() == Some("md".as_ref())));
    }
    pages.sort();
    let mut sources = Vec::new();
    for file in source::sources(root)? {
        sources.push(lines_of(&source::read(&file)?));
    }
    let mut findings = Vec::new();
    for page in &pages {
        for (line, block) in blocks(&source::read(page)?) {
            if !sources.iter().any(|source| has(source, &block)) {
                let text = "this code is in no source, so nothing compiles it; `tests/docs` is for such code";
                findings.push(Finding::error(page, line, text));
            }
        }
    }
    Ok(findings)
}

/// Returns each block of Rust of a page with its first line's number, as [`lines_of`] returns a source.
fn blocks(text: &str) -> Vec<(usize, Vec<&str>)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if line.trim() == FENCE {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
            found.push((at + 2, inside.map(bare).filter(|line| !line.is_empty()).collect()));
        }
    }
    found
}

/// Returns whether a source has the block's lines, one after the other but for gaps.
fn has(source: &[String], block: &[&str]) -> bool {
    let mut rest = source;
    block.split(|line| *line == GAP).all(|part| {
        let at = rest.windows(part.len().max(1)).position(|lines| part.is_empty() || lines == part);
        at.is_some_and(|at| {
            rest = &rest[at + part.len()..];
            true
        })
    })
}

/// Returns a source's lines without indentation, empty lines, and the marks of doc comments, whose code is tested.
fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(bare).filter(|line| !line.is_empty()).map(str::to_string).collect()
}

fn bare(line: &str) -> &str {
    let line = line.trim();
    ["//! ", "/// "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_found_in_a_source_whatever_its_indentation() {
        let page = "Text\n\n   ```rust\n   let a = 1;\n\n       f(a);\n   ```\n\n```sh\nls\n```\n";
        let found = blocks(page);
        assert_eq!(found, [(4, vec!["let a = 1;", "f(a);"])]);
        assert!(has(&lines_of("fn main() {\n    let a = 1;\n    f(a);\n}\n"), &found[0].1));
        assert!(has(&lines_of("//! ```\n//! let a = 1;\n//! f(a);\n"), &found[0].1), "a doc comment");
        assert!(!has(&lines_of("let a = 1;\ng();\nf(a);\n"), &found[0].1));
    }

    #[test]
    fn a_gap_stands_for_any_lines_and_the_parts_come_in_order() {
        let block = ["let a = 1;", GAP, "f(a);"];
        assert!(has(&lines_of("let a = 1;\ng();\nf(a);\n"), &block));
        assert!(!has(&lines_of("f(a);\nlet a = 1;\n"), &block));
    }
}

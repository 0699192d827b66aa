//! Code in the documentation compiles: each block of Rust is a part of a source of the workspace, which the checks
//! compile.

use std::path::Path;

use anyhow::{Context, Result};

use super::Finding;
use super::source;

/// The line that begins a block of Rust.
const FENCE: &str = "```rust";

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
            if !sources.iter().any(|source| source.windows(block.len()).any(|part| part == block)) {
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
        if line.trim_end() == FENCE {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            found.push((at + 2, inside.map(bare).filter(|line| !line.is_empty()).collect()));
        }
    }
    found
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
        let page = "Text\n\n```rust\nlet a = 1;\n\n    f(a);\n```\n\n```sh\nls\n```\n";
        let found = blocks(page);
        assert_eq!(found, [(4, vec!["let a = 1;", "f(a);"])]);
        let source = lines_of("fn main() {\n    let a = 1;\n    f(a);\n}\n");
        assert!(source.windows(2).any(|part| part == found[0].1));
        let doc = lines_of("//! ```\n//! let a = 1;\n//! f(a);\n");
        assert!(doc.windows(2).any(|part| part == found[0].1));
        assert!(!lines_of("let a = 1;\ng();\nf(a);\n").windows(2).any(|part| part == found[0].1));
    }
}

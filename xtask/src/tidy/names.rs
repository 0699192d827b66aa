//! A type name that other modules use has at most two meanings in the libraries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{Finding, source};

/// The most definitions of one name.
const MOST: usize = 2;

/// The name of traits that keep others from being implemented elsewhere, which Rust programs use for nothing else.
const SEALED: &str = "Sealed";

/// Checks the libraries of the checkout.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>> {
    let files: Vec<_> = source::libraries(root)?.into_iter().flat_map(|(_, files)| files).collect();
    Ok(reused(&files))
}

/// Reports each definition of the names that have too many.
fn reused(files: &[(PathBuf, String)]) -> Vec<Finding> {
    let mut defined: BTreeMap<&str, Vec<(&Path, usize)>> = BTreeMap::new();
    for (file, text) in files {
        for (index, line) in text.lines().enumerate() {
            if let Some(name) = defines(line).filter(|name| *name != SEALED) {
                defined.entry(name).or_default().push((file, index + 1));
            }
        }
    }
    let too_many = defined.into_iter().filter(|(_, at)| at.len() > MOST);
    too_many
        .flat_map(|(name, at)| {
            let text = format!("`{name}` is the name of {} types in the libraries, and {MOST} are allowed", at.len());
            at.into_iter().map(move |(file, line)| Finding::error(file, line, text.clone()))
        })
        .collect()
}

/// Returns the name of the type or trait that a line defines for other modules.
fn defines(line: &str) -> Option<&str> {
    let visible = line.trim_start().strip_prefix("pub")?;
    // A restriction is in parentheses, and may have a space.
    let rest = if visible.starts_with('(') { visible.split_once(')')?.1 } else { visible };
    let rest = rest.strip_prefix(' ')?;
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let (_, name) = rest.split_once(' ').filter(|(kind, _)| ["struct", "enum", "union", "trait"].contains(kind))?;
    // A macro's name of a type begins with a dollar sign.
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_three_types_is_reported_at_each_of_them() {
        let file = |name: &str, text: &str| (PathBuf::from(name), text.to_string());
        let two = [file("a.rs", "pub struct Row {"), file("b.rs", "    pub(in crate::host) enum Row<T> {")];
        assert_eq!(reused(&two), []);
        let three = [two[0].clone(), two[1].clone(), file("c.rs", "struct Row;\npub unsafe trait Row {}")];
        let at: Vec<_> = reused(&three).into_iter().map(|one| (one.file, one.line)).collect();
        assert_eq!(at, [("a.rs".into(), 1), ("b.rs".into(), 1), ("c.rs".into(), 2)]);
    }

    #[test]
    fn private_types_functions_and_traits_that_seal_may_share_a_name() {
        let text = "struct A;\nfn A() {}\npub fn A() {}\npub mod A;\npub trait Sealed {}\n".repeat(3);
        assert_eq!(reused(&[(PathBuf::from("a.rs"), text)]), []);
    }
}

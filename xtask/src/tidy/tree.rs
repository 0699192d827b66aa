//! The size of the minimal dependency tree, for programs that vendor the library.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::Finding;
use crate::shell;

/// The most crates of the minimal build, the library included.
const MOST: usize = 30;

/// Counts the crates of the minimal build.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>> {
    let mut tree = shell::cargo();
    tree.args(["tree", "-p", "oxshmem-hal", "--no-default-features", "--features", "nvlink"])
        .args(["-e", "normal,build", "--prefix", "none"])
        .current_dir(root);
    let crates = distinct(&shell::capture(&mut tree)?);
    if crates.len() <= MOST {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = crates.iter().map(String::as_str).collect();
    let text = format!("the minimal build has {} crates, and {MOST} are allowed: {}", crates.len(), names.join(", "));
    Ok(vec![Finding::error(root.join("hal/Cargo.toml"), 1, text)])
}

/// Returns name and version of each crate once.
fn distinct(tree: &str) -> BTreeSet<String> {
    tree.lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some(format!("{} {}", words.next()?, words.next()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_is_listed_twice_counts_once_and_two_versions_count_twice() {
        let tree =
            "oxshmem-hal v0.1.0 (/src/hal)\nlibc v0.2.191\nlibc v0.2.191 (*)\nbitflags v1.3.2\nbitflags v2.13.2\n\n";
        assert_eq!(distinct(tree).len(), 4);
    }
}
